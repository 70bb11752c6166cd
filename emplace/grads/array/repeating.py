"""Gradients of `ops/array/repeating.py`."""

from __future__ import annotations

from ...core.symbolic_value import SymbolicValue
from ...core.tensor import Tensor
from ...ops.array import repeating as r
from ...ops.array.shaping import reshape
from ...ops.array.slicing import slice_
from ...ops.math.reduction import reduce_sum
from ...ops.op import apply
from ..rules import Recorded, gradient


@gradient(r.TILE)
def tile_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The sum of all copies."""
    dims, multiples = tuple(call.inputs[0].shape), call.attrs["multiples"]
    parted = [size for pair in zip(multiples, dims, strict=True) for size in pair]
    return reduce_sum(reshape(dy, tuple(parted)), range(0, len(parted), 2)) if dims else dy


@gradient(r.MIRROR_PAD_GRAD)
def mirror_pad_grad_grad(call: Recorded, dy: Tensor) -> Tensor:
    """A frame again, for the sums are of what it mirrors."""
    return apply(r.MIRROR_PAD, (dy,), call.attrs)


@gradient(r.PAD, r.PAD_V2)
def pad_grad(call: Recorded, dy: Tensor) -> Tensor:
    """Without the frame. TF: the frame's value has no gradient."""
    paddings = call.attrs["paddings"]
    if isinstance(paddings, SymbolicValue):  # not even how many there are is known
        begin = paddings.tensor[:, 0]
    else:
        begin = tuple(before for before, _ in paddings)
    return slice_(dy, begin, tuple(call.inputs[0].shape))
