"""Philox streams for distributions that reject some numbers: a stream per result, side by side.

TensorFlow's kernels draw each result from counters of its own and go on until a number fits. Here
all results that still wait take their next number at once. Numbers come in pairs of float64, the
last of a pair first; uniform and normal ones share the counters of their stream.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .philox import Array, words_at

_TINY = 1e-7


class Streams:
    """The streams of some results: `starts` are their distances from the first counter."""

    def __init__(self, key: int, counter: int, starts: Array) -> None:
        self._key = key
        self._counter = counter
        self._next = starts.astype(np.uint64)
        self._uniform = _Pairs(len(starts))
        self._normal = _Pairs(len(starts))

    def uniform(self, rows: Array) -> Array:
        """The next number from 0 up to 1 of each of these streams."""
        return self._uniform.taken(rows, lambda empty: _unit_pair(self._words(empty)))

    def normal(self, rows: Array) -> Array:
        """The next normal number of each of these streams."""
        return self._normal.taken(rows, lambda empty: _normal_pair(self._words(empty)))

    def _words(self, rows: Array) -> tuple[Array, Array, Array, Array]:
        made = words_at(self._key, self._counter, self._next[rows])
        self._next[rows] += np.uint64(1)
        return made


class _Pairs:
    """What is left of the pair that each stream drew last."""

    def __init__(self, count: int) -> None:
        self._kept = np.empty((2, count))
        self._left = np.zeros(count, np.int64)

    def taken(self, rows: Array, draw: Callable[..., Any]) -> Array:
        empty = rows[self._left[rows] == 0]
        if len(empty):
            self._kept[:, empty] = draw(empty)
            self._left[empty] = 2
        self._left[rows] -= 1
        found: Array = self._kept[self._left[rows], rows]
        return found


def _unit(high: Array, low: Array) -> Array:
    return ((high & np.uint64(0xFFFFF)) << np.uint64(32) | low) * 2.0**-52


def _unit_pair(words: tuple[Array, Array, Array, Array]) -> tuple[Array, Array]:
    return _unit(words[0], words[1]), _unit(words[2], words[3])


def _normal_pair(words: tuple[Array, Array, Array, Array]) -> tuple[Array, Array]:
    """Two normal numbers of two uniform ones (Box and Muller)."""
    u, v = _unit_pair(words)
    size, angle = np.sqrt(-2.0 * np.log(np.maximum(u, _TINY))), v * (2.0 * np.pi)
    return np.sin(angle) * size, np.cos(angle) * size
