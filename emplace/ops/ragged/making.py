"""How ragged tensors are made: from row splits, lengths, ids and dense tensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...base import dtypes
from ...base.dtypes import as_dtype
from ...base.errors import invalid_argument
from ...base.shapes import TensorShape
from ...base.typing import DTypeLike, TensorLike
from ...core.ragged import RaggedTensor
from ...core.symbolic_value import SymbolicValue
from ...core.tensor import Tensor, to_numpy
from ..arguments import (
    host_value,
    is_symbolic,
    known_int,
    number_now,
    one_number,
    one_of,
    unranked_int,
)
from ..array.gathering import gather
from ..array.joining import concat, stack
from ..array.making import range_ as range_dense
from ..array.shaping import axis_size, expand_dims, reshape, shape
from ..convert import to_tensor
from ..deferred import value_dependent
from ..host_values import to_array
from ..math.elementwise import cast, maximum, multiply
from ..math.reduction import reduce_max, reduce_prod
from ..op import apply
from ..sparse.places import size_tensor
from .rows import COUNT_IDS, RAGGED_RANGE, ROW_IDS, ROW_SPLITS, as_index
from .validity import CHECK_UNIFORM, checked


def make_ragged(
    values: Any, row_splits: Any, uniform: int | None = None,
    given: tuple[str, Any] | None = None,
) -> RaggedTensor:  # fmt: skip
    """A ragged tensor of parts that are known to fit; `given` is the partition that the splits were
    made of, and its name.
    """
    made = RaggedTensor(values, row_splits, internal=True, uniform=uniform)
    made.given_partition = given
    return made


def as_values(values: Any) -> Any:
    """What rows are made of: a ragged tensor, or anything a tensor can be made of."""
    return values if isinstance(values, RaggedTensor) else to_tensor(values)


def _partition(value: TensorLike, what: str) -> Any:
    """Row splits, lengths or ids as a vector of int32 or int64."""
    tensor = as_index(value)
    if isinstance(value, (list, tuple)) and not value:
        tensor = cast(tensor, dtypes.int64)
    if tensor.dtype not in dtypes.INDICES:
        raise ValueError(f"{what} must have dtype int32 or int64")
    if tensor.shape.rank is not None and tensor.shape.rank != 1:
        raise ValueError(f"Shape {tensor.shape} must have rank 1")
    return tensor


def from_row_splits(
    values: Any, row_splits: Any, name: str | None = None, validate: bool = True
) -> RaggedTensor:
    """Makes rows `values[row_splits[i]:row_splits[i + 1]]` (`tf.RaggedTensor.from_row_splits`).

    Args:
        values: a tensor or ragged tensor (values, ...).
        row_splits: int32 or int64 (rows + 1), from 0 up to the number of values.
        name: a name in graphs.
        validate: check that the splits describe the values.

    Raises:
        InvalidArgumentError: they do not.

    >>> from_row_splits([1, 2, 3], [0, 2, 3])
    <tf.RaggedTensor [[1, 2], [3]]>
    """
    values, splits = as_values(values), _partition(row_splits, "row_splits")
    if splits.shape[0] == 0:
        raise ValueError("row_splits tensor may not be empty.")
    if values.shape.rank == 0:
        raise invalid_argument("slice index 0 of dimension 0 out of bounds.")
    if validate:
        splits = checked(splits, "row_splits", _count_of(values))
    return make_ragged(values, splits)


def from_row_lengths(
    values: TensorLike, row_lengths: TensorLike, name: str | None = None, validate: bool = True
) -> RaggedTensor:
    """Makes rows of these lengths (`tf.RaggedTensor.from_row_lengths`).

    Args:
        values: a tensor or ragged tensor (values, ...).
        row_lengths: int32 or int64 (rows), which add up to the number of values.
        name: a name in graphs.
        validate: check that the lengths describe the values.

    Raises:
        InvalidArgumentError: they do not.

    >>> from_row_lengths([1, 2, 3], [2, 0, 1])
    <tf.RaggedTensor [[1, 2], [], [3]]>
    """
    values, lengths = as_values(values), _partition(row_lengths, "row_lengths")
    if validate:
        lengths = checked(lengths, "row_lengths", _count_of(values))
    return make_ragged(values, apply(ROW_SPLITS, (lengths,)), given=("row_lengths", lengths))


def from_value_rowids(
    values: Any,
    value_rowids: Any,
    nrows: Any = None,
    name: str | None = None,
    validate: bool = True,
) -> RaggedTensor:
    """Makes rows by the row of each value, in order (`tf.RaggedTensor.from_value_rowids`).

    Args:
        values: a tensor or ragged tensor (values, ...).
        value_rowids: int32 or int64 (values), ascending.
        nrows: how many rows there are; one more than the last row with a value for None.
        name: a name in graphs.
        validate: check that the row numbers describe the values.

    Raises:
        InvalidArgumentError: they do not.
        ValueError: there are not as many as values, or `nrows` is below what they need.

    >>> from_value_rowids([1, 2, 3], [0, 0, 2])
    <tf.RaggedTensor [[1, 2], [], [3]]>
    """
    values, ids = as_values(values), _partition(value_rowids, "value_rowids")
    if is_symbolic(ids):
        _check_known_rows(ids, nrows)
        if validate:
            rows = None if nrows is None else _one_int(nrows, "nrows")
            ids = checked(ids, "value_rowids", _count_of(values), rows)
        lengths = apply(COUNT_IDS, (ids,), {"rows": _rows_of(ids, nrows)})
        return make_ragged(values, apply(ROW_SPLITS, (lengths,)), given=("value_rowids", ids))
    known = to_numpy(ids)
    last = int(known[-1]) if known.size else -1
    if nrows is None:
        count = last + 1
    else:
        count = _one_int(nrows, "nrows")
        _check_count(count, last)
    if validate:
        if values.shape.rank == 0:
            raise ValueError(f"Shapes () and ({known.size},) are incompatible")
        if values.shape[0] != known.size:
            raise ValueError(f"Shapes ({values.shape[0]},) and ({known.size},) are incompatible")
        checked(ids, "value_rowids", known.size)
    lengths = apply(COUNT_IDS, (ids,), {"rows": count})
    return make_ragged(values, apply(ROW_SPLITS, (lengths,)), given=("value_rowids", ids))


def _check_count(count: int, last: int) -> None:
    if count < 0:
        raise ValueError(f"Expected nrows >= 0; got {count}")
    if count < last + 1:
        raise ValueError(
            f"Expected nrows >= value_rowids[-1] + 1; got nrows={count}, value_rowids[-1]={last}"
        )


def _check_known_rows(ids: Tensor, nrows: TensorLike) -> None:
    """What a graph knows of the number of rows and of the last id is checked at once."""
    count = None if nrows is None else _one_int(nrows, "nrows")
    if type(count) is int:
        known = ids.static_value()
        _check_count(count, int(known[-1]) if known is not None and known.size else -1)


def _rows_of(ids: TensorLike, nrows: TensorLike) -> Any:
    """How many rows a graph will find: as many as are told, or one more than the last id."""
    if nrows is not None:
        return _one_int(nrows, "nrows")
    return known_int(reduce_max(concat([ids, to_tensor([-1], ids.dtype)], 0)) + 1)


def from_row_starts(
    values: TensorLike, row_starts: Any, name: str | None = None, validate: bool = True
) -> RaggedTensor:
    """Makes rows by where they begin (`tf.RaggedTensor.from_row_starts`).

    Args:
        values: a tensor or ragged tensor (values, ...).
        row_starts: int32 or int64 (rows), from 0, ascending.
        name: a name in graphs.
        validate: check that the beginnings describe the values.

    Raises:
        InvalidArgumentError: they do not.
    """
    values, starts = as_values(values), _partition(row_starts, "row_starts")
    if validate:
        starts = checked(starts, "row_starts", _count_of(values))
    end = cast(expand_dims(size_tensor(_count_of(values)), 0), starts.dtype)
    return make_ragged(values, concat([starts, end], 0))


def from_row_limits(
    values: TensorLike, row_limits: Any, name: str | None = None, validate: bool = True
) -> RaggedTensor:
    """Makes rows by where they end (`tf.RaggedTensor.from_row_limits`).

    Args:
        values: a tensor or ragged tensor (values, ...).
        row_limits: int32 or int64 (rows), ascending up to the number of values.
        name: a name in graphs.
        validate: check that the ends describe the values.

    Raises:
        InvalidArgumentError: they do not.
    """
    values, limits = as_values(values), _partition(row_limits, "row_limits")
    if validate:
        limits = checked(limits, "row_limits", _count_of(values))
    return make_ragged(values, concat([to_tensor([0], limits.dtype), limits], 0))


def from_uniform_row_length(
    values: TensorLike,
    uniform_row_length: Any,
    nrows: TensorLike | None = None,
    validate: bool = True,
    name: str | None = None,
) -> RaggedTensor:
    """Makes rows of one length (`tf.RaggedTensor.from_uniform_row_length`).

    Args:
        values: a tensor or ragged tensor (values, ...).
        uniform_row_length: a whole number, at least 0.
        nrows: how many rows there are; needed where the length is 0.
        validate: check that rows of this length take all values.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: they do not.

    >>> from_uniform_row_length([1, 2, 3, 4], 2).shape
    TensorShape([2, 2])
    """
    values = as_values(values)
    length = _one_int(uniform_row_length, "uniform_row_length")
    dtype = values.row_splits.dtype if isinstance(values, RaggedTensor) else dtypes.int64
    dtype = getattr(uniform_row_length, "dtype", dtype)
    if isinstance(length, int) and length < 0:
        raise ValueError("uniform_row_length must be >= 0.")
    value_count = _count_of(values)
    count: Any
    if nrows is not None:
        count = _one_int(nrows, "nrows")
    elif isinstance(value_count, SymbolicValue) or isinstance(length, SymbolicValue):
        count = SymbolicValue(size_tensor(value_count) // maximum(size_tensor(length), 1))
    else:
        count = value_count // length if length else 0
    has_symbolic = any(isinstance(number, SymbolicValue) for number in (value_count, count, length))
    if validate and not has_symbolic and count * length != value_count:
        raise ValueError(
            f"uniform_row_length={length} times nrows={count} must equal nvals={value_count}"
        )
    splits = uniform_splits(count, length, as_dtype(dtype))
    if validate and has_symbolic:
        attrs = {"length": length, "nrows": count, "count": value_count}
        splits = apply(CHECK_UNIFORM, (splits,), attrs)
    return make_ragged(values, splits, None if isinstance(length, SymbolicValue) else length)


def _one_int(value: Any, what: str) -> Any:
    """A number, or a `SymbolicValue` where only running the graph tells it."""
    value = number_now(value)
    if is_symbolic(value):
        if value.shape.rank is None:
            return unranked_int(value, "Shape {shape} must have rank 0")
        if value.shape.rank:
            raise ValueError(f"Shape {value.shape} must have rank 0")
        return known_int(value)
    shape = tuple(value.shape) if isinstance(value, Tensor) else np.shape(value)
    if shape:
        raise ValueError(f"Shape {TensorShape(shape)} must have rank 0")
    return one_number(value, what)


def uniform_splits(rows: Any, length: Any, dtype: Any = dtypes.int64) -> Any:
    """Row splits of rows of one length."""
    if not isinstance(rows, int) or not isinstance(length, int):
        ends = range_dense(cast(size_tensor(rows), dtype) + 1)
        return multiply(ends, cast(size_tensor(length), dtype))
    return to_tensor(np.arange(rows + 1, dtype=dtype.as_numpy_dtype) * length)


def product_of(sizes: Sequence[Any]) -> Any:
    """Sizes multiplied with each other: a number, or a `SymbolicValue`."""
    if all(isinstance(size, int) for size in sizes):
        return math.prod(sizes)
    return SymbolicValue(reduce_prod(stack([size_tensor(size) for size in sizes])))


def _check_list(parts: object, what: str) -> None:
    """Raises TypeError for a tensor: its rows are no partitions."""
    if isinstance(parts, Tensor):
        raise TypeError(f"Argument `{what}` must be a list of Tensors. Received {parts}.")


def _nested(
    one: Callable[..., Any], flat_values: TensorLike, parts: Sequence[Any] | int, what: str
) -> Any:
    if not isinstance(parts, (list, tuple)) and not hasattr(parts, "__iter__"):
        raise TypeError(f"'{type(parts).__name__}' object is not iterable")
    _check_list(parts, what)
    values = flat_values
    for part in reversed(list(parts)):
        values = one(values, part)
    return values


def from_nested_row_splits(
    flat_values: TensorLike, nested_row_splits: Any, name: str | None = None, validate: bool = True
) -> Any:
    """Makes several partitions, the outermost first (`tf.RaggedTensor.from_nested_row_splits`).

    Args:
        flat_values: a tensor (values, ...), the values of the innermost rows.
        nested_row_splits: a list, the outermost first; each as of `from_row_splits`.
        name: a name in graphs.
        validate: check that each of them describes the values below it.

    Raises:
        InvalidArgumentError: one does not.
        TypeError: they are no list or tuple.
    """

    def one(values: RaggedTensor | Sequence[int], part: Sequence[int]) -> Any:
        return from_row_splits(values, part, validate=validate)

    return _nested(one, flat_values, nested_row_splits, "nested_row_splits")


def from_nested_row_lengths(
    flat_values: TensorLike, nested_row_lengths: Any, name: str | None = None, validate: bool = True
) -> Any:
    """Makes several partitions by lengths (`tf.RaggedTensor.from_nested_row_lengths`).

    Args:
        flat_values: a tensor (values, ...), the values of the innermost rows.
        nested_row_lengths: a list, the outermost first; each as of `from_row_lengths`.
        name: a name in graphs.
        validate: check that each of them describes the values below it.

    Raises:
        InvalidArgumentError: one does not.
        TypeError: they are no list or tuple.
    """

    def one(values: RaggedTensor | Sequence[int], part: Sequence[int]) -> Any:
        return from_row_lengths(values, part, validate=validate)

    return _nested(one, flat_values, nested_row_lengths, "nested_row_lengths")


def from_nested_value_rowids(
    flat_values: TensorLike,
    nested_value_rowids: Any,
    nested_nrows: Any = None,
    name: str | None = None,
    validate: bool = True,
) -> Any:
    """Makes several partitions by row numbers (`tf.RaggedTensor.from_nested_value_rowids`).

    Args:
        flat_values: a tensor (values, ...), the values of the innermost rows.
        nested_value_rowids: a list, the outermost first; each as of `from_value_rowids`.
        nested_nrows: a list of as many numbers of rows, or None.
        name: a name in graphs.
        validate: check that each of them describes the values below it.

    Raises:
        InvalidArgumentError: one does not.
        TypeError: they are no list or tuple.
        ValueError: there are more or fewer numbers of rows than partitions.
    """
    _check_list(nested_value_rowids, "nested_value_rowids")
    _check_list(nested_nrows, "nested_nrows")
    counts = [None] * len(nested_value_rowids) if nested_nrows is None else list(nested_nrows)
    if len(counts) != len(nested_value_rowids):
        raise ValueError(
            "Argument `nested_nrows` must have the same length as argument `nested_value_rowids`. "
            f"len(nested_nrows) = {len(counts)} vs. "
            f"len(nested_values_rowids) = {len(nested_value_rowids)}."
        )

    def one(values: RaggedTensor | Sequence[int], part: Sequence[Any]) -> Any:
        return from_value_rowids(values, part[0], part[1], validate=validate)

    pairs = list(zip(nested_value_rowids, counts, strict=True))
    return _nested(one, flat_values, pairs, "nested_value_rowids")


@value_dependent
def from_tensor(
    tensor: TensorLike,
    lengths: TensorLike | None = None,
    padding: TensorLike | None = None,
    ragged_rank: int = 1,
    name: str | None = None,
    row_splits_dtype: DTypeLike = dtypes.int64,
) -> Any:
    """Cuts a dense tensor's rows, to lengths or at padding (`tf.RaggedTensor.from_tensor`).

    Args:
        tensor: a tensor of rank 2 or more.
        lengths: the number of values to keep of each row; a tuple for several partitions.
        padding: a value (or a slice) that is cut off at the end of rows. Not with `lengths`.
        ragged_rank: the number of partitions.
        name: a name in graphs.
        row_splits_dtype: int32 or int64.

    Raises:
        ValueError: the rank is below 2, or both lengths and padding are given.

    >>> from_tensor([[1, 0], [3, 4]], padding=0)
    <tf.RaggedTensor [[1], [3, 4]]>
    """
    if lengths is not None and padding is not None:
        raise ValueError("Specify argument `lengths` or `padding`, but not both.")
    if not isinstance(ragged_rank, int):
        raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
    if ragged_rank <= 0:
        raise ValueError(f"Argument `ragged_rank` must be greater than 0. Received {ragged_rank}.")
    dtype = as_dtype(row_splits_dtype)
    tensor = to_tensor(tensor)
    dims = [axis_size(tensor, axis) for axis in range(len(tensor.shape))]
    if len(dims) < 2:
        raise ValueError(
            "The rank of a RaggedTensor must be greater than 1, i.e., a list of scalars won't have "
            f"ragged dimensions. Received argument `tensor` with rank {len(dims)}."
        )
    if len(dims) <= ragged_rank:
        raise ValueError(f"Shape {tensor.shape} must have rank at least {ragged_rank + 1}")
    if isinstance(lengths, (list, tuple)) and lengths and not isinstance(lengths[0], (int, float)):
        _check_levels(tensor, len(lengths), ragged_rank)
        return _from_nested_lengths(tensor, lengths)
    if ragged_rank > 1:
        merged = reshape(tensor, [product_of(dims[:2]), *dims[2:]])
        inner = from_tensor(merged, lengths, padding, ragged_rank - 1, None, dtype)
        return make_ragged(inner, uniform_splits(dims[0], dims[1], dtype), tensor.shape[1])
    if lengths is None and padding is None:
        values = reshape(tensor, [product_of(dims[:2]), *dims[2:]])
        return make_ragged(values, uniform_splits(dims[0], dims[1], dtype), tensor.shape[1])
    row_lengths = _kept_lengths(tensor, lengths, padding)
    return _cut(tensor, row_lengths.astype(dtype.as_numpy_dtype))


def _check_levels(tensor: Tensor, count: int, ragged_rank: int) -> None:
    """Raises ValueError unless a tensor has enough axes for so many partitions."""
    if ragged_rank not in (1, count):
        raise ValueError(
            "If Argument `lengths` is a tuple of row_lengths, argument `ragged_rank` must be "
            f"len(lengths): {count}. Received ragged_rank: {ragged_rank}."
        )
    if len(tensor.shape) <= count:
        raise ValueError(f"Shape {tensor.shape} must have rank at least {count + 1}")


def _kept_lengths(tensor: Any, lengths: Any, padding: Any) -> np.ndarray[Any, Any]:
    dims = tensor.shape.as_list()
    if lengths is not None:
        given = to_array(lengths)[0] if not hasattr(lengths, "numpy") else host_value(lengths)
        if given.size and given.dtype.kind not in "iu":
            raise TypeError(
                f"Argument `tensor` (name: lengths) must be of type integer. Received `tensor` = "
                f"{given} of dtype: {as_dtype(given.dtype)!r}"
            )
        kept: np.ndarray[Any, Any] = np.clip(given, 0, dims[1]).astype(np.int64)
        return kept
    pad = host_value(to_tensor(padding, tensor.dtype))
    if pad.shape != tuple(dims[2:]):
        raise ValueError(f"Shapes {pad.shape} and {tuple(dims[2:])} are incompatible")
    differs = host_value(tensor) != pad
    differs = differs.reshape(dims[0], dims[1], math.prod(dims[2:])).any(2)
    last: np.ndarray[Any, Any] = np.where(differs, np.arange(1, dims[1] + 1), 0).max(1, initial=0)
    return last


def _cut(tensor: Tensor, lengths: np.ndarray[Any, Any]) -> RaggedTensor:
    """The first values of each row."""
    dims = tensor.shape.as_list()
    if len(lengths) != dims[0]:
        raise ValueError(f"Shapes ({dims[0]},) and ({len(lengths)},) are incompatible")
    starts = np.arange(dims[0]) * dims[1]
    splits, places = range_splits(starts, starts + lengths, lengths.dtype)
    flat = reshape(tensor, [dims[0] * dims[1], *dims[2:]])
    return make_ragged(gather(flat, places), splits)


def _count_of(values: Any) -> Any:
    """How many values there are: a number, or a `SymbolicValue`."""
    if isinstance(values, RaggedTensor):
        rows = values._rows()
        return known_int(shape(values.row_splits)[0] - 1) if rows is None else rows
    if values.shape.rank == 0:
        raise ValueError("Shape () must have rank at least 1")
    return axis_size(values, 0)


def range_splits(starts: TensorLike, limits: TensorLike, dtype: DTypeLike) -> tuple[Any, Any]:
    """The row splits and the values of one range of numbers per row."""
    dtype = as_dtype(dtype)
    given = [to_tensor(np.asarray(each, dtype.as_numpy_dtype)) for each in (starts, limits, 1)]
    splits, values = apply(RAGGED_RANGE, tuple(given), {"Tsplits": dtype})
    return splits, values


def _from_nested_lengths(tensor: TensorLike, lengths: Sequence[Any]) -> Any:
    flat: Any = tensor
    splits = []
    for each in lengths:
        level = from_tensor(flat, each)
        splits.append(level.row_splits)
        flat = level.values
    return from_nested_row_splits(flat, splits)


def range_(
    starts: Any,
    limits: TensorLike | None = None,
    deltas: Any = 1,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = dtypes.int64,
) -> RaggedTensor:
    """Returns one range of numbers per row (`tf.ragged.range`).

    Args:
        starts: the first number of each row, or the ends if `limits` is None.
        limits: the end of each row, which is left out.
        deltas: from one number to the next, of each row.
        dtype: the dtype of the numbers; None chooses it by the arguments.
        name: a name in graphs.
        row_splits_dtype: int32 or int64, the dtype of the row splits.

    Raises:
        InvalidArgumentError: a delta is 0.

    >>> range_([2, 0, 3])
    <tf.RaggedTensor [[0, 1], [], [0, 1, 2]]>
    """
    if limits is None:
        starts, limits = 0, starts
    out_dtype = None if dtype is None else as_dtype(dtype)
    bounds = [to_tensor(bound, out_dtype) for bound in (starts, limits, deltas)]
    if out_dtype is None:
        order = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64]
        bound_dtypes = [bound.dtype for bound in bounds if bound.dtype in order]
        out_dtype = max(bound_dtypes, key=order.index)
        bounds = [cast(bound, out_dtype) for bound in bounds]
    of_splits = one_of("Tsplits", row_splits_dtype, dtypes.INDICES)
    splits, values = apply(RAGGED_RANGE, tuple(bounds), {"Tsplits": of_splits})
    return make_ragged(values, splits)


def value_rowids(ragged: RaggedTensor) -> Tensor:
    """The row of each value."""
    name, known = ragged.given_partition or ("", None)
    if name == "value_rowids":
        assert isinstance(known, Tensor)
        return known
    return apply(ROW_IDS, (ragged.row_splits,), {"count": _count_of(ragged.values)})


def row_lengths_of(ragged: RaggedTensor) -> Any:
    """The lengths of the rows of the outermost partition."""
    name, known = ragged.given_partition or ("", None)
    return known if name == "row_lengths" else ragged.row_splits[1:] - ragged.row_splits[:-1]
