"""How the values of a `tf.io.RaggedFeature` are cut into rows, by other features of the example."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...core.ragged import RaggedTensor
from ..array.gathering import boolean_mask, gather
from ..array.joining import concat
from ..array.making import range_, zeros_like
from ..array.select import where
from ..array.shaping import reshape, shape
from ..convert import to_tensor
from ..math.cumulative import cumsum
from ..math.elementwise import cast, equal, logical_not, maximum
from ..ragged.making import (
    from_row_lengths,
    from_row_splits,
    from_uniform_row_length,
    from_value_rowids,
)
from ..ragged.rows import row_splits_to_segment_ids


class RowSplits(NamedTuple):
    """The feature `key` has where rows begin, and where the last one ends."""

    key: str


class RowLengths(NamedTuple):
    """The feature `key` has how long each row is."""

    key: str


class RowStarts(NamedTuple):
    """The feature `key` has where each row begins."""

    key: str


class RowLimits(NamedTuple):
    """The feature `key` has where each row ends."""

    key: str


class ValueRowIds(NamedTuple):
    """The feature `key` has the number of the row of each value."""

    key: str


class UniformRowLength(NamedTuple):
    """All rows are as long."""

    length: int


PARTITIONS = (RowSplits, RowLengths, RowStarts, RowLimits, ValueRowIds, UniformRowLength)


class ExampleRows(NamedTuple):
    """The values of all examples one after the other, and where each example's begin and end."""

    values: Any
    splits: Any

    @property
    def counts(self) -> Any:
        """How many values each example has."""
        return self.splits[1:] - self.splits[:-1]


def cut(
    rows: ExampleRows, partitions: Sequence[Any], found: dict[str, ExampleRows], validate: bool
) -> ExampleRows:
    """Cuts values into rows, these into rows of rows and so on.

    Args:
        rows: the values.
        partitions: of `PARTITIONS`, the outermost first.
        found: the features that they read.
        validate: whether to check that they fit.

    Returns:
        The outermost rows of each example.
    """
    for partition in reversed(partitions):
        if isinstance(partition, UniformRowLength):
            rows = _cut_evenly(rows, partition.length)
        else:
            rows = _cut(rows, partition, found[partition.key], validate)
    return rows


def _cut_evenly(rows: ExampleRows, length: int) -> ExampleRows:
    count = cast(to_tensor(length), rows.splits.dtype)
    if isinstance(rows.values, RaggedTensor):
        return ExampleRows(from_uniform_row_length(rows.values, count), rows.splits // count)
    sizes = shape(rows.values)  # TF: values that are no ragged tensor yet get another shape
    return ExampleRows(
        reshape(rows.values, concat([[-1, length], sizes[1:]], 0)), rows.splits // count
    )


def _cut(rows: ExampleRows, partition: Any, read: ExampleRows, validate: bool) -> ExampleRows:
    numbers, counts = cast(read.values, rows.splits.dtype), read.counts
    if isinstance(partition, RowLengths):
        return _of_lengths(rows, numbers, counts, validate)
    example = row_splits_to_segment_ids(read.splits, out_type=rows.splits.dtype)
    places = range_(0, shape(numbers, rows.splits.dtype)[0])
    none = zeros_like(read.splits[:1])
    if isinstance(partition, ValueRowIds):
        # Ids do not fall, so that the last one of an example tells how many rows there are.
        last = gather(concat([none, numbers + 1], 0), read.splits[1:])
        counts = where(equal(counts, 0), zeros_like(counts), last)
        splits = _splits(counts)
        ids = numbers + gather(splits, example)
        cut_rows = from_value_rowids(rows.values, ids, nrows=splits[-1], validate=validate)
        return ExampleRows(cut_rows, splits)
    if isinstance(partition, RowLimits):
        is_first = equal(places, gather(read.splits, example))
        before = where(is_first, zeros_like(numbers), concat([none, numbers], 0)[:-1])
        return _of_lengths(rows, numbers - before, counts, validate)
    is_last = equal(places + 1, gather(read.splits, example + 1))
    behind = concat([numbers, none], 0)[1:]
    if isinstance(partition, RowSplits):
        lengths = boolean_mask(behind - numbers, logical_not(is_last))
        return _of_lengths(rows, lengths, maximum(counts - 1, zeros_like(counts)), validate)
    behind = where(is_last, gather(rows.counts, example), behind)
    return _of_lengths(rows, behind - numbers, counts, validate)


def _of_lengths(rows: ExampleRows, lengths: Any, counts: Any, validate: bool) -> ExampleRows:
    return ExampleRows(from_row_lengths(rows.values, lengths, validate=validate), _splits(counts))


def _splits(counts: Any) -> Any:
    return concat([zeros_like(counts[:1]), cumsum(counts)], 0)


def whole(rows: ExampleRows, is_one: bool) -> Any:
    """The ragged tensor of all examples, or what the only one has."""
    return rows.values if is_one else from_row_splits(rows.values, rows.splits, validate=False)


def of_one(values: Any, dtype: Any) -> ExampleRows:
    """The values of a single example."""
    count = shape(values, dtype)[:1]
    return ExampleRows(values, concat([zeros_like(count), count], 0))
