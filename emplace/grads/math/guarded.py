"""Gradients of `ops/math/guarded.py`: guarded themselves, so that what is 0 keeps its 0."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...ops.array.making import zeros_like
from ...ops.math import guarded as g
from ...ops.math.elementwise import cast, conj, multiply, negative, not_equal
from ..rules import Recorded, gradient, unbroadcast


def _for(call: Recorded, i: int, make: Any) -> Any:
    """The gradient of input i, made only if somebody wants it, in the input's shape."""
    return unbroadcast(make(), call.inputs[i]) if call.needs(i) else None


@gradient(g.DIV_NO_NAN)
def div_no_nan_grad(call: Recorded, dy: Tensor) -> Any:
    """x / y."""
    x, y = (conj(value) for value in call.inputs)
    ratio = g.divide_no_nan
    return (
        _for(call, 0, lambda: ratio(dy, y)),
        _for(call, 1, lambda: multiply(dy, ratio(ratio(negative(x), y), y))),
    )


@gradient(g.MUL_NO_NAN)
def mul_no_nan_grad(call: Recorded, dy: Tensor) -> Any:
    """x * y."""
    x, y = call.inputs
    return (
        _for(call, 0, lambda: g.multiply_no_nan(dy, y)),
        _for(call, 1, lambda: g.multiply_no_nan(x, dy)),
    )


def _not_zero(x: Tensor) -> Any:
    return cast(not_equal(x, zeros_like(x)), x.dtype)


@gradient(g.XDIVY)
def xdivy_grad(call: Recorded, dy: Tensor) -> Any:
    """x / y."""
    x, y = (conj(value) for value in call.inputs)
    return (
        _for(call, 0, lambda: multiply(g.xdivy(_not_zero(x), y), dy)),
        _for(call, 1, lambda: multiply(g.xdivy(negative(x), y * y), dy)),
    )


@gradient(g.XLOGY)
def xlogy_grad(call: Recorded, dy: Tensor) -> Any:
    """x * log(y)."""
    x, y = (conj(value) for value in call.inputs)
    return (
        _for(call, 0, lambda: multiply(g.xlogy(_not_zero(x), y), dy)),
        _for(call, 1, lambda: multiply(g.xdivy(x, y), dy)),
    )


@gradient(g.XLOG1PY)
def xlog1py_grad(call: Recorded, dy: Tensor) -> Any:
    """x * log(1 + y)."""
    x, y = (conj(value) for value in call.inputs)
    return (
        _for(call, 0, lambda: multiply(g.xlog1py(_not_zero(x), y), dy)),
        _for(call, 1, lambda: multiply(g.xdivy(x, y + 1.0), dy)),
    )
