"""Products of float32 matrices on several threads, as pieces that threads take
(codegen/products/pieces.py), where machine code of ours is slower than MKL's: on Intel's processors
and on those with short vectors.

MKL's team waits for each of its threads: beside two busy loops a product of 0.4 ms took 4. In
pieces it takes 1.1, and as long as before on a quiet machine. Shapes, strides and the number of
threads alone decide, so bits do not depend on other work.
"""

from __future__ import annotations

import functools

import torch

from ...codegen.products.pieces import Cut, MatrixForm, can_cut, cut_of, multiply_in_pieces
from ..machine_code import serves
from . import machine_products

#: With fewer multiplications, telling threads of pieces would be felt.
LEAST = 1 << 21
# A piece of fewer rows or columns would make poor use of a processor's registers.
_LEAST_PIECE = 64
# The library counts in 32 bits.
_MOST = 1 << 31


def are_best_here() -> bool:
    """Whether pieces of MKL's are the best large products on this processor."""
    return not machine_products.are_best_here()


def of_two(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor | None:
    """a @ b; None if others must compute it.

    Args:
        a: shape (rows, inner).
        b: shape (inner, columns).
    """
    threads = torch.get_num_threads()
    if threads == 1 or not are_best_here() or not serves(a, b):
        return None
    cut = _cut((*a.shape, *a.stride()), (*b.shape, *b.stride()), threads)
    if cut is None:
        return None
    result = a.new_empty((a.shape[0], b.shape[1]))
    if not a.is_meta:
        multiply_in_pieces(cut, a.data_ptr(), b.data_ptr(), result.data_ptr(), threads)
    return result


@functools.lru_cache(1024)
def _cut(
    a_form: tuple[int, int, int, int], b_form: tuple[int, int, int, int], threads: int
) -> Cut | None:
    """The pieces of a product of matrices with such sizes and steps, if it is cut."""
    a, b = MatrixForm(*a_form), MatrixForm(*b_form)
    if max(a.rows, b.columns) < threads * _LEAST_PIECE or a.columns != b.rows or not can_cut():
        return None
    if not _can_be_read(a) or not _can_be_read(b) or b.columns >= _MOST:
        return None
    return cut_of(a, b, threads)


def _can_be_read(x: MatrixForm) -> bool:
    """Whether rows, or columns, lie one after the other and each in order, as the library wants."""
    if x.is_by_rows:
        return x.row_step < _MOST
    return x.row_step == 1 and x.rows <= x.column_step < _MOST
