"""Gradients of gathering, partitions, and slices of variables.

TF: the gradient of slices along the first axis is `IndexedSlices`, so that a step on a large
table touches only the rows that were looked up.
"""

from __future__ import annotations

from typing import Any

from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ...ops.array import gathering as g
from ...ops.array.joining import concat
from ...ops.array.partition import DYNAMIC_STITCH
from ...ops.array.scattering import scatter_nd
from ...ops.array.shaping import expand_dims, reshape, shape, size
from ...ops.convert import convert_to_tensor
from ...ops.variables.indexed_slices import IndexedSlices
from ...ops.variables.resource_slices import RESOURCE_GATHER, RESOURCE_GATHER_ND, value_shape
from ..rules import Recorded, generic_gradient, gradient, not_differentiable

not_differentiable(g.WHERE)


@gradient(g.GATHER)
def gather_grad(call: Recorded, dy: Tensor) -> Any:
    """Slices along the first axis, else a dense tensor."""
    params, indices = call.inputs
    batch_dims = call.attrs.get("batch_dims", 0)
    if batch_dims < 0:  # of an unknown rank when it was made: see `batches_from_front`
        raise ValueError(
            "Currently, it is unsupported to take the gradient of tf.gather when batch_dims < 0 "
            "and the rank of the indices is unknown. Pass a positive batch_dims, or tell the rank "
            f"of the indices by tf.ensure_shape. Got batch_dims={batch_dims} and indices={indices}"
        )
    if call.attrs["axis"] != 0 or batch_dims:
        return generic_gradient(call, [dy])
    return _rows(dy, indices, params.shape.sizes, shape(params)), None


def _rows(dy: Any, indices: Any, dims: Any, whole: Any) -> IndexedSlices:
    # Not -1: it cannot be told where there are no elements.
    count = indices.shape.num_elements()
    if count is None or dims is None or None in dims[1:]:
        number = size(indices, out_type=whole.dtype)
        values = reshape(dy, concat([expand_dims(number, 0), whole[1:]], 0))
        return IndexedSlices(values, reshape(indices, (-1,)), whole)
    return IndexedSlices(reshape(dy, (count, *dims[1:])), reshape(indices, (count,)), whole)


@gradient(g.GATHER_ND)
def gather_nd_grad(call: Recorded, dy: Tensor) -> Any:
    """Slices along the first axis, else a dense tensor."""
    params, indices = call.inputs
    if call.attrs.get("bad_indices_policy"):
        return generic_gradient(call, [dy])
    if indices.ndim == 2 and indices.shape[-1] == 1:
        return _rows(dy, indices, params.shape.sizes, shape(params)), None
    return scatter_nd(indices, dy, tuple(params.shape)), None


@gradient(RESOURCE_GATHER)
def resource_gather_grad(call: Recorded, dy: TensorLike) -> Any:
    """Slices along the first axis."""
    handle, indices = call.inputs
    dims = value_shape(handle)
    return _rows(dy, indices, tuple(dims.tolist()), convert_to_tensor(dims)), None


@gradient(RESOURCE_GATHER_ND)
def resource_gather_nd_grad(call: Recorded, dy: TensorLike) -> Any:
    """Slices along the first axis, else a dense tensor."""
    handle, indices = call.inputs
    dims = value_shape(handle)
    if indices.ndim == 2 and indices.shape[-1] == 1:
        return _rows(dy, indices, tuple(dims.tolist()), convert_to_tensor(dims)), None
    return scatter_nd(indices, dy, tuple(dims.tolist())), None


@gradient(DYNAMIC_STITCH)
def dynamic_stitch_grad(call: Recorded, dy: Tensor) -> Any:
    """TF: everyone gets what is at his places, also where another one came later."""
    indices = call.inputs[: len(call.inputs) // 2]
    return [*[None] * len(indices), *[g.gather(dy, each) for each in indices]]
