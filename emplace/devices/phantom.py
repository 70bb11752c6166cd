"""Phantom devices: they have names, budgets and kinds, and no memory.

What runs there makes tensors of the right shapes, which share storages as they would on hardware,
and whose elements do not exist (torch's "meta" tensors). So a plan that is run there tells what it
would hold, by the same budgets that would count it, and nothing is computed. A thread that stands
in such devices (`Inventory.standing_in`) is alone with them: other threads go on with real ones.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch

from .backend import Backend, Hardware
from .charges import Charge, Maker
from .device import Device
from .memory import Budget, Young

#: Values of at most so many bytes stay real where they are known, so that shapes and counters that
#: programs compute are still known.
MOST_REAL_BYTES = 4096
_META = torch.device("meta")


class Unprojectable(BaseException):  # no error of a program: nothing may turn it into one
    """What would happen depends on values. `why` is half a sentence."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class PhantomBackend(Backend):
    """Devices without memory.

    Args:
        device_type: "CPU" or "GPU".
        lacks: element types that the hardware stood in for cannot compute with.
    """

    label = "phantom"
    on_host = True
    is_phantom = True

    def __init__(self, device_type: str, lacks: frozenset[torch.dtype] = frozenset()) -> None:
        self.device_type = device_type
        self.lacks = lacks

    def count(self) -> int:
        """As many as anybody likes."""
        return 1

    def why_unavailable(self) -> str:
        """Never unavailable."""
        return ""

    def describe(self, i: int) -> Hardware:
        """That there is nothing."""
        return Hardware(name="phantom")

    def torch_device(self, i: int) -> torch.device:
        """Where torch keeps shapes without elements."""
        return _META

    def memory_info(self, i: int) -> tuple[int, int]:
        """None free of none."""
        return 0, 0

    def copy(self, value: torch.Tensor, i: int) -> torch.Tensor:
        """Another tensor of that shape; of a small value that is known, a copy."""
        if is_phantom(value) or value.numel() * value.element_size() > MOST_REAL_BYTES:
            return torch.empty_like(value, device=_META)
        return value.to("cpu", copy=True)


def is_phantom(value: object) -> bool:
    """Whether a raw value has no elements."""
    return isinstance(value, torch.Tensor) and value.is_meta


def like(value: torch.Tensor) -> torch.Tensor:
    """A tensor without elements, in a storage as large as that of `value`."""
    if value.layout is not torch.strided:
        raise Unprojectable(f"a value is of layout {value.layout}")
    # No view: whoever writes into a variable looks whether anybody else holds the storage.
    make: Callable[..., torch.UntypedStorage] = torch.UntypedStorage
    storage = make(value.untyped_storage().nbytes(), device=_META)
    made = torch.empty(0, dtype=value.dtype, device=_META)
    return made.set_(storage, value.storage_offset(), value.shape, value.stride())


class Moment:
    """What a thread that stands in phantom devices does now, and what it has copied.

    `operation` is that of a graph, None where none is known. `most_kernels` ends what would take
    too long, and `deadline` what does, by `time.thread_time`; `guesses` are the names of ops whose
    kernels could not be asked what they return.
    """

    def __init__(self, most_kernels: int) -> None:
        self.operation: Any = None
        self.kernels = 0
        self.most_kernels = most_kernels
        self.deadline: float | None = None
        self.copied: dict[tuple[str, str], int] = {}
        self.guesses: set[str] = set()

    def count(self) -> None:
        """One more kernel.

        Raises:
            Unprojectable: it would be too many.
        """
        self.kernels += 1
        if self.kernels > self.most_kernels:
            raise Unprojectable(f"it runs more than {self.most_kernels} operations")
        if self.deadline is not None and time.thread_time() > self.deadline:
            raise Unprojectable("it takes too long")

    def note_copy(self, source: Device, target: Device, nbytes: int) -> None:
        """A copy between two devices."""
        key = source.short_name, target.short_name
        self.copied[key] = self.copied.get(key, 0) + nbytes


class PhantomBudget(Budget):
    """Counts without refusing, and knows what ran when the most was in use.

    Args:
        moment: what the thread does.
        stop_at: how many bytes in use make it keep a list of what is there; None for never.
    """

    __slots__ = (
        "_makers", "_stop_at", "holders", "moment", "passed", "peak_operation", "watch_for",
    )  # fmt: skip

    def __init__(self, moment: Moment, stop_at: int | None = None) -> None:
        super().__init__(None, growth=True)
        self.moment = moment
        self.peak_operation: Any = None
        self._stop_at = stop_at
        #: A number of bytes, and what ran when more than that was first asked for.
        self.watch_for: int | None = None
        self.passed: Any = None
        #: What was there when so much was in use: bytes, shape, op, and the operation that made it.
        self.holders: list[tuple[int, tuple[int, ...], str, Any]] | None = None
        self._makers: dict[int, tuple[Charge, Any]] = {}
        self.settle_later = self._settle_at_once

    def _count(self, nbytes: int) -> None:
        before = self._peak
        super()._count(nbytes)
        if self._peak > before:
            self.peak_operation = self.moment.operation
        if self.watch_for is not None and self._in_use > self.watch_for:
            self.passed, self.watch_for = self.moment.operation, None
        if self._stop_at is not None and self.holders is None and self._in_use >= self._stop_at:
            self.holders = [self._told(charge) for charge in self.biggest(1 << 30)]

    def settle(self, reserved: int, values: Any, maker: Maker | str) -> None:
        """As every budget does; it also notes which operation made what."""
        values = list(values)
        super().settle(reserved, values, maker)
        for value in values:
            self._note(value)

    def settle_one(
        self, reserved: int, value: torch.Tensor, maker: Maker | str,
        shape: tuple[int, ...] | None = None,
    ) -> bool:  # fmt: skip
        """The same for one value."""
        was_new = super().settle_one(reserved, value, maker, shape)
        self._note(value)
        return was_new

    def _settle_at_once(self, young: Young) -> None:
        value, claim, made = young
        self.settle_one(claim.nbytes, value, made[0])

    def _note(self, value: torch.Tensor) -> None:
        if self._stop_at is None or self.holders is not None:
            return
        for charge in weakref.getweakrefs(value.untyped_storage()):
            if isinstance(charge, Charge) and charge.owner is self:
                self._makers.setdefault(id(charge), (charge, self.moment.operation))

    def _told(self, charge: Charge) -> tuple[int, tuple[int, ...], str, Any]:
        _, operation = self._makers.get(id(charge), (None, None))
        return charge.nbytes, tuple(charge.shape), charge.op_name, operation


class PhantomDevice(Device):
    """A device without memory. `twin` is the same one for small values, which are real."""

    __slots__ = ("moment", "twin")

    def __init__(
        self, device_type: str, index: int, backend: Backend, moment: Moment,
        stop_at: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__(device_type, index, backend, index, PhantomBudget(moment, stop_at))
        self.moment = moment
        self.twin = Device(device_type, index, backend, index, self.budget)
        self.twin.torch_device = torch.device("cpu")

    def take(self, value: torch.Tensor, source: Device) -> torch.Tensor:
        """Another tensor of that shape, and a note that something was copied."""
        if source is not self:
            self.moment.note_copy(source, self, value.numel() * value.element_size())
        return self.backend.copy(value, self.ordinal)


class StandIns(Protocol):
    """What a thread takes for the devices and for values of the program."""

    @property
    def devices(self) -> tuple[Device, ...]:
        """What it takes for the devices, CPU first."""

    def of(self, device: Device) -> Device:
        """What stands in for a device."""

    def tensor(self, eager: Any) -> Any:
        """What stands in for a tensor, or for a variable by its handle."""


class Standing(threading.local):
    """The world that this thread stands in, None for the real one, and who takes its ops there."""

    world: StandIns | None = None
    target: Any = None

    def hand(self) -> Callable[[], None]:
        """Lets a thread that this one starts stand in the same, when it calls what is returned."""
        found = self.world, self.target

        def take() -> None:
            self.world, self.target = found

        return take


STANDING = Standing()


def standing_for(device: Device) -> Device:
    """What this thread takes for a device."""
    return device if STANDING.world is None else STANDING.world.of(device)


def standing_tensor(eager: Any) -> Any:
    """What this thread takes for a tensor, or for a variable by its handle."""
    return eager if STANDING.world is None else STANDING.world.tensor(eager)


def phantoms_of(
    devices: Sequence[Device], moment: Moment, stops: Sequence[int | None] = ()
) -> tuple[PhantomDevice, ...]:
    """A phantom for each of some devices, by the same names."""
    backends: dict[int, PhantomBackend] = {}
    found = []
    for i, device in enumerate(devices):
        backend = backends.setdefault(
            id(device.backend), PhantomBackend(device.type, device.backend.lacks)
        )
        stop = stops[i] if stops else None
        found.append(PhantomDevice(device.type, device.index, backend, moment, stop))
    return tuple(found)
