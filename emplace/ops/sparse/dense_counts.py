"""How often integers occur, as dense tensors (`tf.math.bincount`)."""

from __future__ import annotations

from typing import Any

from ...base import dtypes
from ...base.dtypes import as_dtype
from ...base.typing import DTypeLike
from ...core.ragged import RaggedTensor
from ..composite import composite_rule
from ..math import counting
from ..math.elementwise import cast
from ..op import Op
from .basic import to_dense
from .counts import bincount as sparse_bincount, sparse_weights
from .tensor import SparseTensor


@composite_rule(RaggedTensor, ["DenseBincount"])
def ragged_bincount(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """The counts of each row."""
    values, size, weights = inputs
    given = None if weights.shape.rank == 1 else weights
    return _dense_rows(values, given, size, weights.dtype, attrs["binary_output"])


def _dense_rows(values: Any, weights: Any, size: Any, dtype: Any, is_binary: bool) -> Any:
    return cast(to_dense(sparse_bincount(values, weights, -1, size, size, is_binary)), dtype)


def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: DTypeLike | None = dtypes.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Any:
    """Returns how often each number is in a tensor, or in each of its rows (`tf.math.bincount`).

    Args:
        arr: numbers of at least 0, int32 or int64: dense, ragged or sparse. Of a sparse tensor
            only those count that it has.
        weights: what each number counts, in arr's form and shape; 1 if None.
        minlength: the least number of counts; more are 0.
        maxlength: the largest number of counts; larger numbers are left out.
        dtype: the dtype of the counts, if there are no weights.
        name: a name in graphs.
        axis: None or 0 to count all numbers together, -1 to count each row.
        binary_output: only tell whether a number is there, by 1.

    Returns:
        A vector of counts, or one per row.

    Raises:
        ValueError: axis is another, both weights and binary_output are given, or the weights of
            a sparse tensor are not sparse.
        InvalidArgumentError: a number is negative, or weights have another shape.

    >>> bincount([1, 1, 3]).numpy().tolist()
    [0, 2, 0, 1]
    """
    if isinstance(arr, RaggedTensor) and axis in (None, 0) and arr.flat_values.shape.rank != 1:
        counting.check_modes(weights, axis, binary_output)
        flat = weights.flat_values if isinstance(weights, RaggedTensor) else weights
        return counting.bincount(  # TF: values with inner dimensions are counted row by row
            arr.flat_values, flat, minlength, maxlength, dtype, name, -1, binary_output
        )
    if not isinstance(arr, SparseTensor):
        return counting.bincount(
            arr, weights, minlength, maxlength, dtype, name, axis, binary_output
        )
    counting.check_modes(weights, axis, binary_output)
    value_weights = sparse_weights(arr, weights)
    if axis != -1 or arr.shape.rank == 1:
        return counting.bincount(
            arr.values, value_weights, minlength, maxlength, dtype, name, None, binary_output
        )
    size = counting.bins(arr.values, minlength, maxlength)
    weight_dtype = as_dtype(dtype) if value_weights is None else value_weights.dtype
    return _dense_rows(arr, weights, size, weight_dtype, binary_output)
