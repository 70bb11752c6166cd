"""`tf.experimental.RowPartition`: how values are divided into rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.typing import DTypeLike, TensorLike
from ...core.composite import CompositeTensor
from ...core.ragged import RaggedTensor
from ...core.tensor import Tensor
from ..array.gathering import gather
from ..array.making import range_
from ..convert import to_tensor
from ..math.elementwise import cast, subtract
from ..math.reduction import reduce_sum
from . import making, methods


class RowPartition(CompositeTensor):
    """How values are divided into rows (`tf.experimental.RowPartition`); made by the `from_...`
    methods.

    Raises:
        ValueError: the class itself was called.

    >>> partition = RowPartition.from_value_rowids([0, 0, 2], nrows=4)
    >>> partition.row_splits().numpy().tolist()
    [0, 2, 2, 3, 3]
    """

    def __init__(
        self,
        row_splits: Tensor,
        row_lengths: TensorLike | None = None,
        value_rowids: TensorLike | None = None,
        nrows: TensorLike | None = None,
        uniform_row_length: int | None = None,
        nvals: TensorLike | None = None,
        internal: bool = False,
    ) -> None:
        if not internal:
            raise ValueError(
                "RowPartition constructor is private; please use one of the factory methods "
                "instead (e.g., RowPartition.from_row_lengths())"
            )
        self._rows = making.make_ragged(row_splits, row_splits, uniform_row_length)

    @classmethod
    def of_rows(cls, rows: RaggedTensor) -> RowPartition:
        """How a ragged tensor's values are divided."""
        made = cls.__new__(cls)
        made._rows = rows
        return made

    @classmethod
    def from_value_rowids(
        cls,
        value_rowids: TensorLike,
        nrows: TensorLike | None = None,
        validate: bool = True,
        dtype: DTypeLike | None = None,
        dtype_hint: DTypeLike | None = None,
    ) -> RowPartition:
        """Makes a partition by the row of each value.

        Args:
            value_rowids: the row of each value, in ascending order.
            nrows: how many rows there are; one more than the last row with a value for None.
            validate: True checks them.
            dtype: the dtype of the splits; that of the argument for None.
            dtype_hint: the dtype of the splits for numbers of Python; int64 for None.
        """
        ids = _indices(value_rowids, dtype, dtype_hint, "value_rowids")
        return cls.of_rows(making.from_value_rowids(ids, ids, nrows, validate=validate))

    @classmethod
    def from_row_splits(
        cls,
        row_splits: TensorLike,
        validate: bool = True,
        dtype: DTypeLike | None = None,
        dtype_hint: DTypeLike | None = None,
    ) -> RowPartition:
        """Makes a partition by where rows begin, and where the last one ends.

        Args:
            row_splits: where rows begin, and where the last one ends; a vector of int32 or
                int64.
            validate: True checks them.
            dtype: as of `from_value_rowids`.
            dtype_hint: as of `from_value_rowids`.
        """
        splits = _indices(row_splits, dtype, dtype_hint, "row_splits")
        if splits.shape[0] == 0:
            raise ValueError("row_splits tensor may not be empty.")
        values = range_(splits[-1], dtype=splits.dtype)
        return cls.of_rows(making.from_row_splits(values, splits, validate=validate))

    @classmethod
    def from_row_lengths(
        cls,
        row_lengths: TensorLike,
        validate: bool = True,
        dtype: DTypeLike | None = None,
        dtype_hint: DTypeLike | None = None,
    ) -> RowPartition:
        """Makes a partition by how many values rows have.

        Args:
            row_lengths: how many values each row has, a vector of int32 or int64.
            validate: True checks them.
            dtype: as of `from_value_rowids`.
            dtype_hint: as of `from_value_rowids`.
        """
        lengths = _indices(row_lengths, dtype, dtype_hint, "row_lengths")
        values = range_(reduce_sum(lengths), dtype=lengths.dtype)
        return cls.of_rows(making.from_row_lengths(values, lengths, validate=validate))

    @classmethod
    def from_row_starts(
        cls,
        row_starts: TensorLike,
        nvals: TensorLike,
        validate: bool = True,
        dtype: DTypeLike | None = None,
        dtype_hint: DTypeLike | None = None,
    ) -> RowPartition:
        """Makes a partition by where rows begin.

        Args:
            row_starts: where rows begin, a vector of int32 or int64.
            nvals: how many values there are.
            validate: True checks them.
            dtype: as of `from_value_rowids`.
            dtype_hint: as of `from_value_rowids`.
        """
        starts = _indices(row_starts, dtype, dtype_hint, "row_starts")
        values = range_(to_tensor(nvals, hint=starts.dtype), dtype=starts.dtype)
        return cls.of_rows(making.from_row_starts(values, starts, validate=validate))

    @classmethod
    def from_row_limits(
        cls,
        row_limits: TensorLike,
        validate: bool = True,
        dtype: DTypeLike | None = None,
        dtype_hint: DTypeLike | None = None,
    ) -> RowPartition:
        """Makes a partition by where rows end.

        Args:
            row_limits: where rows end, a vector of int32 or int64.
            validate: True checks them.
            dtype: as of `from_value_rowids`.
            dtype_hint: as of `from_value_rowids`.
        """
        limits = _indices(row_limits, dtype, dtype_hint, "row_limits")
        count = limits[-1] if limits.shape[0] != 0 else 0
        values = range_(count, dtype=limits.dtype)
        return cls.of_rows(making.from_row_limits(values, limits, validate=validate))

    @classmethod
    def from_uniform_row_length(
        cls,
        uniform_row_length: TensorLike,
        nvals: TensorLike | None = None,
        nrows: TensorLike | None = None,
        validate: bool = True,
        dtype: DTypeLike | None = None,
        dtype_hint: DTypeLike | None = None,
    ) -> RowPartition:
        """Makes a partition into rows of one length.

        Args:
            uniform_row_length: how many values each row has.
            nvals: how many values there are; as many as rows have for None.
            nrows: how many rows there are; as many as values need for None.
            validate: True checks them.
            dtype: as of `from_value_rowids`.
            dtype_hint: as of `from_value_rowids`.

        Raises:
            ValueError: neither `nvals` nor `nrows` is given, or they do not fit.
        """
        if nvals is None and nrows is None:
            raise ValueError("Either (or both) of nvals and nrows must be specified")
        length = _indices(uniform_row_length, dtype, dtype_hint, "uniform_row_length", 0)
        if nvals is None:
            nvals = cast(to_tensor(0 if nrows is None else nrows), length.dtype) * length
        values = range_(cast(to_tensor(nvals), length.dtype), dtype=length.dtype)
        _check_count(uniform_row_length, nvals, nrows)
        rows = making.from_uniform_row_length(values, length, nrows, validate=validate)
        return cls.of_rows(methods.with_row_splits_dtype(rows, length.dtype))

    # What it is made of, as an argument and as a result of functions.

    @property
    def outline(self) -> Any:
        """What a trace of a function depends on besides the tensors."""
        return f"RowPartition, row length {self._rows.uniform_length}"

    def components(self) -> tuple[Any, ...]:
        """The row splits."""
        return (self._rows.row_splits,)

    def with_components(self, components: Sequence[Any]) -> RowPartition:
        """The same kind of partition by other splits."""
        (splits,) = components
        return self.by(splits, self._rows.uniform_length)

    @classmethod
    def by(cls, splits: TensorLike, uniform: int | None = None) -> RowPartition:
        """A partition by splits that are known to be fine; nobody asks for its values."""
        return cls.of_rows(making.make_ragged(splits, splits, uniform))

    def with_dtype(self, dtype: DTypeLike) -> RowPartition:
        """The same partition with splits of int32 or int64."""
        if as_dtype(dtype) is self.dtype:
            return self
        return self.by(cast(self.row_splits(), dtype), self._rows.uniform_length)

    # What it tells.

    @property
    def dtype(self) -> DType:
        """The dtype of the row splits."""
        return self._rows.row_splits.dtype  # type: ignore[no-any-return]

    def row_splits(self) -> Any:
        """Where rows begin, and where the last one ends."""
        return self._rows.row_splits

    def row_lengths(self) -> Any:
        """How many values rows have."""
        return methods.row_lengths(self._rows)

    def row_starts(self) -> Any:
        """Where rows begin."""
        return methods.row_starts(self._rows)

    def row_limits(self) -> Any:
        """Where rows end."""
        return methods.row_limits(self._rows)

    def value_rowids(self) -> Tensor:
        """The row of each value."""
        return methods.value_rowids(self._rows)

    def offsets_in_rows(self) -> Tensor:
        """The place of each value in its row."""
        rowids = self.value_rowids()
        return subtract(range_(self.nvals(), dtype=self.dtype), gather(self.row_starts(), rowids))

    def nrows(self) -> Tensor:
        """The number of rows."""
        return methods.nrows(self._rows)

    def nvals(self) -> Any:
        """The number of values."""
        return self.row_splits()[-1]

    def is_uniform(self) -> bool:
        """Whether rows are known to have one length."""
        return self._rows.uniform_length is not None

    def uniform_row_length(self) -> Any:
        """The length of all rows, as a tensor; None where they may differ."""
        return methods.uniform_row_length(self._rows)

    @property
    def static_nrows(self) -> int | None:
        """The number of rows, where it is known before anything runs."""
        splits: int | None = self._rows.row_splits.shape[0]
        return None if splits is None else splits - 1

    @property
    def static_nvals(self) -> int | None:
        """The number of values, where rows of a known number have one length."""
        rows, length = self.static_nrows, self._rows.uniform_length
        return None if rows is None or length is None else rows * length

    @property
    def static_uniform_row_length(self) -> int | None:
        """The length of all rows, where it is one."""
        return self._rows.uniform_length

    def __repr__(self) -> str:
        if self.is_uniform():
            return (
                f"tf.RowPartition(nrows={self.static_nrows}, "
                f"uniform_row_length={self.static_uniform_row_length})"
            )
        splits = self.row_splits()
        shown = splits.numpy() if hasattr(splits, "numpy") else splits
        return f"tf.RowPartition(row_splits={shown})"


def _indices(
    value: TensorLike, dtype: DTypeLike | None, hint: DTypeLike | None, name: str, rank: int = 1
) -> Any:
    """Splits, lengths or row numbers as int32 or int64."""
    if hint is None and isinstance(value, (np.ndarray, np.generic)):
        made = to_tensor(value)
    else:
        made = to_tensor(value, hint=dtypes.int64 if hint is None else as_dtype(hint))
    if isinstance(value, (list, tuple)) and not value:
        made = cast(made, dtypes.int64)
    if dtype is not None:
        made = cast(made, dtype)
    if made.dtype not in dtypes.INDICES:
        raise ValueError(f"{name} must have dtype int32 or int64")
    if made.shape.rank not in (None, rank):
        raise ValueError(f"Shape {made.shape} must have rank {rank}")
    return made


def _check_count(length: object, nvals: object, nrows: object) -> None:
    """Refuses numbers of Python that do not fit together."""
    if not isinstance(length, int) or not isinstance(nvals, int):
        return
    rows = nvals // length if nrows is None and length else nrows
    if isinstance(rows, int) and rows * length != nvals:
        raise ValueError(f"uniform_row_length={length} times nrows={rows} must equal nvals={nvals}")
