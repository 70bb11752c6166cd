"""Columns that are added to a tensor where it lies, in memory that was taken for all of them at
once: what a plan makes of concatenations upon each other (`graph/passes/grown.py`).
"""

from __future__ import annotations

import torch

from ...base import dtypes
from ..infer import Spec
from ..op import op


def grown_kernel(
    begun: torch.Tensor, more: torch.Tensor, *, whole: int, begins: bool
) -> torch.Tensor:
    """Both beside each other along the last axis.

    Args:
        begun: what is there: shape (..., columns). Unless `begins`, what an earlier call made, of
            which no other call was made.
        more: shape (..., further columns).
        whole: how many columns there will be in the end.
        begins: whether memory is taken.
    """
    if torch.compiler.is_compiling() or begun.requires_grad or more.requires_grad:
        return torch.cat([begun, more], -1)
    columns, further = begun.shape[-1], more.shape[-1]
    sizes = (*begun.shape[:-1], whole)
    if begins or not _has_room(begun, whole):
        room = begun.new_empty(sizes)
        room.narrow(-1, 0, columns).copy_(begun)
    else:
        room = begun.as_strided(sizes, (*begun.stride()[:-1], 1), 0)
    room.narrow(-1, columns, further).copy_(more)
    return room.narrow(-1, 0, columns + further)


def _has_room(begun: torch.Tensor, whole: int) -> bool:
    """Whether a tensor is the first columns of its memory. A call that was compiled takes none."""
    step = whole
    for size, found in zip(reversed(begun.shape[:-1]), reversed(begun.stride()[:-1]), strict=True):
        if size > 1 and found != step:
            return False
        step *= size
    held = begun.untyped_storage().nbytes()
    return begun.storage_offset() == 0 and held == step * begun.element_size()


def _spec(begun: Spec, more: Spec, *, whole: int, begins: bool) -> Spec:
    *sizes, columns = begun.dims or ()
    further = (more.dims or (None,))[-1]
    together = None if columns is None or further is None else columns + further
    return Spec((*sizes, together), begun.dtype)


GROWN = op(
    "_Grown", "begun: T, more: T -> output: T", grown_kernel, _spec, is_listed=False,
    T=(dtypes.float32, dtypes.float64),
)  # fmt: skip
