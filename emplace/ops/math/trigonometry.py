"""Trigonometric and hyperbolic functions and their inverses, element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ...base import dtypes
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from .. import infer
from ..convert import matched, unary
from ..op import Op, op


def _unary(name: str, kernel: Callable[..., Any]) -> Op:
    return op(name, "x: T -> y: T", kernel, infer.same, T=dtypes.INEXACT)


SIN = _unary("Sin", torch.sin)
COS = _unary("Cos", torch.cos)
TAN = _unary("Tan", torch.tan)
ASIN = _unary("Asin", torch.asin)
ACOS = _unary("Acos", torch.acos)
ATAN = _unary("Atan", torch.atan)
SINH = _unary("Sinh", torch.sinh)
COSH = _unary("Cosh", torch.cosh)
ASINH = _unary("Asinh", torch.asinh)
ACOSH = _unary("Acosh", torch.acosh)
ATANH = _unary("Atanh", torch.atanh)
ATAN2 = op("Atan2", "y: T, x: T -> z: T", torch.atan2, infer.broadcast, T=dtypes.FLOATS)


def sin(x: TensorLike, name: str | None = None) -> Tensor:
    """The sine of x, in radians (`tf.sin`)."""
    return unary(SIN, x)


def cos(x: TensorLike, name: str | None = None) -> Tensor:
    """The cosine of x, in radians (`tf.cos`)."""
    return unary(COS, x)


def tan(x: TensorLike, name: str | None = None) -> Tensor:
    """The tangent of x, in radians (`tf.tan`)."""
    return unary(TAN, x)


def asin(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle between -pi/2 and pi/2 whose sine is x (`tf.asin`)."""
    return unary(ASIN, x)


def acos(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle between 0 and pi whose cosine is x (`tf.acos`)."""
    return unary(ACOS, x)


def atan(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle between -pi/2 and pi/2 whose tangent is x (`tf.atan`)."""
    return unary(ATAN, x)


def sinh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic sine of x (`tf.sinh`)."""
    return unary(SINH, x)


def cosh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic cosine of x (`tf.cosh`)."""
    return unary(COSH, x)


def asinh(x: TensorLike, name: str | None = None) -> Tensor:
    """The number whose hyperbolic sine is x (`tf.asinh`)."""
    return unary(ASINH, x)


def acosh(x: TensorLike, name: str | None = None) -> Tensor:
    """The number of at least 0 whose hyperbolic cosine is x; NaN below 1 (`tf.acosh`)."""
    return unary(ACOSH, x)


def atanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The number whose hyperbolic tangent is x; NaN outside -1 to 1 (`tf.atanh`)."""
    return unary(ATANH, x)


def atan2(y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The angle between -pi and pi of the point (x, y), seen from the origin (`tf.atan2`).

    >>> print(atan2([0.0, 1.0], [1.0, 0.0]).numpy())
    [0.        1.5707964]
    """
    return matched(ATAN2, y, x)
