"""Chains of element-wise operations that can be one operation each: what passes over large tensors
and over rows of numbers share.

A chain takes in an operation that uses what it makes, as long as nobody outside has used a value of
the chain before: so the chain can run where its last operation stood.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import math
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from typing import NamedTuple

from ...base.shapes import Dims
from ...codegen.pointwise import is_pointwise
from ...devices.device import Device
from ...eager.place import Placement
from ...ops.math.map_steps import FOLDS, SUMS, is_fold
from ..representation.graph import Operation, SymbolicTensor

_MOST_OPERATIONS = 40
#: Ops whose result is memory of its own, of which nobody knows but those who take it.
FRESH = frozenset({
    "BatchMatMulV2", "Conv2D", "Conv2DBackpropInput", "DepthwiseConv2dNative",
    "DepthwiseConv2dNativeBackpropInput", "MatMul", "MaxPoolGrad", "MaxPoolGradKept",
    "_FusedConv2D", "_FusedMatMul",
})  # fmt: skip
#: Ops that keep no view of what they are given.
_READERS = FRESH | {"Conv2DBackpropFilter", "DepthwiseConv2dNativeBackpropFilter"}

Root = Callable[[SymbolicTensor], SymbolicTensor]
#: Tensors whose values others have, and which have no root themselves, by the ids of those others.
Roots = Mapping[int, SymbolicTensor]
Shape = tuple[int, ...]


class Chain:
    """Operations on values of one shape, on one device, that will be one operation.

    `places` are those of its members, in their order. `takers` are the places of operations that
    take what members make, a heap: those that are members by now may be missing. `sums_end` is the
    place of the first operation that takes a sum.
    """

    __slots__ = ("device", "places", "shape", "sums_end", "takers")

    def __init__(self, shape: Shape, device: Device, first: int) -> None:
        self.shape = shape
        self.device = device
        self.places: dict[int, None] = {first: None}
        self.takers: list[int] = []
        self.sums_end: float = math.inf

    @property
    def last(self) -> int:
        """The place of the last of its members."""
        return next(reversed(self.places))


class ChainKind(NamedTuple):
    """What chains are made of, and when.

    `names` are the ops that may be in one, and `shape_of` tells the shape that such an operation
    works on, given where all run; None if it is no part of a chain. Those of a chain have one
    shape. `pays` tells of the operations of a chain whether they are worth it: fewer than `least`
    are not, unless it is one that is one of `alone`. `one` makes the operation that does what a
    chain does. `others` are further ops of which `Uses` has to know who takes what they make.
    """

    names: Container[str]
    shape_of: Callable[[Operation, Mapping[Operation, Placement]], Shape | None]
    pays: Callable[[Sequence[Operation]], bool]
    one: Callable[[Chain, Uses], Operation]
    least: int
    alone: frozenset[str] = frozenset()
    others: Container[str] = frozenset()


def with_chains(
    operations: list[Operation],
    placed: dict[Operation, Placement],
    results: Collection[int],
    roots: Roots,
    kind: ChainKind,
) -> list[Operation]:
    """The same computation, with chains as one operation each.

    Args:
        operations: operations in an order in which they can run.
        placed: where they run; new ones are entered.
        results: ids of tensors that must get a value.
        roots: tensors whose values others have, by the ids of those others.
        kind: what may be a chain.
    """
    uses = Uses(operations, results, roots, placed, kind)
    if len(uses.shapes) < (1 if kind.alone else kind.least):
        return operations
    paying = [
        (chain.last, chain)
        for chain in _chains(uses, kind)
        if (len(chain.places) >= kind.least or operations[chain.last].record.name in kind.alone)
        and kind.pays([operations[i] for i in chain.places])
    ]
    if not paying:
        return operations
    result: list[Operation | None] = [*operations]
    # Where the last member of each stood; one that is made knows those before it.
    for last, chain in sorted(paying):
        for i in chain.places:
            result[i] = None
        fused = result[last] = kind.one(chain, uses)
        placed[fused] = placed[operations[last]]
    return [operation for operation in result if operation is not None]


def _chains(uses: Uses, kind: ChainKind) -> Iterable[Chain]:
    """All chains of several members, and of one where that may be worth it."""
    chains: dict[int, Chain] = {}
    operations, shapes, makers, roots = uses.operations, uses.shapes, uses.makers, uses.roots
    for place, shape in shapes.items():
        operation = operations[place]
        own = None
        for x in operation.given:
            key = id(x)
            maker = makers.get(key if key not in roots else id(roots[key]))
            if maker is None or shapes[maker] != shape:
                continue
            earlier = chains.get(maker)
            if earlier is None:
                earlier = chains[maker] = uses.begun(maker)
            if own is None:
                if uses.takes_in(earlier, place):
                    own = chains[place] = earlier
            elif earlier is not own and uses.joins(earlier, own, place):
                for i in own.places:
                    chains[i] = earlier
                own = earlier
        if own is None and (kind.least == 1 or operation.record.name in kind.alone):
            chains[place] = uses.begun(place)
    return dict.fromkeys(chains.values())


class Uses:
    """Who makes and takes which tensor, and when.

    Args:
        operations: operations in an order in which they can run.
        results: ids of tensors that must get a value.
        roots: tensors whose values others have, by the ids of those others.
        placed: where operations run.
        kind: what may be a chain.

    `shapes` are those that operations work on that may be in chains, by their places, and `makers`
    the places by the ids of what they make.
    """

    def __init__(
        self, operations: Sequence[Operation], results: Collection[int], roots: Roots,
        placed: Mapping[Operation, Placement], kind: ChainKind,
    ) -> None:  # fmt: skip
        self.operations = operations
        self.roots = roots
        self.shapes: dict[int, Shape] = {}
        self.makers: dict[int, int] = {}
        self._placed = placed
        self._kept = wanted_of(results, roots)
        # The devices of values in memory of their own, and places of members of chains that are
        # made by now and keep no view of what they are given.
        self._fresh: dict[int, Device] = {}
        self._readers: set[int] = set()
        # The places of operations that take what others make that may be in chains, in their order.
        self._takers: dict[int, list[int]] = {}
        takers, names, others, shape_of = self._takers, kind.names, kind.others, kind.shape_of
        shapes, makers, fresh = self.shapes, self.makers, self._fresh
        for i, operation in enumerate(operations):
            for x in operation.inputs:
                key = id(x)
                if key in roots:
                    key = id(roots[key])
                if key in takers:
                    takers[key].append(i)
            name = operation.record.name
            if name in names:
                shape = shape_of(operation, placed)
                if shape is not None:
                    key = id(operation.outputs[0])
                    shapes[i], takers[key], makers[key] = shape, [], i
            elif name in others:
                key = id(operation.outputs[0])
                fresh[key], takers[key] = placed[operation].device, []

    # -- joining --------------------------------------------------------------------------------

    def begun(self, place: int) -> Chain:
        """The chain of one operation."""
        operation = self.operations[place]
        chain = Chain(self.shapes[place], self._placed[operation].device, place)
        self._enter_takers(chain, operation)
        return chain

    def takes_in(self, chain: Chain, place: int) -> bool:
        """Puts an operation that is in no chain to one, if that can wait for it."""
        operation = self.operations[place]
        if chain.device is not self._placed[operation].device:
            return False
        if len(chain.places) >= _MOST_OPERATIONS or not self._are_within(chain, {}, place):
            return False
        chain.places[place] = None
        self._enter_takers(chain, operation)
        return True

    def joins(self, chain: Chain, later: Chain, place: int) -> bool:
        """Makes one of two chains, the later one of an operation that takes what the other makes,
        if that can wait for the operation.
        """
        if chain.device is not later.device:
            return False
        if len(chain.places) + len(later.places) > _MOST_OPERATIONS:
            return False
        if not self._are_within(chain, later.places, place):
            return False
        is_behind = chain.last < next(iter(later.places))
        chain.places.update(later.places)
        if not is_behind:
            chain.places = dict.fromkeys(sorted(chain.places))
        for i in later.takers:
            heapq.heappush(chain.takers, i)
        chain.sums_end = min(chain.sums_end, later.sums_end)
        return True

    def _enter_takers(self, chain: Chain, member: Operation) -> None:
        """Tells a chain who takes what a member makes."""
        found = self._takers[id(member.outputs[0])]
        if is_total(member):
            chain.sums_end = min(chain.sums_end, *found, math.inf)
        elif chain.takers:
            for i in found:
                heapq.heappush(chain.takers, i)
        else:
            chain.takers = found[:]  # in order, so a heap

    def _are_within(self, chain: Chain, joined: Container[int], last: int) -> bool:
        """Whether all that a chain makes is used by its members, by `joined` or from the place
        `last` on. A sum is known when all is done, so no member may use it.
        """
        takers, places = chain.takers, chain.places
        if chain.sums_end <= last:
            return False
        inside = []
        while takers and takers[0] <= last:
            taker = takers[0]
            if taker in joined or taker == last:
                inside.append(taker)
            elif taker not in places:
                break
            heapq.heappop(takers)
        else:
            return True
        for i in inside:
            heapq.heappush(takers, i)
        return False

    # -- what a chain is given, and gives -------------------------------------------------------

    def members(self, chain: Chain) -> list[Operation]:
        """The operations of a chain."""
        return [self.operations[i] for i in chain.places]

    def is_wanted(self, y: SymbolicTensor, chain: Chain) -> bool:
        """Whether somebody outside of a chain takes a value that it makes."""
        if id(y) in self._kept:
            return True
        return not all(map(chain.places.__contains__, self._takers[id(y)]))

    def tell_made(self, chain: Chain) -> None:
        """A chain is one operation now. What its members make is memory of its own, but for what
        torch makes by a view.
        """
        for place in chain.places:
            member = self.operations[place]
            name = member.record.name
            if name in SUMS or name in FOLDS:
                self._readers.add(place)
            elif is_pointwise(name, member.attrs) and (name != "AddN" or len(member.given) > 1):
                self._readers.add(place)
                self._fresh[id(member.outputs[0])] = chain.device

    def dies_in(self, x: SymbolicTensor, chain: Chain) -> bool:
        """Whether a value is in memory of its own that nobody reads after a chain, on its device,
        that is about to be made one operation.
        """
        if self._fresh.get(id(x)) is not chain.device or id(x) in self._kept:
            return False
        end = chain.last
        return all(
            taker in chain.places
            or taker in self._readers
            or (taker < end and self.operations[taker].record.name in _READERS)
            for taker in self._takers[id(x)]
        )


def is_total(member: Operation) -> bool:
    """Whether a member of a chain adds up what other members go through, not along rows."""
    name = member.record.name
    return name in SUMS and not is_fold(name, member.attrs, len(known(member.given[0].dims)))


def wanted_of(results: Collection[int], roots: Roots) -> set[int]:
    """The ids of tensors that must get a value: what is wanted by another name is wanted, too."""
    return {*results, *[id(roots[key]) for key in roots.keys() & results]}


def made_of(
    chain: Chain, members: Sequence[Operation], uses: Uses
) -> tuple[list[SymbolicTensor], list[tuple[int, ...]], list[SymbolicTensor], list[int]]:
    """The inputs of a chain; for each member, the values that it is given, by their numbers; the
    values that are wanted of it, and their numbers. Inputs are numbered first.
    """
    roots = uses.roots
    outputs = [member.outputs[0] for member in members]
    taken = [member.given for member in members]
    if roots:
        taken = [tuple([roots.get(id(x), x) for x in xs]) for xs in taken]
    inside = set(map(id, outputs))
    inputs = {id(x): x for xs in taken for x in xs if id(x) not in inside}
    numbers = {key: i for i, key in enumerate(inputs)}
    numbers.update(zip(map(id, outputs), itertools.count(len(inputs)), strict=False))
    given = [tuple([numbers[id(x)] for x in xs]) for xs in taken]
    wanted = [y for y in outputs if uses.is_wanted(y, chain)]
    return list(inputs.values()), given, wanted, [numbers[id(y)] for y in wanted]


@functools.lru_cache(maxsize=1024)
def known(dims: Dims | None) -> tuple[int, ...]:
    """Dims that are all known, as sizes."""
    return tuple(size for size in dims or () if size is not None)
