"""How long the sequences of a sparse feature are."""

from __future__ import annotations

from typing import Any

from ...base import dtypes
from ...core.tensor import Tensor
from ...ops.math.elementwise import add, cast, floordiv, maximum
from ...ops.math.segment import unsorted_segment_max
from ...ops.sparse.tensor import SparseTensor


def sequence_lengths(sparse: SparseTensor, per_step: int = 1) -> Tensor:
    """The number of steps of each example.

    Args:
        sparse: (batch, steps, ...).
        per_step: how many values of a row make a step.

    Returns:
        (batch) int64, 0 for an example without values.
    """
    ends: Any = add(sparse.indices[:, 1], 1)
    batch = sparse.shape[0] if sparse.shape.rank else None
    rows = cast(sparse.dense_shape[0], dtypes.int32) if batch is None else batch
    values = maximum(unsorted_segment_max(ends, sparse.indices[:, 0], rows), 0)
    return floordiv(add(values, per_step - 1), per_step)
