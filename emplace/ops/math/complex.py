"""Complex numbers: made of two parts, and taken apart again."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from ...base import dtypes
from ...base.dtypes import DType
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from .. import infer
from ..array.making import ones_like, zeros_like
from ..array.select import where
from ..convert import own_tensor, pair, to_tensor
from ..infer import Spec
from ..op import Op, apply, op
from .elementwise import less, multiply


def complex_kernel(
    real: torch.Tensor,
    imag: torch.Tensor,
    *,
    Tout: DType = dtypes.complex64,  # noqa: N803
) -> torch.Tensor:
    """real + i * imag."""
    dims = torch.broadcast_shapes(real.shape, imag.shape)  # type: ignore[no-untyped-call]
    return torch.complex(real.expand(dims), imag.expand(dims)).to(Tout.torch)


def _complex_spec(real: Spec, imag: Spec, *, Tout: DType = dtypes.complex64) -> Spec:  # noqa: N803
    return Spec(infer.broadcast(real, imag).dims, Tout)


def _part(take: Callable[[torch.Tensor], torch.Tensor]) -> Callable[..., torch.Tensor]:
    def kernel(input: torch.Tensor, *, Tout: DType = dtypes.float32) -> torch.Tensor:  # noqa: N803
        return take(input).to(Tout.torch)

    return kernel


def _part_spec(input: Spec, *, Tout: DType = dtypes.float32) -> Spec:  # noqa: N803
    return Spec(input.dims, Tout)


_TAKE = "input: T -> output: Tout"
COMPLEX = op(
    "Complex", "real: T, imag: T -> out: Tout", complex_kernel, _complex_spec,
    T=dtypes.WIDE,
)  # fmt: skip
# Parts are copied out: a view would keep twice its memory alive.
REAL = op("Real", _TAKE, _part(lambda x: x.real.clone()), _part_spec, T=dtypes.COMPLEX)
IMAG = op("Imag", _TAKE, _part(lambda x: x.imag.clone()), _part_spec, T=dtypes.COMPLEX)
ANGLE = op("Angle", _TAKE, _part(torch.angle), _part_spec, T=dtypes.COMPLEX)

_MADE = {dtypes.float32: dtypes.complex64, dtypes.float64: dtypes.complex128}


def complex(real: TensorLike, imag: TensorLike, name: str | None = None) -> Tensor:
    """real + i * imag (`tf.complex`).

    Args:
        real: a tensor of float32 or float64.
        imag: a tensor of the same dtype; shapes broadcast.
        name: a name in graphs.

    Returns:
        A tensor of complex64 or complex128.

    Raises:
        TypeError: the parts are no floats of one dtype.

    >>> complex([1.0], [2.0]).numpy().tolist()
    [(1+2j)]
    """
    real, imag = to_tensor(real), to_tensor(imag)
    made = _MADE.get(real.dtype)
    if made is None or real.dtype is not imag.dtype:
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {real.dtype.name} "
            f"{imag.dtype.name}. They must be consistent, and one of [tf.float32, tf.float64]"
        )
    return apply(COMPLEX, (real, imag), {"Tout": made})


def _taken(record: Op, x: Tensor) -> Tensor:
    return apply(record, (x,), {"Tout": x.dtype.real_dtype})


def real(input: TensorLike, name: str | None = None) -> Tensor:
    """The real part; x itself if it is real (`tf.math.real`).

    Raises:
        TypeError: it holds no numbers.
    """
    tensor = to_tensor(input)
    if tensor.dtype not in dtypes.NUMBERS:
        raise TypeError(
            f"input must be a numeric tensor, but got tensor with dtype {tensor.dtype!r}"
        )
    return _taken(REAL, tensor) if tensor.dtype.is_complex else own_tensor(input, tensor)


def imag(input: TensorLike, name: str | None = None) -> Tensor:
    """The imaginary part; zeros if it is real (`tf.math.imag`)."""
    tensor = to_tensor(input)
    return _taken(IMAG, tensor) if tensor.dtype.is_complex else zeros_like(tensor)


def angle(input: TensorLike, name: str | None = None) -> Tensor:
    """The angle of complex numbers, between -pi and pi; 0 or pi for real ones
    (`tf.math.angle`).
    """
    tensor = to_tensor(input)
    if tensor.dtype.is_complex:
        return _taken(ANGLE, tensor)
    turned = multiply(to_tensor(math.pi, tensor.dtype), ones_like(tensor))
    return where(less(*pair(tensor, 0)), turned, zeros_like(tensor))
