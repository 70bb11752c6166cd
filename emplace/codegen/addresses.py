"""Where iterations of machine code find their numbers: tables of addresses, of which a call only
has to fill in where its tensors begin.

To make a table anew costs more than what machine code does with some thousand numbers.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

_NUMBER_BYTES = 4


class Table:
    """Memory for the addresses of one call. `fixed` and `table` are where they lie, for machine
    code; `by_iteration` the latter as an array: shape (memories, iterations), int64.
    """

    __slots__ = ("_starts", "_whole", "by_iteration", "fixed", "owner", "table")

    def __init__(self, owner: Addresses) -> None:
        memories, iterations = owner.offsets.shape
        self.owner = owner
        self._whole = np.empty(owner.fixed + memories * (1 + iterations), np.int64)
        self._starts = self._whole[: owner.fixed + memories]
        self.by_iteration = self._whole[len(self._starts) :].reshape(memories, iterations)
        self.fixed = self._whole.ctypes.data
        self.table = self.by_iteration.ctypes.data

    def fill(self, starts: Sequence[int]) -> None:
        """Enters where the fixed memories begin, and then those of which iterations have parts."""
        self._starts[:] = starts
        np.add(self._starts[self.owner.fixed :, None], self.owner.offsets, out=self.by_iteration)

    def __enter__(self) -> Table:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:  # else threads may still read it
            self.owner.give_back(self)


class Addresses:
    """Tables for calls with the same steps from iteration to iteration.

    Args:
        offsets: how many bytes after its start an iteration finds its part of a memory: shape
            (memories, iterations), int64.
        fixed: how many memories are the same in all iterations.
    """

    def __init__(self, offsets: np.ndarray, fixed: int = 0) -> None:
        self.offsets = offsets
        self.fixed = fixed
        # Tables that no call uses. Of two threads each takes its own: a list gives each entry once.
        self._free: list[Table] = []

    def filled(self, starts: Sequence[int]) -> Table:
        """A table for one call, which a `with` gives back: `starts` are the addresses of the fixed
        memories, and then of the others.
        """
        try:
            found = self._free.pop()
        except IndexError:
            found = Table(self)
        found.fill(starts)
        return found

    def give_back(self, table: Table) -> None:
        """A call is over."""
        self._free.append(table)


@functools.lru_cache(1024)
def addresses(iterations: int, steps: tuple[tuple[int, int], ...], fixed: int) -> Addresses:
    """Tables for iterations that go so many numbers further every so many iterations, by memory."""
    places = np.arange(iterations, dtype=np.int64)
    offsets = np.stack([places // every * (_NUMBER_BYTES * step) for step, every in steps])
    return Addresses(offsets, fixed)
