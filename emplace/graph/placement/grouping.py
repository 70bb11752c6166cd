"""Which operations must be on one device: those that work on one variable, and those that the
program colocates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...base import dtypes
from ...devices.device import Device
from ...devices.name import DeviceSpec, DeviceSpecV2
from ..representation.graph import Operation
from .errors import RefusedError, apart, malformed, no_common_type, resources_apart
from .group import Group
from .operations import LOOKS_AT_SHAPES, device_types, likeness, resource_device, works_on_resource

_PARTS = ("jobs", "replicas", "tasks", "types", "ids")
_SPECS: dict[str, DeviceSpecV2] = {}


class OperationGrouping:
    """The groups of some operations: `of` finds that of each, see `Group.root`.

    Args:
        operations: the operations, in order.
        soft: whether those that cannot be together are left apart, where no variable binds them.
        device_of: where arguments are that are known to be somewhere, by the id of the tensor.

    Raises:
        RefusedError: operations that must be together ask for different devices.
    """

    def __init__(
        self, operations: Sequence[Operation], soft: bool, device_of: Mapping[int, Device]
    ) -> None:
        self.of: dict[Operation, Group] = {}
        self._soft = soft
        self._device_of = device_of
        # What was found out once about two requests, which are kept as long.
        self._agreed: dict[Any, tuple[str | None, DeviceSpecV2, tuple[Any, ...]]] = {}
        self._join_all(operations, self._shared_groups(operations))

    def own(self, operation: Operation) -> Group:
        """The group of an operation, which it no longer shares with what is like it."""
        group = self.of[operation]
        if group.is_shared:
            takes_resource = group.takes_resource
            group = self.of[operation] = Group(operation, group.types, group.asked, takes_resource)
        return group

    def _shared_groups(self, operations: Sequence[Operation]) -> list[Operation]:
        """Gives everything the group of its like; returns what may have to be with others."""
        alike: dict[Any, Group] = {}
        together = []
        for operation in operations:
            key = likeness(operation)
            group = alike.get(key)
            if group is None:
                types, asked = device_types(operation), _asked(operation)
                takes_resource = works_on_resource(operation)
                group = alike[key] = Group(operation, types, asked, takes_resource, is_shared=True)
                group.makes_resource = not operation.inputs and _makes_resource(operation)
            self.of[operation] = group
            if group.makes_resource:
                device = resource_device(operation) or self._device_of.get(id(operation.outputs[0]))
                if device is not None:
                    self.own(operation).resource = device
            if group.takes_resource or operation.groups:
                together.append(operation)
        return together

    def _join_all(self, operations: Sequence[Operation], together: Sequence[Operation]) -> None:
        wanted = {name for operation in together for name in operation.groups}
        # All are asked, because constants without one get theirs here.
        names = [each._name or each.name for each in operations]
        by_name: dict[str, Operation] = {}
        for name, each in zip(names, operations, strict=True) if wanted else ():
            if (group := f"loc:@{name}") in wanted:
                by_name[group] = each
        for operation in together:
            if self.of[operation].takes_resource:
                self._join_resources(operation)
            if operation.record.name in LOOKS_AT_SHAPES:
                continue  # it answers on the host, whatever it is with
            for group in operation.groups:
                other = by_name.get(group)
                if other is not None and other is not operation:
                    self._join(self.own(other), operation, is_resource=False)

    def _join_resources(self, operation: Operation) -> None:
        """Puts an operation to the variables that it works on, also those from around a body."""
        for x in operation.inputs:
            if x._dtype is not dtypes.resource:
                continue
            if x._op in self.of:
                self._join(self.own(x._op), operation, is_resource=True)
            elif id(x) in self._device_of:
                group, device = self.own(operation).root(), self._device_of[id(x)]
                if group.resource not in (None, device):
                    error = resources_apart(operation, group.resource.name, device.name)
                    raise RefusedError(error, operation)
                group.resource = device

    def _join(self, group: Group, operation: Operation, is_resource: bool) -> None:
        """Makes the group of an operation part of another one."""
        one, own = group.root(), self.of[operation]
        if own.is_shared and own.types == one.types and own.asked is one.asked:
            self.of[operation] = one
            one.members.append(operation)
            return
        other = self.own(operation).root()
        if one is other:
            return
        types = tuple(kind for kind in one.types if kind in other.types)
        if not types:
            if self._soft and not is_resource:
                return
            raise RefusedError(no_common_type(operation, one.members[0]), operation)
        conflict, agreed = self._agreement(one.asked, other.asked)
        if is_resource:
            _check_resources(one, other, conflict, operation)
        if conflict is None:
            one.asked = agreed
        elif not is_resource:  # else the variable's request wins
            if self._soft and conflict in ("types", "ids"):
                return
            error = apart(operation, one.members[0], one.asked, other.asked, conflict)
            raise RefusedError(error, operation)
        one.types = types
        one.members += other.members
        one.resource = one.resource or other.resource
        other.parent = one

    def _agreement(self, one: DeviceSpecV2, other: DeviceSpecV2) -> tuple[str | None, DeviceSpecV2]:
        """In what two requests differ, and what they ask for together if that is None."""
        if one is other:
            return None, one
        key = id(one), id(other)
        found = self._agreed.get(key)
        if found is None:
            conflict = _conflict(one, other)
            merged = one if conflict else other.make_merged_spec(one)
            # What is one of the two stays that object: the next one that asks for it is then known.
            alike = (each for each in (one, other) if _parts(each) == _parts(merged))
            agreed = next(alike, merged)
            found = self._agreed[key] = conflict, agreed, (one, other)
        return found[:2]


def _makes_resource(operation: Operation) -> bool:
    return bool(operation.outputs) and operation.outputs[0]._dtype is dtypes.resource


def _check_resources(one: Group, other: Group, conflict: str | None, operation: Operation) -> None:
    """Refuses an operation that works on variables of two devices."""
    if one.resource is not None and other.resource is not None:
        mine, others = one.resource.name, other.resource.name
    elif conflict is not None and any(_makes_resource(each) for each in other.members):
        mine, others = one.asked.to_string(), other.asked.to_string()
    else:
        return
    if mine != others:
        raise RefusedError(resources_apart(operation, mine, others), operation)


def _asked(operation: Operation) -> DeviceSpecV2:
    """What an operation asks for; what a device function has said may be no device at all."""
    text = operation.device
    found = _SPECS.get(text)
    if found is None:
        try:
            found = _SPECS[text] = DeviceSpec.from_string(text)
        except ValueError:
            raise RefusedError(malformed(operation), operation) from None
    return found


def _conflict(one: DeviceSpecV2, other: DeviceSpecV2) -> str | None:
    parts = zip(_PARTS, _parts(one), _parts(other), strict=True)
    return next((what for what, a, b in parts if a is not None and b is not None and a != b), None)


def _parts(spec: DeviceSpecV2) -> tuple[Any, ...]:
    return spec.job, spec.replica, spec.task, spec.device_type, spec.device_index
