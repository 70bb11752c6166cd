"""Products of matrices as functions: which text serves, what it is told, how threads share it."""

from __future__ import annotations

import functools
import threading
from typing import Any, NamedTuple

import numpy as np
import torch

from ..code import Loop, compiled_text, lanes
from ..team import PartCall, PartMemory, most_threads, run_numbered
from .texts import (
    BY_COLUMNS,
    BY_ROWS,
    COPIED,
    ROWS,
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
# What threads take are about so many multiplications, some 20 us, and so many rows: fewer would
# hardly pay for what is copied for them, above all if it must be turned, and more have no room
# beside it.
_PIECE = 1 << 20
_LEAST_ROWS, _LEAST_TURNED_ROWS, _MOST_ROWS = 48, 72, 192
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


def memory_for(a: Matrices, columns: int, threads: int) -> tuple[int, int] | None:
    """The shape of the memory that a product needs, beside a little that each thread of a program
    keeps; None for a product that needs none.

    Args:
        a: the first factors.
        columns: how many columns the second ones have.
        threads: how many threads there are.
    """
    lying = _lying(a)
    if lying != COPIED:
        return None
    return most_threads(threads), (_strip(columns, lying) + TOGETHER) * _deep(a.shape[3])


def multiply(
    a: Matrices, b: Matrices, c: Matrices, threads: int, memory: torch.Tensor | None
) -> None:
    """c = a b.

    Args:
        a: the first factors; the numbers of their rows or of their columns lie together.
        b: the second ones, likewise.
        c: where the results go, row by row.
        threads: how many share the work; the numbers do not depend on it.
        memory: as `memory_for` says.
    """
    lying = _lying(a)
    kernel = _kernel(lying, b.is_by_columns)
    assert kernel is not None, "it was asked whether there are kernels"
    columns = b.shape[3]
    strip, deep = _strip(columns, lying), _deep(a.shape[3])
    pieces = _pieces(a.shape, b, strip, threads)
    sizes = ProductSizes(
        inner=a.shape[1], rows=a.shape[2], depth=a.shape[3], columns=columns,
        a_outer=a.steps[0], a_inner=a.steps[1], a_row=a.steps[2], a_column=a.steps[3],
        b_outer=b.steps[0], b_inner=b.steps[1], b_row=b.steps[2], b_column=b.steps[3],
        c_outer=c.steps[0], c_inner=c.steps[1], c_row=c.steps[2], strip=strip, deep=deep,
        row_pieces=-(-a.shape[2] // pieces.rows), piece_rows=pieces.rows,
        column_pieces=-(-columns // pieces.columns), piece_columns=pieces.columns,
    )  # fmt: skip
    count = a.shape[0] * a.shape[1] * sizes.row_pieces * sizes.column_pieces
    call = PartCall(0, (a.place, b.place, c.place, _zeros().data_ptr()), sizes)
    scratch = _scratch(threads) if memory is None else _by_row(memory)
    run_numbered(kernel, call, count, threads, scratch)


def _by_row(memory: torch.Tensor) -> PartMemory:
    """A row of memory for each thread."""
    return PartMemory(memory.data_ptr(), per_thread=4 * memory.shape[1], threads=len(memory))


class _Panels(threading.local):
    """Memory for a panel per thread of a team, which each thread of the program keeps, as libraries
    do for their products: a few hundred kilobytes, of which no budget is told.
    """

    memory: PartMemory | None = None
    numbers: Any = None


_panels = _Panels()


def _scratch(threads: int) -> PartMemory:
    most, memory = most_threads(threads), _panels.memory
    if memory is None or memory.threads < most:
        _panels.numbers = numbers = np.empty((most, _panel() * _MOST_DEEP), np.float32)
        memory = PartMemory(numbers.ctypes.data, per_thread=numbers.strides[0], threads=most)
        _panels.memory = memory
    return memory


@functools.cache
def _zeros() -> Any:
    """What sums of the first numbers of a strip are added to, for its columns."""
    return torch.from_numpy(np.zeros(_MOST_COLUMNS, np.float32))


class _PieceSizes(NamedTuple):
    """The rows and columns that are computed together."""

    rows: int
    columns: int


def _pieces(a: Axes, b: Matrices, strip: int, threads: int) -> _PieceSizes:
    """What is shared among threads: whole products, or pieces of the only one."""
    outer, inner, rows, depth = a
    if outer * inner > 1:
        return _PieceSizes(rows, b.shape[3])
    least = _LEAST_TURNED_ROWS if b.is_by_columns else _LEAST_ROWS
    most = _MOST_ROWS
    if threads > 1:
        most = max(least, min(most, _PIECE // (depth * strip)))
    count = -(-rows // most)
    return _PieceSizes(_up_to(-(-rows // count), ROWS), strip)


def _panel() -> int:
    """How many columns are summed at once."""
    return lanes() * vectors_together(lanes())


def _strip(columns: int, a_lies: str) -> int:
    """How many columns are copied at once: where rows of a are copied, too, as many as there is
    room for.
    """
    return min(_MOST_COLUMNS, _up_to(columns, _panel())) if a_lies == COPIED else _panel()


def _deep(depth: int) -> int:
    """How many rows are copied at once."""
    return min(_MOST_DEEP, _up_to(depth, lanes()))


def _lying(a: Matrices) -> str:
    if not a.is_by_columns:
        return BY_ROWS
    return BY_COLUMNS if a.steps[3] % _FAR else COPIED


def _up_to(count: int, step: int) -> int:
    return -(-count // step) * step


@functools.cache
def _kernel(a_lies: str, b_by_columns: bool) -> Loop | None:
    return compiled_text(product_text(lanes(), a_lies, b_by_columns))
