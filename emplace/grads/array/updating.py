"""Gradients of `ops/array/updating.py`."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...ops.array.making import zeros_like
from ...ops.array.shaping import axis_size
from ...ops.array.updating import SLICE_AT, UPDATE_SLICE
from ...ops.op import apply
from ..rules import Recorded, gradient


@gradient(UPDATE_SLICE)
def update_slice_grad(call: Recorded, dy: Tensor) -> Any:
    """Zeros where the block went; the block itself for the update."""
    _, update, indices = call.inputs
    rest = apply(UPDATE_SLICE, (dy, zeros_like(update), indices)) if call.needs(0) else None
    block = None
    if call.needs(1):
        sizes = tuple(axis_size(update, i) for i in range(len(update.shape)))
        block = apply(SLICE_AT, (dy, indices), {"size_indices": sizes})
    return rest, block, None


@gradient(SLICE_AT)
def slice_at_grad(call: Recorded, dy: Tensor) -> Any:
    """Zeros around the block."""
    input, start_indices = call.inputs
    return apply(UPDATE_SLICE, (zeros_like(input), dy, start_indices)), None
