"""Ops on shape and order, on ragged tensors: concat, stack, tile, reverse, masks."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from ...base import dtypes, nest
from ...base.errors import invalid_argument
from ...core.composite import composite_of
from ...core.ragged import RaggedTensor
from ...core.symbolic_value import SymbolicValueError
from ...core.tensor import Tensor
from ..arguments import host_value, is_symbolic
from ..array.gathering import WHERE
from ..array.joining import concat, stack
from ..array.shaping import expand_dims, reshape, squeeze
from ..composite import composite_rule
from ..convert import to_tensor
from ..deferred import value_dependent
from ..math.elementwise import cast
from ..op import Op, apply
from .making import as_values, make_ragged
from .methods import as_partitioned, check_same_rows, positive_axis, row_lengths
from .pick import gather_any, gather_nd_any, gather_rows, pick
from .validity import CHECK_SAME_ROWS, check_same_splits

_NEW = ("new",)
_ALL = ("slice", None, None, None)


@composite_rule(RaggedTensor, ["ConcatV2"])
def concat_rule(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """`tf.concat`."""
    ranks = {each.shape.rank for each in inputs}
    if len(ranks) > 1:
        raise ValueError(f"All inputs to concat must have the same rank, got {sorted(ranks)}.")
    return joined(list(inputs), positive_axis(attrs["axis"], ranks.pop()))


def joined(parts: list[Any], axis: int) -> Any:
    """Ragged or dense tensors of one rank, one after the other along an axis. Dense ones become
    ragged, but for the last axis.
    """
    are_dense = not any(isinstance(each, RaggedTensor) for each in parts)
    if are_dense and axis == parts[0].shape.rank - 1:
        return concat(parts, axis)
    ragged = _with_partitions(parts)
    if axis == 0:
        return _joined_rows(ragged)
    counts = [each.row_splits.shape[0] - 1 for each in ragged]
    for i, count in enumerate(counts):
        if count != counts[0]:
            raise invalid_argument(
                f"Input tensors at index 0 (=x) and {i} (=y) have incompatible shapes.\n"
                f"Condition x == y did not hold.\nFirst 1 elements of x:\n[{counts[0]}]\n"
                f"First 1 elements of y:\n[{count}]"
            )
    if axis > 1:
        _check_rows(ragged)
        values = joined([each.values for each in ragged], axis - 1)
        return ragged[0].rewrap(values)
    # Interleave: row i of each part, for all i.
    rows = counts[0]
    order = np.arange(rows * len(ragged)).reshape(len(ragged), rows).T.reshape(-1)
    mixed = gather_rows(_joined_rows(ragged), to_tensor(order))
    splits = mixed.host_splits()[:: len(ragged)]
    return make_ragged(mixed.values, to_tensor(np.ascontiguousarray(splits)))


def _check_rows(parts: list[RaggedTensor]) -> None:
    for each in parts[1:]:
        check_same_rows(parts[0], each, "Inputs must have identical ragged splits")


def _with_partitions(parts: list[Any]) -> list[RaggedTensor]:
    """Ragged tensors, of dense ones with row splits of the type that the others have."""
    found = [each.row_splits.dtype for each in parts if isinstance(each, RaggedTensor)]
    dtype = found[0] if found else dtypes.int64
    return [as_partitioned(each, dtype) for each in parts]


def _joined_rows(parts: list[RaggedTensor]) -> RaggedTensor:
    levels = max(each.ragged_rank for each in parts)
    values: list[Any] = [each.values for each in parts]
    dtype = parts[0].row_splits.dtype
    lengths = concat([cast(row_lengths(each), dtype) for each in parts], 0)
    inner = joined(values, 0) if levels > 1 else concat(values, 0)
    uniform = {each.uniform_length for each in parts}
    splits = np.cumsum([0, *host_value(lengths)]).astype(dtype.as_numpy_dtype)
    return make_ragged(inner, to_tensor(splits), uniform.pop() if len(uniform) == 1 else None)


@composite_rule(RaggedTensor, ["Pack"])
def stack_rule(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """`tf.stack`."""
    return stacked(list(inputs), attrs["axis"])


def stacked(parts: list[Any], axis: int) -> Any:
    """Ragged or dense tensors side by side along a new axis."""
    ranks = {each.shape.rank for each in parts}
    if len(ranks) > 1:
        raise ValueError(f"All inputs to stack must have the same rank, got {sorted(ranks)}.")
    rank = ranks.pop()
    place = positive_axis(axis, rank + 1)
    if not any(isinstance(each, RaggedTensor) for each in parts):
        if rank == 0 or 0 < place >= rank - 1:
            return stack(parts, place)
        if rank == 1:
            lengths = [each.shape[0] for each in parts]
            splits = to_tensor(np.cumsum([0, *lengths]).astype(np.int32))  # as TensorFlow has it
            return make_ragged(concat(parts, 0), splits)
        parts = _with_partitions(parts)
    if place > 1:
        ragged = _with_partitions(parts)
        _check_rows(ragged)
        return ragged[0].rewrap(stacked([each.values for each in ragged], place - 1))
    return joined([expanded(each, place) for each in parts], place)


def expanded(value: Any, axis: int) -> Any:
    """One more axis of size 1, counted from the front."""
    if not isinstance(value, RaggedTensor):
        return expand_dims(value, axis)
    if axis == 0:
        return pick(value, (_NEW, _ALL))
    return pick(value, (*[_ALL] * axis, _NEW))


@composite_rule(RaggedTensor, ["ExpandDims"])
def expand_dims_rule(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """`tf.expand_dims`."""
    (value,) = inputs
    return expanded(value, positive_axis(attrs["dim"], (value.shape.rank or 0) + 1))


@composite_rule(RaggedTensor, ["Squeeze"])
def squeeze_rule(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """`tf.squeeze`, of named axes."""
    (value,) = inputs
    axes = attrs["squeeze_dims"]
    if not axes:
        raise ValueError("Ragged.squeeze must have an axis argument.")
    rank = value.shape.rank or 0
    for axis in sorted({positive_axis(each, rank) for each in axes}, reverse=True):
        value = _squeezed(value, axis)
    return value


def _squeezed(value: Any, axis: int) -> Any:
    if not isinstance(value, RaggedTensor):
        return squeeze(value, axis)
    rows = value.row_splits.shape[0] - 1
    if axis == 0:
        if rows != 1:
            raise invalid_argument(f"Can not squeeze dim[0], expected a dimension of 1, got {rows}")
        return value.values
    if axis == 1:
        if not (np.diff(value.host_splits()) == 1).all():
            raise invalid_argument("Can not squeeze dim[1], expected a dimension of 1")
        return value.values
    return value.rewrap(_squeezed(value.values, axis - 1))


@composite_rule(RaggedTensor, ["Tile"])
def tile_rule(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """`tf.tile`."""
    value = inputs[0]
    (multiples,) = attrs.values() if len(inputs) == 1 else (host_value(inputs[1]),)
    rank = value.shape.rank
    if rank is not None and len(multiples) != rank:
        wrong = (
            f"Expected multiples argument to be a vector of length {rank} but got length "
            f"{len(multiples)}"
        )
        # TF looks at those of the rows first.
        raise IndexError(wrong) if len(multiples) <= value.ragged_rank else invalid_argument(wrong)
    for axis, times in enumerate(int(each) for each in multiples):
        if times != 1:
            value = _tiled(value, axis, times)
    return value


def _tiled(value: RaggedTensor, axis: int, times: int) -> Any:
    if times == 0:
        cut = ("slice", 0, 0, None)
        return pick(value, (*[_ALL] * axis, cut))
    return joined([value] * times, axis)


@composite_rule(RaggedTensor, ["ReverseV2"])
def reverse_rule(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """`tf.reverse`."""
    value = inputs[0]
    (axes,) = attrs.values() if len(inputs) == 1 else (host_value(inputs[1]),)
    rank = value.shape.rank or 0
    chosen = {positive_axis(int(each), rank) for each in axes}
    if not chosen:
        return value
    back = ("slice", None, None, -1)
    return pick(value, tuple(back if i in chosen else _ALL for i in range(max(chosen) + 1)))


@composite_rule(RaggedTensor, ["Split"])
def split_rule(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """`tf.split` into parts of one size."""
    (value,) = inputs
    count = attrs["num_split"]
    if count < 1:
        raise ValueError(f"`num_or_size_splits` must be >=1 if it is an `int`. Received {count}.")
    if count == 1:
        return [value]
    axis, size = _split_axis(value, attrs["axis"])
    if size % count:
        raise invalid_argument(
            f"Axis {axis} of a ragged tensor has {size} parts, which cannot be split into {count} "
            "of one size."
        )
    return _split(value, axis, [size // count] * count)


@composite_rule(RaggedTensor, ["SplitV"])
def split_sizes_rule(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """`tf.split` into parts of given sizes; one may be -1, what is left."""
    (value,) = inputs
    axis, size = _split_axis(value, attrs["axis"])
    sizes = [int(each) for each in attrs["size_splits"]]
    if sizes.count(-1) == 1:
        sizes[sizes.index(-1)] = size - sum(sizes) - 1
    if sum(sizes) != size or min(sizes, default=0) < 0:
        raise invalid_argument(
            f"Axis {axis} of a ragged tensor has {size} parts, which cannot be split into {sizes}."
        )
    return _split(value, axis, sizes)


def _split_axis(value: RaggedTensor, axis: Any) -> tuple[int, int]:
    """An axis counted from the front, and its size."""
    place = positive_axis(int(axis), value.shape.rank or 0)
    size = value.shape[place]
    if place and size is None:
        raise ValueError(
            f"Cannot split a ragged dimension. Got `value` with shape {value.shape} and `axis` "
            f"{place}."
        )
    if size is None:
        raise SymbolicValueError("How many rows there are to split is known when the graph runs.")
    return place, size


def _split(value: RaggedTensor, axis: int, sizes: list[int]) -> list[Any]:
    ends = itertools.accumulate(sizes)
    return [
        pick(value, (*[_ALL] * axis, ("slice", end - size, end, None)))
        for size, end in zip(sizes, ends, strict=True)
    ]


@composite_rule(RaggedTensor, ["GatherV2"])
def gather_rule(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """`tf.gather`."""
    params, indices = inputs
    axis, batch_dims = int(attrs.get("axis") or 0), int(attrs.get("batch_dims") or 0)
    return gather_any(params, indices, max(axis, batch_dims), batch_dims)


@composite_rule(RaggedTensor, ["ResourceGather"])
def resource_gather_rule(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """Rows of a variable, by ragged numbers."""
    resource, indices = inputs
    return indices.with_flat_values(apply(op, (resource, indices.flat_values), attrs))


@composite_rule(RaggedTensor, ["GatherNd"])
def gather_nd_rule(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """`tf.gather_nd`."""
    if attrs.get("bad_indices_policy") not in (None, "", "DEFAULT", "ERROR"):
        raise ValueError("non-default bad_indices_policy not supported for ragged gather")
    params, indices = inputs
    if indices.shape.rank is None:
        raise ValueError("indices.rank be statically known.")
    if indices.shape.rank == 0:
        raise ValueError("indices.rank must be at least 1.")
    if isinstance(indices, RaggedTensor) and indices.ragged_rank == indices.shape.rank - 1:
        raise ValueError("The innermost dimension of indices may not be ragged")
    return gather_nd_any(params, indices)


@composite_rule(RaggedTensor, ["OneHot"])
def one_hot_rule(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """`tf.one_hot`, along a new last axis."""
    indices, *others = inputs
    axis, rank = attrs.get("axis", -1), indices.ragged_rank
    if axis != -1:
        if axis <= rank:
            raise ValueError(f"axis ({axis}) must be greater than indices.ragged_rank ({rank}).")
        attrs = {**attrs, "axis": axis - rank}
    return indices.with_flat(apply(op, (indices.flat_values, *others), attrs))


@composite_rule(RaggedTensor, ["Softmax", "LogSoftmax"])
def softmax_rule(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """`tf.nn.softmax` over the last axis, whose rows are filled up with minus infinity."""
    (value,) = inputs
    if value.flat_values.shape.rank > 1:
        return value.with_flat(apply(op, (value.flat_values,), attrs))
    rows = value.levels()[-1]
    dense = rows.to_tensor(default_value=float("-inf"))
    made = apply(op, (dense,), attrs)
    lengths = row_lengths(rows)
    cut = RaggedTensor.from_tensor(made, lengths=lengths)  # type: ignore[attr-defined]
    return value.with_flat(cut.values)


@composite_rule(RaggedTensor, ["Reshape"])
def reshape_rule(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Tensor:
    """`tf.reshape` to [-1]: all values, without their rows."""
    (value,) = inputs
    if tuple(attrs["shape"]) != (-1,):
        raise ValueError("A ragged tensor can be reshaped to [-1] only; use merge_dims.")
    return reshape(value.flat_values, [-1])


@composite_rule(RaggedTensor, ["Where"])
def where_rule(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Tensor:
    """The coordinates of all values that are True."""
    (value,) = inputs
    inside = host_value(apply(WHERE, (value.flat_values,)))
    columns = [inside[:, i] for i in range(inside.shape[1])]
    rows = columns[0]
    found = columns[1:]
    for level in reversed(value.levels()):
        splits = level.host_splits()
        ids = np.repeat(np.arange(len(splits) - 1), np.diff(splits))
        found = [rows - splits[ids[rows]], *found]
        rows = ids[rows]
    return to_tensor(np.stack([rows, *found], 1).astype(np.int64))


@value_dependent
def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """The values or rows where a mask is True, with their rows (`tf.ragged.boolean_mask`).

    Raises:
        ValueError: the mask is a scalar, or its shape is not the start of the data's.

    >>> boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]])
    <tf.RaggedTensor [[1], [3, 4]]>
    """
    data = as_values(data)
    mask = mask if isinstance(mask, RaggedTensor) else to_tensor(mask, dtypes.bool_)
    if mask.shape.rank is None:
        raise ValueError("mask.shape.ndims must be known statically.")
    if mask.shape.rank == 0:
        raise ValueError("mask cannot be scalar.")
    if mask.shape.rank > (data.shape.rank or 0):
        raise ValueError(f"Shapes {data.shape} and {mask.shape} are incompatible")
    return _masked(data, mask)


def _masked(data: Any, mask: Any) -> Any:
    if mask.shape.rank == 1:
        if data.shape[0] != mask.shape[0]:
            raise ValueError(f"Shapes {data.shape} and {mask.shape} are incompatible")
        return gather_rows(data, to_tensor(np.flatnonzero(host_value(mask))))
    data, mask = as_partitioned(data), as_partitioned(mask)
    if not np.array_equal(data.host_splits(), mask.host_splits()):
        raise invalid_argument(
            "Inputs must have identical ragged splits\nCondition x == y did not hold."
        )
    if mask.shape.rank > 2:
        return data.rewrap(_masked(data.values, mask.values))
    kept = host_value(mask.values)
    splits = np.concatenate([[0], np.cumsum(kept)])[data.host_splits()]
    values = _masked(data.values, mask.values)
    return make_ragged(values, to_tensor(splits.astype(data.row_splits.dtype.as_numpy_dtype)))


@value_dependent
def ragged_stack(values: Any, axis: int = 0, name: str | None = None) -> Any:
    """Tensors of one rank side by side, whatever their lengths (`tf.ragged.stack`).

    >>> ragged_stack([[1, 2], [3]])
    <tf.RaggedTensor [[1, 2], [3]]>
    """
    parts = values if isinstance(values, (list, tuple)) else [values]
    if not parts:
        raise ValueError("rt_inputs may not be empty.")
    tensors = [as_values(each) for each in parts]
    rank = tensors[0].shape.rank
    if not isinstance(axis, int):
        raise TypeError(f"axis must be an int; got {type(axis).__name__}")
    if len(tensors) == 1 and rank < 2 and axis in (0, -rank - 1):
        value = expanded(tensors[0], 0)
        return as_partitioned(value, dtypes.int32) if rank else value
    return stacked(tensors, axis)


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls `op` on the flat values of all ragged tensors among the arguments
    (`tf.ragged.map_flat_values`).

    Args:
        op: the function; its result has as many rows as the flat values.
        args: its arguments.
        kwargs: its arguments by name.

    Raises:
        ValueError: it gave more or fewer values, or the ragged arguments have other ragged ranks.
        InvalidArgumentError: their rows have other lengths.
    """
    args, kwargs = nest.map_structure(composite_of, (tuple(args), kwargs))
    ragged = [leaf for leaf in nest.flatten((args, kwargs)) if isinstance(leaf, RaggedTensor)]
    if not ragged:
        return op(*args, **kwargs)
    if len({value.ragged_rank for value in ragged}) > 1:
        raise ValueError("All ragged inputs must have the same ragged_rank.")
    sizes = {value.flat_values.shape[0] for value in ragged} - {None}
    if len(sizes) > 1:
        raise ValueError(
            "Input RaggedTensors' flat_values must all have the same outer-dimension size.  Got "
            f"sizes: {sizes}"
        )
    like = _with_common_rows(ragged)
    flat, named = nest.map_structure(
        lambda leaf: leaf.flat_values if isinstance(leaf, RaggedTensor) else leaf, (args, kwargs)
    )
    result = as_values(op(*flat, **named))
    outer_size = like.flat_values.shape[0]
    count = None if not result.shape.rank else result.shape[0]
    if result.shape.rank == 0 or (count != outer_size and None not in (count, outer_size)):
        raise ValueError(
            "tf.ragged.map_flat_values requires that the output of `op` have the same "
            f"outer-dimension size as flat_values of any ragged inputs. (output shape: "
            f"{result.shape}; expected outer dimension size: {outer_size})"
        )
    return like.with_flat(result)


def _with_common_rows(ragged: list[RaggedTensor]) -> RaggedTensor:
    """The first of some ragged tensors whose rows agree, with what all know of their lengths.

    Raises:
        InvalidArgumentError: rows have other lengths; in graphs when these run.
    """
    first, *others = ragged
    levels = []
    for mine, *rest in zip(*[value.levels() for value in (first, *others)], strict=True):
        splits, known = mine.row_splits, _known_splits(mine.row_splits)
        for other in rest:
            yours = _known_splits(other.row_splits)
            if other.row_splits is mine.row_splits:
                continue
            if known is not None and yours is not None:
                check_same_splits(known, yours)
            else:
                splits = apply(CHECK_SAME_ROWS, (splits, cast(other.row_splits, splits.dtype)))
        lengths = (each.uniform_length for each in (mine, *rest))
        levels.append((splits, next((each for each in lengths if each is not None), None), mine))
    made: Any = first.flat_values
    for splits, uniform, mine in reversed(levels):
        given = mine.given_partition if splits is mine.row_splits else None
        made = make_ragged(made, splits, uniform, given)
    return made  # type: ignore[no-any-return]


def _known_splits(splits: Tensor) -> Any:
    return splits.static_value() if is_symbolic(splits) else splits.numpy()
