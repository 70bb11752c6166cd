"""Ops that bring elements into another order: reverse, roll, space and batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import InvalidArgumentError, invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import Axis, TensorLike
from ...core.tensor import Tensor
from ...devices.late import is_late, note
from ..arguments import (
    given_shape,
    holds_symbolic,
    is_symbolic,
    known_int,
    read_now,
    static_array,
    static_ints,
    told_here,
    wrong_argument,
)
from ..convert import to_tensor
from ..infer import Spec
from ..op import apply, op
from .movement import moves


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
    input: torch.Tensor, seq_lengths: torch.Tensor, *, seq_dim: int, batch_dim: int = 0
) -> torch.Tensor:
    """The first elements of each sequence the other way round, as many as its length says."""
    size = input.shape[seq_dim]
    if is_late(seq_lengths):
        safe = seq_lengths.clamp(0, size)
        note((safe != seq_lengths).any(), _check_lengths, (seq_lengths,), size, seq_dim)
        seq_lengths = safe
    else:
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
    if not lengths.numel():
        return
    low, high = (int(end) for end in lengths.aminmax())
    if low < 0 or high > size:
        row = int(((lengths < 0) | (lengths > size)).nonzero()[0])
        too_short = int(lengths[row]) < 0
        raise invalid_argument(
            f"seq_lens({row}) " + ("< 0" if too_short else f"> input.dims({seq_dim})")
        )


def _reverse_sequence_spec(
    input: Spec, seq_lengths: Spec, *, seq_dim: int, batch_dim: int = 0
) -> Spec:
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
    reverse_sequence_kernel, _reverse_sequence_spec, checks=True,
    T=dtypes.ANY, Tlen=dtypes.INDICES,
)  # fmt: skip


@moves
def roll_kernel(
    input: torch.Tensor, *, shift: tuple[int, ...], axis: tuple[int, ...]
) -> torch.Tensor:
    """Elements moved along axes; those that leave at one end come back at the other."""
    _check_roll(input.ndim, shift, axis)
    for each in axis:
        if not -input.ndim <= each < input.ndim:
            wrong = each + input.ndim if each < 0 else each
            raise invalid_argument(f"axis {wrong} is out of range")
    return torch.roll(input, shift, axis)


def _check_roll(rank: int, shift: Sequence[int], axis: Sequence[int]) -> None:
    for value, what in ((shift, "shift"), (axis, "axis")):
        if any(
            isinstance(each, (list, tuple)) for each in value
        ):  # which only running the graph has told
            found = runtime_text(np.shape(value))
            raise invalid_argument(f"{what} must be a scalar or a 1-D vector. Found: {found}")
    if rank == 0:
        raise invalid_argument("input must be 1-D or higher")
    if len(shift) != len(axis):
        raise invalid_argument("shift and axis must have the same size")


def _roll_spec(input: Spec, *, shift: tuple[int, ...], axis: tuple[int, ...]) -> Spec:
    _check_roll(len(input.dims or ()), shift, axis)
    return input


ROLL = op(
    "Roll", "input: T, shift: host, axis: host -> output: T", roll_kernel, _roll_spec, T=dtypes.ANY
)


def reverse(tensor: TensorLike, axis: Axis, name: str | None = None) -> Tensor:
    """The elements the other way round along axes (`tf.reverse`).

    Raises:
        InvalidArgumentError: an axis is out of range or named twice.

    >>> reverse([1, 2, 3], [0]).numpy().tolist()
    [3, 2, 1]
    """
    if (axis.shape.rank if is_symbolic(axis) else _rank_of(axis)) == 0:
        raise invalid_argument("'dims' must be 1-dimension, not 0 [Op:ReverseV2]")
    return apply(REVERSE, (to_tensor(tensor),), {"axis": static_ints(axis, "axis")})


def _rank_of(axis: Any) -> int:
    return 1 if isinstance(axis, (list, tuple)) else np.ndim(axis)


def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: Any = None,
    batch_axis: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the first elements of each sequence the other way round (`tf.reverse_sequence`).

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
    attrs = {"seq_dim": known_int(seq_axis), "batch_dim": known_int(batch_axis or 0)}
    for name, axis in attrs.items():
        if isinstance(axis, int) and axis < 0:
            raise invalid_argument(f"Invalid {name} {axis}")
    if tensor.shape.is_fully_defined() and lengths.shape.is_fully_defined():
        specs = [Spec(tuple(x.shape), x.dtype) for x in (tensor, lengths)]
        try:
            _reverse_sequence_spec(*specs, **attrs)
        except InvalidArgumentError as error:
            raise told_here(error) from None
    return apply(REVERSE_SEQUENCE, (tensor, lengths), attrs)


def _check_vector(value: Any, what: str) -> None:
    """Raises unless a value is a scalar or a vector, as far as a graph knows its shape."""
    dims = given_shape(value)
    if dims is not None and len(dims) > 1:
        raise wrong_argument(
            f"{what} must be a scalar or a 1-D vector. Found: {runtime_text(dims)}",
            f"Shape must be at most rank 1 but is rank {len(dims)}",
        )


def roll(input: TensorLike, shift: TensorLike, axis: Axis, name: str | None = None) -> Tensor:
    """Returns the elements moved along axes, round the end (`tf.roll`).

    Args:
        input: the tensor.
        shift: by how many places, one per axis.
        axis: the axis or axes.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: an axis is out of range, or there is not one shift for each.
        ValueError: in a graph, as far as it knows the shapes: there is not one shift for each axis,
            one of them is a matrix, or the input is a scalar.

    >>> roll([1, 2, 3], 1, 0).numpy().tolist()
    [3, 1, 2]
    """
    return apply(ROLL, (to_tensor(input),), _shifts(shift, axis))


def _shifts(shift: TensorLike, axis: Axis) -> dict[str, tuple[int, ...]]:
    """The attributes of a roll, from whatever tells shifts and axes."""
    if type(shift) is int and type(axis) is int:
        return {"shift": (shift,), "axis": (axis,)}
    shift, axis = read_now(shift), read_now(axis)
    for value, what in ((shift, "shift"), (axis, "axis")):
        _check_vector(value, what)
    if not is_symbolic(shift) and not holds_symbolic(shift):
        shift = static_array(shift, "shift")  # TF: a float is another error than elsewhere
    return {"shift": static_ints(shift, "shift"), "axis": static_ints(axis, "axis")}
