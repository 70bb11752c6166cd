"""Chains of element-wise operations on large tensors of the host become one operation each.

Sums and means over all but the last axis end a chain and belong to it. Sums, means and maxima along
rows belong to it, with what is computed of a number for each row, and what takes that.

A value that nobody reads after a chain gives its memory to what the chain makes: to write where one
has just read costs a quarter of what it costs to write elsewhere, if caches do not hold both.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Mapping, Sequence

from ...base import dtypes, flags
from ...base.shapes import Dims
from ...codegen.pointwise import POINTWISE, is_pointwise
from ...devices.device import HOST
from ...eager.place import Placement
from ...ops.math.fused_map import COSTLY, FUSED_MAP, FusedMap, layout
from ...ops.math.fused_rows import reshaped
from ...ops.math.map_steps import (
    COLUMN,
    FOLD,
    FOLDS,
    SPREADS,
    SUMS,
    TOTAL,
    VIEWS,
    WHOLE,
    Gives,
    MapStep,
    is_fold,
    is_total as is_total_of,
)
from ..representation.graph import Operation
from .chains import FRESH, Chain, ChainKind, Roots, Uses, is_total, known, made_of, with_chains
from .replacing import operation_like

# Smaller tensors take less time than launching a kernel does.
LEAST_NUMBERS = 1 << 13
# Shorter rows are folded faster by torch, and longer ones more exactly: machine code adds up a row
# number after number, in as many sums as a vector has places.
_TO_FOLD = range(4, (1 << 12) + 1)
# One operation alone would gain nothing, but for some.
_LEAST_OPERATIONS = 2
#: Ops that add up any number of values, two at a time.
SUMS_OF_MANY = frozenset({"AddN"})


def with_fused_maps(
    operations: list[Operation],
    placed: dict[Operation, Placement],
    results: Collection[int],
    roots: Roots,
) -> list[Operation]:
    """The same computation, with chains of element-wise operations as one operation each.

    Args:
        operations: operations in an order in which they can run.
        placed: where they run; new ones are entered.
        results: ids of tensors that must get a value.
        roots: tensors whose values others have, by the ids of those others.
    """
    if not are_maps_fused() or not any(map(_is_large, operations)):
        return operations
    finder = _MapFinder(roots)
    kind = ChainKind(
        _NAMES, finder.shape_of, finder.pays, finder.fused, _LEAST_OPERATIONS,
        alone=COSTLY | SUMS_OF_MANY, others=FRESH,
    )  # fmt: skip
    return with_chains(operations, placed, results, roots, kind)


def are_maps_fused() -> bool:
    """Whether chains become one operation each at all."""
    return bool(flags.FUSE.value() and flags.MACHINE_CODE_SWITCH.is_on())


class _MapFinder:
    """Finds operations that maps may have, in their order, and makes maps of them.

    Args:
        roots: tensors whose values others have, by the ids of those others.
    """

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        # For a number for each row, by the ids of tensors: the shape of the map that makes it.
        self._columns: dict[int, tuple[int, ...]] = {}

    # -- what a map may have --------------------------------------------------------------------

    def shape_of(
        self, operation: Operation, placed: Mapping[Operation, Placement]
    ) -> tuple[int, ...] | None:
        """The shape of the values that an operation maps, sums or folds; None if it is no part of a
        map.
        """
        given = operation.given
        if not given or len(given) != len(operation.inputs):
            return None
        shape = self._shape_of_column(operation) if self._columns else None
        if shape is None:
            shape = _shape_of_whole(operation)
            if shape is not None and self._are_rows_meant(operation, shape):
                return None
        if shape is None or placed[operation].device.torch_device != HOST:
            return None
        (y,) = operation.outputs
        # Rows of one number are not folded: what has their shape is all numbers.
        if shape[-1] > 1 and y.dims in _of_columns(shape) and not is_total(operation):
            self._columns[id(y)] = shape
        return shape

    def _shape_of_column(self, operation: Operation) -> tuple[int, ...] | None:
        """The shape of the map, of an operation on a number for each row."""
        name, (y, *_) = operation.record.name, operation.outputs
        if name not in VIEWS and not is_pointwise(name, operation.attrs):
            return None
        given = [self._roots.get(id(x), x) for x in operation.given]
        shapes = {self._columns[id(x)] for x in given if id(x) in self._columns}
        if len(shapes) != 1 or y.dtype is not dtypes.float32:
            return None
        (shape,) = shapes
        if y.dims not in _of_columns(shape):
            return None
        if name in VIEWS:
            return shape
        column = _of_columns(shape)[0]
        for x in given:
            if x.dtype is not dtypes.float32 or not x.is_fully_known:
                return None
            is_like = x.dims == y.dims and (id(x) in self._columns or x.dims == column)
            if not is_like and math.prod(known(x.dims)) != 1:
                return None
        return shape

    def _are_rows_meant(self, operation: Operation, shape: tuple[int, ...]) -> bool:
        """Whether numbers of rows are taken for a row itself, as x - max(x, -1) does."""
        given = [self._roots.get(id(x), x) for x in operation.given]
        return any(
            self._columns.get(id(x)) == shape and x.dims != _of_columns(shape)[0] for x in given
        )

    def _gives(self, operation: Operation) -> Gives:
        if is_total(operation):
            return TOTAL
        if id(operation.outputs[0]) not in self._columns:
            return WHOLE
        return FOLD if operation.record.name in FOLDS else COLUMN

    # -- maps -----------------------------------------------------------------------------------

    def pays(self, members: Sequence[Operation]) -> bool:
        """Whether torch would go through memory more than once."""
        passes = 0
        for member in members:
            passes += 0 if self._gives(member) is COLUMN else _passes(member)
            if passes > 1:
                return True
        return False

    def fused(self, chain: Chain, uses: Uses) -> Operation:
        """The operation that does what a chain does."""
        members = uses.members(chain)
        inputs, given, wanted, numbers = made_of(chain, members, uses)
        steps = [self._step(x, values) for x, values in zip(members, given, strict=True)]
        sizes = [known(x.dims) for x in inputs]
        for i, x in enumerate(inputs):
            if self._columns.get(id(x)) == chain.shape:
                sizes[i] = _of_columns(chain.shape)[0]
        dying = [
            i for i, x in enumerate(inputs) if sizes[i] == chain.shape and uses.dies_in(x, chain)
        ]
        fused = FusedMap(chain.shape, sizes, steps, numbers, dying)
        uses.tell_made(chain)
        return operation_like(FUSED_MAP, inputs, {"map": fused}, members[-1], wanted)

    def _step(self, member: Operation, values: tuple[int, ...]) -> MapStep:
        gives, record = self._gives(member), member.record
        dims = known(member.outputs[0].dims) if gives in (FOLD, COLUMN) else ()
        if record.name in VIEWS:
            return MapStep(record.name, values, reshaped, {"shape": dims}, gives, dims)
        return MapStep(record.name, values, record.kernel, member.attrs, gives, dims)


def _of_columns(shape: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shapes that a number for each row may have."""
    return (*shape[:-1], 1), shape[:-1]


def _passes(operation: Operation) -> int:
    """How often torch goes through memory for an operation, or so many times as long."""
    name = operation.record.name
    if name in SUMS_OF_MANY:
        return len(operation.given) - 1
    return 0 if name == SPREADS else 2 if name in COSTLY else 1


def _shape_of_whole(operation: Operation) -> tuple[int, ...] | None:
    """The shape of the values that an operation maps, sums or folds; None as above."""
    if not _is_large(operation):
        return None
    name, given, y = operation.record.name, operation.given, operation.outputs[0]
    is_reduction = name in _REDUCTIONS
    whole = (given[0] if is_reduction else y)._dims
    if not is_reduction and name not in _OTHERS and not is_pointwise(name, operation.attrs):
        return None
    for x in (y, *given):
        if x._dtype is not dtypes.float32 or not x.is_fully_known:
            return None
    shape = known(whole)
    if is_reduction:
        if is_fold(name, operation.attrs, len(shape)):
            return shape if shape[-1] in _TO_FOLD else None
        return shape if is_total_of(name, operation.attrs, len(shape)) else None
    if name == "Softmax" and shape[-1] not in _TO_FOLD:
        return None
    return shape if all(layout(known(x.dims), shape) for x in given) else None


def _is_large(operation: Operation) -> bool:
    """Whether what an operation makes, or goes through to reduce it, is many numbers."""
    among = operation.given if operation.record.name in _REDUCTIONS else operation.outputs
    return bool(among) and count_numbers(among[0]._dims) >= LEAST_NUMBERS


@functools.lru_cache(maxsize=1024)
def count_numbers(dims: Dims | None) -> int:
    """How many numbers there are in rows; -1 for what is no rows, or of unknown size."""
    return -1 if dims is None or None in dims or len(dims) < 2 else math.prod(known(dims))


_REDUCTIONS = SUMS | FOLDS.keys()
#: Other ops that maps may have.
_OTHERS = frozenset({SPREADS, "Softmax"})
_NAMES = frozenset({*POINTWISE, *SUMS, *FOLDS, *VIEWS, *_OTHERS})
