"""Cosine transforms: dct and idct."""

from __future__ import annotations

import math
from typing import Any

import torch

from ...base import dtypes
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from .. import infer
from ..convert import to_tensor
from ..infer import Spec
from ..op import apply, op


def dct_kernel(input: torch.Tensor, *, type: int, n: int | None, norm: str | None) -> Any:
    """The cosine transform of the last axis."""
    if n is not None:
        kept = input[..., :n]
        input = torch.nn.functional.pad(kept, (0, n - kept.shape[-1]))
    size = input.shape[-1]
    if not input.numel():
        return input.clone()
    if type == 1:
        both = torch.cat([input, input[..., 1:-1].flip(-1)], -1)
        return torch.fft.rfft(both).real
    if type == 4:
        odd = dct_kernel(input, type=2, n=2 * size, norm=None)[..., 1::2]
        return odd * math.sqrt(0.5 / size) if norm == "ortho" else odd
    places = torch.arange(size, dtype=input.dtype, device=input.device)
    turn = torch.polar(torch.ones_like(places), places * (-math.pi / (2 * size)))
    if type == 2:
        found = 2.0 * (torch.fft.rfft(input, 2 * size)[..., :size] * turn).real
        return found * _weights(places, 0.5 * size**-0.5) if norm == "ortho" else found
    if norm == "ortho":
        input = input * _weights(places, size**-0.5, math.sqrt(0.5))
    spectrum = input * (turn.conj() * size * 2)
    return torch.fft.irfft(spectrum, 2 * size)[..., :size]


def _weights(places: torch.Tensor, first: float, others: float = math.sqrt(2.0)) -> torch.Tensor:
    return torch.where(places == 0, first, first * others)


def _dct_spec(input: Spec, *, type: int, n: int | None, norm: str | None) -> Spec:
    dims = infer.known_dims(input)
    return Spec((*dims[:-1], dims[-1] if n is None else n), input.dtype)


DCT = op("_Dct", "input: T -> output: T", dct_kernel, _dct_spec, T=dtypes.WIDE)


_INVERSE_TYPE = {1: 1, 2: 3, 3: 2, 4: 4}


def _check_dct(input: Tensor, type: int, n: int | None, axis: int, norm: str | None) -> None:
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    if type not in _INVERSE_TYPE:
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if type == 1 and norm == "ortho":
        raise ValueError("Normalization is not supported for the Type-I DCT.")
    if type == 1:
        size = input.shape[-1] if n is None else n
        if size is not None and size < 2:  # TF: what only running the graph tells may be 1
            raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


def dct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the cosine transform of the last axis (`tf.signal.dct`).

    Args:
        input: float32 or float64 numbers.
        type: which of the four kinds, 1 to 4.
        n: the length to which the axis is cut or padded, its own by default.
        axis: -1.
        norm: None or "ortho".
        name: a name in graphs.

    Raises:
        ValueError: type, n or norm is something else.
        NotImplementedError: another axis.
    """
    input = to_tensor(input)
    _check_dct(input, type, n, axis, norm)
    if input.dtype not in dtypes.WIDE:
        raise TypeError(f"Cannot convert 0.0 to EagerTensor of dtype {input.dtype.name}")
    return apply(DCT, (input,), {"type": type, "n": n, "norm": norm})


def idct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the inverse of `dct`, not divided unless `norm` is "ortho" (`tf.signal.idct`).

    Args:
        input: float32 or float64.
        type: 1 to 4, the type of the transform that is undone.
        n: the length to which the axis is cut or padded, its own for None.
        axis: -1.
        norm: None or "ortho".
        name: a name in graphs.
    """
    input = to_tensor(input)
    _check_dct(input, type, n, axis, norm)
    return dct(input, _INVERSE_TYPE[type], n, axis, norm)
