"""Ops that bring elements into another order: reverse, roll, space and batch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ..base import dtypes
from ..base.errors import invalid_argument
from ..base.shapes import runtime_text
from . import infer
from .convert import static_array, static_ints, to_tensor
from .infer import Spec
from .movement import moves
from .op import apply, op


@moves
def reverse_kernel(tensor: torch.Tensor, *, axis: tuple[int, ...]) -> torch.Tensor:
    """The other way round along axes."""
    return tensor.flip(_reversed_axes(tensor.ndim, axis))


def _reversed_axes(rank: int, axes: Sequence[int]) -> list[int]:
    found: list[int] = []
    for i, axis in enumerate(axes):
        if not -rank <= axis < rank:
            raise invalid_argument(f"'axis'[{i}] = {axis} is out of valid range [0, {rank - 1}")
        if axis % rank in found:
            raise invalid_argument(f"axis {axis % rank} specified more than once.")
        found.append(axis % rank)
    return found


def _reverse_spec(tensor: Spec, *, axis: tuple[int, ...]) -> Spec:
    _reversed_axes(len(tensor.dims or ()), axis)
    return tensor


REVERSE = op(
    "ReverseV2", "tensor: T, axis: host -> output: T", reverse_kernel, _reverse_spec, T=dtypes.ANY
)


@moves
def reverse_sequence_kernel(
    input: torch.Tensor, seq_lengths: torch.Tensor, *, seq_dim: int, batch_dim: int
) -> torch.Tensor:
    """The first elements of each sequence the other way round, as many as its length says."""
    size = input.shape[seq_dim]
    _check_lengths(seq_lengths, size, seq_dim)
    steps = torch.arange(size, device=input.device)
    lengths = seq_lengths.long().unsqueeze(1)
    places = torch.where(steps < lengths, lengths - 1 - steps, steps)
    if batch_dim > seq_dim:
        places = places.T
    shape = [1] * input.ndim
    shape[batch_dim], shape[seq_dim] = input.shape[batch_dim], size
    return input.gather(seq_dim, places.reshape(shape).expand(input.shape))


def _check_lengths(lengths: torch.Tensor, size: int, seq_dim: int) -> None:
    wrong = ((lengths < 0) | (lengths > size)).nonzero()
    if len(wrong):
        row = int(wrong[0])
        too_short = int(lengths[row]) < 0
        raise invalid_argument(
            f"seq_lens({row}) " + ("< 0" if too_short else f"> input.dims({seq_dim})")
        )


def _reverse_sequence_spec(input: Spec, seq_lengths: Spec, *, seq_dim: int, batch_dim: int) -> Spec:
    dims, lengths = input.dims or (), seq_lengths.dims or ()
    if len(lengths) != 1:
        raise invalid_argument(f"seq_lengths must be 1-dim, not {len(lengths)}")
    if batch_dim == seq_dim:
        raise invalid_argument(f"batch_dim == seq_dim == {seq_dim}")
    if seq_dim < 0:
        raise invalid_argument(f"Invalid seq_dim {seq_dim}")
    if batch_dim < 0:
        raise invalid_argument(f"Invalid batch_dim {batch_dim}")
    if seq_dim >= len(dims):
        raise invalid_argument(f"seq_dim must be < input rank ( {seq_dim} vs. {len(dims)})")
    if batch_dim >= len(dims):
        raise invalid_argument(f"batch_dim must be < input rank ( {batch_dim} vs. {len(dims)})")
    if lengths[0] != dims[batch_dim]:
        raise invalid_argument(
            f"Length of seq_lengths != input.dims({batch_dim}), ({lengths[0]} vs. "
            f"{dims[batch_dim]})"
        )
    return input


REVERSE_SEQUENCE = op(
    "ReverseSequence", "input: T, seq_lengths: Tlen -> output: T",
    reverse_sequence_kernel, _reverse_sequence_spec,
    T=dtypes.ANY, Tlen=(dtypes.int32, dtypes.int64),
)  # fmt: skip


@moves
def roll_kernel(
    input: torch.Tensor, *, shift: tuple[int, ...], axis: tuple[int, ...]
) -> torch.Tensor:
    """Elements moved along axes; those that leave at one end come back at the other."""
    _check_roll(input.ndim, shift, axis)
    return torch.roll(input, shift, axis)


def _check_roll(rank: int, shift: Sequence[int], axis: Sequence[int]) -> None:
    if rank == 0:
        raise invalid_argument("input must be 1-D or higher")
    if len(shift) != len(axis):
        raise invalid_argument("shift and axis must have the same size")
    for each in axis:
        if not -rank <= each < rank:
            raise invalid_argument(f"axis {each + rank if each < 0 else each} is out of range")


def _roll_spec(input: Spec, *, shift: tuple[int, ...], axis: tuple[int, ...]) -> Spec:
    _check_roll(len(input.dims or ()), shift, axis)
    return input


ROLL = op(
    "Roll", "input: T, shift: host, axis: host -> output: T", roll_kernel, _roll_spec, T=dtypes.ANY
)

Pairs = tuple[tuple[int, int], ...]


def space_to_batch_kernel(
    input: torch.Tensor, *, block_shape: tuple[int, ...], paddings: Pairs
) -> torch.Tensor:
    """Blocks of space moved into the batch, after padding with zeros."""
    spec = Spec(tuple(input.shape), dtypes.float32)
    made = infer.known_dims(_space_to_batch_spec(spec, block_shape=block_shape, paddings=paddings))
    count = len(block_shape)
    rest = input.shape[count + 1 :]
    flat = [0, 0] * len(rest) + [size for pair in reversed(paddings) for size in pair]
    padded = torch.constant_pad_nd(input, flat)
    split = [
        part
        for size, block in zip(padded.shape[1:], block_shape, strict=False)
        for part in (size // block, block)
    ]
    parted = padded.reshape((input.shape[0], *split, *rest))
    blocks, inner = range(2, 2 * count + 2, 2), range(1, 2 * count + 1, 2)
    order = (*blocks, 0, *inner, *range(2 * count + 1, parted.ndim))
    return parted.permute(order).reshape(made)


def _check_blocks(
    dims: Sequence[int | None], block_shape: Sequence[int], pairs: Pairs, what: str
) -> None:
    count = len(block_shape)
    if len(dims) < count + 1:
        raise invalid_argument(f"input rank should be >= {count + 1} instead of {len(dims)}")
    if len(pairs) != count:
        raise invalid_argument(
            f"{what.lower()} should have shape [{count}, 2] instead of [{len(pairs)},2]"
        )
    for i, block in enumerate(block_shape):
        if block < 1:
            raise invalid_argument(
                f"All values in block_shape must be positive, got value, {block} at index {i}."
            )
    if any(size < 0 for pair in pairs for size in pair):
        raise invalid_argument(f"{what} must be non-negative")


def _space_to_batch_spec(input: Spec, *, block_shape: tuple[int, ...], paddings: Pairs) -> Spec:
    dims = input.dims or ()
    _check_blocks(dims, block_shape, paddings, "Paddings")
    spaces = []
    for i, (block, pair) in enumerate(zip(block_shape, paddings, strict=True)):
        size = (dims[i + 1] or 0) + sum(pair)
        if size % block:
            raise invalid_argument(
                f"padded_shape[{i}]={size} is not divisible by block_shape[{i}]={block}"
            )
        spaces.append(size // block)
    batch = (dims[0] or 0) * math.prod(block_shape)
    return Spec((batch, *spaces, *dims[len(spaces) + 1 :]), input.dtype)


SPACE_TO_BATCH = op(
    "SpaceToBatchND", "input: T, block_shape: host, paddings: host -> output: T",
    space_to_batch_kernel, _space_to_batch_spec, T=dtypes.ANY_FIXED,
)  # fmt: skip


def batch_to_space_kernel(
    input: torch.Tensor, *, block_shape: tuple[int, ...], crops: Pairs
) -> torch.Tensor:
    """Blocks of the batch moved back into space, cropped."""
    spec = Spec(tuple(input.shape), dtypes.float32)
    _batch_to_space_spec(spec, block_shape=block_shape, crops=crops)
    count = len(block_shape)
    batch = input.shape[0] // math.prod(block_shape)
    parted = input.reshape((*block_shape, batch, *input.shape[1:]))
    spaces = [axis for i in range(count) for axis in (count + 1 + i, i)]
    order = (count, *spaces, *range(2 * count + 1, parted.ndim))
    sizes = [size * b for size, b in zip(input.shape[1:], block_shape, strict=False)]
    whole = parted.permute(order).reshape((batch, *sizes, *input.shape[count + 1 :]))
    for i, (before, after) in enumerate(crops):
        whole = whole.narrow(i + 1, before, sizes[i] - before - after)
    return whole.contiguous()


def _batch_to_space_spec(input: Spec, *, block_shape: tuple[int, ...], crops: Pairs) -> Spec:
    dims = input.dims or ()
    _check_blocks(dims, block_shape, crops, "Crops")
    product = math.prod(block_shape)
    batch = dims[0] or 0
    if batch % product:
        raise invalid_argument(
            f"Input batch dimension ({batch}) is not divisible by product of block sizes "
            f"({product})"
        )
    spaces = []
    for i, (block, pair) in enumerate(zip(block_shape, crops, strict=True)):
        spaces.append((dims[i + 1] or 0) * block - sum(pair))
        if spaces[-1] < 0:
            raise invalid_argument(f"cropped_shape[{i}]={spaces[-1]} must be non-negative")
    return Spec((batch // product, *spaces, *dims[len(spaces) + 1 :]), input.dtype)


BATCH_TO_SPACE = op(
    "BatchToSpaceND", "input: T, block_shape: host, crops: host -> output: T",
    batch_to_space_kernel, _batch_to_space_spec, T=dtypes.ANY_FIXED,
)  # fmt: skip


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Any:
    """The elements the other way round along axes (`tf.reverse`).

    Raises:
        InvalidArgumentError: an axis is out of range or named twice.

    >>> reverse([1, 2, 3], [0]).numpy().tolist()
    [3, 2, 1]
    """
    if np.ndim(axis) == 0:
        raise invalid_argument("'dims' must be 1-dimension, not 0 [Op:ReverseV2]")
    return apply(REVERSE, (to_tensor(tensor),), {"axis": static_ints(axis, "axis")})


def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: Any = None,
    batch_axis: Any = None,
    name: str | None = None,
) -> Any:
    """The first elements of each sequence the other way round (`tf.reverse_sequence`).

    Args:
        input: a tensor with an axis of sequences and an axis of steps.
        seq_lengths: how many steps of each sequence to turn round.
        seq_axis: the axis of steps.
        batch_axis: the axis of sequences; 0 if None.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: a length or an axis does not fit.

    >>> reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1).numpy().tolist()
    [[2, 1, 3], [6, 5, 4]]
    """
    if seq_axis is None:
        raise TypeError("Expected int for argument 'seq_dim' not None.")
    lengths = to_tensor(seq_lengths, hint=dtypes.int64)
    tensor = to_tensor(input)
    attrs = {"seq_dim": seq_axis, "batch_dim": batch_axis or 0}
    _reverse_sequence_spec(
        Spec(tuple(tensor.shape), tensor.dtype), Spec(tuple(lengths.shape), lengths.dtype), **attrs
    )
    return apply(REVERSE_SEQUENCE, (tensor, lengths), attrs)


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Any:
    """The elements moved along axes, round the end (`tf.roll`).

    Raises:
        InvalidArgumentError: an axis is out of range, or there is not one shift for each.

    >>> roll([1, 2, 3], 1, 0).numpy().tolist()
    [3, 1, 2]
    """
    attrs = {"shift": static_ints(shift, "shift"), "axis": static_ints(axis, "axis")}
    return apply(ROLL, (to_tensor(input),), attrs)


def space_to_batch(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Any:
    """Blocks of space moved into the batch (`tf.space_to_batch`).

    Args:
        input: shape (batch, spaces..., rest...).
        block_shape: the size of a block along each space.
        paddings: zeros before and behind each space, shape (spaces, 2).
        name: a name in graphs.

    Returns:
        Shape (batch * product of blocks, (padded space / block)..., rest...).

    Raises:
        InvalidArgumentError: a padded space is no multiple of its block.
    """
    attrs = {"block_shape": _blocks(block_shape), "paddings": _pairs(paddings)}
    return apply(SPACE_TO_BATCH, (to_tensor(input),), attrs)


def batch_to_space(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Any:
    """Blocks of the batch moved back into space (`tf.batch_to_space`).

    Args:
        input: shape (batch * product of blocks, spaces..., rest...).
        block_shape: the size of a block along each space; one number for two of them.
        crops: how much to cut off before and behind each space, shape (spaces, 2).
        name: a name in graphs.

    Raises:
        InvalidArgumentError: the batch is no multiple of the blocks, or too much is cut off.
    """
    if isinstance(block_shape, int):
        block_shape = [block_shape, block_shape]
    attrs = {"block_shape": _blocks(block_shape), "crops": _pairs(crops)}
    return apply(BATCH_TO_SPACE, (to_tensor(input),), attrs)


def _blocks(block_shape: Any) -> tuple[int, ...]:
    if np.ndim(block_shape) == 0:
        raise invalid_argument("block_shape rank should be 1 instead of 0 [Op:SpaceToBatchND]")
    return static_ints(block_shape, "block_shape")


def _pairs(value: Any) -> Pairs:
    array = static_array(value, "paddings")
    if array.ndim != 2 or array.shape[1] != 2:
        raise invalid_argument(
            f"paddings should have 2 columns, got shape {runtime_text(array.shape)}"
        )
    return tuple((before, after) for before, after in array.tolist())
