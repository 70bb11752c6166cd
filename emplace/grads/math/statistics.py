"""Gradients of `ops/math/statistics.py`; the rest of it is made of ops that have some."""

from __future__ import annotations

from ...core.tensor import Tensor
from ...ops.math import statistics as s
from ...ops.math.elementwise import divide, exp, multiply, subtract
from ..rules import Recorded, gradient
from .reduction import stretched


@gradient(s.EUCLIDEAN_NORM)
def euclidean_norm_grad(call: Recorded, dy: Tensor) -> Tensor:
    """x / |x|; NaN where the norm is 0."""
    norm = stretched(call, call.outputs[0])
    return multiply(divide(call.inputs[0], norm), stretched(call, dy))


@gradient(s.LOG_SUM_EXP)
def logsumexp_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The softmax."""
    shares = exp(subtract(call.inputs[0], stretched(call, call.outputs[0])))
    return multiply(shares, stretched(call, dy))
