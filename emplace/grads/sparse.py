"""Gradients of the sparse ops; those without a rule here are differentiated by torch."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from ..ops.array.gathering import gather
from ..ops.array.joining import concat
from ..ops.array.making import ones_like
from ..ops.array.shaping import reshape, shape, size, transpose
from ..ops.array.sorting import argsort, sort
from ..ops.array.unique import unique
from ..ops.math.elementwise import conj, divide, multiply, negative, sqrt
from ..ops.math.reduction import reduce_sum
from ..ops.math.segment import unsorted_segment_sum
from ..ops.op import apply
from ..ops.sparse import (
    basic as sparse,
    counts,
    distance,
    math as sparse_math,
    matmul as sparse_matmul,
    picked_segments as picked,
    sets,
)
from ..ops.sparse.reduction import REDUCE_SUM
from ..ops.variables.indexed_slices import IndexedSlices
from .rules import Recorded, generic_gradient, gradient, not_differentiable

not_differentiable(
    sparse.SPARSE_RESHAPE, counts.SPARSE_COUNT, distance.EDIT_DISTANCE,
    sets.DENSE_DENSE, sets.DENSE_SPARSE, sets.SPARSE_SPARSE, sets.SET_SIZE,
)  # fmt: skip


@gradient(counts.SPARSE_WEIGHTS)
def sparse_weights_grad(call: Recorded, dy: Tensor) -> Any:
    """The weights are what comes out."""
    return None, None, None, None, dy


@gradient(sparse_matmul.SPARSE_MATMUL)
def sparse_matmul_grad(call: Recorded, dy: Tensor) -> Any:
    """For each element of A the product of a row of dy and a row of B; for B, A's adjoint by dy."""
    indices, values, b = call.inputs
    flipped, attrs = call.attrs.get("adjoint_a", False), dict(call.attrs)
    b_flipped = attrs.get("adjoint_b", False)
    grads: list[Any] = [None, None, None]
    if call.needs(1):
        rows = gather(dy, indices[:, 1 if flipped else 0])
        columns = gather(_adjoint(b) if b_flipped else b, indices[:, 0 if flipped else 1])
        product = reduce_sum(multiply(rows, _conj(columns)), 1)
        grads[1] = _conj(product) if flipped else product
    if call.needs(2):
        attrs |= {"adjoint_a": not flipped, "adjoint_b": False}
        product = apply(sparse_matmul.SPARSE_MATMUL, (indices, values, dy), attrs)
        grads[2] = _adjoint(product) if b_flipped else product
    return grads


@gradient(sparse_math.SPARSE_SOFTMAX)
def sparse_softmax_grad(call: Recorded, dy: Tensor) -> Any:
    """y * (dy - the row's sum of y * dy); TF adds up rows, also those in several stretches."""
    indices, dims, y = call.inputs[0], call.attrs["sp_shape"], call.outputs[0]
    attrs = {"input_shape": dims, "reduction_axes": (-1,), "keep_dims": True}
    sums = apply(REDUCE_SUM, (indices, multiply(y, dy)), attrs)
    rest = apply(sparse_math.CWISE_ADD, (indices, dy, negative(sums)), {"sp_shape": dims})
    return None, multiply(y, rest)


def _conj(x: Tensor) -> Tensor:
    return conj(x) if x.dtype.is_complex else x


def _adjoint(x: Tensor) -> Tensor:
    return transpose(x, conjugate=x.dtype.is_complex)


def _picked_rows_grad(call: Recorded, dy: Tensor) -> Any:
    """Slices of the rows that were taken, each once, where the program asked for that; else dense.

    TF: the rows are in increasing order.
    """
    if not call.attrs.get("sparse_gradient"):
        return generic_gradient(call, [dy])
    data, indices, segment_ids = call.inputs
    taken = multiply(gather(dy, segment_ids), _shares(call, dy, segment_ids))
    rows, places = unique(sort(indices))
    order = argsort(indices, stable=True)
    values = unsorted_segment_sum(gather(taken, order), places, size(rows))
    return IndexedSlices(values, rows, shape(data)), None, None


def _shares(call: Recorded, dy: Tensor, segment_ids: Tensor) -> Any:
    """What a row gets of its segment's gradient, stretched to rows."""
    rows = ones_like(segment_ids, dtype=dy.dtype)
    if "Sum" not in call.op.name:
        count = gather(unsorted_segment_sum(rows, segment_ids, shape(dy)[0]), segment_ids)
        rows = divide(rows, sqrt(count) if "SqrtN" in call.op.name else count)
    return reshape(rows, concat([[-1], ones_like(shape(dy)[1:])], 0))


for _ops in (picked.SPARSE_SUM, picked.SPARSE_MEAN, picked.SPARSE_SQRT_N):
    for _op in _ops:
        gradient(_op)(_picked_rows_grad)
