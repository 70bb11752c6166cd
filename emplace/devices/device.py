"""A logical device: what a name such as GPU:1 stands for while the program runs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from ..base import dtypes
from ..base.dtypes import DType
from .backend import Backend
from .known import is_worth_it, known, remember
from .late import look
from .memory import Budget
from .name import LOCALHOST

#: What torch calls the host's processor. To compare with it takes an eighth of what it takes to
#: ask for a `type`, which is a new string each time.
HOST = torch.device("cpu")


class Kind:
    """A device and a dtype: all that placement needs to know of a tensor.

    There is one per device and dtype, so kinds are compared and hashed by identity.
    """

    __slots__ = ("device", "dtype")

    def __init__(self, device: Device, dtype: DType) -> None:
        self.device = device
        self.dtype = dtype


class Device:
    """One logical device of the running program.

    `name` is the full name that tensors, logs and errors print; `short_name` ("GPU:1") is for
    people. `budget` is None where nobody bounds or counts; `first_limit_bytes` is the limit that it
    began with. `is_current` turns False when the
    runtime is reset: tensors made before stay readable, but no op is placed there any more.
    """

    __slots__ = (
        "backend", "budget", "first_limit_bytes", "generator", "index", "is_current", "kinds",
        "limit_bytes", "name", "ordinal", "short_name", "stream", "torch_device", "type",
    )  # fmt: skip

    def __init__(
        self,
        device_type: str,
        index: int,
        backend: Backend,
        ordinal: int,
        budget: Budget | None = None,
        limit_bytes: int | None = None,
        lane: int = 0,
    ) -> None:
        self.type = device_type
        self.index = index
        self.short_name = f"{device_type}:{index}"
        self.name = f"{LOCALHOST}/device:{self.short_name}"
        self.backend = backend
        self.ordinal = ordinal
        self.budget = budget
        self.limit_bytes = self.first_limit_bytes = limit_bytes
        self.torch_device = backend.torch_device(ordinal)
        self.stream = backend.stream(ordinal, lane)
        self.generator: torch.Generator | None = None
        self.is_current = True
        self.kinds: dict[Any, Kind] = {t.raw: Kind(self, t) for t in dtypes.ALL}

    def kind(self, dtype: DType) -> Kind:
        """The kind of tensors of `dtype` here."""
        return self.kinds[dtype.raw]

    def lacks(self, dtype: DType) -> bool:
        """True if the hardware cannot compute with `dtype`."""
        if dtype.torch is None:
            return self.type != "CPU" and dtype is not dtypes.variant
        return dtype.torch in self.backend.lacks

    @property
    def is_in_host_memory(self) -> bool:
        """Whether its values are plain ones in the host's memory: also those of a virtual GPU."""
        backend = self.backend
        return self.torch_device == HOST and not (backend.is_strict or backend.is_phantom)

    def shares_memory(self, other: Device) -> bool:
        """Whether kernels here may read what lives on another device: both are in one memory, and
        neither has a queue of its own in which that would have to be made first.
        """
        one = self.torch_device == other.torch_device
        return one and self.stream is None and other.stream is None

    def take(self, value: torch.Tensor, source: Device) -> torch.Tensor:
        """A copy here of a raw value that lives on `source`, after what made it.

        Raises:
            OpError: the host waits for the copy, and checks of `source` have found something.
        """
        if source.backend.on_host is not self.backend.on_host and is_worth_it(value):
            return self._take_known(value, source)
        return self._take(value, source)

    def _take_known(self, value: torch.Tensor, source: Device) -> torch.Tensor:
        """The same of a few integers, which the host goes on to know."""
        if self.backend.on_host:
            elements = known(value)
            return self._take(value, source) if elements is None else elements.clone()
        copied = self._take(value, source)
        remember(copied, value.clone())
        return copied

    def _take(self, value: torch.Tensor, source: Device) -> torch.Tensor:
        if source.backend.on_host and not self.backend.on_host:
            value = self.backend.staged(value)
        copied = self._taken(value, source)
        if self.type == "CPU" and source.backend.checks_late:
            look(source.torch_device)
        return copied

    def _taken(self, value: torch.Tensor, source: Device) -> torch.Tensor:
        if self.stream is None and source.stream is None:
            return self.backend.copy(value, self.ordinal)
        if self.type == "CPU":
            with source.running():  # it ends when the copy has arrived
                return self.backend.copy(value, self.ordinal)
        with self.running():
            if not value.is_cuda:
                return self.backend.copy(value, self.ordinal)
            # Both queues wait for each other: the copy must not start before the value is made,
            # and nobody may free or change the value before it is read.
            before, after = source.queue(), self.queue()
            after.wait_stream(before)
            copied = self.backend.copy(value, self.ordinal)
            before.wait_stream(after)
            return copied

    def mark(self) -> int:
        """This moment, to ask `peak_since` for; what `tf.config` tells of the peak stays."""
        return self.backend.mark(self.ordinal) if self.budget is None else self.budget.mark()

    def peak_since(self, moment: int) -> int | None:
        """The most bytes in use since a moment, 0 being the beginning; None where none counts."""
        if self.budget is None:
            return self.backend.allocator_peak_since(self.ordinal, moment)
        return self.budget.peak_since(moment)

    def queue(self) -> torch.cuda.Stream:
        """The stream its kernels run in, its own or the default one; for CUDA devices."""
        return self.stream or torch.cuda.default_stream(self.torch_device)

    def running(self) -> AbstractContextManager[Any]:
        """Makes this device's stream, if it has one of its own, torch's current one."""
        return _HERE if self.stream is None else torch.cuda.stream(self.stream)

    def __repr__(self) -> str:
        return f"<Device {self.short_name}>"


_HERE: AbstractContextManager[Any] = nullcontext()

#: A copy of a raw value for a device that shares the memory it is in: nobody waits for it.
copy_in_memory: Callable[[torch.Tensor], torch.Tensor] = torch.clone
