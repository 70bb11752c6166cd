"""Ragged tensors of nested Python lists (`tf.ragged.constant`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.typing import TensorLike
from ..arguments import static_ints
from ..array.shaping import reshape
from ..convert import convert_to_tensor, to_tensor
from .making import make_ragged


def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> Any:
    """Returns a ragged tensor of nested Python lists (`tf.ragged.constant`).

    Args:
        pylist: nested lists, tuples or arrays; all numbers at the same depth.
        dtype: the type of the values.
        ragged_rank: the number of partitions; all but the innermost lists by default.
        inner_shape: the shape of the values below the partitions.
        name: a name in graphs.
        row_splits_dtype: int32 or int64.

    Returns:
        A RaggedTensor, or a tensor where there are no partitions.

    Raises:
        ValueError: the nesting does not fit.

    >>> constant([[1, 2], [], [3]])
    <tf.RaggedTensor [[1, 2], [], [3]]>
    """
    scalar_depth, max_depth = _depths(pylist)
    if scalar_depth is not None and max_depth > scalar_depth:
        raise ValueError(
            f"Invalid pylist={pylist}: empty list nesting is greater than scalar value nesting"
        )
    if ragged_rank is not None and max_depth < ragged_rank:
        raise ValueError(
            f"Invalid pylist={pylist}: max depth smaller than ragged_rank={ragged_rank}"
        )
    if ragged_rank is not None and scalar_depth is not None and scalar_depth < ragged_rank + 1:
        raise ValueError(
            f"pylist has scalar values depth {scalar_depth}, but ragged_rank={ragged_rank} "
            f"requires scalar value depth greater than {ragged_rank}"
        )
    shape = None if inner_shape is None else static_ints(inner_shape, "inner_shape")
    if ragged_rank is None:
        ragged_rank = max(0, max_depth - 1) if shape is None else max_depth - 1 - len(shape)
    if shape is None:
        shape = _inner_shape(pylist, ragged_rank)
    values, splits = pylist, []
    splits_dtype = as_dtype(row_splits_dtype).as_numpy_dtype
    if max_depth:
        for _ in range(max(0, ragged_rank)):
            lengths = [len(row) for row in values]
            splits.append(to_tensor(np.cumsum([0, *lengths]).astype(splits_dtype)))
            values = [item for row in values for item in row]
    if splits or shape:
        values = np.asarray(values, object) if not len(values) and shape else values
    flat = _flat(values, dtype, shape, bool(max_depth))
    for row_splits in reversed(splits):
        flat = make_ragged(flat, row_splits)
    return flat


def _flat(values: Any, dtype: DType | None, inner_shape: Sequence[int], is_list: bool) -> Any:
    if is_list and not len(values):
        wanted = dtypes.float32 if dtype is None else as_dtype(dtype)
        empty = np.zeros((0, *inner_shape), wanted.as_numpy_dtype)
        return convert_to_tensor(empty, wanted)
    values = list(values) if is_list else values
    tensor = convert_to_tensor(_unified(values), dtype)
    return reshape(tensor, [-1, *inner_shape]) if inner_shape else tensor


def _unified(values: TensorLike) -> Any:
    """Values as NumPy sees them together: ints, floats and bools may stand side by side."""
    if not isinstance(values, list) or not values:
        return values
    kinds = {type(each) for each in values}
    if len(kinds) > 1 and kinds <= {bool, int, float}:
        wanted: type = float if float in kinds else int
        return [wanted(each) for each in values]
    return values


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _depths(value: Any) -> tuple[int | None, int]:
    """How deep numbers are (None if there are none), and how deep lists go."""
    if not _is_list(value):
        return 0, 0
    found: int | None = None
    deepest = 1
    for item in value:
        scalar, depth = _depths(item)
        deepest = max(deepest, depth + 1)
        if scalar is not None:
            if found is not None and found != scalar + 1:
                raise ValueError("all scalar values must have the same nesting depth")
            found = scalar + 1
    return found, deepest


def _inner_shape(value: Any, ragged_rank: int) -> tuple[int, ...]:
    """The shape below `ragged_rank` partitions, by the first value found there."""
    rows = [value]
    for _ in range(ragged_rank + 1):
        rows = [item for row in rows if _is_list(row) for item in row]
    shape: list[int] = []
    while rows and _is_list(rows[0]):
        sizes = {len(row) for row in rows}
        if len(sizes) > 1:
            raise ValueError("inner values have inconsistent shape")
        shape.append(sizes.pop())
        rows = [item for row in rows for item in row]
    return tuple(shape)
