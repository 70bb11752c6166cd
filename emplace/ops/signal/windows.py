"""Window functions for spectra, and the mel scale."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.errors import ResourceExhaustedError, invalid_argument
from ...base.typing import DTypeLike, TensorLike
from ..convert import to_tensor

Array = np.ndarray[Any, Any]

# Windows are made by NumPy on the host, in float64 and beside no budget.
_MOST_BYTES = 1 << 32


def _floating(dtype: Any, verb: str = "Found") -> DType:
    wanted = as_dtype(dtype)
    if not wanted.is_floating:
        raise ValueError(f"dtype must be a floating point type. {verb} {wanted!r}")
    return wanted


def _length(window_length: Any) -> int:
    plain = window_length.numpy() if hasattr(window_length, "numpy") else window_length
    dims = np.shape(plain)
    if dims:
        raise ValueError(f"Shape {dims} must have rank 0")
    length = to_tensor(plain, dtypes.int32).numpy().item() if type(plain) is not int else plain
    if not 0 <= length < 2**31:
        raise invalid_argument(
            f"Requires start <= limit when delta > 0: 0/{length}, a window's length, which is an "
            "int32 and not negative [Op:Range] name: "
        )
    if length * 8 > _MOST_BYTES:
        raise ResourceExhaustedError(
            None, None, f"OOM when allocating a window of {length} numbers on the host"
        )
    return length


def _tensor(values: Array, dtype: DType) -> Any:
    return to_tensor(values.astype(dtype.as_numpy_dtype), dtype)


def _raised_cosine(window_length: object, periodic: object, dtype: Any, a: float, b: float) -> Any:
    wanted, length = _floating(dtype), _length(window_length)
    if length == 1:
        return _tensor(np.ones(1), wanted)
    span = length - 1 + (1 - length % 2 if periodic else 0)
    angle = 2 * np.pi * np.arange(length) / max(span, 1)
    return _tensor(a - b * np.cos(angle), wanted)


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
    return _tensor(_kaiser(_length(window_length), float(beta)), _floating(dtype))


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
    sums = np.cumsum(_kaiser(_length(window_length) // 2 + 1, float(beta)))
    half = np.sqrt(sums[:-1] / sums[-1])
    return _tensor(np.concatenate([half, half[::-1]]), _floating(dtype))


def vorbis_window(
    window_length: TensorLike, dtype: DTypeLike | None = dtypes.float32, name: str | None = None
) -> Any:
    """Vorbis' power complementary window (`tf.signal.vorbis_window`)."""
    length = _length(window_length)
    inner = np.sin(np.pi / max(length, 1) * (np.arange(length) + 0.5))
    return _tensor(np.sin(np.pi / 2 * inner**2), _floating(dtype))


def _mel(hertz: Any) -> Any:
    return 1127.0 * np.log1p(hertz / 700.0)


def linear_to_mel_weight_matrix(
    num_mel_bins: Any = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: Any = 125.0,
    upper_edge_hertz: Any = 3800.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Any:
    """Returns a matrix that sums spectra into bands of equal width in mel
    (`tf.signal.linear_to_mel_weight_matrix`).

    Args:
        num_mel_bins: how many bands.
        num_spectrogram_bins: how many frequencies, from 0 to half of `sample_rate`.
        sample_rate: samples per second.
        lower_edge_hertz: the lowest frequency of a band.
        upper_edge_hertz: the highest.
        dtype: a floating dtype.
        name: a name in graphs.

    Returns:
        A tensor of shape (num_spectrogram_bins, num_mel_bins).

    Raises:
        ValueError: a number is out of its range.
    """
    bands, bins, rate, lower, upper = (
        number.numpy().item() if hasattr(number, "numpy") else number
        for number in (
            num_mel_bins, num_spectrogram_bins, sample_rate, lower_edge_hertz, upper_edge_hertz
        )
    )  # fmt: skip
    _check_mel(bands, rate, lower, upper)
    out_dtype = _floating(dtype, "Got:")
    if bands * bins * 8 > _MOST_BYTES:
        raise ResourceExhaustedError(
            None, None, f"OOM when allocating a matrix of shape [{bins},{bands}] on the host"
        )
    at = _mel(np.linspace(0.0, rate / 2.0, bins))[1:, None]
    edges = np.linspace(_mel(lower), _mel(upper), bands + 2)
    left, middle, right = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (at - left) / (middle - left), (right - at) / (right - middle)
    weights = np.maximum(0.0, np.minimum(rising, falling))
    return _tensor(np.concatenate([np.zeros((1, bands)), weights]), out_dtype)


def _check_mel(bands: int, rate: float, lower: float, upper: float) -> None:
    if bands <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {bands}")
    if lower < 0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower}")
    if lower >= upper:
        raise ValueError(f"lower_edge_hertz {lower} >= upper_edge_hertz {upper}")
    if rate <= 0:
        raise ValueError(f"sample_rate must be positive. Got: {rate}")
    if upper > rate / 2:
        raise ValueError(
            "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). "
            f"Got {upper} for sample_rate: {rate}"
        )
