"""Into how many shards a variable is divided (`tf.distribute.experimental.partitioners`).

A partitioner is called with a variable's shape and dtype and returns a list: the number of parts
along each axis. Only the first axis may have more than one where variables are sharded.
"""

from __future__ import annotations

from typing import Any

from ...base.dtypes import as_dtype, string
from ...base.shapes import TensorShape
from ...base.typing import DTypeLike, ShapeLike


class Partitioner:
    """Divides variables (`tf.distribute.experimental.partitioners.Partitioner`)."""

    def __call__(self, shape: ShapeLike | None, dtype: DTypeLike, axis: int = 0) -> list[int]:
        """The number of parts along each axis of a variable.

        Args:
            shape: of the variable; all of it is known.
            dtype: of its elements.
            axis: the one to divide.
        """
        raise NotImplementedError


class FixedShardsPartitioner(Partitioner):
    """A fixed number of shards, or as many as there are rows
    (`tf.distribute.experimental.partitioners.FixedShardsPartitioner`).

    Args:
        num_shards: the number.
    """

    def __init__(self, num_shards: int) -> None:
        self._count = num_shards

    def __call__(self, shape: ShapeLike | None, dtype: DTypeLike, axis: int = 0) -> list[int]:
        """See `Partitioner`."""
        return _along(axis, shape, self._count)


class MinSizePartitioner(Partitioner):
    """As many shards as have a size at least, up to a number
    (`tf.distribute.experimental.partitioners.MinSizePartitioner`).

    Args:
        min_shard_bytes: the least size of a shard.
        max_shards: the largest number of shards.
        bytes_per_string: how large a string is taken to be.

    Raises:
        ValueError: an argument is less than 1.
    """

    def __init__(
        self, min_shard_bytes: int = 256 << 10, max_shards: int = 1, bytes_per_string: int = 16
    ) -> None:
        _check("min_shard_bytes", min_shard_bytes)
        _check("max_shards", max_shards)
        _check("bytes_per_string", bytes_per_string)
        self._least, self._most, self._string = min_shard_bytes, max_shards, bytes_per_string

    def __call__(self, shape: ShapeLike | None, dtype: DTypeLike, axis: int = 0) -> list[int]:
        """See `Partitioner`."""
        size = _size(shape, dtype, self._string)
        return _along(axis, shape, min(-(-size // self._least), self._most))


class MaxSizePartitioner(Partitioner):
    """As many shards as it takes for each to have a size at most
    (`tf.distribute.experimental.partitioners.MaxSizePartitioner`).

    Args:
        max_shard_bytes: the largest size of a shard; one row may be larger.
        max_shards: the largest number of shards; None for any.
        bytes_per_string: how large a string is taken to be.

    Raises:
        ValueError: an argument is less than 1.
    """

    def __init__(
        self, max_shard_bytes: int, max_shards: int | None = None, bytes_per_string: int = 16
    ) -> None:
        if max_shard_bytes < 1:  # TF: without a colon
            raise ValueError(
                f"Argument `max_shard_bytes` must be positive. Received {max_shard_bytes}"
            )
        if max_shards:
            _check("max_shards", max_shards)
        _check("bytes_per_string", bytes_per_string)
        self._most_bytes, self._most, self._string = max_shard_bytes, max_shards, bytes_per_string

    def __call__(self, shape: ShapeLike | None, dtype: Any, axis: int = 0) -> list[int]:
        """See `Partitioner`."""
        rows = _dims(shape)[axis]
        row = _size(shape, dtype, self._string) // max(rows, 1)
        per_shard = max(self._most_bytes // max(row, 1), 1)
        count = -(-rows // per_shard)
        return _along(axis, shape, min(count, self._most) if self._most else count)


def _check(name: str, value: int) -> None:
    if value < 1:
        raise ValueError(f"Argument `{name}` must be positive. Received: {value}")


def _size(shape: ShapeLike | None, dtype: DTypeLike, bytes_per_string: int) -> int:
    dtype = as_dtype(dtype)
    each = bytes_per_string if dtype is string else dtype.size
    return int(TensorShape(shape).num_elements() or 0) * each


def _along(axis: int, shape: ShapeLike | None, count: int) -> list[int]:
    dims = _dims(shape)
    parts = [1] * len(dims)
    parts[axis] = max(min(count, dims[axis]), 1)
    return parts


def _dims(shape: ShapeLike | None) -> list[int]:
    """All sizes of a known shape."""
    return [int(each or 0) for each in TensorShape(shape).as_list()]
