"""Which device runs an op, and why. Pure functions: data in, decision out.

The rules, first match wins:
1. An op on a resource (a variable) runs where the resource is.
2. A device that was asked for gets the op, if it exists and has a kernel.
3. It exists but has no kernel: the first device that has one, usually the CPU.
4. It does not exist: an error, or with soft placement the first device with a kernel.
5. Nothing was asked for: GPUs before CPUs, the lowest number first.

Three functions decide, `able_devices`, `matching_devices` and `choose`, for eager mode, functions
and sessions alike. In what these differ is a row of a table, `Rules`.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from ..base.dtypes import DType
from ..core.context import Scope
from ..devices.device import Device
from ..devices.name import LOCALHOST, DeviceSpecV2, is_here, is_malformed
from .place_errors import malformed, no_kernel, unsatisfied


class Reason(Enum):
    """Why an op is where it is. The value is the sentence `emplace.explain` shows."""

    RESOURCE = "it works on a variable, and ops on a variable run where the variable is"
    ASKED = "the program asked for this device"
    GRADIENT = "it is part of a gradient, and a gradient runs where its op ran"
    NO_KERNEL = "the program asked for {asked}, but {op} has no {type} kernel for {dtypes}"
    SOFT = "the program asked for {asked}, which does not exist; soft placement is on"
    GPU_FIRST = "no device was asked for; {op} has a GPU kernel, and GPUs go before CPUs"
    NO_GPU = "no device was asked for, and there is no GPU here"
    NO_GPU_KERNEL = "no device was asked for, and {op} has no GPU kernel for {dtypes}"
    FOLLOWS = "it makes a value from nothing, and what reads the value is here"
    METADATA = "it looks only at the shape of a tensor that is here"
    COLOCATED = "it is colocated with an operation that is here"
    HANDED_ON = "a branch or a loop hands its value on, here whichever branch or iteration makes it"
    HOST_VALUE = (
        "it is a value that was there already: a constant under the host's scope or of a function, "
        "or memory taken over from torch"
    )

    def __repr__(self) -> str:
        return f"Reason.{self.name}"

    @property
    def is_fallback(self) -> bool:
        """True where the op is not where the program asked for it, or not on a GPU for want of
        a kernel.
        """
        return self in _FALLBACKS


_FALLBACKS = Reason.NO_KERNEL, Reason.SOFT, Reason.NO_GPU_KERNEL


class Placement(NamedTuple):
    """Where an op runs, and why there; `asked` is the device asked for, if one was."""

    device: Device
    reason: Reason
    asked: DeviceSpecV2 | None = None


class Rules(NamedTuple):
    """In what ways of running ops differ.

    `yielding` are the types of devices that leave an op for which they have no kernel to another
    device, though the program asked for them and soft placement is off.
    """

    yielding: tuple[str, ...]


EAGER = Rules(yielding=("GPU",))
FUNCTION = Rules(yielding=("GPU", "CPU"))
SESSION = Rules(yielding=())


class Asked(NamedTuple):
    """A device asked for, and what is said where it is got."""

    spec: DeviceSpecV2
    reason: Reason = Reason.ASKED


class DeviceChoice(NamedTuple):
    """The devices that may run an op, the one that should first, and why that one."""

    devices: Sequence[Device]
    reason: Reason


def able_devices(
    types: Sequence[str], dtypes: Sequence[DType], devices: Sequence[Device]
) -> list[Device]:
    """The devices that can run an op, the preferred ones first.

    Args:
        types: device types with a kernel for it, the preferred one first.
        dtypes: types of its values; a device that lacks one of them cannot run it.
        devices: all devices there are.
    """
    return [
        device
        for kind in types
        for device in devices
        if device.type == kind and not any(device.lacks(dtype) for dtype in dtypes)
    ]


def matching_devices(spec: DeviceSpecV2, devices: Sequence[Device]) -> list[Device]:
    """The devices that a name, which may leave parts open, means."""
    if not is_here(spec.job, spec.replica, spec.task):
        return []
    kind, index = spec.device_type, spec.device_index
    return [
        device
        for device in devices
        if kind in (None, "*", device.type) and index in (None, device.index)
    ]


def choose(
    able: Sequence[Device],
    matching: Sequence[Device],
    asked: Asked | None,
    devices: Sequence[Device],
    soft: bool,
    rules: Rules,
) -> DeviceChoice | None:
    """Which devices may run an op, and why the first of them does.

    Args:
        able: the devices that can run it, at least one; see `able_devices`.
        matching: the devices that `asked` means; see `matching_devices`.
        asked: the device asked for, or None.
        devices: all devices there are.
        soft: whether another one may stand in for a device asked for.
        rules: EAGER, FUNCTION or SESSION.

    Returns:
        None if no device may; the caller words the error.
    """
    if asked is None:
        return DeviceChoice(able, _why_automatic(able[0], devices))
    both = [device for device in able if device in matching]
    if both:
        return DeviceChoice(both, asked.reason)
    if matching and (soft or matching[0].type in rules.yielding):
        return DeviceChoice(able, Reason.NO_KERNEL)
    # Another device may stand in, another process may not.
    if soft and is_here(asked.spec.job, asked.spec.replica, asked.spec.task):
        return DeviceChoice(able, Reason.SOFT)
    return None


def _why_automatic(device: Device, devices: Sequence[Device]) -> Reason:
    if device.type == "GPU":
        return Reason.GPU_FIRST
    return Reason.NO_GPU_KERNEL if any(d.type == "GPU" for d in devices) else Reason.NO_GPU


def place(
    op_name: str,
    types: tuple[str, ...],
    dtypes: Sequence[DType],
    resource: Device | None,
    scope: Scope | None,
    devices: Sequence[Device],
    soft: bool,
) -> Placement:
    """The device for one op in eager mode.

    Args:
        op_name: the op, for messages.
        types: device types with a kernel for it, preferred one first.
        dtypes: types of its inputs; a device that lacks one of them is passed over.
        resource: the device of a resource among the inputs, or None.
        scope: the device asked for, or None.
        devices: all devices there are.
        soft: whether a missing device may be replaced.

    Raises:
        UnknownDeviceError: the device asked for does not exist, and `soft` is False or its job
            does not exist either.
        InvalidArgumentError: its name is malformed, or the op has a kernel only for other types
            than the CPU it was asked for on.
        NotFoundError: no device here has a kernel.
    """
    if resource is not None:
        return Placement(resource, Reason.RESOURCE)
    able = able_devices(types, dtypes, devices)
    if not able:
        raise no_kernel(op_name, types)
    asked, matching = None, devices
    if scope is not None:
        if is_malformed(scope.spec):
            raise malformed(op_name, scope)
        asked = Asked(scope.spec, Reason.GRADIENT if scope.is_gradient else Reason.ASKED)
        matching = matching_devices(scope.spec, devices)
    choice = choose(able, matching, asked, devices, soft, EAGER)
    if choice is None:
        assert scope is not None
        raise unsatisfied(op_name, scope, types, devices, soft, is_missing=not matching)
    return Placement(choice.devices[0], choice.reason, None if asked is None else asked.spec)


def explain_reason(
    reason: Reason, op_name: str, scope: Scope | None, dtypes: Sequence[DType]
) -> str:
    """The sentence for people: why the op is where it is. `scope` is the device asked for."""
    asked = "" if scope is None else scope.name.removeprefix(LOCALHOST).removeprefix("/device:")
    return reason.value.format(
        op=op_name,
        asked=asked,
        type="" if scope is None else scope.spec.device_type,
        dtypes=", ".join(dict.fromkeys(dtype.name for dtype in dtypes)) or "any dtype",
    )
