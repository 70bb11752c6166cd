"""Which device runs an op, and why. `place` is a pure function: data in, decision out.

The rules, first match wins:
1. An op on a resource (a variable) runs where the resource is.
2. A device that was asked for gets the op, if it exists and has a kernel.
3. It exists but has no kernel: the first device that has one, usually the CPU.
4. It does not exist: an error, or with soft placement the first device with a kernel.
5. Nothing was asked for: GPUs before CPUs, the lowest number first.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from ..base.dtypes import DType
from ..base.errors import InvalidArgumentError, NotFoundError, UnknownDeviceError, invalid_argument
from ..core.context import Scope
from ..devices.device import Device
from ..devices.name import LOCALHOST, DeviceSpecV2, is_here, is_malformed


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
    HOST_VALUE = (
        "it is a value that was there already: a constant under the host's scope, or memory "
        "taken over from torch"
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
    """Where an op runs, and why there."""

    device: Device
    reason: Reason


def place(
    op_name: str,
    types: tuple[str, ...],
    dtypes: Sequence[DType],
    resource: Device | None,
    scope: Scope | None,
    devices: Sequence[Device],
    soft: bool,
) -> Placement:
    """The device for one op.

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
    able = [
        device
        for kind in types
        for device in devices
        if device.type == kind and not any(device.lacks(dtype) for dtype in dtypes)
    ]
    if not able:
        raise _no_kernel(op_name, types)
    if scope is None:
        return Placement(able[0], _why_automatic(able[0], devices))
    if is_malformed(scope.spec):
        raise _malformed(op_name, scope)
    matching = _matching(scope.spec, devices)
    for device in able:
        if device in matching:
            return Placement(device, Reason.GRADIENT if scope.is_gradient else Reason.ASKED)
    if matching and (matching[0].type != "CPU" or soft):
        return Placement(able[0], Reason.NO_KERNEL)
    if soft and _is_local(scope.spec):
        return Placement(able[0], Reason.SOFT)
    raise _unsatisfied(op_name, scope, types, devices, soft, missing=not matching)


def _why_automatic(device: Device, devices: Sequence[Device]) -> Reason:
    if device.type == "GPU":
        return Reason.GPU_FIRST
    return Reason.NO_GPU_KERNEL if any(d.type == "GPU" for d in devices) else Reason.NO_GPU


def _is_local(spec: DeviceSpecV2) -> bool:
    return is_here(spec.job, spec.replica, spec.task)


def _matching(spec: DeviceSpecV2, devices: Sequence[Device]) -> list[Device]:
    if not _is_local(spec):
        return []
    return [
        device
        for device in devices
        if spec.device_type in (device.type, "*") and spec.device_index in (device.index, None)
    ]


def _malformed(op_name: str, scope: Scope) -> InvalidArgumentError:
    return invalid_argument(
        f"Malformed device specification '{scope.name}' in eager op: Name: {op_name}. "
        "A device is written '/GPU:0' or '/device:GPU:0', with a number of at least 0."
    )


def _unsatisfied(
    op_name: str,
    scope: Scope,
    types: tuple[str, ...],
    devices: Sequence[Device],
    soft: bool,
    missing: bool,
) -> InvalidArgumentError:
    by_priority = sorted(devices, key=lambda device: (device.type == "CPU", device.name))
    message = (
        f"Could not satisfy device specification '{scope.name}'. enable_soft_placement={soft:d}. "
        f"Supported device types [{', '.join(types)}]. "
        f"All available devices [{', '.join(device.name for device in by_priority)}]."
    )
    end = "" if op_name == "_EagerConst" else f" [Op:{op_name}] name: "
    if not missing:
        return invalid_argument(f"{message} {op_name} has no CPU kernel.{end}")
    # The words of TensorFlow 2.0's guide, whose readers match on them, and the way out.
    if _is_local(scope.spec):
        way_out = (
            "Ask for a device that exists, or call tf.config.set_soft_device_placement(True) to "
            "let another one stand in."
        )
    else:
        way_out = "This process is job localhost, replica 0, task 0, and knows no other."
    return UnknownDeviceError(None, None, f"{message} {scope.name} unknown device. {way_out}{end}")


def _no_kernel(op_name: str, types: tuple[str, ...]) -> NotFoundError:
    registered = "\n".join(f"  device='{kind}'" for kind in types) or "  <no registered kernels>"
    return NotFoundError(
        None,
        None,
        f"Could not find device for node: {{{{node {op_name}}}}} = {op_name}\n"
        f"All kernels registered for op {op_name}:\n{registered}\n [Op:{op_name}]",
    )


def explain_reason(
    reason: Reason, op_name: str, scope: Scope | None, dtypes: Sequence[DType]
) -> str:
    """The sentence for people: why the op is where it is."""
    asked = "" if scope is None else scope.name.removeprefix(f"{LOCALHOST}/device:")
    return reason.value.format(
        op=op_name,
        asked=asked,
        type=asked.split(":")[0],
        dtypes=", ".join(dict.fromkeys(dtype.name for dtype in dtypes)) or "any dtype",
    )
