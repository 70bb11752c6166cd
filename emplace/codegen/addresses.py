"""Where iterations of machine code find their numbers: tables of addresses, of which a call only
has to fill in where its tensors begin.

To make a table anew costs more than what machine code does with some thousand numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


class Table:
    """Memory for the addresses of one call: `table` is where they lie, for machine code, and
    `by_iteration` the same as an array: shape (memories, iterations), int64.
    """

    __slots__ = ("_starts", "by_iteration", "owner", "table")

    def __init__(self, owner: Addresses) -> None:
        self.owner = owner
        self._starts = np.empty((len(owner.offsets), 1), np.int64)
        self.by_iteration = np.empty_like(owner.offsets)
        self.table = self.by_iteration.ctypes.data

    def fill(self, starts: Sequence[int]) -> None:
        """Enters where the memories begin."""
        self._starts[:, 0] = starts
        np.add(self._starts, self.owner.offsets, out=self.by_iteration)

    def __enter__(self) -> Table:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:  # else machine code may still read it
            self.owner.give_back(self)


class Addresses:
    """Tables for calls with the same steps from iteration to iteration.

    Args:
        offsets: how many bytes after its start an iteration finds its part of a memory: shape
            (memories, iterations), int64.
    """

    def __init__(self, offsets: np.ndarray) -> None:
        self.offsets = offsets
        # Tables that no call uses. Of two threads each takes its own: a list gives each entry once.
        self._free: list[Table] = []

    def filled(self, starts: Sequence[int]) -> Table:
        """A table for one call, which a `with` gives back: `starts` are the memories' addresses."""
        try:
            found = self._free.pop()
        except IndexError:
            found = Table(self)
        found.fill(starts)
        return found

    def give_back(self, table: Table) -> None:
        """A call is over."""
        self._free.append(table)
