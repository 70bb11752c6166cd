"""Ragged values outside of tensors (`tf.compat.v1.ragged`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.dtypes import as_dtype
from ..base.typing import DTypeLike, ShapeLike, Structure
from ..eager.target import eagerly
from ..graph.session.values.composites import RaggedTensorValue
from ..ops.ragged.constant import constant


def constant_value(
    pylist: Structure,
    dtype: DTypeLike | None = None,
    ragged_rank: int | None = None,
    inner_shape: ShapeLike | None = None,
    row_splits_dtype: DTypeLike = "int64",
) -> Any:
    """Makes a RaggedTensorValue of nested lists (`tf.compat.v1.ragged.constant_value`), an array
    where no rows can differ.

    Args:
        pylist: nested lists or arrays.
        dtype: NumPy's dtype of the values.
        ragged_rank: how many dimensions may have rows of several lengths.
        inner_shape: the shape of the values.
        row_splits_dtype: int32 or int64.
    """
    numbers = None if dtype is None else as_dtype("string" if dtype in (bytes, str) else dtype)
    tensor = eagerly(constant, pylist, numbers, ragged_rank, inner_shape)
    flat = np.asarray(getattr(tensor, "flat_values", tensor).numpy())
    if numbers is None and not flat.size:
        flat = flat.astype(np.float64)
    elif numbers is None:
        flat = _as_numpy_would(pylist, flat)
    value: Any = flat
    for splits in reversed(getattr(tensor, "nested_row_splits", ())):
        value = RaggedTensorValue(
            value, splits.numpy().astype(as_dtype(row_splits_dtype).as_numpy_dtype)
        )
    return value


def _as_numpy_would(pylist: Structure, flat: Any) -> Any:
    leaves: list[Any] = []

    def collect(value: Any) -> None:
        if isinstance(value, (list, tuple)):
            for each in value:
                collect(each)
        else:
            leaves.append(value)

    collect(pylist)
    return np.array(leaves).reshape(flat.shape) if len(leaves) == flat.shape[0] else flat
