"""Tiles and their points: what all of these kernels begin and end with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from ..kernel_text import KernelText

#: Points along a side of what a tile sees, and in all of it.
SIDE = 4
POINTS = SIDE * SIDE
#: Numbers along a side of a tile, and of a window; numbers of a window.
TILE = 2
WINDOW = 3
TAPS = WINDOW * WINDOW

T = TypeVar("T", int, str)
Line = list[str]
Change = Callable[[KernelText, Line], Line]


class Sizes(NamedTuple, Generic[T]):
    """What a call says of its images, in this order; `vectors` are those of channels.

    `above` and `before` are the rows and columns of zeros around the image, which may be negative;
    `block` is how many tiles a kernel goes through at once.
    """

    tiles_across: T
    tiles_per_image: T
    rows_in: T
    columns_in: T
    rows_out: T
    columns_out: T
    above: T
    before: T
    vectors_in: T
    vectors_out: T
    block: T


SIZES = len(Sizes._fields)


def sizes_of(code: KernelText) -> Sizes[str]:
    """The sizes that a call was given."""
    return Sizes(*map(code.size, range(SIZES)))


# -- from numbers to points, and back -----------------------------------------------------------


def both_ways(code: KernelText, values: Sequence[str], size: int, change: Change) -> Line:
    """A change of each column of a square, then of each row; the numbers of all rows."""
    columns = [change(code, list(values[i::size])) for i in range(size)]
    rows = [change(code, list(row)) for row in zip(*columns, strict=True)]
    return [value for row in rows for value in row]


def points_of_image(code: KernelText, d: Line) -> Line:
    """A column of what a tile sees."""
    return [
        code.two("fsub", d[0], d[2]), code.two("fadd", d[1], d[2]),
        code.two("fsub", d[2], d[1]), code.two("fsub", d[1], d[3]),
    ]  # fmt: skip


def points_of_filter(code: KernelText, g: Line) -> Line:
    """A column of a window."""
    half = code.number(0.5)
    ends = code.two("fmul", half, code.two("fadd", g[0], g[2]))
    middle = code.two("fmul", half, g[1])
    return [g[0], code.two("fadd", ends, middle), code.two("fsub", ends, middle), g[2]]


def result_of_points(code: KernelText, m: Line) -> Line:
    """A column of a tile."""
    return [
        code.two("fadd", code.two("fadd", m[0], m[1]), m[2]),
        code.two("fsub", code.two("fsub", m[1], m[2]), m[3]),
    ]


def points_of_result(code: KernelText, y: Line) -> Line:
    """What `result_of_points` hands back to its points."""
    both, apart = code.two("fadd", y[0], y[1]), code.two("fsub", y[0], y[1])
    return [y[0], both, apart, code.add(f"fneg {code.type} {y[1]}")]


def filter_of_points(code: KernelText, u: Line) -> Line:
    """What `points_of_filter` hands back to its window."""
    half = code.number(0.5)
    both = code.two("fmul", half, code.two("fadd", u[1], u[2]))
    apart = code.two("fmul", half, code.two("fsub", u[1], u[2]))
    return [code.two("fadd", u[0], both), apart, code.two("fadd", u[3], both)]


def noted(code: KernelText, seen: str, values: Sequence[str]) -> str:
    """`seen`, with NaN where one of the values is not finite."""
    for value in values:
        nothing = code.add(f"fsub {code.type} {value}, {value}")
        seen = code.add(f"fadd {code.type} {seen}, {nothing}")
    return seen


# -- where tiles are ----------------------------------------------------------------------------


def place_of_tile(code: KernelText, tile: str, sizes: Sizes[str]) -> tuple[str, str, str]:
    """The image of a tile, and the first row and column of the result that are its own."""
    image, rest = code.divided(tile, sizes.tiles_per_image)
    row, column = code.divided(rest, sizes.tiles_across)
    return image, code.times(row, TILE), code.times(column, TILE)


class Image(NamedTuple):
    """Images in memory, and an address where as many zeros are as they have channels."""

    start: str
    rows: str
    columns: str
    channels: str
    zeros: str

    def pixel(self, code: KernelText, image: str, row: str, column: str) -> str:
        """The address of a pixel, counted in numbers from the start."""
        of_row = code.plus(code.times(image, self.rows), row)
        return code.times(code.plus(code.times(of_row, self.columns), column), self.channels)

    def square(self, code: KernelText, image: str, corner: tuple[str, str], side: int) -> list[str]:
        """The addresses of the pixels of a square; that of the zeros for those outside."""
        rows, columns = [[code.plus(first, i) for i in range(side)] for first in corner]
        are_inside = [code.is_below(column, self.columns) for column in columns]
        found = []
        for row in rows:
            is_row = code.is_below(row, self.rows)
            for column, is_column in zip(columns, are_inside, strict=True):
                place = code.at(self.start, self.pixel(code, image, row, column))
                found.append(code.either(code.both(is_row, is_column), place, self.zeros))
        return found


def put_points(
    code: KernelText, places: Sequence[str], vectors: str, to: str, apart: str, change: Change
) -> None:
    """Makes points of a square of pixels and puts them into a kernel's memory.

    Args:
        code: where to write.
        places: the addresses of the pixels.
        vectors: how many vectors of channels.
        to: where the first point of the first vector goes.
        apart: how many numbers it is from one vector to the next; points are `vectors` times that.
        change: makes points of a column of the square.
    """
    side, step = int(len(places) ** 0.5), code.times(vectors, apart)
    with code.loop(0, vectors) as vector:
        offset = code.times(vector.number, code.width)
        values = [code.load(code.at(place, offset)) for place in places]
        place = code.at(to, code.times(vector.number, apart))
        for value in both_ways(code, values, side, change):
            code.store(value, place)
            place = code.at(place, step)
