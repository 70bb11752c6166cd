"""What `emplace.release()` gave back, and what holds the rest."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from .charges import Charge
from .device import Device
from .inventory import INVENTORY
from .memory import format_bytes

_MOST_HOLDERS = 3


@dataclass(frozen=True, slots=True)
class ReleasedRow:
    """One GPU. Sizes are in bytes.

    Attributes:
        device: its name, "GPU:0".
        freed_bytes: what values held that nobody needs any more.
        returned_bytes: what its allocator no longer keeps for later.
        in_use_bytes: what is still held.
        holders: the largest of what holds that, each with op, shape and bytes.
    """

    device: str
    freed_bytes: int
    returned_bytes: int
    in_use_bytes: int
    holders: list[dict[str, Any]]

    def __str__(self) -> str:
        text = (
            f"{self.device} freed {format_bytes(self.freed_bytes)}, gave back "
            f"{format_bytes(self.returned_bytes)}, holds {format_bytes(self.in_use_bytes)}"
        )
        if not self.holders:
            return text
        largest = "; ".join(
            f"{format_bytes(each['bytes'])} from {each['op']} {each['shape']}"
            for each in self.holders
        )
        return f"{text}. Largest: {largest}"


class Released(list[ReleasedRow]):
    """A row for each GPU. Prints as a line each."""

    def to_dict(self) -> list[dict[str, Any]]:
        """The rows as plain dictionaries."""
        return [asdict(row) for row in self]

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "no GPU, nothing to give back"

    __repr__ = __str__


class Measured:
    """What GPUs hold at a moment, to tell afterwards what has gone."""

    def __init__(self) -> None:
        self._before = {device: _levels(device) for device in _gpus()}

    def released(self) -> Released:
        """What has gone since."""
        rows = Released()
        for device, (in_use, kept) in self._before.items():
            in_use_now, kept_now = _levels(device)
            rows.append(
                ReleasedRow(
                    device.short_name, max(0, in_use - in_use_now), max(0, kept - kept_now),
                    in_use_now, _holders(device),
                )
            )  # fmt: skip
        return rows


def _gpus() -> list[Device]:
    devices = INVENTORY.devices() if INVENTORY.is_initialized else ()
    return [device for device in devices if device.type != "CPU"]


def _levels(device: Device) -> tuple[int, int]:
    """(bytes in use, bytes that its allocator has mapped)."""
    mapped = device.backend.mapped(device.ordinal)
    if device.budget is not None:
        usage = device.budget.usage()
        return usage.in_use, usage.reserved if mapped is None else mapped
    in_use, _ = device.backend.allocator_peak(device.ordinal) or (0, 0)
    return in_use, mapped or 0


def _holders(device: Device) -> list[dict[str, Any]]:
    charges: list[Charge] = [] if device.budget is None else device.budget.biggest(_MOST_HOLDERS)
    return [
        {"op": charge.op_name, "shape": list(charge.shape), "bytes": charge.nbytes}
        for charge in charges
    ]
