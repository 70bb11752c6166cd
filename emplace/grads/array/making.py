"""Gradients of `ops/array/making.py`."""

from __future__ import annotations

from ...core.tensor import Tensor
from ...ops.array import making as m
from ...ops.math.reduction import reduce_sum
from ..rules import Recorded, gradient, not_differentiable

not_differentiable(m.RANGE, m.ONE_HOT, m.ZEROS_LIKE, m.ONES_LIKE)


@gradient(m.FILL)
def fill_grad(call: Recorded, dy: Tensor) -> Tensor:
    """One value everywhere."""
    return reduce_sum(dy)
