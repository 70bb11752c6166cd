"""Ragged values outside of tensors (`tf.compat.v1.ragged`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.dtypes import DType, as_dtype
from ..base.typing import DTypeLike, ShapeLike, Structure
from ..graph.session.values.composites import RaggedTensorValue
from ..ops.ragged.constant import divided


def constant_value(
    pylist: Structure,
    dtype: Any = None,
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
    values, nested, shape = divided(pylist, ragged_rank, inner_shape)
    kind = dtype.as_numpy_dtype if isinstance(dtype, DType) else dtype
    try:
        result: Any = np.array(values, kind)
    except OverflowError:  # TF: numbers that do not fit wrap around
        result = np.array(values).astype(kind)
    if nested:
        shape = (len(values), *shape)
    if shape is not None:
        result = result.reshape(shape)
    for splits in reversed(nested):
        result = RaggedTensorValue(result, splits.astype(as_dtype(row_splits_dtype).as_numpy_dtype))
    return result
