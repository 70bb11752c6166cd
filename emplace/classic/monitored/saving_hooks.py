"""Hooks that write checkpoints and summaries."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from tensorboard.compat.proto.event_pb2 import SessionLog

from ...base.typing import PathLike
from ...state.coordinator import Coordinator
from ...summary.file_writer import FileWriter, FileWriterCache
from ..scopes import messages as logging
from ..scopes.collections import GraphKeys, get_collection
from .run_hooks import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from .timers import SecondOrStepTimer, read_global_step


class CheckpointSaverListener:
    """Is told of checkpoints (`tf.compat.v1.train.CheckpointSaverListener`)."""

    def begin(self) -> None:
        """Called once, before the session is made."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Called before a checkpoint is written."""

    def after_save(self, session: Any, global_step_value: int) -> bool | None:
        """Called after a checkpoint was written; True stops the training."""

    def end(self, session: Any, global_step_value: int) -> None:
        """Called once, at the end."""


class CheckpointSaverHook(SessionRunHook):
    """Writes checkpoints now and then, at the start and at the end
    (`tf.compat.v1.train.CheckpointSaverHook`).

    Args:
        checkpoint_dir: the folder, which is made.
        save_secs: once per so many seconds,
        save_steps: or once per so many steps.
        saver: what writes; the graph's own one if this and `scaffold` are None.
        checkpoint_basename: how the names of checkpoints begin.
        scaffold: whose saver writes.
        listeners: are told of checkpoints.
        save_graph_def: not used: graphs are not written.

    Raises:
        ValueError: arguments contradict each other.
    """

    def __init__(
        self, checkpoint_dir: str, save_secs: float | None = None, save_steps: int | None = None,
        saver: Any = None, checkpoint_basename: str = "model.ckpt", scaffold: Any = None,
        listeners: Sequence[CheckpointSaverListener] | None = None, save_graph_def: bool = True,
    ) -> None:  # fmt: skip
        logging.info("Create CheckpointSaverHook.")
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver, self._scaffold = saver, scaffold
        self._folder = os.fspath(checkpoint_dir)
        self._path = os.path.join(self._folder, checkpoint_basename)
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._listeners = list(listeners or ())

    def begin(self) -> None:
        """Finds the global step."""
        self._writer = FileWriterCache.get(self._folder)
        self._step = read_global_step("CheckpointSaverHook")
        for each in self._listeners:
            each.begin()

    def after_create_session(self, session: Any, coord: Coordinator) -> None:
        """Writes the first checkpoint."""
        step = int(session.run(self._step))
        self._writer.add_graph(session.graph)
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the step."""
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Writes a checkpoint if it is due."""
        if not self._timer.should_trigger_for_step(run_values.results + 1):
            return
        step = int(run_context.session.run(self._step))
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        """Writes the last checkpoint."""
        step = int(session.run(self._step))
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for each in self._listeners:
            each.end(session, step)

    def _save(self, session: object, step: int) -> bool:
        """Writes a checkpoint; True if a listener wants to stop."""
        logging.info(f"Calling checkpoint listeners before saving checkpoint {step}...")
        for each in self._listeners:
            each.before_save(session, step)
        logging.info(f"Saving checkpoints for {step} into {self._path}.")
        self._get_saver().save(session, self._path, global_step=step)
        log = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._path)
        self._writer.add_session_log(log, step)
        logging.info(f"Calling checkpoint listeners after saving checkpoint {step}...")
        answers = [each.after_save(session, step) for each in self._listeners]
        return any(answers)

    def _get_saver(self) -> Any:
        if self._saver is None:
            self._saver = self._scaffold.saver if self._scaffold is not None else _only_saver()
        return self._saver


def _only_saver() -> Any:
    found = get_collection(GraphKeys.SAVERS)
    if len(found) == 1:
        return found[0]
    count = "No" if not found else "More than one"
    raise RuntimeError(
        f"{count} items in collection {GraphKeys.SAVERS}. Please add a saver to the collection or "
        "provide a saver or scaffold."
    )


class SummarySaverHook(SessionRunHook):
    """Writes summaries now and then (`tf.compat.v1.train.SummarySaverHook`).

    Args:
        save_steps: once per so many steps,
        save_secs: or once per so many seconds.
        output_dir: the folder of the event file.
        summary_writer: or its writer.
        scaffold: whose summaries are written,
        summary_op: or the summaries: a string tensor, or a list of some.

    Raises:
        ValueError: arguments contradict each other.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: PathLike | None = None,
        summary_writer: FileWriter | None = None,
        scaffold: Any = None,
        summary_op: Any = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._scaffold, self._op = scaffold, summary_op
        self._writer, self._folder = summary_writer, output_dir

    def begin(self) -> None:
        """Finds the global step."""
        if self._writer is None and self._folder:
            self._writer = FileWriterCache.get(self._folder)
        self._next: Any = None
        self._step = read_global_step("SummarySaverHook")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the step, and for summaries if they are due."""
        self._is_due = self._next is None or self._timer.should_trigger_for_step(self._next)
        wanted = {"global_step": self._step}
        summaries = self._summaries() if self._is_due else None
        if summaries is not None:
            wanted["summary"] = summaries
        return SessionRunArgs(wanted)

    def _summaries(self) -> list[Any] | None:
        op = self._op if self._op is not None else self._scaffold.summary_op
        if op is None:
            return None
        return list(op) if isinstance(op, (list, tuple)) else [op]

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Writes them."""
        if self._writer is None:
            return
        step = run_values.results["global_step"] + 1
        if self._next is None or self._is_due:
            step = run_context.session.run(self._step)
        if self._next is None:
            self._writer.add_session_log(SessionLog(status=SessionLog.START), step)
        if self._is_due:
            self._timer.update_last_triggered_step(step)
            for each in run_values.results.get("summary", ()):
                self._writer.add_summary(each, step)
        self._next = step + 1

    def end(self, session: object) -> None:
        """Hands what was written to the system."""
        if self._writer is not None:
            self._writer.flush()
