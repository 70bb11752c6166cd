"""Gradients of `ops/array/joining.py`."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...ops.array import joining as j
from ...ops.array.joining import concat, stack, unstack
from ..rules import Recorded, completed, gradient


@gradient(j.CONCAT)
def concat_grad(call: Recorded, dy: Tensor) -> Any:
    """Each input gets its part."""
    axis = call.attrs["axis"] % len(dy.shape)
    parts, start = [], 0
    for value in call.inputs:
        end = start + value.shape[axis]
        parts.append(dy[(slice(None),) * axis + (slice(start, end),)])
        start = end
    return parts


@gradient(j.PACK)
def pack_grad(call: Recorded, dy: Tensor) -> Any:
    """Each input gets its place."""
    return unstack(dy, num=len(call.inputs), axis=call.attrs["axis"])


@gradient(j.UNPACK)
def unpack_grad(call: Recorded, *dys: Tensor | None) -> Tensor:
    """The places side by side again."""
    return stack(completed(call, dys), axis=call.attrs["axis"])


@gradient(j.SPLIT, j.SPLIT_V)
def split_grad(call: Recorded, *dys: Tensor | None) -> Tensor:
    """The parts one after the other again."""
    return concat(completed(call, dys), call.attrs["axis"])
