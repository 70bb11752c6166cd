"""Windows of volumes, each laid flat: `tf.extract_volume_patches`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn.functional import pad

from ...base import dtypes
from ...base.typing import IntsLike, TensorLike
from ...core.tensor import Tensor
from ..arguments import static_ints
from ..convert import to_tensor
from ..infer import Spec, known_dims
from ..op import apply, op


def _axis(size: int, window: int, stride: int, padding: str) -> tuple[int, int, int]:
    """How many windows there are along an axis, and the zeros before and after it."""
    if padding == "VALID":
        return max(0, (size - window) // stride + 1), 0, 0
    count = -(-size // stride)
    missing = max(0, (count - 1) * stride + window - size)
    return count, missing // 2, missing - missing // 2


def _axes(dims: Sequence[int], ksizes: Any, strides: Any, padding: str) -> list[Any]:
    return [_axis(dims[i], ksizes[i], strides[i], padding) for i in (1, 2, 3)]


def volume_patches_kernel(
    input: torch.Tensor, *, ksizes: tuple[int, ...], strides: tuple[int, ...], padding: str
) -> torch.Tensor:
    """The windows, and in each of them planes, rows, columns and channels."""
    found = _axes(input.shape, ksizes, strides, padding)
    (_, *in_front), (_, *above), (_, *left) = found
    wide = pad(input, (0, 0, *left, *above, *in_front))
    for axis in (1, 2, 3):
        wide = wide.unfold(axis, ksizes[axis], strides[axis])
    # batch, planes, rows, columns, channel, in plane, in row, in column
    return wide.permute(0, 1, 2, 3, 5, 6, 7, 4).flatten(4)


def _volume_patches_spec(
    input: Spec, *, ksizes: tuple[int, ...], strides: tuple[int, ...], padding: str
) -> Spec:
    batch, *_, channels = dims = known_dims(input)
    counts = [count for count, _, _ in _axes(dims, ksizes, strides, padding)]
    return Spec((batch, *counts, ksizes[1] * ksizes[2] * ksizes[3] * channels), input.dtype)


VOLUME_PATCHES = op(
    "ExtractVolumePatches", "input: T -> patches: T", volume_patches_kernel, _volume_patches_spec,
    T=dtypes.REALS,
)  # fmt: skip


def extract_volume_patches(
    input: TensorLike, ksizes: IntsLike, strides: IntsLike, padding: str, name: str | None = None
) -> Tensor:
    """Returns windows of volumes, each laid flat (`tf.extract_volume_patches`).

    Args:
        input: [batch, planes, rows, columns, channels].
        ksizes: the size of a window in these five axes, 1 in the first and the last.
        strides: from one window to the next in these five axes.
        padding: "VALID", or "SAME", which adds zeros.
        name: a name in graphs.

    Returns:
        [batch, planes, rows, columns, elements of a window].

    Raises:
        ValueError: sizes or strides are not five, or not 1 at the ends, or `padding` is another.
    """
    sizes, steps = static_ints(ksizes, "ksizes"), static_ints(strides, "strides")
    for what, numbers in (("ksizes", sizes), ("strides", steps)):
        if len(numbers) != 5 or numbers[0] != 1 or numbers[4] != 1:
            raise ValueError(
                f"{what} must be five numbers, the first and the last of them 1, got {numbers}."
            )
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"padding must be 'SAME' or 'VALID', got {padding!r}.")
    attrs = {"ksizes": tuple(sizes), "strides": tuple(steps), "padding": padding}
    return apply(VOLUME_PATCHES, (to_tensor(input),), attrs)
