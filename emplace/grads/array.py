"""Gradients of `ops/array.py`, `ops/slicing.py` and `ops/select.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ops import array as a
from ..ops.array import reshape, stack, transpose, unstack, zeros_like
from ..ops.op import apply
from ..ops.reduction import reduce_sum
from ..ops.select import SELECT, where
from ..ops.slicing import STRIDED_SLICE, STRIDED_SLICE_GRAD, WHERE
from .rules import Recorded, completed, gradient, not_differentiable, unbroadcast

not_differentiable(a.RANGE, a.ONE_HOT, a.ZEROS_LIKE, a.ONES_LIKE, WHERE)


@gradient(a.IDENTITY)
def identity_grad(call: Recorded, dy: Any) -> Any:
    """The value itself."""
    return dy


@gradient(a.FILL)
def fill_grad(call: Recorded, dy: Any) -> Any:
    """One value everywhere."""
    return reduce_sum(dy)


@gradient(a.RESHAPE, a.SQUEEZE, a.EXPAND_DIMS)
def reshape_grad(call: Recorded, dy: Any) -> Any:
    """The same elements in another shape."""
    return reshape(dy, call.inputs[0].shape)


@gradient(a.TRANSPOSE)
def transpose_grad(call: Recorded, dy: Any) -> Any:
    """The axes back where they were."""
    return transpose(dy, [int(i) for i in np.argsort(call.attrs["perm"])])


@gradient(a.CONCAT)
def concat_grad(call: Recorded, dy: Any) -> Any:
    """Each input gets its part."""
    axis = call.attrs["axis"] % len(dy.shape)
    parts, start = [], 0
    for value in call.inputs:
        end = start + value.shape[axis]
        parts.append(dy[(slice(None),) * axis + (slice(start, end),)])
        start = end
    return parts


@gradient(a.PACK)
def pack_grad(call: Recorded, dy: Any) -> Any:
    """Each input gets its place."""
    return unstack(dy, axis=call.attrs["axis"])


@gradient(a.UNPACK)
def unpack_grad(call: Recorded, *dys: Any) -> Any:
    """The places side by side again."""
    return stack(completed(call, dys), axis=call.attrs["axis"])


@gradient(STRIDED_SLICE)
def slice_grad(call: Recorded, dy: Any) -> Any:
    """Zeros around the part that was taken."""
    attrs = {"dims": tuple(call.inputs[0].shape), "key": call.attrs["key"]}
    return apply(STRIDED_SLICE_GRAD, (dy,), attrs)


@gradient(STRIDED_SLICE_GRAD)
def slice_grad_grad(call: Recorded, dy: Any) -> Any:
    """The part that was taken."""
    return apply(STRIDED_SLICE, (dy,), {"key": call.attrs["key"]})


@gradient(SELECT)
def select_grad(call: Recorded, dy: Any) -> Any:
    """Each side gets what was chosen from it."""
    condition, x, y = call.inputs
    nothing = zeros_like(dy)
    return (
        None,
        unbroadcast(where(condition, dy, nothing), x) if call.needs(1) else None,
        unbroadcast(where(condition, nothing, dy), y) if call.needs(2) else None,
    )
