"""How checkpoints are written (`tf.train.CheckpointOptions`)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any


class CheckpointOptions:
    """How a checkpoint is written (`tf.train.CheckpointOptions`).

    Args:
        experimental_io_device: without effect: the host writes.
        experimental_enable_async_checkpoint: without effect: a checkpoint is written when `save` or
            `write` returns.
        experimental_write_callbacks: functions that are called when it has been written, with its
            prefix, or with nothing.
        enable_async: without effect, as above.
        experimental_skip_slot_variables: without effect.
        experimental_sharding_callback: without effect: a checkpoint is one file.

    Raises:
        TypeError: a callback cannot be called.
        AssertionError: it takes more than the prefix.
    """

    __slots__ = (
        "enable_async", "experimental_enable_async_checkpoint", "experimental_io_device",
        "experimental_sharding_callback", "experimental_skip_slot_variables",
        "experimental_write_callbacks",
    )  # fmt: skip

    def __init__(
        self, experimental_io_device: str | None = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Sequence[Callable[..., Any]] | None = None,
        enable_async: bool = False, experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: object = None,
    ) -> None:  # fmt: skip
        for each in experimental_write_callbacks or ():
            if not callable(each):
                raise TypeError(f"{each} is not a callable object")
            if len(inspect.signature(each).parameters) > 1:
                raise AssertionError(
                    "[tf.train.CheckpointOptions] a write callback takes the checkpoint's prefix "
                    f"or nothing, and {each} has more arguments."
                )
        self.experimental_io_device = experimental_io_device
        self.enable_async = enable_async or experimental_enable_async_checkpoint
        self.experimental_enable_async_checkpoint = self.enable_async
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback

    def __copy__(self) -> CheckpointOptions:
        """Options of their own, with a list of callbacks of their own."""
        made = CheckpointOptions.__new__(CheckpointOptions)
        for name in self.__slots__:
            value = getattr(self, name)
            setattr(made, name, list(value) if isinstance(value, list) else value)
        return made


def tell_written(options: object, path: str) -> None:
    """Calls what is to be called when a checkpoint has been written."""
    for callback in getattr(options, "experimental_write_callbacks", None) or ():
        callback(path) if inspect.signature(callback).parameters else callback()
