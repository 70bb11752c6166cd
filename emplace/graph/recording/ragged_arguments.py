"""Ragged tensors among the arguments of functions, loops and branches: what a trace knows of them.

How many values their rows have differs from call to call, so no trace is made for their number:
it knows how many rows there are, and of what lies in them no more than rows of one length tell.
"""

from __future__ import annotations

from typing import Any

from ...base import nest
from ...base.dtypes import DType
from ...base.shapes import Dims
from ...core.ragged import RaggedTensor
from ...core.tensor import Tensor

Part = tuple[DType, Dims | None]


def ragged_among(values: Any) -> dict[int, list[Part]]:
    """What is known of the parts of each ragged tensor, by the place of its first part among all
    leaves."""
    found, place = {}, 0
    for each in nest.flatten(values):
        parts = nest.flatten(each, expand_composites=True)
        if isinstance(each, RaggedTensor) and isinstance(each.flat_values, Tensor):
            found[place] = _known_of(each)
        place += len(parts)
    return found


def with_common_rows(one: Any, other: Any) -> Any:
    """The first of two structures, in which rows are of one length where they are in both."""
    return nest.map_structure(_common, one, other)


def _common(one: Any, other: Any) -> Any:
    if not isinstance(one, RaggedTensor) or not isinstance(other, RaggedTensor):
        return one
    levels = zip(one.levels(), other.levels(), strict=True)
    pairs = [(a.uniform_length, b.uniform_length) for a, b in levels]
    return one.with_lengths([a if a == b else None for a, b in pairs])


def _known_of(ragged: RaggedTensor) -> list[Part]:
    """The flat values, then the splits from the outermost ones inwards."""
    dims = ragged.row_splits.shape.sizes
    rows = None if dims is None or dims[0] is None else dims[0] - 1
    splits: list[Part] = []
    level: Any = ragged
    while isinstance(level, RaggedTensor):
        splits.append((level.row_splits.dtype, (None if rows is None else rows + 1,)))
        length = level.uniform_length
        rows = None if rows is None or length is None else rows * length
        level = level.values
    inner = level.shape.sizes
    return [(level.dtype, None if inner is None else (rows, *inner[1:])), *splits]
