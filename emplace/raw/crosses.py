"""Rows of raw ops that cross features: parts of sparse matrices, and dense ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base.dtypes import DType
from ..base.errors import invalid_argument
from ..core.tensor import Tensor
from ..ops.sparse.cross import crossed_parts, separator_of
from .rows import Row, composed

Tensors = Sequence[Tensor]


def _crossed(
    indices: Tensors, values: Tensors, shapes: Tensors, dense_inputs: Tensors,
    separator: bytes | None, num_buckets: int = 0, hash_key: int = 0,
) -> Any:  # fmt: skip
    """Crosses of sparse matrices, whose parts stand in three lists, and of dense ones."""
    if len(values) != len(indices):
        raise invalid_argument(f"Expected {len(indices)} input values, got {len(values)}")
    parts = [part for three in zip(indices, values, shapes, strict=True) for part in three]
    return crossed_parts([*parts, *dense_inputs], len(indices), separator, num_buckets, hash_key)


def _cross(
    indices: Tensors, values: Tensors, shapes: Tensors, dense_inputs: Tensors,
    hashed_output: bool, num_buckets: int, hash_key: int, out_type: DType,
) -> Any:  # fmt: skip
    if hashed_output:
        return _crossed(indices, values, shapes, dense_inputs, None, num_buckets, hash_key)
    return _crossed(indices, values, shapes, dense_inputs, b"_X_")


def _cross_texts(
    indices: Tensors, values: Tensors, shapes: Tensors, dense_inputs: Tensors, sep: Any
) -> Any:
    return _crossed(indices, values, shapes, dense_inputs, separator_of(sep))


ROWS: dict[str, Row] = {
    "SparseCross": composed(_cross, ignored="internal_type"),
    "SparseCrossV2": composed(_cross_texts, host="sep"),
}
