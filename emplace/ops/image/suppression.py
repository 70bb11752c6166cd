"""Kernels that choose boxes by score and drop those that overlap a better one; on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ..infer import Spec

Overlaps = Callable[[int, Any], Any]


def require_boxes(boxes: torch.Tensor, scores: torch.Tensor) -> None:
    """Refuses shapes that do not fit, as TensorFlow says it."""
    if boxes.ndim != 2:
        raise invalid_argument(f"boxes must be 2-D{list(boxes.shape)}")
    if boxes.shape[1] != 4:
        raise invalid_argument(
            f"boxes must have 4 columns (Dimension must be 4 but is {boxes.shape[1]})"
        )
    require_scores(boxes, scores)


def require_scores(boxes: torch.Tensor, scores: torch.Tensor) -> None:
    """Refuses scores that are not one per box."""
    if scores.ndim != 1:
        raise invalid_argument(f"scores must be 1-D{list(scores.shape)}")
    if scores.shape[0] != boxes.shape[0]:
        raise invalid_argument(
            "scores has incompatible shape (Dimensions must be equal, but are "
            f"{boxes.shape[0]} and {scores.shape[0]})"
        )


def require_limits(most: int, threshold: float) -> None:
    """Refuses a negative count and a share outside of 0 to 1."""
    if most < 0:
        raise invalid_argument("output size must be non-negative")
    if not 0 <= threshold <= 1:
        raise invalid_argument("iou_threshold must be in [0, 1]")


def shared_area(boxes: Any) -> Overlaps:
    """For a box and others: the area they share over the area they cover together."""
    top, bottom = (extreme(boxes[:, 0], boxes[:, 2]) for extreme in (np.minimum, np.maximum))
    left, right = (extreme(boxes[:, 1], boxes[:, 3]) for extreme in (np.minimum, np.maximum))
    area = (bottom - top) * (right - left)

    def share(one: int, others: np.ndarray[Any, Any]) -> Any:
        height = np.minimum(bottom[one], bottom[others]) - np.maximum(top[one], top[others])
        width = np.minimum(right[one], right[others]) - np.maximum(left[one], left[others])
        both = np.maximum(height, 0) * np.maximum(width, 0)
        together = area[one] + area[others] - both
        real = (area[one] > 0) & (area[others] > 0)
        return np.where(real, both / np.where(real, together, 1), np.float32(0))

    return share


def chosen(overlaps: Overlaps, scores: Any, most: int, threshold: float, least: float) -> Any:
    """The places of the best boxes, the best first; of equals the first."""
    order = np.argsort(-scores, kind="stable")
    left = order[scores[order] > least]
    kept: list[int] = []
    while left.size and len(kept) < most:
        best, left = left[0], left[1:]
        kept.append(best)
        left = left[overlaps(best, left) <= threshold]
    return np.array(kept, np.int32)


def softly_chosen(
    overlaps: Overlaps, scores: Any, most: int, least: float, sigma: float
) -> tuple[Any, Any]:
    """As `chosen`, with the scores of overlapping boxes lowered; the places and those scores.

    No box goes for what it shares alone, so there is no threshold.
    """
    left = np.nonzero(scores > least)[0]
    scores = scores.copy()
    scale = np.float32(-0.5) / np.float32(sigma)
    kept: list[int] = []
    while left.size and len(kept) < most:
        at = int(np.argmax(scores[left]))
        best, left = left[at], np.delete(left, at)
        kept.append(best)
        shares = overlaps(best, left)
        scores[left] *= np.exp(scale * shares * shares)
        left = left[scores[left] > least]
    return np.array(kept, np.int32), scores[kept]


def as_floats(x: torch.Tensor) -> Any:
    """As float32 of NumPy: halves are compared as floats."""
    return x.detach().to(torch.float32).numpy()


def select(
    boxes: torch.Tensor, scores: torch.Tensor, most: int, threshold: float, least: float,
    sigma: float = 0.0,
) -> tuple[Any, Any]:  # fmt: skip
    """The places of the boxes that stay, and their scores."""
    require_boxes(boxes, scores)
    require_limits(most, threshold)
    overlaps, heights = shared_area(as_floats(boxes)), as_floats(scores)
    if sigma > 0:
        return softly_chosen(overlaps, heights, most, least, sigma)
    places = chosen(overlaps, heights, most, threshold, least)
    return places, heights[places]


def padded(values: Any, count: int) -> torch.Tensor:
    """Values followed by zeros."""
    result = np.zeros((count, *values.shape[1:]), values.dtype)
    result[: len(values)] = values
    return torch.from_numpy(result)


def first_kernel(
    boxes: torch.Tensor, scores: torch.Tensor, *, max_output_size: int, iou_threshold: float = 0.5
) -> torch.Tensor:
    """The places of the boxes that stay."""
    return torch.from_numpy(select(boxes, scores, max_output_size, iou_threshold, -np.inf)[0])


def second_kernel(
    boxes: torch.Tensor, scores: torch.Tensor, *, max_output_size: int, iou_threshold: float
) -> torch.Tensor:
    """The places of the boxes that stay."""
    return first_kernel(boxes, scores, max_output_size=max_output_size, iou_threshold=iou_threshold)


def plain_kernel(
    boxes: torch.Tensor, scores: torch.Tensor, *, max_output_size: int, iou_threshold: float,
    score_threshold: float,
) -> torch.Tensor:  # fmt: skip
    """The places of the boxes that stay, of those with a score above one."""
    places, _ = select(boxes, scores, max_output_size, iou_threshold, score_threshold)
    return torch.from_numpy(places)


def counted_kernel(
    boxes: torch.Tensor, scores: torch.Tensor, *, max_output_size: int, iou_threshold: float,
    score_threshold: float, pad_to_max_output_size: bool = False,
) -> tuple[torch.Tensor, ...]:  # fmt: skip
    """The places, padded if wished, and how many they are."""
    places, _ = select(boxes, scores, max_output_size, iou_threshold, score_threshold)
    count = max_output_size if pad_to_max_output_size else len(places)
    return padded(places, count), torch.tensor(len(places), dtype=torch.int32)


def scored_kernel(
    boxes: torch.Tensor, scores: torch.Tensor, *, max_output_size: int, iou_threshold: float,
    score_threshold: float, soft_nms_sigma: float, pad_to_max_output_size: bool = False,
) -> tuple[torch.Tensor, ...]:  # fmt: skip
    """The places, their scores and how many they are."""
    if soft_nms_sigma < 0:
        raise invalid_argument("soft_nms_sigma must be >= 0")
    places, heights = select(
        boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma
    )
    count = max_output_size if pad_to_max_output_size else len(places)
    made = padded(heights, count).to(scores.dtype)
    return padded(places, count), made, torch.tensor(len(places), dtype=torch.int32)


def overlaps_kernel(
    overlaps: torch.Tensor, scores: torch.Tensor, *, max_output_size: int,
    overlap_threshold: float, score_threshold: float,
) -> torch.Tensor:  # fmt: skip
    """As `plain_kernel`, with the overlaps given."""
    if overlaps.ndim != 2:
        raise invalid_argument(f"overlaps must be 2-D{list(overlaps.shape)}")
    if overlaps.shape[0] != overlaps.shape[1]:
        raise invalid_argument(f"overlaps must be square{list(overlaps.shape)}")
    require_scores(overlaps, scores)
    if max_output_size < 0:
        raise invalid_argument("output size must be non-negative")
    table = overlaps.detach().numpy()
    places = chosen(
        lambda one, others: table[others, one],
        as_floats(scores), max_output_size, overlap_threshold, score_threshold,
    )  # fmt: skip
    return torch.from_numpy(places)


def combined_spec(
    boxes: Spec, scores: Spec, *, max_output_size_per_class: int, max_total_size: int,
    pad_per_class: bool = False, **attrs: Any,
) -> tuple[Spec, ...]:  # fmt: skip
    """What `combined_kernel` makes."""
    if boxes.dims is None or scores.dims is None:
        return (*[Spec(None, dtypes.float32)] * 3, Spec(None, dtypes.int32))
    _require_classes(boxes.dims, scores.dims)
    if max_output_size_per_class <= 0:
        raise invalid_argument("max_size_per_class must be positive")
    if max_total_size <= 0:
        raise invalid_argument("max_total_size must be > 0")
    batch, _, classes = scores.dims
    count: int | None = max_total_size
    if pad_per_class:
        count = classes and min(max_total_size, max_output_size_per_class * classes)
    rows = Spec((batch, count), dtypes.float32)
    return Spec((batch, count, 4), dtypes.float32), rows, rows, Spec((batch,), dtypes.int32)


def _require_classes(boxes: tuple[Any, ...], scores: tuple[Any, ...]) -> None:
    if len(boxes) != 4:
        raise invalid_argument(f"boxes must be 4-D{list(boxes)}")
    if len(scores) != 3:
        raise invalid_argument(f"scores must be 3-D{list(scores)}")
    if boxes[:2] != scores[:2]:
        raise invalid_argument("scores has incompatible shape")
    if boxes[2] not in (1, scores[2]):
        raise invalid_argument("third dimension of boxes must be either 1 or num classes")
    if boxes[3] != 4:
        raise invalid_argument("boxes must have 4 columns")


def combined_kernel(
    boxes: torch.Tensor, scores: torch.Tensor, *, max_output_size_per_class: int,
    max_total_size: int, iou_threshold: float, score_threshold: float,
    pad_per_class: bool = False, clip_boxes: bool = True,
) -> tuple[torch.Tensor, ...]:  # fmt: skip
    """Boxes, scores, classes and counts per image: the best of all classes."""
    made_specs = combined_spec(
        *(Spec(tuple(x.shape), dtypes.float32) for x in (boxes, scores)),
        max_output_size_per_class=max_output_size_per_class, max_total_size=max_total_size,
        pad_per_class=pad_per_class,
    )  # fmt: skip
    require_limits(0, iou_threshold)
    limits = max_output_size_per_class, iou_threshold, score_threshold
    assert made_specs[1].dims
    count = int(made_specs[1].dims[1] or 0)
    images = [
        _of_image(image, heights, limits, count)
        for image, heights in zip(as_floats(boxes), as_floats(scores), strict=True)
    ]
    made = [_stacked([each[i] for each in images], count, i == 0) for i in range(3)]
    if clip_boxes:
        made[0] = made[0].clamp(0, 1)
    return (*made, torch.tensor([len(each[1]) for each in images], dtype=torch.int32))


def _of_image(
    boxes: np.ndarray[Any, Any], scores: np.ndarray[Any, Any], limits: tuple[Any, ...], count: int
) -> tuple[Any, ...]:
    """The best boxes of one image with their scores and classes."""
    found = []
    for each in range(scores.shape[1]):
        of_class = boxes[:, min(each, boxes.shape[1] - 1)]
        heights = scores[:, each]
        places = chosen(shared_area(of_class), heights, *limits)
        found.append((of_class[places], heights[places], np.full(len(places), each, np.float32)))
    if not found:
        return np.zeros((0, 4), np.float32), np.zeros(0, np.float32), np.zeros(0, np.float32)
    together = [np.concatenate(parts) for parts in zip(*found, strict=True)]
    best = np.argsort(-together[1], kind="stable")[:count]
    return tuple(part[best] for part in together)


def _stacked(parts: list[Any], count: int, are_boxes: bool) -> torch.Tensor:
    if not parts:
        return torch.zeros((0, count, 4) if are_boxes else (0, count))
    return torch.stack([padded(part, count) for part in parts])
