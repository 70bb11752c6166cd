"""Gradients of `ops/nn/isotonic.py`."""

from __future__ import annotations

from ...core.tensor import Tensor
from ...ops.array.gathering import gather
from ...ops.array.making import range_
from ...ops.array.shaping import reshape, shape
from ...ops.deferred import deferrable
from ...ops.math.elementwise import cast
from ...ops.math.segment import unsorted_segment_mean
from ...ops.nn.isotonic import ISOTONIC
from ..rules import Recorded, gradient


@gradient(ISOTONIC)
def isotonic_grad(call: Recorded, dy: Tensor, dsegments: Tensor | None = None) -> Tensor:
    """The mean over each block of equal elements."""
    return cast(_block_means(dy, call.outputs[1]), call.inputs[0].dtype)


@deferrable
def _block_means(dy: Tensor, blocks: Tensor) -> Tensor:
    width = dy.shape[-1]
    rows = reshape(blocks, [-1, width])
    count = rows.shape[0] * width
    places = reshape(rows + range_(rows.shape[0])[:, None] * width, [-1])
    means = unsorted_segment_mean(reshape(dy, [-1]), places, count)
    return reshape(gather(means, places), shape(dy))
