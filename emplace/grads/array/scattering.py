"""Gradients of `ops/array/scattering.py`."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...ops.array import scattering as s
from ...ops.array.gathering import gather_nd
from ...ops.array.making import zeros_like
from ...ops.array.scattering import scatter_nd, tensor_scatter_nd_update
from ...ops.math.elementwise import cast, equal, negative
from ..rules import Recorded, gradient


@gradient(s.SCATTER_ND)
def scatter_nd_grad(call: Recorded, dy: Tensor) -> Any:
    """Every update gets what is at its place."""
    return None, gather_nd(dy, call.inputs[0], bad_indices_policy=_policy(call))


def _policy(call: Recorded) -> str:
    return str(call.attrs.get("bad_indices_policy", ""))


@gradient(s.TENSOR_SCATTER_ADD)
def add_grad(call: Recorded, dy: Tensor) -> Any:
    """The tensor gets all, every update what is at its place."""
    return dy, None, gather_nd(dy, call.inputs[1], bad_indices_policy=_policy(call))


@gradient(s.TENSOR_SCATTER_SUB)
def sub_grad(call: Recorded, dy: Tensor) -> Any:
    """The tensor gets all, every update the opposite of what is at its place."""
    return dy, None, negative(gather_nd(dy, call.inputs[1], bad_indices_policy=_policy(call)))


@gradient(s.TENSOR_SCATTER_UPDATE)
def update_grad(call: Recorded, dy: Tensor) -> Any:
    """Every update gets what is at its place, the tensor the rest."""
    _, indices, updates = call.inputs
    kept = None
    if call.needs(0):
        kept = tensor_scatter_nd_update(dy, indices, zeros_like(updates))
    return kept, None, gather_nd(dy, indices) if call.needs(2) else None


@gradient(s.TENSOR_SCATTER_MAX, s.TENSOR_SCATTER_MIN)
def extreme_grad(call: Recorded, dy: Tensor) -> Any:
    """TF: whoever equals the result shares its gradient."""
    tensor, indices, updates = call.inputs
    result = call.outputs[0]
    is_tensors = cast(equal(result, tensor), dy.dtype)
    chosen = cast(equal(updates, gather_nd(result, indices)), dy.dtype)
    sharing = is_tensors + scatter_nd(indices, chosen, tuple(tensor.shape))
    share = dy / sharing
    return share * is_tensors, None, gather_nd(share, indices) * chosen
