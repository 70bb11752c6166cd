"""Places as TensorFlow's kernels go through them: stretches of equal ones, and two lists in turns.

Places in order, each there once, are all met where they belong. What comes of others depends on how
they stand, here as there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from .places import Place

Row = TypeVar("Row", list[int], Place)


def stretches(places: Sequence[Sequence[int]]) -> list[tuple[Place, int, int]]:
    """Each stretch of equal places: the place, where it begins, where it ends."""
    found: list[tuple[Place, int, int]] = []
    for i, place in enumerate(map(tuple, places)):
        if found and found[-1][0] == place:
            found[-1] = (place, found[-1][1], i + 1)
        else:
            found.append((place, i, i + 1))
    return found


def met_in_order(rows: Sequence[int]) -> int:
    """How many elements are met by who goes through all rows once and takes from each what comes
    next: one whose row is behind already stops it.
    """
    least = 0
    for i, row in enumerate(rows):
        if row < least:
            return i
        least = row
    return len(rows)


def in_turns(first: Sequence[Row], second: Sequence[Row]) -> Iterator[tuple[int, int]]:
    """Numbers of places in both lists, together where the two at hand are equal; else the smaller
    goes first, with -1 for the other.
    """
    i = j = 0
    while i < len(first) and j < len(second):
        if first[i] == second[j]:
            yield i, j
            i, j = i + 1, j + 1
        elif first[i] < second[j]:
            yield i, -1
            i += 1
        else:
            yield -1, j
            j += 1
    yield from ((k, -1) for k in range(i, len(first)))
    yield from ((-1, k) for k in range(j, len(second)))
