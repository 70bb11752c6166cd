"""Blocks of space moved into channels, and back. (`moving.py` moves them into the batch.)"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ..base import dtypes
from ..base.errors import invalid_argument
from ..base.shapes import Dims
from .convert import to_tensor
from .infer import Spec, known_dims
from .op import apply, op


def space_to_depth_kernel(
    input: torch.Tensor, *, block_size: int, data_format: str = "NHWC"
) -> torch.Tensor:
    """Blocks of pixels as channels."""
    made = _space_to_depth_spec(_spec(input), block_size=block_size, data_format=data_format)
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
    made = _depth_to_space_spec(_spec(input), block_size=block_size, data_format=data_format)
    out = known_dims(made)
    n, h, w, c = _sizes(input.shape, data_format)
    kept = c // block_size**2
    if data_format == "NHWC":
        blocks = input.reshape(n, h, w, block_size, block_size, kept)
        return blocks.permute(0, 1, 3, 2, 4, 5).reshape(out)
    blocks = input.reshape(n, block_size, block_size, kept, h, w)
    return blocks.permute(0, 3, 4, 1, 5, 2).reshape(out)


def _spec(value: torch.Tensor) -> Spec:
    return Spec(tuple(value.shape), dtypes.float32)


def _sizes(dims: Sequence[Any], data_format: str) -> tuple[Any, Any, Any, Any]:
    """(batch, height, width, channels)."""
    a, b, c, d = dims
    return (a, b, c, d) if data_format == "NHWC" else (a, c, d, b)


def _placed(n: Any, h: Any, w: Any, c: Any, data_format: str) -> Dims:
    return (n, h, w, c) if data_format == "NHWC" else (n, c, h, w)


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
    n, h, w, c = _sizes(input.dims, data_format)
    if (c or 0) % block_size**2:
        raise invalid_argument(f"Input depth dimension {c} should be divisible by: {block_size**2}")
    h, w = (None if size is None else size * block_size for size in (h, w))
    c = None if c is None else c // block_size**2
    return Spec(_placed(n, h, w, c, data_format), input.dtype)


SPACE_TO_DEPTH = op(
    "SpaceToDepth", "input: T -> output: T", space_to_depth_kernel, _space_to_depth_spec,
    T=dtypes.ANY_FIXED,
)  # fmt: skip
DEPTH_TO_SPACE = op(
    "DepthToSpace", "input: T -> output: T", depth_to_space_kernel, _depth_to_space_spec,
    T=dtypes.ANY_FIXED,
)  # fmt: skip


def space_to_depth(
    input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Any:
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
    input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Any:
    """Channels as blocks of pixels (`tf.nn.depth_to_space`), the inverse of `space_to_depth`."""
    attrs = {"block_size": int(block_size), "data_format": data_format}
    return apply(DEPTH_TO_SPACE, (to_tensor(input),), attrs)
