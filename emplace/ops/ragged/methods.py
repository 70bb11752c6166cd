"""What ragged tensors tell of their rows, and how they become tensors; bound to the class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.errors import invalid_argument
from ...base.shapes import TensorShape
from ...base.typing import Axis, DTypeLike, TensorLike
from ...core.ragged import RaggedTensor
from ...core.symbolic_value import SymbolicValue
from ...core.tensor import Tensor
from ..arguments import (
    given_shape,
    host_value,
    is_symbolic,
    known_int,
    number_now,
    one_number,
    static_ints,
)
from ..array.gathering import gather
from ..array.joining import concat, stack
from ..array.making import fill
from ..array.shaping import reshape, shape
from ..convert import register_converter, to_tensor
from ..deferred import value_dependent
from ..math.elementwise import cast
from ..math.reduction import reduce_max
from ..op import apply
from ..sparse.tensor import SparseTensor
from . import making
from .making import as_values, make_ragged
from .rows import RAGGED_TO_TENSOR, check_default


def _as_itself(value: RaggedTensor, dtype: DType | None) -> RaggedTensor:
    if dtype is not None and value.dtype is not dtype:
        raise ValueError(
            f"Tensor conversion requested dtype {dtype.name} for RaggedTensor with dtype "
            f"{value.dtype.name}: {value!r}"
        )
    return value


register_converter(RaggedTensor, _as_itself)


def positive_axis(axis: int, rank: int, name: str = "axis") -> int:
    """An axis counted from the front.

    Raises:
        ValueError: there is no such axis.
    """
    if not -rank <= axis < rank:
        raise ValueError(f"{name}={axis} out of bounds: expected {-rank}<={name}<{rank}")
    return axis % rank


def nrows(self: RaggedTensor, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """The number of rows, as a scalar tensor."""
    wanted = self.row_splits.dtype if out_type is None else as_dtype(out_type)
    known = self.row_splits.shape[0]
    return shape(self.row_splits, wanted)[0] - 1 if known is None else to_tensor(known - 1, wanted)


def row_starts(self: RaggedTensor, name: str | None = None) -> Any:
    """Where rows begin in `values`."""
    return self.row_splits[:-1]


def row_limits(self: RaggedTensor, name: str | None = None) -> Any:
    """Where rows end in `values`."""
    return self.row_splits[1:]


def row_lengths(self: RaggedTensor, axis: int = 1, name: str | None = None) -> Any:
    """The lengths of rows; of the rows at `axis`, ragged where those are in rows."""
    if axis == 0:
        return nrows(self)
    if axis == 1:
        return making.row_lengths_of(self)
    axis = positive_axis(axis, self.shape.rank or 0)
    if axis == 0:
        return nrows(self)
    if axis == 1:
        return row_lengths(self)
    values = self.values
    if isinstance(values, RaggedTensor):
        return self.rewrap(row_lengths(values, axis - 1))
    sizes = shape(values, self.row_splits.dtype)
    return self.rewrap(fill(sizes[: axis - 1], sizes[axis - 1]))


def nested_row_lengths(self: RaggedTensor, name: str | None = None) -> tuple[Any, ...]:
    """The row lengths of all partitions, the outermost first."""
    return tuple(row_lengths(level) for level in self.levels())


def value_rowids(self: RaggedTensor, name: str | None = None) -> Tensor:
    """The row of each value."""
    return making.value_rowids(self)


def nested_value_rowids(self: RaggedTensor, name: str | None = None) -> tuple[Any, ...]:
    """The rows of the values of all partitions, the outermost first."""
    return tuple(value_rowids(level) for level in self.levels())


def uniform_row_length(self: RaggedTensor) -> Any:
    """The length that all rows are known to have, as a scalar tensor, or None."""
    length = self.uniform_length
    return None if length is None else to_tensor(length, self.row_splits.dtype)


def bounding_shape(
    self: RaggedTensor,
    axis: Axis | None = None,
    name: str | None = None,
    out_type: DTypeLike | None = None,
) -> Tensor:
    """The smallest shape that holds all rows; `axis` chooses dimensions of it."""
    dtype = self.row_splits.dtype
    lengths = [nrows(self)]
    for level in self.levels():
        longest = row_lengths(level)
        lengths.append(reduce_max(concat([longest, to_tensor([0], longest.dtype)], 0)))
    inner = cast(shape(self.flat_values)[1:], dtype)
    sizes = concat([stack(lengths), inner], 0)
    if out_type is not None:
        sizes = cast(sizes, as_dtype(out_type))
    if axis is None:
        return sizes
    rank = self.shape.rank or 0
    if given_shape(axis) == ():
        return sizes[positive_axis(one_number(axis, "axis"), rank)]
    return stack([sizes[positive_axis(each, rank)] for each in static_ints(axis, "axis")])


def with_values(self: RaggedTensor, new_values: RaggedTensor | Sequence[int]) -> RaggedTensor:
    """The same rows of other values.

    Raises:
        ValueError: there are more or fewer of them.
    """
    values = as_values(new_values)
    _check_count(self.values.shape[0], values.shape[0])
    return self.rewrap(values)


def _check_count(given: int | None, wanted: int | None) -> None:
    if given is not None and wanted is not None and given != wanted:
        raise ValueError(f"Shapes ({given},) and ({wanted},) are incompatible")


def with_flat_values(self: RaggedTensor, new_values: TensorLike) -> RaggedTensor:
    """The same rows, at all levels, of other values."""
    values = as_values(new_values)
    _check_count(self.flat_values.shape[0], values.shape[0])
    return self.with_flat(values)  # type: ignore[no-any-return]


def with_row_splits_dtype(self: RaggedTensor, dtype: DTypeLike) -> RaggedTensor:
    """The same rows with row splits of int32 or int64."""
    wanted = as_dtype(dtype)
    if wanted not in dtypes.INDICES:
        raise ValueError(f"Argument `row_splits` dtype must be int32 or int64. Received {wanted}.")
    splits = [cast(each, wanted) for each in self.nested_row_splits]
    return self.with_components((self.flat_values, *splits))


def to_dense(
    self: RaggedTensor,
    default_value: TensorLike | None = None,
    name: str | None = None,
    shape: Any = None,
) -> Tensor:
    """The rows side by side, filled up with a default (`RaggedTensor.to_tensor`).

    Args:
        default_value: what fills up short rows; 0, False or an empty string if None.
        name: a name in graphs.
        shape: sizes to cut or fill up to, or a tensor of them; None or -1 where the rows say it.

    Raises:
        InvalidArgumentError: the shape or the default does not fit.

    >>> import emplace.tensorflow as tf
    >>> tf.ragged.constant([[1, 2], [3]]).to_tensor().numpy().tolist()
    [[1, 2], [3, 0]]
    """
    values = self.flat_values
    if default_value is None:
        default = _nothing(values.dtype)
    else:
        default = to_tensor(default_value, values.dtype)
    _check_default(default, values)
    sizes = _sizes(shape)
    splits = _of_one_dtype(self.nested_row_splits)
    dense = apply(RAGGED_TO_TENSOR, (values, default, *splits), {"shape": sizes})
    if is_symbolic(dense):
        dense.set_shape(_shape_of_dense(self.shape, sizes))
    return dense


def _sizes(shape: Any) -> Any:
    """Sizes as numbers, None where the rows say them; `SymbolicValue`s for those of a graph."""
    if shape is None:
        return ()
    numbers: Any
    if isinstance(shape, Tensor):
        numbers = static_ints(shape, "shape")
        if shape.shape.rank == 0 and numbers == (-1,):
            return ()  # of any rank
    elif isinstance(shape, TensorShape):
        return () if shape.rank is None else tuple(shape.as_list())
    elif any(isinstance(size, Tensor) for size in shape):
        numbers = tuple(-1 if size is None else known_int(number_now(size)) for size in shape)
    else:
        numbers = TensorShape(shape).as_list()
    if isinstance(numbers, SymbolicValue):
        return numbers
    return tuple(None if isinstance(size, int) and size == -1 else size for size in numbers)


def _shape_of_dense(own: TensorShape, sizes: Any) -> TensorShape:
    """What is known of the result's shape before it is there."""
    if isinstance(sizes, SymbolicValue):
        return TensorShape(None if own.rank is None else [None] * own.rank)
    if not sizes:
        return own
    wanted = TensorShape([size if isinstance(size, int) else None for size in sizes])
    if own.rank != wanted.rank:
        return TensorShape(None)  # the op will say what is wrong, if it is
    told = zip(sizes, wanted.as_list(), own.as_list(), strict=True)
    return TensorShape([mine if size is None else known for size, known, mine in told])


def _check_default(default: Tensor, values: Tensor) -> None:
    """Raises unless the default stretches to one value."""
    if default.shape.is_fully_defined() and values.shape.rank is not None:
        check_default(tuple(default.shape), tuple(values.shape))


def _nothing(dtype: DType) -> Tensor:
    if dtype is dtypes.string:
        return to_tensor("")
    return to_tensor(dtype is not dtypes.bool_ and 0, dtype)


def _of_one_dtype(splits: tuple[Any, ...]) -> tuple[Any, ...]:
    if len({each.dtype for each in splits}) == 1:
        return splits
    return tuple(cast(each, dtypes.int64) for each in splits)


@value_dependent
def to_sparse(self: RaggedTensor, name: str | None = None) -> SparseTensor:
    """The values with their coordinates (`RaggedTensor.to_sparse`).

    >>> import emplace.tensorflow as tf
    >>> tf.ragged.constant([[1, 2], [3]]).to_sparse().indices.numpy().tolist()
    [[0, 0], [0, 1], [1, 0]]
    """
    values = self.flat_values
    inner = values.shape.as_list()[1:]
    rows = np.arange(values.shape[0])
    columns: list[Any] = []
    for level in reversed(self.levels()):
        splits = level.host_splits()
        ids = np.repeat(np.arange(len(splits) - 1), np.diff(splits))
        columns.insert(0, rows - splits[ids[rows]])
        rows = ids[rows]
    places = np.stack([rows, *columns], 1).astype(np.int64)
    if inner:
        each = np.stack(np.unravel_index(np.arange(int(np.prod(inner))), inner), 1)
        places = np.hstack([np.repeat(places, len(each), 0), np.tile(each, (len(places), 1))])
    sizes = cast(bounding_shape(self), dtypes.int64)
    return SparseTensor(to_tensor(places), reshape(values, [-1]), sizes)


@value_dependent
def from_sparse(
    st_input: SparseTensor | int,
    name: str | None = None,
    row_splits_dtype: DTypeLike = dtypes.int64,
) -> RaggedTensor:
    """A sparse matrix whose rows have no gaps as rows (`tf.RaggedTensor.from_sparse`).

    Raises:
        TypeError: it is no SparseTensor.
        InvalidArgumentError: a row has a gap.
    """
    if not isinstance(st_input, SparseTensor):
        raise TypeError(
            "Argument `st_input` must be of type SparseTensor, but is of type "
            f"{type(st_input).__name__}."
        )
    if st_input.shape.rank != 2:
        raise ValueError("rank(st_input) must be 2.")
    places = host_value(st_input.indices)
    rows = places[:, 0]
    firsts = np.searchsorted(rows, rows) if (np.diff(rows) >= 0).all() else None
    if firsts is None or not np.array_equal(np.arange(len(rows)) - firsts, places[:, 1]):
        raise invalid_argument("SparseTensor is not right-ragged")
    count = int(host_value(st_input.dense_shape)[0])
    lengths = np.bincount(rows, minlength=count)
    splits = np.cumsum([0, *lengths]).astype(as_dtype(row_splits_dtype).as_numpy_dtype)
    return make_ragged(st_input.values, to_tensor(splits))


@value_dependent
def merge_dims(self: RaggedTensor, outer_axis: int, inner_axis: int) -> Any:
    """The dimensions from `outer_axis` to `inner_axis` made one.

    Raises:
        TypeError: an axis is no int.
        ValueError: an axis is out of range, or they are in the wrong order.
    """
    for name, axis in (("outer_axis", outer_axis), ("inner_axis", inner_axis)):
        if not isinstance(axis, int):
            raise TypeError(f"{name} must be an int; got {type(axis).__name__}")
    rank = self.shape.rank or 0
    outer = positive_axis(outer_axis, rank, "outer_axis")
    inner = positive_axis(inner_axis, rank, "inner_axis")
    if outer > inner:
        raise ValueError(
            f"Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis "
            f"({inner_axis})."
        )
    return merged(self, outer, inner)


def merged(value: Any, outer: int, inner: int) -> Any:
    """`merge_dims` of a ragged or dense tensor; axes counted from the front."""
    if outer == inner:
        return value
    if not isinstance(value, RaggedTensor):
        dims = value.shape.as_list()
        return reshape(value, [*dims[:outer], -1, *dims[inner + 1 :]])
    if outer == 0:
        return merged(value.values, 0, inner - 1)
    if outer > 1:
        return value.rewrap(merged(value.values, outer - 1, inner - 1))
    if not isinstance(value.values, RaggedTensor):
        return _merged_into_dense(value, inner)
    within = merged(value.values, 1, inner - 1) if inner > 2 else value.values
    splits = value.row_splits
    joined = within.row_splits
    length = None
    if value.uniform_length is not None and within.uniform_length is not None:
        length = value.uniform_length * within.uniform_length
    return make_ragged(within.values, gather(joined, splits), length)


def _merged_into_dense(value: RaggedTensor, inner: int) -> RaggedTensor:
    """Rows of slices become rows of the slices' elements."""
    dims = value.values.shape.as_list()
    size = int(np.prod(dims[1:inner]))
    flat = reshape(value.values, [-1, *dims[inner:]])
    length = None if value.uniform_length is None else value.uniform_length * size
    return make_ragged(flat, value.row_splits * to_tensor(size, value.row_splits.dtype), length)


def check_same_rows(x: RaggedTensor, y: RaggedTensor, refusal: str) -> None:
    """Raises InvalidArgumentError unless the rows of both begin and end at the same places."""
    mine, yours = x.host_splits(), y.host_splits()
    if not np.array_equal(mine, yours):
        raise invalid_argument(
            f"{refusal}\nCondition x == y did not hold.\nFirst {len(mine[:3])} elements of x:\n"
            f"{mine[:3]}\nFirst {len(yours[:3])} elements of y:\n{yours[:3]}"
        )


def _iterate(self: RaggedTensor) -> Iterator[Any]:
    return (self[i] for i in range(self.row_splits.shape[0] - 1))  # type: ignore[index]


def as_partitioned(value: Any, splits_dtype: DType = dtypes.int64) -> RaggedTensor:
    """A ragged tensor, or a dense one's first two dimensions as a partition of equal rows."""
    if isinstance(value, RaggedTensor):
        return value
    return making.from_tensor(value, row_splits_dtype=splits_dtype)  # type: ignore[no-any-return]


for _name, _function in {
    "nrows": nrows,
    "row_starts": row_starts,
    "row_limits": row_limits,
    "row_lengths": row_lengths,
    "nested_row_lengths": nested_row_lengths,
    "value_rowids": value_rowids,
    "nested_value_rowids": nested_value_rowids,
    "uniform_row_length": property(uniform_row_length),
    "bounding_shape": bounding_shape,
    "with_values": with_values,
    "with_flat_values": with_flat_values,
    "with_row_splits_dtype": with_row_splits_dtype,
    "to_tensor": to_dense,
    "to_sparse": to_sparse,
    "from_sparse": staticmethod(from_sparse),
    "merge_dims": merge_dims,
    "__iter__": _iterate,
}.items():
    setattr(RaggedTensor, _name, _function)

for _name in (
    "row_splits", "row_lengths", "value_rowids", "row_starts", "row_limits", "uniform_row_length",
    "nested_row_splits", "nested_row_lengths", "nested_value_rowids", "tensor",
):  # fmt: skip
    setattr(RaggedTensor, f"from_{_name}", staticmethod(getattr(making, f"from_{_name}")))
