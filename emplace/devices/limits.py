"""Limits of memory that the program changes while it runs: `emplace.limit`."""

from __future__ import annotations

from types import TracebackType

from ..base.sizes import parse_bytes
from .device import Device
from .inventory import INVENTORY
from .memory import format_bytes
from .name import DeviceSpec, is_here


class limit:  # noqa: N801  # reads as the function it is used as
    """Bounds what a GPU may hold, from now on, or for as long as a `with` block lasts.

    What is above a lower limit stays where it is; nothing new is allocated until enough of it has
    died. `tf.config` refuses to change limits once devices are in use, as in TensorFlow; this
    may be called at any time, and starts the devices.

    Args:
        device: a GPU: "GPU:0", "/gpu:1", a full name.
        memory: the most it may hold: a text such as "3GB" or a number of bytes. None goes back to
            what it began with.

    Raises:
        ValueError: there is no such GPU, `memory` means nothing, or is more than the GPU has.
        NotImplementedError: it is a GPU whose memory nobody counts.

    >>> import emplace
    >>> emplace.reset()
    >>> emplace.virtual_gpus(2, memory="1GB")
    >>> with emplace.limit("GPU:0", "256MB"):
    ...     emplace.devices()[1].limit_bytes
    268435456
    >>> emplace.devices()[1].limit_bytes
    1073741824
    """

    def __init__(self, device: str, memory: str | int | None) -> None:
        self._device = _gpu(device)
        self._before = self._device.limit_bytes
        nbytes = self._device.first_limit_bytes if memory is None else parse_bytes(memory)
        _set(self._device, nbytes)

    def __enter__(self) -> limit:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:  # fmt: skip
        _set(self._device, self._before)

    def __repr__(self) -> str:
        now = self._device.limit_bytes
        size = "no limit" if now is None else format_bytes(now)
        return f"<limit of {self._device.short_name}: {size}>"


def _gpu(name: str) -> Device:
    """The GPU of a name.

    Raises:
        ValueError: it is none.
    """
    gpus = [device for device in INVENTORY.devices() if device.type == "GPU"]
    found = [device for device in gpus if _is_named(device, name)]
    if not found:
        there = ", ".join(device.short_name for device in gpus) or "none"
        raise ValueError(
            f"[emplace.limit] {name!r} is no GPU whose memory can be bounded. GPUs here: {there}."
        )
    return found[0]


def _is_named(device: Device, name: str) -> bool:
    """Whether a name, as programs write it, is this device's."""
    try:
        spec = DeviceSpec.from_string(name)
    except ValueError:
        return False
    is_it = (spec.device_type, spec.device_index) == (device.type, device.index)
    return is_it and is_here(spec.job, spec.replica, spec.task)


def _set(device: Device, nbytes: int | None) -> None:
    if nbytes is not None:
        _check(device, nbytes)
    if device.budget is None:
        device.backend.set_limit(device.ordinal, nbytes)
    else:
        device.budget.limit_bytes = nbytes
    device.limit_bytes = nbytes


def _check(device: Device, nbytes: int) -> None:
    total = device.backend.describe(device.ordinal).memory_bytes
    if total is not None and nbytes > total:
        raise ValueError(
            f"[emplace.limit] {device.short_name} has {format_bytes(total)} and cannot hold "
            f"{format_bytes(nbytes)}. Give it at most what it has."
        )
