"""A product of the library's, cut into pieces, one or two for each thread.

MKL shares a product among a team of its own, each thread of which must come before the product is
done. Here threads take pieces as they come to run (`team`), and each piece is a product that MKL
computes alone.
"""

from __future__ import annotations

import ctypes
import functools
from typing import NamedTuple

from .. import library
from ..code import Loop, compiled_text
from ..team import NumberedParts, PartCall

# Pieces begin where a line of a cache may, and have whole vectors.
_TOGETHER = 16
# Where that leaves them so many multiplications, there are two pieces for each thread: on a crowded
# machine more threads than those take pieces.
_LEAST_OF_A_HALF = 1 << 22
_NUMBER_BYTES = 4
_PLAIN, _TURNED = (ctypes.create_string_buffer(letter) for letter in (b"N", b"T"))


class MatrixForm(NamedTuple):
    """The sizes of a float32 matrix, and the steps from row to row and from column to column in
    numbers. One of them is 1, and the other no smaller than what lies together.
    """

    rows: int
    columns: int
    row_step: int
    column_step: int

    @property
    def is_by_rows(self) -> bool:
        """Whether the numbers of a row lie together."""
        return self.column_step == 1 and self.row_step >= self.columns


class Cut(NamedTuple):
    """How a product is cut: into how many pieces, and what each of them is told."""

    pieces: int
    letters: tuple[int, int]
    sizes: tuple[int, ...]


def can_cut() -> bool:
    """Whether the library lends its product, and computes it on one thread if it is told to."""
    return _kernel() is not None


def cut_of(a: MatrixForm, b: MatrixForm, threads: int) -> Cut:
    """How a product a b, whose rows lie one after the other, is cut for so many threads: each piece
    is some of its rows or of its columns.

    Args:
        a: the first factor.
        b: the second one.
        threads: 2 or more.
    """
    by_columns = b.columns >= a.rows
    whole = b.columns if by_columns else a.rows
    are_halved = a.rows * a.columns * b.columns >= 2 * threads * _LEAST_OF_A_HALF
    count = 2 * threads if are_halved else threads
    size = -(-whole // (count * _TOGETHER)) * _TOGETHER
    steps = (0, b.column_step, 1) if by_columns else (a.row_step, 0, b.columns)
    rows, columns = (a.rows, 0) if by_columns else (0, b.columns)
    (a_letter, a_step), (b_letter, b_step) = _as_library_reads(a), _as_library_reads(b)
    sizes = (
        size, whole, *(_NUMBER_BYTES * step for step in steps), rows, columns,
        a.columns, a_step, b_step, b.columns,
    )  # fmt: skip
    return Cut(-(-whole // size), (a_letter, b_letter), sizes)


def multiply_in_pieces(cut: Cut, a: int, b: int, c: int, threads: int) -> None:
    """c = a b, on so many threads.

    Args:
        cut: the pieces.
        a: where the first factor is.
        b: where the second one is.
        c: where the result goes.
        threads: as many as the product was cut for.
    """
    _parts(cut, threads).run((a, b, c, *cut.letters))


@functools.lru_cache(1024)
def _parts(cut: Cut, threads: int) -> NumberedParts:
    """The pieces, ready to be computed any number of times."""
    kernel = _kernel()
    assert kernel is not None, "it was asked whether there is one"
    return NumberedParts(
        kernel, PartCall(0, (0, 0, 0, *cut.letters), cut.sizes), cut.pieces, threads
    )


def _as_library_reads(x: MatrixForm) -> tuple[int, int]:
    """Where the letter is that tells how a matrix lies, and the step along its longer way."""
    if x.is_by_rows:
        return ctypes.addressof(_PLAIN), x.row_step
    return ctypes.addressof(_TURNED), x.column_step


@functools.cache
def _kernel() -> Loop | None:
    product, set_threads = library.product(), library.address_of_threads()
    if product is None or set_threads is None:
        return None
    text = _TEXT.replace("SGEMM", str(product)).replace("SET_THREADS", str(set_threads))
    return compiled_text(text)


# `loop(number of the piece, fixed, sizes, scratch)`. `fixed`: a, b, c, and the letters that say how
# a and b lie. `sizes`: how many rows or columns a piece has and how many there are, by how many
# bytes a, b and c move on for each, the rows of a and the columns of b (0 is what is cut), the
# numbers that are summed, and the steps of a, b and c. The library stores by columns: for it, this
# is c' = b' a'. It reads whole numbers of 32 bits, which are the first half of those here.
_TEXT = """
@one = internal constant float 1.0
@zero = internal constant float 0.0

define internal i64 @size(ptr %sizes, i64 %place) alwaysinline {
  %at = getelementptr i64, ptr %sizes, i64 %place
  %size = load i64, ptr %at
  ret i64 %size
}
define internal ptr @moved(ptr %fixed, ptr %sizes, i64 %place, i64 %begin) alwaysinline {
  %at = getelementptr ptr, ptr %fixed, i64 %place
  %start = load ptr, ptr %at
  %size.place = add i64 %place, 2
  %step = call i64 @size(ptr %sizes, i64 %size.place)
  %bytes = mul i64 %begin, %step
  %place.moved = getelementptr i8, ptr %start, i64 %bytes
  ret ptr %place.moved
}
define internal void @put(ptr %sizes, i64 %place, i64 %cut, ptr %to) alwaysinline {
  %size = call i64 @size(ptr %sizes, i64 %place)
  %is.cut = icmp eq i64 %size, 0
  %own = select i1 %is.cut, i64 %cut, i64 %size
  store i64 %own, ptr %to
  ret void
}
define void @loop(i64 %number, ptr %fixed, ptr %sizes, ptr %scratch) {
  %rows = alloca i64
  %columns = alloca i64
  %most = call i64 @size(ptr %sizes, i64 0)
  %whole = call i64 @size(ptr %sizes, i64 1)
  %begin = mul i64 %number, %most
  %left = sub i64 %whole, %begin
  %is.last = icmp ult i64 %left, %most
  %cut = select i1 %is.last, i64 %left, i64 %most
  call void @put(ptr %sizes, i64 5, i64 %cut, ptr %rows)
  call void @put(ptr %sizes, i64 6, i64 %cut, ptr %columns)
  %a = call ptr @moved(ptr %fixed, ptr %sizes, i64 0, i64 %begin)
  %b = call ptr @moved(ptr %fixed, ptr %sizes, i64 1, i64 %begin)
  %c = call ptr @moved(ptr %fixed, ptr %sizes, i64 2, i64 %begin)
  %at.letter.a = getelementptr ptr, ptr %fixed, i64 3
  %at.letter.b = getelementptr ptr, ptr %fixed, i64 4
  %letter.a = load ptr, ptr %at.letter.a
  %letter.b = load ptr, ptr %at.letter.b
  %depth = getelementptr i64, ptr %sizes, i64 7
  %step.a = getelementptr i64, ptr %sizes, i64 8
  %step.b = getelementptr i64, ptr %sizes, i64 9
  %step.c = getelementptr i64, ptr %sizes, i64 10
  %before = call i32 inttoptr (i64 SET_THREADS to ptr)(i32 1)
  call void inttoptr (i64 SGEMM to ptr)(
    ptr %letter.b, ptr %letter.a, ptr %columns, ptr %rows, ptr %depth, ptr @one,
    ptr %b, ptr %step.b, ptr %a, ptr %step.a, ptr @zero, ptr %c, ptr %step.c)
  %after = call i32 inttoptr (i64 SET_THREADS to ptr)(i32 %before)
  ret void
}
"""
