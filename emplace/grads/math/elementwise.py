"""Gradients of `ops/math/elementwise.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base import dtypes
from ...core.tensor import Tensor
from ...ops.array.making import zeros_like
from ...ops.array.select import where
from ...ops.math import elementwise as e
from ...ops.math.elementwise import (
    cast,
    conj,
    exp,
    greater,
    greater_equal,
    less,
    less_equal,
    log,
    logical_and,
    multiply,
    negative,
    sign,
)
from ...ops.math.guarded import divide_no_nan, multiply_no_nan
from ...ops.op import apply
from ..rules import Recorded, gradient, is_trainable, not_differentiable, unbroadcast

not_differentiable(
    e.EQUAL, e.NOT_EQUAL, e.LESS, e.LESS_EQUAL, e.GREATER, e.GREATER_EQUAL,
    e.LOGICAL_AND, e.LOGICAL_OR, e.LOGICAL_NOT, e.FLOOR_DIV, e.TRUNCATE_DIV, e.APPROXIMATE_EQUAL,
    e.ROUND, e.RINT, e.CEIL, e.FLOOR, e.IS_NAN, e.IS_INF, e.IS_FINITE,
)  # fmt: skip


def _for(call: Recorded, i: int, make: Any) -> Any:
    """The gradient of input i, made only if somebody wants it, in the input's shape."""
    return unbroadcast(make(), call.inputs[i]) if call.needs(i) else None


@gradient(e.ADD, e.OLD_ADD)
def add_grad(call: Recorded, dy: Tensor) -> Any:
    """x + y."""
    return _for(call, 0, lambda: dy), _for(call, 1, lambda: dy)


@gradient(e.SUB)
def sub_grad(call: Recorded, dy: Tensor) -> Any:
    """x - y."""
    return _for(call, 0, lambda: dy), _for(call, 1, lambda: negative(dy))


@gradient(e.MUL)
def mul_grad(call: Recorded, dy: Tensor) -> Any:
    """x * y."""
    x, y = call.inputs
    return (
        _for(call, 0, lambda: multiply(dy, conj(y))),
        _for(call, 1, lambda: multiply(conj(x), dy)),
    )


@gradient(e.REAL_DIV)
def div_grad(call: Recorded, dy: Tensor) -> Any:
    """x / y."""
    x, y = (conj(value) for value in call.inputs)
    return (
        _for(call, 0, lambda: dy / y),
        _for(call, 1, lambda: dy * (negative(x) / y / y)),
    )


@gradient(e.FLOOR_MOD)
def mod_grad(call: Recorded, dy: Tensor) -> Any:
    """x mod y."""
    x, y = call.inputs
    return _for(call, 0, lambda: dy), _for(call, 1, lambda: negative(dy * e.floordiv(x, y)))


@gradient(e.TRUNCATE_MOD)
def truncate_mod_grad(call: Recorded, dy: Tensor) -> Any:
    """What a division towards zero leaves."""
    x, y = call.inputs
    return _for(call, 0, lambda: dy), _for(call, 1, lambda: negative(dy * e.truncatediv(x, y)))


@gradient(e.SQUARED_DIFFERENCE)
def squared_difference_grad(call: Recorded, dy: Tensor) -> Any:
    """(x - y) squared."""
    x, y = call.inputs
    scaled = dy * (x - y) * 2.0
    return _for(call, 0, lambda: scaled), _for(call, 1, lambda: negative(scaled))


@gradient(e.NEXT_AFTER)
def next_after_grad(call: Recorded, dy: Tensor) -> Any:
    """A small step away from x1."""
    return _for(call, 0, lambda: dy), _for(call, 1, lambda: zeros_like(dy))


@gradient(e.POW)
def pow_grad(call: Recorded, dy: Tensor) -> Any:
    """x ** y; no gradient for y where x is not positive."""
    x, y = (conj(value) for value in call.inputs)
    z = conj(call.outputs[0])

    def for_exponent() -> Tensor:
        positive = x > 0 if not x.dtype.is_complex else e.not_equal(x, zeros_like(x))
        safe = where(positive, x, zeros_like(x) + 1)
        return dy * z * where(positive, log(safe), zeros_like(x))

    return _for(call, 0, lambda: dy * y * e.pow(x, y - 1)), _for(call, 1, for_exponent)


def _extreme_grad(call: Recorded, dy: Tensor, chosen: Callable[..., Any]) -> Any:
    x, y = call.inputs
    nothing = zeros_like(dy)
    return (
        _for(call, 0, lambda: where(chosen(x, y), dy, nothing)),
        _for(call, 1, lambda: where(chosen(x, y), nothing, dy)),
    )


@gradient(e.MAXIMUM)
def maximum_grad(call: Recorded, dy: Tensor) -> Any:
    """The larger one gets all; the first of two equal ones does."""
    return _extreme_grad(call, dy, greater_equal)


@gradient(e.MINIMUM)
def minimum_grad(call: Recorded, dy: Tensor) -> Any:
    """The smaller one gets all; the first of two equal ones does."""
    return _extreme_grad(call, dy, less_equal)


@gradient(e.NEG)
def neg_grad(call: Recorded, dy: Tensor) -> Tensor:
    """-x."""
    return negative(dy)


@gradient(e.ABS)
def abs_grad(call: Recorded, dy: Tensor) -> Tensor:
    """|x|."""
    return dy * sign(call.inputs[0])


@gradient(e.SIGN)
def sign_grad(call: Recorded, dy: Tensor) -> Tensor:
    """Flat everywhere; of complex numbers x / |x|, which turns with x."""
    if not dy.dtype.is_complex:
        return zeros_like(dy)
    x, y = call.inputs[0], call.outputs[0]
    return divide_no_nan(dy - y * y * conj(dy), cast(2.0 * e.abs(x), x.dtype))


@gradient(e.EXP)
def exp_grad(call: Recorded, dy: Tensor) -> Tensor:
    """exp(x)."""
    return dy * conj(call.outputs[0])


@gradient(e.LOG)
def log_grad(call: Recorded, dy: Tensor) -> Tensor:
    """log(x)."""
    return dy / conj(call.inputs[0])


@gradient(e.EXPM1)
def expm1_grad(call: Recorded, dy: Tensor) -> Tensor:
    """exp(x) - 1."""
    return dy * conj(exp(call.inputs[0]))


@gradient(e.LOG1P)
def log1p_grad(call: Recorded, dy: Tensor) -> Tensor:
    """log(1 + x)."""
    return dy / (conj(call.inputs[0]) + 1.0)


def _unless_none(slope: Tensor, dy: Tensor) -> Tensor:
    """slope * dy, and 0 where dy is, even if the slope is infinite: a branch that was not taken, a
    bound that holds (`where(x > 0, sqrt(x), 0)`). TF: of complex numbers, too.
    """
    return multiply(slope, dy) if dy.dtype.is_complex else multiply_no_nan(slope, dy)


@gradient(e.RSQRT)
def rsqrt_grad(call: Recorded, dy: Tensor) -> Tensor:
    """1 / sqrt(x)."""
    y = conj(call.outputs[0])
    return _unless_none(y * y * y * -0.5, dy)


@gradient(e.RECIPROCAL)
def reciprocal_grad(call: Recorded, dy: Tensor) -> Tensor:
    """1 / x."""
    y = conj(call.outputs[0])
    return _unless_none(negative(y * y), dy)


@gradient(e.COMPLEX_ABS)
def complex_abs_grad(call: Recorded, dy: Tensor) -> Any:
    """The magnitude; 0 has no direction."""
    x = call.inputs[0]
    return cast(dy, x.dtype) * sign(x)


@gradient(e.SQRT)
def sqrt_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The square root."""
    return _unless_none(0.5 / conj(call.outputs[0]), dy)


@gradient(e.SQUARE)
def square_grad(call: Recorded, dy: Tensor) -> Tensor:
    """x * x."""
    return dy * (conj(call.inputs[0]) * 2.0)


@gradient(e.TANH)
def tanh_grad(call: Recorded, dy: Tensor) -> Tensor:
    """tanh(x)."""
    y = call.outputs[0]
    if y.dtype in dtypes.WIDE:
        return apply(e.TANH_GRAD, (y, dy))
    y = conj(y)
    return dy * (1.0 - y * y)


@gradient(e.TANH_GRAD)
def tanh_grad_grad(call: Recorded, dz: Tensor) -> Any:
    """dy (1 - y^2)."""
    y, dy = call.inputs
    if y.dtype not in dtypes.WIDE:
        y, dy = conj(y), conj(dy)
        return -2.0 * dz * dy * y, dz * (1.0 - y * y)
    return -2.0 * dz * dy * y, apply(e.TANH_GRAD, (y, dz))


@gradient(e.SIGMOID)
def sigmoid_grad(call: Recorded, dy: Tensor) -> Tensor:
    """1 / (1 + exp(-x))."""
    y = call.outputs[0]
    if y.dtype in dtypes.WIDE:
        return apply(e.SIGMOID_GRAD, (y, dy))
    y = conj(y)
    return dy * y * (1.0 - y)


@gradient(e.SIGMOID_GRAD)
def sigmoid_grad_grad(call: Recorded, dz: Tensor) -> Any:
    """dy y (1 - y)."""
    y, dy = call.inputs
    if y.dtype not in dtypes.WIDE:
        y, dy = conj(y), conj(dy)
        return dz * dy * (1.0 - 2.0 * y), dz * y * (1.0 - y)
    return dz * dy * (1.0 - 2.0 * y), apply(e.SIGMOID_GRAD, (y, dz))


@gradient(e.CONJ)
def conj_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The conjugate."""
    return conj(dy)


@gradient(e.CAST, takes_slices=True)
def cast_grad(call: Recorded, dy: Any) -> Any:
    """A cast between types that have gradients."""
    source = call.inputs[0].dtype
    return cast(dy, source) if is_trainable(source) else None


@gradient(e.CLIP)
def clip_grad(call: Recorded, dy: Tensor) -> Any:
    """Inside the bounds the gradient passes; outside the bound gets it."""
    t, least, most = call.inputs
    nothing = zeros_like(dy)
    below, above = less(t, least), greater(t, most)
    inside = logical_and(greater_equal(t, least), less_equal(t, most))  # NaN is not
    return (
        _for(call, 0, lambda: where(inside, dy, nothing)),
        _for(call, 1, lambda: where(below, dy, nothing)),
        _for(call, 2, lambda: where(above, dy, nothing)),
    )
