"""Gradients of `ops/array/slicing.py`."""

from __future__ import annotations

from ...core.tensor import Tensor
from ...ops.array.repeating import pad
from ...ops.array.slicing import SLICE, STRIDED_SLICE, STRIDED_SLICE_GRAD
from ...ops.op import apply
from ..rules import Recorded, gradient


@gradient(STRIDED_SLICE)
def slice_grad(call: Recorded, dy: Tensor) -> Tensor:
    """Zeros around the part that was taken."""
    attrs = {"dims": tuple(call.inputs[0].shape), "key": call.attrs["key"]}
    return apply(STRIDED_SLICE_GRAD, (dy,), attrs)


@gradient(STRIDED_SLICE_GRAD)
def slice_grad_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The part that was taken."""
    return apply(STRIDED_SLICE, (dy,), {"key": call.attrs["key"]})


@gradient(SLICE)
def plain_slice_grad(call: Recorded, dy: Tensor) -> Tensor:
    """Zeros around the block that was taken."""
    triples = zip(call.inputs[0].shape, call.attrs["begin"], dy.shape, strict=True)
    return pad(dy, [[begin, whole - begin - size] for whole, begin, size in triples])
