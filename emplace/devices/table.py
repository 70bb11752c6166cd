"""`emplace.devices()`: every device, logical and physical, in one table."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from .config import get_memory_info
from .inventory import INVENTORY
from .memory import format_bytes


@dataclass(frozen=True, slots=True)
class DeviceRow:
    """One logical device. Sizes are in bytes; None where nobody counts or bounds."""

    logical: str
    physical: str
    name: str
    backend: str
    memory_bytes: int | None
    limit_bytes: int | None
    in_use_bytes: int | None


HEADINGS = ("logical", "physical", "backend", "name", "memory", "limit", "in use")


class DeviceTable(list[DeviceRow]):
    """All logical devices, CPU first. Prints as a table."""

    def to_dict(self) -> list[dict[str, Any]]:
        """The rows as plain dictionaries."""
        return [asdict(row) for row in self]

    def cells(self) -> list[tuple[str, ...]]:
        """The rows as text, under `HEADINGS`."""
        return [
            (
                row.logical,
                row.physical,
                row.backend,
                row.name,
                _size(row.memory_bytes),
                _size(row.limit_bytes),
                _size(row.in_use_bytes),
            )
            for row in self
        ]

    def __str__(self) -> str:
        rows = [HEADINGS, *self.cells()]
        widths = [max(len(row[i]) for row in rows) for i in range(len(HEADINGS))]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        )

    __repr__ = __str__


def _size(nbytes: int | None) -> str:
    return "-" if nbytes is None else format_bytes(nbytes)


def devices() -> DeviceTable:
    """Every logical device with what is under it. Starts the devices.

    >>> import emplace
    >>> emplace.devices()[0].logical
    'CPU:0'
    """
    rows = DeviceTable()
    for device in INVENTORY.devices():
        physical = INVENTORY.physical_of(device)
        hardware = device.backend.describe(device.ordinal)
        counted = device.type != "CPU"
        rows.append(
            DeviceRow(
                logical=device.short_name,
                physical=physical.name.removeprefix("/physical_device:"),
                name=hardware.name,
                backend=device.backend.label,
                memory_bytes=device.backend.memory_info(device.ordinal)[1]
                if hardware.memory_bytes is None
                else hardware.memory_bytes,
                limit_bytes=device.limit_bytes,
                in_use_bytes=get_memory_info(device.name)["current"] if counted else None,
            )
        )
    return rows
