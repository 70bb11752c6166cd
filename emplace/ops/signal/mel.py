"""The mel scale."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import dtypes
from ...base.errors import ResourceExhaustedError
from ..arguments import is_symbolic, number_now
from ..array.repeating import pad
from ..array.shaping import expand_dims
from ..math.combine import linspace
from ..math.elementwise import cast, divide, log1p, maximum, minimum, multiply, subtract
from .windows import MOST_BYTES, as_tensor, floating


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
        num_spectrogram_bins: how many frequencies, from 0 to half of `sample_rate`; a graph may
            know it, and `sample_rate`, only when it runs.
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
        _known(number)
        for number in (
            num_mel_bins, num_spectrogram_bins, sample_rate, lower_edge_hertz, upper_edge_hertz
        )
    )  # fmt: skip
    _check(bands, rate, lower, upper)
    out_dtype = floating(dtype, "Got:")
    edges = np.linspace(_mel(lower), _mel(upper), bands + 2)
    if is_symbolic(bins) or is_symbolic(rate):
        return cast(_recorded(bins, rate, edges), out_dtype)
    if bands * bins * 8 > MOST_BYTES:
        raise ResourceExhaustedError(
            None, None, f"OOM when allocating a matrix of shape [{bins},{bands}] on the host"
        )
    at = _mel(np.linspace(0.0, rate / 2.0, bins))[1:, None]
    left, middle, right = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (at - left) / (middle - left), (right - at) / (right - middle)
    weights = np.maximum(0.0, np.minimum(rising, falling))
    return as_tensor(np.concatenate([np.zeros((1, bands)), weights]), out_dtype)


def _known(number: Any) -> Any:
    """A number as Python has it, or the tensor of a graph that tells it when the graph runs."""
    number = number_now(number)
    known = number.static_value() if is_symbolic(number) else None
    return number if known is None else known.item()


def _recorded(bins: Any, rate: Any, edges: np.ndarray[Any, Any]) -> Any:
    """The same matrix by ops, in float64 as NumPy computes it."""
    nyquist = multiply(cast(rate, dtypes.float64), 0.5)
    at = log1p(divide(linspace(multiply(nyquist, 0.0), nyquist, bins)[1:], 700.0))
    mels = expand_dims(multiply(at, 1127.0), 1)
    left, middle, right = edges[:-2], edges[1:-1], edges[2:]
    rising = divide(subtract(mels, left), middle - left)
    falling = divide(subtract(right, mels), right - middle)
    return pad(maximum(minimum(rising, falling), 0.0), [[1, 0], [0, 0]])


def _check(bands: int, rate: Any, lower: float, upper: float) -> None:
    if bands <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {bands}")
    if lower < 0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower}")
    if lower >= upper:
        raise ValueError(f"lower_edge_hertz {lower} >= upper_edge_hertz {upper}")
    if is_symbolic(rate):
        return
    if rate <= 0:
        raise ValueError(f"sample_rate must be positive. Got: {rate}")
    if upper > rate / 2:
        raise ValueError(
            "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). "
            f"Got {upper} for sample_rate: {rate}"
        )
