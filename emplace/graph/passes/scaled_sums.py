"""A multiple by a known number that is only added to something, or subtracted from it, is no value
of its own: steps of optimizers, running averages, decays. On tensors for which no pass over memory
was saved before, a call is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from ...base import dtypes
from ...eager.place import Placement
from ...ops.math.scaled_sums import SCALED_DIFFERENCE, SCALED_SUM
from ..representation.graph import Operation, SymbolicTensor
from .chains import Roots, wanted_of
from .constant_folding import static_value
from .replacing import operation_like

_PRODUCT = "Mul"
_SUMS = frozenset({"AddV2", "Add"})
_DIFFERENCE = "Sub"
#: Ops without which there is nothing to do.
NEEDED = frozenset({_PRODUCT})
_TYPES = (dtypes.float32, dtypes.float64)


class _Multiple(NamedTuple):
    """A product by a known number: the operation, what is multiplied, and the number."""

    made_by: Operation
    of: SymbolicTensor
    number: float


def with_scaled_sums(
    operations: list[Operation],
    placed: dict[Operation, Placement],
    results: Collection[int],
    roots: Roots,
) -> list[Operation]:
    """The same computation, with such multiples as part of sums.

    Args:
        operations: operations in an order in which they can run.
        placed: where they run; new ones are entered.
        results: ids of tensors that must get a value.
        roots: tensors whose values others have, by the ids of those others.
    """
    multiples = _multiples(operations, wanted_of(results, roots), roots)
    if not multiples:
        return operations
    made: list[Operation] = []
    gone: set[Operation] = set()
    for operation in operations:
        one = _scaled_sum(operation, multiples, placed, roots)
        if one is not None:
            again, multiple = one
            placed[again] = placed[operation]
            gone.add(multiple.made_by)
            operation = again
        made.append(operation)
    return [operation for operation in made if operation not in gone]


def _multiples(
    operations: list[Operation], wanted: Collection[int], roots: Roots
) -> dict[int, _Multiple]:
    """The multiples that only one operation takes, once, by the ids of what they are."""
    found: dict[int, _Multiple] = {}
    for operation in operations:
        if operation.record.name == _PRODUCT:
            multiple = _as_multiple(operation)
            if multiple is not None and id(operation.outputs[0]) not in wanted:
                found[id(operation.outputs[0])] = multiple
    if not found:
        return found
    times = dict.fromkeys(found, 0)
    for operation in operations:
        for x in operation.inputs:
            key = id(roots.get(id(x), x))
            if key in times:
                times[key] += 1
    return {key: multiple for key, multiple in found.items() if times[key] == 1}


def _as_multiple(product: Operation) -> _Multiple | None:
    (y,) = product.outputs
    if y._dtype not in _TYPES or len(product.given) != 2:
        return None
    for x, factor in (product.given, product.given[::-1]):
        if factor._dims == () and x._dims == y._dims:
            number = static_value(factor)
            if number is not None:
                return _Multiple(product, x, float(number))
    return None


def _scaled_sum(
    operation: Operation, multiples: Mapping[int, _Multiple],
    placed: Mapping[Operation, Placement], roots: Roots,
) -> tuple[Operation, _Multiple] | None:  # fmt: skip
    """What an operation is with a multiple as its part, and that; None if it has none."""
    name = operation.record.name
    if name in _SUMS:
        pairs = [(1, SCALED_SUM), (0, SCALED_SUM)]
    elif name == _DIFFERENCE:
        pairs = [(1, SCALED_DIFFERENCE)]
    else:
        return None
    if len(operation.given) != 2:
        return None
    for place, record in pairs:
        x = operation.given[place]
        multiple = multiples.get(id(roots.get(id(x), x)))
        if multiple is None or placed[multiple.made_by].device is not placed[operation].device:
            continue
        inputs = (operation.given[1 - place], multiple.of)
        attrs = {"alpha": multiple.number}
        return operation_like(record, inputs, attrs, operation, operation.outputs), multiple
    return None
