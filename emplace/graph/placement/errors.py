"""What the placer says of operations that cannot be where they were asked to be.

The words are those of TensorFlow's placer, down to the table of the group that the operation is in.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...base.errors import InvalidArgumentError, UnknownDeviceError, invalid_argument
from ...devices.device import Device
from ...devices.name import DeviceSpecV2, is_here
from ...eager.place_errors import variables_apart
from ..representation.graph import Operation
from ..representation.names.operation_text import attributes_text
from .group import Group
from .operations import device_types


class RefusedError(Exception):
    """An operation that cannot be placed: the error to raise, and the operation."""


def no_device(
    operation: Operation, asked: DeviceSpecV2, devices: Sequence[Device], strict: bool
) -> InvalidArgumentError:
    """There is no such device. The text has TensorFlow 2's words and those of TensorFlow 1."""
    text, name = asked.to_string(), operation.name
    there = ", ".join(sorted(device.name for device in devices))
    kind = InvalidArgumentError if strict else UnknownDeviceError
    if is_here(asked.job, asked.replica, asked.task):
        way_out = (
            "allow_soft_placement=True lets another one stand in; emplace run --soft, or "
            "EMPLACE_SOFT_PLACEMENT=1, does so for a whole program."
        )
    else:
        way_out = "this process is job localhost, replica 0, task 0, and knows no other."
    return kind(
        None,
        None,
        f"Cannot assign a device for operation {name}: {{{{node {name}}}}} was explicitly "
        f"assigned to {text} but available devices are [ {there} ]. Make sure the device "
        f"specification refers to a valid device.\n\t [[{name}]]\n"
        f"Cannot assign a device to node '{_first_asked(operation).name}': Could not satisfy "
        f"explicit device specification '{text}' because no such device exists; {way_out}",
    )


def _first_asked(operation: Operation) -> Operation:
    """The operation that TF 1 named: what makes the last value from nothing, if it asks for the
    same device.
    """
    while operation.inputs and operation.inputs[-1].op.device == operation.device:
        operation = operation.inputs[-1].op
    return operation


def other_device(
    group: Group, operation: Operation, asked: DeviceSpecV2, devices: Sequence[Device]
) -> InvalidArgumentError:
    """An operation must be with others that ask for a device that does not exist."""
    there = ", ".join(sorted(device.name for device in devices))
    return invalid_argument(
        f"Cannot assign a device for operation {operation.name}: Could not satisfy explicit device "
        f"specification '{operation.device}' because the node "
        f"{{{{colocation_node {operation.name}}}}} was colocated with a group of nodes that "
        f"required incompatible device '{asked.to_string()}'. All available devices [{there}]. \n"
        f"{_table(group, asked)}"
        f"\n\t [[{{{{node {operation.name}}}}}]]"
    )


def no_device_type(group: Group, operation: Operation, asked: DeviceSpecV2) -> InvalidArgumentError:
    """The device exists, and a kernel for it does not."""
    kernels = "".join(f"  device='{kind}'\n" for kind in device_types(operation))
    attributes = attributes_text(operation)
    if operation.groups:
        attributes += ', _class=["' + '", "'.join(operation.groups) + '"]'
    return invalid_argument(
        f"Cannot assign a device for operation {operation.name}: Could not satisfy explicit device "
        f"specification '{asked.to_string()}' because no supported kernel for "
        f"{asked.device_type} devices is available.\n{_table(group, asked)}\nOp: {operation.type}\n"
        f"Node attrs: {attributes}\nRegistered kernels:\n{kernels}\n"
        f"\t [[{{{{node {operation.name}}}}}]]"
    )


def _table(group: Group, asked: DeviceSpecV2) -> str:
    """The group: the types of its members with their kernels, and what each asks for."""
    types = {each.type: " ".join(device_types(each)) for each in reversed(group.members)}
    kinds = "".join(f"{kind}: {kernels} \n" for kind, kernels in types.items())
    members = "".join(f"  {each.name} ({each.type}) {each.device}\n" for each in group.members)
    resource = next((each.device for each in group.members if each.type == "VarHandleOp"), "")
    return (
        "Colocation Debug Info:\nColocation group had the following types and supported devices: "
        "\nRoot Member(assigned_device_name_index_=-1 "
        f"requested_device_name_='{asked.to_string()}' assigned_device_name_='' "
        f"resource_device_name_='{resource}' supported_device_types_=[{', '.join(group.types)}] "
        f"possible_devices_=[]\n{kinds}\nColocation members, user-requested devices, and "
        f"framework assigned devices, if any:\n{members}"
    )


def apart(
    operation: Operation, other: Operation, one: DeviceSpecV2, two: DeviceSpecV2, what: str
) -> InvalidArgumentError:
    """Two operations must be together and ask for different devices."""
    return invalid_argument(
        f"{_colocate(operation, other)}: Cannot merge devices with incompatible {what}: "
        f"'{two.to_string()}' and '{one.to_string()}'\n\t [[{{{{node {operation.name}}}}}]]"
    )


def no_common_type(operation: Operation, other: Operation) -> InvalidArgumentError:
    """Two operations must be together and have no type of device in common."""
    return invalid_argument(
        f"{_colocate(operation, other)} because no device type supports both of those nodes and "
        "the other nodes colocated with them."
    )


def resources_apart(operation: Operation, one: str, two: str) -> InvalidArgumentError:
    """An operation works on variables, or queues, of two devices."""
    return variables_apart(f"'{operation.name}' ({operation.type})", one, two)


def _colocate(operation: Operation, other: Operation) -> str:
    return (
        f"Cannot colocate nodes {{{{colocation_node {operation.name}}}}} and "
        f"{{{{colocation_node {other.name}}}}}"
    )


def malformed(operation: Operation) -> InvalidArgumentError:
    """What a device function has said is no device."""
    return invalid_argument(
        f"Malformed device specification '{operation.device}' in node: {{name:'{operation.name}' "
        f"id:{operation.id} op device:{{requested: '{operation.device}', assigned: ''}} "
        f"def:{{{{{{node {operation.name}}}}} = {operation.type}}}}}\n\t [[{operation.name}]]"
    )


def no_kernel(operation: Operation, devices: Sequence[Device]) -> InvalidArgumentError:
    """No device has a kernel for an operation."""
    types = ", ".join(dict.fromkeys(device.type for device in devices))
    return invalid_argument(
        f"No OpKernel was registered to support Op '{operation.type}' used by "
        f"{{{{node {operation.name}}}}} with these attrs: [{attributes_text(operation)}]\n"
        f"Registered devices: [{types}]\n"
        f"Registered kernels:\n  <no registered kernels>\n\n\t [[{operation.name}]]"
    )
