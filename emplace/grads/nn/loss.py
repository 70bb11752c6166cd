"""Gradients of `ops/nn/loss.py`."""

from __future__ import annotations

from typing import Any

from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ...ops.array.shaping import expand_dims
from ...ops.math.elementwise import multiply, negative, sigmoid, subtract
from ...ops.math.reduction import add_n, reduce_sum
from ...ops.nn import loss
from ...ops.nn.activation import log_softmax, softmax
from ...ops.op import apply
from ..rules import Recorded, gradient


@gradient(loss.SOFTMAX_XENT)
def softmax_xent_grad(call: Recorded, dloss: Tensor | None, dbackprop: Tensor | None) -> Any:
    """The forward op has computed the gradient already; the loss scales it."""
    dlogits = _for_logits(call, dloss, dbackprop) if call.needs(0) else None
    return dlogits, _for_labels(call, dloss, dbackprop) if call.needs(1) else None


@gradient(loss.SPARSE_SOFTMAX_XENT)
def sparse_softmax_xent_grad(call: Recorded, dloss: Tensor | None, dbackprop: Tensor | None) -> Any:
    """The same for class numbers, which have no gradient."""
    return _for_logits(call, dloss, dbackprop), None


def _for_logits(call: Recorded, dloss: Tensor | None, dbackprop: Tensor | None) -> Tensor:
    """The gradient of the logits, by the loss and, in gradients of gradients, by the other
    output, which is softmax(logits) - labels.
    """
    parts = []
    if dloss is not None:
        parts.append(multiply(expand_dims(dloss, -1), call.outputs[1]))
    if dbackprop is not None:
        p = softmax(call.inputs[0])
        inner = reduce_sum(multiply(dbackprop, p), -1, keepdims=True)
        parts.append(multiply(subtract(dbackprop, inner), p))
    return add_n(parts)


def _for_labels(call: Recorded, dloss: Tensor | None, dbackprop: Tensor | None) -> Tensor:
    parts = [] if dbackprop is None else [negative(dbackprop)]
    if dloss is not None:
        rows = expand_dims(dloss, -1)
        parts.append(multiply(rows, negative(log_softmax(call.inputs[0]))))
    return add_n(parts)


@gradient(loss.SIGMOID_XENT)
def sigmoid_xent_grad(call: Recorded, dy: Tensor) -> Any:
    """sigmoid(x) - z for the logits, -x for the labels."""
    logits, labels = call.inputs
    return (
        multiply(dy, apply(loss.SIGMOID_ERROR, (logits, labels))) if call.needs(0) else None,
        negative(multiply(dy, logits)) if call.needs(1) else None,
    )


@gradient(loss.SIGMOID_ERROR)
def sigmoid_error_grad(call: Recorded, dy: TensorLike) -> Any:
    """Of sigmoid(x) - z."""
    logits = call.inputs[0]
    slope = multiply(sigmoid(logits), sigmoid(negative(logits))) if call.needs(0) else None
    return (
        multiply(dy, slope) if call.needs(0) else None,
        negative(dy) if call.needs(1) else None,
    )


@gradient(loss.L2_LOSS)
def l2_loss_grad(call: Recorded, dy: Tensor) -> Tensor:
    """Half the sum of the squares."""
    return multiply(call.inputs[0], dy)
