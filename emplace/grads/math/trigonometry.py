"""Gradients of `ops/math/trigonometry.py`."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...ops.math import trigonometry as t
from ...ops.math.elementwise import conj, multiply, negative, reciprocal, rsqrt, square
from ..rules import Recorded, gradient, unbroadcast


@gradient(t.SIN)
def sin_grad(call: Recorded, dy: Tensor) -> Tensor:
    """sin(x)."""
    return multiply(dy, t.cos(conj(call.inputs[0])))


@gradient(t.COS)
def cos_grad(call: Recorded, dy: Tensor) -> Tensor:
    """cos(x)."""
    return negative(multiply(dy, t.sin(conj(call.inputs[0]))))


@gradient(t.TAN)
def tan_grad(call: Recorded, dy: Tensor) -> Tensor:
    """tan(x)."""
    return multiply(dy, square(reciprocal(t.cos(conj(call.inputs[0])))))


@gradient(t.ASIN)
def asin_grad(call: Recorded, dy: Tensor) -> Tensor:
    """asin(x)."""
    return multiply(dy, rsqrt(1.0 - square(conj(call.inputs[0]))))


@gradient(t.ACOS)
def acos_grad(call: Recorded, dy: Tensor) -> Tensor:
    """acos(x)."""
    return negative(multiply(dy, rsqrt(1.0 - square(conj(call.inputs[0])))))


@gradient(t.ATAN)
def atan_grad(call: Recorded, dy: Tensor) -> Tensor:
    """atan(x)."""
    return multiply(dy, reciprocal(1.0 + square(conj(call.inputs[0]))))


@gradient(t.SINH)
def sinh_grad(call: Recorded, dy: Tensor) -> Tensor:
    """sinh(x)."""
    return multiply(dy, t.cosh(conj(call.inputs[0])))


@gradient(t.COSH)
def cosh_grad(call: Recorded, dy: Tensor) -> Tensor:
    """cosh(x)."""
    return multiply(dy, t.sinh(conj(call.inputs[0])))


@gradient(t.ASINH)
def asinh_grad(call: Recorded, dy: Tensor) -> Tensor:
    """asinh(x)."""
    return dy / t.cosh(conj(call.outputs[0]))


@gradient(t.ACOSH)
def acosh_grad(call: Recorded, dy: Tensor) -> Tensor:
    """acosh(x)."""
    return dy / t.sinh(conj(call.outputs[0]))


@gradient(t.ATANH)
def atanh_grad(call: Recorded, dy: Tensor) -> Tensor:
    """atanh(x)."""
    return multiply(dy, reciprocal(1.0 - square(conj(call.inputs[0]))))


@gradient(t.ATAN2)
def atan2_grad(call: Recorded, dy: Tensor) -> Any:
    """The angle of (x, y)."""
    y, x = call.inputs
    scaled = dy / (square(x) + square(y))
    return (
        unbroadcast(multiply(x, scaled), y) if call.needs(0) else None,
        unbroadcast(negative(multiply(y, scaled)), x) if call.needs(1) else None,
    )
