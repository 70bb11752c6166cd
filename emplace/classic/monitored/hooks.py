"""Hooks that stop, watch, log and feed. Those that write files are in `saving_hooks.py`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from tensorboard.compat.proto.summary_pb2 import Summary

from ...base.errors import OutOfRangeError
from ...base.typing import PathLike, TensorLike
from ...core.tensor import Tensor
from ...graph.recording.scopes import current_graph
from ...graph.representation.graph import SymbolicTensor
from ...state.coordinator import Coordinator
from ...summary.file_writer import FileWriter, FileWriterCache
from ..scopes import messages as logging
from .run_hooks import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from .timers import NeverTriggerTimer, SecondOrStepTimer, read_global_step


class StopAtStepHook(SessionRunHook):
    """Stops after some steps, or at a step (`tf.compat.v1.train.StopAtStepHook`).

    Args:
        num_steps: how many steps of this session.
        last_step: the last step of the training.

    Raises:
        ValueError: both are given, or none.
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self) -> None:
        """Finds the global step."""
        self._step = read_global_step("StopAtStepHook")

    def after_create_session(self, session: Any, coord: Coordinator) -> None:
        """Counts from the step at which it starts."""
        if self._last_step is None:
            assert self._num_steps is not None
            self._last_step = int(session.run(self._step)) + self._num_steps

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the step."""
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Stops if it was the last step. What it asked for may be of before the step."""
        assert self._last_step is not None
        if run_values.results + 1 < self._last_step:
            return
        if run_context.session.run(self._step) >= self._last_step:
            run_context.request_stop()


class NanLossDuringTrainingError(RuntimeError):
    """A loss is no number (`tf.compat.v1.train.NanLossDuringTrainingError`)."""

    def __str__(self) -> str:
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Stops, or fails, when a loss is no number (`tf.compat.v1.train.NanTensorHook`).

    Args:
        loss_tensor: the loss.
        fail_on_nan_loss: whether it raises NanLossDuringTrainingError, or only stops.
    """

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss, self._fails = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the loss."""
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Looks at it."""
        if not np.isnan(run_values.results).any():
            return
        if self._fails:
            logging.error("Model diverged with loss = NaN.")
            raise NanLossDuringTrainingError
        logging.warning("Model diverged with loss = NaN.")
        run_context.request_stop()


class LoggingTensorHook(SessionRunHook):
    """Logs values now and then, at the level INFO (`tf.compat.v1.train.LoggingTensorHook`).

    Args:
        tensors: tensors, or names of tensors; or those by the names that are logged.
        every_n_iter: once per so many runs.
        every_n_secs: once per so many seconds.
        at_end: whether to log at the end as well; only then, if the two above are None.
        formatter: makes a text of the values by their names.

    Raises:
        ValueError: none of the above, or both of the first two are given.
    """

    def __init__(
        self, tensors: Any, every_n_iter: int | None = None, every_n_secs: float | None = None,
        at_end: bool = False, formatter: Callable[[Any], str] | None = None,
    ) -> None:  # fmt: skip
        is_only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not is_only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError(
                "either at_end and/or exactly one of every_n_iter and every_n_secs must be "
                "provided."
            )
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        if not isinstance(tensors, dict):
            tensors = {_label(each): each for each in tensors}
        self._given_tensors, self._formatter, self._at_end = tensors, formatter, at_end
        self._timer: SecondOrStepTimer = (
            NeverTriggerTimer() if is_only_at_end else SecondOrStepTimer(every_n_secs, every_n_iter)
        )

    def begin(self) -> None:
        """Finds the tensors."""
        self._timer.reset()
        self._runs = 0
        graph: Any = current_graph()
        self._tensors = {
            name: graph.as_graph_element(each, allow_operation=False)
            for name, each in self._given_tensors.items()
        }

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Asks for the values if they are due."""
        self._is_due = self._timer.should_trigger_for_step(self._runs)
        return SessionRunArgs(self._tensors) if self._is_due else None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Logs them."""
        if self._is_due:
            self._log(run_values.results)
        self._runs += 1

    def end(self, session: Any) -> None:
        """Logs the last values."""
        if self._at_end:
            self._log(session.run(self._tensors))

    def _log(self, values: Tensor) -> None:
        seconds, _ = self._timer.update_last_triggered_step(self._runs)
        if self._formatter is not None:
            logging.info(self._formatter(values))
            return
        text = ", ".join(f"{name} = {values[name]}" for name in self._tensors)
        logging.info(text if seconds is None else f"{text} ({seconds:.3f} sec)")


def _label(tensor: TensorLike) -> Any:
    return tensor.name if isinstance(tensor, SymbolicTensor) else tensor


class StepCounterHook(SessionRunHook):
    """Tells how many steps there are per second (`tf.compat.v1.train.StepCounterHook`).

    Args:
        every_n_steps: once per so many steps.
        every_n_secs: or once per so many seconds.
        output_dir: the folder of the event file that it writes to.
        summary_writer: or its writer.
    """

    def __init__(
        self, every_n_steps: int | None = 100, every_n_secs: float | None = None,
        output_dir: PathLike | None = None, summary_writer: FileWriter | None = None,
    ) -> None:  # fmt: skip
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_n_secs, every_n_steps)
        self._writer, self._folder = summary_writer, output_dir
        self._last: Any = None
        self._warnings = 0

    def begin(self) -> None:
        """Finds the global step."""
        if self._writer is None and self._folder:
            self._writer = FileWriterCache.get(self._folder)
        self._step = read_global_step("StepCounterHook")
        self._tag = f"{self._step.op.name}/sec"

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the step."""
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Counts and tells."""
        stale = run_values.results
        if self._timer.should_trigger_for_step(stale + 1):
            step = run_context.session.run(self._step)
            if self._timer.should_trigger_for_step(step):
                seconds, steps = self._timer.update_last_triggered_step(step)
                if seconds is not None:
                    self._tell(steps / max(seconds, 1e-9), step)
        if self._last is not None and stale == self._last and self._warnings < 5:
            self._warnings += 1
            logging.warning(
                "It seems that global step (tf.train.get_global_step) has not been increased. "
                f"Current value (could be stable): {stale} vs previous value: {self._last}. You "
                "could increase the global step by passing tf.train.get_global_step() to "
                "Optimizer.apply_gradients or Optimizer.minimize."
            )
        self._last = stale

    def _tell(self, rate: float, step: object) -> None:
        if self._writer is not None:
            value = Summary.Value(tag=self._tag, simple_value=rate)
            self._writer.add_summary(Summary(value=[value]), step)
        logging.info(f"{self._tag}: {rate:g}")


class GlobalStepWaiterHook(SessionRunHook):
    """Waits before the first run until others have made some steps
    (`tf.compat.v1.train.GlobalStepWaiterHook`).

    Args:
        wait_until_step: the step to wait for.
    """

    def __init__(self, wait_until_step: int) -> None:
        self._wait_until = wait_until_step

    def begin(self) -> None:
        """Finds the global step."""
        self._is_over = False
        self._step = read_global_step("_GlobalStepWaiterHook")

    def before_run(self, run_context: SessionRunContext) -> None:
        """Waits."""
        if self._is_over or self._wait_until <= 0:
            return
        while (step := int(run_context.session.run(self._step))) < self._wait_until:
            logging.info(
                f"Waiting for global step {self._wait_until} before starting training. Current "
                f"step is {step}."
            )
            time.sleep(0.5)
        self._is_over = True


class FinalOpsHook(SessionRunHook):
    """Runs something at the end (`tf.compat.v1.train.FinalOpsHook`).

    Args:
        final_ops: what to run: see `Session.run`.
        final_ops_feed_dict: what to feed then.
    """

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._final_ops, self._feeds = final_ops, final_ops_feed_dict
        self._values: Any = None

    @property
    def final_ops_values(self) -> Any:
        """What it returned; None before."""
        return self._values

    def end(self, session: Any) -> None:
        """Runs it."""
        if self._final_ops is None:
            return
        try:
            self._values = session.run(self._final_ops, self._feeds)
        except (OutOfRangeError, StopIteration) as error:
            logging.warning(
                "An OutOfRangeError or StopIteration exception is raised by the code in "
                "FinalOpsHook. This typically means the Ops running by the FinalOpsHook have a "
                f"dependency back to some input source, which should not happen: {error}"
            )
            raise


class FeedFnHook(SessionRunHook):
    """Feeds what a function returns (`tf.compat.v1.train.FeedFnHook`).

    Args:
        feed_fn: returns a dictionary for `feed_dict`.
    """

    def __init__(self, feed_fn: Callable[[], Any]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for what to feed."""
        return SessionRunArgs(None, self.feed_fn())
