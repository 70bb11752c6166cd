"""Which device runs each operation of a graph, and why.

The order of decisions is TensorFlow's: operations that must be together form groups; a group runs
where the program asked, if there is a kernel, else where a kernel is, GPUs first. Constants and
placeholders come last and follow those that read them, if those agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...base import dtypes
from ...base.garbage import garbage_later
from ...core.context import intern_scope
from ...devices.device import Device
from ...devices.name import DeviceSpec, DeviceSpecV2, is_here
from ...eager.place import Placement, Reason
from ...ops.op import kernel_types
from ..representation.graph import Operation
from ..representation.operation_text import failed_text
from ..representation.ops import BODIED
from .errors import (
    TYPES_OF,
    apart,
    malformed,
    no_common_type,
    no_device,
    no_device_type,
    no_kernel,
    other_device,
)

# Ops that only look at the shape of their input: they go where it is. TensorFlow has kernels of
# them for GPUs, which answer in the host's memory, so asking for a GPU is no mistake.
_METADATA = frozenset({"Shape", "Size", "Rank", "ShapeN"})
# These run ops of their own, each where it can.
_OPEN = BODIED | {"Deferred"}
# What has no place in a device's memory.
_ANYWHERE = (dtypes.resource, dtypes.variant)


class RefusedError(Exception):
    """An operation that cannot be placed: the error to raise, and the operation."""


class Group:
    """Operations that run on one device: members, what was asked for, what has kernels.

    Operations that are alike and have nobody to be with share one group, `is_shared`, whose only
    member is the first of them. `placement` is what was decided for all of these.
    """

    __slots__ = (
        "asked", "is_shared", "members", "parent", "placement", "resource", "takes_resource",
        "types",
    )  # fmt: skip

    def __init__(
        self,
        operation: Operation,
        types: tuple[str, ...],
        asked: DeviceSpecV2,
        is_shared: bool = False,
    ) -> None:
        self.parent: Group | None = None
        self.members = [operation]
        self.types = types
        self.asked = asked
        self.resource: Device | None = None
        self.is_shared = is_shared
        self.takes_resource = operation.type not in BODIED and any(
            x.dtype is dtypes.resource for x in operation.inputs
        )
        self.placement: Placement | None = None

    def root(self) -> Group:
        """The group this one has become part of."""
        group = self
        while group.parent is not None:
            group = group.parent
        return group


_SPECS: dict[str, DeviceSpecV2] = {}


def _spec(text: str) -> DeviceSpecV2:
    found = _SPECS.get(text)
    if found is None:
        found = _SPECS[text] = DeviceSpec.from_string(text)
    return found


def _asked(operation: Operation) -> DeviceSpecV2:
    """What an operation asks for; what a device function has said may be no device at all."""
    try:
        return _spec(operation.device)
    except ValueError:
        raise RefusedError(malformed(operation), operation) from None


def place_graph(
    operations: Sequence[Operation],
    devices: Sequence[Device],
    soft: bool,
    strict: bool,
    default: DeviceSpecV2 | None = None,
    homes: Mapping[int, Device] | None = None,
) -> dict[Operation, Placement]:
    """A device and a reason for every operation.

    Args:
        operations: the operations, in order.
        devices: the devices there are.
        soft: whether a device that is missing, or has no kernel, may be replaced.
        strict: an explicit device without a kernel is an error, as in sessions; else the
            operation goes where a kernel is, as in eager mode.
        default: what operations ask for that ask for nothing.
        homes: where arguments are that are known to be somewhere, by the id of the tensor.

    Raises:
        InvalidArgumentError: an operation cannot run where it was asked to, or groups conflict.
    """
    placer = _Placer(devices, soft, strict, default, homes or {})
    try:
        with garbage_later():
            return _placed(placer, operations)
    except RefusedError as refused:
        error, operation = refused.args
        if not strict:
            raise error from None
        text = failed_text(operation, error.message)
        raise type(error)(operation.node_def, operation, text) from None


def _placed(placer: _Placer, operations: Sequence[Operation]) -> dict[Operation, Placement]:
    placer.group(operations)
    groups = placer.groups
    placed: dict[Operation, Placement] = {}
    takers: dict[Operation, list[Operation]] = {}
    for operation in operations:
        known = groups[operation].placement
        if known is not None:
            placed[operation] = known
        elif _is_generator(operation):
            takers[operation] = []
        else:
            placed[operation] = placer.place(operation, placed)
    for operation in operations if takers else ():
        for x in operation.inputs:
            found = takers.get(x.op)
            if found is not None:
                found.append(operation)
    for operation, readers in takers.items():
        placed[operation] = placer.follow(operation, readers, placed)
    return placed


def _is_generator(operation: Operation) -> bool:
    return not operation.inputs and len(operation.outputs) == 1


class _Placer:
    def __init__(
        self,
        devices: Sequence[Device],
        soft: bool,
        strict: bool,
        default: DeviceSpecV2 | None,
        homes: Mapping[int, Device],
    ) -> None:
        self.devices = devices
        self.soft = soft
        self.strict = strict
        self.default = default
        self.homes = homes
        self.groups: dict[Operation, Group] = {}
        # What was found out once, by what it depends on.
        self._able_of: dict[Any, list[Device]] = {}
        self._found: dict[Any, tuple[list[Device], Reason, DeviceSpecV2]] = {}
        self._agreed: dict[Any, tuple[str | None, DeviceSpecV2, tuple[Any, ...]]] = {}

    # -- groups ---------------------------------------------------------------------------------

    def group(self, operations: Sequence[Operation]) -> None:
        """Finds what must be together, and gives everything else the group of its like."""
        alike: dict[Any, Group] = {}
        together = []
        for operation in operations:
            key = _likeness(operation)
            group = alike.get(key)
            if group is None:
                group = alike[key] = Group(
                    operation, device_types(operation), _asked(operation), is_shared=True
                )
            self.groups[operation] = group
            if not operation.inputs:
                home = _resource_home(operation) or self._home_of_argument(operation)
                if home is not None:
                    self._own(operation).resource = home
            if group.takes_resource or operation.groups:
                together.append(operation)
        wanted = {name for operation in together for name in operation.groups}
        # All are asked for their names, because constants without one get theirs here.
        by_name = {
            name: operation
            for operation in operations
            if (name := f"loc:@{operation.name}") in wanted
        }
        for operation in together:
            self._join_all(operation, by_name)

    def _join_all(self, operation: Operation, by_name: Mapping[str, Operation]) -> None:
        for x in operation.inputs if self.groups[operation].takes_resource else ():
            if x.dtype is dtypes.resource and x.op in self.groups:
                self._join(self._own(x.op), self._own(operation), operation, is_resource=True)
        for name in operation.groups:
            other = by_name.get(name)
            if other is not None and other is not operation:
                self._join(self._own(other), self._own(operation), operation, False)

    def _own(self, operation: Operation) -> Group:
        """The group of an operation, which it no longer shares with what is like it."""
        group = self.groups[operation]
        if group.is_shared:
            group = self.groups[operation] = Group(operation, group.types, group.asked)
        return group

    def _home_of_argument(self, operation: Operation) -> Device | None:
        if (
            operation.inputs
            or not operation.outputs
            or operation.outputs[0].dtype is not dtypes.resource
        ):
            return None
        return self.homes.get(id(operation.outputs[0]))

    def _join(self, one: Group, other: Group, operation: Operation, is_resource: bool) -> None:
        one, other = one.root(), other.root()
        if one is other:
            return
        types = tuple(kind for kind in one.types if kind in other.types)
        if not types:
            if self.soft and not is_resource:
                return
            raise RefusedError(no_common_type(operation, one.members[0]), operation)
        conflict, agreed = self._agreement(one.asked, other.asked)
        if conflict is None:
            one.asked = agreed
        elif not is_resource:  # else the variable's request wins
            if self.soft and conflict in ("types", "ids"):
                return
            raise RefusedError(
                apart(operation, one.members[0], one.asked, other.asked, conflict), operation
            )
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
            # Who asks for no more keeps the request as it is: the next one is then known, too.
            agreed = one if _parts(merged) == _parts(one) else merged
            found = self._agreed[key] = conflict, agreed, (one, other)
        return found[:2]

    # -- devices --------------------------------------------------------------------------------

    def place(self, operation: Operation, placed: dict[Operation, Placement]) -> Placement:
        group = self.groups[operation].root()
        if group.resource is not None:
            return Placement(group.resource, Reason.RESOURCE)
        candidates, reason = self._candidates(group, operation)
        if len(group.members) > 1:
            reason = _shared(group, operation, reason)
        if operation.type in _METADATA:
            there = placed.get(operation.inputs[0].op)
            if there is not None and there.device in candidates:
                return Placement(there.device, Reason.METADATA)
            return Placement(candidates[0], reason)
        found = Placement(candidates[0], reason)
        if group.is_shared:
            group.placement = found
        return found

    def follow(
        self, operation: Operation, takers: Sequence[Operation], placed: dict[Operation, Placement]
    ) -> Placement:
        """Where what makes a value from nothing goes: to who reads it, if they agree."""
        group = self.groups[operation].root()
        if group.resource is not None:
            return Placement(group.resource, Reason.RESOURCE)
        candidates, reason = self._candidates(group, operation)
        homes = {placed[taker].device for taker in takers if taker in placed}
        if len(homes) == 1 and len(candidates) > 1:
            (home,) = homes
            if home in candidates:
                return Placement(home, Reason.FOLLOWS)
        return Placement(candidates[0], reason)

    def _candidates(self, group: Group, operation: Operation) -> tuple[list[Device], Reason]:
        able = self._able(group, operation)
        key = id(group.asked), id(able), operation.type in _METADATA
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = *self._searched(group, operation, able), group.asked
        return found[:2]

    def _searched(
        self, group: Group, operation: Operation, able: list[Device]
    ) -> tuple[list[Device], Reason]:
        asked = group.asked
        explicit = asked.to_string() != ""
        if not explicit and self.default is not None:
            asked = self.default
        if not able:
            raise RefusedError(no_kernel(operation, self.devices), operation)
        if asked.to_string() == "":
            return able, _why(able[0], self.devices)
        matching = [device for device in self.devices if fits(asked, device)]
        found = [device for device in able if device in matching]
        if found:
            return found, Reason.ASKED
        if not explicit:
            return able, _why(able[0], self.devices)
        if matching and (self.soft or not self.strict or operation.type in _METADATA):
            return able, Reason.NO_KERNEL
        if self.soft and (asked.job in (None, "localhost", "*")):
            return able, Reason.SOFT
        group = self._own(operation).root()
        if matching:
            raise RefusedError(no_device_type(group, operation, asked), operation)
        if explicit and operation.device and operation.device != asked.to_string():
            raise RefusedError(other_device(group, operation, asked, self.devices), operation)
        raise RefusedError(no_device(operation, asked, self.devices, self.strict), operation)

    def _able(self, group: Group, operation: Operation) -> list[Device]:
        given = [] if operation.type in _OPEN else [
            x.dtype for x in (*operation.given, *operation.outputs) if x.dtype not in _ANYWHERE
        ]  # fmt: skip
        key = group.types, *map(id, given)
        found = self._able_of.get(key)
        if found is None:
            found = self._able_of[key] = [
                device
                for kind in group.types
                for device in self.devices
                if device.type == kind and not any(device.lacks(dtype) for dtype in given)
            ]
        return found


def _likeness(operation: Operation) -> tuple[Any, ...]:
    """What operations have in common that go to the same device unless others are with them."""
    kinds = [id(x.dtype) for x in operation.inputs], [id(y.dtype) for y in operation.outputs]
    return (
        id(operation.record),
        operation.device,
        len(operation.given),
        len(operation.inputs),
        *kinds[0],
        *kinds[1],
    )


def device_types(operation: Operation) -> tuple[str, ...]:
    """The types of devices that have a kernel for an operation, the preferred one first."""
    given = [x.dtype for x in operation.given if x.dtype is not dtypes.resource]
    if operation.type in ("Const", "Placeholder", "_Arg"):
        given = [operation.outputs[0].dtype]
        if given[0] is dtypes.string:
            return ("CPU",)
    return kernel_types(operation.record, given)


TYPES_OF[:] = [device_types]


def _resource_home(operation: Operation) -> Device | None:
    """The device of a variable that exists already."""
    eager = operation.attrs.get("eager") if operation.type == "Const" else None
    if eager is not None and eager.dtype is dtypes.resource:
        return eager._kind.device  # type: ignore[no-any-return]
    return None


def _shared(group: Group, operation: Operation, reason: Reason) -> Reason:
    if operation.type not in BODIED and any(x.dtype is dtypes.resource for x in operation.inputs):
        return Reason.RESOURCE
    return Reason.COLOCATED if reason is Reason.ASKED and operation.groups else reason


def _why(device: Device, devices: Sequence[Device]) -> Reason:
    if device.type == "GPU":
        return Reason.GPU_FIRST
    return Reason.NO_GPU_KERNEL if any(d.type == "GPU" for d in devices) else Reason.NO_GPU


def fits(spec: DeviceSpecV2, device: Device) -> bool:
    """Whether a device is one that `spec`, which may leave parts open, means."""
    return (
        is_here(spec.job, spec.replica, spec.task)
        and spec.device_type in (None, device.type, "*")
        and spec.device_index in (None, device.index)
    )


def _conflict(one: DeviceSpecV2, other: DeviceSpecV2) -> str | None:
    names = ("jobs", "replicas", "tasks", "types", "ids")
    parts = zip(names, _parts(one), _parts(other), strict=True)
    return next((what for what, a, b in parts if a is not None and b is not None and a != b), None)


def _parts(spec: DeviceSpecV2) -> tuple[Any, ...]:
    return spec.job, spec.replica, spec.task, spec.device_type, spec.device_index


def full_scope(device: Device) -> object:
    """The scope of exactly this device."""
    return intern_scope(DeviceSpec.from_string(device.name))
