"""Gradients of `ops/array/joining.py`."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...ops.array import joining as j
from ...ops.array.gathering import gather
from ...ops.array.joining import concat, stack, unstack
from ...ops.array.select import where
from ...ops.array.shaping import reshape, shape
from ...ops.convert import to_tensor
from ...ops.math.elementwise import greater_equal, less, logical_and, subtract
from ...ops.variables.indexed_slices import IndexedSlices
from ..rules import Recorded, completed, gradient


@gradient(j.CONCAT, takes_slices=True)
def concat_grad(call: Recorded, dy: Any) -> Any:
    """Each input gets its part: of slices by index those of its rows, or its part of all."""
    axis = call.attrs["axis"] % len(call.outputs[0].shape)
    parts: list[Any] = []
    start = 0
    for value in call.inputs:
        end = start + value.shape[axis]
        if type(dy) is not IndexedSlices:
            parts.append(_between(dy, axis, start, end))
        elif axis:
            values = _between(dy.values, axis, start, end)
            parts.append(IndexedSlices(values, dy.indices, shape(value)))
        else:
            parts.append(_rows_between(dy, start, end, value))
        start = end
    return parts


def _between(x: Tensor, axis: int, start: int, end: int) -> Tensor:
    part: Tensor = x[(slice(None),) * axis + (slice(start, end),)]
    return part


def _rows_between(dy: IndexedSlices, start: int, end: int, like: Tensor) -> IndexedSlices:
    indices = to_tensor(dy.indices)
    inside = logical_and(greater_equal(indices, start), less(indices, end))
    places = reshape(where(inside), (-1,))
    rows = subtract(gather(indices, places), start)
    return IndexedSlices(gather(dy.values, places), rows, shape(like))


@gradient(j.PACK)
def pack_grad(call: Recorded, dy: Tensor) -> Any:
    """Each input gets its place."""
    return unstack(dy, num=len(call.inputs), axis=call.attrs["axis"])


@gradient(j.UNPACK)
def unpack_grad(call: Recorded, *dys: Tensor | None) -> Tensor:
    """The places side by side again."""
    return stack(completed(call, dys), axis=call.attrs["axis"])


@gradient(j.SPLIT, j.SPLIT_V)
def split_grad(call: Recorded, *dys: Tensor | None) -> Tensor:
    """The parts one after the other again."""
    return concat(completed(call, dys), call.attrs["axis"])
