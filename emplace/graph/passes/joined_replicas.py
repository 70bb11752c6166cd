"""What all replicas do alike in the host's memory, done once for the rows of all.

The kernel of a small batch costs nearly what that of a large one does. While the variables of the
replicas have the same values, which the plan's owner makes sure of before each run, rows one behind
the other give results one behind the other, and a gradient is the sum over all rows. What is not
known to be so is computed by each replica, on its part of the rows.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...base import flags
from ...eager.place import Placement
from ...ops.collective.sums import REPLICA_COPY, REPLICA_JOIN, REPLICA_ROWS, REPLICA_SUM
from ...ops.infer import Spec
from ...ops.math.reduction import ADD_N
from ...ops.op import Op
from ...ops.variables.following import REPLICA_FOLLOW
from ...ops.variables.resource import READ_VARIABLE
from ..representation.graph import Operation, SymbolicTensor
from .alike import Alike, Group, Members, Values, touched_by
from .followers import followers
from .fusion import is_large
from .prune import has_effect, in_order
from .replacing import operation_like
from .row_wise import HEAVY, JOINED, SAME, form_of, has_rows, is_sum_over_rows, joined, sizes_of

_TOTALS = frozenset({"AddN", "AddV2"})
_RESHAPES = frozenset({"ExpandDims", "Identity", "Reshape", "Squeeze"})
# A change that takes its value in, rather than to keep its memory.
_ABSORBING = frozenset({"AssignAddVariableOp", "AssignSubVariableOp"})


class Joined(NamedTuple):
    """Operations, and the variables that must be the same on all replicas before they run; they are
    so afterwards.
    """

    operations: list[Operation]
    groups: list[Group]


def joined_replicas(
    operations: Sequence[Operation], placed: dict[Operation, Placement], kept: Container[int]
) -> Joined | None:
    """The same computation with what replicas do alike done once, if anything large is.

    Args:
        operations: operations in an order in which they can run.
        placed: where they run; new ones are entered.
        kept: ids of tensors that must get a value.
    """
    alike = _found(operations, placed) if flags.FUSE.value() else None
    if alike is None or alike.unknown:
        return None
    groups = list(alike.groups.values())
    if not all(alike.stay_same(group) for group in groups):
        return None
    block = _Block(alike, placed, kept)
    ordered = None
    if block.join(operations):
        block.follow()
        ordered = block.ordered()
    return None if ordered is None else Joined(ordered, groups)


def _found(operations: Sequence[Operation], placed: Mapping[Operation, Placement]) -> Alike | None:
    """What replicas in the host's memory do alike to make what they add up."""
    sums = [operation for operation in operations if operation.record is REPLICA_SUM]
    if not sums:
        return None
    count = sums[0].attrs["replicas"]
    makers = {id(y): operation for operation in operations for y in operation.outputs}
    rows = [
        row for total in sums for row in rows_of(total)
        if len(row) == count and all(id(x) in makers for x in row)
    ]  # fmt: skip
    if count < 2 or not rows:
        return None
    devices = [placed[makers[id(x)]].device for x in rows[0]]
    if len(set(devices)) < count or not all(device.is_in_host_memory for device in devices):
        return None
    return Alike(operations, placed, devices, rows)


def rows_of(total: Operation) -> list[Values]:
    """For each value that is added up: that of each replica."""
    count = len(total.outputs)
    return [total.given[i::count] for i in range(count)]


class _Block:
    """The operations as they become."""

    def __init__(
        self, alike: Alike, placed: dict[Operation, Placement], kept: Container[int]
    ) -> None:
        self._alike, self._placed, self._kept = alike, placed, kept
        self._count = alike.count
        self._takers = alike.takers
        # The tensor of all rows, by the tensors of the replicas'.
        self._whole: dict[tuple[int, ...], SymbolicTensor] = {}
        # The tensor of all rows and the number of the replica, by the tensor of its rows.
        self._parts: dict[int, tuple[SymbolicTensor, int]] = {}
        # New operations, with the place of an old one that they come before.
        self.made: dict[Operation, int] = {}
        self._gone: set[Operation] = set()
        # Changes that the first replica makes for all, with what it does.
        self._instead: dict[Operation, Operation] = {}

    def join(self, operations: Sequence[Operation]) -> bool:
        """Makes operations for the rows of all; whether there is a large one."""
        alike, is_worth_it = self._alike, False
        for members in dict.fromkeys(alike.members.values()):
            if alike.kinds[members[0]] is SAME:
                self._share(members)
        order = sorted(
            (each for each in set(alike.members.values()) if alike.kinds[each[0]] is JOINED),
            key=lambda each: max(alike.places[one] for one in each),
        )
        for members in order:
            self._join(members)
            is_worth_it = is_worth_it or members[0].record.name in HEAVY
        for each in operations:
            if each.record is REPLICA_SUM and not each.attrs["is_mean"]:
                self._add_up(each)
        return is_worth_it

    def _make(
        self, record: Op, inputs: Sequence[SymbolicTensor], attrs: Mapping[str, object],
        like: Operation, outputs: Sequence[SymbolicTensor | Spec],
    ) -> list[SymbolicTensor]:  # fmt: skip
        made = operation_like(record, inputs, attrs, like, outputs)
        self._placed[made] = self._placed[like]
        self.made[made] = self._alike.places[like]
        return made.outputs

    def _join(self, members: Members) -> None:
        first = members[0]
        tuples = list(zip(*[each.given for each in members], strict=True))
        kinds = [self._alike.kind(xs) for xs in tuples]
        attrs = joined(first, kinds, self._count)
        assert attrs is not None
        inputs = [
            self._rows_of_all(xs, first)
            if kind is not SAME or has_rows(first, xs[0]) else xs[0]
            for xs, kind in zip(tuples, kinds, strict=True)
        ]  # fmt: skip
        specs = [self._spec(y) for y in first.outputs]
        outputs = self._make(form_of(first), inputs, attrs, first, specs)
        for i, y in enumerate(outputs):
            self._whole[tuple(id(each.outputs[i]) for each in members)] = y
            for replica, each in enumerate(members):
                self._parts[id(each.outputs[i])] = (y, replica)
        self._gone.update(members)

    def _spec(self, y: SymbolicTensor) -> Spec:
        rows, *rest = sizes_of(y)
        return Spec((rows * self._count, *rest), y.dtype)

    def _rows_of_all(self, xs: Values, taker: Operation) -> SymbolicTensor:
        if self._alike.kind(xs) is SAME:
            xs = (xs[0],) * self._count
        key = tuple(map(id, xs))
        if key not in self._whole:
            (self._whole[key],) = self._make(REPLICA_JOIN, xs, {}, taker, [self._spec(xs[0])])
        return self._whole[key]

    def _share(self, members: Members) -> None:
        """Lets replicas take a large value of the first one's that they would compute again."""
        first = members[0]
        if first.record.stateful or not first.outputs or not all(map(is_large, first.outputs)):
            return
        for each in members[1:]:
            takers = [one for y in each.outputs for one in self._takers.get(id(y), ())]
            is_kept = any(id(y) in self._kept for y in each.outputs)
            if is_kept or any(one.record.name not in _ABSORBING for one in takers):
                continue
            self._make(REPLICA_COPY, first.outputs, {}, each, each.outputs)
            self._gone.add(each)

    def follow(self) -> None:
        """Lets the variables of other replicas take the value of the first one's in one operation,
        where all would change alike.
        """
        found = followers(self._alike, self._takers, self._kept)
        if found is not None:
            attrs = {"replicas": self._count}
            made = operation_like(REPLICA_FOLLOW, found.handles, attrs, found.last, [])
            self._placed[made] = self._placed[found.last]
            self.made[made] = self._alike.places[found.last]
            self._gone.update(found.gone)
            self._instead = found.gone

    # -- sums -----------------------------------------------------------------------------------

    def _add_up(self, total: Operation) -> None:
        """Gradients that are sums over all rows."""
        rows = rows_of(total)
        summed = {i: made for i, row in enumerate(rows) if (made := self._total(row)) is not None}
        if not summed:
            return
        self._gone.add(total)
        self._make(
            REPLICA_COPY, list(summed.values()), {}, total, [total.outputs[i] for i in summed]
        )
        rest = [i for i in range(len(rows)) if i not in summed]
        if rest:
            left = [rows[i][replica] for replica in range(self._count) for i in rest]
            outputs = [total.outputs[i] for i in rest]
            self._make(REPLICA_SUM, left, total.attrs, total, outputs)

    def _total(self, row: Values) -> SymbolicTensor | None:
        """The sum of what replicas have, if one operation on all rows gives it."""
        found = self._alike.makers.get(id(row[0]))
        members = None if found is None else self._alike.members.get(found[0])
        if members is None or tuple(each.outputs[0] for each in members) != row:
            return None
        if any(len(self._takers[id(x)]) > 1 or id(x) in self._kept for x in row):
            return None
        first, (y,) = members[0], members[0].outputs
        tuples = list(zip(*[each.given for each in members], strict=True))
        spec = Spec(y.dims, y.dtype)
        if first.record.name in _TOTALS:
            return self._added_totals(first, tuples, spec)
        if first.record.name in _RESHAPES:
            return self._reshaped_total(first, tuples[0])
        if not is_sum_over_rows(first, [self._alike.kind(xs) for xs in tuples]):
            return None
        inputs = [self._rows_of_all(xs, first) for xs in tuples]
        return self._make(first.record, inputs, first.attrs, first, [spec])[0]

    def _added_totals(
        self, first: Operation, tuples: Sequence[Values], spec: Spec
    ) -> SymbolicTensor | None:
        """The sum of sums, if one of those is of all rows."""
        totals = [self._total(xs) for xs in tuples]
        if all(total is None for total in totals) or any(x.dims != spec.dims for x in first.given):
            return None
        attrs = {"replicas": self._count, "is_mean": False}
        parts = [
            self._make(REPLICA_SUM, xs, attrs, first, [spec])[0] if total is None else total
            for total, xs in zip(totals, tuples, strict=True)
        ]
        return self._make(ADD_N, parts, {}, first, [spec])[0]

    def _reshaped_total(self, first: Operation, row: Values) -> SymbolicTensor | None:
        """The sum of what replicas have in another shape."""
        total, (y,) = self._total(row), first.outputs
        if total is None:
            return None
        return self._make(first.record, [total], first.attrs, first, [Spec(y.dims, y.dtype)])[0]

    # -- order ----------------------------------------------------------------------------------

    def ordered(self) -> list[Operation] | None:
        """All that has to run, in an order in which it can; None if effects would change places."""
        left = {each: i for each, i in self._alike.places.items() if each not in self._gone}
        left.update(self.made)
        self._enter_parts(left)
        before = sorted(left, key=left.__getitem__)
        makers = {id(y): each for each in left for y in each.outputs}
        waiting = [
            each for each in left
            if has_effect(each) or any(id(y) in self._kept for y in each.outputs)
        ]  # fmt: skip
        sources: dict[Operation, list[Operation]] = {each: [] for each in left}
        for earlier, later in _effects_in_order(before):
            sources[later].append(earlier)
        needed: set[Operation] = set()
        while waiting:
            each = waiting.pop()
            if each in needed:
                continue
            needed.add(each)
            own = [makers[id(x)] for x in each.inputs if id(x) in makers]
            before_it = [self._instead.get(one, one) for one in each.control]
            own += [one for one in before_it if one in left]
            sources[each] += own
            waiting += own
        ordered = in_order({each: sources[each] for each in before if each in needed})
        return ordered if len(ordered) == len(needed) else None

    def _enter_parts(self, left: dict[Operation, int]) -> None:
        """A replica's rows, for those that take them alone."""
        wanted = {id(x) for each in left for x in each.inputs}
        for members in set(self._alike.members.values()):
            for replica, each in enumerate(members):
                for y in each.outputs:
                    is_kept = id(y) in self._kept
                    if id(y) not in self._parts or not (is_kept or id(y) in wanted):
                        continue
                    whole, _ = self._parts[id(y)]
                    size = sizes_of(y)[0]
                    attrs = {
                        "start": replica * size, "stop": (replica + 1) * size, "is_own": is_kept,
                    }  # fmt: skip
                    made = operation_like(REPLICA_ROWS, [whole], attrs, each, [y])
                    self._placed[made] = self._placed[each]
                    left[made] = self._alike.places[each]


def _effects_in_order(
    operations: Sequence[Operation],
) -> Iterator[tuple[Operation, Operation]]:
    """Which operations must stay behind which: those that may touch the same thing, unless both
    only read it.
    """
    changed: dict[int, Operation] = {}
    read: dict[int, list[Operation]] = {}
    for operation in operations:
        for key in touched_by(operation) or ():
            if key in changed:
                yield changed[key], operation
            if operation.record is READ_VARIABLE:
                read.setdefault(key, []).append(operation)
                continue
            for each in read.pop(key, ()):
                yield each, operation
            changed[key] = operation
