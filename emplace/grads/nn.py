"""Gradients of `ops/nn.py`."""

from __future__ import annotations

from typing import Any

from ..ops import nn
from ..ops.array import expand_dims, zeros_like
from ..ops.elementwise import exp, multiply, negative, subtract
from ..ops.op import apply
from ..ops.reduction import add_n, reduce_sum
from .rules import Recorded, gradient


@gradient(nn.RELU)
def relu_grad(call: Recorded, dy: Any) -> Any:
    """max(x, 0)."""
    return apply(nn.RELU_GRAD, (dy, call.outputs[0]))


@gradient(nn.RELU_GRAD)
def relu_grad_grad(call: Recorded, dy: Any) -> Any:
    """The gradient of relu, in its gradients; it is flat in its features."""
    features = call.inputs[1]
    return (
        apply(nn.RELU_GRAD, (dy, features)) if call.needs(0) else None,
        zeros_like(features) if call.needs(1) else None,
    )


@gradient(nn.SOFTMAX)
def softmax_grad(call: Recorded, dy: Any) -> Any:
    """(dy - sum(dy * y)) * y."""
    y = call.outputs[0]
    return multiply(subtract(dy, reduce_sum(multiply(dy, y), -1, keepdims=True)), y)


@gradient(nn.LOG_SOFTMAX)
def log_softmax_grad(call: Recorded, dy: Any) -> Any:
    """dy - sum(dy) * softmax."""
    y = exp(call.outputs[0])
    return subtract(dy, multiply(reduce_sum(dy, -1, keepdims=True), y))


@gradient(nn.SOFTMAX_XENT)
def softmax_xent_grad(call: Recorded, dloss: Any, dbackprop: Any) -> Any:
    """The forward op has computed the gradient already; the loss scales it."""
    dlogits = _for_logits(call, dloss, dbackprop) if call.needs(0) else None
    return dlogits, _for_labels(call, dloss, dbackprop) if call.needs(1) else None


@gradient(nn.SPARSE_SOFTMAX_XENT)
def sparse_softmax_xent_grad(call: Recorded, dloss: Any, dbackprop: Any) -> Any:
    """The same for class numbers, which have no gradient."""
    return _for_logits(call, dloss, dbackprop), None


def _for_logits(call: Recorded, dloss: Any, dbackprop: Any) -> Any:
    """The gradient of the logits, by the loss and, in gradients of gradients, by the other
    output, which is softmax(logits) - labels.
    """
    parts = []
    if dloss is not None:
        parts.append(multiply(expand_dims(dloss, -1), call.outputs[1]))
    if dbackprop is not None:
        p = nn.softmax(call.inputs[0])
        inner = reduce_sum(multiply(dbackprop, p), -1, keepdims=True)
        parts.append(multiply(subtract(dbackprop, inner), p))
    return add_n(parts)


def _for_labels(call: Recorded, dloss: Any, dbackprop: Any) -> Any:
    parts = [] if dbackprop is None else [negative(dbackprop)]
    if dloss is not None:
        rows = expand_dims(dloss, -1)
        parts.append(multiply(rows, negative(nn.log_softmax(call.inputs[0]))))
    return add_n(parts)


@gradient(nn.BIAS_ADD)
def bias_add_grad(call: Recorded, dy: Any) -> Any:
    """The bias gets the sum over everything but its axis."""
    rank = len(dy.shape)
    channels = 1 if call.attrs["data_format"] == "NCHW" else rank - 1
    axes = [axis for axis in range(rank) if axis != channels]
    return dy, reduce_sum(dy, axes) if call.needs(1) else None
