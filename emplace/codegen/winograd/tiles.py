"""Where tiles are, and their points: what all of these kernels begin and end with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

from ..kernel_text import KernelText
from .schemes import Matrix, both_ways

T = TypeVar("T", int, str)


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


def noted(code: KernelText, seen: str, values: Sequence[str]) -> str:
    """`seen`, with NaN where one of the values is not finite."""
    for value in values:
        nothing = code.add(f"fsub {code.type} {value}, {value}")
        seen = code.add(f"fadd {code.type} {seen}, {nothing}")
    return seen


# -- where tiles are ----------------------------------------------------------------------------


def place_of_tile(
    code: KernelText, number: str, sizes: Sizes[str], tile: int
) -> tuple[str, str, str]:
    """The image of a tile, and the first row and column of the result that are its own.

    Args:
        code: where to write.
        number: which tile it is.
        sizes: those of the images.
        tile: numbers along its side.
    """
    image, rest = code.divided(number, sizes.tiles_per_image)
    row, column = code.divided(rest, sizes.tiles_across)
    return image, code.times(row, tile), code.times(column, tile)


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
    code: KernelText, places: Sequence[str], vectors: str, to: str, apart: str, matrix: Matrix
) -> None:
    """Makes points of a square of pixels and puts them into a kernel's memory.

    Args:
        code: where to write.
        places: the addresses of the pixels.
        vectors: how many vectors of channels.
        to: where the first point of the first vector goes.
        apart: how many numbers it is from one vector to the next; points are `vectors` times that.
        matrix: makes points of a column of the square.
    """
    step = code.times(vectors, apart)
    with code.loop(0, vectors) as vector:
        offset = code.times(vector.number, code.width)
        values = [code.load(code.at(place, offset)) for place in places]
        place = code.at(to, code.times(vector.number, apart))
        for value in both_ways(code, values, matrix):
            code.store(value, place)
            place = code.at(place, step)
