"""Chains of element-wise operations that can be one operation each: what passes over large tensors
and over rows of numbers share.

A chain takes in an operation that uses what it makes, as long as nobody outside has used a value of
the chain before: so the chain can run where its last operation stood.
"""

from __future__ import annotations

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


class Chain:
    """Operations on values of one shape, on one device, that will be one operation."""

    def __init__(self, shape: tuple[int, ...], device: Device, first: Operation) -> None:
        self.shape = shape
        self.device = device
        self.members: dict[Operation, None] = {first: None}

    @property
    def names(self) -> list[str]:
        """The ops of its members."""
        return [member.record.name for member in self.members]


def with_chains(
    operations: Sequence[Operation],
    placed: dict[Operation, Placement],
    results: Collection[int],
    skipped: Collection[Operation],
    root: Root,
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
        root: the tensor whose value a tensor has.
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
    uses = Uses(operations, skipped, results, root, placed)
    chains: dict[Operation, Chain] = {}
    for operation, shape in shapes.items():
        chains[operation] = Chain(shape, placed[operation].device, operation)
        for x in operation.given:
            _join(chains, uses.root(x).op, operation, uses)
    paying = {chain for chain in chains.values() if pays(chain)}
    sharers = _sharers(chains, paying, uses)
    moved = {sharer for those in sharers.values() for sharer in those}
    result: list[Operation] = []
    for operation in operations:
        chain = chains.get(operation)
        if chain is None or chain not in paying:
            if operation not in moved:
                result.append(operation)
        elif operation is next(reversed(chain.members)):
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
        chain = chains.get(uses.root(operation.outputs[0]).op)
        if chain is not None and chain in paying:
            found.setdefault(chain, []).append(operation)
    return found


class Uses:
    """Who takes which tensor, and when.

    Args:
        operations: operations in an order in which they can run.
        skipped: operations that will not run, for others have their values.
        kept: ids of tensors that must get a value.
        root: the tensor whose value a tensor has.
        placed: where operations run.
    """

    def __init__(
        self, operations: Sequence[Operation], skipped: Collection[Operation],
        kept: Collection[int], root: Root, placed: Mapping[Operation, Placement],
    ) -> None:  # fmt: skip
        self.root = root
        self.skipped = skipped
        self.places = {operation: i for i, operation in enumerate(operations)}
        # What a skipped operation would have made is somebody else's value.
        shared = [root(y) for each in skipped for y in each.outputs if id(y) in kept]
        self._kept = {*kept, *map(id, shared)}
        # The devices of values in memory of their own, and members of chains that are made by now
        # and keep no view of what they are given.
        self._fresh: dict[int, Device] = {}
        self._readers: set[Operation] = set()
        self._takers: dict[int, list[Operation]] = {}
        for operation in operations:
            if operation not in skipped:
                if operation.record.name in _FRESH:
                    self._fresh[id(operation.outputs[0])] = placed[operation].device
                for x in operation.inputs:
                    self._takers.setdefault(id(root(x)), []).append(operation)

    def are_within(self, chain: Chain, joined: Chain, last: Operation) -> bool:
        """Whether all that a chain makes is used by members of the two, or later than `last`. A
        sum is known when all is done, so no member may use it.
        """
        end = self.places[last]
        return all(
            self.places[taker] > end
            or (
                member.record.name not in SUMS
                and (taker in chain.members or taker in joined.members)
            )
            for member in chain.members
            for y in member.outputs
            for taker in self._takers.get(id(y), ())
        )

    def is_wanted(self, y: SymbolicTensor, chain: Chain) -> bool:
        """Whether somebody outside of a chain takes a value."""
        takers = self._takers.get(id(y), ())
        return id(y) in self._kept or any(taker not in chain.members for taker in takers)

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
        end = self.places[next(reversed(chain.members))]
        return all(
            taker in chain.members
            or taker in self._readers
            or (taker.record.name in _READERS and self.places[taker] < end)
            for taker in self._takers.get(id(x), ())
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
    members = sorted({**earlier.members, **own.members}, key=uses.places.__getitem__)
    earlier.members = dict.fromkeys(members)
    for member in own.members:
        chains[member] = earlier


def made_of(
    chain: Chain, uses: Uses
) -> tuple[list[SymbolicTensor], list[tuple[int, ...]], list[SymbolicTensor], list[int]]:
    """The inputs of a chain; for each member, the values that it is given, by their numbers; the
    values that are wanted of it, and their numbers. Inputs are numbered first.
    """
    members = list(chain.members)
    inside = {id(y) for member in members for y in member.outputs}
    inputs: dict[int, SymbolicTensor] = {}
    for member in members:
        for x in map(uses.root, member.given):
            if id(x) not in inside:
                inputs.setdefault(id(x), x)
    numbers = {key: i for i, key in enumerate(inputs)}
    given = []
    for member in members:
        given.append(tuple(numbers[id(uses.root(x))] for x in member.given))
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


def known(dims: Dims | None) -> tuple[int, ...]:
    """Dims that are all known, as sizes."""
    return tuple(size for size in dims or () if size is not None)
