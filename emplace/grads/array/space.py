"""Gradients of `ops/array/space.py`: each op is undone by another one."""

from __future__ import annotations

from ...core.tensor import Tensor
from ...ops.array import space
from ...ops.op import apply
from ..rules import Recorded, gradient


@gradient(space.SPACE_TO_DEPTH)
def space_to_depth_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The blocks go back."""
    return apply(space.DEPTH_TO_SPACE, (dy,), call.attrs)


@gradient(space.DEPTH_TO_SPACE)
def depth_to_space_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The blocks go back."""
    return apply(space.SPACE_TO_DEPTH, (dy,), call.attrs)


@gradient(space.SPACE_TO_BATCH)
def space_to_batch_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The batches go back; what was padded is cut off."""
    return space.batch_to_space(dy, call.attrs["block_shape"], call.attrs["paddings"])


@gradient(space.BATCH_TO_SPACE)
def batch_to_space_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The batches go back; what was cut off gets zeros."""
    return space.space_to_batch(dy, call.attrs["block_shape"], call.attrs["crops"])
