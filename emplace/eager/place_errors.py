"""What eager mode says of an op that cannot be where it was asked to be, in TensorFlow's words."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.errors import InvalidArgumentError, NotFoundError, UnknownDeviceError, invalid_argument
from ..core.context import Scope
from ..devices.device import Device
from ..devices.name import is_here


def malformed(op_name: str, scope: Scope) -> InvalidArgumentError:
    """What was asked for is no device."""
    return invalid_argument(
        f"Malformed device specification '{scope.name}' in eager op: Name: {op_name}. "
        "A device is written '/GPU:0' or '/device:GPU:0', with a number of at least 0."
    )


def unsatisfied(
    op_name: str,
    scope: Scope,
    types: tuple[str, ...],
    devices: Sequence[Device],
    soft: bool,
    is_missing: bool,
) -> InvalidArgumentError:
    """The device asked for does not exist, or has no kernel and is not to be replaced."""
    by_priority = sorted(devices, key=lambda device: (device.type == "CPU", device.name))
    message = (
        f"Could not satisfy device specification '{scope.name}'. enable_soft_placement={soft:d}. "
        f"Supported device types [{', '.join(types)}]. "
        f"All available devices [{', '.join(device.name for device in by_priority)}]."
    )
    end = "" if op_name == "_EagerConst" else f" [Op:{op_name}] name: "
    if not is_missing:
        return invalid_argument(f"{message} {op_name} has no CPU kernel.{end}")
    # The words of TensorFlow 2.0's guide, whose readers match on them, and the way out.
    if is_here(scope.spec.job, scope.spec.replica, scope.spec.task):
        way_out = (
            "Ask for a device that exists, or call tf.config.set_soft_device_placement(True) to "
            "let another one stand in; emplace run --soft, or EMPLACE_SOFT_PLACEMENT=1, does so "
            "for a whole program."
        )
    else:
        way_out = "This process is job localhost, replica 0, task 0, and knows no other."
    return UnknownDeviceError(None, None, f"{message} {scope.name} unknown device. {way_out}{end}")


def variables_apart(who: str, one: str, two: str) -> InvalidArgumentError:
    """An op changes or reads variables of two devices in one step."""
    return invalid_argument(
        "Cannot place the graph because a reference or resource edge connects colocation groups "
        f"with incompatible assigned devices: {two} vs {one}. Both are variables that {who} works "
        "on: make them on one device."
    )


def no_kernel(op_name: str, types: tuple[str, ...]) -> NotFoundError:
    """No device here has a kernel."""
    registered = "\n".join(f"  device='{kind}'" for kind in types) or "  <no registered kernels>"
    return NotFoundError(
        None,
        None,
        f"Could not find device for node: {{{{node {op_name}}}}} = {op_name}\n"
        f"All kernels registered for op {op_name}:\n{registered}\n [Op:{op_name}]",
    )
