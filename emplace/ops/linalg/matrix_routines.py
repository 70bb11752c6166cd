"""Products of two matrices, by machine code (`machine_products`) where that is the fastest, else by
the faster of the two routines that torch has for them on x86.

`torch.mm` is MKL's, which has the better code for Intel's processors and for short vectors; there
threads take pieces of large products (`pieced_products`). On others oneDNN's, which torch lends to
layers alone, is up to half as fast again on large float32 matrices (AVX-512, one thread, AMD), and
MKL computes a narrow product many times as fast if it is asked for the transposed one. A small
product gets one thread: on a machine with other work, two would wait for each other for
milliseconds. All this depends on shapes, strides and who made the processor, so the same product
has the same bits in every step, but for narrow ones, which machine code computes once there were
many of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import mm  # looked up once: in small products that is felt

from ...codegen import library
from ...codegen.products.narrow import FEW
from ...devices.cpu import is_of_intel
from ..limits import NO_LIMITS, Limits, limited
from . import machine_products, narrow_products, pieced_products

# Below so many multiplications, preparing oneDNN's routine costs more than it gains.
LEAST_MULTIPLICATIONS = 1 << 24
# It wins where there are some rows to go through, and loses where there is next to nothing to add
# up, or to write.
_LEAST_SIZE = 16
# On Intel it wins only where it adds a row on the way to sums of so few numbers that another pass
# over them would be felt.
_MOST_INNER_OF_ROWS = 96

# MKL shares products of fewer multiplications among threads by no means, and to share those below
# the second number gains less on a quiet machine than it loses on a busy one.
LEAST_SHARED = 1 << 13
_LEAST_WORTH_SHARING = 1 << 18
# On Intel one thread needs 30 us for so many; two save 10 of them, and lose 300 on a busy machine.
_LEAST_WORTH_SHARING_ON_INTEL = pieced_products.LEAST

# What counts as a narrow product: the columns, and the size of the first factor from which on the
# transposed product saves more than it costs to turn the result.
_MOST_NARROW = 10
_NARROW = range(2, _MOST_NARROW + 1)
_LEAST_NARROW = 1 << 14
# With one thread, `mm` it is if the first factor has fewer elements, and the product fewer
# multiplications: it is not shared, and not turned, and all other ways are for more of them.
LEAST_TO_CHOOSE = 1 << 14
LEAST_WORK_TO_CHOOSE = narrow_products.LEAST
_NARROW_TYPES = (torch.float32, torch.float64)
# On Intel the transposed product is the faster one for a first factor that lies column by column,
# and for so many columns.
_NARROW_ON_INTEL = range(2, 9)
# On "meta" kernels are rehearsed, to know what memory they take.
_HOST = ("cpu", "meta")

# Torch says too little about the types of its switches.
_backends: Any = torch.backends
_Linear = Callable[..., torch.Tensor]


@functools.cache
def _linear() -> _Linear | None:
    """oneDNN's product with a transposed second factor; None where `mm` is the better choice."""
    if not _backends.mkl.is_available() or not _backends.mkldnn.is_available():
        return None  # elsewhere than on x86, `mm` chooses by itself
    if _backends.cpu.get_cpu_capability() != "AVX512":
        return None
    found: Any = getattr(torch.ops.mkldnn, "_linear_pointwise", None)
    return None if found is None else found.default


def _faster(a: torch.Tensor, b: torch.Tensor, row: torch.Tensor | None) -> _Linear | None:
    """oneDNN's routine, if it multiplies large matrices, and adds the row, faster than `mm`."""
    rows, inner = a.shape
    if is_of_intel() and (row is None or inner > _MOST_INNER_OF_ROWS):
        return None
    columns = b.shape[1]
    if min(rows, inner, columns) < _LEAST_SIZE or b.shape[0] != inner:
        return None
    if a.stride() != (inner, 1):
        return None
    if not _is_dense(b) or a.dtype is not torch.float32 or b.dtype is not torch.float32:
        return None
    if a.device.type != "cpu" or b.device.type != "cpu" or a.requires_grad or b.requires_grad:
        return None
    if torch.compiler.is_compiling() or not _backends.mkldnn.enabled:
        return None
    return _linear()


def _is_dense(x: torch.Tensor) -> bool:
    """Whether rows, or columns, lie one after the other and each in order."""
    (rows, columns), (down, across) = x.shape, x.stride()
    return (across == 1 and down >= columns) or (down == 1 and across >= rows)


def product(
    a: torch.Tensor, b: torch.Tensor, row: torch.Tensor | None = None, limits: Limits = NO_LIMITS
) -> torch.Tensor:
    """a @ b + row, brought between limits.

    Args:
        a: shape (rows, inner).
        b: shape (inner, columns), of the same dtype, on the same device.
        row: shape (columns,), added to each row; or None.
        limits: the least and the most that a number of the result may be.
    """
    if a.numel() * b.numel() < LEAST_SHARED:  # then there are no more multiplications than that
        made = mm(a, b)
        return limited(made if row is None else made.add_(row), limits)
    return larger_product(a, b, row, limits)


def larger_product(
    a: torch.Tensor, b: torch.Tensor, row: torch.Tensor | None = None, limits: Limits = NO_LIMITS
) -> torch.Tensor:
    """The same, where the numbers of elements multiply to `LEAST_SHARED`."""
    work = a.numel() * b.shape[1]
    if work >= machine_products.LEAST_OF_ONE:
        made = machine_products.of_two(a, b, row, limits)
        if made is not None:
            return made
    return limited(_of_others(a, b, row, work), limits)


def _of_others(
    a: torch.Tensor, b: torch.Tensor, row: torch.Tensor | None, work: int
) -> torch.Tensor:
    """a @ b + row, of so many multiplications, not by our machine code for large products."""
    columns = b.shape[1]
    linear = _faster(a, b, row) if work >= LEAST_MULTIPLICATIONS else None
    if linear is not None and (row is None or row.is_contiguous()):
        # With no function after it: oneDNN's Relu makes 0 of what is not a number.
        return linear(a, b.t(), row, "none", [], "")
    if work >= narrow_products.LEAST and (columns in FEW or a.shape[1] in FEW):
        made = narrow_products.of_few(a, b, row)
        if made is not None:
            return made
    if work >= pieced_products.LEAST:
        made = pieced_products.of_two(a, b)
        if made is not None:
            return made if row is None else made.add_(row)
    is_plain = work < LEAST_SHARED or (not _is_small(work) and columns > _MOST_NARROW)
    made = mm(a, b) if is_plain else _multiplied(a, b, work)
    # Torch takes longer to prepare a sum with rows than to add them.
    return made if row is None else made.add_(row)


def _is_small(work: int) -> bool:
    """Whether a product of so many multiplications is not worth sharing."""
    return work < (_LEAST_WORTH_SHARING_ON_INTEL if is_of_intel() else _LEAST_WORTH_SHARING)


def _multiplied(a: torch.Tensor, b: torch.Tensor, work: int) -> torch.Tensor:
    """a @ b by `mm`, in the form and by as many threads as serve best."""
    columns = b.shape[1]
    is_turned = columns in _NARROW and _is_better_turned(a, columns)
    is_small = _is_small(work) and torch.get_num_threads() > 1
    if not (is_turned or is_small) or a.device.type not in _HOST or torch.compiler.is_compiling():
        return mm(a, b)
    multiply = _turned if is_turned else mm
    return library.with_product_threads(1, multiply, a, b) if is_small else multiply(a, b)


def _is_better_turned(a: torch.Tensor, columns: int) -> bool:
    """Whether a narrow product takes less time as the transposed one, turned afterwards."""
    rows, inner = a.shape
    if rows * inner < _LEAST_NARROW or a.dtype not in _NARROW_TYPES or rows <= columns:
        return False
    return not is_of_intel() or (columns in _NARROW_ON_INTEL and a.stride(0) == 1)


def _turned(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """a @ b, computed as the transposed product."""
    return mm(b.t(), a.t()).t().contiguous()
