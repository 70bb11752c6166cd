"""A hook that writes timelines of single runs."""

from __future__ import annotations

import os
from typing import Any

from tensorboard.compat.proto.config_pb2 import RunOptions

from ...base.files import write_text
from ...observe.timeline import Timeline
from ...ops.io.paths import system_errors
from ...summary.file_writer import FileWriterCache
from ..scopes import messages as logging
from .run_hooks import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from .timers import SecondOrStepTimer, read_global_step


class ProfilerHook(SessionRunHook):
    """Writes the timeline of a run now and then, as `timeline-STEP.json` for `chrome://tracing`
    (`tf.compat.v1.train.ProfilerHook`).

    Args:
        save_steps: once per so many steps,
        save_secs: or once per so many seconds.
        output_dir: the folder of timelines, and of the event file that has the traces too.
        show_dataflow: arrows between operations on different devices.
        show_memory: tensors, and the memory that they take.

    Raises:
        ValueError: both numbers are given, or none.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str | os.PathLike[str] = "",
        show_dataflow: bool = True,
        show_memory: bool = False,
    ) -> None:
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._folder = os.fspath(output_dir)
        self._shows = show_dataflow, show_memory

    def begin(self) -> None:
        """Finds the global step."""
        self._next: Any = None
        self._step = read_global_step("ProfilerHook")
        self._writer = FileWriterCache.get(self._folder or ".")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for a trace if one is due; the first run, which makes plans, has none."""
        self._is_due = self._next is not None and self._timer.should_trigger_for_step(self._next)
        options = RunOptions(trace_level=RunOptions.FULL_TRACE) if self._is_due else None
        return SessionRunArgs({"step": self._step}, options=options)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Writes the timeline."""
        stale = int(run_values.results["step"])
        if self._next is None:
            self._timer.update_last_triggered_step(stale)
        step = stale + 1
        if self._is_due:
            step = int(run_context.session.run(self._step))
            self._timer.update_last_triggered_step(step)
            self._write(step, run_values.run_metadata)
        self._next = step + 1

    def _write(self, step: int, metadata: Any) -> None:
        path = os.path.join(self._folder, f"timeline-{step}.json")
        logging.info(f"Saving timeline for {step} into '{path}'.")
        text = Timeline(metadata.step_stats).generate_chrome_trace_format(*self._shows)
        with system_errors(path):
            write_text(path, text)
        self._writer.add_run_metadata(metadata, f"step_{step}", step)
