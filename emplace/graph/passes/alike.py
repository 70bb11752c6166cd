"""Operations that replicas compute alike: one of each replica, found from the ends of a step, and
what their values have in common while the replicas' variables do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...base.dtypes import DType, resource
from ...core.symbolic_value import symbolic_values
from ...devices.device import Device
from ...eager.place import Placement
from ...ops.collective.sums import REPLICA_COPY
from ...ops.variables.resource import READ_VARIABLE, Storage, are_same
from ...ops.variables.training import FUSED_ADAM
from ..recording.deferred import DEFERRED
from ..representation.graph import Operation, SymbolicTensor
from ..representation.ops import BODIED
from .constant_folding import raw_value
from .row_wise import APART, JOINED, SAME, RowKind, joined

Members = tuple[Operation, ...]
Values = tuple[SymbolicTensor, ...]
#: A variable's memory on each replica.
Group = tuple[Storage, ...]
_SHAPES_ALONE = frozenset({"OnesLike", "ZerosLike"})
_COMPARED = (bool, int, float, complex, str, bytes, DType, type(None))
# All of them are one thing. A function of a dataset may change variables, but not one replica's.
_ELEMENTS = "IteratorGetNext"
#: What leaves all variables as they are, though it stays where the program has it.
_TELLING = frozenset({"Assert", "CheckNumerics", "NoOp", "Print", "PrintV2"})
_RANDOM = ("Multinomial", "ParameterizedTruncatedNormal", "Random", "TruncatedNormal")


class Alike:
    """The operations of replicas that are alike.

    Args:
        operations: operations in an order in which they can run.
        placed: where they run.
        devices: those of the replicas.
        roots: values, one of each replica, from which to go back.
    """

    def __init__(
        self, operations: Sequence[Operation], placed: Mapping[Operation, Placement],
        devices: Sequence[Device], roots: Sequence[Values],
    ) -> None:  # fmt: skip
        self._placed, self.devices, self.count = placed, devices, len(devices)
        self.places = {operation: i for i, operation in enumerate(operations)}
        self.makers = {
            id(y): (operation, i)
            for operation in operations
            for i, y in enumerate(operation.outputs)
        }
        self.takers = _takers(operations)
        #: What changes what, by the identity of a variable's memory; what may change anything.
        self.writes: dict[int, list[Operation]] = {}
        self.unknown: list[Operation] = []
        self._note_changes(operations)
        self.members: dict[Operation, Members] = {}
        self.groups: dict[tuple[int, ...], Group] = {}
        self._follow(list(roots))
        self.kinds: dict[Operation, RowKind] = {}
        every = set(self.members.values())
        for members in sorted(every, key=lambda each: max(self.places[one] for one in each)):
            self.kinds[members[0]] = self._kind_of_members(members)
        self._go_on([members for members in every if self.kinds[members[0]] is JOINED])

    def _note_changes(self, operations: Sequence[Operation]) -> None:
        for operation in operations:
            touched = touched_by(operation)
            if touched is None:
                self.unknown.append(operation)
            elif operation.record is not READ_VARIABLE:
                for key in touched:
                    self.writes.setdefault(key, []).append(operation)

    # -- who belongs together -------------------------------------------------------------------

    def _follow(self, waiting: list[Values]) -> None:
        while waiting:
            members = self._makers_of(waiting.pop())
            if members is not None:
                waiting += self._enter(members)

    def _enter(self, members: Members) -> Iterator[Values]:
        """Notes that operations belong together; what they take."""
        if any(each in self.members for each in members):  # with each other, or with others
            return
        self.members.update(dict.fromkeys(members, members))
        for xs in zip(*[each.given for each in members], strict=True):
            if xs[0].dtype is not resource:
                yield xs
                continue
            group = self._group_of(xs)
            if group is None or tuple(map(id, group)) in self.groups:
                continue
            self.groups[tuple(map(id, group))] = group
            for changes in zip(*[self.writes.get(id(each), ()) for each in group], strict=False):
                if self._are_alike(changes):
                    yield from self._enter(changes)

    def _go_on(self, waiting: list[Members]) -> None:
        """Enters what treats each row by itself of those who take rows, from these on."""
        while waiting:
            for ys in zip(*[each.outputs for each in waiting.pop()], strict=True):
                for members in zip(*[self.takers.get(id(y), ()) for y in ys], strict=False):
                    if any(each in self.members for each in members):
                        continue
                    if members[0].record.stateful or not self._are_alike(members):
                        continue
                    if self._kind_of_members(members) is JOINED:
                        self.members.update(dict.fromkeys(members, members))
                        self.kinds[members[0]] = JOINED
                        waiting.append(members)

    def _makers_of(self, xs: Values) -> Members | None:
        """The operations that make one value of each replica, if they are alike."""
        found = [self.makers[id(x)] for x in xs if id(x) in self.makers]
        if len(found) < len(xs) or len({place for _, place in found}) != 1:
            return None
        members = tuple(each for each, _ in found)
        return members if self._are_alike(members) else None

    def _are_alike(self, members: Members) -> bool:
        first = members[0]
        if len(set(members)) < self.count or any(
            self._placed[each].device is not device
            for each, device in zip(members, self.devices, strict=True)
        ):
            return False
        return _is_plain(first) and all(
            each.record is first.record
            and len(each.given) == len(first.given) == len(each.inputs)
            and _specs(each) == _specs(first)
            and _are_equal(each.attrs, first.attrs)
            for each in members
        )

    def _group_of(self, handles: Values) -> Group | None:
        """The memory of a variable on each replica."""
        found = tuple(storage_of(x) for x in handles)
        first = found[0]
        if first is None or first.dtype.torch is None or len(set(map(id, found))) < self.count:
            return None
        if any(
            each is None or each.dtype is not first.dtype or each.shape != first.shape
            for each in found
        ):
            return None
        return found  # type: ignore[return-value]

    # -- what values have in common -------------------------------------------------------------

    def kind(self, xs: Values) -> RowKind:
        """What values, one of each replica, have in common."""
        if all(x is xs[0] for x in xs):
            return SAME
        found = [self.makers[id(x)] for x in xs if id(x) in self.makers]
        if len(found) == len(xs):
            members = tuple(each for each, _ in found)
            if self.members.get(members[0]) == members:
                return self.kinds[members[0]]
            if all(
                each.record is REPLICA_COPY and each.given[place] is xs[0]
                for each, place in found[1:]
            ):
                return SAME
        return SAME if _are_same_constants(xs) else APART

    def are_same_after(self, members: Members, group: Group) -> bool:
        """Whether a variable has one value on all replicas when these have read or changed it, if
        it had at the beginning.
        """
        for i in range(self.count):
            before = self._before(members[i], group[i])
            if len(before) != len(self._before(members[0], group[0])):
                return False
        return (
            self._are_same_changes(
                [self._before(one, each) for one, each in zip(members, group, strict=True)]
            )
            and len({self._epoch(each) for each in members}) == 1
        )

    def stay_same(self, group: Group) -> bool:
        """Whether a variable has one value on all replicas at the end, if it had before."""
        changes = [self.writes.get(id(each), []) for each in group]
        return len({len(each) for each in changes}) == 1 and self._are_same_changes(changes)

    def _before(self, operation: Operation, storage: Storage) -> list[Operation]:
        place = self.places[operation]
        return [each for each in self.writes.get(id(storage), ()) if self.places[each] < place]

    def _epoch(self, operation: Operation) -> int:
        return sum(self.places[each] < self.places[operation] for each in self.unknown)

    def _are_same_changes(self, changes: Sequence[Sequence[Operation]]) -> bool:
        return all(
            self.members.get(each[0]) == each and self.kinds.get(each[0]) is SAME
            for each in zip(*changes, strict=True)
        )

    def _kind_of_members(self, members: Members) -> RowKind:
        first = members[0]
        if first.record.name in _SHAPES_ALONE:
            return SAME
        kinds = []
        for xs in zip(*[each.given for each in members], strict=True):
            if xs[0].dtype is not resource:
                kinds.append(self.kind(xs))
                continue
            group = self._group_of(xs)
            if group is None or not self.are_same_after(members, group):
                return APART
            kinds.append(SAME)
        if all(each is SAME for each in kinds):
            return SAME
        if first.record.stateful:
            return APART
        return APART if joined(first, kinds, self.count) is None else JOINED


def _takers(operations: Sequence[Operation]) -> dict[int, list[Operation]]:
    """What takes each tensor, by its id, once per time."""
    found: dict[int, list[Operation]] = {}
    for operation in operations:
        for x in operation.inputs:
            found.setdefault(id(x), []).append(operation)
    return found


def storage_of(handle: SymbolicTensor) -> Storage | None:
    """The memory of the variable of this process that a handle stands for."""
    value = handle.op.attrs.get("value") if handle.op.record.name == "Const" else None
    return value if type(value) is Storage else None


def touched_by(operation: Operation) -> list[int] | None:
    """What an operation reads or changes besides its inputs, by identity; None if it may be
    anything. Random numbers are one thing.
    """
    record = operation.record
    if record is DEFERRED or record.name in BODIED:
        return None
    if record.is_blocking and not record.name.startswith(_ELEMENTS):
        return None
    if not record.stateful:
        return []
    if record.name in _TELLING:
        return [id(_TELLING)]
    handles = [x for x in operation.given if x.dtype is resource]
    if record.name.startswith(_ELEMENTS):
        return [id(_ELEMENTS)]
    if not handles:
        return [id(_RANDOM)] if record.name.startswith(_RANDOM) else None
    found = [x.op.attrs.get("value") if x.op.record.name == "Const" else None for x in handles]
    return None if any(each is None for each in found) else [id(each) for each in found]


def _is_plain(operation: Operation) -> bool:
    """Whether it does the same whenever its inputs are the same, and all shapes are known."""
    record = operation.record
    if record is DEFERRED or record.name in BODIED or record.is_blocking or record.is_factory:
        return False
    if record.stateful and not (
        record is READ_VARIABLE
        or record is FUSED_ADAM
        or record.name.startswith(("Assign", "ResourceApply"))
    ):
        return False
    if any(True for value in operation.attrs.values() for _ in symbolic_values(value)):
        return False
    tensors = (*operation.given, *operation.outputs)
    return all(
        x.dtype is resource or (x.dtype.torch is not None and x.is_fully_known) for x in tensors
    )


def _specs(operation: Operation) -> list[Any]:
    tensors = (*operation.given, *operation.outputs)
    return [(x.dtype, None if x.dtype is resource else x.dims) for x in tensors]


def _are_equal(one: Any, other: Any) -> bool:
    """Whether attributes are equal; those of unknown kinds never are, nor NaN."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(_are_equal(one[key], other[key]) for key in one)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(_are_equal, one, other))
    return isinstance(one, _COMPARED) and bool(one == other)


def _are_same_constants(xs: Values) -> bool:
    """Whether values are known before, and all bits are the same."""
    if any(x.dtype is resource or x.dtype.torch is None for x in xs):
        return False
    raw = [raw_value(x) for x in xs]
    return all(
        each is not None and each.is_cpu and each.dtype is raw[0].dtype
        and each.shape == raw[0].shape and are_same(each, raw[0])
        for each in raw
    )  # fmt: skip
