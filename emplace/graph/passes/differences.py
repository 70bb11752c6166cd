"""What numbers differ from their mean by is computed again where a gradient takes it, far from
where it was computed first. A layer's input is kept for its gradient anyhow: to keep the
differences, too, would take as much memory once more, to be written and read.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Container, Mapping, Sequence

from ...base import dtypes
from ...codegen.pointwise import is_pointwise
from ...devices.device import HOST
from ...eager.place import Placement
from ...ops.infer import Spec
from ...ops.math.fused_map import layout
from ...ops.math.map_steps import FOLDS, SUMS, VIEWS
from ..representation.graph import Operation
from . import maps
from .chains import FRESH, Roots, known, wanted_of
from .makers import Makers
from .replacing import operation_like

#: Ops without which there is nothing to do.
NEEDED = frozenset({"Sub", "Mean"})
# What is made by others may be a variable's own memory, which changes.
_LASTING = FRESH | {"AddN", "ConcatV2", "_Grown"}
# What a pass over memory seldom goes across.
_BORDERS = FRESH | SUMS | FOLDS.keys()
_SAME = frozenset({*VIEWS, "Identity", "StopGradient"})


def with_repeated_differences(
    operations: list[Operation],
    placed: dict[Operation, Placement],
    results: Collection[int],
    roots: Roots,
) -> list[Operation]:
    """The same computation, with differences computed where they are taken.

    Args:
        operations: operations in an order in which they can run.
        placed: where they run; new ones are entered.
        results: ids of tensors that must get a value.
        roots: tensors whose values others have, by the ids of those others.
    """
    finder = _Differences(operations, placed, roots)
    lasting = wanted_of(results, roots)
    before: dict[int, list[Operation]] = defaultdict(list)
    takers: dict[int, Operation] = {}
    for place in finder.places:
        operation = operations[place]
        for group in finder.groups(place, lasting):
            again = operation_like(
                operation.record, operation.given, operation.attrs, operation,
                [Spec(operation.outputs[0].dims, dtypes.float32)],
            )  # fmt: skip
            placed[again] = placed[operation]
            before[group[0]].append(again)
            for i in group:
                takers[i] = _taking(takers.get(i, operations[i]), operation, again, roots)
                placed[takers[i]] = placed[operations[i]]
    if not before:
        return operations
    pairs = enumerate(operations)
    return [x for i, operation in pairs for x in (*before.get(i, ()), takers.get(i, operation))]


def _taking(taker: Operation, one: Operation, other: Operation, roots: Roots) -> Operation:
    """An operation that takes what another one makes."""
    old, new = one.outputs[0], other.outputs[0]
    inputs = [new if roots.get(id(x), x) is old else x for x in taker.inputs]
    return operation_like(taker.record, inputs, taker.attrs, taker, taker.outputs)


class _Differences:
    """Finds differences that are taken far from where they are made.

    Args:
        operations: operations in an order in which they can run.
        placed: where they run.
        roots: tensors whose values others have, by the ids of those others.
    """

    def __init__(
        self, operations: Sequence[Operation], placed: Mapping[Operation, Placement], roots: Roots
    ) -> None:
        self._operations = operations
        self._placed = placed
        self._makers = Makers(operations, roots, _SAME)
        #: The places of operations that may make differences.
        self.places: list[int] = []
        # By the ids of what those make: the places of operations that take it.
        self._takers: dict[int, list[int]] = {}
        # By place: how many operations up to there are borders.
        self._regions: list[int] = []
        takers, region = self._takers, 0
        for i, operation in enumerate(operations):
            for x in operation.inputs:
                key = id(x)
                found = takers.get(id(roots[key]) if key in roots else key)
                if found is not None and found[-1:] != [i]:
                    found.append(i)
            if operation.record.name == "Sub":
                takers[id(operation.outputs[0])] = []
                self.places.append(i)
            region += operation.record.name in _BORDERS
            self._regions.append(region)

    def groups(self, place: int, kept: Container[int]) -> list[list[int]]:
        """The places of those who take a difference, but for the first ones; those of a group are
        near to each other. Nothing where it is better kept, as those are whose ids are given.
        """
        operation = self._operations[place]
        key = id(operation.outputs[0])
        if key in kept or not self._is_difference(operation):
            return []
        takers = self._takers[key]
        if not all(self._is_in_pass(self._operations[i], operation) for i in takers):
            return []
        groups: dict[int, list[int]] = defaultdict(list)
        for i in takers:
            groups[self._regions[i]].append(i)
        return list(groups.values())[1:]

    def _is_difference(self, operation: Operation) -> bool:
        """Whether many numbers are taken that last, less fewer that were computed of others."""
        x, mean = map(self._makers.root, operation.given)
        (y,) = operation.outputs
        if not all(v.dtype is dtypes.float32 and v.is_fully_known for v in (x, mean, y)):
            return False
        shape = known(y.dims)
        if math.prod(shape) < maps.LEAST_NUMBERS or known(x.dims) != shape:
            return False
        if self._placed[operation].device.torch_device != HOST:
            return False
        if layout(known(mean.dims), shape) in ("", "full"):
            return False
        maker, of_mean = self._makers.behind(x), self._makers.behind(mean)
        if maker is None or of_mean is None or not _is_sum(of_mean.record.name):
            return False
        name = maker.record.name
        return name in _LASTING or is_pointwise(name, maker.attrs)

    def _is_in_pass(self, taker: Operation, operation: Operation) -> bool:
        """Whether what takes a difference is a part of a pass over memory."""
        name, (y,) = taker.record.name, operation.outputs
        if self._placed[taker].device is not self._placed[operation].device:
            return False
        if _is_sum(name):
            return True
        (made, *_) = taker.outputs
        return is_pointwise(name, taker.attrs) and made.dims == y.dims


def _is_sum(name: str) -> bool:
    """Whether numbers are made of many."""
    return name in SUMS or name in FOLDS
