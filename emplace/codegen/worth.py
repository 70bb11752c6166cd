"""Whether it pays to compile: how much was computed in other ways in the place of machine code."""

from __future__ import annotations

from collections.abc import Hashable

_MOST = 4096  # of what is told apart


class DoneOtherwise:
    """What was computed without machine code, in a unit of the caller's."""

    def __init__(self) -> None:
        self._amounts: dict[Hashable, int] = {}

    def add(self, amount: int, what: Hashable = None) -> int:
        """Counts more of it; returns how much it is by now."""
        if len(self._amounts) > _MOST:
            self._amounts.clear()
        self._amounts[what] = total = self._amounts.get(what, 0) + amount
        return total
