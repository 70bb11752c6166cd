"""Products of matrices as functions: which text serves, what it is told, how threads share it."""

from __future__ import annotations

import functools
import itertools
from typing import NamedTuple

import torch

from ..code import Loop, compiled_text, lanes
from ..team import PartCall, PartMemory, run_parts
from .texts import (
    BY_COLUMNS,
    BY_ROWS,
    COPIED,
    TOGETHER,
    ProductSizes,
    product_text,
    vectors_together,
)

# What is copied of the second factor at once stays in a processor core's own cache.
_MOST_DEEP = 256
_MOST_COLUMNS = 512
# Columns so many numbers apart have the same places in a processor's caches.
_FAR = 1024
_PARTS_PER_THREAD = 2
Axes = tuple[int, int, int, int]


class Matrices(NamedTuple):
    """Matrices on two axes: where the first one is, their sizes, and the steps along each axis, in
    float32 numbers.
    """

    place: int
    shape: Axes
    steps: Axes

    @property
    def is_by_columns(self) -> bool:
        """Whether not the numbers of a row but those of a column lie one after the other."""
        return self.steps[3] != 1


def can_multiply() -> bool:
    """Whether kernels can be made here."""
    return _kernel(BY_ROWS, False) is not None


def memory_for(a: Axes, columns: int, threads: int) -> tuple[int, int]:
    """The shape of the memory that a product needs, for so many threads at most.

    Args:
        a: the sizes of the first factors.
        columns: how many columns the second ones have.
        threads: how many there are.
    """
    strip, deep = _copied(a[3], columns)
    return min(threads, len(_parts(a, threads))), columns + (strip + TOGETHER) * deep


def multiply(a: Matrices, b: Matrices, c: Matrices, memory: torch.Tensor) -> None:
    """c = a b, on as many threads as the memory has rows.

    Args:
        a: the first factors; the numbers of their rows or of their columns lie together.
        b: the second ones, likewise.
        c: where the results go, row by row.
        memory: as `memory_for` says.
    """
    kernel = _kernel(_lying(a), b.is_by_columns)
    assert kernel is not None, "it was asked whether there are kernels"
    columns = b.shape[3]
    strip, deep = _copied(a.shape[3], columns)
    sizes = ProductSizes(
        inner=a.shape[1], rows=a.shape[2], depth=a.shape[3], columns=columns,
        a_outer=a.steps[0], a_inner=a.steps[1], a_row=a.steps[2], a_column=a.steps[3],
        b_outer=b.steps[0], b_inner=b.steps[1], b_row=b.steps[2], b_column=b.steps[3],
        c_outer=c.steps[0], c_inner=c.steps[1], c_row=c.steps[2], strip=strip, deep=deep,
    )  # fmt: skip
    zeros = memory[0, :columns].zero_()  # all threads read the first one's
    scratch = PartMemory(memory[0, columns:].data_ptr(), per_thread=4 * memory.shape[1])
    cut = _parts(a.shape, len(memory))
    parts = [(_call(a, b, c, zeros.data_ptr(), sizes, part),) for part in cut]
    run_parts((kernel,), parts, 1 if len(memory) == 1 else torch.get_num_threads(), scratch)


def _call(
    a: Matrices, b: Matrices, c: Matrices, zeros: int, sizes: ProductSizes[int],
    part: tuple[int, int],
) -> PartCall:  # fmt: skip
    """What a part of the products is told."""
    (begin, end), left, to = part, a.place, c.place
    if _are_rows_shared(a.shape):
        left, to = left + 4 * begin * a.steps[2], to + 4 * begin * c.steps[2]
        sizes, begin, end = sizes._replace(rows=end - begin), 0, 1
    return PartCall(begin, (left, b.place, to, zeros), (end, *sizes))


def _lying(a: Matrices) -> str:
    if not a.is_by_columns:
        return BY_ROWS
    return BY_COLUMNS if a.steps[3] % _FAR else COPIED


def _are_rows_shared(a: Axes) -> bool:
    """Whether threads share the rows of one product instead of products."""
    return a[0] * a[1] == 1


def _parts(a: Axes, threads: int) -> list[tuple[int, int]]:
    """What is shared among threads: numbers of products, or of rows of the only one."""
    count = a[2] if _are_rows_shared(a) else a[0] * a[1]
    step = TOGETHER if _are_rows_shared(a) else 1
    wanted = 1 if threads == 1 else threads * _PARTS_PER_THREAD
    size = -(-count // (wanted * step)) * step
    ends = [*range(0, count, size), count]
    return list(itertools.pairwise(ends))


def _copied(depth: int, columns: int) -> tuple[int, int]:
    """How many columns, in whole panels, and rows, in whole vectors, are copied at once."""
    size = lanes()
    panel = size * vectors_together(size)
    return min(_MOST_COLUMNS, _up_to(columns, panel)), min(_MOST_DEEP, _up_to(depth, size))


def _up_to(count: int, step: int) -> int:
    return -(-count // step) * step


@functools.cache
def _kernel(a_lies: str, b_by_columns: bool) -> Loop | None:
    return compiled_text(product_text(lanes(), a_lies, b_by_columns))
