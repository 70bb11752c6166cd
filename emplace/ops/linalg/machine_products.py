"""Products of float32 matrices on the host as machine code (codegen/products).

It is faster than MKL and oneDNN, on AMD's processors with AVX-512, but for products that are small,
or narrow, or add up few numbers each; most of all where rows lie apart, as attention's do, and
beside other work: its threads take pieces as they come to run. With AVX2 alone that is true of many
products at once. A row that is added, and limits of the results, cost nothing. Whether machine code
computes a product is a matter of shapes, strides and the processor alone, so the same product has
the same bits in every step.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import torch

from ...base import flags
from ...codegen.code import lanes
from ...codegen.products.kernels import FAR, Axes, Matrices, ReadyProduct, can_multiply
from ...devices.cpu import is_of_intel
from ..limits import NO_LIMITS, Limits, address_of_limits
from ..machine_code import serves

# To compile takes as long as some hundred products of so many multiplications. Of a single one,
# fewer take less time elsewhere: to tell threads of its pieces would be felt.
LEAST_OF_MANY = 1 << 23
LEAST_OF_ONE = 1 << 22
# With less to do for each row that is copied, copies would be felt: more so of many products, whose
# panels are copied one by one.
_LEAST_ROWS = 16
_LEAST_ROWS_OF_MANY = 96
# With fewer numbers in each sum, and rows that lie in order, oneDNN reads and writes as fast.
_LEAST_DEPTH = 48
_LEAST_DEPTH_BY_COLUMNS = 16
_LEAST_SIZE_OF_MANY = 64
# Panels have so many columns: where most of one is empty, so is most of the time.
_PANEL = 64
_MOST_EMPTY = 1.25
# Single products by shorter vectors take as long as libraries' do, many of them .7 to .9 of it,
# unless rows are in each other's places in a cache. Intel's processors have MKL's best code.
_LANES_OF_ONE = 16
_LANES_OF_MANY_ALONE = 8


def of_two(
    a: torch.Tensor, b: torch.Tensor, row: torch.Tensor | None = None, limits: Limits = NO_LIMITS
) -> torch.Tensor | None:
    """a @ b + row, brought between limits; None if others must compute it.

    Args:
        a: shape (rows, inner).
        b: shape (inner, columns).
        row: shape (columns,), or None.
        limits: the least and the most that a number of the result may be.
    """
    if not are_best_here():
        return None
    if not (serves(a, b) if row is None else serves(a, b, row) and _is_row(row, b.shape[1])):
        return None
    ready = _ready_of_two(a.shape, a.stride(), b.shape, b.stride(), torch.get_num_threads())
    return None if ready is None else _multiplied(ready, a, b, row, limits)


def of_many(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor | None:
    """The products of matrices on two axes; None as above.

    Args:
        a: shape (outer, inner, rows, depth).
        b: shape (outer, inner, depth, columns).
    """
    if a.ndim != 4 or b.ndim != 4 or not serves(a, b):
        return None
    ready = _ready_of_many(a.shape, a.stride(), b.shape, b.stride(), torch.get_num_threads())
    return None if ready is None else _multiplied(ready, a, b)


def _is_row(x: torch.Tensor, columns: int) -> bool:
    """Whether it has a number for each column, one after the other."""
    return x.shape == (columns,) and x.is_contiguous()


class _ReadyResult(NamedTuple):
    """A product, and the shape of its results and their steps in numbers."""

    product: ReadyProduct
    shape: tuple[int, ...]
    steps: tuple[int, ...]


def _multiplied(
    ready: _ReadyResult, a: torch.Tensor, b: torch.Tensor, row: torch.Tensor | None = None,
    limits: Limits = NO_LIMITS,
) -> torch.Tensor:  # fmt: skip
    product, shape, steps = ready
    made = a.new_empty_strided(shape, steps)
    memory = None if product.memory is None else a.new_empty(product.memory)
    if not a.is_meta:
        places = a.data_ptr(), b.data_ptr(), made.data_ptr()
        ends = address_of_limits(limits)
        product.multiply(places, None if row is None else row.data_ptr(), ends, memory)
    return made


# -- made ready ---------------------------------------------------------------------------------

_Sizes = tuple[int, ...]


@functools.lru_cache(1024)
def _ready_of_two(
    a: _Sizes, a_steps: _Sizes, b: _Sizes, b_steps: _Sizes, threads: int
) -> _ReadyResult | None:
    """A product of two matrices of such shapes and steps; None if others must compute it."""
    (rows, depth), columns = a, b[1]
    first = Matrices((1, 1, rows, depth), (0, 0, a_steps[0], a_steps[1]))
    second = Matrices((1, 1, depth, columns), (0, 0, b_steps[0], b_steps[1]))
    if b[0] != depth or not _is_sized(first, columns):
        return None
    return _ready(first, second, Matrices((1, 1, rows, columns), (0, 0, columns, 1)), threads, 2)


@functools.lru_cache(1024)
def _ready_of_many(
    a: Axes, a_steps: Axes, b: Axes, b_steps: Axes, threads: int
) -> _ReadyResult | None:
    """Products of matrices on two axes, likewise."""
    first, second = Matrices(a, a_steps), Matrices(b, b_steps)
    outer, inner, _, depth = a
    if b[:3] != (outer, inner, depth) or not _are_sized(first, b[3]):
        return None
    if not _are_many_best_here(first, second):
        return None
    return _ready(first, second, _result(first, second), threads, 4)


def _ready(a: Matrices, b: Matrices, c: Matrices, threads: int, axes: int) -> _ReadyResult | None:
    """A product with results of the last so many axes."""
    if not (_lie_together(a) and _lie_together(b) and can_multiply()):
        return None
    return _ReadyResult(ReadyProduct(a, b, c, threads), c.shape[-axes:], c.steps[-axes:])


def _result(a: Matrices, b: Matrices) -> Matrices:
    """Where products go. Where the columns of several matrices are one row after the other in the
    second factor, as attention's heads are, they are so in the result: what follows wants them so.
    """
    (outer, inner, rows, _), columns = a.shape, b.shape[3]
    shape, row = (outer, inner, rows, columns), inner * columns
    if inner > 1 and b.steps[1:] == (columns, row, 1):
        return Matrices(shape, (rows * row, columns, row, 1))
    return Matrices(shape, (inner * rows * columns, rows * columns, columns, 1))


def _is_sized(a: Matrices, columns: int) -> bool:
    """Whether there is enough to do in the only product."""
    *_, rows, depth = a.shape
    least = _LEAST_DEPTH_BY_COLUMNS if a.is_by_columns else _LEAST_DEPTH
    if rows < _LEAST_ROWS or depth < least or rows * depth * columns < LEAST_OF_ONE:
        return False
    return _fill_panels(columns)


def _are_sized(a: Matrices, columns: int) -> bool:
    """Whether there is enough to do in each of several ones."""
    _, _, rows, depth = a.shape
    if rows < _LEAST_ROWS_OF_MANY or min(depth, columns) < _LEAST_SIZE_OF_MANY:
        return False
    return math.prod(a.shape) * columns >= LEAST_OF_MANY and _fill_panels(columns)


def _fill_panels(columns: int) -> bool:
    return -(-columns // _PANEL) * _PANEL <= _MOST_EMPTY * columns


def _lie_together(x: Matrices) -> bool:
    """Whether the numbers of rows, or those of columns, lie one after the other."""
    return 1 in x.steps[2:]


def adds_rows(rows: int, depth: int, columns: int) -> bool:
    """Whether products of these sizes are machine code, which adds a row, and has limits, at no
    cost. Its first factor lies row by row.
    """
    a = Matrices((1, 1, rows, depth), (0, 0, depth, 1))
    return _is_sized(a, columns) and flags.MACHINE_CODE_SWITCH.is_on() and are_best_here()


def are_best_here() -> bool:
    """Whether machine code computes a single product as fast as libraries on this processor."""
    return lanes() == _LANES_OF_ONE and not is_of_intel()


def _are_many_best_here(a: Matrices, b: Matrices) -> bool:
    """The same of many products."""
    if are_best_here():
        return True
    if lanes() != _LANES_OF_MANY_ALONE or is_of_intel():
        return False
    return not (_is_far(a) or _is_far(b))


def _is_far(x: Matrices) -> bool:
    """Whether the rows or columns of a matrix have the same places in a processor's caches."""
    return any(step % FAR == 0 for step in x.steps[2:])
