"""Chains of element-wise operations on large tensors of the host become one operation each.

Sums and means over all but the last axis end a chain and belong to it.

A value that nobody reads after a chain gives its memory to what the chain makes: to write where one
has just read costs a quarter of what it costs to write elsewhere, if caches do not hold both.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from ...base import dtypes, flags
from ...base.shapes import Dims
from ...codegen.pointwise import POINTWISE, is_pointwise
from ...eager.place import Placement
from ...ops.math.fused_map import (
    COSTLY,
    FUSED_MAP,
    SPREADS,
    SUMS,
    FusedMap,
    MapStep,
    layout,
)
from ..representation.graph import Operation
from .chains import FRESH, Chain, ChainKind, Roots, Uses, known, made_of, with_chains
from .replacing import operation_like

# Smaller tensors take less time than launching a kernel does.
LEAST_NUMBERS = 1 << 13
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
    if not are_maps_fused():
        return operations
    return with_chains(operations, placed, results, roots, _MAPS)


def are_maps_fused() -> bool:
    """Whether chains become one operation each at all."""
    return bool(flags.FUSE.value() and flags.MACHINE_CODE.value())


def _pays(members: Sequence[Operation]) -> bool:
    """Whether torch would go through memory more than once."""
    return sum(map(_passes, members)) > 1


def _passes(operation: Operation) -> int:
    """How often torch goes through memory for an operation, or so many times as long."""
    name = operation.record.name
    if name in SUMS_OF_MANY:
        return len(operation.given) - 1
    return 0 if name == SPREADS else 2 if name in COSTLY else 1


def _fused(chain: Chain, uses: Uses) -> Operation:
    """The operation that does what a chain does."""
    members = uses.members(chain)
    inputs, given, wanted, numbers = made_of(chain, members, uses)
    steps = [
        MapStep(member.record.name, values, member.record.kernel, member.attrs)
        for member, values in zip(members, given, strict=True)
    ]
    sizes = [known(x.dims) for x in inputs]
    dying = [i for i, x in enumerate(inputs) if sizes[i] == chain.shape and uses.dies_in(x, chain)]
    fused = FusedMap(chain.shape, sizes, steps, numbers, dying)
    uses.tell_made(chain)
    return operation_like(FUSED_MAP, inputs, {"map": fused}, members[-1], wanted)


def _shape_of(
    operation: Operation, placed: Mapping[Operation, Placement]
) -> tuple[int, ...] | None:
    """The shape of the values that an operation maps or sums; None if it is no part of a map."""
    name, given = operation.record.name, operation.given
    if not given or len(given) != len(operation.inputs):
        return None
    is_sum = name in SUMS
    (y,) = operation.outputs
    whole = (given[0] if is_sum else y)._dims
    if count_numbers(whole) < LEAST_NUMBERS:
        return None
    if not is_sum and name != SPREADS and not is_pointwise(name, operation.attrs):
        return None
    if not all(x.dtype is dtypes.float32 and x.is_fully_known for x in (y, *given)):
        return None
    shape = known(whole)
    if placed[operation].device.torch_device.type != "cpu":
        return None
    if is_sum:
        return shape if _is_over_rows(operation, shape) else None
    return shape if all(layout(known(x.dims), shape) for x in given) else None


@functools.lru_cache(maxsize=1024)
def count_numbers(dims: Dims | None) -> int:
    """How many numbers there are in rows; -1 for what is no rows, or of unknown size."""
    return -1 if dims is None or None in dims or len(dims) < 2 else math.prod(known(dims))


def _is_over_rows(operation: Operation, shape: tuple[int, ...]) -> bool:
    """Whether it sums over all axes but the last."""
    if operation.record.name == "BiasAddGrad":
        return bool(operation.attrs.get("data_format", "NHWC") == "NHWC")
    axis = operation.attrs.get("axis")
    if axis is None:
        return False
    axes = {int(each) % len(shape) for each in np.ravel(axis)}
    return axes == set(range(len(shape) - 1))


_MAPS = ChainKind(
    frozenset({*POINTWISE, *SUMS, SPREADS}), _shape_of, _pays, _fused, _LEAST_OPERATIONS,
    alone=COSTLY | SUMS_OF_MANY, others=FRESH,
)  # fmt: skip
