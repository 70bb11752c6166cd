"""The convolution itself: points of the image, products with those of the filter, the result."""

from __future__ import annotations

from ..kernel_text import KernelText
from .filters import TOGETHER
from .schemes import Scheme, both_ways, turned
from .tiles import SIZES, Image, noted, place_of_tile, put_points, sizes_of

_UNROLLED = 2


def tiles_together(lanes: int, vectors: int) -> int:
    """How many tiles are multiplied at once by so many vectors of channels out. Their sums stay in
    registers, 32 where vectors have 16 numbers, else 16; more of them than these would be no faster
    and leave more of the last rows idle.
    """
    return (16 if lanes == 16 else 12) // vectors


def convolution_text(scheme: Scheme, lanes: int) -> str:
    """`loop(first tile, fixed, sizes, scratch)` makes some tiles of the result.

    `fixed`: the image, the filter's points, a bias, the result, zeros for every channel in, two
    numbers that the result is brought between, and a vector that gets NaN if it is not finite.
    `sizes`: those, the end of the tiles, and the vectors out of the result, of which a call may
    make fewer; a block is a multiple of what `tiles_together` says.
    `scratch`: points * (vectors in + 2) vectors for each tile of a block, and two more.
    """
    return _ConvolutionText(scheme, lanes).function_text()


class _ConvolutionText(KernelText):
    def __init__(self, scheme: Scheme, lanes: int) -> None:
        super().__init__(lanes)
        self.scheme = scheme
        image, self.points, self.bias, self.y, zeros, limits, self.seen = map(self.fixed, range(7))
        self.least_value, self.most_value = self.same(limits), self.same(self.at(limits, 1))
        sizes = self.sizes = sizes_of(self)
        channels = self.times(sizes.vectors_in, lanes)
        self.image = Image(image, sizes.rows_in, sizes.columns_in, channels, zeros)
        self.channels = self.times(self.size(SIZES + 1), lanes)
        # From one vector of channels to the next in the memory of a block.
        self.apart = self.times(sizes.block, lanes)
        self.sums = self.at(
            "%scratch", self.times(self.scheme.points, sizes.vectors_in, self.apart)
        )
        # Where numbers go that lie beyond the end of the result.
        self.nowhere = self.at(self.sums, self.times(TOGETHER * self.scheme.points, self.apart))
        end = self.size(SIZES)
        with self.loop("%begin", end, sizes.block) as block:
            count = self.least(self.minus(end, block.number), sizes.block)
            self._take(block.number, count)
            with self.loop(0, sizes.vectors_out, TOGETHER) as vector:
                left = self.minus(sizes.vectors_out, vector.number)
                self._multiply(count, vector.number, left)
                self._make(block.number, count, vector.number, self.least(left, TOGETHER))

    def _take(self, first: str, count: str) -> None:
        """The points of the image."""
        sizes, scheme = self.sizes, self.scheme
        with self.loop(0, count) as tile:
            place, row, column = place_of_tile(
                self, self.plus(first, tile.number), sizes, scheme.tile
            )
            corner = self.minus(row, sizes.above), self.minus(column, sizes.before)
            pixels = self.image.square(self, place, corner, scheme.side)
            to = self.at("%scratch", self.times(tile.number, self.width))
            put_points(self, pixels, sizes.vectors_in, to, self.apart, scheme.of_image)

    def _multiply(self, count: str, vector: str, left: str) -> None:
        """The points of the result, of two vectors of channels out if they are left, else one."""
        lanes, inner = self.width, self.sizes.vectors_in
        before = self.times(vector, self.scheme.points * lanes * lanes, inner)
        filter = self.at(self.points, before)
        for vectors, condition in ((2, self.is_below(1, left)), (1, self.is_below(left, 2))):
            with self.where(condition), self.loop(0, self.scheme.points) as point:
                a = self.at("%scratch", self.times(point.number, inner, self.apart))
                b = self.at(filter, self.times(point.number, inner, lanes * lanes * vectors))
                c = self.at(self.sums, self.times(point.number, self.apart, vectors))
                self._product(a, b, c, count, vectors)

    def _make(self, first: str, count: str, vector: str, vectors: str) -> None:
        """The result, of those vectors."""
        channel = self.times(vector, self.width)
        step = self.times(self.apart, vectors)
        with self.loop(0, count) as tile:
            found = self.at(self.sums, self.times(tile.number, vectors, self.width))
            places = self._places(self.plus(first, tile.number), channel)
            with self.loop(0, self.times(vectors, self.width), self.width) as own:
                bias = self.load(self.at(self.bias, channel, own.number))
                made = self._result(self.at(found, own.number), step, bias)
                for value, place in zip(made, places, strict=True):
                    self.store(value, self.at(place, own.number))

    def _product(self, a: str, b: str, c: str, count: str, vectors: int) -> None:
        """c = a b: a is (vector in, tile, lane), b is (channel in, vector, lane), c is (tile,
        vector, lane). The last rows of c may be those of no tile.
        """
        lanes = self.width
        together = tiles_together(lanes, vectors)
        with self.loop(0, count, together) as tiles:
            first = self.times(tiles.number, lanes)
            nothing = ["zeroinitializer"] * (together * vectors)
            with self.loop(0, self.sizes.vectors_in, sums=nothing) as vector:
                left = self.at(a, self.times(vector.number, self.apart), first)
                right = self.at(b, self.times(vector.number, lanes * lanes * vectors))
                with self.loop(0, lanes, _UNROLLED, sums=vector.given) as channel:
                    sums = channel.given
                    of_channel = self.at(right, self.times(channel.number, lanes * vectors))
                    for i in range(_UNROLLED):
                        column = self.at(left, channel.number, i)
                        row = [
                            self.load(self.at(of_channel, (i * vectors + j) * lanes))
                            for j in range(vectors)
                        ]
                        sums = self._summed(sums, column, row, together)
                    channel.handed = sums
                vector.handed = channel.ended
            to = self.at(c, self.times(first, vectors))
            for i, value in enumerate(vector.ended):
                self.store(value, self.at(to, i * lanes))

    def _summed(self, sums: list[str], column: str, row: list[str], rows: int) -> list[str]:
        """The sums, and a column times a row more."""
        made = []
        for i in range(rows):
            factor = self.same(self.at(column, i * self.width))
            for j, value in enumerate(row):
                made.append(self.intrinsic("fma", factor, value, sums[i * len(row) + j]))
        return made

    def _places(self, number: str, channel: str) -> list[str]:
        """Where the numbers of a tile go, from a channel on."""
        sizes, tile = self.sizes, self.scheme.tile
        image, row, column = place_of_tile(self, number, sizes, tile)
        start = self.at(self.y, channel)
        result = Image(start, sizes.rows_out, sizes.columns_out, self.channels, self.nowhere)
        return result.square(self, image, (row, column), tile)

    def _result(self, place: str, step: str, bias: str) -> list[str]:
        """The numbers of a tile, for a vector of channels out."""
        points = []
        for _ in range(self.scheme.points):
            points.append(self.load(place))
            place = self.at(place, step)
        made = both_ways(self, points, turned(self.scheme.of_result))
        made = [self.two("fadd", value, bias) for value in made]
        self.store(noted(self, self.load(self.seen), made), self.seen)
        return [self.between(value, self.least_value, self.most_value) for value in made]
