"""What windows that slide along an axis see, and rows of their results in strips, for machine code.

A strip is some neighbouring columns of a row of a result. Its pattern says which column of the
image each sees through which tap of a row of the window, so those at a border have fewer taps, and
nothing is padded. Most strips of a row have one pattern; there is a text for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

#: What one place of a result sees: (place of the image, tap), ascending.
Seen = tuple[tuple[int, int], ...]
#: The same for neighbouring columns, from where the strip begins in the image.
Pattern = tuple[Seen, ...]

# So many columns are a strip: the first that leaves the fewest over. Their sums, a row of taps and
# what it sees fill most of a processor's registers. Strips of steps over two begin at even columns.
_SIZES = {1: (7, 6, 8, 5), 2: (8, 6)}
_WHOLE = 8  # columns at most that are one strip
_LEAST = 3  # columns that the last one has at least


class Axis(NamedTuple):
    """How windows slide along an axis of an image: sizes, the step, what is padded before."""

    image: int
    result: int
    taps: int
    step: int
    before: int

    def forward(self) -> list[Seen]:
        """What places of the result see of the image."""
        return [
            tuple(
                (i * self.step - self.before + tap, tap)
                for tap in range(self.taps)
                if 0 <= i * self.step - self.before + tap < self.image
            )
            for i in range(self.result)
        ]

    def backward(self) -> list[Seen]:
        """What places of the image's gradient see of the result's, through taps that are counted
        from the last one.
        """
        found = []
        for i in range(self.image):
            seen = []
            for tap in range(self.taps):
                place, left = divmod(i + self.before - (self.taps - 1 - tap), self.step)
                if not left and 0 <= place < self.result:
                    seen.append((place, tap))
            found.append(tuple(seen))
        return found


class Strip(NamedTuple):
    """The columns of one pattern. `places` are where they begin in the result and in the image."""

    pattern: Pattern
    places: list[tuple[int, int]]


def strips(columns: Sequence[Seen], step: int, apart: int) -> list[Strip]:
    """The strips of a row.

    Args:
        columns: what each column sees.
        step: how many columns of the image one of the result is.
        apart: how many columns of the result see the same column through the same tap: the other
            way round.
    """
    count = len(columns)
    size = min(_SIZES[apart], key=lambda size: -(-count // size) * size)
    begins = list(range(0, count, count if count <= _WHOLE else size))
    if len(begins) > 1 and count - begins[-1] < _LEAST:
        begins.pop()
    found: dict[Pattern, list[tuple[int, int]]] = {}
    for begin, end in zip(begins, [*begins[1:], count], strict=True):
        origin = begin * step // apart
        pattern = tuple(
            tuple((place - origin, tap) for place, tap in seen) for seen in columns[begin:end]
        )
        found.setdefault(pattern, []).append((begin, origin))
    return [Strip(*each) for each in found.items()]
