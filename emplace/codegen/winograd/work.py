"""How a convolution by tiles is cut into parts, and what kernels are told of each. Shapes tell,
once for each.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

from .convolution import tiles_together
from .filters import TOGETHER
from .schemes import SCHEMES, Key
from .shares import TileShare, cut, part, rows_of, shares
from .tiles import Sizes

# So many numbers of points stay in the cache that a processor's core has for itself.
_NUMBERS_OF_BLOCK = 100 << 10
# What threads share of a gradient are vectors of channels in; where these are fewer, the points of
# all tiles are summed in parts, too. Each part of sums is memory that has left the cache when it is
# added up, so that there are no more, and as many whatever the threads are: bits do not change.
_PARTS_OF_SUMS = 4
# A large convolution has more parts than threads, which read the same points.
_PARTS_PER_THREAD = 4
_LEAST_IN_MORE_PARTS = 1 << 26
# The points of fewer windows are made, and so many multiplications of points done, in less time
# than a sleeping thread takes to come.
_LEAST_TO_SHARE = 1 << 14
_LEAST_CONVOLUTION_TO_SHARE = 1 << 22

Ints = tuple[int, ...]


class Shape(NamedTuple):
    """A convolution with such tiles of images of such sizes, on a machine with so many threads and
    numbers in a vector. `before` are the zeros before rows and columns; `is_turned` says whether it
    is the gradient of the image.
    """

    key: Key
    lanes: int
    threads: int
    x: Ints
    out: Ints
    before: Ints
    is_turned: bool = False


class TilePart(NamedTuple):
    """What kernels are told of a part: first the one that makes points of a filter, then the one
    that makes the result. Places are counted in bytes from where all begins.
    """

    points: int
    filter: int
    channel: int
    seen: int
    first_vector: int
    points_sizes: Ints
    first_tile: int
    sizes: Ints


class TileWork(NamedTuple):
    """How a convolution is computed: how many numbers of points and of flags there are, and in
    each of some other memories. One thread works, or all do; as many as there are memories find
    parts. If all points are made before, `before` says how.
    """

    points: int
    flags: int
    scratch: int
    threads: int
    memories: int
    parts: tuple[TilePart, ...]
    before: tuple[TilePart, ...]


@functools.lru_cache(1024)
def work_of(how: Shape) -> TileWork:
    """How a convolution is computed."""
    scheme, lanes, inner, outer = SCHEMES[how.key], how.lanes, how.x[-1], how.out[-1]
    vectors, tiles = outer // lanes, how.out[0] * _tiles_of(how.out, scheme.tile)
    multiplications = scheme.points * tiles * inner * outer
    threads = how.threads if multiplications >= _LEAST_CONVOLUTION_TO_SHARE else 1
    is_large = threads > 1 and multiplications >= _LEAST_IN_MORE_PARTS
    own, before = shares(threads, tiles, vectors, lanes), []
    if is_large:
        size = part(tiles, threads * _PARTS_PER_THREAD, tiles_together(lanes, 1))
        own = [TileShare((0, vectors), ends) for ends in cut(tiles, size)]
        several = how.threads if inner * outer >= _LEAST_TO_SHARE else 1
        before = [TileShare(ends, (0, 0)) for ends in cut(vectors, part(vectors, several))]
    rows = rows_of(lanes, own[0].size)
    per_tile = scheme.points * (inner + TOGETHER * lanes)
    most = max(1, _NUMBERS_OF_BLOCK // per_tile // rows) * rows
    block = part(own[0].tiles[1], -(-own[0].tiles[1] // most), rows)
    for_windows = scheme.taps * lanes * lanes if how.is_turned else 0
    points = scheme.points * inner * lanes * own[0].size
    return TileWork(
        points * (1 if is_large else len(own)), len(own) * lanes,
        max(block * per_tile + TOGETHER * lanes, for_windows), threads,
        min(threads, max(len(own), len(before))),
        tuple([_part_of(how, block, x, i, 0 if is_large else points) for i, x in enumerate(own)]),
        tuple([_part_of(how, block, x, 0, 0) for x in before]),
    )  # fmt: skip


def _part_of(how: Shape, block: int, share: TileShare, number: int, points: int) -> TilePart:
    """What kernels are told of a part; so many numbers of points are its own, or those of all."""
    lanes, inner, vectors = how.lanes, how.x[-1], how.out[-1] // how.lanes
    first, last = share.vectors
    sizes = _sizes(how, block)
    if points:  # which begin with its own vectors
        sizes = sizes._replace(vectors_out=share.size)
        begin, ends = 0, (share.size, share.size)
        filter = first * lanes * (inner if how.is_turned else 1)
    else:
        begin, ends, filter = first, (vectors, last), 0
    of_points = inner, *ends, vectors
    return TilePart(
        4 * number * points, 4 * filter, 4 * first * lanes, 4 * number * lanes,
        begin, (*of_points, *[0] * (len(sizes) + 2 - len(of_points))),
        share.tiles[0], (*sizes, share.tiles[1], vectors),
    )  # fmt: skip


# -- the gradient of a filter -------------------------------------------------------------------


class GradientPart(NamedTuple):
    """What kernels are told of a part: first the one that sums points up, then the one that makes
    the filter of them. Places are counted in bytes from where all begins.
    """

    points: int
    seen: int
    first_vector: int
    sizes: Ints
    first_number: int
    sizes_of_result: Ints


class GradientWork(NamedTuple):
    """How the gradient of a filter is computed, as for a convolution. `results` are what makes the
    filter: the parts themselves, or one behind all if sums are in parts, too.
    """

    points: int
    flags: int
    scratch: int
    threads: int
    memories: int
    parts: tuple[GradientPart, ...]
    results: tuple[GradientPart, ...]


@functools.lru_cache(1024)
def gradient_work_of(how: Shape) -> GradientWork:
    """How the gradient of a filter is computed, of images of the sizes `x` and `out`."""
    scheme, lanes, inner, outer = SCHEMES[how.key], how.lanes, how.x[-1], how.out[-1]
    tiles, vectors = how.out[0] * _tiles_of(how.out, scheme.tile), inner // lanes
    numbers, row = inner * outer, lanes * outer
    spans = cut(tiles, part(tiles, max(1, _PARTS_OF_SUMS // vectors)))
    per_tile = scheme.points * (inner + outer)
    block = min(max(1, _NUMBERS_OF_BLOCK // per_tile), tiles)
    # Threads may share the channels in, too: that changes no sum.
    is_shared = scheme.points * tiles * numbers >= _LEAST_CONVOLUTION_TO_SHARE
    threads = how.threads if is_shared else 1
    channels = cut(vectors, part(vectors, -(-threads // len(spans))))
    sizes = _sizes(how, block)
    nothing = (0,) * len(sizes)
    own = tuple([
        GradientPart(
            4 * i * scheme.points * numbers, 4 * lanes * j, begin, (*sizes, last, first, end),
            begin * row, (last * row, numbers, 1, *nothing),
        )
        for i, (first, end) in enumerate(spans)
        for j, (begin, last) in enumerate(channels)
    ])  # fmt: skip
    whole = own[0]._replace(
        first_number=0, sizes_of_result=(numbers, numbers, len(spans), *nothing)
    )
    return GradientWork(
        len(spans) * scheme.points * numbers, lanes * len(channels), block * per_tile,
        threads, min(threads, len(own)), own, own if len(spans) == 1 else (whole,),
    )  # fmt: skip


def _tiles_of(sizes: Sequence[int], tile: int) -> int:
    """The tiles of an image of the result."""
    return math.prod(-(-size // tile) for size in sizes[1:-1])


def _sizes(how: Shape, block: int) -> Sizes[int]:
    tile, lanes = SCHEMES[how.key].tile, how.lanes
    _, rows_in, columns_in, inner = how.x
    _, rows_out, columns_out, outer = how.out
    return Sizes(
        tiles_across=-(-columns_out // tile), tiles_per_image=_tiles_of(how.out, tile),
        rows_in=rows_in, columns_in=columns_in, rows_out=rows_out, columns_out=columns_out,
        above=how.before[0], before=how.before[1], vectors_in=inner // lanes,
        vectors_out=outer // lanes, block=block,
    )  # fmt: skip
