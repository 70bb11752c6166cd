"""Gamma, Poisson and binomial numbers by published algorithms, as TensorFlow's kernels draw them.

Each result has counters of its own. The results of one parameter follow each other in the stream,
those of different parameters stand side by side in memory: `drawn` takes care of that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from .philox import Array
from .streams import Streams

_RESERVED = 256  # counters set aside for a result
_RESERVED_FEW = 42  # and for one of a binomial distribution with few successes
_MOST = 1 << 16  # results that are drawn at once

Draw = Callable[..., Array]


def drawn(draw: Draw, key: int, counter: int, shape: Sequence[int], *parameters: Array) -> Array:
    """Float64 numbers of a shape, whose end the parameters' shape is.

    `draw` takes a function that makes the streams of the results, with so many counters for each,
    and the parameters of each result.
    """
    batches = math.prod(parameters[0].shape)
    each = math.prod(shape) // batches if batches else 0
    flat = [np.repeat(np.ravel(x), each) for x in parameters]
    made = np.empty(batches * each)
    for first in range(0, len(made), _MOST):
        part = slice(first, first + _MOST)
        indices = np.arange(first, min(first + _MOST, len(made)), dtype=np.uint64)

        def streams(reserved: int, rows: Any = ..., indices: Array = indices) -> Streams:
            return Streams(key, counter, indices[rows] * np.uint64(reserved))

        with np.errstate(all="ignore"):
            made[part] = draw(streams, *[x[part] for x in flat])
    return made.reshape(batches, each).T.reshape(shape)


def gamma(streams: Callable[..., Any], alpha: Array) -> Array:
    """Gamma numbers of scale 1, by Marsaglia and Tsang (2000); NaN where alpha is negative."""
    found = np.where(alpha == 0, 0.0, np.nan)
    source = streams(_RESERVED)
    ones, rows = np.flatnonzero(alpha == 1), np.flatnonzero((alpha > 0) & (alpha != 1))
    found[ones] = -np.log1p(-source.uniform(ones))
    is_small = alpha < 1
    d = alpha + np.where(is_small, 2.0 / 3, -1.0 / 3)
    c = 1.0 / 3 / np.sqrt(d)
    while len(rows):
        x = source.normal(rows)
        v = 1 + c[rows] * x
        there = v > 0
        inner, x, v = rows[there], x[there], v[there] ** 3
        u = source.uniform(inner)
        fits = u < 1 - 0.0331 * (x * x) * (x * x)
        fits |= np.log(u) < 0.5 * x * x + d[inner] * (1 - v + np.log(v))
        done = inner[fits]
        found[done] = d[done] * v[fits]
        small = done[is_small[done]]
        found[small] *= source.uniform(small) ** (1 / alpha[small])
        rows = np.setdiff1d(rows, done, assume_unique=True)
    return found


def poisson_below(most: float, infinite: float) -> Draw:
    """Poisson numbers up to `most`, and what stands for an infinite one."""

    def draw(streams: Callable[..., Any], rate: Array) -> Array:
        found = np.where(rate == np.inf, infinite, 0.0)
        source = streams(_RESERVED)
        _by_times(source, rate, np.flatnonzero(rate < 10), most, found)
        rows = np.flatnonzero((rate >= 10) & (rate != np.inf))
        _by_transformed_rejection(source, rate, rows, most, found)
        return found

    return draw


def _by_times(source: Streams, rate: Array, rows: Array, most: float, found: Array) -> None:
    """How many events there are before time 1 (Knuth)."""
    product, count, least = np.ones(len(rate)), np.zeros(len(rate)), np.exp(-rate)
    while len(rows):
        product[rows] *= source.uniform(rows)
        is_over = (product[rows] <= least[rows]) & (count[rows] <= most)
        found[rows[is_over]] = count[rows[is_over]]
        rows = rows[~is_over]
        count[rows] += 1


def _by_transformed_rejection(
    source: Streams, rate: Array, rows: Array, most: float, found: Array
) -> None:
    """Poisson numbers of rates from 10 on, by Hörmann (1993)."""
    b = 0.931 + 2.53 * np.sqrt(rate)
    a = -0.059 + 0.02483 * b
    slope = 1.1239 + 1.1328 / (b - 3.4)
    while len(rows):
        u = source.uniform(rows) - 0.5
        v = source.uniform(rows)
        near, a_, b_, mean = 0.5 - np.abs(u), a[rows], b[rows], rate[rows]
        k = np.floor((2 * a_ / near + b_) * u + mean + 0.43)
        fits = (near >= 0.07) & (v <= 0.9277 - 3.6224 / (b_ - 2))
        is_possible = (k >= 0) & ~((near < 0.013) & (v > near))
        height = np.log(v * slope[rows] / (a_ / (near * near) + b_))
        fits |= is_possible & (height <= -mean + k * np.log(mean) - _log_gamma(k + 1))
        fits &= k <= most
        found[rows[fits]] = k[fits]
        rows = rows[~fits]


def _log_gamma(x: Array) -> Array:
    made: Array = torch.lgamma(torch.from_numpy(x)).numpy()
    return made


def binomial(streams: Callable[..., Any], count: Array, share: Array, is_many: Array) -> Array:
    """Binomial numbers. `is_many` says where 10 or more of the rarer outcome are expected."""
    found = np.where(share >= 1, count, np.where(np.isnan(share), np.nan, 0.0))
    found[count <= 0] = 0.0
    draws = (count > 0) & (share > 0) & (share < 1)
    rarer = np.where(share <= 0.5, share, 1 - share)
    for chosen, reserved, draw in (
        (draws & (is_many != 0), _RESERVED, _many), (draws & (is_many == 0), _RESERVED_FEW, _few)
    ):  # fmt: skip
        rows = np.flatnonzero(chosen)
        made = draw(streams(reserved, rows), count[rows], rarer[rows])
        found[rows] = np.where(share[rows] <= 0.5, made, count[rows] - made)
    return found


def _few(source: Streams, count: Array, share: Array) -> Array:
    """How many geometric numbers stay below the count."""
    rows = np.arange(len(count))
    found, total = np.zeros(len(count)), np.zeros(len(count))
    while len(rows):
        total[rows] += np.ceil(np.log(source.uniform(rows)) / np.log1p(-share[rows]))
        rows = rows[~(total[rows] > count[rows])]
        found[rows] += 1
    return found


_TAILS = np.array([
    0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509,
    0.0166446911898211, 0.0138761288230707, 0.0118967099458917, 0.0104112652619720,
    0.00925546218271273, 0.00833056343336287,
])  # fmt: skip


def _tail(k: Array) -> Array:
    """What Stirling's formula for log(k!) leaves out."""
    square = (k + 1) * (k + 1)
    far = (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)
    near: Array = _TAILS[np.clip(np.nan_to_num(k), 0, 9).astype(np.int64)]
    return np.where(k <= 9, near, far)


def _many(source: Streams, count: Array, share: Array) -> Array:
    """By transformed rejection, Hörmann's BTRS (1993), as TensorFlow has it."""
    deviation = np.sqrt(count * share * (1 - share))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * share
    odds, alpha = share / (1 - share), (2.83 + 5.1 / b) * deviation
    mode = np.floor((count + 1) * share)
    found, rows = np.zeros(len(count)), np.arange(len(count))
    while len(rows):
        u, v = source.uniform(rows), source.uniform(rows)
        u -= 0.5
        near, n, m, r = 0.5 - np.abs(u), count[rows], mode[rows], odds[rows]
        k = np.floor((2 * a[rows] / near + b[rows]) * u + (n * share[rows] + 0.5))
        fits = (near >= 0.07) & (v <= 0.92 - 4.2 / b[rows])
        height = np.log(v * alpha[rows] / (a[rows] / (near * near) + b[rows]))
        bound = (
            (m + 0.5) * np.log((m + 1) / (r * (n - m + 1)))
            + (n + 1) * np.log((n - m + 1) / (n - k + 1))
            + (k + 0.5) * np.log(r * (n - k + 1) / (k + 1))
            + (_tail(m) + _tail(n - m) - _tail(k) - _tail(n - k))
        )
        fits |= (k >= 0) & (k <= n) & (height <= bound)
        found[rows[fits]] = k[fits]
        rows = rows[~fits]
    return found
