"""`tf.train.CheckpointManager`: keeps the last checkpoints of a folder, and deletes the others."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from ...core.tensor import Tensor
from ...distribute.workers.writing import announce, is_chiefs, place_to_write
from ...eager.variable import Variable
from ...ops.io.paths import as_text, local
from ...state.checkpoint_state import (
    get_checkpoint_state,
    remove_checkpoint,
    write_checkpoint_state,
)
from .checkpoint import Checkpoint, count_one, values_of
from .checkpoint_options import tell_written


class CheckpointManager:
    """Keeps the last checkpoints of a folder (`tf.train.CheckpointManager`). Of several workers
    that name one folder the chief alone writes into it.

    Args:
        checkpoint: the `Checkpoint` to save.
        directory: the folder, which is made.
        max_to_keep: how many are kept; None for all.
        keep_checkpoint_every_n_hours: one per so many hours is kept for good.
        checkpoint_name: how the names of checkpoints begin.
        step_counter: a variable that counts steps, for `checkpoint_interval`.
        checkpoint_interval: how many steps are at least between two checkpoints.
        init_fn: called by `restore_or_initialize` if there is no checkpoint.
        last_checkpoint_step: at which step there was a checkpoint last, for `checkpoint_interval`.

    Raises:
        ValueError: `max_to_keep` is not positive, or there is an interval without a counter.
    """

    def __init__(
        self, checkpoint: Checkpoint, directory: Any, max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None, checkpoint_name: str = "ckpt",
        step_counter: Any = None, checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None, last_checkpoint_step: int | None = None,
    ) -> None:  # fmt: skip
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}."
            )
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError(
                "`step_counter` should be passed if `checkpoint_interval` is not None."
            )
        self._checkpoint, self._directory = checkpoint, as_text(directory)
        self._most, self._hours = max_to_keep, keep_checkpoint_every_n_hours
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._counter, self._interval, self._init_fn = step_counter, checkpoint_interval, init_fn
        self._last_step: int | None = last_checkpoint_step
        announce(self._directory)
        self._recover()

    def _recover(self) -> None:
        """Goes on with the checkpoints of an earlier program."""
        now = time.time()
        self._latest: str | None = None
        self._kept: dict[str, float] = {}
        self._preserved = now
        state = get_checkpoint_state(self._directory)
        if state is None:
            return
        self._latest = state.model_checkpoint_path
        self._preserved = state.last_preserved_timestamp or now
        times = list(state.all_model_checkpoint_timestamps)
        names = list(state.all_model_checkpoint_paths)
        if times:  # else nobody says that they may be deleted: TF leaves them alone
            self._kept = dict(zip(names, times, strict=True))

    @property
    def directory(self) -> str:
        """The folder."""
        return self._directory

    @property
    def checkpoint(self) -> Checkpoint:
        """What is saved."""
        return self._checkpoint

    @property
    def checkpoint_interval(self) -> int | None:
        """How many steps are at least between two checkpoints."""
        return self._interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The prefix of the latest checkpoint; None if there is none."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The prefixes of all that may be deleted some day, oldest first."""
        return list(self._kept)

    def save(
        self, checkpoint_number: Any = None, check_interval: bool = True, options: object = None
    ) -> str | None:
        """Writes a checkpoint, and deletes those that are too many.

        Args:
            checkpoint_number: the number in its name; how many were saved if None.
            check_interval: whether to leave it out if the last one is too near.
            options: what is called when it has been written.

        Returns:
            Its prefix; None if it was left out.
        """
        step = self._step()
        is_near = (
            self._interval is not None and self._last_step is not None and step is not None
            and step < self._last_step + self._interval
        )  # fmt: skip
        if check_interval and is_near:
            return None
        count = count_one(self._checkpoint.save_counter)
        number = count if checkpoint_number is None else _number(checkpoint_number)
        path = f"{self._prefix}-{number}"
        with place_to_write(self._directory) as folder:
            os.makedirs(local(folder), exist_ok=True)
            self._checkpoint.write(os.path.join(folder, os.path.basename(path)))
        if is_chiefs(self._directory):
            self._latest, self._last_step = path, step
            return path
        self._kept.pop(path, None)
        self._kept[path] = time.time()
        self._latest, self._last_step = path, step
        self._record()
        if self._sweep():
            self._record()
        tell_written(options, path)
        return path

    def sync(self) -> None:
        """Waits until checkpoints are written: they are when `save` returns."""
        self._checkpoint.sync()

    def _step(self) -> int | None:
        """What the counter of steps says."""
        return None if self._counter is None else int(values_of([self._counter])[0])

    def _sweep(self) -> bool:
        """Deletes checkpoints that are too many; True if there were some."""
        if self._most is None or len(self._kept) <= self._most:
            return False
        while len(self._kept) > self._most:
            path = next(iter(self._kept))
            written = self._kept.pop(path)
            if self._hours is not None and written - self._hours * 3600 >= self._preserved:
                self._preserved = written
            else:
                remove_checkpoint(path)
        return True

    def _record(self) -> None:
        """Writes the file that lists the checkpoints."""
        assert self._latest is not None
        write_checkpoint_state(
            self._directory, self._latest, list(self._kept), save_relative_paths=True,
            all_model_checkpoint_timestamps=list(self._kept.values()),
            last_preserved_timestamp=self._preserved,
        )  # fmt: skip

    def restore_or_initialize(self) -> str | None:
        """Restores the latest checkpoint, or calls `init_fn`.

        Returns:
            The prefix of the checkpoint; None if there is none.
        """
        if self._latest is not None:
            self._checkpoint.restore(self._latest)
            if self._counter is not None:
                self._last_step = self._step()
            return self._latest
        if self._init_fn is not None:
            self._init_fn()
        return None


def _number(value: Any) -> int:
    """A plain number, or what a tensor or variable says: a graph's, in the default session."""
    is_held = isinstance(value, (Tensor, Variable))
    return int(values_of([value])[0]) if is_held else int(value)
