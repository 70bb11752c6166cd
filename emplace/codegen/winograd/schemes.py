"""Which numbers become which points, for windows of several sizes.

A tile of m numbers in a row, of a window of r, is m + r - 1 products: those of two polynomials'
values, the filter's of degree r - 1 and the tile's of degree m - 1, at as many points, of which the
last is at infinity (Toom and Cook). Turned around, that is the convolution (Winograd): the filter's
values are taken at the points; the image's numbers go through Lagrange's polynomials of the points,
which are multiplied by their denominators and the filter's values divided by them; the products are
summed with the powers of the points. Along rows and columns, one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from ..kernel_text import KernelText

Matrix = tuple[tuple[float, ...], ...]


class Scheme(NamedTuple):
    """How a convolution goes by tiles.

    Attributes:
        tile: numbers of the result along a side of a tile.
        window: numbers of the filter along a side of a window.
        of_image: a row per point, of what a tile sees.
        of_filter: a row per point, of a window.
        of_result: a row per point, of a tile.
    """

    tile: int
    window: int
    of_image: Matrix
    of_filter: Matrix
    of_result: Matrix

    @property
    def side(self) -> int:
        """Numbers along a side of what a tile sees; as many points are there."""
        return self.tile + self.window - 1

    @property
    def points(self) -> int:
        """The points of a tile."""
        return self.side**2

    @property
    def taps(self) -> int:
        """The numbers of a window."""
        return self.window**2


def scheme(tile: int, window: int, points: Sequence[float]) -> Scheme:
    """The scheme of these points, beside the one at infinity."""
    found = [Fraction(point) for point in points]
    image, filter, result = [], [], []
    for i, point in enumerate(found):
        others = found[:i] + found[i + 1 :]
        divisor = Fraction(1)
        for other in others:
            divisor *= point - other
        image.append([*_with_zeros_at(others), Fraction(0)])
        filter.append([point**k / divisor for k in range(window)])
        result.append([point**k for k in range(tile)])
    image.append(_with_zeros_at(found))
    filter.append([Fraction(k == window - 1) for k in range(window)])
    result.append([Fraction(k == tile - 1) for k in range(tile)])
    return Scheme(tile, window, _matrix(image), _matrix(filter), _matrix(result))


def _with_zeros_at(places: Sequence[Fraction]) -> list[Fraction]:
    """The coefficients of the polynomial with these zeros, that of the highest power being 1."""
    found = [Fraction(1)]
    for place in places:
        higher, lower = [Fraction(0), *found], [*found, Fraction(0)]
        found = [x - place * y for x, y in zip(higher, lower, strict=True)]
    return found


def _matrix(rows: Sequence[Sequence[Fraction]]) -> Matrix:
    return tuple(tuple(map(float, row)) for row in rows)


#: The sides of a tile and of a window.
Key = tuple[int, int]
#: Points far from 1 or near each other cost decimals; of five choices, a number and the negative of
#: its reciprocal cost the least (measured).
SCHEMES: dict[Key, Scheme] = {
    (each.tile, each.window): each
    for each in (
        scheme(2, 3, (0, 1, -1)),
        scheme(4, 3, (0, 1, -1, 0.5, -2)),
        scheme(2, 5, (0, 1, -1, 0.5, -2)),
    )
}


def both_ways(code: KernelText, values: Sequence[str], matrix: Matrix) -> list[str]:
    """A square of vectors, in rows, times a matrix from both sides; also in rows."""
    size = len(matrix[0])
    columns = [_times(code, matrix, values[i::size]) for i in range(size)]
    rows = [_times(code, matrix, row) for row in zip(*columns, strict=True)]
    return [value for row in rows for value in row]


def turned(matrix: Matrix) -> Matrix:
    """What hands back to the columns what the matrix has made of them."""
    return tuple(zip(*matrix, strict=True))


def _times(code: KernelText, matrix: Matrix, values: Sequence[str]) -> list[str]:
    return [_sum(code, row, values) for row in matrix]


def _sum(code: KernelText, factors: Sequence[float], values: Sequence[str]) -> str:
    made = ""
    for factor, value in sorted(zip(factors, values, strict=True), key=lambda each: each[0] != 1):
        if not factor:
            continue
        if not made:
            made = value if factor == 1 else code.two("fmul", code.literal(factor), value)
        elif abs(factor) == 1:
            made = code.two("fadd" if factor > 0 else "fsub", made, value)
        else:
            made = code.two("fadd", made, code.two("fmul", code.literal(factor), value))
    return made
