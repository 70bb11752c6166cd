"""Warnings about devices that a program asks for and that do not exist, where others stand in.

They come from the line that asks, once for each device and line, and only where the switch of whole
programs is on: who calls `tf.config.set_soft_device_placement(True)` has decided for himself.
"""

from __future__ import annotations

import threading

from ..base import flags, log
from ..devices.inventory import INVENTORY
from ..devices.late import PROGRAM_LINE
from ..devices.name import DeviceSpec, is_here

_LOCK = threading.Lock()
_TOLD: set[tuple[str, str]] = set()
# What was asked for before the devices were started, which is not for a warning to do.
_PENDING: dict[tuple[str, str], DeviceSpec] = {}


def note_asked(name: str) -> None:
    """Notes that the program asks for a device, and warns if there is none of that name."""
    try:
        spec = DeviceSpec.from_string(name)
    except ValueError:  # who enters the scope is told
        return
    if spec.device_type is None or not is_here(spec.job, spec.replica, spec.task):
        return
    line = PROGRAM_LINE.call()
    with _LOCK:
        _PENDING[name, "The program" if line is None else f"{line.file}:{line.number}"] = spec
    if INVENTORY.is_initialized:
        tell_pending()


def tell_pending() -> None:
    """Warns about the devices that were asked for before there were any."""
    with _LOCK:
        pending = dict(_PENDING)
        _PENDING.clear()
        new = [key for key in pending if key not in _TOLD and not _exists(pending[key])]
        _TOLD.update(new)
    for name, line in new:
        there = ", ".join(device.short_name for device in INVENTORY.devices())
        log.warning(
            f"{line} asks for device {name!r}, which does not exist; another one stands in, for "
            f"soft placement is on ({flags.SOFT_PLACEMENT.name}=1 or emplace run --soft). Devices "
            f"here: {there}."
        )


def forget() -> None:
    """Lets every device and line be told again."""
    with _LOCK:
        _TOLD.clear()
        _PENDING.clear()


def _exists(spec: DeviceSpec) -> bool:
    return any(
        spec.device_type in ("*", device.type) and spec.device_index in (None, device.index)
        for device in INVENTORY.devices()
    )
