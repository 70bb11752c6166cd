"""A block of a tensor replaced by another, at a place that a tensor tells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ..convert import to_tensor
from ..infer import Spec
from ..op import apply, op


def _block(shape: Sequence[Any], size: Any, start_indices: torch.Tensor) -> tuple[Any, ...]:
    """The block of that size; one that would stand out of the tensor is pushed inside. Where the
    host would wait for its place it is told as places along each axis.
    """
    if not start_indices.is_cpu:
        return tuple(
            _along(i, *each, start_indices) for i, each in enumerate(zip(shape, size, strict=True))
        )
    starts = start_indices.tolist()
    return tuple(
        slice(min(max(start, 0), whole - part), min(max(start, 0), whole - part) + part)
        for start, whole, part in zip(starts, shape, size, strict=True)
    )


def _along(axis: int, whole: int, part: int, starts: torch.Tensor) -> torch.Tensor:
    steps = torch.arange(part, device=starts.device)
    places = starts[axis].clamp(0, whole - part).long() + steps
    return places.reshape(-1, *[1] * (len(starts) - 1 - axis))


def update_slice_kernel(
    input: torch.Tensor, update: torch.Tensor, indices: torch.Tensor
) -> torch.Tensor:
    """A copy of `input` with `update` at `indices`."""
    block = _block(input.shape, update.shape, indices)
    result = input.clone()
    result[block] = update
    return result


def _update_slice_spec(input: Spec, update: Spec, indices: Spec) -> Spec:
    if input.dims is not None and update.dims is not None:
        fits = len(input.dims) == len(update.dims) and all(
            a is None or b is None or b <= a for a, b in zip(input.dims, update.dims, strict=True)
        )
        if not fits:
            raise invalid_argument(
                f"The update {runtime_text(update.dims)} does not fit into the input "
                f"{runtime_text(input.dims)}: it needs the same rank and no larger sizes."
            )
    return input


def slice_at_kernel(
    input: torch.Tensor, start_indices: torch.Tensor, *, size_indices: Sequence[int]
) -> torch.Tensor:
    """The block of a size that starts at some place."""
    return input[_block(input.shape, size_indices, start_indices)].clone()


def _slice_at_spec(input: Spec, start_indices: Spec, *, size_indices: Sequence[int]) -> Spec:
    return Spec(tuple(size_indices), input.dtype)


UPDATE_SLICE = op(
    "XlaDynamicUpdateSlice", "input: T, update: T, indices: Tindices -> output: T",
    update_slice_kernel, _update_slice_spec, T=dtypes.ANY_FIXED, Tindices=dtypes.INDICES,
    is_listed=False,
)  # fmt: skip

SLICE_AT = op(
    "XlaDynamicSlice",
    "input: T, start_indices: Tindices, size_indices: host -> output: T",
    slice_at_kernel, _slice_at_spec, T=dtypes.ANY_FIXED, Tindices=dtypes.INDICES,
    is_listed=False,
)  # fmt: skip


def dynamic_update_slice(input: TensorLike, update: Any, indices: TensorLike) -> Tensor:
    """`input` with a block replaced (`XlaDynamicUpdateSlice`).

    Args:
        input: a tensor.
        update: the block, of the same dtype and rank, nowhere larger.
        indices: where it starts, an integer vector with one element per axis; a block that would
            reach beyond the end is moved back.

    Raises:
        InvalidArgumentError: the block does not fit.

    >>> dynamic_update_slice([1, 2, 3], [9], [1]).numpy().tolist()
    [1, 9, 3]
    """
    input = to_tensor(input)
    return apply(UPDATE_SLICE, (input, to_tensor(update, input.dtype), to_tensor(indices)))
