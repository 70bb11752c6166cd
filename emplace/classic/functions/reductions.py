"""Reductions with the arguments that they had in TF 1: `keep_dims` and `reduction_indices`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base import dtypes
from ...base.typing import Axis, DTypeLike, TensorLike
from ...core.tensor import Tensor
from ...ops.math import reduction, statistics
from ...ops.strings import basic
from ..scopes.arguments import renamed

_ARGUMENTS = """

Args:
    input_tensor: the tensor.
    axis: the axis or axes that go; all of them for None.
    keepdims: True keeps the axes that go, with size 1.
    name: a name in graphs.
    reduction_indices: the old name of `axis`.
    keep_dims: the old name of `keepdims`.
"""


def _with_old_names(function: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction that takes its arguments under their old names, too."""

    def reduce(
        input_tensor: TensorLike,
        axis: Axis | None = None,
        keepdims: bool | None = None,
        name: str | None = None,
        reduction_indices: Axis | None = None,
        keep_dims: bool | None = None,
    ) -> Any:
        axis = renamed("axis", axis, "reduction_indices", reduction_indices)
        keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
        return function(input_tensor, axis, bool(keepdims))

    reduce.__name__ = reduce.__qualname__ = function.__name__
    reduce.__doc__ = f"Does as in TF 2 (`tf.compat.v1.{function.__name__}`).{_ARGUMENTS}"
    return reduce


reduce_all = _with_old_names(reduction.reduce_all)
reduce_any = _with_old_names(reduction.reduce_any)
reduce_max = _with_old_names(reduction.reduce_max)
reduce_mean = _with_old_names(reduction.reduce_mean)
reduce_min = _with_old_names(reduction.reduce_min)
reduce_prod = _with_old_names(reduction.reduce_prod)
reduce_sum = _with_old_names(reduction.reduce_sum)
reduce_logsumexp = _with_old_names(statistics.reduce_logsumexp)


def count_nonzero(
    input_tensor: TensorLike | None = None,
    axis: Axis | None = None,
    keepdims: bool | None = None,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
    reduction_indices: Axis | None = None,
    keep_dims: bool | None = None,
    input: TensorLike | None = None,
) -> Any:
    """Returns how many elements are not 0 (`tf.compat.v1.count_nonzero`).

    Args:
        input_tensor: the tensor.
        axis: the axis or axes that go; all of them for None.
        keepdims: True keeps the axes that go, with size 1.
        dtype: the dtype of the counts.
        name: a name in graphs.
        reduction_indices: the old name of `axis`.
        keep_dims: the old name of `keepdims`.
        input: another name of `input_tensor`.
    """
    return statistics.count_nonzero(
        renamed("input", input, "input_tensor", input_tensor),
        renamed("axis", axis, "reduction_indices", reduction_indices),
        renamed("keepdims", keepdims, "keep_dims", keep_dims), dtype,
    )  # fmt: skip


def argmax(
    input: TensorLike,
    axis: Axis | None = None,
    name: str | None = None,
    dimension: Axis | None = None,
    output_type: DTypeLike | None = dtypes.int64,
) -> Any:
    """Returns the place of the largest element along an axis, the first by default
    (`tf.compat.v1.argmax`).

    Args:
        input: a tensor of numbers.
        axis: the axis; 0 for None.
        name: a name in graphs.
        dimension: the old name of `axis`.
        output_type: int32 or int64.
    """
    axis = renamed("axis", axis, "dimension", dimension)
    return reduction.argmax(input, 0 if axis is None else axis, output_type)


def argmin(
    input: TensorLike,
    axis: Axis | None = None,
    name: str | None = None,
    dimension: Axis | None = None,
    output_type: DTypeLike = dtypes.int64,
) -> Any:
    """Returns the place of the smallest element along an axis (`tf.compat.v1.argmin`).

    Args:
        input: a tensor of numbers.
        axis: the axis; 0 for None.
        name: a name in graphs.
        dimension: the old name of `axis`.
        output_type: int32 or int64.
    """
    axis = renamed("axis", axis, "dimension", dimension)
    return reduction.argmin(input, 0 if axis is None else axis, output_type)


def arg_max(
    input: TensorLike,
    dimension: Axis,
    output_type: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Any:
    """Does as `argmax`, under its old name (`tf.compat.v1.arg_max`).

    Args:
        input: a tensor of numbers.
        dimension: the axis.
        output_type: int32 or int64.
        name: a name in graphs.
    """
    return reduction.argmax(input, dimension, output_type)


def arg_min(
    input: TensorLike,
    dimension: Axis,
    output_type: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Any:
    """Does as `argmin`, under its old name (`tf.compat.v1.arg_min`).

    Args:
        input: a tensor of numbers.
        dimension: the axis.
        output_type: int32 or int64.
        name: a name in graphs.
    """
    return reduction.argmin(input, dimension, output_type)


def reduce_join(
    inputs: TensorLike,
    axis: Axis | None = None,
    keep_dims: bool | None = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: Axis | None = None,
    keepdims: bool | None = None,
) -> Tensor:
    """Strings joined along axes (`tf.compat.v1.reduce_join`)."""
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    return basic.reduce_join(inputs, axis, bool(keepdims), separator)
