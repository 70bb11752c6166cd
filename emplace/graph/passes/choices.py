"""Choices between numbers by how others compare need no bools in memory, as dropout keeps them: a
comparison that choices alone take goes into each of them, and they into passes over memory.
"""

from __future__ import annotations

from ...base import dtypes
from ...ops.math.choices import CHOICES
from ...ops.math.fused_map import layout
from ..representation.graph import Operation, SymbolicTensor
from . import maps
from .chains import known
from .replacing import Replacing, operation_like

#: Ops without which there is nothing to do.
NEEDED = frozenset({"SelectV2"})


def fuse_choices(replacing: Replacing) -> None:
    """Replaces such comparisons and choices."""
    for comparison in replacing.operations():
        if comparison.record.name not in CHOICES or not replacing.is_on_host(comparison):
            continue
        takers = replacing.takers(comparison.outputs[0])
        if takers and all(_is_choice(each, comparison, replacing) for each in takers):
            _fuse(comparison, list(takers), replacing)


def _is_choice(taker: Operation, comparison: Operation, replacing: Replacing) -> bool:
    """Whether an operation chooses between many numbers, by a comparison of as many or less."""
    if taker.record.name not in NEEDED or not replacing.is_beside(taker, comparison):
        return False
    given = [*comparison.given, *taker.given[1:]]
    (y,) = taker.outputs
    if not all(_are_floats(x) for x in (y, *given)):
        return False
    shape = known(y.dims)
    return maps.count_numbers(shape) >= maps.LEAST_NUMBERS and all(
        layout(known(x.dims), shape) for x in given
    )


def _are_floats(x: SymbolicTensor) -> bool:
    return x.dtype is dtypes.float32 and x.is_fully_known


def _fuse(comparison: Operation, takers: list[Operation], replacing: Replacing) -> None:
    record = CHOICES[comparison.record.name]
    for taker in takers:
        given = [*comparison.given, *taker.given[1:]]
        made = operation_like(record, given, {}, taker, taker.outputs)
        gone = [comparison] if taker is takers[-1] else []
        replacing.replace(taker, gone, made)
