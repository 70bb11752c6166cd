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
from ...codegen.pointwise import is_pointwise
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
from .chains import Chain, Roots, Uses, known, made_of, one_like, with_chains

# Smaller tensors take less time than launching a kernel does.
LEAST_NUMBERS = 1 << 13
# Fewer operations would gain nothing.
_LEAST_OPERATIONS = 2


def with_fused_maps(
    operations: Sequence[Operation],
    placed: dict[Operation, Placement],
    results: Collection[int],
    skipped: Collection[Operation],
    roots: Roots,
) -> list[Operation]:
    """The same computation, with chains of element-wise operations as one operation each.

    Args:
        operations: operations in an order in which they can run.
        placed: where they run; new ones are entered.
        results: ids of tensors that must get a value.
        skipped: operations that will not run.
        roots: tensors whose values others have, by the ids of those others.
    """
    if not are_maps_fused():
        return list(operations)
    return with_chains(operations, placed, results, skipped, roots, _shape_of, _pays, _fused)


def are_maps_fused() -> bool:
    """Whether chains become one operation each at all."""
    return bool(flags.FUSE.value() and flags.MACHINE_CODE.value())


def _pays(chain: Chain) -> bool:
    """Whether a chain has enough operations that do something."""
    names = chain.names
    is_costly = not COSTLY.isdisjoint(names)
    return len(names) - names.count(SPREADS) + is_costly >= _LEAST_OPERATIONS


def _fused(chain: Chain, uses: Uses) -> Operation:
    """The operation that does what a chain does."""
    inputs, given, wanted, numbers = made_of(chain, uses)
    steps = [
        MapStep(member.record.name, values, member.record.kernel, member.attrs)
        for member, values in zip(chain.members, given, strict=True)
    ]
    sizes = [known(x.dims) for x in inputs]
    dying = [i for i, x in enumerate(inputs) if sizes[i] == chain.shape and uses.dies_in(x, chain)]
    fused = FusedMap(chain.shape, sizes, steps, numbers, dying)
    return one_like(chain, FUSED_MAP, inputs, {"map": fused}, wanted)


def _shape_of(
    operation: Operation, placed: Mapping[Operation, Placement]
) -> tuple[int, ...] | None:
    """The shape of the values that an operation maps or sums; None if it is no part of a map."""
    name, given = operation.record.name, operation.given
    is_sum = name in SUMS
    if not is_sum and name != SPREADS and not is_pointwise(name, operation.attrs):
        return None
    if not given or len(given) != len(operation.inputs):
        return None
    (y,) = operation.outputs
    whole = (given[0] if is_sum else y).dims
    if _numbers(whole) < LEAST_NUMBERS or not all(
        x.dtype is dtypes.float32 and x.is_fully_known for x in (y, *given)
    ):
        return None
    shape = known(whole)
    if placed[operation].device.torch_device.type != "cpu":
        return None
    if is_sum:
        return shape if _is_over_rows(operation, shape) else None
    return shape if all(layout(known(x.dims), shape) for x in given) else None


@functools.lru_cache(maxsize=1024)
def _numbers(dims: Dims | None) -> int:
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
