"""Gradients of `ops/nn/activation.py`."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...ops.array.making import zeros_like
from ...ops.math.elementwise import exp, multiply, subtract
from ...ops.math.reduction import reduce_sum
from ...ops.nn import activation as a
from ...ops.op import Op, apply
from ..rules import Recorded, gradient


def _register(forward: Op, backward: Op, by_outputs: bool) -> None:
    """An activation whose gradient is an op of its own, of its inputs or of its outputs."""

    @gradient(forward)
    def activation_grad(call: Recorded, dy: Tensor) -> Tensor:
        known = call.outputs[0] if by_outputs else call.inputs[0]
        return apply(backward, (dy, known), call.attrs or None)


_register(a.RELU, a.RELU_GRAD, by_outputs=True)
_register(a.RELU6, a.RELU6_GRAD, by_outputs=True)
_register(a.ELU, a.ELU_GRAD, by_outputs=True)
_register(a.SELU, a.SELU_GRAD, by_outputs=True)
_register(a.LEAKY_RELU, a.LEAKY_RELU_GRAD, by_outputs=False)
_register(a.SOFTPLUS, a.SOFTPLUS_GRAD, by_outputs=False)
_register(a.SOFTSIGN, a.SOFTSIGN_GRAD, by_outputs=False)
_register(a.GELU, a.GELU_GRAD, by_outputs=False)
_register(a.GELU_BY_TANH, a.GELU_BY_TANH_GRAD, by_outputs=False)
_register(a.SILU, a.SILU_GRAD, by_outputs=False)


@gradient(a.RELU_GRAD, a.RELU6_GRAD, a.LEAKY_RELU_GRAD)
def linear_grad_grad(call: Recorded, dy: Tensor) -> Any:
    """The gradient of a function of straight lines, in its gradients; flat in its features."""
    features = call.inputs[1]
    return (
        apply(call.op, (dy, features), call.attrs or None) if call.needs(0) else None,
        zeros_like(features) if call.needs(1) else None,
    )


@gradient(a.SOFTMAX)
def softmax_grad(call: Recorded, dy: Tensor) -> Tensor:
    """(dy - sum(dy * y)) * y."""
    y = call.outputs[0]
    return multiply(subtract(dy, reduce_sum(multiply(dy, y), -1, keepdims=True)), y)


@gradient(a.LOG_SOFTMAX)
def log_softmax_grad(call: Recorded, dy: Tensor) -> Tensor:
    """dy - sum(dy) * softmax."""
    y = exp(call.outputs[0])
    return subtract(dy, multiply(reduce_sum(dy, -1, keepdims=True), y))


@gradient(a.BIAS_ADD)
def bias_add_grad(call: Recorded, dy: Tensor) -> Any:
    """The bias gets the sum over everything but the channels."""
    return dy, apply(a.BIAS_ADD_GRAD, (dy,), call.attrs) if call.needs(1) else None
