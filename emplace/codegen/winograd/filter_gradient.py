"""The gradient of the filter: points of the image and of the result's gradient, multiplied."""

from __future__ import annotations

from ..kernel_text import KernelText
from .filters import TOGETHER
from .schemes import Scheme
from .tiles import SIZES, Image, place_of_tile, put_points, sizes_of


def filter_gradient_text(scheme: Scheme, lanes: int) -> str:
    """`loop(first vector in, fixed, sizes, scratch)` makes the points of the filter's gradient, of
    some channels in: what some tiles have of it.

    `fixed`: the image, the gradient of the result, zeros for every channel in and out, the points
    (point, channel in, channel out). `sizes`: those, the end of the vectors in, the first tile and
    the end of the tiles. `scratch`: points * (vectors in + vectors out) vectors for each tile of a
    block.
    """
    return _FilterGradientText(scheme, lanes).function_text()


class _FilterGradientText(KernelText):
    def __init__(self, scheme: Scheme, lanes: int) -> None:
        super().__init__(lanes)
        self.scheme = scheme
        image, dy, zeros, points = map(self.fixed, range(4))
        sizes = self.sizes = sizes_of(self)
        end, first, last = [self.size(SIZES + i) for i in range(3)]
        # The vectors in that are taken here, and the first number of them.
        self.vectors = self.minus(end, "%begin")
        begin = self.times("%begin", lanes)
        channels_in = self.times(sizes.vectors_in, lanes)
        self.channels = self.times(sizes.vectors_out, lanes)
        self.image = Image(
            self.at(image, begin), sizes.rows_in, sizes.columns_in, channels_in, zeros
        )
        self.dy = Image(dy, sizes.rows_out, sizes.columns_out, self.channels, zeros)
        self.made = self.at(points, self.times(begin, self.channels))
        self.apart_in_made = self.times(channels_in, self.channels)
        # From one vector of channels to the next in the memory of a block.
        self.apart = self.times(sizes.block, lanes)
        self.of_dy = self.at("%scratch", self.times(scheme.points, self.vectors, self.apart))
        self._clear()
        with self.loop(first, last, sizes.block) as block:
            count = self.least(self.minus(last, block.number), sizes.block)
            self._take(block.number, count)
            with self.loop(0, scheme.points) as point:
                self._multiply(point.number, count)

    def _clear(self) -> None:
        """Sums begin as zeros."""
        of_vectors = self.times(self.vectors, self.width, self.channels)
        with self.loop(0, self.scheme.points) as point:
            row = self.at(self.made, self.times(point.number, self.apart_in_made))
            with self.loop(0, of_vectors, self.width) as place:
                self.store("zeroinitializer", self.at(row, place.number))

    def _take(self, first: str, count: str) -> None:
        """The points of both."""
        sizes, scheme = self.sizes, self.scheme
        with self.loop(0, count) as tile:
            place, row, column = place_of_tile(
                self, self.plus(first, tile.number), sizes, scheme.tile
            )
            within = self.times(tile.number, self.width)
            corner = self.minus(row, sizes.above), self.minus(column, sizes.before)
            seen = self.image.square(self, place, corner, scheme.side)
            to = self.at("%scratch", within)
            put_points(self, seen, self.vectors, to, self.apart, scheme.of_image)
            own = self.dy.square(self, place, (row, column), scheme.tile)
            to = self.at(self.of_dy, within)
            put_points(self, own, sizes.vectors_out, to, self.apart, scheme.of_result)

    def _multiply(self, point: str, count: str) -> None:
        """One point of all tiles of a block, summed over the tiles."""
        outer = self.sizes.vectors_out
        paired = self.times(self.divided(outer, TOGETHER)[0], TOGETHER)
        b = self.at(self.of_dy, self.times(point, outer, self.apart))
        with self.loop(0, self.vectors) as vector:
            number = self.plus(self.times(point, self.vectors), vector.number)
            a = self.at("%scratch", self.times(number, self.apart))
            row = self.times(vector.number, self.width, self.channels)
            to = self.at(self.made, self.times(point, self.apart_in_made), row)
            with self.where(self.is_below(0, paired)), self.loop(0, paired, TOGETHER) as pair:
                self._product(a, b, to, pair.number, TOGETHER, count)
            with self.where(self.is_below(paired, outer)):
                self._product(a, b, to, paired, 1, count)

    def _product(self, a: str, b: str, to: str, first: str, vectors: int, count: str) -> None:
        """Adds a' b to a part of a matrix: a is (tile, lane), b is (vector, tile, lane)."""
        right = self.at(b, self.times(first, self.apart))
        rows = self.width // vectors  # as many sums as a vector has numbers, at once
        with self.loop(0, self.width, rows) as begin:
            nothing = ["zeroinitializer"] * self.width
            with self.loop(0, count, sums=nothing) as tile:
                within = self.times(tile.number, self.width)
                factors = [
                    self.load(self.at(right, within, self.times(self.apart, j)))
                    for j in range(vectors)
                ]
                column = self.at(a, within, begin.number)
                sums = []
                for i in range(rows):
                    left = self.same(self.at(column, i))
                    for j, factor in enumerate(factors):
                        before = tile.given[i * vectors + j]
                        sums.append(self.intrinsic("fma", left, factor, before))
                tile.handed = sums
            first_row = self.times(self.channels, begin.number)
            for k, value in enumerate(tile.ended):
                i, j = divmod(k, vectors)
                row = self.plus(first_row, self.times(self.channels, i))
                place = self.at(to, row, self.times(first, self.width), j * self.width)
                self.store(self.two("fadd", self.load(place), value), place)
