"""What the placer says of operations that cannot be where they were asked to be.

The words are those of TensorFlow's placer, down to the table of the group that the operation is in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base.errors import InvalidArgumentError, UnknownDeviceError, invalid_argument
from ...devices.device import Device
from ...devices.name import DeviceSpecV2
from ..representation.graph import Operation
from ..representation.node_text import attributes_text
from .device_types import device_types


def no_device(
    node: Operation, asked: DeviceSpecV2, devices: Sequence[Device], strict: bool
) -> InvalidArgumentError:
    """There is no such device. The text has TensorFlow 2's words and those of TensorFlow 1."""
    text, name = asked.to_string(), node.name
    there = ", ".join(sorted(device.name for device in devices))
    kind = InvalidArgumentError if strict else UnknownDeviceError
    return kind(
        None,
        None,
        f"Cannot assign a device for operation {name}: {{{{node {name}}}}} was explicitly "
        f"assigned to {text} but available devices are [ {there} ]. Make sure the device "
        f"specification refers to a valid device.\n\t [[{name}]]\n"
        f"Cannot assign a device to node '{_first_asked(node).name}': Could not satisfy "
        f"explicit device specification '{text}' because no such device exists; "
        "allow_soft_placement=True lets another one stand in.",
    )


def _first_asked(node: Operation) -> Operation:
    """The operation that TF 1 named: what makes the last value from nothing, if it asks for the
    same device.
    """
    while node.inputs and node.inputs[-1].op.device == node.device:
        node = node.inputs[-1].op
    return node


def other_device(
    group: Any, node: Operation, asked: DeviceSpecV2, devices: Sequence[Device]
) -> InvalidArgumentError:
    """An operation must be with others that ask for a device that does not exist."""
    there = ", ".join(sorted(device.name for device in devices))
    return invalid_argument(
        f"Cannot assign a device for operation {node.name}: Could not satisfy explicit device "
        f"specification '{node.device}' because the node {{{{colocation_node {node.name}}}}} was "
        "colocated with a group of nodes that required incompatible device "
        f"'{asked.to_string()}'. All available devices [{there}]. \n{_table(group, asked)}"
        f"\n\t [[{{{{node {node.name}}}}}]]"
    )


def no_device_type(group: Any, node: Operation, asked: DeviceSpecV2) -> InvalidArgumentError:
    """The device exists, and a kernel for it does not."""
    kernels = "".join(f"  device='{kind}'\n" for kind in device_types(node))
    attributes = attributes_text(node)
    if node.groups:
        attributes += ', _class=["' + '", "'.join(node.groups) + '"]'
    return invalid_argument(
        f"Cannot assign a device for operation {node.name}: Could not satisfy explicit device "
        f"specification '{asked.to_string()}' because no supported kernel for "
        f"{asked.device_type} devices is available.\n{_table(group, asked)}\nOp: {node.type}\n"
        f"Node attrs: {attributes}\nRegistered kernels:\n{kernels}\n\t [[{{{{node {node.name}}}}}]]"
    )


def _table(group: Any, asked: DeviceSpecV2) -> str:
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
    node: Operation, other: Operation, one: DeviceSpecV2, two: DeviceSpecV2, what: str
) -> InvalidArgumentError:
    """Two operations must be together and ask for different devices."""
    return invalid_argument(
        f"{_colocate(node, other)}: Cannot merge devices with incompatible {what}: "
        f"'{two.to_string()}' and '{one.to_string()}'\n\t [[{{{{node {node.name}}}}}]]"
    )


def no_common_type(node: Operation, other: Operation) -> InvalidArgumentError:
    """Two operations must be together and have no type of device in common."""
    return invalid_argument(
        f"{_colocate(node, other)} because no device type supports both of those nodes and the "
        "other nodes colocated with them."
    )


def _colocate(node: Operation, other: Operation) -> str:
    return (
        f"Cannot colocate nodes {{{{colocation_node {node.name}}}}} and "
        f"{{{{colocation_node {other.name}}}}}"
    )


def malformed(node: Operation) -> InvalidArgumentError:
    """What a device function has said is no device."""
    return invalid_argument(
        f"Malformed device specification '{node.device}' in node: {{name:'{node.name}' "
        f"id:{node.id} op device:{{requested: '{node.device}', assigned: ''}} "
        f"def:{{{{{{node {node.name}}}}} = {node.type}}}}}\n\t [[{node.name}]]"
    )


def no_kernel(node: Operation, devices: Sequence[Device]) -> InvalidArgumentError:
    """No device has a kernel for an operation."""
    types = ", ".join(dict.fromkeys(device.type for device in devices))
    return invalid_argument(
        f"No OpKernel was registered to support Op '{node.type}' used by {{{{node {node.name}}}}} "
        f"with these attrs: [{attributes_text(node)}]\nRegistered devices: [{types}]\n"
        f"Registered kernels:\n  <no registered kernels>\n\n\t [[{node.name}]]"
    )
