"""Gradients of `ops/math/statistics.py`; the rest of it is made of ops that have some."""

from __future__ import annotations

from ...core.tensor import Tensor
from ...ops.array.making import ones_like
from ...ops.array.select import where
from ...ops.math import statistics as s
from ...ops.math.elementwise import divide, exp, is_finite, multiply, subtract
from ...ops.math.reduction import SUM
from ...ops.op import apply
from ..rules import Recorded, gradient
from .reduction import stretched


@gradient(s.EUCLIDEAN_NORM)
def euclidean_norm_grad(call: Recorded, dy: Tensor) -> Tensor:
    """x / |x|; NaN where the norm is 0."""
    norm = stretched(call, call.outputs[0])
    return multiply(divide(call.inputs[0], norm), stretched(call, dy))


@gradient(s.LOG_SUM_EXP)
def logsumexp_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The softmax. Of large inputs the output is rounded to few digits behind the point, and the
    shares have a sum other than 1.
    """
    shares = exp(subtract(call.inputs[0], stretched(call, call.outputs[0])))
    total = apply(SUM, (shares,), dict(call.attrs))
    rounding = where(is_finite(total), total, ones_like(total))
    return multiply(shares, stretched(call, divide(dy, rounding)))
