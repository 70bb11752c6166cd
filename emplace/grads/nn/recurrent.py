"""The gradient of `ops/nn/recurrent.py`."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...ops.array.making import zeros_like
from ...ops.nn.recurrent import CUDNN_RNN, CUDNN_RNN_BACKPROP
from ...ops.op import apply
from ..rules import Recorded, gradient


@gradient(CUDNN_RNN)
def cudnn_rnn_grad(call: Recorded, *grads: Tensor | None) -> Any:
    """By the op that TensorFlow has for it."""
    backs = [
        zeros_like(y) if dy is None else dy
        for y, dy in zip(call.outputs[:3], grads[:3], strict=True)
    ]
    attrs = {name: value for name, value in call.attrs.items() if name != "is_training"}
    inputs = (*call.inputs, *call.outputs[:3], *backs, *call.outputs[3:])
    return (*apply(CUDNN_RNN_BACKPROP, inputs, attrs), None)
