"""How TF 1 cuts large variables in parts: functions from a shape to parts per axis."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..base import dtypes
from ..base.dtypes import as_dtype
from ..base.shapes import TensorShape
from ..base.typing import DTypeLike, ShapeLike

Partition = Callable[..., list[int]]


def _sizes(shape: ShapeLike) -> list[int]:
    if not isinstance(shape, TensorShape):
        raise ValueError(f"shape is not a TensorShape: {shape}")
    if not shape.is_fully_defined():
        raise ValueError(f"shape is not fully defined: {shape}")
    return [int(each or 0) for each in shape.as_list()]


def _bytes(dtype: DTypeLike, per_string: int) -> int:
    found = as_dtype(dtype)
    return per_string if found is dtypes.string else int(found.size)


def variable_axis_size_partitioner(
    max_shard_bytes: int,
    axis: int = 0,
    bytes_per_string_element: int = 16,
    max_shards: int | None = None,
) -> Partition:
    """Returns a partitioner whose parts have at most so many bytes
    (`tf.compat.v1.variable_axis_size_partitioner`).

    Args:
        max_shard_bytes: how many.
        axis: the axis that is cut.
        bytes_per_string_element: what a string counts.
        max_shards: the most parts; None for as many as there are rows.

    Raises:
        ValueError: a size is not positive.
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError(
            "Both max_shard_bytes and bytes_per_string_element must be positive. Currently, "
            f"max_shard_bytes is {max_shard_bytes} andbytes_per_string_element is "
            f"{bytes_per_string_element}"
        )
    if max_shards and max_shards < 1:
        raise ValueError("max_shards must be positive.")

    def partition(shape: TensorShape, dtype: DTypeLike) -> list[int]:
        sizes = _sizes(shape)
        along = sizes[axis]
        of_slice = math.prod(sizes) // max(along, 1) * _bytes(dtype, bytes_per_string_element)
        slices = max(1, max_shard_bytes // max(of_slice, 1))
        parts = [1] * len(sizes)
        count = math.ceil(along / slices)
        parts[axis] = min(count, max_shards) if max_shards else count
        return parts

    return partition


def min_max_variable_partitioner(
    max_partitions: int = 1,
    axis: int = 0,
    min_slice_size: int = 256 << 10,
    bytes_per_string_element: int = 16,
) -> Partition:
    """Returns a partitioner that makes as many parts as it may, none of them smaller than a size
    (`tf.compat.v1.min_max_variable_partitioner`).

    Args:
        max_partitions: the most parts.
        axis: the axis that is cut.
        min_slice_size: the least bytes of a part.
        bytes_per_string_element: what a string counts.

    Raises:
        ValueError: by the partitioner, if a variable lacks the axis.
    """

    def partition(shape: TensorShape, dtype: DTypeLike) -> list[int]:
        sizes = _sizes(shape)
        if axis >= len(sizes):
            raise ValueError(
                f"Cannot partition variable along axis {axis} when shape is only {shape}"
            )
        total = math.prod(sizes) * _bytes(dtype, bytes_per_string_element)
        parts = [1] * len(sizes)
        large_enough = math.ceil(total / min_slice_size)
        parts[axis] = max(1, min(sizes[axis], max_partitions, large_enough))
        return parts

    return partition


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partition:
    """Returns a partitioner of so many parts (`tf.compat.v1.fixed_size_partitioner`).

    >>> fixed_size_partitioner(3, axis=1)(TensorShape([4, 7]), dtypes.float32)
    [1, 3]
    """

    def partition(shape: TensorShape, dtype: DTypeLike) -> list[int]:
        sizes = shape.as_list()
        parts = [1] * len(sizes)
        parts[axis] = min(num_shards, sizes[axis])
        return parts

    return partition
