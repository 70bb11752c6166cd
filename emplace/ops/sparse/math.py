"""Arithmetic on sparse tensors: sums, extremes, reductions, products with dense tensors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import TensorShape, broadcast, runtime_text
from ...core.tensor import Tensor
from ..arguments import static_ints
from ..convert import to_tensor
from ..infer import Spec, reduced_axes
from ..math.elementwise import cast
from ..op import Op, apply, op
from .places import (
    Dims,
    as_sparse,
    check_inside,
    dims_of,
    merged_places,
    numbers_of,
    places_of,
)
from .tensor import SparseTensor

_PAIR = "a_indices: int64, a_values: T, a_shape: host, b_indices: int64, b_values: T, b_shape: host"


def _merged(
    a: torch.Tensor, a_values: torch.Tensor, b: torch.Tensor, b_values: torch.Tensor, shape: Dims
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The union of the places in order, and both values laid out on it."""
    a, a_numbers, a_values = _in_order(a, a_values, shape)
    b, b_numbers, b_values = _in_order(b, b_values, shape)
    behind = torch.searchsorted(a_numbers, b_numbers, right=True)
    before = (behind - 1).clamp(min=0)
    is_new = a_numbers[before] != b_numbers if len(a) else torch.ones_like(b_numbers) > 0
    new = is_new.nonzero().reshape(-1)
    first, second = merged_places(behind.index_select(0, new), len(a))
    count = len(first) + len(second)
    places = a.new_empty((count, len(shape)))
    places[first], places[second] = a, b.index_select(0, new)
    right_places = first[before] if len(a) else behind.clone()
    right_places[new] = second
    left = a_values.new_zeros(count).index_copy(0, first, a_values)
    return places, left, b_values.new_zeros(count).index_copy(0, right_places, b_values)


def _in_order(
    indices: torch.Tensor, values: torch.Tensor, shape: Dims
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Places in ascending order and each of them once, their numbers, and the values there."""
    numbers = numbers_of(indices, shape)
    if not (numbers[1:] <= numbers[:-1]).any():
        return indices, numbers, values
    once, where = torch.unique(numbers, return_inverse=True)
    return places_of(once, shape), once, _summed(values, where, len(once))


def _check_pair(a_shape: Dims, b_shape: Dims) -> None:
    if tuple(a_shape) != tuple(b_shape):
        raise invalid_argument(
            f"operands' shapes do not match: {runtime_text(a_shape)} vs. {runtime_text(b_shape)}"
        )


def add_kernel(
    a_indices: torch.Tensor,
    a_values: torch.Tensor,
    b_indices: torch.Tensor,
    b_values: torch.Tensor,
    thresh: torch.Tensor,
    *,
    a_shape: Dims,
    b_shape: Dims,
) -> tuple[torch.Tensor, ...]:
    """The sum, without sums of two elements that are below the threshold."""
    _check_pair(a_shape, b_shape)
    places, left, right = _merged(a_indices, a_values, b_indices, b_values, a_shape)
    total = left + right
    sizes = places.new_tensor(list(a_shape))
    if not thresh > 0:
        return places, total, sizes
    ones = [torch.ones_like(each) for each in (a_indices[:, 0], b_indices[:, 0])]
    here = _merged(a_indices, ones[0], b_indices, ones[1], a_shape)
    in_both = (here[1] > 0) & (here[2] > 0)
    kept = (~in_both | (total.detach().abs() >= thresh)).nonzero().reshape(-1)
    return places.index_select(0, kept), total.index_select(0, kept), sizes


SPARSE_ADD = op(
    "SparseAdd",
    f"{_PAIR}, thresh: Treal -> sum_indices: int64, sum_values: T, sum_shape: int64",
    add_kernel, None, T=dtypes.NUMBERS, Treal=dtypes.REALS,
)  # fmt: skip


def dense_add_kernel(
    a_indices: torch.Tensor, a_values: torch.Tensor, b: torch.Tensor, *, a_shape: Dims
) -> torch.Tensor:
    """A dense tensor with a sparse one added to it."""
    _dense_add_spec(*[Spec(tuple(x.shape), dtypes.int64) for x in (a_indices, a_values, b)],
                    a_shape=a_shape)  # fmt: skip
    check_inside(a_indices, a_shape)
    flat = b.reshape(-1).index_add(0, numbers_of(a_indices, a_shape), a_values)
    return flat.reshape(b.shape)


def _dense_add_spec(a_indices: Spec, a_values: Spec, b: Spec, *, a_shape: Dims) -> Spec:
    if b.dims is not None and len(a_shape) != len(b.dims):
        raise invalid_argument(
            f"Two operands have different ranks: {len(a_shape)} vs. {len(b.dims)}"
        )
    if b.dims is not None and tuple(a_shape) != tuple(b.dims):
        i = next(i for i, (x, y) in enumerate(zip(a_shape, b.dims, strict=True)) if x != y)
        raise invalid_argument(
            f"Dimension {i} does not equal (no broadcasting is supported): sparse side "
            f"{a_shape[i]} vs dense side {b.dims[i]}"
        )
    return b


SPARSE_TENSOR_DENSE_ADD = op(
    "SparseTensorDenseAdd",
    "a_indices: Tindices, a_values: T, a_shape: host, b: T -> output: T",
    dense_add_kernel, _dense_add_spec, T=dtypes.NUMBERS, Tindices=dtypes.INDICES,
)  # fmt: skip


def _extreme(choose: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Any:
    def kernel(
        a_indices: torch.Tensor,
        a_values: torch.Tensor,
        b_indices: torch.Tensor,
        b_values: torch.Tensor,
        *,
        a_shape: Dims,
        b_shape: Dims,
    ) -> tuple[torch.Tensor, ...]:
        _check_pair(a_shape, b_shape)
        places, left, right = _merged(a_indices, a_values, b_indices, b_values, a_shape)
        return places, choose(left, right)

    return kernel


def _extreme_op(name: str, choose: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Op:
    signature = f"{_PAIR} -> output_indices: int64, output_values: T"
    return op(name, signature, _extreme(choose), None, T=dtypes.REALS)


SPARSE_MAXIMUM = _extreme_op("SparseSparseMaximum", torch.maximum)
SPARSE_MINIMUM = _extreme_op("SparseSparseMinimum", torch.minimum)


def _kept(shape: Dims, axes: tuple[int, ...]) -> list[int]:
    return [i for i in range(len(shape)) if i not in axes]


def _group(
    indices: torch.Tensor, shape: Dims, axes: tuple[int, ...]
) -> tuple[torch.Tensor, list[int]]:
    """The number of each element's group among the kept axes, and the sizes of those."""
    kept = _kept(shape, axes)
    sizes = [shape[i] for i in kept]
    return numbers_of(indices[:, kept], sizes), sizes


def _summed(values: torch.Tensor, groups: torch.Tensor, count: int) -> torch.Tensor:
    return values.new_zeros(count).index_add(0, groups, values)


def _largest(values: torch.Tensor, groups: torch.Tensor, count: int) -> torch.Tensor:
    """The largest of each group, 0 for one without elements; ties share the gradient."""
    zeros = values.new_zeros(count)
    return zeros.scatter_reduce(0, groups, values, "amax", include_self=False)


Combine = Callable[[torch.Tensor, torch.Tensor, int], torch.Tensor]


def _axes(axes: tuple[int, ...] | None, rank: int) -> tuple[int, ...]:
    """The axes from the front; unlike those of dense reductions they may be named twice."""
    if axes is None:
        return reduced_axes(None, rank)
    return tuple({place for axis in axes for place in reduced_axes((axis,), rank)})


def _dense_reduction(combine: Combine) -> Any:
    def kernel(
        input_indices: torch.Tensor,
        input_values: torch.Tensor,
        *,
        input_shape: Dims,
        reduction_axes: tuple[int, ...] | None,
        keep_dims: bool = False,
    ) -> torch.Tensor:
        axes = _axes(reduction_axes, len(input_shape))
        groups, sizes = _group(input_indices, input_shape, axes)
        result = combine(input_values, groups, math.prod(sizes))
        return result.reshape(_reduced_dims(input_shape, axes, keep_dims))

    return kernel


def _reduced_dims(shape: Dims, axes: tuple[int, ...], keep_dims: bool) -> list[int]:
    if keep_dims:
        return [1 if i in axes else size for i, size in enumerate(shape)]
    return [shape[i] for i in _kept(shape, axes)]


def _reduction_spec(
    input_indices: Spec,
    input_values: Spec,
    *,
    input_shape: Dims,
    reduction_axes: tuple[int, ...] | None,
    keep_dims: bool = False,
) -> Spec:
    axes = _axes(reduction_axes, len(input_shape))
    return Spec(tuple(_reduced_dims(input_shape, axes, keep_dims)), input_values.dtype)


def _sparse_reduction(combine: Combine) -> Any:
    def kernel(
        input_indices: torch.Tensor,
        input_values: torch.Tensor,
        *,
        input_shape: Dims,
        reduction_axes: tuple[int, ...] | None,
        keep_dims: bool = False,
    ) -> tuple[torch.Tensor, ...]:
        axes = _axes(reduction_axes, len(input_shape))
        groups, sizes = _group(input_indices, input_shape, axes)
        present, where = torch.unique(groups, return_inverse=True)
        result = combine(input_values, where, len(present))
        dims = _reduced_dims(input_shape, axes, keep_dims)
        places = places_of(present, dims if keep_dims else sizes)
        return places, result, input_indices.new_tensor(dims)

    return kernel


_REDUCE = "input_indices: int64, input_values: T, input_shape: host, reduction_axes: host"


def _reductions(name: str, combine: Combine, types: Any) -> tuple[Op, Op]:
    dense = op(name, f"{_REDUCE} -> output: T", _dense_reduction(combine), _reduction_spec, T=types)
    sparse = op(
        f"{name}Sparse",
        f"{_REDUCE} -> output_indices: int64, output_values: T, output_shape: int64",
        _sparse_reduction(combine),
        None,
        T=types,
    )
    return dense, sparse


REDUCE_SUM, REDUCE_SUM_SPARSE = _reductions("SparseReduceSum", _summed, dtypes.NUMBERS)
REDUCE_MAX, REDUCE_MAX_SPARSE = _reductions("SparseReduceMax", _largest, dtypes.REALS)


def softmax_kernel(
    sp_indices: torch.Tensor, sp_values: torch.Tensor, *, sp_shape: Dims
) -> torch.Tensor:
    """Softmax over the elements that are there, along the last axis."""
    _check_matrices(sp_shape)
    groups, sizes = _group(sp_indices, sp_shape, (len(sp_shape) - 1,))
    count = math.prod(sizes)
    top = _largest(sp_values.detach(), groups, count)
    powers = torch.exp(sp_values - top.index_select(0, groups))
    return powers / _summed(powers, groups, count).index_select(0, groups)


def _check_matrices(shape: Dims) -> None:
    if len(shape) < 2:
        raise invalid_argument(
            "Input should have rank >= 2, but received shape: " + ", ".join(map(str, shape))
        )


def _softmax_spec(sp_indices: Spec, sp_values: Spec, *, sp_shape: Dims) -> Spec:
    _check_matrices(sp_shape)
    return sp_values


SPARSE_SOFTMAX = op(
    "SparseSoftmax", "sp_indices: int64, sp_values: T, sp_shape: host -> output: T",
    softmax_kernel, _softmax_spec, T=dtypes.FLOATS,
)  # fmt: skip


def _by_element(combine: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Any:
    def kernel(
        sp_indices: torch.Tensor, sp_values: torch.Tensor, dense: torch.Tensor, *, sp_shape: Dims
    ) -> torch.Tensor:
        stretched = dense.broadcast_to(tuple(sp_shape))
        chosen = stretched[tuple(sp_indices.unbind(-1))] if sp_shape else stretched.reshape(1)
        return combine(sp_values, chosen)

    return kernel


def _by_element_spec(sp_indices: Spec, sp_values: Spec, dense: Spec, *, sp_shape: Dims) -> Spec:
    if dense.dims is not None and broadcast(tuple(sp_shape), dense.dims) != tuple(sp_shape):
        raise invalid_argument(
            "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: "
            f"{runtime_text(sp_shape)} vs. {runtime_text(dense.dims)}"
        )
    return sp_values


def _divided(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    if x.is_floating_point() or x.is_complex():
        return x / y
    return torch.div(x, y, rounding_mode="trunc")


def _by_element_op(name: str, combine: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Op:
    return op(
        name, "sp_indices: int64, sp_values: T, sp_shape: host, dense: T -> output: T",
        _by_element(combine), _by_element_spec, T=dtypes.NUMBERS,
    )  # fmt: skip


CWISE_MUL = _by_element_op("SparseDenseCwiseMul", torch.mul)
CWISE_DIV = _by_element_op("SparseDenseCwiseDiv", _divided)
CWISE_ADD = _by_element_op("SparseDenseCwiseAdd", torch.add)


def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """The sum of two tensors of one shape, of which one is sparse (`tf.sparse.add`).

    Args:
        a: a sparse or dense tensor.
        b: another one.
        threshold: sums of two sparse tensors that are closer to 0 than this are left out.

    Returns:
        A sparse tensor if both are, else a dense one.

    Raises:
        TypeError: none is sparse.
        InvalidArgumentError: shapes or types differ.
    """
    if isinstance(a, SparseTensor) and isinstance(b, SparseTensor):
        thresh = to_tensor(threshold, hint=_real_of(a.dtype))
        inputs = (a.indices, a.values, b.indices, b.values, thresh)
        attrs = {"a_shape": dims_of(a), "b_shape": dims_of(b)}
        indices, values, sizes = apply(SPARSE_ADD, inputs, attrs)
        return SparseTensor.of(indices, values, sizes, a.shape)
    if not isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    sparse, dense = (a, b) if isinstance(a, SparseTensor) else (b, a)
    dense = to_tensor(dense, hint=sparse.dtype)
    attrs = {"a_shape": dims_of(sparse)}
    return apply(SPARSE_TENSOR_DENSE_ADD, (sparse.indices, sparse.values, dense), attrs)


def _real_of(dtype: Any) -> Any:
    return {dtypes.complex64: dtypes.float32, dtypes.complex128: dtypes.float64}.get(dtype, dtype)


def maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The larger of two sparse tensors, element by element; what is not there counts as 0
    (`tf.sparse.maximum`).
    """
    return _choose(SPARSE_MAXIMUM, sp_a, sp_b)


def minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The smaller of two sparse tensors, element by element; what is not there counts as 0
    (`tf.sparse.minimum`).
    """
    return _choose(SPARSE_MINIMUM, sp_a, sp_b)


def _choose(record: Op, sp_a: Any, sp_b: Any) -> SparseTensor:
    a, b = as_sparse(sp_a), as_sparse(sp_b)
    attrs = {"a_shape": dims_of(a), "b_shape": dims_of(b)}
    indices, values = apply(record, (a.indices, a.values, b.indices, b.values), attrs)
    return SparseTensor.of(indices, values, a.dense_shape, a.shape)


def reduce_sum(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The sum over axes (`tf.sparse.reduce_sum`).

    Args:
        sp_input: a sparse tensor.
        axis: an axis or several; None for all.
        keepdims: keep reduced axes with size 1.
        output_is_sparse: return a sparse tensor.
        name: a name in graphs.

    >>> float(reduce_sum(SparseTensor([[0], [2]], [1.0, 2.0], [3])))
    3.0
    """
    record = REDUCE_SUM_SPARSE if output_is_sparse else REDUCE_SUM
    return _reduced(record, sp_input, axis, keepdims)


def reduce_max(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The largest element that is there, over axes; 0 where none is (`tf.sparse.reduce_max`)."""
    record = REDUCE_MAX_SPARSE if output_is_sparse else REDUCE_MAX
    return _reduced(record, sp_input, axis, keepdims)


def _reduced(record: Op, sp_input: Any, axis: Any, keepdims: bool | None) -> Any:
    x = as_sparse(sp_input)
    dims = dims_of(x)
    axes = None if axis is None else static_ints(axis, "axis")
    attrs = {"input_shape": dims, "reduction_axes": axes, "keep_dims": bool(keepdims)}
    answer = apply(record, (x.indices, x.values), attrs)
    if not record.name.endswith("Sparse"):
        return answer
    indices, values, sizes = answer
    shape = TensorShape(_reduced_dims(dims, _axes(axes, len(dims)), bool(keepdims)))
    return SparseTensor.of(indices, values, sizes, shape)


def softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Softmax along the last axis over the elements that are there (`tf.sparse.softmax`)."""
    x = as_sparse(sp_input)
    attrs = {"sp_shape": dims_of(x)}
    return x.with_values(apply(SPARSE_SOFTMAX, (x.indices, x.values), attrs))


def _times(record: Op, x: SparseTensor, dense: Any) -> SparseTensor:
    dense = to_tensor(dense, x.dtype)
    return x.with_values(apply(record, (x.indices, x.values, dense), {"sp_shape": dims_of(x)}))


def _mul(self: Any, other: Any) -> Any:
    return _times(CWISE_MUL, self, other)


def _rmul(self: Any, other: Any) -> Any:
    return _mul(self, other) if isinstance(other, Tensor) else NotImplemented


def _truediv(self: Any, other: Any) -> Any:
    """x / dense; integers become float64, as in TensorFlow."""
    if self.dtype in dtypes.INDICES:
        self = self.with_values(cast(self.values, dtypes.float64))
        other = cast(to_tensor(other, hint=dtypes.int32), dtypes.float64)
    return _times(CWISE_DIV, self, other)


for _name, _function in {"__mul__": _mul, "__rmul__": _rmul, "__truediv__": _truediv}.items():
    setattr(SparseTensor, _name, _function)
# Operators of tensors leave it to a sparse tensor on their right what to do.
SparseTensor.__array_priority__ = 200  # type: ignore[attr-defined]
