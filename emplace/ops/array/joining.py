"""Ops that put tensors together and take them apart: concat, stack, unstack."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import TensorShape, runtime_text
from ...base.typing import Axis, TensorLike
from ...core.context import LOCAL
from ...core.symbolic_value import SymbolicValue
from ...core.tensor import Tensor
from ..arguments import (
    check_integers,
    given_shape,
    is_symbolic,
    known_int,
    only_number,
    read_now,
    static_ints,
    unranked_int,
    wrong_argument,
)
from ..convert import STACKING, is_tensor_like, tensors, to_tensor
from ..infer import Spec, shape_only
from ..op import apply, op
from .movement import moves
from .shaping import ensure_shape, identity, reshape

_RANK = torch.Tensor.dim


def concat_kernel(*values: torch.Tensor, axis: int) -> torch.Tensor:
    """One after the other along an axis."""
    if isinstance(values[0], torch.Tensor):
        if len(set(map(_RANK, values))) > 1:  # torch lets empty vectors fit anything
            _concat_spec(*map(shape_only, values), axis=axis)
        return torch.cat(values, axis)
    return np.concatenate(values, axis)


def _concat_spec(*values: Spec, axis: int) -> Spec:
    first = values[0].dims or ()
    rank = len(first)
    if rank == 0:
        raise invalid_argument("ConcatOp : Can't concatenate scalars (use tf.stack instead)")
    if not -rank <= axis < rank:
        raise invalid_argument(
            "ConcatOp : Expected concatenating dimensions in the range "
            f"[{-rank}, {rank}), but got {axis}"
        )
    axis %= rank
    total = 0
    for i, value in enumerate(values):
        dims = value.dims or ()
        if len(dims) != rank:
            raise invalid_argument(
                "ConcatOp : Ranks of all input tensors should match: "
                f"shape[0] = {runtime_text(first)} vs. shape[{i}] = {runtime_text(dims)}"
            )
        pairs = enumerate(zip(dims, first, strict=True))
        differs = next((j for j, (d, f) in pairs if j != axis and d != f), None)
        if differs is not None:
            raise invalid_argument(
                f"ConcatOp : Dimension {differs} in both shapes must be equal: "
                f"shape[0] = {runtime_text(first)} vs. shape[{i}] = {runtime_text(dims)}"
            )
        total += dims[axis] or 0
    return Spec((*first[:axis], total, *first[axis + 1 :]), values[0].dtype)


CONCAT = op(
    "ConcatV2",
    "values: N * T, axis: host -> output: T",
    concat_kernel,
    _concat_spec,
    T=dtypes.ANY_HELD,
)


def pack_kernel(*values: Any, axis: int) -> Any:
    """Side by side along a new axis."""
    return (
        torch.stack(values, axis) if isinstance(values[0], torch.Tensor) else np.stack(values, axis)
    )


def _pack_spec(*values: Spec, axis: int) -> Spec:
    first = values[0].dims or ()
    for i, value in enumerate(values):
        if value.dims != first:
            raise invalid_argument(
                "Shapes of all inputs must match: values[0].shape = "
                f"{runtime_text(first)} != values[{i}].shape = {runtime_text(value.dims or ())}"
            )
    rank = len(first) + 1
    if not -rank <= axis < rank:
        raise invalid_argument(f"axis = {axis} not in [{-rank}, {rank})")
    axis %= rank
    return Spec((*first[:axis], len(values), *first[axis:]), values[0].dtype)


PACK = op("Pack", "values: N * T -> output: T", pack_kernel, _pack_spec, T=dtypes.ANY_HELD)


@moves
def unpack_kernel(value: torch.Tensor, *, axis: int, num: int | None = None) -> Any:
    """One tensor for each place along an axis, of which there must be `num`, if that is told."""
    if num is not None:
        _check_num(tuple(value.shape), axis, num)
    return value.unbind(axis)


def _check_num(dims: Sequence[int | None], axis: int, num: int) -> None:
    _check_unpacked(len(dims), axis)
    if dims[axis] != num:
        raise invalid_argument(
            f"Input shape axis {axis % len(dims)} must equal {num}, got shape {runtime_text(dims)}"
        )


def _check_unpacked(rank: int, axis: int) -> None:
    if not -rank <= axis < rank:
        raise invalid_argument(f"axis = {axis} not in [{-rank}, {rank})")


def _unpack_spec(value: Spec, *, axis: int, num: int | None = None) -> tuple[Spec, ...]:
    dims = value.dims or ()
    if num is not None:
        _check_num(dims, axis, num)
    _check_unpacked(len(dims), axis)
    axis %= len(dims)
    kept = (*dims[:axis], *dims[axis + 1 :])
    return (Spec(kept, value.dtype),) * (dims[axis] or 0)


# A graph that does not know how many there are is told by `num`.
UNPACK = op(
    "Unpack", "value: T -> output: N * T", unpack_kernel, _unpack_spec, aliases=True, T=dtypes.ANY
)


@moves
def split_kernel(value: torch.Tensor, *, axis: int, num_split: int) -> Any:
    """Equal parts along an axis."""
    size = _split_size(value.shape, axis, num_split)
    return torch.split_with_sizes(value, [size] * num_split, axis)


@functools.lru_cache(4096)
def _split_size(dims: Sequence[int | None], axis: int, num_split: int) -> int:
    if num_split < 1:
        raise invalid_argument(
            f"Value for attr 'num_split' of {num_split} must be at least minimum 1"
        )
    axis = _split_axis(axis, len(dims))
    size = dims[axis] or 0
    if size % num_split:
        raise invalid_argument(
            "Number of ways to split should evenly divide the split dimension, but got split_dim "
            f"{axis} (size = {size}) and num_split {num_split}"
        )
    return size // num_split


def _split_axis(axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise invalid_argument(
            f"-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {axis}"
        )
    return axis % rank


def _split_spec(value: Spec, *, axis: int, num_split: int) -> tuple[Spec, ...]:
    dims = value.dims or ()
    size = _split_size(dims, axis, num_split)
    return (_resized(value, axis, size),) * num_split


def _resized(value: Spec, axis: int, size: int) -> Spec:
    dims = list(value.dims or ())
    dims[axis] = size
    return Spec(tuple(dims), value.dtype)


SPLIT = op(
    "Split", "axis: host, value: T -> output: N * T", split_kernel, _split_spec,
    aliases=True, T=dtypes.ANY,
)  # fmt: skip


@moves
def split_v_kernel(value: torch.Tensor, *, axis: int, size_splits: tuple[int, ...]) -> Any:
    """Parts of the given sizes along an axis."""
    sizes = _split_sizes(tuple(value.shape), axis, size_splits)
    return torch.split_with_sizes(value, sizes, axis)


def _split_sizes(dims: Sequence[int | None], axis: int, size_splits: Sequence[int]) -> list[int]:
    """The sizes with -1 worked out.

    Raises:
        InvalidArgumentError: they do not make up the axis.
    """
    size = dims[_split_axis(axis, len(dims))] or 0
    if list(size_splits).count(-1) > 1:
        raise invalid_argument("There can only be one -1 in the input.")
    if len(size_splits) == 1 and size_splits[0] != size:
        raise invalid_argument(
            "If there is only one output, it must have the same size as the input. "
            f"Input size: {size} output size: {size_splits[0]}"
        )
    known = sum(each for each in size_splits if each != -1)
    if known > size or (known < size and -1 not in size_splits):
        raise invalid_argument(
            "Determined shape must either match input shape along split_dim exactly if fully "
            "specified, or be less than the size of the input along split_dim if not fully "
            f"specified.  Got: {known}"
        )
    if any(each < -1 for each in size_splits):
        i, size = next((i, each) for i, each in enumerate(size_splits) if each < -1)
        raise invalid_argument(f"Split size at index {i} must be >= 0. Got: {size}")
    return [size - known if each == -1 else each for each in size_splits]


def _split_v_spec(value: Spec, *, axis: int, size_splits: tuple[int, ...]) -> tuple[Spec, ...]:
    sizes = _split_sizes(value.dims or (), axis, size_splits)
    return tuple(_resized(value, axis, size) for size in sizes)


SPLIT_V = op(
    "SplitV", "value: T, size_splits: host, axis: host -> output: N * T",
    split_v_kernel, _split_v_spec, aliases=True, T=dtypes.ANY,
)  # fmt: skip


def static_axis(axis: Axis) -> int:
    """An axis that was given as a number or a tensor of one.

    Raises:
        TypeError: it is no integer.
        InvalidArgumentError: there are several.
    """
    found = only_number(static_ints(axis, "axis"))
    if isinstance(found, tuple):
        raise invalid_argument(
            f"axis tensor should be a scalar integer, but got shape [{len(found)}]"
        )
    return found  # type: ignore[no-any-return]


def _joining_axis(axis: Axis, alone: bool) -> int:
    """The axis of a concatenation. It may be a vector of one eagerly, but not in a graph, nor where
    a tensor is alone.
    """
    axis = read_now(axis)
    dims = given_shape(axis)
    if dims and alone:
        raise ValueError(f"Shape {dims} must have rank 0")
    if dims and not LOCAL.state.target.is_eager:
        if is_tensor_like(axis):
            check_integers(axis)
        raise ValueError(
            f"Shape must be rank 0 but is rank {len(dims)}: the axis of a concatenation."
        )
    return static_axis(axis)


def concat(values: TensorLike, axis: Axis, name: str | None = "concat") -> Tensor:
    """Tensors one after the other along an axis (`tf.concat`).

    Raises:
        InvalidArgumentError: dtypes differ, or shapes do outside the axis.
        ValueError: in a graph, shapes differ as far as it knows them, or are those of scalars; the
            axis is no scalar.

    >>> concat([[1, 2], [3]], 0).numpy().tolist()
    [1, 2, 3]
    """
    parts = tensors(values if isinstance(values, (list, tuple)) else [values])
    place = axis if type(axis) is int else _joining_axis(axis, len(parts) == 1)
    if len(parts) == 1:
        return identity(parts[0])
    if not parts:
        raise wrong_argument(
            "ConcatOp : Expected at least one tensor to join, got none.",
            "List argument 'values' to 'ConcatV2' Op with length 0 shorter than minimum length 2.",
        )
    return apply(CONCAT, tuple(parts), {"axis": place})


def stack(values: Any, axis: int = 0, name: str | None = "stack") -> Tensor:
    """Tensors of one shape side by side along a new axis (`tf.stack`).

    Raises:
        ValueError: the axis is out of range.
        InvalidArgumentError: dtypes or shapes differ.

    >>> stack([[1, 2], [3, 4]]).shape
    TensorShape([2, 2])
    """
    axis = axis if type(axis) is int else known_int(axis)
    is_list = isinstance(values, (list, tuple))
    if type(axis) is int and axis == 0 and not (is_list and any(map(is_tensor_like, values))):
        try:  # TF: a list without tensors is a constant
            return to_tensor(values)
        except (TypeError, ValueError):
            pass
    if isinstance(values, np.ndarray):
        raise ValueError(
            f"expected a sequence for attr N, got an ndarray with rank {values.ndim} instead"
        )
    parts = tuple(tensors(values, alike=True))
    if axis != 0 and parts and parts[0].shape.rank is not None:
        _check_axis(axis, parts[0].ndim + 1)
    return apply(PACK, parts, {"axis": axis})


STACKING.bind(stack)


def _check_axis(axis: int, rank: int) -> None:
    if not -rank <= axis < rank:
        low = -rank if rank else 0
        raise ValueError(f"Argument `axis` = {axis} not in range [{low}, {rank})")


def parallel_stack(values: Any, name: str | None = "parallel_stack") -> Any:
    """Tensors of one known shape side by side along a new first axis, in graphs only
    (`tf.parallel_stack`).

    Raises:
        RuntimeError: in eager mode.
        ValueError: in a graph, shapes differ or are not known.
    """
    if LOCAL.state.target.is_eager:
        raise RuntimeError("tf.parallel_stack() is not compatible with eager execution.")
    parts = tensors(values, alike=True)
    if not parts or not all(part.shape.is_fully_defined() for part in parts):
        raise ValueError(
            "shape attr must be fully defined: tf.parallel_stack needs tensors of known shapes. "
            "Use tf.stack."
        )
    return apply(PACK, tuple(parts), {"axis": 0})


def unstack(
    value: TensorLike, num: int | None = None, axis: int = 0, name: str | None = "unstack"
) -> Any:
    """Returns one tensor for each place along an axis (`tf.unstack`).

    Args:
        value: a tensor.
        num: how many places there are; the shape tells for None.
        axis: the axis.
        name: a name in graphs.

    Raises:
        ValueError: the axis is out of range, or a graph does not know how many places there are.
        InvalidArgumentError: there are not `num` places.
    """
    value = to_tensor(value)
    axis = axis if type(axis) is int else known_int(axis)
    rank = value.shape.rank
    if rank is None:
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {value.shape}")
        return apply(UNPACK, (value,), {"axis": axis, "num": num})
    _check_axis(axis, rank)
    if value.shape[axis] is None:
        value = _of_size(value, axis, num)
    if num is not None and value.shape[axis] != num:
        raise wrong_argument(
            f"Input shape axis {axis % rank} must equal {num}, got shape "
            f"{runtime_text(value.shape)} [Op:Unpack] name: unstack",
            f"Dimension must be {num} but is {value.shape[axis]}",
        )
    return apply(UNPACK, (value,), {"axis": axis})


def _of_size(value: Tensor, axis: int, num: int | None) -> Tensor:
    """A tensor of a graph that is told how long an axis is."""
    if num is None:
        raise ValueError(f"Cannot infer argument `num` from shape {value.shape}")
    dims = value.shape.as_list()
    dims[axis] = num
    return ensure_shape(value, dims)


def _parting_axis(axis: Axis, is_even: bool) -> int:
    """The axis of a split. A graph that does not know whether it is a number sees when it runs."""
    axis = read_now(axis)
    if not is_symbolic(axis) or axis.shape.rank is not None:
        return static_axis(axis)
    if is_even:
        return unranked_int(axis, "split_dim must be a scalar but has shape {shape}")  # type: ignore[no-any-return]
    return known_int(reshape(axis, []))  # type: ignore[no-any-return]


def split(
    value: TensorLike,
    num_or_size_splits: Any,
    axis: Axis = 0,
    num: int | None = None,
    name: str | None = "split",
) -> Any:
    """Returns parts of a tensor along an axis (`tf.split`).

    Args:
        value: a tensor.
        num_or_size_splits: how many equal parts, or the size of each; one size may be -1.
        axis: the axis.
        num: how many parts, where the sizes do not tell.
        name: a name in graphs.

    Returns:
        A list of tensors; they share the memory of `value`.

    Raises:
        InvalidArgumentError: the parts do not make up the axis.
        ValueError: `num_or_size_splits` is a tensor of shape ().

    >>> [part.numpy().tolist() for part in split([1, 2, 3], [1, -1])]
    [[1], [2, 3]]
    """
    value = to_tensor(value)
    place = _parting_axis(axis, isinstance(num_or_size_splits, (int, np.integer)))
    if isinstance(num_or_size_splits, (int, np.integer)):
        attrs = {"axis": place, "num_split": int(num_or_size_splits)}
        return apply(SPLIT, (value,), attrs)
    if given_shape(num_or_size_splits) == ():
        raise ValueError(
            "Rank-0 tensors are not supported as the num_or_size_splits argument to split. "
            f"Argument provided: {num_or_size_splits}"
        )
    sizes_shape = getattr(num_or_size_splits, "shape", None)
    if (
        num is not None
        and isinstance(sizes_shape, TensorShape)
        and not sizes_shape.is_fully_defined()
    ):
        num_or_size_splits = ensure_shape(num_or_size_splits, [num])
    sizes = static_ints(num_or_size_splits, "num_or_size_splits")
    if isinstance(sizes, SymbolicValue):
        raise ValueError(f"Cannot infer argument `num` from shape {num_or_size_splits}")
    if num is not None and num != len(sizes):
        raise invalid_argument(
            "size of the split_tensor must be 1-D and have the same elements as outputs got 1 -D "
            f"and {len(sizes)} elements [Op:SplitV] name: split"
        )
    return apply(SPLIT_V, (value,), {"axis": place, "size_splits": sizes})
