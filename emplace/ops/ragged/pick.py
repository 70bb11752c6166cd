"""Parts of ragged tensors: rows by number, `x[...]`, gather, masks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.typing import TensorLike
from ...core.ragged import RaggedTensor
from ...core.symbolic_value import SymbolicValue
from ...core.tensor import Tensor
from ..arguments import host_value
from ..array.gathering import gather
from ..array.making import range_
from ..array.shaping import expand_dims, reshape
from ..array.slicing import STRIDED_SLICE, key_of
from ..convert import to_tensor
from ..deferred import value_dependent
from ..math.elementwise import add, cast
from ..op import apply
from .making import make_ragged, uniform_splits
from .methods import as_partitioned, nrows
from .rows import RAGGED_RANGE


def gather_rows(value: Any, rows: Any) -> Any:
    """Rows of a ragged or dense tensor by a vector of their numbers."""
    if not isinstance(value, RaggedTensor):
        return gather(value, rows)
    splits = value.row_splits
    starts, limits = gather(splits[:-1], rows), gather(splits[1:], rows)
    return _between(value, starts, limits)


def _between(value: RaggedTensor, starts: Tensor, limits: TensorLike) -> RaggedTensor:
    """One row per pair: the values from start to limit."""
    dtype = value.row_splits.dtype
    new_splits, places = apply(
        RAGGED_RANGE, (starts, limits, to_tensor(1, dtype)), {"Tsplits": dtype}
    )
    return make_ragged(gather_rows(value.values, places), new_splits, value.uniform_length)


def getitem(self: Any, key: Any) -> Any:
    """x[key] of a ragged tensor: numbers for rows, slices, `...` and `tf.newaxis`.

    Raises:
        TypeError: something in the key is no index.
        ValueError: a single place is taken in a dimension where rows differ.
        IndexError, InvalidArgumentError: there is no such row.
    """
    return _picked(self, key_of(key))


@value_dependent
def _picked(value: Any, key: tuple[Any, ...]) -> Any:
    """What a key takes, whose numbers a graph may compute: they are known with the values."""
    return pick(value, key)


def pick(value: Any, key: tuple[Any, ...]) -> Any:
    """What a key of plain entries (`ops/array/slicing.py`) takes of a ragged or dense tensor."""
    if not key:
        return value
    if not isinstance(value, RaggedTensor):
        return value[tuple(_as_index(each) for each in key)]
    first, rest = key[0], key[1:]
    if first == ("rest",):
        missing = (value.shape.rank or 0) - sum(each != ("new",) for each in rest)
        return pick(value, (("slice", None, None, None),) * max(0, missing) + rest)
    if first == ("new",):
        return _newaxis(pick(value, rest))
    if first[0] == "at":
        return pick(_row(value, first[1], value.row_splits.shape[0] - 1), rest)
    kept = value if _is_whole(first) else gather_rows(value, _numbers(value, first))
    return pick_inner(kept, rest)


def _is_whole(entry: tuple[Any, ...]) -> bool:
    """Whether a slice takes all; its ends may be numbers that a graph computes."""
    return all(end is None for end in entry[1:])


def _numbers(value: RaggedTensor, entry: tuple[Any, ...]) -> Tensor:
    """The numbers of the rows in a slice, whose ends a graph may compute."""
    rows = value.row_splits.shape[0]
    if rows is None or any(isinstance(end, SymbolicValue) for end in entry[1:]):
        numbers = range_(nrows(value, dtypes.int64))
        return apply(STRIDED_SLICE, (numbers,), {"key": (entry,)})
    return to_tensor(np.arange(rows - 1)[slice(*entry[1:])].astype(np.int64))


def _as_index(entry: tuple[Any, ...]) -> Any:
    if entry[0] == "at":
        return entry[1]
    if entry[0] == "slice":
        return slice(*entry[1:])
    return None if entry == ("new",) else Ellipsis


def _row(value: RaggedTensor, index: int, rows: int) -> Any:
    if index >= rows:  # TF: this one class here, the other one for places before the first
        raise IndexError(f"Row key {index} out of bounds")
    if index < -rows:
        raise invalid_argument(f"Row key {index} out of bounds: there are {rows} rows")
    splits = value.host_splits()
    index %= rows
    start, stop = int(splits[index]), int(splits[index + 1])
    values = value.values
    if isinstance(values, RaggedTensor):
        return pick(values, (("slice", start, stop, None),))
    return values[start:stop]


def _newaxis(value: TensorLike) -> Any:
    if not isinstance(value, RaggedTensor):
        return expand_dims(value, 0)
    rows = value.row_splits.shape[0] - 1
    return make_ragged(value, uniform_splits(1, rows, value.row_splits.dtype), rows)


def pick_inner(value: RaggedTensor, key: tuple[Any, ...]) -> Any:
    """What a key for the dimensions below the rows takes of each row."""
    if not key:
        return value
    first, rest = key[0], key[1:]
    if first == ("rest",):
        missing = (value.shape.rank or 0) - 1 - sum(each != ("new",) for each in rest)
        return pick_inner(value, (("slice", None, None, None),) * max(0, missing) + rest)
    if first == ("new",):
        rows = value.row_splits.shape[0] - 1
        inner = pick_inner(value, rest)
        return make_ragged(inner, uniform_splits(rows, 1, value.row_splits.dtype), 1)
    if first[0] == "at":
        return _column(value, first[1], rest)
    if _is_whole(first):
        whole = (("slice", None, None, None), *rest)
        values = value.values
        if isinstance(values, RaggedTensor):
            return value.rewrap(pick_inner(values, rest))
        return value.rewrap(pick(values, whole)) if rest else value
    return pick_inner(_cut_rows(value, slice(*first[1:])), (("slice", None, None, None), *rest))


def _column(value: RaggedTensor, index: int, rest: tuple[Any, ...]) -> Any:
    length = value.uniform_length
    if length is None:
        raise ValueError("Cannot index into an inner ragged dimension.")
    if not -length <= index < length:
        raise invalid_argument(
            "Index out of bounds when indexing into a ragged tensor: "
            f"{index} in a dimension of size {length}"
        )
    places = value.host_splits()[:-1] + index % length
    taken = gather_rows(value.values, to_tensor(places.astype(np.int64)))
    if isinstance(taken, RaggedTensor):
        return pick_inner(taken, rest)
    return pick(taken, (("slice", None, None, None), *rest)) if rest else taken


def _cut_rows(value: RaggedTensor, cut: slice) -> RaggedTensor:
    """The same slice of every row."""
    splits = value.host_splits()
    lengths = np.diff(splits)
    ranges = [range(*cut.indices(int(length))) for length in lengths]
    places = [
        np.arange(each.start, each.stop, each.step) + start
        for each, start in zip(ranges, splits[:-1], strict=True)
    ]
    dtype = value.row_splits.dtype.as_numpy_dtype
    new_splits = np.cumsum([0, *map(len, ranges)]).astype(dtype)
    flat = np.concatenate(places).astype(dtype) if places else np.zeros(0, dtype)
    uniform = None
    if value.uniform_length is not None:
        uniform = len(range(*cut.indices(value.uniform_length)))
    values = gather_rows(value.values, to_tensor(flat))
    return make_ragged(values, to_tensor(new_splits), uniform)


def gather_any(params: Any, indices: Any, axis: int = 0, batch_dims: int = 0) -> Any:
    """`tf.gather` where params or indices are ragged.

    Raises:
        ValueError: the rank of the indices is not known.
    """
    if indices.shape.rank is None:
        raise ValueError("rank(indices) must be known statically")
    if batch_dims:
        return _gather_in_batches(params, indices, axis, batch_dims)
    if axis:
        return _gather_inside(params, indices, axis)
    if isinstance(indices, RaggedTensor):
        if isinstance(params, RaggedTensor) and _splits_dtype(indices) != _splits_dtype(params):
            raise ValueError(
                "Input RaggedTensors have mismatched row_splits dtypes; use "
                "RaggedTensor.with_row_splits_dtype() to convert them to compatible dtypes."
            )
        return indices.rewrap(gather_any(params, indices.values))
    rank = indices.shape.rank
    if not isinstance(params, RaggedTensor):
        return gather(params, indices)
    params = _of_any_lengths(params)  # TF: what is gathered tells of no rows of one length
    if rank == 0:
        return pick(gather_rows(params, reshape(indices, [1])), (("at", 0),))
    if rank > 1:
        rows = as_partitioned(indices, _splits_dtype(params))
        return _of_any_lengths(rows.rewrap(gather_any(params, rows.values)))
    return gather_rows(params, indices)


def _of_any_lengths(value: RaggedTensor) -> Any:
    """The same rows, of which nothing tells that they are of one length."""
    return value.with_lengths([None] * value.ragged_rank)


def _splits_dtype(value: TensorLike) -> Any:
    return value.row_splits.dtype if isinstance(value, RaggedTensor) else dtypes.int64


def _gather_in_batches(params: object, indices: TensorLike, axis: int, batch_dims: int) -> Any:
    """Row i of indices picks from row i of params."""
    _check_batches(params, indices, batch_dims)
    params = as_partitioned(params)
    if batch_dims > 1:
        places = as_partitioned(indices)
        _check_rows(params, places)
        inner = _gather_in_batches(params.values, places.values, axis - 1, batch_dims - 1)
        return params.rewrap(inner)
    if axis > 1:  # each row inside of row i is asked for what row i of the indices says
        repeated = gather_rows(indices, _rows_of_values(params))
        return params.rewrap(_gather_in_batches(params.values, repeated, axis - 1, 1))
    return _gather_behind(params.values, indices, cast(params.row_splits[:-1], dtypes.int64))


def _rows_of_values(value: RaggedTensor) -> Tensor:
    """The number of the row that each of the values is in."""
    lengths = np.diff(value.host_splits())
    return to_tensor(np.repeat(np.arange(len(lengths)), lengths))


def _gather_behind(values: Any, indices: Any, starts: Any) -> Any:
    """Values by their numbers, which row i of the indices counts from starts[i] on."""
    if isinstance(indices, RaggedTensor):
        inner = gather(starts, _rows_of_values(indices))
        return indices.rewrap(_gather_behind(values, indices.values, inner))
    column = reshape(starts, [-1, *[1] * (indices.shape.rank - 1)])
    return _gather_places(values, add(cast(indices, dtypes.int64), column))


def _gather_places(values: object, places: Any) -> Any:
    """Values by a dense tensor of their numbers; its dimensions come first in the result."""
    return _with_leading(gather_rows(values, reshape(places, [-1])), places.shape.as_list())


def _check_batches(params: Any, indices: Any, batch_dims: int) -> None:
    """Raises ValueError unless both have the same number of rows."""
    if not params.shape[:1].is_compatible_with(indices.shape[:1]):
        raise ValueError(
            f"batch shape from indices {indices.shape[:batch_dims]} does not match params shape "
            f"{params.shape}"
        )


def _check_rows(params: RaggedTensor, indices: RaggedTensor) -> None:
    """Raises InvalidArgumentError unless rows that belong together are of one length.

    Numbers of values that differ are noticed where they are rows.
    """
    ours, theirs = params.host_splits(), indices.host_splits()
    if ours[-1] == theirs[-1] and not np.array_equal(ours, theirs):
        raise invalid_argument(
            f"batch shape from indices does not match params shape: rows of {indices.shape} have "
            f"other lengths than those of {params.shape}."
        )


def _gather_inside(params: Any, indices: Any, axis: int) -> Any:
    """The same indices in every row."""
    params = as_partitioned(params)
    if axis > 1:
        return params.rewrap(gather_any(params.values, indices, axis - 1))
    is_ragged = isinstance(indices, RaggedTensor)
    numbers = host_value(indices.flat_values if is_ragged else indices).astype(np.int64)
    starts = params.host_splits()[:-1].astype(np.int64)
    places = starts.reshape([-1, *[1] * numbers.ndim]) + numbers
    if not is_ragged:
        return _gather_places(params.values, to_tensor(places))
    rows = len(starts)
    places = places.reshape([rows * len(numbers), *numbers.shape[1:]])
    repeated = gather_rows(_one_row(indices), to_tensor(np.zeros(rows, np.int64)))
    return repeated.with_flat(_gather_places(params.values, to_tensor(places)))


def _one_row(value: RaggedTensor) -> RaggedTensor:
    return _newaxis(value)  # type: ignore[no-any-return]


def gather_nd_any(params: Any, indices: Any) -> Any:
    """`tf.gather_nd` where params or indices are ragged."""
    if isinstance(indices, RaggedTensor):
        return indices.rewrap(gather_nd_any(params, indices.values))
    depth = indices.shape[-1]
    dims = indices.shape.as_list()[:-1]
    if depth > params.shape.rank:
        raise invalid_argument(
            f"index innermost dimension length must be <= params rank; saw: {depth} vs. "
            f"{params.shape.rank}"
        )
    if depth == 0:
        return _repeated(params, dims)
    if isinstance(params, RaggedTensor):
        params = _of_any_lengths(params)
    if indices.shape.rank == 1:  # TF: a row, which stays one
        return gather_nd_any(params, expand_dims(indices, 0))
    rows = reshape(indices, [-1, depth])
    value = params
    places = rows[:, 0]
    for i in range(1, depth):
        if not isinstance(value, RaggedTensor):
            value = as_partitioned(value)
        starts = gather(cast(value.row_splits[:-1], dtypes.int64), places)
        places = add(starts, cast(rows[:, i], dtypes.int64))
        value = value.values
    return _with_leading(gather_rows(value, places), dims)


def _repeated(value: Any, dims: Sequence[int]) -> Any:
    """All of a value, for each place of a shape."""
    if not dims:
        return value
    rows = to_tensor(np.zeros(math.prod(dims), np.int64))
    return _with_leading(gather_rows(_newaxis(value), rows), dims)


def _with_leading(taken: Any, sizes: Sequence[int]) -> Any:
    """Rows, of which there are as many as sizes say together, in dimensions of these sizes."""
    if not isinstance(taken, RaggedTensor):
        return reshape(taken, [*sizes, *taken.shape.as_list()[1:]])
    for axis in reversed(range(1, len(sizes))):
        splits = uniform_splits(math.prod(sizes[:axis]), sizes[axis], taken.row_splits.dtype)
        taken = make_ragged(taken, splits, sizes[axis])
    return taken


setattr(RaggedTensor, "__getitem__", getitem)  # noqa: B010  # mypy knows no such member
