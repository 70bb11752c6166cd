"""Reductions of sparse tensors: sums and extremes over axes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from ...base import dtypes
from ...base.errors import InternalError, invalid_argument
from ...base.typing import Axis, TensorLike
from ...core.symbolic_value import SymbolicValue
from ...devices.late import is_late
from ..arguments import static_ints
from ..infer import Spec
from ..op import Op, apply, op
from ..order import ordered, restored
from ..waiting import RESULT_SIZE
from .places import (
    Dims,
    as_sparse,
    check_inside,
    dims_of,
    known_shape,
    numbers_of,
    places_of,
    row_of,
    sizes_as_tensor,
)
from .tensor import SparseTensor


def _kept(shape: Dims, axes: tuple[int, ...]) -> list[int]:
    return [i for i in range(len(shape)) if i not in axes]


def grouped(
    indices: torch.Tensor, shape: Dims, axes: tuple[int, ...]
) -> tuple[torch.Tensor, list[int]]:
    """The number of each element's group among the kept axes, and the sizes of those."""
    kept = _kept(shape, axes)
    sizes = [shape[i] for i in kept]
    chosen = indices if len(kept) == len(shape) else indices.index_select(1, row_of(kept, indices))
    return numbers_of(chosen, sizes), sizes


def summed(values: torch.Tensor, groups: torch.Tensor, count: int) -> torch.Tensor:
    """The sum of each group."""
    return values.new_zeros(count).index_add(0, groups, values)


def largest(values: torch.Tensor, groups: torch.Tensor, count: int) -> torch.Tensor:
    """The largest of each group, 0 for one without elements; ties share the gradient."""
    zeros = ordered(values.new_zeros(count))
    made = zeros.scatter_reduce(0, groups, ordered(values), "amax", include_self=False)
    return restored(made) if values.dtype is torch.uint64 else made


Combine = Callable[[torch.Tensor, torch.Tensor, int], torch.Tensor]


def _axes(axes: tuple[int, ...] | None, rank: int) -> tuple[int, ...]:
    """The axes from the front; unlike those of dense reductions they may be named twice."""
    if axes is None:
        return tuple(range(rank))
    for axis in axes:
        if not -rank <= axis < rank:
            raise invalid_argument(
                f"Invalid reduction dimension {axis}, for input with {rank} dimensions."
            )
    return tuple({axis % rank for axis in axes})


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
        groups, sizes = grouped(input_indices, input_shape, axes)
        _check_groups(groups, math.prod(sizes))
        result = combine(input_values, groups, math.prod(sizes))
        return result.reshape(_reduced_dims(input_shape, axes, keep_dims))

    return kernel


def _check_groups(groups: torch.Tensor, count: int) -> None:
    """Raises InternalError if an element's group is none of the result."""
    if is_late(groups):
        return
    wrong = groups[(groups < 0) | (groups >= count)]
    if len(wrong):
        raise InternalError(
            None,
            None,
            f"Obtained a write index of {int(wrong.min())} which is outside of bounds of "
            f"[0, {count})",
        )


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
    rank = len(input_shape)
    if any(not -rank <= axis < rank for axis in reduction_axes or ()):
        return Spec(None, input_values.dtype)  # TF: refused when it runs
    axes = _axes(reduction_axes, rank)
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
        groups, sizes = grouped(input_indices, input_shape, axes)
        check_inside(input_indices[:, _kept(input_shape, axes)], sizes)
        present, where = torch.unique(groups, return_inverse=True)
        result = combine(input_values, where, len(present))
        dims = _reduced_dims(input_shape, axes, keep_dims)
        places = places_of(present, dims if keep_dims else sizes)
        return places, result, sizes_as_tensor(dims, input_indices)

    return kernel


_REDUCE = "input_indices: int64, input_values: T, input_shape: host, reduction_axes: host"


def _reductions(name: str, combine: Combine, types: Any) -> tuple[Op, Op]:
    dense = op(name, f"{_REDUCE} -> output: T", _dense_reduction(combine), _reduction_spec, T=types)
    sparse = op(
        f"{name}Sparse",
        f"{_REDUCE} -> output_indices: int64, output_values: T, output_shape: int64",
        _sparse_reduction(combine),
        None,
        wait_reason=RESULT_SIZE,
        T=types,
    )
    return dense, sparse


REDUCE_SUM, REDUCE_SUM_SPARSE = _reductions("SparseReduceSum", summed, dtypes.NUMBERS)


REDUCE_MAX, REDUCE_MAX_SPARSE = _reductions("SparseReduceMax", largest, dtypes.REALS)


def reduce_sum(
    sp_input: TensorLike,
    axis: Axis | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the sum over axes (`tf.sparse.reduce_sum`).

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
    sp_input: TensorLike,
    axis: Axis | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the largest element that is there, over axes; 0 where none is
    (`tf.sparse.reduce_max`).

    Args:
        sp_input: a sparse tensor.
        axis: the axis or axes that go; all of them for None.
        keepdims: True keeps the axes that go, with size 1.
        output_is_sparse: True returns a sparse tensor.
        name: a name in graphs.
    """
    record = REDUCE_MAX_SPARSE if output_is_sparse else REDUCE_MAX
    return _reduced(record, sp_input, axis, keepdims)


def _reduced(record: Op, sp_input: TensorLike, axis: Axis | None, keepdims: bool | None) -> Any:
    x = as_sparse(sp_input)
    dims = dims_of(x)
    axes = None if axis is None else static_ints(axis, "axis")
    attrs = {"input_shape": dims, "reduction_axes": axes, "keep_dims": bool(keepdims)}
    answer = apply(record, (x.indices, x.values), attrs)
    if not record.name.endswith("Sparse"):
        return answer
    indices, values, sizes = answer
    if isinstance(dims, SymbolicValue):
        return SparseTensor(indices, values, sizes)
    shape = known_shape(_reduced_dims(dims, _axes(axes, len(dims)), bool(keepdims)))
    return SparseTensor.of(indices, values, sizes, shape)
