"""Normal numbers between two ends, as TensorFlow's kernel draws them on one thread.

All results come from one stream, one set of parameters after the other. Candidates are normal
numbers, or uniform or exponential ones of which some are rejected (Robert, 1995), whichever are
rejected less. What is left of the last group of candidates is dropped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...base import dtypes
from ...base.errors import InternalError, invalid_argument
from ...base.typing import DTypeLike, TensorLike
from . import draws
from .philox import BITS128, Array

_INSIDE = 1.3  # deviations from the mean to an end from which on normal candidates serve best
_MOST_REJECTED = 1000
_PIECE = 1 << 16
_BLOCK = 4096  # groups that are made at once
_NONE: Array = np.empty((0, 4))

# Makes candidates of some groups, and says which of them serve.
Sampler = Callable[["_Stream", int], tuple[Array, Array]]


class _Stream:
    """Groups of numbers of a dtype, one counter each. Many are made at once: most parameters take
    few of them.
    """

    def __init__(self, key: int, counter: int, dtype: DTypeLike) -> None:
        self._key = key
        self._counter = counter
        self._dtype = dtypes.as_dtype(dtype)
        self._size = 2 if self._dtype is dtypes.float64 else 4
        self._place = 0
        self._made: dict[Any, tuple[int, Array]] = {}

    def groups(self, draw: Any, count: int) -> Array:
        """The next groups, which are the next still until they are skipped."""
        first, block = self._made.get(draw, (0, _NONE))
        if self._place + count > first + len(block):
            first, many = self._place, max(count, _BLOCK)
            counter = self._counter + first & BITS128
            numbers = draw(self._key, counter, many * self._size, self._dtype, "cpu")
            block = numbers.numpy().reshape(many, self._size)
            self._made[draw] = first, block
        return block[self._place - first : self._place - first + count]

    def skip(self, groups: int) -> None:
        """Goes on behind some groups."""
        self._place += groups


def drawn(
    key: int, counter: int, shape: Sequence[int], means: Array, stddevs: Array, minvals: Array,
    maxvals: Array,
) -> Array:  # fmt: skip
    """Numbers of a shape, whose end the shape of the parameters is.

    Raises:
        InvalidArgumentError: parameters that no number fits.
    """
    batches = math.prod(means.shape)
    each = math.prod(shape) // batches if batches else 0
    found = np.empty((batches, each), means.dtype)
    if each:
        stream = _Stream(key, counter, means.dtype)
        flat = [np.ravel(x) for x in (means, stddevs, minvals, maxvals)]
        with np.errstate(all="ignore"):
            for i, (mean, stddev, low, high) in enumerate(zip(*flat, strict=True)):
                found[i] = _between(stream, each, mean, stddev, low, high)
    return found.T.reshape(shape)


def _between(stream: _Stream, count: int, mean: Any, stddev: Any, low: Any, high: Any) -> Array:
    if not (stddev > 0 and low < high and (np.isfinite(low) or np.isfinite(high))):
        raise invalid_argument("Invalid parameters")
    if np.isneginf(low) or high < mean:  # the other way round, so that the lower end counts
        low, high, stddev = high, low, -stddev
    first, last = (low - mean) / stddev, (high - mean) / stddev
    sampler, groups = _sampler(first, last)
    made: Array = _accepted(stream, count, sampler, groups) * stddev + mean
    return made


def _sampler(first: Any, last: Any) -> tuple[Sampler, int]:
    """What makes candidates, and how many groups it takes for one of them."""
    two, four, half, inside = (first.dtype.type(x) for x in (2, 4, 0.5, _INSIDE))
    if (first < -inside and last >= 0) or (last > inside and first <= 0):
        return _normal_between(first, last), 1
    root = np.sqrt(first * first + four)
    cutoff = two * np.exp(half + (first * (first - root)) / four) / (first + root)
    if last - first < cutoff:
        return _uniform_between(first, last - first), 2
    return _exponential_between(first, last, (first + root) / two), 1


def _normal_between(first: object, last: object) -> Sampler:
    def make(stream: _Stream, count: int) -> tuple[Array, Array]:
        z = stream.groups(draws.normal, count)
        return z, (z >= first) & (z <= last)

    return make


def _uniform_between(first: Any, width: Any) -> Sampler:
    highest = first * first if first >= 0 else first.dtype.type(0)

    def make(stream: _Stream, count: int) -> tuple[Array, Array]:
        both = stream.groups(draws.uniform, count)
        z = both[0::2] * width + first
        return z, both[1::2] <= np.exp((highest - z * z) / first.dtype.type(2))

    return make


def _exponential_between(first: Any, last: Any, rate: TensorLike) -> Sampler:
    def make(stream: _Stream, count: int) -> tuple[Array, Array]:
        both = stream.groups(draws.uniform, count)
        z = -np.log(both[:, 0::2]) / rate + first
        x = rate - z if first < rate else first - rate
        return z, (both[:, 1::2] <= np.exp(-x * x / first.dtype.type(2))) & (z < last)

    return make


def _accepted(stream: _Stream, count: int, sampler: Sampler, groups: int) -> Array:
    """The first `count` candidates that serve; the stream goes on behind their last group."""
    found: list[Array] = []
    missing, rejected = count, 0
    while missing:
        tries = min(_PIECE, missing + 8)
        z, serves = sampler(stream, tries * groups)
        places = np.flatnonzero(serves)[:missing]
        gaps = np.diff(np.concatenate([[-1 - rejected], places])) - 1
        if gaps.max(initial=rejected + z.size * (not len(places))) > _MOST_REJECTED:
            raise InternalError(
                None, None, "TruncatedNormal rejection sampler failed to accept a sample."
            )
        found.append(z.reshape(-1)[places])
        missing -= len(places)
        is_last = not missing
        used = places[-1] // z.shape[1] + 1 if is_last else tries
        rejected = z.size - 1 - int(places[-1]) if len(places) else rejected + z.size
        stream.skip(int(used) * groups)
    return np.concatenate(found)
