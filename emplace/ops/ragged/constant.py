"""Ragged tensors of nested Python lists (`tf.ragged.constant`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.typing import TensorLike
from ..arguments import static_ints
from ..array.making import constant as constant_dense
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
        TypeError: values have another shape than `inner_shape`.
        ValueError: the nesting does not fit.

    >>> constant([[1, 2], [], [3]])
    <tf.RaggedTensor [[1, 2], [], [3]]>
    """
    if ragged_rank is not None and not isinstance(ragged_rank, int):
        raise TypeError(f"ragged_rank must be an int. Got {ragged_rank!r}.")
    values, nested, shape = divided(pylist, ragged_rank, inner_shape)
    if not nested:
        return constant_dense(values, dtype, shape)
    if as_dtype(row_splits_dtype) not in dtypes.INDICES:
        raise ValueError("row_splits must have dtype int32 or int64")
    splits_dtype = as_dtype(row_splits_dtype).as_numpy_dtype
    flat = _flat(values, dtype, tuple(shape))
    for row_splits in reversed(nested):
        flat = make_ragged(flat, to_tensor(row_splits.astype(splits_dtype)))
    return flat


def divided(
    pylist: Any, ragged_rank: int | None, inner_shape: Any
) -> tuple[Any, list[np.ndarray[Any, Any]], Any]:
    """Nested lists as values and their rows.

    Args:
        pylist: nested lists, tuples or arrays.
        ragged_rank: the number of partitions, or None.
        inner_shape: the shape of each value, or None.

    Returns:
        A list of values; where each partition's rows begin and end, the outermost first; the shape
        of each value. Without partitions the lists themselves, and their shape if it is given.

    Raises:
        ValueError: the nesting does not fit.
    """
    shape = None if inner_shape is None else static_ints(inner_shape, "inner_shape")
    if not _is_list(pylist):
        if ragged_rank:
            raise ValueError(f"Invalid pylist={pylist!r}: incompatible with {ragged_rank=}")
        if shape:
            raise ValueError(
                f"Invalid pylist={pylist!r}: incompatible with dim(inner_shape)={len(shape)}"
            )
        return pylist, [], None
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError(f"Invalid {ragged_rank=}: must be nonnegative")
    scalar_depth, max_depth = _depths(pylist)
    _check_depths(pylist, scalar_depth, max_depth, ragged_rank)
    inner = 0 if shape is None else len(shape)
    if ragged_rank is None:
        ragged_rank = max(0, max_depth - 1 - inner)
        if ragged_rank and scalar_depth is None:
            ragged_rank = max_depth - 1  # all lists are rows
    elif shape is not None and (
        scalar_depth not in (None, ragged_rank + 1 + inner) or max_depth > ragged_rank + 1 + inner
    ):
        raise ValueError(
            f"Invalid pylist={pylist!r}: incompatible with {ragged_rank=} and "
            f"dim(inner_shape)={inner}"
        )
    if ragged_rank == 0:
        return pylist, [], shape
    if shape is None:
        shape = _inner_shape(pylist, ragged_rank)
    values, nested = pylist, []
    for _ in range(ragged_rank):
        nested.append(np.cumsum([0, *(len(row) for row in values)]))
        values = [item for row in values for item in row]
    return values, nested, shape


def _check_depths(
    pylist: Any, scalar_depth: int | None, max_depth: int, ragged_rank: int | None
) -> None:
    """Raises ValueError for nesting that does not fit the depth of the numbers."""
    if scalar_depth is None:
        return
    if max_depth > scalar_depth:
        raise ValueError(
            f"Invalid pylist={pylist}: empty list nesting is greater than scalar value nesting"
        )
    if ragged_rank is None:
        return
    if max_depth < ragged_rank:
        raise ValueError(
            f"Invalid pylist={pylist}, max depth smaller than ragged_rank={ragged_rank}"
        )
    if scalar_depth < ragged_rank + 1:
        raise ValueError(
            f"pylist has scalar values depth {scalar_depth}, but ragged_rank={ragged_rank} "
            f"requires scalar value depth greater than {ragged_rank}"
        )


def _flat(values: list[Any], dtype: DType | None, inner_shape: tuple[int, ...]) -> Any:
    """A tensor of values of one shape."""
    if not values:
        wanted = dtypes.float32 if dtype is None else as_dtype(dtype)
        empty = np.zeros((0, *inner_shape), wanted.as_numpy_dtype)
        return convert_to_tensor(empty, wanted)
    if not inner_shape:
        return convert_to_tensor(_unified(values), dtype)
    return constant_dense(_unified(values), dtype, (len(values), *inner_shape))


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
