"""Convolutions of each channel with a window of its own, as machine code.

Images are (batch, rows, columns, channels), filters (taps of a column, taps of a row, channels);
channels are whole vectors. A text knows one pattern of strips of columns (`strips.py`); where they
are, what rows see and all sizes come with the call:

- `fixed`: the image that is seen; the filter, from its first tap on; the result; rows; strips. In
  `rows` each row of the result that sees anything has four numbers: where it begins in the result,
  where what it sees begins in the image and in the filter, and how many rows of taps it sees. In
  `strips` each has two: where it begins in a row of the result, and of the image.
- `sizes`: the end of the bands, whose first one is `begin`; the others are named below. A band is
  some rows of one image of the batch: what it sees of the image stays in a processor's cache.

All these places are counted in float32 numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, NamedTuple, TypeVar

from ..kernel_text import KernelText
from .strips import Pattern

_ZEROS = "zeroinitializer"
_N = TypeVar("_N")


class StripSizes(NamedTuple, Generic[_N]):
    """The sizes of a call, behind the end of its bands.

    `bands` are those of an image, `in_band` rows are one, `rows` those in the table. For sums of
    filters, `together` bands add to one filter. `image` and `result` are how many numbers an image
    has, `filter` a filter. Then come the steps from a row of the image to the next, from a row of
    the result to the next, from a row of taps to the next that is seen, and from a tap to the next.
    Of the vectors of channels, a group of `in_group` is done before the next one.
    """

    bands: _N
    in_band: _N
    rows: _N
    strips: _N
    together: _N
    image: _N
    result: _N
    filter: _N
    channels: _N
    row_step: _N
    result_step: _N
    taps_step: _N
    tap_step: _N
    vectors: _N
    in_group: _N
    groups: _N


class _Strip(NamedTuple):
    """A strip in the text: the addresses of its first numbers, how many rows of taps and how many
    vectors of channels there are.
    """

    image: str
    filter: str
    result: str
    rows: str
    vectors: str


class _Text:
    """A text, as far as all of them are the same."""

    def __init__(self, lanes: int) -> None:
        self.code = code = KernelText(lanes)
        self.end = code.size(0)
        self.sizes = StripSizes(*[code.size(1 + i) for i in range(len(StripSizes._fields))])

    @contextmanager
    def strips(self) -> Iterator[_Strip]:
        """Loops over all strips; what is written inside is done for each."""
        code, sizes, lanes = self.code, self.sizes, self.code.width
        image, filter, result, rows, strips = [code.fixed(i) for i in range(5)]
        with code.loop("%begin", self.end) as band, code.loop(0, sizes.groups) as group:
            number, part = code.divided(band.number, sizes.bands)
            first = code.times(part, sizes.in_band)
            end = code.least(code.plus(first, sizes.in_band), sizes.rows)
            vector = code.times(group.number, sizes.in_group)
            vectors = code.least(sizes.in_group, code.minus(sizes.vectors, vector))
            channel = code.times(vector, lanes)
            own = code.times(code.divided(band.number, sizes.together)[0], sizes.filter)
            image = code.at(image, code.times(number, sizes.image), channel)
            filter = code.at(filter, own, channel)
            result = code.at(result, code.times(number, sizes.result), channel)
            with code.loop(first, end) as row, code.loop(0, sizes.strips) as strip:
                to, seen, taps, count = [self._entry(rows, row.number, i, 4) for i in range(4)]
                begin, origin = [self._entry(strips, strip.number, i, 2) for i in range(2)]
                yield _Strip(
                    code.at(image, seen, origin), code.at(filter, taps),
                    code.at(result, to, begin), count, vectors,
                )  # fmt: skip

    def fetch_ahead(self, strip: _Strip, offset: str, pattern: Pattern, ahead: int) -> None:
        """Has what the next row sees and makes brought near, for a vector of channels: strips are
        too short for a processor to see by itself where they go on.
        """
        code, sizes = self.code, self.sizes
        columns = sorted({i for seen in pattern for i, _ in seen})
        for further in range(ahead):
            row = code.times(code.plus(strip.rows, further), sizes.row_step)
            for i in columns:
                code.fetch(code.at(strip.image, offset, row, code.times(sizes.channels, i)))
        next_row = code.at(strip.result, offset, sizes.result_step)
        for place in self.columns(next_row, len(pattern)):
            code.fetch(place)

    def columns(self, start: str, count: int) -> list[str]:
        """The addresses of neighbouring columns."""
        return [self.code.at(start, self.code.times(self.sizes.channels, i)) for i in range(count)]

    def taps(self, start: str, count: int) -> list[str]:
        """The addresses of the taps of a row."""
        return [self.code.at(start, self.code.times(self.sizes.tap_step, i)) for i in range(count)]

    def seen(self, start: str, pattern: Pattern) -> dict[int, str]:
        """What a pattern sees of a row, by columns."""
        code = self.code
        columns = sorted({i for seen in pattern for i, _ in seen})
        return {i: code.load(code.at(start, code.times(self.sizes.channels, i))) for i in columns}

    def _entry(self, table: str, line: str, place: int, of: int) -> str:
        """A number of a table."""
        code = self.code
        index = code.plus(code.times(line, of), place)
        return code.add(f"load i64, ptr {code.add(f'getelementptr i64, ptr {table}, i64 {index}')}")


def windows_text(lanes: int, pattern: Pattern, taps: int, ahead: int) -> str:
    """The convolution. It is the gradient of the image too, which sees that of the result.

    Args:
        lanes: how many numbers a vector has.
        pattern: of the strips.
        taps: how many a row of the window has.
        ahead: how many rows of the image the next row sees that this one does not.
    """
    text = _Text(lanes)
    code = text.code
    with text.strips() as strip, code.loop(0, strip.vectors) as vector:
        offset = code.times(vector.number, lanes)
        text.fetch_ahead(strip, offset, pattern, ahead)
        with code.loop(0, strip.rows, sums=[_ZEROS] * len(pattern)) as row:
            begin = code.at(strip.image, offset, code.times(row.number, text.sizes.row_step))
            first = code.at(strip.filter, offset, code.times(row.number, text.sizes.taps_step))
            factors = [code.load(place) for place in text.taps(first, taps)]
            seen, sums = text.seen(begin, pattern), list(row.given)
            for column, i, tap in _in_turns(pattern):
                sums[column] = code.intrinsic("fma", seen[i], factors[tap], sums[column])
            row.handed = sums
        places = text.columns(code.at(strip.result, offset), len(pattern))
        for value, place in zip(row.ended, places, strict=True):
            code.store(value, place)
    return code.function_text()


def filter_gradient_text(lanes: int, pattern: Pattern, taps: int, ahead: int) -> str:
    """What the filter gets of the gradient of the result, added to what is there.

    A strip adds up what it has for a row of taps, and adds that: sums of sums round less. The
    arguments are those of `windows_text`.
    """
    text = _Text(lanes)
    code = text.code
    with text.strips() as strip, code.loop(0, strip.vectors) as vector:
        offset = code.times(vector.number, lanes)
        places = text.columns(code.at(strip.result, offset), len(pattern))
        factors = [code.load(place) for place in places]
        text.fetch_ahead(strip, offset, pattern, ahead)
        with code.loop(0, strip.rows) as row:
            begin = code.at(strip.image, offset, code.times(row.number, text.sizes.row_step))
            first = code.at(strip.filter, offset, code.times(row.number, text.sizes.taps_step))
            seen = text.seen(begin, pattern)
            sums: dict[int, str] = {}
            for column, each in enumerate(pattern):
                for i, tap in each:
                    values = seen[i], factors[column]
                    sums[tap] = (
                        code.intrinsic("fma", *values, sums[tap]) if tap in sums
                        else code.two("fmul", *values)
                    )  # fmt: skip
            places = text.taps(first, taps)
            for tap, value in sorted(sums.items()):
                code.store(code.two("fadd", code.load(places[tap]), value), places[tap])
    return code.function_text()


def total_text(lanes: int) -> str:
    """`loop(0, (numbers, sums), (how many numbers a part has, how many parts there are), 0)` adds
    up parts, one after the other.
    """
    code = KernelText(lanes)
    numbers, sums = code.fixed(0), code.fixed(1)
    size, parts = code.size(0), code.size(1)
    with code.loop(0, size, lanes) as vector:
        with code.loop(0, parts, sums=[_ZEROS]) as part:
            place = code.at(numbers, vector.number, code.times(part.number, size))
            part.handed = [code.two("fadd", part.given[0], code.load(place))]
        code.store(part.ended[0], code.at(sums, vector.number))
    return code.function_text()


def _in_turns(pattern: Pattern) -> list[tuple[int, int, int]]:
    """The products of a row of taps: (column of the strip, column of the image, tap). Neighbours
    are of different columns, so that none waits for the sum that the one before it makes.
    """
    turns = range(max(map(len, pattern)))
    return [
        (column, *seen[turn])
        for turn in turns
        for column, seen in enumerate(pattern)
        if turn < len(seen)
    ]
