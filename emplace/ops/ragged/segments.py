"""Rows of ragged tensors by numbers: sums of segments, partitions, stacks of partitions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.ragged import RaggedTensor
from ...core.tensor import Tensor
from ..arguments import host_value
from ..array.shaping import expand_dims, reshape
from ..composite import composite_rule
from ..convert import to_tensor
from ..deferred import SMALLER_INTEGERS, asking_for, value_dependent
from ..op import Op, apply
from .making import as_values, make_ragged
from .methods import as_partitioned, check_same_rows
from .pick import gather_rows, pick

Array = np.ndarray[Any, Any]


@composite_rule(
    RaggedTensor,
    ["UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMax", "UnsortedSegmentMin"],
)
def unsorted_segment_rule(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """`tf.math.unsorted_segment_sum` and its kin: the values at one place of the rows of a segment
    become one.
    """
    data, ids = inputs
    count = int(attrs["num_segments"])
    while isinstance(ids, RaggedTensor):  # an id for each value
        if not isinstance(data, RaggedTensor):
            raise ValueError(
                "segment_ids.shape must be a prefix of data.shape, but segment_ids is ragged and "
                "data is not."
            )
        check_same_rows(ids, data, "segment_ids.shape must be a prefix of data.shape")
        data, ids = data.values, ids.values
    if not isinstance(data, RaggedTensor):
        return apply(op, (data, ids), {"num_segments": count})
    rows, known = data.row_splits.shape[0] - 1, host_value(ids)
    if known.shape != (rows,):
        raise invalid_argument(
            f"data.shape = [{rows}] does not start with segment_ids.shape = "
            f"{runtime_text(known.shape)}"
        )
    wrong = np.flatnonzero((known < 0) | (known >= count))
    if wrong.size:
        first = int(wrong[0])
        text = f"segment_ids[{first}] = {known[first]} is out of range [0, {count})"
        raise asking_for(invalid_argument(text), SMALLER_INTEGERS)
    return _segments(op, data, known.astype(np.int64), count)


def _segments(op: Op, data: Any, ids: Array, count: int) -> Any:
    """The segments of rows whose numbers are known to be fine."""
    if not isinstance(data, RaggedTensor):
        return apply(op, (data, to_tensor(ids)), {"num_segments": count})
    splits = data.host_splits()
    lengths = np.diff(splits)
    longest = np.zeros(count, np.int64)
    np.maximum.at(longest, ids, lengths)
    ends = np.concatenate([[0], np.cumsum(longest)])
    inside = np.arange(int(splits[-1])) - np.repeat(splits[:-1], lengths)
    places = np.repeat(ends[ids], lengths) + inside
    values = _segments(op, data.values, places, int(ends[-1]))
    uniform = data.uniform_length if count and (longest == data.uniform_length).all() else None
    return make_ragged(values, to_tensor(ends.astype(splits.dtype)), uniform)


@composite_rule(RaggedTensor, ["DynamicPartition"])
def dynamic_partition_rule(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> list[Any]:
    """`tf.dynamic_partition`."""
    count = int(attrs["num_partitions"])
    data, partitions = inputs
    stacked = _stacked(data, partitions, count)
    return [pick(stacked, (("at", i),)) for i in range(count)]


@value_dependent
def stack_dynamic_partitions(
    data: Any, partitions: Any, num_partitions: Any, name: str | None = None
) -> Any:
    """Returns values by the number of their row, in any order
    (`tf.ragged.stack_dynamic_partitions`).

    Args:
        data: values, dense or ragged.
        partitions: the row of each value: integers in the shape of data's first axes, ragged where
            those are.
        num_partitions: how many rows there are.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: a number is negative or too large, or rows of data and partitions
            have other lengths.
        ValueError: shapes do not fit, or the partitions are no integers.

    >>> stack_dynamic_partitions(["a", "b", "c"], [1, 0, 1], 2)
    <tf.RaggedTensor [[b'b'], [b'a', b'c']]>
    """
    data = as_values(data)
    rows = partitions if isinstance(partitions, RaggedTensor) else to_tensor(partitions)
    if rows.shape.rank is None:
        raise ValueError("partitions must have known rank")
    if not rows.dtype.is_integer:
        raise ValueError(f"partitions must be integers, got {rows.dtype.name}.")
    if np.ndim(num_partitions):
        raise ValueError(f"Shape {np.shape(num_partitions)} must have rank 0")
    return _stacked(data, rows, int(num_partitions))


def _stacked(data: Any, partitions: Any, count: int) -> RaggedTensor:
    """The values of a ragged or dense tensor, one row per partition."""
    rank = partitions.shape.rank
    if rank > (data.shape.rank or 0):
        raise ValueError(f"Shape {data.shape} must have rank at least {rank}")
    if rank == 0:
        return _stacked(_one_more(data), expand_dims(partitions, 0), count)
    is_dense = not isinstance(partitions, RaggedTensor)
    if is_dense and not isinstance(data, RaggedTensor):
        _check_shapes(partitions, data)
        rest = data.shape.as_list()[rank:]
        return _stacked_rows(reshape(data, [-1, *rest]), reshape(partitions, [-1]), count)
    if is_dense and rank == 1:
        _check_shapes(partitions, data)
        return _stacked_rows(data, partitions, count)
    dtype = data.row_splits.dtype if isinstance(data, RaggedTensor) else partitions.row_splits.dtype
    data, partitions = as_partitioned(data, dtype), as_partitioned(partitions, dtype)
    check_same_rows(data, partitions, "data and partitions have incompatible ragged shapes")
    made = _stacked(data.values, partitions.values, count)
    return made.with_row_splits_dtype(dtype)  # type: ignore[attr-defined, no-any-return]


def _one_more(value: Any) -> Any:
    """One more axis of size 1 in front."""
    return pick(value, (("new",),)) if isinstance(value, RaggedTensor) else expand_dims(value, 0)


def _check_shapes(partitions: Any, data: Any) -> None:
    outer = data.shape[: partitions.shape.rank]
    if not partitions.shape.is_compatible_with(outer):
        raise ValueError(f"Shapes {partitions.shape} and {outer} are incompatible")


def _stacked_rows(data: Any, partitions: Tensor, count: int) -> RaggedTensor:
    known = host_value(partitions)
    if (known < 0).any():
        raise invalid_argument(
            f"partitions must be non-negative.\nCondition x >= 0 did not hold element-wise:\n"
            f"x = {known.tolist()}"
        )
    if known.size and known.max() >= count:
        text = (
            "partitions must be less than num_partitions\nCondition x < y did not hold.\n"
            f"First 1 elements of x:\n[{known.max()}]\nFirst 1 elements of y:\n[{count}]"
        )
        raise asking_for(invalid_argument(text), SMALLER_INTEGERS)
    order = np.argsort(known, kind="stable")
    splits = np.cumsum([0, *np.bincount(known.astype(np.int64), minlength=count)])
    made = gather_rows(data, to_tensor(order))
    return make_ragged(made, to_tensor(splits.astype(_splits_type(data, partitions))))


def _splits_type(data: TensorLike, partitions: Tensor) -> Any:
    if isinstance(data, RaggedTensor):
        return data.row_splits.dtype.as_numpy_dtype
    wanted = partitions.dtype if partitions.dtype in dtypes.INDICES else dtypes.int32
    return wanted.as_numpy_dtype
