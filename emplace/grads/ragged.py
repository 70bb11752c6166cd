"""Gradients of the ops over rows of ragged tensors."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from ..ops.array.gathering import gather
from ..ops.array.shaping import axis_size
from ..ops.op import apply
from ..ops.ragged.rows import RAGGED_RANGE, REDUCE_ROWS, ROW_IDS
from .rules import Recorded, generic_gradient, gradient, not_differentiable

not_differentiable(RAGGED_RANGE)


@gradient(REDUCE_ROWS)
def reduce_rows_grad(call: Recorded, dy: Tensor) -> Any:
    """Of a sum: each value gets its row's gradient. Of anything else: the generic rule."""
    if call.attrs["how"] != "sum":
        return generic_gradient(call, (dy,))
    count = {"count": axis_size(call.inputs[0], 0)}
    return gather(dy, apply(ROW_IDS, (call.inputs[1],), count)), None
