"""Sparse tensors in queues: each example is three texts there, and a batch one sparse tensor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...base.dtypes import DType
from ...core.composite import CompositeTensor
from ...ops.io.sparse_texts import deserialized, serialized
from ...ops.sparse.tensor import SparseTensor

ROW_SHAPE = (3,)


@dataclass(frozen=True)
class SparseColumn:
    """Sparse tensors that come together in batches.

    Fields:
        dtype: of their values.
        rank: of a batch; None if it is not known.
    """

    dtype: DType
    rank: int | None


def joined_columns(rows: Sequence[Sequence[Any]], many: bool) -> list[SparseColumn | None]:
    """What is sparse among examples, of which `rows` has a row per thread; None for tensors.

    Raises:
        NotImplementedError: a ragged tensor.
        ValueError: something is sparse in one row and not so in another.
    """
    kinds = [[_column(each, many) for each in row] for row in rows]
    first = kinds[0]
    for row, kind in zip(rows, kinds, strict=True):
        if len(kind) != len(first) or not all(map(_fit, first, kind)):
            raise ValueError(f"Inconsistent SparseTensors list: {rows[0]} vs. {row}")
    return [_merged(column) for column in zip(*kinds, strict=True)]


def _column(value: object, many: bool) -> SparseColumn | None:
    if not isinstance(value, CompositeTensor):
        return None
    if not isinstance(value, SparseTensor):
        raise NotImplementedError(
            f"[tf.train.batch] takes tensors and sparse tensors, got {value}. Make it sparse with "
            "to_sparse(), or use tf.data."
        )
    rank = value.shape.rank
    return SparseColumn(value.dtype, rank if rank is None or many else rank + 1)


def _fit(a: SparseColumn | None, b: SparseColumn | None) -> bool:
    if a is None or b is None:
        return a is b
    return a.dtype is b.dtype and (a.rank == b.rank or None in (a.rank, b.rank))


def _merged(columns: Sequence[SparseColumn | None]) -> SparseColumn | None:
    known = [each for each in columns if each is not None and each.rank is not None]
    return known[0] if known else columns[0]


def as_row(value: Any, many: bool) -> Any:
    """What stands for an example, or for many, in a queue."""
    if not isinstance(value, SparseTensor):
        return value
    made = serialized(value.indices, value.values, value.dense_shape, by_row=many)
    made.set_shape([None, *ROW_SHAPE] if many else ROW_SHAPE)
    return made


def from_rows(taken: Any, column: SparseColumn | None) -> Any:
    """The batch that a queue gave."""
    if column is None:
        return taken
    indices, values, shape = deserialized(taken, column.dtype)
    indices.set_shape([None, column.rank])
    values.set_shape([None])
    shape.set_shape([column.rank])
    return SparseTensor(indices, values, shape)
