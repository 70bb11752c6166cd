"""Ops that make tensors larger out of their own elements: tile, repeat, pad."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.symbolic_value import SymbolicValue
from ...core.tensor import Tensor
from ...devices.constants import constants
from ..arguments import (
    check_integers,
    given_shape,
    holds_symbolic,
    is_symbolic,
    read_now,
    static_array,
    static_ints,
    wrong_argument,
)
from ..convert import is_tensor_like, to_tensor
from ..host_values import full_of
from ..infer import Spec, known_dims, shape_only
from ..op import apply, op
from .movement import moves
from .shaping import reshape


@moves
def tile_kernel(input: torch.Tensor, *, multiples: tuple[int, ...]) -> torch.Tensor:
    """The tensor several times along each axis."""
    _tiled(tuple(input.shape), multiples)
    return input.repeat(multiples)


def _tiled(dims: Sequence[int | None], multiples: Sequence[int]) -> tuple[int | None, ...]:
    if len(dims) != len(multiples):
        raise invalid_argument(
            f"Expected multiples argument to be a vector of length {len(dims)} but got length "
            f"{len(multiples)}"
        )
    for i, count in enumerate(multiples):
        if count < 0:
            raise invalid_argument(f"Expected multiples[{i}] >= 0, but got {count}")
    pairs = zip(dims, multiples, strict=True)
    return tuple(None if size is None else size * count for size, count in pairs)


def _tile_spec(input: Spec, *, multiples: tuple[int, ...]) -> Spec:
    return Spec(_tiled(input.dims or (), multiples), input.dtype)


TILE = op("Tile", "input: T, multiples: host -> output: T", tile_kernel, _tile_spec, T=dtypes.ANY)


@moves
def repeat_kernel(input: torch.Tensor, *, repeats: Sequence[int] | int, axis: int) -> torch.Tensor:
    """Every place along an axis several times; `repeats` is a count, or one for each place."""
    input = input.reshape(1) if input.ndim == 0 else input
    if isinstance(repeats, int):
        return input.repeat_interleave(repeats, axis)
    places = _repeated(input.device, input.shape[axis], tuple(repeats))
    return input.index_select(axis, places)


@constants
def _repeated(size: int, repeats: tuple[int, ...]) -> torch.Tensor:
    return torch.from_numpy(np.repeat(np.arange(size), repeats))


def _repeat_spec(input: Spec, *, repeats: Sequence[int] | int, axis: int) -> Spec:
    if input.dims is None:
        return Spec(None, input.dtype)
    dims = list(input.dims) or [1]
    dims[axis] = (dims[axis] or 0) * repeats if isinstance(repeats, int) else sum(repeats)
    return Spec(tuple(dims), input.dtype)


# TensorFlow has no op for it, but makes it of several.
REPEAT = op(
    "_Repeat", "input: T, repeats: host, axis: host -> output: T", repeat_kernel, _repeat_spec,
    T=dtypes.ANY,
)  # fmt: skip


Paddings = tuple[tuple[int, int], ...]
#: From so many numbers on, a pass over memory takes longer than some calls.
LEAST_FOR_FRAMES = 1 << 17


def pad_kernel(input: np.ndarray[Any, Any] | torch.Tensor, *, paddings: Paddings) -> Any:
    """A frame of zeros around the tensor."""
    return pad_v2_kernel(input, paddings=paddings, constant_values=0)


def pad_v2_kernel(input: Any, *, paddings: Paddings, constant_values: Any) -> Any:
    """A frame of one value around the tensor."""
    _check_paddings(input.shape, paddings)
    if not isinstance(input, torch.Tensor):
        dims = [size + sum(pair) for size, pair in zip(input.shape, paddings, strict=True)]
        if input.dtype == object:
            whole = full_of(dims, constant_values or b"")
        else:  # quantized numbers
            whole = np.full(dims, constant_values).astype(input.dtype)
        whole[tuple([slice(a, a + n) for (a, _), n in zip(paddings, input.shape, strict=True)])] = (
            input
        )
        return whole
    flat = [size for pair in reversed(paddings) for size in pair]
    if input.dtype is torch.bool:
        constant_values = bool(constant_values)
    if input.numel() >= LEAST_FOR_FRAMES and not input.requires_grad:
        return _framed(input, paddings, constant_values)
    return torch.constant_pad_nd(input, flat, constant_values)


def _framed(input: torch.Tensor, paddings: Paddings, value: Any) -> torch.Tensor:
    """A frame of one value around a large tensor: torch first fills what the tensor covers, too."""
    sizes = [low + size + high for (low, high), size in zip(paddings, input.shape, strict=True)]
    inner = made = input.new_empty(sizes)
    for axis, ((low, high), size) in enumerate(zip(paddings, input.shape, strict=True)):
        for begin, count in ((0, low), (low + size, high)):
            if count:
                inner.narrow(axis, begin, count).fill_(value)
        inner = inner.narrow(axis, low, size)
    inner.copy_(input)
    return made


def _check_paddings(dims: Sequence[int | None], paddings: Paddings) -> None:
    if len(paddings) != len(dims):
        raise invalid_argument(
            f"The first dimension of paddings must be the rank of inputs[{len(paddings)},2] "
            f"{runtime_text(dims)}"
        )
    for before, after in paddings:
        if before < 0 or after < 0:
            raise invalid_argument(f"Paddings must be non-negative: {before} {after}")


def _padded(input: Spec, paddings: Paddings) -> Spec:
    dims = input.dims or ()
    _check_paddings(dims, paddings)
    pairs = zip(dims, paddings, strict=True)
    return Spec(
        tuple(None if size is None else size + sum(frame) for size, frame in pairs), input.dtype
    )


def _pad_spec(input: Spec, *, paddings: Paddings, constant_values: complex | float = 0) -> Spec:
    return _padded(input, paddings)


PAD = op("Pad", "input: T, paddings: host -> output: T", pad_kernel, _pad_spec, T=dtypes.ANY_HELD)
PAD_V2 = op(
    "PadV2", "input: T, paddings: host, constant_values: host -> output: T",
    pad_v2_kernel, _pad_spec, T=dtypes.ANY_HELD,
)  # fmt: skip


@moves
def mirror_pad_kernel(input: torch.Tensor, *, paddings: Paddings, mode: str) -> torch.Tensor:
    """A frame of the tensor's own elements, mirrored at its edges."""
    _mirror_pad_spec(shape_only(input), paddings=paddings, mode=mode)
    for axis, (before, after) in enumerate(paddings):
        if before or after:
            sizes = input.shape[axis], before, after
            places = _mirrored(input.device, *sizes, _gap(mode))
            input = input.index_select(axis, places)
    return input


@constants
def _mirrored(size: int, before: int, after: int, gap: int) -> torch.Tensor:
    """The places that stand along a padded axis; a gap of 1 does not repeat the edge."""
    inner = torch.arange(size)
    left = torch.arange(before - 1 + gap, gap - 1, -1)
    right = torch.arange(size - 1 - gap, size - 1 - gap - after, -1)
    return torch.cat([left, inner, right])


def _gap(mode: str) -> int:
    """How many elements at an edge are not repeated.

    Raises:
        InvalidArgumentError: there is no such mode.
    """
    if mode not in ("REFLECT", "SYMMETRIC"):
        raise invalid_argument(
            f"Value for attr 'mode' of \"{mode}\" is not in the list of allowed values: "
            '"REFLECT", "SYMMETRIC"'
        )
    return int(mode == "REFLECT")


def _mirror_pad_spec(input: Spec, *, paddings: Paddings, mode: str) -> Spec:
    made = _padded(input, paddings)
    gap = _gap(mode)
    for size, (before, after) in zip(input.dims or (), paddings, strict=True):
        if size is not None:
            _check_mirrored((before, after), size, gap, "dimension size")
    return made


def _check_mirrored(frame: tuple[int, int], size: int, gap: int, what: str) -> None:
    """Raises InvalidArgumentError unless there is enough to mirror on both sides."""
    if max(frame) > size - gap:
        most = "less than" if gap else "no greater than"
        wrong = "not less than" if gap else "greater than"
        raise invalid_argument(
            f"paddings must be {most} the {what}: {frame[0]}, {frame[1]} {wrong} {size}"
        )


MIRROR_PAD = op(
    "MirrorPad", "input: T, paddings: host -> output: T", mirror_pad_kernel, _mirror_pad_spec,
    T=dtypes.ANY_HELD,
)  # fmt: skip


@moves
def mirror_pad_grad_kernel(input: torch.Tensor, *, paddings: Paddings, mode: str) -> torch.Tensor:
    """What stands in a mirrored frame, added to what it is the mirror image of."""
    made = _mirror_pad_grad_spec(shape_only(input), paddings=paddings, mode=mode)
    for axis, (before, after) in enumerate(paddings):
        if before or after:
            size = known_dims(made)[axis]
            places = _mirrored(input.device, size, before, after, _gap(mode))
            sums = input.new_zeros((*input.shape[:axis], size, *input.shape[axis + 1 :]))
            input = sums.index_add(axis, places, input)
    return input


def _mirror_pad_grad_spec(input: Spec, *, paddings: Paddings, mode: str) -> Spec:
    dims = known_dims(input)
    _check_paddings(dims, paddings)
    gap, sizes = _gap(mode), []
    for size, (before, after) in zip(dims, paddings, strict=True):
        if before + after >= size:
            raise invalid_argument(
                "Total paddings must be less than the input dimension size: "
                f"{before + after} was not less than {size}"
            )
        sizes.append(size - before - after)
        _check_mirrored((before, after), sizes[-1], gap, "output dimension size")
    return Spec(tuple(sizes), input.dtype)


MIRROR_PAD_GRAD = op(
    "MirrorPadGrad", "input: T, paddings: host -> output: T", mirror_pad_grad_kernel,
    _mirror_pad_grad_spec, T=dtypes.NUMBERS,
    unsupported_types=(dtypes.uint16, dtypes.uint32, dtypes.uint64),
)  # fmt: skip


def tile(input: TensorLike, multiples: Any, name: str | None = None) -> Tensor:
    """The tensor several times along each axis (`tf.tile`).

    Raises:
        InvalidArgumentError: there is not one count per axis, or one is negative.

    >>> tile([1, 2], [2]).numpy().tolist()
    [1, 2, 1, 2]
    """
    if isinstance(multiples, (list, tuple)):
        rank: int | None = 1
    else:
        rank = multiples.shape.rank if is_symbolic(multiples) else np.ndim(multiples)
    if rank == 0:
        raise invalid_argument("Expected multiples to be 1-D, but got shape [] [Op:Tile]")
    return apply(TILE, (to_tensor(input),), {"multiples": static_ints(multiples, "multiples")})


def repeat(
    input: TensorLike, repeats: TensorLike, axis: int | None = None, name: str | None = None
) -> Tensor:
    """Returns every element several times (`tf.repeat`).

    Args:
        input: a tensor.
        repeats: how often: one number for all, or one for each place along the axis.
        axis: the axis; the flattened tensor is repeated if None.
        name: a name in graphs.

    Raises:
        ValueError: there is not one number per place, or the axis is out of range.
        InvalidArgumentError: a number is negative.

    >>> repeat([1, 2], [2, 1]).numpy().tolist()
    [1, 1, 2]
    """
    input = to_tensor(input)
    counts = _counts(repeats)
    if axis is None:
        input, axis = reshape(input, (-1,)), 0
    if not isinstance(axis, (int, np.integer)):
        raise TypeError(
            f"Argument `axis` must be an int. Received `axis` = {axis} of type "
            f"{type(axis).__name__}"
        )
    if input.shape.rank == 0:
        input = reshape(input, (1,))
    rank, size = input.ndim, None
    if rank is not None:
        if not -rank <= axis < rank:
            raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
        size, axis = input.shape[axis], axis % rank
    if isinstance(counts, SymbolicValue):  # not even how many there are is known
        return apply(REPEAT, (input,), {"repeats": counts, "axis": axis})
    if len(counts) != 1 and None is not size != len(counts):
        raise ValueError(f"Dimensions {size} and {len(counts)} are not compatible")
    known = [count for count in counts if not isinstance(count, SymbolicValue)]
    if known and min(known) < 0:
        raise invalid_argument(f"Expected multiples[1] >= 0, but got {min(known)} [Op:Tile]")
    attrs = {"repeats": counts[0] if len(counts) == 1 else counts, "axis": axis}
    return apply(REPEAT, (input,), attrs)


def _counts(repeats: TensorLike) -> Any:
    if isinstance(repeats, float):
        raise TypeError(
            "Argument `tensor` (name: repeats) must be of type integer. Received `tensor` = "
            f"{repeats} of dtype: {dtypes.float32!r}"
        )
    repeats = read_now(repeats)
    if is_symbolic(repeats):
        if (repeats.shape.rank or 0) > 1:
            raise ValueError(f"Shape {repeats.shape} must have rank at most 1")
        if repeats.shape.rank is None:
            repeats = reshape(repeats, (-1,))
        return static_ints(repeats, "repeats")
    if holds_symbolic(repeats):
        return static_ints(repeats, "repeats")
    counts = static_array(repeats, "repeats")
    if counts.ndim > 1:
        raise ValueError(f"Shape {counts.shape} must have rank at most 1")
    return tuple(counts.reshape(-1).tolist())


def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    constant_values: TensorLike = 0,
    name: str | None = None,
) -> Tensor:
    """Returns a frame around a tensor (`tf.pad`).

    Args:
        tensor: a tensor.
        paddings: for each axis how much goes before and how much behind, shape (rank, 2).
        mode: "CONSTANT" for one value, "REFLECT" or "SYMMETRIC" for the tensor mirrored at its
            edge, without or with the edge itself.
        constant_values: the one value.
        name: a name in graphs.

    Raises:
        ValueError: there is no such mode.
        InvalidArgumentError: the paddings do not fit the tensor.

    >>> pad([1, 2], [[1, 0]]).numpy().tolist()
    [0, 1, 2]
    """
    tensor = to_tensor(tensor)
    kind = mode.upper()
    if kind not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". '
            f"Received `mode` = {kind}"
        )
    attrs: dict[str, Any] = {"paddings": _frame(paddings)}
    if kind != "CONSTANT":
        framed = apply(MIRROR_PAD, (tensor,), {**attrs, "mode": kind})
    elif type(constant_values) is int and constant_values == 0:
        framed = apply(PAD, (tensor,), attrs)
    else:
        attrs["constant_values"] = _one_value(constant_values, tensor.dtype)
        framed = apply(PAD_V2, (tensor,), attrs)
    return framed if framed.shape.rank is not None else _ranked(framed, tensor, paddings)


def _ranked(made: Tensor, tensor: Tensor, paddings: TensorLike) -> Tensor:
    """What only running the graph tells the sizes of, with as many axes as one input tells."""
    rank = tensor.shape.rank
    if rank is None:
        rank = (given_shape(paddings) or (None,))[0]
    if rank is not None:
        made.set_shape([None] * rank)
    return made


def _one_value(given: Any, dtype: dtypes.DType) -> Any:
    """The value of a frame around a tensor of this dtype, as a Python value."""
    value = to_tensor(given, None if is_tensor_like(given) else dtype)
    if value.dtype is not dtype:
        raise invalid_argument(
            f"cannot compute PadV2 as input #2(zero-based) was expected to be a "
            f"{dtypes.runtime_name(dtype)} tensor but is a {dtypes.runtime_name(value.dtype)} "
            "tensor [Op:PadV2] name: "
        )
    if is_symbolic(value):
        return SymbolicValue(value)
    number = value.numpy()
    return number if dtype is dtypes.string else number.item()


def symbolic_pairs(paddings: TensorLike) -> Any:
    """What waits for a matrix of a graph with two columns, or None: its value is known."""
    paddings = read_now(paddings)
    if isinstance(paddings, (list, tuple)) and any(map(_has_symbols, paddings)):
        return tuple(static_ints(pair, "paddings") for pair in paddings)
    if is_symbolic(paddings):
        rows = paddings.shape.as_list()[0] if paddings.shape.rank == 2 else None
        if rows is not None and paddings.shape[1] in (2, None):
            numbers = static_ints(reshape(paddings, [2 * rows]), "paddings")
            return tuple(zip(numbers[::2], numbers[1::2], strict=True))
        if rows is None and paddings.static_value() is None:
            check_integers(paddings)
            return SymbolicValue(paddings, "all")
    return None


def _frame(paddings: TensorLike) -> Any:
    pairs = _plain_pairs(paddings)
    if pairs:
        return pairs
    waiting = symbolic_pairs(paddings)
    if waiting is not None:
        return waiting
    array = static_array(paddings, "paddings")
    if array.ndim != 2 or array.shape[1] != 2:
        raise wrong_argument(
            f"paddings must be a matrix with 2 columns: {runtime_text(array.shape)} [Op:Pad]",
            f"Shape must be rank 2 but is rank {array.ndim} for paddings"
            if array.ndim != 2
            else f"Dimension must be 2 but is {array.shape[1]} for paddings",
        )
    return tuple((before, after) for before, after in array.tolist())


def _plain_pairs(paddings: TensorLike) -> Any:
    """A list of pairs of ints, as most programs write it; None for whatever else it is."""
    if not isinstance(paddings, (list, tuple)):
        return None
    for pair in paddings:
        if not isinstance(pair, (list, tuple)) or [type(each) for each in pair] != [int, int]:
            return None
    return tuple(map(tuple, paddings))


def _has_symbols(pair: Sequence[Any] | int) -> bool:
    if isinstance(pair, (list, tuple)):
        return any(is_symbolic(read_now(each)) for each in pair)
    return is_symbolic(read_now(pair))
