"""Blocks of space moved into channels or into the batch, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.nn.functional import pad

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import Dims, num_elements, runtime_text
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ..arguments import static_array, static_ints
from ..convert import to_tensor
from ..infer import Spec, known_dims, shape_only
from ..op import apply, op
from .joining import stack
from .making import zeros_like
from .movement import moves
from .repeating import symbolic_pairs

Ints = tuple[int, ...]
Pairs = tuple[Ints, ...]


@moves
def space_to_depth_kernel(
    input: torch.Tensor, *, block_size: int, data_format: str = "NHWC"
) -> torch.Tensor:
    """Blocks of pixels as channels."""
    made = _space_to_depth_spec(shape_only(input), block_size=block_size, data_format=data_format)
    out = known_dims(made)
    n, h, w, c = _sizes(input.shape, data_format)
    rows, columns = h // block_size, w // block_size
    if data_format == "NHWC":
        blocks = input.reshape(n, rows, block_size, columns, block_size, c)
        return blocks.permute(0, 1, 3, 2, 4, 5).reshape(out)
    blocks = input.reshape(n, c, rows, block_size, columns, block_size)
    return blocks.permute(0, 3, 5, 1, 2, 4).reshape(out)


def depth_to_space_kernel(
    input: torch.Tensor, *, block_size: int, data_format: str = "NHWC"
) -> torch.Tensor:
    """Channels as blocks of pixels."""
    made = _depth_to_space_spec(shape_only(input), block_size=block_size, data_format=data_format)
    out = known_dims(made)
    n, h, w, c = _sizes(input.shape, data_format)
    kept = c // block_size**2
    if data_format == "NHWC":
        blocks = input.reshape(n, h, w, block_size, block_size, kept)
        return blocks.permute(0, 1, 3, 2, 4, 5).reshape(out)
    blocks = input.reshape(n, block_size, block_size, kept, h, w)
    return blocks.permute(0, 3, 4, 1, 5, 2).reshape(out)


def _sizes(dims: Sequence[Any], data_format: str) -> tuple[Any, Any, Any, Any]:
    """(batch, height, width, channels)."""
    a, b, c, d = dims
    return (a, b, c, d) if data_format == "NHWC" else (a, c, d, b)


def _placed(n: int, h: Any, w: Any, c: Any, data_format: str) -> Dims:
    return (n, h, w, c) if data_format == "NHWC" else (n, c, h, w)


_LARGEST_SQUARE = 46340  # TF: the square of a block is a number of 32 bits


def _check_block(dims: Dims, block_size: int) -> None:
    if len(dims) != 4:
        raise invalid_argument(f"Input rank should be 4 instead of {len(dims)}")
    if block_size < 2:
        raise invalid_argument(f"Block size should be > 1: {block_size}")


def _space_to_depth_spec(input: Spec, *, block_size: int, data_format: str = "NHWC") -> Spec:
    if input.dims is None:
        return input
    _check_block(input.dims, block_size)
    n, h, w, c = _sizes(input.dims, data_format)
    if (h or 0) % block_size or (w or 0) % block_size:
        raise invalid_argument(
            f"Image width {w} and height {h} should be divisible by block_size: {block_size}"
        )
    h, w = (None if size is None else size // block_size for size in (h, w))
    c = None if c is None else c * block_size**2
    return Spec(_placed(n, h, w, c, data_format), input.dtype)


def _depth_to_space_spec(input: Spec, *, block_size: int, data_format: str = "NHWC") -> Spec:
    if input.dims is None:
        return input
    _check_block(input.dims, block_size)
    if block_size > _LARGEST_SQUARE:
        raise invalid_argument(
            f"Block size should be > 1 and <= {_LARGEST_SQUARE} but was: {block_size}"
        )
    n, h, w, c = _sizes(input.dims, data_format)
    if (c or 0) % block_size**2:
        raise invalid_argument(f"Input depth dimension {c} should be divisible by: {block_size**2}")
    h, w = (None if size is None else size * block_size for size in (h, w))
    c = None if c is None else c // block_size**2
    return Spec(_placed(n, h, w, c, data_format), input.dtype)


SPACE_TO_DEPTH = op(
    "SpaceToDepth", "input: T -> output: T", space_to_depth_kernel, _space_to_depth_spec,
    T=(*dtypes.ANY_FIXED, dtypes.qint8),
)  # fmt: skip
DEPTH_TO_SPACE = op(
    "DepthToSpace", "input: T -> output: T", depth_to_space_kernel, _depth_to_space_spec,
    T=dtypes.ANY_FIXED,
)  # fmt: skip


def space_to_batch_kernel(
    input: torch.Tensor, *, block_shape: Ints, paddings: Pairs
) -> torch.Tensor:
    """Padded with zeros, then each place of a block as a batch of its own."""
    out = known_dims(
        _space_to_batch_spec(shape_only(input), block_shape=block_shape, paddings=paddings)
    )
    count = len(block_shape)
    rest = input.ndim - 1 - count
    ends = [end for pair in reversed(paddings) for end in pair]
    x = pad(input, [0, 0] * rest + ends)
    blocks: list[int] = [x.shape[0]]
    for size, each in zip(x.shape[1 : 1 + count], block_shape, strict=True):
        blocks += [size // each, each]
    inner, outer = range(2, 2 * count + 1, 2), range(1, 2 * count, 2)
    x = x.reshape(*blocks, *x.shape[1 + count :])
    order = [*inner, 0, *outer, *range(2 * count + 1, x.ndim)]
    return x.permute(order).reshape(out)


def batch_to_space_kernel(input: torch.Tensor, *, block_shape: Ints, crops: Pairs) -> torch.Tensor:
    """The inverse: batches as places of blocks, then the ends cut off."""
    _batch_to_space_spec(shape_only(input), block_shape=block_shape, crops=crops)
    count = len(block_shape)
    batch = input.shape[0] // num_elements(block_shape)
    space, rest = input.shape[1 : 1 + count], input.shape[1 + count :]
    x = input.reshape(*block_shape, batch, *space, *rest)
    order = [count]
    for axis in range(count):
        order += [count + 1 + axis, axis]
    x = x.permute(*order, *range(2 * count + 1, x.ndim))
    sizes = [size * each for size, each in zip(space, block_shape, strict=True)]
    x = x.reshape(batch, *sizes, *rest)
    for axis, (size, (low, high)) in enumerate(zip(sizes, crops, strict=True), 1):
        x = x.narrow(axis, low, size - low - high)
    return x.contiguous()


def _check_blocks(dims: Dims, block_shape: Ints, pairs: Pairs, name: str) -> None:
    if len(dims) < 1 + len(block_shape):
        raise invalid_argument(
            f"input rank should be >= {1 + len(block_shape)} instead of {len(dims)}"
        )
    if len(pairs) != len(block_shape) or any(len(pair) != 2 for pair in pairs):
        raise invalid_argument(f"{name} should have shape [{len(block_shape)}, 2]")
    if any(each < 1 for each in block_shape):
        raise invalid_argument(f"All values in block_shape must be positive, got {block_shape}")
    if any(end < 0 for pair in pairs for end in pair):
        raise invalid_argument(f"{name} must be non-negative, got {pairs}")


def _space_to_batch_spec(input: Spec, *, block_shape: Ints, paddings: Pairs) -> Spec:
    if input.dims is None:
        return input
    _check_blocks(input.dims, block_shape, paddings, "paddings")
    space: list[int | None] = []
    for i, (each, (low, high)) in enumerate(zip(block_shape, paddings, strict=True), 1):
        size = input.dims[i]
        if size is not None and (size + low + high) % each:
            raise invalid_argument(
                f"padded_shape[{i - 1}]={size + low + high} is not divisible by "
                f"block_shape[{i - 1}]={each}"
            )
        space.append(None if size is None else (size + low + high) // each)
    batch = input.dims[0]
    made = None if batch is None else batch * _count(block_shape)
    return Spec((made, *space, *input.dims[1 + len(block_shape) :]), input.dtype)


def _batch_to_space_spec(input: Spec, *, block_shape: Ints, crops: Pairs) -> Spec:
    if input.dims is None:
        return input
    _check_blocks(input.dims, block_shape, crops, "crops")
    batch, blocks = input.dims[0], _count(block_shape)
    if batch is not None and batch % blocks:
        raise invalid_argument(
            f"Input batch dimension ({batch}) is not divisible by product of block sizes ({blocks})"
        )
    space: list[int | None] = []
    for i, (each, (low, high)) in enumerate(zip(block_shape, crops, strict=True), 1):
        size = input.dims[i]
        left = None if size is None else size * each - low - high
        if left is not None and left < 0:
            raise invalid_argument(
                f"cropped_shape[{i - 1}]={left} must be non-negative: crops take more than there is"
            )
        space.append(left)
    made = None if batch is None else batch // blocks
    return Spec((made, *space, *input.dims[1 + len(block_shape) :]), input.dtype)


def _count(block_shape: Ints) -> int:
    return num_elements(block_shape) if block_shape else 1


SPACE_TO_BATCH = op(
    "SpaceToBatchND", "input: T, block_shape: host, paddings: host -> output: T",
    space_to_batch_kernel, _space_to_batch_spec, T=dtypes.ANY_FIXED,
)  # fmt: skip
BATCH_TO_SPACE = op(
    "BatchToSpaceND", "input: T, block_shape: host, crops: host -> output: T",
    batch_to_space_kernel, _batch_to_space_spec, T=dtypes.ANY_FIXED,
)  # fmt: skip


def space_to_depth(
    input: TensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Blocks of pixels as channels (`tf.nn.space_to_depth`).

    Args:
        input: images of shape (batch, height, width, channels).
        block_size: the height and width of a block, at least 2.
        data_format: "NHWC" or "NCHW".
        name: a name in graphs.

    Raises:
        InvalidArgumentError: height and width are not whole blocks.

    >>> space_to_depth([[[[1], [2]], [[3], [4]]]], 2).numpy().tolist()
    [[[[1, 2, 3, 4]]]]
    """
    attrs = {"block_size": int(block_size), "data_format": data_format}
    return apply(SPACE_TO_DEPTH, (to_tensor(input),), attrs)


def depth_to_space(
    input: TensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Returns channels as blocks of pixels (`tf.nn.depth_to_space`), the inverse of
    `space_to_depth`.

    Args:
        input: shape (batch, height, width, channels).
        block_size: how many pixels a block is wide and high, at least 2; channels divide by its
            square.
        data_format: "NHWC", "NCHW" or "NCHW_VECT_C".
        name: a name in graphs.
    """
    attrs = {"block_size": int(block_size), "data_format": data_format}
    return apply(DEPTH_TO_SPACE, (to_tensor(input),), attrs)


def required_space_to_batch_paddings(
    input_shape: Any, block_shape: TensorLike, base_paddings: Any = None, name: str | None = None
) -> tuple[Any, Any]:
    """Returns what `space_to_batch` must be given so that blocks fit into spaces
    (`tf.required_space_to_batch_paddings`).

    Args:
        input_shape: int32 (spaces,): the sizes of the spaces.
        block_shape: int32 (spaces,): the size of a block along each.
        base_paddings: int32 (spaces, 2): the least zeros before and behind; 0 if None.
        name: a name in graphs.

    Returns:
        The paddings, and the crops that undo what they add to `base_paddings`: int32 (spaces, 2).

    Raises:
        ValueError: the shapes do not fit.

    >>> paddings, crops = required_space_to_batch_paddings([5], [2], [[1, 0]])
    >>> paddings.numpy().tolist(), crops.numpy().tolist()
    ([[1, 0]], [[0, 0]])
    """
    blocks = to_tensor(block_shape, dtypes.int32)
    sizes = to_tensor(input_shape, dtypes.int32)
    blocks.shape.assert_has_rank(1)
    sizes.shape.assert_is_compatible_with(blocks.shape)
    nothing = zeros_like(blocks)
    before = behind = nothing
    if base_paddings is not None:
        pairs = to_tensor(base_paddings, dtypes.int32)
        pairs.shape.assert_is_compatible_with([*blocks.shape.as_list(), 2])
        before, behind = pairs[:, 0], pairs[:, 1]
    full = sizes + before + behind
    extra = (blocks - full % blocks) % blocks
    return stack([before, behind + extra], 1), stack([nothing, extra], 1)


def space_to_batch(
    input: TensorLike, block_shape: Any, paddings: TensorLike, name: str | None = None
) -> Tensor:
    """Returns each place of a block of space as a batch of its own (`tf.space_to_batch`).

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
    attrs = {"block_shape": _blocks(block_shape), "paddings": _pairs(paddings, "paddings")}
    return apply(SPACE_TO_BATCH, (to_tensor(input),), attrs)


def batch_to_space(
    input: TensorLike, block_shape: Any, crops: TensorLike, name: str | None = None
) -> Tensor:
    """Returns the inverse of `space_to_batch`, with ends cut off (`tf.batch_to_space`).

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
    attrs = {"block_shape": _blocks(block_shape), "crops": _pairs(crops, "crops")}
    return apply(BATCH_TO_SPACE, (to_tensor(input),), attrs)


def _blocks(block_shape: Any) -> Ints:
    is_list = isinstance(block_shape, (list, tuple))
    if not is_list and np.ndim(block_shape) == 0:
        raise invalid_argument("block_shape rank should be 1 instead of 0 [Op:SpaceToBatchND]")
    return static_ints(block_shape, "block_shape")


def _pairs(value: TensorLike, what: str) -> Any:
    waiting = symbolic_pairs(value)
    if waiting is not None:
        return waiting
    array = static_array(value, what)
    if array.ndim != 2 or array.shape[1] != 2:
        raise invalid_argument(
            f"{what} should have 2 columns, got shape {runtime_text(array.shape)}"
        )
    return tuple((before, after) for before, after in array.tolist())
