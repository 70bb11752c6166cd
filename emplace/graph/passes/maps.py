"""Chains of element-wise operations on large tensors of the host become one operation each.

Sums and means over all but the last axis end a chain and belong to it.

A value that nobody reads after a chain gives its memory to what the chain makes: to write where one
has just read costs a quarter of what it costs to write elsewhere, if caches do not hold both.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from ...base import dtypes, flags
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
from .chains import Chain, Root, Uses, known, made_of, one_like, with_chains

# Smaller tensors take less time than launching a kernel does.
LEAST_NUMBERS = 1 << 13
# Fewer operations would gain nothing.
_LEAST_OPERATIONS = 2


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
    return with_chains(operations, placed, results, skipped, root, _shape_of, _pays, _fused)


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
    name = operation.record.name
    if name != SPREADS and name not in SUMS and not is_pointwise(name, operation.attrs):
        return None
    if operation.inputs != operation.given or not operation.given:
        return None
    (y,) = operation.outputs
    whole = operation.given[0] if name in SUMS else y
    if not all(x.dtype is dtypes.float32 and x.is_fully_known for x in (y, *operation.given)):
        return None
    shape = known(whole.dims)
    if len(shape) < 2 or math.prod(shape) < LEAST_NUMBERS:
        return None
    if placed[operation].device.torch_device.type != "cpu":
        return None
    if name in SUMS:
        return shape if _is_over_rows(operation, shape) else None
    is_known = all(layout(known(x.dims), shape) for x in operation.given)
    return shape if is_known else None


def _is_over_rows(operation: Operation, shape: tuple[int, ...]) -> bool:
    """Whether it sums over all axes but the last."""
    if operation.record.name == "BiasAddGrad":
        return bool(operation.attrs.get("data_format", "NHWC") == "NHWC")
    axis = operation.attrs.get("axis")
    if axis is None:
        return False
    axes = {int(each) % len(shape) for each in np.ravel(axis)}
    return axes == set(range(len(shape) - 1))
