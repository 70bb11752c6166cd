"""Sparse tensors put together and taken apart: concat, split, slice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import Axis, TensorLike
from ...core.symbolic_value import SymbolicValue, SymbolicValueError
from ..arguments import one_number, static_ints
from ..array.joining import stack
from ..infer import Spec
from ..math.reduction import reduce_max
from ..op import apply, op
from ..waiting import RESULT_SIZE
from .places import (
    Dims,
    as_sparse,
    check_inside,
    check_parts,
    dims_of,
    join,
    made,
    numbers_of,
    outside_of_tuple,
    put_together,
    row_of,
    sizes_as_tensor,
    take,
)
from .tensor import SparseTensor
from .unranked import needs_sparse_rank


def concat_kernel(*parts: Any, shapes: Sequence[Dims], concat_dim: int) -> tuple[Any, ...]:
    """Sparse tensors one after the other along an axis, in order of their places."""
    count = len(shapes)
    indices, values = parts[:count], parts[count:]
    moved, offset = [], 0
    for places, shape in zip(indices, shapes, strict=True):
        step = places.new_zeros(len(shape))
        step[concat_dim] = offset
        moved.append(places + step)
        offset += shape[concat_dim]
    together = torch.cat(moved)
    dims = joined(shapes, concat_dim)
    order = torch.argsort(numbers_of(together, dims), stable=True)
    places, joined_values = together.index_select(0, order), take(join(values), order)
    return places, joined_values, sizes_as_tensor(dims, together)


def joined(shapes: Sequence[Dims], axis: int) -> list[int]:
    """The shape of sparse tensors one after the other.

    Raises:
        InvalidArgumentError: they differ outside of the axis.
    """
    first = shapes[0]
    for i, shape in enumerate(shapes):
        if len(shape) != len(first):
            raise invalid_argument(
                f"Ranks of all input tensors must match: expected {len(first)} but got "
                f"{len(shape)} at position {i}"
            )
        for d, (a, b) in enumerate(zip(first, shape, strict=True)):
            if d != axis and a != b:
                raise invalid_argument(
                    "Input shapes must match: expected "
                    f"{a} for dimension {d} but got {b} at position {i}"
                )
    total = sum(shape[axis] for shape in shapes)
    return [*first[:axis], total, *first[axis + 1 :]]


def _concat_spec(*parts: Spec, shapes: Sequence[Dims], concat_dim: int) -> tuple[Spec, ...]:
    count = len(shapes)
    dims = joined(shapes, concat_dim)
    rows = [(part.dims or (None,))[0] for part in parts[count:]]
    total = None if None in rows else sum(row for row in rows if row is not None)
    return (
        Spec((total, len(dims)), dtypes.int64),
        Spec((total,), parts[count].dtype),
        Spec((len(dims),), dtypes.int64),
    )


SPARSE_CONCAT = op(
    "SparseConcat",
    "indices: N * int64, values: N * T, shapes: host "
    "-> output_indices: int64, output_values: T, output_shape: int64",
    concat_kernel, _concat_spec, T=dtypes.ANY,
)  # fmt: skip


def slice_kernel(
    indices: torch.Tensor,
    values: np.ndarray[Any, Any] | torch.Tensor,
    *,
    shape: Dims,
    start: Dims,
    size: Dims,
) -> tuple[Any, ...]:
    """The elements in a box, with places counted from its corner."""
    check_parts(indices, values, shape)
    dims = sliced(shape, start, size)
    low, sizes = row_of(start, indices), sizes_as_tensor(dims, indices)
    chosen = ((indices >= low) & (indices < low + sizes)).all(-1).nonzero().reshape(-1)
    return indices.index_select(0, chosen) - low, take(values, chosen), sizes


def sliced(shape: Dims, start: Dims, size: Dims) -> list[int]:
    """The shape of the box: its sizes, cut off where the tensor ends.

    Raises:
        InvalidArgumentError: the box has another rank, or a negative start or size.
    """
    for name, given in (("start", start), ("size", size)):
        if len(given) != len(shape):
            raise invalid_argument(
                f"Expected {name} to be a vector of length {len(shape)} but got length {len(given)}"
            )
        if min(given, default=0) < 0:
            raise invalid_argument(f"Expected {name} >= 0, got {runtime_text(given)}")
    return [
        max(0, min(wide, total - begin))
        for total, begin, wide in zip(shape, start, size, strict=True)
    ]


SPARSE_SLICE = op(
    "SparseSlice",
    "indices: int64, values: T, shape: host, start: host, size: host "
    "-> output_indices: int64, output_values: T, output_shape: int64",
    slice_kernel, None, T=dtypes.ANY,
    wait_reason=RESULT_SIZE,
)  # fmt: skip


def split_kernel(
    indices: torch.Tensor,
    values: np.ndarray[Any, Any] | torch.Tensor,
    *,
    split_dim: int,
    shape: Dims,
    num_split: int,
) -> list[Any]:
    """The parts' places, then their values, then their shapes."""
    boxes = split_boxes(shape, split_dim, num_split)
    check_inside(indices, shape, outside_of_tuple)
    parts = [slice_kernel(indices, values, shape=shape, start=a, size=b) for a, b in boxes]
    return [part[i] for i in range(3) for part in parts]


def split_boxes(shape: Dims, axis: int, count: int) -> list[tuple[list[int], list[int]]]:
    """Start and size of each part; the first parts are one longer where they do not divide.

    Raises:
        InvalidArgumentError: there are more parts than the axis has places, or none.
    """
    if not 1 <= count <= shape[axis]:
        raise invalid_argument(
            f"Input num_split should be between 1 and the splitting dimension size ({shape[axis]}),"
            f" got {count}"
        )
    short, longer = divmod(shape[axis], count)
    boxes, begin = [], 0
    for i in range(count):
        start, size = [0] * len(shape), list(shape)
        start[axis], size[axis] = begin, short + (i < longer)
        begin += size[axis]
        boxes.append((start, size))
    return boxes


SPARSE_SPLIT = op(
    "SparseSplit",
    "split_dim: host, indices: int64, values: T, shape: host "
    "-> output_indices: N * int64, output_values: N * T, output_shape: N * int64",
    split_kernel, None, T=dtypes.ANY,
    wait_reason=RESULT_SIZE,
)  # fmt: skip


@needs_sparse_rank
def concat(
    axis: Axis, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: str | None = None
) -> SparseTensor:
    """Returns sparse tensors one after the other along an axis (`tf.sparse.concat`).

    Args:
        axis: the axis; negative ones count from the last.
        sp_inputs: sparse tensors of one rank and type, in order of their places.
        expand_nonconcat_dims: take the largest size where they differ outside of the axis.
        name: a name in graphs.

    Raises:
        TypeError: something is no sparse tensor.
        InvalidArgumentError: shapes differ outside of the axis, or there is no such axis.
    """
    arguments = list(sp_inputs) if isinstance(sp_inputs, (list, tuple)) else [sp_inputs]
    inputs = [as_sparse(argument) for argument in arguments]
    if not inputs:
        raise ValueError("Must pass at least one SparseTensor to concat.")
    if len(inputs) == 1:
        return inputs[0]
    shapes = [dims_of(x) for x in inputs]
    rank = _known_rank(inputs)
    place = one_number(axis, "axis")
    if not -rank <= place < rank:
        raise invalid_argument(
            f"Concat dimension must be in range [{-rank}, {rank}), got {place} [Op:SparseConcat]"
        )
    place %= rank
    if expand_nonconcat_dims:
        largest = _largest(inputs, shapes)
        shapes = [(*largest[:place], s[place], *largest[place + 1 :]) for s in shapes]
    attrs = {"shapes": tuple(shapes), "concat_dim": place}
    parts = [x.indices for x in inputs] + [x.values for x in inputs]
    indices, values, sizes = apply(SPARSE_CONCAT, tuple(parts), attrs)
    result = put_together(indices, values, sizes, lambda: joined(shapes, place))
    if not expand_nonconcat_dims:
        result.set_shape(_known_around(inputs, place))
    return result


def _known_around(inputs: Sequence[SparseTensor], place: int) -> list[int | None]:
    """What is known of the sizes that sparse tensors share when they are joined along an axis."""
    around: list[int | None] = [None] * _known_rank(inputs)
    for x in inputs:
        for axis, size in enumerate(x.shape.sizes or ()):
            around[axis] = around[axis] if size is None else size
    around[place] = None
    return around


def _known_rank(inputs: Sequence[SparseTensor]) -> int:
    """The rank of sparse tensors, as far as one of them knows it."""
    known = [x.shape.rank for x in inputs if x.shape.rank is not None]
    if not known:
        raise ValueError(
            "Sparse tensors of unknown rank cannot be joined or split along an axis. Tell their "
            "shapes, for example with `set_shape([None, None])`."
        )
    return known[0]


def _largest(inputs: Sequence[SparseTensor], shapes: Sequence[Dims]) -> list[Any]:
    """The largest size of each axis."""
    try:
        return [max(sizes) for sizes in zip(*shapes, strict=True)]
    except SymbolicValueError:
        sizes = reduce_max(stack([x.dense_shape for x in inputs]), 0)
        return [SymbolicValue(sizes, axis) for axis in range(_known_rank(inputs))]


def slice_(
    sp_input: TensorLike, start: TensorLike, size: TensorLike, name: str | None = None
) -> SparseTensor:
    """Returns the elements in a box (`tf.sparse.slice`).

    Args:
        sp_input: a sparse tensor.
        start: the corner of the box.
        size: its sizes; it ends where the tensor does.
        name: a name in graphs.
    """
    x = as_sparse(sp_input)
    begin, sizes = static_ints(start, "start"), static_ints(size, "size")
    attrs = {"shape": dims_of(x), "start": begin, "size": sizes}
    indices, values, dims = apply(SPARSE_SLICE, (x.indices, x.values), attrs)
    return put_together(indices, values, dims, lambda: sliced(dims_of(x), begin, sizes))


@needs_sparse_rank
def split(
    sp_input: TensorLike | None = None,
    num_split: Any = None,
    axis: Axis | None = None,
    name: str | None = None,
) -> list[SparseTensor]:
    """Returns parts along an axis, the first ones longer where they do not divide
    (`tf.sparse.split`).

    Args:
        sp_input: a sparse tensor.
        num_split: how many parts.
        axis: the axis.
        name: a name in graphs.

    Raises:
        ValueError: an argument is missing.
        InvalidArgumentError: there are more parts than places, or there is no such axis.
    """
    missing = [
        name
        for name, argument in (("sp_input", sp_input), ("num_split", num_split), ("axis", axis))
        if argument is None
    ]
    if missing:
        raise ValueError(f"{missing[0]} is required")
    x = as_sparse(sp_input)  # type: ignore[arg-type]
    dims = dims_of(x)
    place, count = one_number(axis, "axis"), one_number(num_split, "num_split")
    rank = _known_rank([x])
    if not -rank <= place < rank:
        raise invalid_argument(f"Input axis should be in range [{-rank}, {rank}), got {place}")
    attrs = {"split_dim": place % rank, "shape": dims, "num_split": count}
    parts = apply(SPARSE_SPLIT, (x.indices, x.values), attrs)
    try:
        boxes = split_boxes(dims, place % rank, count)
    except SymbolicValueError:
        return [SparseTensor(*parts[i::count]) for i in range(count)]
    return [made(parts[i], parts[count + i], sizes) for i, (_, sizes) in enumerate(boxes)]
