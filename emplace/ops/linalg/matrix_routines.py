"""Products of two matrices, by the faster of the two routines that torch has for them on x86.

`torch.mm` is MKL's; oneDNN's, which torch lends to layers alone, is up to half as fast again on
large float32 matrices, measured on AVX-512, one thread, AMD. Which of the two runs depends on
shapes and strides alone, so the same product has the same bits in every step.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

# Below so many multiplications, preparing oneDNN's routine costs more than it gains.
LEAST_MULTIPLICATIONS = 1 << 24
# It wins where there are some rows to go through, and loses where there is next to nothing to add
# up, or to write.
_LEAST_SIZE = 16

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


def _faster(a: torch.Tensor, b: torch.Tensor) -> _Linear | None:
    """oneDNN's routine, if it multiplies these matrices faster than `mm`."""
    rows, inner = a.shape
    columns = b.shape[1]
    if rows * inner * columns < LEAST_MULTIPLICATIONS:
        return None
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


def product(a: torch.Tensor, b: torch.Tensor, row: torch.Tensor | None = None) -> torch.Tensor:
    """a @ b + row.

    Args:
        a: shape (rows, inner).
        b: shape (inner, columns), of the same dtype, on the same device.
        row: shape (columns,), added to each row; or None.
    """
    linear = _faster(a, b)
    if linear is not None and (row is None or row.is_contiguous()):
        # With no function after it: oneDNN's Relu makes 0 of what is not a number.
        return linear(a, b.t(), row, "none", [], "")
    made = torch.mm(a, b)
    # Torch takes longer to prepare a sum with rows than to add them.
    return made if row is None else made.add_(row)
