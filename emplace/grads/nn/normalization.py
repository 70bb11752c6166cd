"""Gradients of `ops/nn/normalization.py`."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...ops.array.making import zeros_like
from ...ops.math.elementwise import cast
from ...ops.nn import normalization as n
from ...ops.op import apply
from ..rules import Recorded, gradient


@gradient(n.FUSED_BATCH_NORM)
def fused_batch_norm_grad(call: Recorded, dy: Tensor | None, *others: Any) -> Any:
    """Of y alone: TensorFlow's statistics have no gradient."""
    x, scale, _, mean, variance = call.inputs
    is_training = call.attrs["is_training"]
    if is_training:
        mean, variance = call.outputs[3], call.outputs[4]
    kept = (cast(each, "float32") for each in (scale, mean, variance, call.outputs[5]))
    attrs = {
        "epsilon": call.attrs["epsilon"],
        "data_format": call.attrs["data_format"],
        "is_training": is_training,
    }
    dy = zeros_like(call.outputs[0]) if dy is None else dy
    dx, dscale, doffset, *_ = apply(n.FUSED_BATCH_NORM_GRAD, (dy, x, *kept), attrs)
    return dx, cast(dscale, scale.dtype), cast(doffset, scale.dtype), None, None
