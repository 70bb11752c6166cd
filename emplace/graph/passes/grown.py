"""Concatenations upon each other, as a dense block of layers has them, become columns that are
added where the earlier ones lie: each of them would copy all that came before.

All of them are views of the memory of the last one, which lies as it would without this; so the
others must be results of nobody, and be read by what reads rows that lie apart as fast.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...base.shapes import num_elements
from ...codegen.pointwise import is_pointwise
from ...devices.device import HOST
from ...eager.place import Placement
from ...ops.array.grown import GROWN
from ...ops.math.map_steps import SUMS
from ..representation.graph import Operation, SymbolicTensor
from .chains import Root, Roots, wanted_of
from .maps import are_maps_fused
from .replacing import operation_like

# Smaller tensors take less time to copy than a call takes.
LEAST_NUMBERS = 1 << 13
_CONCATENATION = "ConcatV2"


def with_grown_columns(
    operations: list[Operation],
    placed: dict[Operation, Placement],
    results: Collection[int],
    roots: Roots,
) -> list[Operation]:
    """The same computation, with concatenations upon each other in one piece of memory.

    Args:
        operations: operations in an order in which they can run.
        placed: where they run; new ones are entered.
        results: ids of tensors that must get a value.
        roots: tensors whose values others have, by the ids of those others.
    """
    if not are_maps_fused():
        return operations
    candidates = {
        operation
        for operation in operations
        if operation.record.name == _CONCATENATION and _is_of_columns(operation, placed)
    }
    if len(candidates) < 2:
        return operations
    wanted = wanted_of(results, roots)
    nexts = _nexts(operations, candidates, wanted, placed, lambda x: roots.get(id(x), x))
    replacements = _replacements(nexts, placed)
    return [replacements.get(operation, operation) for operation in operations]


def _nexts(
    running: Sequence[Operation],
    candidates: Collection[Operation],
    wanted: Collection[int],
    placed: dict[Operation, Placement],
    root: Root,
) -> dict[Operation, Operation]:
    """By concatenation: the one that adds columns to what it makes, on the same device."""
    takers: dict[int, list[Operation]] = {}
    for operation in running:
        for x in operation.inputs:
            takers.setdefault(id(root(x)), []).append(operation)
    found = {}
    for operation in candidates:
        y = operation.outputs[0]
        later = None if id(y) in wanted else _next(y, takers.get(id(y), ()), candidates, root)
        if later is not None and placed[later].device is placed[operation].device:
            found[operation] = later
    return found


def _is_of_columns(operation: Operation, placed: dict[Operation, Placement]) -> bool:
    """Whether it puts two large tensors of the host beside each other along their last axis."""
    (y,) = operation.outputs
    if len(operation.given) != 2 or operation.inputs != operation.given or operation.control:
        return False
    if y.dtype not in GROWN.types["T"] or not y.is_fully_known or len(y.dims or ()) < 2:
        return False
    if not all(x.is_fully_known for x in operation.given) or num_elements(y.dims) < LEAST_NUMBERS:
        return False
    axis = operation.attrs.get("axis")
    if axis not in (-1, len(y.dims or ()) - 1):
        return False
    # The block is there from its first concatenation on: more than whoever counts is told of.
    device = placed[operation].device
    return device.torch_device == HOST and device.budget is None


def _next(
    y: SymbolicTensor, takers: Collection[Operation], candidates: Collection[Operation], root: Root
) -> Operation | None:
    """The one concatenation that adds columns to a tensor, if all else that takes it is part of a
    pass over memory.
    """
    later = [taker for taker in takers if taker in candidates]
    if len(later) != 1 or root(later[0].given[0]) is not y or root(later[0].given[1]) is y:
        return None
    others = (taker for taker in takers if taker is not later[0])
    is_read_by_rows = all(
        is_pointwise(taker.record.name, taker.attrs) or taker.record.name in SUMS
        for taker in others
    )
    return later[0] if is_read_by_rows else None


def _replacements(
    nexts: dict[Operation, Operation], placed: dict[Operation, Placement]
) -> dict[Operation, Operation]:
    made: dict[Operation, Operation] = {}
    for first in nexts.keys() - set(nexts.values()):
        chain = [first]
        while chain[-1] in nexts:
            chain.append(nexts[chain[-1]])
        dims = chain[-1].outputs[0].dims or ()
        for operation in chain:
            attrs = {"whole": dims[-1], "begins": operation is first}
            one = operation_like(GROWN, operation.given, attrs, operation, operation.outputs)
            placed[one] = placed[operation]
            made[operation] = one
    return made
