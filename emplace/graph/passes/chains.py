"""Chains of element-wise operations that can be one operation each: what passes over large tensors
and over rows of numbers share.

A chain takes in an operation that uses what it makes, as long as nobody outside has used a value of
the chain before: so the chain can run where its last operation stood.
"""

from __future__ import annotations

import functools
import heapq
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ...base.shapes import Dims
from ...codegen.pointwise import is_pointwise
from ...devices.device import Device
from ...eager.place import Placement
from ...ops.math.fused_map import SUMS
from ...ops.op import Op
from ..representation.graph import Operation, SymbolicTensor
from .replacing import operation_like

_MOST_OPERATIONS = 32
#: Ops whose result is memory of its own, of which nobody knows but those who take it.
_FRESH = frozenset({
    "BatchMatMulV2", "Conv2D", "Conv2DBackpropInput", "DepthwiseConv2dNative",
    "DepthwiseConv2dNativeBackpropInput", "MatMul", "MaxPoolGrad", "MaxPoolGradKept",
    "_FusedConv2D", "_FusedMatMul",
})  # fmt: skip
#: Ops that keep no view of what they are given.
_READERS = _FRESH | {"Conv2DBackpropFilter", "DepthwiseConv2dNativeBackpropFilter"}

Root = Callable[[SymbolicTensor], SymbolicTensor]
#: Tensors whose values others have, and which have no root themselves, by the ids of those others.
Roots = Mapping[int, SymbolicTensor]


class Chain:
    """Operations on values of one shape, on one device, that will be one operation.

    `members` are in their order. `takers` are the places of operations that take what members make,
    a heap: those that are members by now may be missing. `sums_end` is the place of the first
    operation that takes a sum.
    """

    __slots__ = ("device", "members", "shape", "sums_end", "takers")

    def __init__(self, shape: tuple[int, ...], device: Device, first: Operation) -> None:
        self.shape = shape
        self.device = device
        self.members: dict[Operation, None] = {first: None}
        self.takers: list[int] = []
        self.sums_end: float = math.inf

    @property
    def names(self) -> list[str]:
        """The ops of its members."""
        return [member.record.name for member in self.members]

    @property
    def last(self) -> Operation:
        """The last of its members."""
        return next(reversed(self.members))


def with_chains(
    operations: Sequence[Operation],
    placed: dict[Operation, Placement],
    results: Collection[int],
    skipped: Collection[Operation],
    roots: Roots,
    shape_of: Callable[[Operation, Mapping[Operation, Placement]], tuple[int, ...] | None],
    pays: Callable[[Chain], bool],
    one: Callable[[Chain, Uses], Operation],
    least: int = 1,
) -> list[Operation]:
    """The same computation, with chains as one operation each.

    Args:
        operations: operations in an order in which they can run.
        placed: where they run; new ones are entered.
        results: ids of tensors that must get a value.
        skipped: operations that will not run.
        roots: tensors whose values others have, by the ids of those others.
        shape_of: the shape that an operation works on, given where all run; None if it is no part
            of a chain. Those of a chain have one shape.
        pays: whether a chain is worth it.
        one: the operation that does what a chain does.
        least: with fewer operations that may be in chains none is worth it.
    """
    shapes = {
        operation: shape
        for operation in operations
        if (shape := shape_of(operation, placed)) is not None and operation not in skipped
    }
    if len(shapes) < least:
        return list(operations)
    uses = Uses(operations, skipped, results, roots, placed)
    chains: dict[Operation, Chain] = {}
    for operation, shape in shapes.items():
        chains[operation] = Chain(shape, placed[operation].device, operation)
        uses.enter_takers(chains[operation], operation)
        for x in operation.given:
            _join(chains, roots.get(id(x), x).op, operation, uses)
    paying = [chain for chain in dict.fromkeys(chains.values()) if pays(chain)]
    if not paying:
        return list(operations)
    ends = {chain.last: chain for chain in paying}
    within = {member for chain in paying for member in chain.members}
    sharers = _sharers(chains, paying, uses)
    moved = {sharer for those in sharers.values() for sharer in those}
    result: list[Operation] = []
    for operation in operations:
        chain = ends.get(operation)
        if chain is None:
            if operation not in within and operation not in moved:
                result.append(operation)
        else:
            # Where its last member stood, followed by those that share a value and do not run.
            fused = one(chain, uses)
            placed[fused] = placed[operation]
            uses.tell_made(chain)
            result += (fused, *sharers.get(chain, ()))
    return result


def _sharers(
    chains: Mapping[Operation, Chain], paying: Collection[Chain], uses: Uses
) -> dict[Chain, list[Operation]]:
    """By chain: the operations that do not run, for it makes their values."""
    found: dict[Chain, list[Operation]] = {}
    for operation in uses.skipped:
        y = operation.outputs[0]
        chain = chains.get(uses.roots.get(id(y), y).op)
        if chain is not None and chain in paying:
            found.setdefault(chain, []).append(operation)
    return found


class Uses:
    """Who takes which tensor, and when.

    Args:
        operations: operations in an order in which they can run.
        skipped: operations that will not run, for others have their values.
        kept: ids of tensors that must get a value.
        roots: tensors whose values others have, by the ids of those others.
        placed: where operations run.
    """

    def __init__(
        self, operations: Sequence[Operation], skipped: Collection[Operation],
        kept: Collection[int], roots: Roots, placed: Mapping[Operation, Placement],
    ) -> None:  # fmt: skip
        self.roots = roots
        self.skipped = skipped
        self.operations = operations
        self.places = {operation: i for i, operation in enumerate(operations)}
        # What a skipped operation would have made is somebody else's value.
        shared = [y for each in skipped for y in each.outputs if id(y) in kept]
        self._kept = {*kept, *[id(roots.get(id(y), y)) for y in shared]}
        # The devices of values in memory of their own, and members of chains that are made by now
        # and keep no view of what they are given.
        self._fresh: dict[int, Device] = {}
        self._readers: set[Operation] = set()
        # The places of operations that take a value, in their order.
        self._takers: dict[int, list[int]] = {}
        takers = self._takers
        for i, operation in enumerate(operations):
            if operation not in skipped:
                if operation.record.name in _FRESH:
                    self._fresh[id(operation.outputs[0])] = placed[operation].device
                for x in operation.inputs:
                    key = id(roots.get(id(x), x))
                    if key in takers:
                        takers[key].append(i)
                    else:
                        takers[key] = [i]

    def enter_takers(self, chain: Chain, first: Operation) -> None:
        """Tells a chain who takes what its first member makes."""
        found = [i for y in first.outputs for i in self._takers.get(id(y), ())]
        if first.record.name in SUMS:
            chain.sums_end = min(found, default=math.inf)
        else:
            heapq.heapify(found)
            chain.takers = found

    def are_within(self, chain: Chain, joined: Chain, last: Operation) -> bool:
        """Whether all that a chain makes is used by members of the two, or later than `last`. A
        sum is known when all is done, so no member may use it.
        """
        end, takers = self.places[last], chain.takers
        if chain.sums_end <= end:
            return False
        inside = []
        while takers and takers[0] <= end:
            taker = self.operations[takers[0]]
            if taker in joined.members:
                inside.append(takers[0])
            elif taker not in chain.members:
                break
            heapq.heappop(takers)
        else:
            return True
        for i in inside:
            heapq.heappush(takers, i)
        return False

    def is_wanted(self, y: SymbolicTensor, chain: Chain) -> bool:
        """Whether somebody outside of a chain takes a value."""
        if id(y) in self._kept:
            return True
        takers = [self.operations[i] for i in self._takers.get(id(y), ())]
        return not chain.members.keys() >= set(takers)

    def tell_made(self, chain: Chain) -> None:
        """A chain is one operation now. What its members make is memory of its own, but for what
        torch makes by a view.
        """
        for member in chain.members:
            name = member.record.name
            if name in SUMS:
                self._readers.add(member)
            elif is_pointwise(name, member.attrs) and (name != "AddN" or len(member.given) > 1):
                self._readers.add(member)
                self._fresh[id(member.outputs[0])] = chain.device

    def dies_in(self, x: SymbolicTensor, chain: Chain) -> bool:
        """Whether a value is in memory of its own that nobody reads after a chain, on its device,
        that is about to be made one operation.
        """
        if self._fresh.get(id(x)) is not chain.device or id(x) in self._kept:
            return False
        end = self.places[chain.last]
        return all(
            taker in chain.members
            or taker in self._readers
            or (taker.record.name in _READERS and self.places[taker] < end)
            for taker in [self.operations[i] for i in self._takers.get(id(x), ())]
        )


def _join(
    chains: dict[Operation, Chain], maker: Operation, operation: Operation, uses: Uses
) -> None:
    """Puts the chain of an operation and that of what makes one of its inputs together, if it
    can wait for the operation.
    """
    earlier, own = chains.get(maker), chains[operation]
    if earlier is None or earlier is own:
        return
    if earlier.shape != own.shape or earlier.device is not own.device:
        return
    if len(earlier.members) + len(own.members) > _MOST_OPERATIONS:
        return
    if not uses.are_within(earlier, own, operation):
        return
    is_behind = uses.places[earlier.last] < uses.places[next(iter(own.members))]
    earlier.members.update(own.members)
    if not is_behind:
        earlier.members = dict.fromkeys(sorted(earlier.members, key=uses.places.__getitem__))
    for i in own.takers:
        heapq.heappush(earlier.takers, i)
    earlier.sums_end = min(earlier.sums_end, own.sums_end)
    for member in own.members:
        chains[member] = earlier


def made_of(
    chain: Chain, uses: Uses
) -> tuple[list[SymbolicTensor], list[tuple[int, ...]], list[SymbolicTensor], list[int]]:
    """The inputs of a chain; for each member, the values that it is given, by their numbers; the
    values that are wanted of it, and their numbers. Inputs are numbered first.
    """
    members, roots = chain.members, uses.roots
    taken = [[roots.get(id(x), x) for x in member.given] for member in members]
    inside = {id(y) for member in members for y in member.outputs}
    inputs = {id(x): x for xs in taken for x in xs if id(x) not in inside}
    numbers = {key: i for i, key in enumerate(inputs)}
    given = []
    for member, xs in zip(members, taken, strict=True):
        given.append(tuple([numbers[id(x)] for x in xs]))
        numbers[id(member.outputs[0])] = len(numbers)
    wanted = [y for member in members for y in member.outputs if uses.is_wanted(y, chain)]
    return list(inputs.values()), given, wanted, [numbers[id(y)] for y in wanted]


def one_like(
    chain: Chain, record: Op, inputs: Sequence[SymbolicTensor], attrs: dict[str, Any],
    wanted: Sequence[SymbolicTensor],
) -> Operation:  # fmt: skip
    """The operation that makes the wanted values of a chain in the place of its last member."""
    last = next(reversed(chain.members))
    return operation_like(record, inputs, attrs, last, wanted)


@functools.lru_cache(maxsize=1024)
def known(dims: Dims | None) -> tuple[int, ...]:
    """Dims that are all known, as sizes."""
    return tuple(size for size in dims or () if size is not None)
