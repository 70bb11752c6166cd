"""Convolutions of images on the host by Winograd's algorithm, for windows of 3 x 3 and 5 x 5.

Machine code computes them in half the time of torch's (codegen/winograd). What is not finite would
spread to the neighbours of a number: each call looks whether its result is, and leaves the call to
others where it is not. Whether a convolution is computed so depends on shapes alone, so the same
call has the same bits in every step.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence

import torch

from ...codegen import code
from ...codegen.code import Loop
from ...codegen.team import PartCall, PartMemory, packed, run_parts
from ...codegen.winograd import kernels
from ...codegen.winograd.convolution import tiles_together
from ...codegen.winograd.filters import TOGETHER
from ...codegen.winograd.schemes import SCHEMES, Key, Scheme
from ...codegen.winograd.tiles import Sizes
from ..machine_code import serves
from .conv_plan import ConvPlan
from .window import Ints

# So many numbers of points stay in the cache that a processor's core has for itself.
_NUMBERS_OF_BLOCK = 100 << 10
# What threads share of a gradient are vectors of channels in; where these are fewer, the points of
# all tiles are summed in parts, too. Each part of sums is memory that has left the cache when it is
# added up, so that there are no more, and as many whatever the threads are: bits do not change.
_PARTS_OF_SUMS = 4
# Every part reads the points of the whole filter: only a large convolution has more than threads.
_PARTS_PER_THREAD = 4
_LEAST_IN_MORE_PARTS = 1 << 26
# The points of fewer windows are made, and so many multiplications of points done, in less time
# than a sleeping thread takes to come.
_LEAST_TO_SHARE = 1 << 14
_LEAST_CONVOLUTION_TO_SHARE = 1 << 22
Limits = tuple[float, float]
NO_LIMITS: Limits = (-math.inf, math.inf)


def convolution(
    plan: ConvPlan, x: torch.Tensor, filter: torch.Tensor, bias: torch.Tensor | None,
    limits: Limits = NO_LIMITS,
) -> torch.Tensor | None:  # fmt: skip
    """The convolution of channels-last images; None if others must compute it.

    Args:
        plan: the convolution.
        x: shape (batch, rows, columns, channels in).
        filter: shape (*window, channels in, channels out).
        bias: shape (channels out,), or None.
        limits: the least and the most that a number of the result may be.
    """
    key = plan.scheme
    if key is None or not serves(x, filter) or not _are_vectors(*filter.shape[-2:]):
        return None
    return _result(key, x, filter, bias, limits, plan.out, plan.before, False)  # type: ignore[arg-type]


def for_input(
    plan: ConvPlan, filter: torch.Tensor, dy: torch.Tensor, sizes: Ints
) -> torch.Tensor | None:
    """What an input of these sizes gets of the gradient of the result; None as above."""
    key = plan.scheme
    if key is None or not serves(dy, filter) or not _are_vectors(*filter.shape[-2:]):
        return None
    before = tuple(SCHEMES[key].window - 1 - each for each in plan.before)
    return _result(key, dy, filter, None, NO_LIMITS, sizes, before, True)


def for_filter(plan: ConvPlan, x: torch.Tensor, dy: torch.Tensor) -> torch.Tensor | None:
    """What the filter gets of the gradient of the result; None as above."""
    key = plan.scheme
    if key is None or not serves(x, dy) or not _are_vectors(x.shape[-1], dy.shape[-1]):
        return None
    return _filter_gradient(key, x, dy, plan.before)


def _are_vectors(*channels: int) -> bool:
    """Whether channels are whole vectors."""
    return not any(count % code.lanes() for count in channels)


def _result(
    key: Key, x: torch.Tensor, filter: torch.Tensor, bias: torch.Tensor | None,
    limits: Limits, out: Ints, before: Ints, is_turned: bool,
) -> torch.Tensor | None:  # fmt: skip
    """A convolution of x, with the filter as it is or turned."""
    x, filter = x.contiguous(), filter.contiguous()
    scheme, kernel = SCHEMES[key], kernels.convolution(key, is_turned)
    if kernel is None:
        return None
    inner, outer, lanes = x.shape[-1], out[-1], code.lanes()
    points = x.new_empty(scheme.points * inner * outer)
    y = x.new_empty(out)
    together = tiles_together(lanes, 1)
    per_tile = scheme.points * (inner + TOGETHER * lanes)
    tiles = out[0] * _tiles_of(out, scheme.tile)
    multiplications = scheme.points * tiles * inner * outer
    threads = _threads(multiplications)
    parts = _cut(tiles, _part(tiles, _shares(threads, multiplications), together))
    most = max(1, _NUMBERS_OF_BLOCK // per_tile // together) * together
    part = parts[0][1]
    block = _part(part, -(-part // most), together)
    scratch = block * per_tile + TOGETHER * lanes
    memory = x.new_empty((min(threads, len(parts)), scratch))
    # Zeros in the place of the bias and of pixels beyond the image; before them what tells whether
    # the result of each part is finite.
    flags = len(parts) * lanes
    rest = x.new_zeros(flags + max(inner, outer))
    if x.is_meta:
        return y
    _make_points(kernel.points, scheme, filter, points, inner, outer, is_turned)
    sizes = _sizes(scheme, x.shape, out, before, block)
    row = None if bias is None else bias.contiguous()
    seen, zeros = rest.data_ptr(), rest.data_ptr() + 4 * flags
    fixed = (
        x.data_ptr(), points.data_ptr(), zeros if row is None else row.data_ptr(), y.data_ptr(),
        zeros, _bounds(limits).data_ptr(),
    )  # fmt: skip
    calls = [
        (PartCall(begin, (*fixed, seen + 4 * i * lanes), (*sizes, end)),)
        for i, (begin, end) in enumerate(parts)
    ]
    run_parts((kernel.result,), calls, threads, _by_thread(memory))
    return None if rest.any() else y


def _make_points(
    kernel: Loop, scheme: Scheme, filter: torch.Tensor, points: torch.Tensor, inner: int,
    outer: int, is_turned: bool,
) -> None:  # fmt: skip
    lanes = code.lanes()
    fixed = filter.data_ptr(), points.data_ptr()
    threads = torch.get_num_threads() if inner * outer >= _LEAST_TO_SHARE else 1
    parts = _cut(outer // lanes, _part(outer // lanes, threads))
    numbers = scheme.taps * lanes * lanes if is_turned else 0
    memory = filter.new_empty((min(threads, len(parts)), numbers))
    calls = [(PartCall(begin, fixed, (inner, outer // lanes, end)),) for begin, end in parts]
    run_parts((kernel,), calls, threads, _by_thread(memory))


def _filter_gradient(
    key: Key, x: torch.Tensor, dy: torch.Tensor, before: Ints
) -> torch.Tensor | None:
    x, dy = x.contiguous(), dy.contiguous()
    scheme, kernel = SCHEMES[key], kernels.filter_gradient(key)
    if kernel is None:
        return None
    inner, outer, lanes = x.shape[-1], dy.shape[-1], code.lanes()
    tiles = dy.shape[0] * _tiles_of(dy.shape, scheme.tile)
    vectors = inner // lanes
    spans = _cut(tiles, _part(tiles, max(1, _PARTS_OF_SUMS // vectors)))
    per_tile = scheme.points * (inner + outer)
    block = min(max(1, _NUMBERS_OF_BLOCK // per_tile), tiles)
    points = x.new_zeros((len(spans), scheme.points * inner * outer))
    gradient = x.new_empty((scheme.window, scheme.window, inner, outer))
    # Threads may share the channels in, too: that changes no sum.
    threads = _threads(scheme.points * tiles * inner * outer)
    channels = _cut(vectors, _part(vectors, -(-threads // len(spans))))
    parts = list(itertools.product(enumerate(spans), channels))
    memory = x.new_empty((min(threads, len(parts)), block * per_tile))
    if x.is_meta:
        return gradient
    sizes = _sizes(scheme, x.shape, dy.shape, before, block)
    zeros = x.new_zeros(max(inner, outer))
    images = x.data_ptr(), dy.data_ptr(), zeros.data_ptr()
    calls = [
        (PartCall(begin, (*images, points[i].data_ptr()), (*sizes, last, first, end)),)
        for (i, (first, end)), (begin, last) in parts
    ]
    run_parts((kernel.points,), calls, threads, _by_thread(memory))
    seen = x.new_zeros(lanes)
    fixed = packed((points.data_ptr(), gradient.data_ptr(), seen.data_ptr()))
    kernel.result(0, fixed, packed((inner * outer, len(spans))), 0)
    return None if seen.any() else gradient


def _by_thread(memory: torch.Tensor) -> PartMemory:
    """A row of memory for each thread."""
    return PartMemory(memory.data_ptr(), per_thread=4 * memory.shape[1], threads=len(memory))


def _threads(multiplications: int) -> int:
    """How many threads share so many multiplications of points."""
    return torch.get_num_threads() if multiplications >= _LEAST_CONVOLUTION_TO_SHARE else 1


def _shares(threads: int, multiplications: int) -> int:
    """In how many parts they do."""
    is_large = threads > 1 and multiplications >= _LEAST_IN_MORE_PARTS
    return threads * _PARTS_PER_THREAD if is_large else threads


def _tiles_of(sizes: Sequence[int], tile: int) -> int:
    """The tiles of an image of the result."""
    return math.prod(-(-size // tile) for size in sizes[1:-1])


def _sizes(
    scheme: Scheme, x: Sequence[int], y: Sequence[int], before: Ints, block: int
) -> Sizes[int]:
    lanes = code.lanes()
    _, rows_in, columns_in, inner = x
    _, rows_out, columns_out, outer = y
    return Sizes(
        tiles_across=-(-columns_out // scheme.tile), tiles_per_image=_tiles_of(y, scheme.tile),
        rows_in=rows_in, columns_in=columns_in, rows_out=rows_out, columns_out=columns_out,
        above=before[0], before=before[1], vectors_in=inner // lanes, vectors_out=outer // lanes,
        block=block,
    )  # fmt: skip


def _part(count: int, parts: int, multiple: int = 1) -> int:
    """The size of so many parts of a number, each but the last one a multiple of something."""
    return -(-count // (parts * multiple)) * multiple


def _cut(count: int, size: int) -> list[tuple[int, int]]:
    """Parts of this size; the last one has what is left."""
    return [(begin, min(begin + size, count)) for begin in range(0, count, size)]


@functools.cache
def _bounds(limits: Limits) -> torch.Tensor:
    return torch.tensor(limits, dtype=torch.float32, device="cpu")
