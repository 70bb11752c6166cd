"""Convolutions of each channel of some shape: which texts they are, what each is told, the call."""

from __future__ import annotations

import functools
import itertools
from array import array
from typing import NamedTuple

import torch

from ..code import Loop, compiled_text, lanes
from ..team import PartCall, packed, run_parts
from .strips import Axis, Pattern, Seen, Strip, strips
from .texts import StripSizes, filter_gradient_text, total_text, windows_text

# With fewer products one thread is done before another one has come.
_LEAST_SHARED = 1 << 21
_PARTS_PER_THREAD = 4
LANES = (16, 8, 4)
# The filters of a group of channels stay in the nearest cache, what a band sees in the next one.
_GROUP_BYTES = 8 << 10
_BAND_BYTES = 256 << 10
# So many filters are summed one by one before they are added up: a few of the largest are some MB.
_MOST_SUMS = 16

FORWARD, OF_INPUT, OF_FILTER = "forward", "of input", "of filter"


class ByChannel(NamedTuple):
    """A convolution of images (batch, rows, columns, channels), each channel with a window of its
    own.
    """

    batch: int
    channels: int
    rows: Axis
    columns: Axis

    @property
    def filter(self) -> tuple[int, ...]:
        """The shape of the filter."""
        return (self.rows.taps, self.columns.taps, self.channels, 1)

    @property
    def products(self) -> int:
        """How many products there are, those of padding among them."""
        places = self.rows.result * self.columns.result
        return self.batch * self.channels * places * self.rows.taps * self.columns.taps


class _Way(NamedTuple):
    """What is gone through: the convolution, or its gradient of the image, which sees the gradient
    of the result through taps counted from the last one.

    Attributes:
        rows: what each row of the result sees.
        strips: of a row of the result.
        sizes: rows and columns of the image that is seen.
        columns: how many the result has.
        direction: which way taps are counted.
        taps: how many rows of taps further the next row lies that is seen.
        ahead: how many rows the next row of the result sees that one does not.
    """

    rows: list[Seen]
    strips: list[Strip]
    sizes: tuple[int, int]
    columns: int
    direction: int
    taps: int
    ahead: int


def _way(shape: ByChannel, what: str) -> _Way:
    rows, columns = shape.rows, shape.columns
    if what == OF_INPUT:
        found = strips(columns.backward(), 1, columns.step)
        sizes = rows.result, columns.result
        return _Way(rows.backward(), found, sizes, columns.image, -1, rows.step, 1)
    found = strips(columns.forward(), columns.step, 1)
    sizes = rows.image, columns.image
    return _Way(rows.forward(), found, sizes, columns.result, 1, 1, rows.step)


class ChannelKernel:
    """Machine code of a convolution, a function per pattern of strips, and what each is told.

    `parts` is how many parts its bands are in: those of a part add to one filter, or are one.
    `is_whole` says whether all rows of the result are written.
    """

    def __init__(self, shape: ByChannel, what: str, loops: list[Loop], way: _Way) -> None:
        sizes = _sizes(shape, way, what == OF_FILTER)
        self._rows = array("q", _table(shape, way))
        self._places = [
            array("q", [i * shape.channels for place in strip.places for i in place])
            for strip in way.strips
        ]
        self._loops = loops
        self._told = [
            (
                (self._rows.buffer_info()[0], places.buffer_info()[0]),
                sizes._replace(strips=len(places) // 2),
            )
            for places in self._places
        ]  # fmt: skip
        last = (shape.rows.taps * shape.columns.taps - 1) * shape.channels
        self._first_tap = 4 * last if way.direction < 0 else 0
        self._bands = shape.batch * sizes.bands
        self._together = sizes.together
        self._is_shared = shape.products >= _LEAST_SHARED
        self.parts = max(1, -(-self._bands // self._together))
        self.is_whole = all(way.rows)

    def run(self, image: int, filter: int, result: int) -> None:
        """Runs it on tensors at these addresses, on as many threads as torch has. For the gradient
        of the filter, `filter` is where its sums are, zeros at first, as many as `parts`.
        """
        if not self._bands:  # nothing but padding is seen
            return
        given = image, filter + self._first_tap, result
        threads = torch.get_num_threads() if self._is_shared else 1
        count = 1 if threads == 1 else min(self.parts, threads * _PARTS_PER_THREAD)
        ends = [self.parts * i // count * self._together for i in range(count)]
        parts = [
            [PartCall(begin, (*given, *tables), (end, *sizes)) for tables, sizes in self._told]
            for begin, end in itertools.pairwise([*ends, self._bands])
        ]
        run_parts(self._loops, parts, threads)


@functools.lru_cache(1024)
def kernel_of(shape: ByChannel, what: str) -> ChannelKernel | None:
    """The machine code of FORWARD, OF_INPUT or OF_FILTER; None where it cannot be made."""
    way, size = _way(shape, what), _lanes(shape.channels)
    loops = []
    for strip in way.strips:
        loop = _loop(what == OF_FILTER, size, strip.pattern, shape.columns.taps, way.ahead)
        if loop is None:
            return None
        loops.append(loop)
    if what == OF_FILTER and _total(size) is None:
        return None
    return ChannelKernel(shape, what, loops, way)


def total(parts: int, numbers: int, channels: int, given: int, made: int) -> None:
    """Adds up so many filters of so many numbers each, at an address, and puts that at another."""
    loop = _total(_lanes(channels))
    assert loop is not None, "the kernel that made the filters has been asked for it"
    loop(0, packed((given, made)), packed((numbers, parts)), 0)


def _table(shape: ByChannel, way: _Way) -> list[int]:
    """For each row that sees something: where it begins, where in the image and in the filter what
    it sees begins, and how many rows of taps it sees.
    """
    channels = shape.channels
    of_taps = way.direction * shape.columns.taps * channels
    made: list[int] = []
    for row, seen in enumerate(way.rows):
        if seen:
            place, tap = seen[0]
            begin = row * way.columns * channels
            made += [begin, place * way.sizes[1] * channels, tap * of_taps, len(seen)]
    return made


def _sizes(shape: ByChannel, way: _Way, is_sum: bool) -> StripSizes[int]:
    """The sizes of a call, but for the strips."""
    channels, size = shape.channels, _lanes(shape.channels)
    taps = shape.rows.taps * shape.columns.taps
    count, image = sum(map(bool, way.rows)), way.sizes[0] * way.sizes[1] * channels
    in_band = max(1, min(count, count * _BAND_BYTES // (4 * image)))
    bands = -(-count // in_band)
    vectors = channels // size
    groups = -(-vectors // max(1, _GROUP_BYTES // (4 * size * taps)))
    in_group = -(-vectors // groups)
    return StripSizes(
        bands=bands, in_band=in_band, rows=count, strips=0,
        together=max(1, -(-shape.batch * bands // _MOST_SUMS)) if is_sum else 1,
        image=image, result=len(way.rows) * way.columns * channels,
        filter=taps * channels if is_sum else 0, channels=channels,
        row_step=way.sizes[1] * channels, result_step=way.columns * channels,
        taps_step=way.direction * way.taps * shape.columns.taps * channels,
        tap_step=way.direction * channels,
        vectors=vectors, in_group=in_group, groups=-(-vectors // in_group),
    )  # fmt: skip


@functools.cache
def _loop(is_sum: bool, size: int, pattern: Pattern, taps: int, ahead: int) -> Loop | None:
    text = filter_gradient_text if is_sum else windows_text
    return compiled_text(text(size, pattern, taps, ahead))


@functools.cache
def _total(size: int) -> Loop | None:
    return compiled_text(total_text(size))


def _lanes(channels: int) -> int:
    """How many numbers a vector of channels has: as many as this machine's that divide them."""
    return next(size for size in LANES if size <= lanes() and channels % size == 0)
