"""How threads share a convolution by tiles.

What one core has written comes to another several times as slowly as from its own cache. So a part
makes the points of its filter itself: of some vectors of channels out, for some tiles.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

from .convolution import tiles_together

#: To make a point of a filter or an image costs as much as so many multiplications of points.
OF_A_POINT = 16
Ends = tuple[int, int]


class TileShare(NamedTuple):
    """A part: the vectors of channels out that it makes, and the tiles that it makes them of."""

    vectors: Ends
    tiles: Ends

    @property
    def size(self) -> int:
        """How many vectors they are."""
        return self.vectors[1] - self.vectors[0]


def shares(threads: int, tiles: int, vectors: int, lanes: int) -> list[TileShare]:
    """A part for each thread, at most, such that none takes long.

    Args:
        threads: how many share.
        tiles: those of all images.
        vectors: those of channels out.
        lanes: the numbers of a vector.
    """

    def cost(ways: int) -> int:
        own = -(-vectors // ways)
        some = part(tiles, -(-threads // ways), rows_of(lanes, own))
        return lanes * some * own + OF_A_POINT * (lanes * own + some)

    # Of two that are as good that with more, which needs less memory for points.
    ways = min(range(min(threads, vectors), 0, -1), key=cost)
    own = cut(vectors, -(-vectors // ways))
    multiple = rows_of(lanes, own[0][1])
    parts = cut(tiles, part(tiles, -(-threads // len(own)), multiple))
    return list(itertools.starmap(TileShare, itertools.product(own, parts)))


def rows_of(lanes: int, vectors: int) -> int:
    """Blocks of tiles are a multiple of this, for so many vectors of channels out."""
    return tiles_together(lanes, 1 if vectors % 2 else 2)


def cut(count: int, size: int) -> list[Ends]:
    """Parts of this size; the last one has what is left."""
    return [(begin, min(begin + size, count)) for begin in range(0, count, size)]


def part(count: int, parts: int, multiple: int = 1) -> int:
    """The size of so many parts of a number, each but the last one a multiple of something."""
    return -(-count // (parts * multiple)) * multiple
