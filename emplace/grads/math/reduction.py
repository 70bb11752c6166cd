"""Gradients of `ops/math/reduction.py`."""

from __future__ import annotations

import math
from typing import Any

from ...core.tensor import Tensor
from ...ops.array.shaping import broadcast_to, reshape
from ...ops.infer import reduced_axes
from ...ops.math import reduction as r
from ...ops.math.elementwise import cast, divide, equal
from ..rules import Recorded, gradient, not_differentiable

not_differentiable(r.ALL, r.ANY, r.ARG_MAX, r.ARG_MIN)


def stretched(call: Recorded, value: Tensor) -> Tensor:
    """A reduced value in a shape that broadcasts against the input."""
    if value.ndim == 0 or call.attrs.get("keep_dims"):
        return value
    x = call.inputs[0]
    axes = reduced_axes(call.attrs.get("axis"), len(x.shape))
    return reshape(value, [1 if i in axes else size for i, size in enumerate(x.shape)])


@gradient(r.SUM)
def sum_grad(call: Recorded, dy: Tensor) -> Tensor:
    """Every element gets the gradient of its sum."""
    return broadcast_to(stretched(call, dy), call.inputs[0].shape)


@gradient(r.MEAN)
def mean_grad(call: Recorded, dy: Tensor) -> Tensor:
    """Every element gets its share of the gradient of its mean."""
    shape = call.inputs[0].shape
    axes = reduced_axes(call.attrs.get("axis"), len(shape))
    count = math.prod(shape[i] for i in axes)
    share = divide(dy, float(max(1, count)))
    return broadcast_to(stretched(call, share), shape)


@gradient(r.MAX, r.MIN)
def extreme_grad(call: Recorded, dy: Tensor) -> Tensor:
    """Elements that equal the extreme share its gradient."""
    x = call.inputs[0]
    chosen = cast(equal(x, stretched(call, call.outputs[0])), x.dtype)
    axes = reduced_axes(call.attrs.get("axis"), len(x.shape))
    count = r.reduce_sum(chosen, axes, keepdims=True)
    return divide(chosen, count) * stretched(call, dy)


@gradient(r.ADD_N)
def add_n_grad(call: Recorded, dy: Tensor) -> Any:
    """Every input gets the gradient."""
    return [dy] * len(call.inputs)
