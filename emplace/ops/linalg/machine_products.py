"""Products of float32 matrices on the host as machine code (codegen/products).

Where MKL and oneDNN lose most of their time: on factors that lie column by column, as in gradients
of weights, and on many middling products whose rows lie apart, as attention's. On all other large
ones it is as fast, and beside other work much faster: its threads take pieces as they come to run.
Whether machine code computes a product is a matter of shapes, strides and the processor alone, so
the same product has the same bits in every step.
"""

from __future__ import annotations

import torch

from ...codegen.code import lanes
from ...codegen.products.kernels import Axes, Matrices, can_multiply, memory_for, multiply
from ...devices.cpu import is_of_intel
from ..machine_code import serves

# To compile takes as long as some hundred products of so many multiplications. A single product
# must be larger: to tell threads of its pieces would be felt.
LEAST_OF_MANY = 1 << 23
LEAST_OF_ONE = 1 << 24
# With less to do for each row that is copied, copies would be felt.
_LEAST_ROWS = 96
_LEAST_SIZE = 64
# Panels have so many columns: where most of one is empty, so is most of the time.
_PANEL = 64
_MOST_EMPTY = 1.25
# Where its registers were counted. Intel's processors have MKL's best code.
_LANES = 16


def of_two(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor | None:
    """a @ b; None if others must compute it.

    Args:
        a: shape (rows, inner).
        b: shape (inner, columns).
    """
    (rows, depth), columns = a.shape, b.shape[1]
    if b.shape[0] != depth or not _are_sized(rows, depth, columns):
        return None
    if not _lie_together(a) or not _lie_together(b) or not _is_possible(a, b):
        return None
    return _product(a[None, None], b[None, None])[0, 0]


def of_many(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor | None:
    """The products of matrices on two axes; None as above.

    Args:
        a: shape (outer, inner, rows, depth).
        b: shape (outer, inner, depth, columns).
    """
    if a.ndim != 4 or b.ndim != 4 or a.shape[:2] != b.shape[:2] or a.shape[3] != b.shape[2]:
        return None
    if not _are_sized(a.shape[2], a.shape[3], b.shape[3], a.shape[0] * a.shape[1]):
        return None
    if not _lie_together(a) or not _lie_together(b) or not _is_possible(a, b):
        return None
    return _product(a, b)


def _are_sized(rows: int, depth: int, columns: int, count: int = 1) -> bool:
    """Whether there is enough to do."""
    if rows < _LEAST_ROWS or min(depth, columns) < _LEAST_SIZE:
        return False
    if count * rows * depth * columns < (LEAST_OF_MANY if count > 1 else LEAST_OF_ONE):
        return False
    return -(-columns // _PANEL) * _PANEL <= _MOST_EMPTY * columns


def _lie_together(x: torch.Tensor) -> bool:
    """Whether the numbers of rows, or those of columns, lie one after the other."""
    return x.stride(-1) == 1 or x.stride(-2) == 1


def are_best_here() -> bool:
    """Whether machine code multiplies as fast as libraries on this processor: on Intel's it does
    not, nor with shorter vectors.
    """
    return lanes() == _LANES and not is_of_intel()


def _is_possible(a: torch.Tensor, b: torch.Tensor) -> bool:
    return serves(a, b) and are_best_here() and can_multiply()


def _product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    made = _result(a, b)
    threads, first = torch.get_num_threads(), _matrices(a)
    needed = memory_for(first, b.shape[3], threads)
    memory = None if needed is None else a.new_empty(needed)
    if not a.is_meta:
        multiply(first, _matrices(b), _matrices(made), threads, memory)
    return made


def _result(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Memory for products. Where the columns of several matrices are one row after the other in the
    second factor, as attention's heads are, they are so in the result: what follows wants them so.
    """
    outer, inner, rows, _ = a.shape
    columns = b.shape[3]
    if inner > 1 and b.stride(3) == 1 and b.stride(1) == columns and b.stride(2) == inner * columns:
        return a.new_empty((outer, rows, inner, columns)).transpose(1, 2)
    return a.new_empty((outer, inner, rows, columns))


def _matrices(x: torch.Tensor) -> Matrices:
    return Matrices(x.data_ptr(), _axes(x.shape), _axes(x.stride()))


def _axes(sizes: tuple[int, ...]) -> Axes:
    outer, inner, rows, columns = sizes
    return outer, inner, rows, columns
