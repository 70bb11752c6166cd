"""Boxes drawn into images: `tf.image.draw_bounding_boxes`."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ..convert import own_or_default, to_tensor
from ..infer import Spec
from ..op import CPU_ONLY, apply, op

# Yellow, blue, red, lime, purple, olive, maroon, navy, aqua, fuchsia.
_COLORS = (
    (1, 1, 0, 1), (0, 0, 1, 1), (1, 0, 0, 1), (0, 1, 0, 1), (0.5, 0, 0.5, 1),
    (0.5, 0.5, 0, 1), (0.5, 0, 0, 1), (0, 0, 0.5, 1), (0, 1, 1, 1), (1, 0, 1, 1),
)  # fmt: skip


def draw_kernel(images: torch.Tensor, boxes: torch.Tensor, colors: torch.Tensor) -> torch.Tensor:
    """The images with lines of one pixel around their boxes."""
    drawn = images.clone()
    channels = images.shape[3]
    table = colors if colors.numel() else torch.tensor(_COLORS)
    if not colors.numel() and channels == 1:
        table = torch.ones(len(_COLORS), 1)
    table = table.to(images.dtype)
    for image, around in zip(drawn, boxes.to(torch.float32), strict=True):
        for i, box in enumerate(around):
            _draw(image, box, table[i % len(table), :channels])
    return drawn


def _draw(image: torch.Tensor, box: torch.Tensor, color: torch.Tensor) -> None:
    height, width = image.shape[:2]
    ends = box * torch.tensor([height - 1, width - 1] * 2, dtype=box.dtype)
    top, left, bottom, right = (_whole(each) for each in ends.tolist())
    is_inside = top < height and bottom >= 0 and left < width and right >= 0
    if top > bottom or left > right or not is_inside:
        return
    rows = slice(max(top, 0), min(bottom, height - 1) + 1)
    columns = slice(max(left, 0), min(right, width - 1) + 1)
    if top >= 0:
        image[top, columns] = color
    if bottom < height:
        image[bottom, columns] = color
    if left >= 0:
        image[rows, left] = color
    if right < width:
        image[rows, right] = color


def _whole(number: float) -> int:
    """TF: what no int64 holds, NaN among it, is the least one, as the processor makes it."""
    return int(number) if -(2.0**63) <= number < 2.0**63 else -(2**63)


def _draw_spec(images: Spec, boxes: Spec, colors: Spec) -> Spec:
    return images


_TYPES = (dtypes.float32, dtypes.float16)
DRAW = op(
    "DrawBoundingBoxesV2", "images: T, boxes: float32, colors: float32 -> output: T", draw_kernel,
    _draw_spec, T=_TYPES, device_types=CPU_ONLY,
)  # fmt: skip


def draw_bounding_boxes(
    images: TensorLike, boxes: TensorLike, colors: Any, name: str | None = None
) -> Tensor:
    """Returns images with lines around boxes (`tf.image.draw_bounding_boxes`).

    Args:
        images: [batch, height, width, depth], float32 or float16.
        boxes: [batch, boxes, 4]: top, left, bottom and right, as shares of the size.
        colors: RGBA colours, taken in turn, as many numbers as channels at least; None for ten
            of TensorFlow's.
        name: a name in graphs.
    """
    table = to_tensor(np.zeros((0, 4), np.float32) if colors is None else colors, dtypes.float32)
    images = own_or_default(images, _TYPES, dtypes.float32)
    return apply(DRAW, (images, to_tensor(boxes, dtypes.float32), table))


def draw_bounding_boxes_v1(
    images: TensorLike, boxes: TensorLike, name: str | None = None, colors: object = None
) -> Tensor:
    """Returns images with lines around boxes (`tf.compat.v1.image.draw_bounding_boxes`).

    Args:
        images: [batch, height, width, depth], float32 or float16.
        boxes: [batch, boxes, 4]: top, left, bottom and right, as shares of the size.
        name: a name in graphs.
        colors: RGBA colours, taken in turn; None for ten of TensorFlow's.
    """
    return draw_bounding_boxes(images, boxes, colors, name)
