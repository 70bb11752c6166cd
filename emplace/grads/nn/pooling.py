"""Gradients of `ops/nn/pool_kernels.py`."""

from __future__ import annotations

from ...core.tensor import Tensor
from ...ops.array.making import zeros_like
from ...ops.nn import pool_kernels as p
from ...ops.op import Op, apply
from ..rules import Recorded, gradient


def _register_max(forward: Op, backward: Op, kept: Op) -> None:
    @gradient(forward)
    def max_grad(call: Recorded, dy: Tensor, dplaces: Tensor | None = None) -> Tensor:
        if len(call.outputs) == 2:
            return apply(kept, (call.inputs[0], call.outputs[1], dy), call.attrs)
        return apply(backward, (call.inputs[0], call.outputs[0], dy), call.attrs)


def _register_mean(forward: Op, backward: Op) -> None:
    @gradient(forward)
    def mean_grad(call: Recorded, dy: Tensor) -> Tensor:
        sizes = tuple(call.inputs[0].shape.as_list())
        return apply(backward, (dy,), {**call.attrs, "orig_input_shape": sizes})

    @gradient(backward)
    def mean_grad_grad(call: Recorded, dy: Tensor) -> Tensor:
        attrs = {key: value for key, value in call.attrs.items() if key != "orig_input_shape"}
        return apply(forward, (dy,), attrs)


_register_max(p.MAX_POOL, p.MAX_POOL_GRAD, p.MAX_POOL_GRAD_KEPT)
_register_max(p.MAX_POOL3D, p.MAX_POOL3D_GRAD, p.MAX_POOL3D_GRAD_KEPT)
_register_mean(p.AVG_POOL, p.AVG_POOL_GRAD)
_register_mean(p.AVG_POOL3D, p.AVG_POOL3D_GRAD)


@gradient(p.MAX_POOL_WITH_ARGMAX)
def max_with_argmax_grad(call: Recorded, dy: Tensor, dargmax: Tensor | None) -> Tensor:
    """Gradients go where the maxima were; places have none."""
    attrs = {key: value for key, value in call.attrs.items() if key != "Targmax"}
    dy = zeros_like(call.outputs[0]) if dy is None else dy
    inputs = call.inputs[0], dy, call.outputs[1]
    return apply(p.MAX_POOL_GRAD_WITH_ARGMAX, inputs, attrs)
