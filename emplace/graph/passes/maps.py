"""Chains of element-wise operations on large tensors of the host become one operation each.

A chain takes in an operation that uses what it makes, as long as nobody outside has used a value of
the chain before: so the chain can run where its last operation stood. Sums and means over all but
the last axis end a chain and belong to it.

A value that nobody reads after a chain gives its memory to what the chain makes: to write where one
has just read costs a quarter of what it costs to write elsewhere, if caches do not hold both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from ...base import dtypes, flags
from ...base.shapes import Dims
from ...codegen.pointwise import is_pointwise
from ...devices.device import Device
from ...eager.place import Placement
from ...ops.infer import Spec
from ...ops.math.fused_map import (
    COSTLY,
    FUSED_MAP,
    SPREADS,
    SUMS,
    FusedMap,
    MapStep,
    layout,
)
from ..representation.graph import Operation, SymbolicTensor

# Smaller tensors take less time than launching a kernel does.
LEAST_NUMBERS = 1 << 13
# Fewer operations would gain nothing.
_LEAST_OPERATIONS = 2
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


class _Chain:
    """Operations on values of one shape, on one device, that will be one operation."""

    def __init__(self, shape: tuple[int, ...], device: Device, first: Operation) -> None:
        self.shape = shape
        self.device = device
        self.members: dict[Operation, None] = {first: None}

    @property
    def pays(self) -> bool:
        """Whether it has enough operations that do something."""
        names = [member.record.name for member in self.members]
        is_costly = not COSTLY.isdisjoint(names)
        return len(names) - names.count(SPREADS) + is_costly >= _LEAST_OPERATIONS


def with_fused_maps(
    operations: Sequence[Operation],
    placed: dict[Operation, Placement],
    results: Collection[int],
    skipped: Collection[Operation],
    root: Root,
) -> list[Operation]:
    """The same computation, with chains of element-wise operations as one operation each.

    Args:
        operations: operations in an order in which they can run.
        placed: where they run; new ones are entered.
        results: ids of tensors that must get a value.
        skipped: operations that will not run.
        root: the tensor whose value a tensor has.
    """
    if not are_maps_fused():
        return list(operations)
    shapes = {
        operation: shape
        for operation in operations
        if (shape := _shape_of(operation, placed)) is not None and operation not in skipped
    }
    if not shapes:
        return list(operations)
    uses = _Uses(operations, skipped, results, root, placed)
    chains: dict[Operation, _Chain] = {}
    for operation, shape in shapes.items():
        chains[operation] = _Chain(shape, placed[operation].device, operation)
        for x in operation.given:
            _join(chains, root(x).op, operation, uses)
    sharers: dict[_Chain, list[Operation]] = {}
    for operation in skipped:
        chain = chains.get(root(operation.outputs[0]).op)
        if chain is not None and chain.pays:
            sharers.setdefault(chain, []).append(operation)
    return _replaced(operations, chains, sharers, placed, uses)


def are_maps_fused() -> bool:
    """Whether chains become one operation each at all."""
    return bool(flags.FUSE.value() and flags.MACHINE_CODE.value())


class _Uses:
    """Who takes which tensor, and when."""

    def __init__(
        self, operations: Sequence[Operation], skipped: Collection[Operation],
        kept: Collection[int], root: Root, placed: Mapping[Operation, Placement],
    ) -> None:  # fmt: skip
        self.root = root
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

    def are_within(self, chain: _Chain, joined: _Chain, last: Operation) -> bool:
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

    def is_wanted(self, y: SymbolicTensor, chain: _Chain) -> bool:
        """Whether somebody outside of a chain takes a value."""
        takers = self._takers.get(id(y), ())
        return id(y) in self._kept or any(taker not in chain.members for taker in takers)

    def tell_made(self, chain: _Chain) -> None:
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

    def dies_in(self, x: SymbolicTensor, chain: _Chain) -> bool:
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
    chains: dict[Operation, _Chain], maker: Operation, operation: Operation, uses: _Uses
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


def _replaced(
    operations: Sequence[Operation], chains: Mapping[Operation, _Chain],
    sharers: Mapping[_Chain, Sequence[Operation]], placed: dict[Operation, Placement], uses: _Uses,
) -> list[Operation]:  # fmt: skip
    """The operations, with a chain where its last member stood, followed by those that share a
    value of it and do not run.
    """
    moved = {each for those in sharers.values() for each in those}
    made: list[Operation] = []
    for operation in operations:
        chain = chains.get(operation)
        if chain is None or not chain.pays:
            if operation not in moved:
                made.append(operation)
        elif operation is next(reversed(chain.members)):
            one = _fused(chain, uses)
            placed[one] = placed[operation]
            uses.tell_made(chain)
            made += (one, *sharers.get(chain, ()))
    return made


def _fused(chain: _Chain, uses: _Uses) -> Operation:
    """The operation that does what a chain does."""
    members = list(chain.members)
    inside = {id(y) for member in members for y in member.outputs}
    inputs: dict[int, SymbolicTensor] = {}
    for member in members:
        for x in map(uses.root, member.given):
            if id(x) not in inside:
                inputs.setdefault(id(x), x)
    numbers = {key: i for i, key in enumerate(inputs)}
    steps = []
    for member in members:
        given = tuple(numbers[id(uses.root(x))] for x in member.given)
        steps.append(MapStep(member.record.name, given, member.record.kernel, member.attrs))
        numbers[id(member.outputs[0])] = len(numbers)
    wanted = [y for member in members for y in member.outputs if uses.is_wanted(y, chain)]
    sizes = [_known(x.dims) for x in inputs.values()]
    dying = [
        i for i, x in enumerate(inputs.values())
        if sizes[i] == chain.shape and uses.dies_in(x, chain)
    ]  # fmt: skip
    fused = FusedMap(chain.shape, sizes, steps, [numbers[id(y)] for y in wanted], dying)
    last, specs = members[-1], [Spec(y.dims, y.dtype) for y in wanted]
    one = Operation(
        last.graph, FUSED_MAP, list(inputs.values()), {"map": fused}, specs, last.device, 0
    )
    one.name, one.place, one.groups = last.name, last.place, last.groups
    one.outputs = list(wanted)
    return one


def _shape_of(
    operation: Operation, placed: Mapping[Operation, Placement]
) -> tuple[int, ...] | None:
    """The shape of the values that an operation maps or sums; None if it is no part of a map."""
    name = operation.record.name
    if name != SPREADS and name not in SUMS and not is_pointwise(name, operation.attrs):
        return None
    if operation.inputs != operation.given or not operation.given:
        return None
    (y,) = operation.outputs
    whole = operation.given[0] if name in SUMS else y
    if not all(x.dtype is dtypes.float32 and x.is_fully_known for x in (y, *operation.given)):
        return None
    shape = _known(whole.dims)
    if len(shape) < 2 or math.prod(shape) < LEAST_NUMBERS:
        return None
    if placed[operation].device.torch_device.type != "cpu":
        return None
    if name in SUMS:
        return shape if _is_over_rows(operation, shape) else None
    is_known = all(layout(_known(x.dims), shape) for x in operation.given)
    return shape if is_known else None


def _known(dims: Dims | None) -> tuple[int, ...]:
    return tuple(size for size in dims or () if size is not None)


def _is_over_rows(operation: Operation, shape: tuple[int, ...]) -> bool:
    """Whether it sums over all axes but the last."""
    if operation.record.name == "BiasAddGrad":
        return bool(operation.attrs.get("data_format", "NHWC") == "NHWC")
    axis = operation.attrs.get("axis")
    if axis is None:
        return False
    axes = {int(each) % len(shape) for each in np.ravel(axis)}
    return axes == set(range(len(shape) - 1))
