"""Products, quotients and logarithms that are 0 where plain ones would be NaN or infinite."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from ...base import dtypes
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from .. import infer
from ..convert import matched, to_tensor
from ..op import op
from .elementwise import dividable


def div_no_nan_kernel(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x / y, and 0 where y is."""
    if y.ndim == 0 and y.is_cpu and not torch.compiler.is_compiling():
        return x / y if y.item() else torch.zeros_like(x)
    return torch.where(y == 0, 0, x / y)


def mul_no_nan_kernel(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x * y, and 0 where y is.

    The host looks first whether there is anything that is no number: a mask takes several times as
    long as the product. Elsewhere looking would be a wait.
    """
    made = x * y
    looks = made.is_cpu and not made.requires_grad and not torch.compiler.is_compiling()
    if looks and made.dtype.is_floating_point and math.isfinite(made.sum()):
        return made
    return torch.where(y == 0, 0, made)


def _unless_zero(compute: Callable[[Any, Any], Any]) -> Callable[..., torch.Tensor]:
    """A kernel that is 0 where x is, whatever y is, NaN included."""

    def kernel(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.where(x == 0, 0, compute(x, y))

    return kernel


_BINARY = "x: T, y: T -> z: T"
DIV_NO_NAN = op("DivNoNan", _BINARY, div_no_nan_kernel, infer.broadcast, T=dtypes.INEXACT)
MUL_NO_NAN = op("MulNoNan", _BINARY, mul_no_nan_kernel, infer.broadcast, T=dtypes.INEXACT)
XDIVY = op("Xdivy", _BINARY, _unless_zero(lambda x, y: x / y), infer.broadcast, T=dtypes.INEXACT)
XLOGY = op(
    "Xlogy", _BINARY, _unless_zero(lambda x, y: x * torch.log(y)), infer.broadcast,
    T=dtypes.INEXACT,
)  # fmt: skip
XLOG1PY = op(
    "Xlog1py", _BINARY, _unless_zero(lambda x, y: x * torch.log1p(y)), infer.broadcast,
    T=dtypes.INEXACT,
)  # fmt: skip


def divide_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y, and 0 where y is 0, even where x is NaN or infinite (`tf.math.divide_no_nan`).

    Integers are divided as floats, as by `truediv`.

    >>> divide_no_nan([3.0, 4.0], [2.0, 0.0]).numpy().tolist()
    [1.5, 0.0]
    """
    return matched(DIV_NO_NAN, *dividable(x, y, "tf.math.divide_no_nan"))


def multiply_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * y, and 0 where y is 0, even where x is NaN or infinite (`tf.math.multiply_no_nan`).

    Raises:
        ValueError: dtypes differ.
    """
    x = to_tensor(x)
    return matched(MUL_NO_NAN, x, to_tensor(y, x.dtype))


def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / x, and 0 where x is 0 (`tf.math.reciprocal_no_nan`)."""
    x = to_tensor(x)
    return matched(DIV_NO_NAN, to_tensor(1, x.dtype), x)


def xdivy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y, and 0 where x is 0 (`tf.math.xdivy`)."""
    return matched(XDIVY, x, y)


def xlogy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * log(y), and 0 where x is 0 (`tf.math.xlogy`)."""
    return matched(XLOGY, x, y)


def xlog1py(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * log(1 + y), and 0 where x is 0 (`tf.math.xlog1py`)."""
    return matched(XLOG1PY, x, y)
