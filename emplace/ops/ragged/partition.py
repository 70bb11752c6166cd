"""`tf.experimental.RowPartition`: how values are divided into rows."""

from __future__ import annotations

from typing import Any

from ...base.typing import DTypeLike, TensorLike
from ...core.ragged import RaggedTensor
from ...core.tensor import Tensor
from ..array.making import range_
from ..convert import to_tensor
from ..math.reduction import reduce_sum
from .making import from_row_lengths, from_row_splits, from_value_rowids
from .methods import nrows, row_lengths, row_limits, row_starts, value_rowids


class RowPartition:
    """How values are divided into rows (`tf.experimental.RowPartition`); made by the `from_...`
    methods.

    >>> partition = RowPartition.from_value_rowids([0, 0, 2], nrows=4)
    >>> partition.row_splits().numpy().tolist()
    [0, 2, 2, 3, 3]
    """

    def __init__(self, rows: RaggedTensor) -> None:
        self._rows = rows

    @classmethod
    def from_value_rowids(
        cls,
        value_rowids: TensorLike,
        nrows: TensorLike | None = None,
        validate: bool = True,
        dtype: DTypeLike | None = None,
    ) -> RowPartition:
        """Makes a partition by the row of each value.

        Args:
            value_rowids: the row of each value, in ascending order.
            nrows: how many rows there are; one more than the last row with a value for None.
            validate: True checks them.
            dtype: the dtype of the splits; that of the argument for None.
        """
        ids = to_tensor(value_rowids)
        return cls(from_value_rowids(ids, ids, nrows, validate=validate))

    @classmethod
    def from_row_splits(
        cls, row_splits: TensorLike, validate: bool = True, dtype: DTypeLike | None = None
    ) -> RowPartition:
        """Makes a partition by where rows begin, and where the last one ends.

        Args:
            row_splits: where rows begin, and where the last one ends; a vector of int32 or
                int64.
            validate: True checks them.
            dtype: the dtype of the splits; that of the argument for None.
        """
        splits = to_tensor(row_splits)
        return cls(from_row_splits(range_(splits[-1]), splits, validate=validate))

    @classmethod
    def from_row_lengths(
        cls, row_lengths: TensorLike, validate: bool = True, dtype: DTypeLike | None = None
    ) -> RowPartition:
        """Makes a partition by how many values rows have.

        Args:
            row_lengths: how many values each row has, a vector of int32 or int64.
            validate: True checks them.
            dtype: the dtype of the splits; that of the argument for None.
        """
        lengths = to_tensor(row_lengths)
        values = range_(reduce_sum(lengths))
        return cls(from_row_lengths(values, lengths, validate=validate))

    def row_splits(self) -> Any:
        """Where rows begin, and where the last one ends."""
        return self._rows.row_splits

    def row_lengths(self) -> Any:
        """How many values rows have."""
        return row_lengths(self._rows)

    def row_starts(self) -> Any:
        """Where rows begin."""
        return row_starts(self._rows)

    def row_limits(self) -> Any:
        """Where rows end."""
        return row_limits(self._rows)

    def value_rowids(self) -> Tensor:
        """The row of each value."""
        return value_rowids(self._rows)

    def nrows(self) -> Tensor:
        """The number of rows."""
        return nrows(self._rows)

    def nvals(self) -> Any:
        """The number of values."""
        return self.row_splits()[-1]
