"""Products of matrices as functions: which text serves, what it is told, how threads share it."""

from __future__ import annotations

import functools
import threading
from typing import Any, NamedTuple

import numpy as np
import torch

from ..code import Loop, compiled_text, lanes
from ..team import NumberedParts, PartCall, PartMemory, most_threads
from .texts import (
    BY_COLUMNS,
    BY_ROWS,
    COPIED,
    MOST_DEEP,
    ROWS,
    TOGETHER,
    ProductSizes,
    product_text,
    vectors_together,
)

# What is copied of the second factor at once, `MOST_DEEP` rows of it, stays in a processor core's
# own cache.
_MOST_COLUMNS = 512
#: Columns so many numbers apart have the same places in a processor's caches.
FAR = 1024
# What threads take are about so many multiplications, some 20 us, and so many rows: fewer would
# hardly pay for what is copied for them, above all if it must be turned, and more have no room
# beside it.
_PIECE = 1 << 20
_LEAST_ROWS, _LEAST_TURNED_ROWS, _MOST_ROWS = 48, 72, 192
# With fewer times to ask for a panel, it would come no sooner.
_LEAST_GROUPS = 3
Axes = tuple[int, int, int, int]


class Matrices(NamedTuple):
    """How matrices on two axes lie: their sizes, and the steps along each axis, in numbers."""

    shape: Axes
    steps: Axes

    @property
    def is_by_columns(self) -> bool:
        """Whether not the numbers of a row but those of a column lie one after the other."""
        return self.steps[3] != 1


def can_multiply() -> bool:
    """Whether kernels can be made here."""
    return _kernel(BY_ROWS, False) is not None


class ReadyProduct:
    """c = a b for matrices that lie in some way: what calls would find out, found out once.

    Attributes:
        memory: the shape of the float32 memory that a call needs, beside a little that each thread
            of a program keeps; None if it needs none.
    """

    def __init__(self, a: Matrices, b: Matrices, c: Matrices, threads: int) -> None:
        """
        Args:
            a: the first factors; the numbers of their rows or of their columns lie together.
            b: the second ones, likewise.
            c: the results, whose rows lie together.
            threads: how many share the work; the numbers do not depend on it.
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
            fetched=_fetched(pieces.rows, lying, b.is_by_columns),
        )  # fmt: skip
        count = a.shape[0] * a.shape[1] * sizes.row_pieces * sizes.column_pieces
        self._most_threads = most_threads(threads)
        self._parts = NumberedParts(kernel, PartCall(0, (0,) * 5, sizes), count, threads)
        self._zeros = _address_of_zeros(columns)
        self.memory: tuple[int, int] | None = None
        if lying == COPIED:
            self.memory = self._most_threads, (strip + TOGETHER) * deep

    def multiply(
        self, places: tuple[int, int, int], row: int | None, limits: int,
        memory: torch.Tensor | None = None,
    ) -> None:  # fmt: skip
        """Computes it.

        Args:
            places: where the first factors are, the second ones, and where the results go.
            row: where a number for each column is, which is added to all its results; or None.
            limits: where two numbers are that results are brought between.
            memory: of the shape of `memory`.
        """
        scratch = _panels.for_threads(self._most_threads) if memory is None else _by_row(memory)
        row = self._zeros if row is None else row
        self._parts.run((*places, row, limits), scratch)


def _by_row(memory: torch.Tensor) -> PartMemory:
    """A row of memory for each thread."""
    return PartMemory(memory.data_ptr(), per_thread=4 * memory.shape[1], threads=len(memory))


class _Panels(threading.local):
    """Memory for a panel per thread of a team, which each thread of the program keeps, as libraries
    do for their products: a few hundred kilobytes, of which no budget is told.
    """

    def __init__(self) -> None:
        self._memory = PartMemory(threads=0)
        self._numbers: Any = None

    def for_threads(self, most: int) -> PartMemory:
        """Enough for so many."""
        if self._memory.threads < most:
            self._numbers = numbers = np.empty((most, _panel() * MOST_DEEP), np.float32)
            place, size = numbers.ctypes.data, numbers.strides[0]
            self._memory = PartMemory(place, per_thread=size, threads=most)
        return self._memory


_panels = _Panels()


def _address_of_zeros(columns: int) -> int:
    """Where zeros are that the first sums of so many columns are added to."""
    return int(_zeros(1 << (columns - 1).bit_length()).ctypes.data)


# No tensors, which who meters a product would take for memory that it needs.
@functools.cache
def _zeros(count: int) -> np.ndarray[Any, Any]:
    return np.zeros(count, np.float32)


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


def _fetched(rows: int, a_lies: str, is_turned: bool) -> int:
    """How many rows of the next panel are asked for with each vector of some rows of a: all of them
    while the rows of a piece are gone through.
    """
    groups = rows // ROWS - (not is_turned)
    if a_lies == COPIED or groups < _LEAST_GROUPS:
        return 0
    return -(-lanes() // groups)


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
    return min(MOST_DEEP, _up_to(depth, lanes()))


def _lying(a: Matrices) -> str:
    if not a.is_by_columns:
        return BY_ROWS
    return BY_COLUMNS if a.steps[3] % FAR else COPIED


def _up_to(count: int, step: int) -> int:
    return -(-count // step) * step


@functools.cache
def _kernel(a_lies: str, b_by_columns: bool) -> Loop | None:
    return compiled_text(product_text(lanes(), a_lies, b_by_columns))
