"""Which device runs each operation of a graph, and why.

The order of decisions is TensorFlow's: operations that must be together form groups; a group runs
where the program asked, if there is a kernel, else where a kernel is, GPUs first. Constants and
placeholders come last and follow those that read them, if those agree. What a device has to be
for an operation is decided in `eager/place.py`, as for eager mode; here is what comes with graphs:
groups, defaults, and who follows whom.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...base.garbage import garbage_later
from ...core.context import intern_scope
from ...devices.device import Device
from ...devices.name import DeviceSpec, DeviceSpecV2
from ...eager.place import (
    FUNCTION,
    SESSION,
    Asked,
    DeviceChoice,
    Placement,
    Reason,
    able_devices,
    choose,
    matching_devices,
)
from ..representation.graph import Operation
from ..representation.names.operation_text import failed_text
from .errors import RefusedError, no_device, no_device_type, no_kernel, other_device
from .group import Group
from .grouping import OperationGrouping
from .operations import (
    LOOKS_AT_SHAPES,
    ON_HOST_HERE,
    makes_from_nothing,
    value_dtypes,
    works_on_resource,
)


def place_graph(
    operations: Sequence[Operation],
    devices: Sequence[Device],
    soft: bool,
    strict: bool,
    default: DeviceSpecV2 | None = None,
    device_of: Mapping[int, Device] | None = None,
) -> dict[Operation, Placement]:
    """A device and a reason for every operation.

    Args:
        operations: the operations, in order.
        devices: the devices there are.
        soft: whether a device that is missing, or has no kernel, may be replaced.
        strict: an explicit device without a kernel is an error, as in sessions; else the
            operation goes where a kernel is, as in eager mode.
        default: what operations ask for that ask for nothing.
        device_of: where arguments are that are known to be somewhere, by the id of the tensor.

    Raises:
        InvalidArgumentError: an operation cannot run where it was asked to, or groups conflict.
    """
    try:
        with garbage_later():
            groups = OperationGrouping(operations, soft, device_of or {})
            return _Placer(groups, devices, soft, strict, default).place_all(operations)
    except RefusedError as refused:
        error, operation = refused.args
        if not strict:
            raise error from None
        text = failed_text(operation, error.message)
        raise type(error)(operation.node_def, operation, text) from None


class _Placer:
    def __init__(
        self,
        groups: OperationGrouping,
        devices: Sequence[Device],
        soft: bool,
        strict: bool,
        default: DeviceSpecV2 | None,
    ) -> None:
        self.groups = groups
        self.devices = devices
        self.soft = soft
        self.strict = strict
        self.default = None
        if default is not None and default.to_string():
            self.default = Asked(default)
        # What was found out once, by what it depends on; the group's request is kept as long.
        self._able_of: dict[Any, list[Device]] = {}
        self._chosen: dict[Any, tuple[DeviceChoice, DeviceSpecV2 | None, DeviceSpecV2]] = {}

    def place_all(self, operations: Sequence[Operation]) -> dict[Operation, Placement]:
        """Where each operation goes."""
        group_of = self.groups.of
        placed: dict[Operation, Placement] = {}
        waiting: list[Operation] = []
        for operation in operations:
            known = group_of[operation].placement
            if known is not None and operation.inputs:
                placed[operation] = known
            elif makes_from_nothing(operation):
                waiting.append(operation)
            else:
                placed[operation] = self._place(operation, placed)
        readers: dict[Operation, list[Operation]] = {
            operation: [] for operation in waiting if self._may_follow(operation)
        }
        for operation in operations if readers else ():
            for x in operation.inputs:
                found = readers.get(x._op)
                if found is not None:
                    found.append(operation)
        for operation in waiting:
            group, reading = group_of[operation], readers.get(operation, ())
            known = group.placement if group.is_shared and not reading else None
            placed[operation] = known or self._follow(operation, reading, placed)
        return placed

    def _place(self, operation: Operation, placed: Mapping[Operation, Placement]) -> Placement:
        group = self.groups.of[operation].root()
        if group.resource is not None:
            found = group.placement = Placement(group.resource, Reason.RESOURCE)
            return found
        choice, asked = self._choice(group, operation)
        reason = (
            choice.reason if len(group.members) == 1 else _shared_reason(operation, choice.reason)
        )
        if operation.record.name in LOOKS_AT_SHAPES:
            there = placed.get(operation.inputs[0].op)
            if there is not None and there.device in choice.devices:
                return Placement(there.device, Reason.METADATA)
            return Placement(choice.devices[0], reason, asked)
        found = Placement(choice.devices[0], reason, asked)
        if group.is_shared:
            group.placement = found
        return found

    def _may_follow(self, operation: Operation) -> bool:
        """Whether what makes a value from nothing can be on several devices."""
        group = self.groups.of[operation].root()
        return group.resource is None and len(self._choice(group, operation)[0].devices) > 1

    def _follow(
        self,
        operation: Operation,
        readers: Sequence[Operation],
        placed: Mapping[Operation, Placement],
    ) -> Placement:
        """Where what makes a value from nothing goes: to who reads it, if they agree."""
        group = self.groups.of[operation].root()
        if group.resource is not None:
            return Placement(group.resource, Reason.RESOURCE)
        choice, asked = self._choice(group, operation)
        devices = {placed[reader].device for reader in readers if reader in placed}
        if len(devices) == 1 and len(choice.devices) > 1:
            (device,) = devices
            if device in choice.devices:
                return Placement(device, Reason.FOLLOWS)
        if group.placement is None or not group.is_shared:
            group.placement = Placement(choice.devices[0], choice.reason, asked)
        return group.placement

    def _choice(
        self, group: Group, operation: Operation
    ) -> tuple[DeviceChoice, DeviceSpecV2 | None]:
        """What may run an operation, and what was asked for."""
        if group.choice is not None:
            return group.choice
        able = self._able(group, operation)
        yields = any(each.record.name in ON_HOST_HERE for each in (operation, *group.members))
        key = id(group.asked), id(able), yields
        found = self._chosen.get(key)
        if found is None:
            asked = Asked(group.asked) if group.asked.to_string() else self.default
            choice = self._choose(operation, able, asked, yields)
            found = self._chosen[key] = choice, asked and asked.spec, group.asked
        if group.is_shared:
            group.choice = found[:2]
        return found[:2]

    def _choose(
        self, operation: Operation, able: list[Device], asked: Asked | None, yields: bool
    ) -> DeviceChoice:
        if not able:
            raise RefusedError(no_kernel(operation, self.devices), operation)
        matching = self.devices if asked is None else matching_devices(asked.spec, self.devices)
        rules = SESSION if self.strict and not yields else FUNCTION
        choice = choose(able, matching, asked, self.devices, self.soft, rules)
        if choice is None:
            assert asked is not None
            raise self._refusal(operation, asked.spec, has_match=bool(matching))
        return choice

    def _refusal(self, operation: Operation, asked: DeviceSpecV2, has_match: bool) -> RefusedError:
        group = self.groups.own(operation).root()
        if has_match:
            error = no_device_type(group, operation, asked)
        elif operation.device and operation.device != asked.to_string():
            error = other_device(group, operation, asked, self.devices)
        else:
            error = no_device(operation, asked, self.devices, self.strict)
        return RefusedError(error, operation)

    def _able(self, group: Group, operation: Operation) -> list[Device]:
        values = value_dtypes(operation)
        key = group.types, *map(id, values)
        found = self._able_of.get(key)
        if found is None:
            found = self._able_of[key] = able_devices(group.types, values, self.devices)
        return found


def _shared_reason(operation: Operation, reason: Reason) -> Reason:
    """What is said of one operation of several that are together."""
    if works_on_resource(operation):
        return Reason.RESOURCE
    return Reason.COLOCATED if reason is Reason.ASKED and operation.groups else reason


def full_scope(device: Device) -> object:
    """The scope of exactly this device."""
    return intern_scope(DeviceSpec.from_string(device.name))
