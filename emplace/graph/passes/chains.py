"""Chains of element-wise operations that can be one operation each: what passes over large tensors
and over rows of numbers share.

A chain takes in an operation that uses what it makes, as long as nobody outside has used a value of
the chain before: so the chain can run where its last operation stood.
"""

from __future__ import annotations

import functools
import itertools
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

# Who takes what nobody has to know of.
_NOBODY: list[int] = []
Root = Callable[[SymbolicTensor], SymbolicTensor]
#: Tensors whose values others have, and which have no root themselves, by the ids of those others.
Roots = Mapping[int, SymbolicTensor]
Shape = tuple[int, ...]


class Chain:
    """Operations on values of one shape, on one device, that will be one operation.

    `places` are those of its members, in their order. `outside` are the places of operations that
    have taken what members make and are none. `is_over` says that somebody has taken a sum: that is
    known when all is done.
    """

    __slots__ = ("device", "is_over", "outside", "places", "shape")

    def __init__(self, shape: Shape, device: Device, first: int) -> None:
        self.shape = shape
        self.device = device
        self.places: dict[int, None] = {first: None}
        self.outside: set[int] = set()
        self.is_over = False

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
    paying = [
        (chain.last, chain)
        for chain in uses.chains()
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


class Uses:
    """Who takes which tensor, and the chains that there are.

    Args:
        operations: operations in an order in which they can run.
        results: ids of tensors that must get a value.
        roots: tensors whose values others have, by the ids of those others.
        placed: where operations run.
        kind: what may be a chain.
    """

    def __init__(
        self, operations: Sequence[Operation], results: Collection[int], roots: Roots,
        placed: Mapping[Operation, Placement], kind: ChainKind,
    ) -> None:  # fmt: skip
        self.operations = operations
        self.roots = roots
        self._placed = placed
        self._kept = wanted_of(results, roots)
        # By the ids of tensors: the places of what makes them, if others may have to know it.
        self._makers: dict[int, int] = {}
        # By the places of operations: the shape that one works on that may be in a chain; the
        # places of those that take what it makes, in their order; its chain, of several members, or
        # of one where that may be worth it.
        count = len(operations)
        self._shapes: list[Shape | None] = [None] * count
        self._takers: list[list[int]] = [_NOBODY] * count
        self._chains: list[Chain | None] = [None] * count
        # The places of sums of all rows.
        self._sums: set[int] = set()
        # The devices of values in memory of their own, and places of members of chains that are
        # made by now and keep no view of what they are given.
        self._fresh: dict[int, Device] = {}
        self._readers: set[int] = set()
        self._find(kind)

    # -- joining --------------------------------------------------------------------------------

    def chains(self) -> Iterable[Chain]:
        """The chains, each once."""
        return dict.fromkeys(chain for chain in self._chains if chain is not None)

    def _find(self, kind: ChainKind) -> None:
        """Goes through the operations once: puts each to the chains of what it takes, or notes with
        these that it stays outside.
        """
        names, others, shape_of, placed = kind.names, kind.others, kind.shape_of, self._placed
        takers, chains, shapes, sums = self._takers, self._chains, self._shapes, self._sums
        roots, makers = self.roots, self._makers
        for place, operation in enumerate(self.operations):
            name = operation.record.name
            shape = shape_of(operation, placed) if name in names else None
            joined = []
            for x in operation.inputs if makers else ():
                key = id(x)
                if roots and key in roots:
                    key = id(roots[key])
                maker = makers.get(key)
                if maker is None:
                    continue
                takers[maker].append(place)
                if maker in sums:
                    if (chain := chains[maker]) is not None:
                        chain.is_over = True
                elif shape is not None and shapes[maker] == shape:
                    joined.append(maker)
                elif (chain := chains[maker]) is not None:
                    chain.outside.add(place)
            own = self._joining(joined, place) if joined else None
            if shape is not None:
                shapes[place] = shape
                if name in SUMS and is_total(operation):
                    sums.add(place)
                if own is None and (kind.least == 1 or name in kind.alone):
                    chains[place] = Chain(shape, placed[operation].device, place)
            elif name in others:
                self._fresh[id(operation.outputs[0])] = placed[operation].device
            else:
                continue
            takers[place], makers[id(operation.outputs[0])] = [], place

    def _joining(self, makers: Sequence[int], place: int) -> Chain | None:
        """Puts an operation into a chain of those, given by their places, that make what it takes.
        Such chains become one, where they can wait for it. None if there is no chain for it.
        """
        chains, own = self._chains, None
        device = self._placed[self.operations[place]].device
        for maker in makers:
            chain = chains[maker]
            if chain is None:
                chain = chains[maker] = self._begun(maker, place)
            if own is None:
                can_wait = not (chain.outside or chain.is_over) and chain.device is device
                if can_wait and len(chain.places) < _MOST_OPERATIONS:
                    chain.places[place] = None
                    own = chains[place] = chain
                    continue
            elif chain is own:
                continue
            elif _joins(chain, own):
                for i in own.places:
                    chains[i] = chain
                own = chain
                continue
            chain.outside.add(place)
        return own

    def _begun(self, first: int, place: int) -> Chain:
        """The chain of one operation, as it is found at a place where somebody takes its value."""
        shape, device = self._shapes[first], self._placed[self.operations[first]].device
        assert shape is not None
        chain = Chain(shape, device, first)
        chain.outside.update(self._takers[first])
        chain.outside.discard(place)
        return chain

    # -- what a chain is given, and gives -------------------------------------------------------

    def members(self, chain: Chain) -> list[Operation]:
        """The operations of a chain."""
        return [self.operations[i] for i in chain.places]

    def wanted_of(self, chain: Chain, made: Iterable[int]) -> list[int]:
        """Which of the values that a chain makes, whose ids are given, somebody outside takes."""
        kept, takers, end = self._kept, self._takers, chain.last
        is_inside = chain.places.__contains__
        return [
            i
            for i, (place, key) in enumerate(zip(chain.places, made, strict=True))
            if key in kept
            or (takers[place] and takers[place][-1] > end)
            or not all(map(is_inside, takers[place]))
        ]

    def tell_made(self, chain: Chain) -> None:
        """A chain is one operation now. What its members make is memory of its own, but for what
        torch makes by a view.
        """
        for place in chain.places:
            member = self.operations[place]
            name = member.record.name
            if name in SUMS or name in FOLDS:
                self._readers.add(place)
            elif makes_numbers(member):
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
            for taker in self._takers[self._makers[id(x)]]
        )


def _joins(chain: Chain, later: Chain) -> bool:
    """Makes one of two chains, the later one of an operation that takes what the other makes, if
    that can wait for the operation.
    """
    if chain.is_over or chain.device is not later.device:
        return False
    if len(chain.places) + len(later.places) > _MOST_OPERATIONS:
        return False
    if not chain.outside <= later.places.keys():
        return False
    is_behind = chain.last < next(iter(later.places))
    chain.outside = later.outside.difference(chain.places)
    chain.places.update(later.places)
    if not is_behind:
        chain.places = dict.fromkeys(sorted(chain.places))
    return True


def makes_numbers(member: Operation) -> bool:
    """Whether an element-wise operation makes its result in memory of its own, as all do but the
    sum of one value.
    """
    name = member.record.name
    return is_pointwise(name, member.attrs) and (name != "AddN" or len(member.given) > 1)


def is_total(member: Operation) -> bool:
    """Whether a member of a chain adds up what other members go through, not along rows."""
    name, rank = member.record.name, len(known(member.given[0].dims))
    return name in SUMS and rank > 0 and not is_fold(name, member.attrs, rank)


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
    made = dict.fromkeys(map(id, outputs))
    inputs = {key: x for xs in taken for x in xs if (key := id(x)) not in made}
    numbers = dict(zip([*inputs, *made], itertools.count(), strict=False))
    given = [
        (numbers[id(xs[0])], numbers[id(xs[1])])  # most take two: in half the time
        if len(xs) == 2
        else tuple([numbers[id(x)] for x in xs])
        for xs in taken
    ]
    wanted = uses.wanted_of(chain, made)
    ahead = len(inputs)
    return list(inputs.values()), given, [outputs[i] for i in wanted], [ahead + i for i in wanted]


@functools.lru_cache(maxsize=1024)
def known(dims: Dims | None) -> tuple[int, ...]:
    """Dims that are all known, as sizes."""
    return tuple(size for size in dims or () if size is not None)
