"""Window functions for spectra."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.errors import ResourceExhaustedError, invalid_argument
from ...base.typing import DTypeLike, TensorLike
from ..arguments import is_symbolic, known_int, number_now, one_number
from ..convert import to_tensor
from ..infer import Spec
from ..op import CPU_ONLY, apply, op

Array = np.ndarray[Any, Any]

# Windows are made by NumPy on the host, in float64 and beside no budget.
MOST_BYTES = 1 << 32


def floating(dtype: Any, verb: str = "Found") -> DType:
    """A dtype that is floating, or the error that says that it is not."""
    wanted = as_dtype(dtype)
    if not wanted.is_floating:
        raise ValueError(f"dtype must be a floating point type. {verb} {wanted!r}")
    return wanted


def _length(given: Any) -> int:
    dims = np.shape(given)
    if dims:
        raise ValueError(f"Shape {dims} must have rank 0")
    length = given if type(given) is int else int(one_number(given, "window_length"))
    if not 0 <= length < 2**31:
        raise invalid_argument(
            f"Requires start <= limit when delta > 0: 0/{length}, a window's length, which is an "
            "int32 and not negative [Op:Range] name: "
        )
    if length * 8 > MOST_BYTES:
        raise ResourceExhaustedError(
            None, None, f"OOM when allocating a window of {length} numbers on the host"
        )
    return length


def as_tensor(values: Array, dtype: DType) -> Any:
    """Numbers that NumPy has computed, as a tensor."""
    return to_tensor(values.astype(dtype.as_numpy_dtype), dtype)


def window_kernel(*, window_length: int, values: Callable[[int], Array], dtype: DType) -> Any:
    """A window whose length is known only now, on the host."""
    return torch.from_numpy(values(_length(window_length))).to(dtype.torch)


WINDOW = op(
    "_Window", "window_length: host, values: host -> window: dtype", window_kernel,
    lambda *, window_length, values, dtype: Spec((window_length,), dtype),
    device_types=CPU_ONLY, is_listed=False,
)  # fmt: skip


def _window(window_length: object, values: Callable[[int], Array], dtype: object) -> Any:
    wanted, length = floating(dtype), number_now(window_length)
    if is_symbolic(length):
        if length.shape.rank:
            raise ValueError(f"Shape {length.shape} must have rank 0")
        attrs = {"window_length": known_int(length), "values": values, "dtype": wanted}
        return apply(WINDOW, (), attrs)
    return as_tensor(values(_length(length)), wanted)


def _raised_cosine(window_length: object, periodic: object, dtype: Any, a: float, b: float) -> Any:
    values = functools.partial(_cosine_values, periodic=bool(periodic), a=a, b=b)
    return _window(window_length, values, dtype)


def _cosine_values(length: int, periodic: bool, a: float, b: float) -> Array:
    if length == 1:
        return np.ones(1)
    span = length - 1 + (1 - length % 2 if periodic else 0)
    angle = 2 * np.pi * np.arange(length) / max(span, 1)
    return a - b * np.cos(angle)


def hann_window(
    window_length: TensorLike,
    periodic: Any = True,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Any:
    """Returns a Hann window (`tf.signal.hann_window`).

    Args:
        window_length: how many numbers.
        periodic: make windows of even length one period, not a symmetric window.
        dtype: a floating dtype.
        name: a name in graphs.

    Raises:
        ValueError: the dtype is not floating.

    >>> hann_window(4).numpy().tolist()
    [0.0, 0.5, 1.0, 0.5]
    """
    return _raised_cosine(window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(
    window_length: TensorLike,
    periodic: Any = True,
    dtype: DTypeLike | None = dtypes.float32,
    name: str | None = None,
) -> Any:
    """Returns a Hamming window (`tf.signal.hamming_window`); arguments as of `hann_window`.

    Args:
        window_length: the number of elements.
        periodic: True for a period of a window that repeats, False for a symmetric one.
        dtype: a float dtype.
        name: a name in graphs.
    """
    return _raised_cosine(window_length, periodic, dtype, 0.54, 0.46)


def _kaiser(length: int, beta: float) -> Array:
    if length < 1:
        raise invalid_argument(f"a Kaiser window has at least one number, not {length}")
    return np.kaiser(length, beta)


def kaiser_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None
) -> Any:
    """Returns a Kaiser window (`tf.signal.kaiser_window`).

    Args:
        window_length: how many numbers.
        beta: how fast it falls from the middle.
        dtype: a floating dtype.
        name: a name in graphs.
    """
    return _window(window_length, functools.partial(_kaiser, beta=float(beta)), dtype)


def kaiser_bessel_derived_window(
    window_length: Any,
    beta: Any = 12.0,
    dtype: DTypeLike | None = dtypes.float32,
    name: str | None = None,
) -> Any:
    """Returns a Kaiser-Bessel derived window (`tf.signal.kaiser_bessel_derived_window`).

    Args:
        window_length: the number of elements, which is even.
        beta: how narrow it is.
        dtype: a float dtype.
        name: a name in graphs.
    """
    return _window(window_length, functools.partial(_derived, beta=float(beta)), dtype)


def _derived(length: int, beta: float) -> Array:
    sums = np.cumsum(_kaiser(length // 2 + 1, beta))
    half = np.sqrt(sums[:-1] / sums[-1])
    return np.concatenate([half, half[::-1]])


def vorbis_window(
    window_length: TensorLike, dtype: DTypeLike | None = dtypes.float32, name: str | None = None
) -> Any:
    """Vorbis' power complementary window (`tf.signal.vorbis_window`)."""
    return _window(window_length, _vorbis, dtype)


def _vorbis(length: int) -> Array:
    inner = np.sin(np.pi / max(length, 1) * (np.arange(length) + 0.5))
    values: Array = np.sin(np.pi / 2 * inner**2)
    return values
