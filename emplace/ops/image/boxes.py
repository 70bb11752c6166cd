"""Boxes on images: the best of many that overlap.

TensorFlow chooses them on the CPU, and so do these ops.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...base import dtypes
from ...base.dtypes import runtime_name
from ...base.errors import invalid_argument
from ...base.typing import TensorLike
from ...core.symbolic_value import SymbolicValue
from ...core.tensor import Tensor
from ..arguments import host_value, is_symbolic, known_int, number_now, wrong_argument
from ..array.joining import stack, unstack
from ..array.making import constant
from ..convert import is_tensor_like, to_tensor
from ..op import CPU_ONLY, Op, apply, op
from .suppression import (
    combined_kernel,
    combined_spec,
    counted_kernel,
    first_kernel,
    overlaps_kernel,
    plain_kernel,
    scored_kernel,
    second_kernel,
)

_HALVES = (dtypes.float16, dtypes.float32)
_GIVEN = "boxes: T, scores: T, max_output_size: host, "
_LIMITS = "iou_threshold: host, score_threshold: host"


def _suppression(name: str, arguments: str, outputs: str, kernel: Callable[..., Any]) -> Op:
    return op(f"NonMaxSuppression{name}", f"{arguments} -> {outputs}", kernel, None,
              device_types=CPU_ONLY, T=_HALVES)  # fmt: skip


PLAIN = op(
    "NonMaxSuppression",
    "boxes: float32, scores: float32, max_output_size: host -> selected_indices: int32",
    first_kernel, None, device_types=CPU_ONLY,
)  # fmt: skip
V2 = _suppression("V2", _GIVEN + "iou_threshold: host", "selected_indices: int32", second_kernel)
V3 = _suppression("V3", _GIVEN + _LIMITS, "selected_indices: int32", plain_kernel)
V4 = _suppression(
    "V4", _GIVEN + _LIMITS, "selected_indices: int32, valid_outputs: int32", counted_kernel
)
V5 = _suppression(
    "V5", _GIVEN + _LIMITS + ", soft_nms_sigma: host",
    "selected_indices: int32, selected_scores: T, valid_outputs: int32", scored_kernel,
)  # fmt: skip
WITH_OVERLAPS = op(
    "NonMaxSuppressionWithOverlaps",
    "overlaps: float32, scores: float32, max_output_size: host, overlap_threshold: host, "
    "score_threshold: host -> selected_indices: int32",
    overlaps_kernel, None, device_types=CPU_ONLY,
)  # fmt: skip
COMBINED = op(
    "CombinedNonMaxSuppression",
    "boxes: float32, scores: float32, max_output_size_per_class: host, max_total_size: host, "
    "iou_threshold: host, score_threshold: host -> nmsed_boxes: float32, nmsed_scores: float32, "
    "nmsed_classes: float32, valid_detections: int32",
    combined_kernel, combined_spec, device_types=CPU_ONLY,
)  # fmt: skip


def _one(value: TensorLike, what: str) -> Any:
    """One number of an argument; TensorFlow refuses arrays."""
    array = np.asarray(host_value(value) if is_tensor_like(value) else value)
    if array.ndim:
        raise invalid_argument(
            f"{what} must be 0-D, got shape {list(array.shape)} "
            f"(Shape must be rank 0 but is rank {array.ndim})"
        )
    return array.item()


def _count(value: Tensor, name: str, place: int) -> int:
    """A number of boxes of `CombinedNonMaxSuppression`, which is its input `place`.

    Raises:
        InvalidArgumentError: it is no int32 (in graphs a TypeError), or no scalar.
    """
    if value.dtype is not dtypes.int32:
        raise wrong_argument(
            f"cannot compute {COMBINED.name} as input #{place}(zero-based) was expected to be a "
            f"int32 tensor but is a {runtime_name(value.dtype)} tensor [Op:{COMBINED.name}] name: ",
            f"Input '{name}' of '{COMBINED.name}' Op has type {value.dtype.name} that does not "
            "match expected type of int32.",
            TypeError,
        )
    return int(_one(value, name))


_MOST = 2**31 - 1  # TF: the number is an int32


def _check_type(most: Any, is_padded: bool) -> None:
    """Raises unless the largest number of boxes is an int32. TF: of `non_max_suppression_padded`
    the types are compared by an op of a function, so the error is another one.
    """
    is_tensor = is_tensor_like(most)
    if isinstance(most, float):
        raise TypeError(f"Cannot convert {most} to a tensor of dtype int32, max_output_size.")
    if is_padded and (most.dtype is dtypes.int64 if is_tensor else _is_long(most)):
        raise TypeError("max_output_size has type int64 that does not match type int32.")
    if is_tensor and most.dtype is not dtypes.int32:
        raise invalid_argument(
            f"max_output_size was expected to be a int32 tensor but is a {most.dtype.name} tensor"
        )


def _is_long(most: Any) -> bool:
    """Whether a Python number becomes an int64, and not an int32."""
    return isinstance(most, int) and _MOST < most < 2**63


def _limits(
    most: Sequence[int] | int, threshold: TensorLike, least: Any, is_padded: bool = False
) -> dict[str, Any]:
    _check_type(most, is_padded)
    most = number_now(most)
    count = known_int(most) if is_symbolic(most) else int(_one(most, "max_output_size"))
    if not is_symbolic(most) and count > _MOST:
        raise invalid_argument(
            f"max_output_size must be an int32, got {count} (output size must be non-negative)"
        )
    return {
        "max_output_size": count,
        "iou_threshold": _share(threshold, "iou_threshold"),
        "score_threshold": _share(least, "score_threshold"),
    }


def _share(value: Any, what: str) -> Any:
    value = number_now(value)
    return SymbolicValue(value) if is_symbolic(value) else float(_one(value, what))


def _floats(*values: Any) -> tuple[Any, ...]:
    return tuple(to_tensor(each, hint=dtypes.float32) for each in values)


def non_max_suppression(
    boxes: TensorLike, scores: TensorLike, max_output_size: Any, iou_threshold: Any = 0.5,
    score_threshold: Any = -math.inf, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Returns the best boxes of those that overlap (`tf.image.non_max_suppression`).

    Args:
        boxes: (boxes, 4), two opposite corners [y1, x1, y2, x2] each; float16 or float32.
        scores: (boxes,), how good each box is.
        max_output_size: how many boxes to take at most.
        iou_threshold: a box goes that shares more than this with a better one, 0 to 1.
        score_threshold: only boxes with more than this count.
        name: a name in graphs.

    Returns:
        int32, the places of the boxes taken, the best first.

    Raises:
        InvalidArgumentError: the shapes do not fit, or a limit is out of range.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 5.0, 1.0, 6.0]]
    >>> non_max_suppression(boxes, [0.6, 0.9, 0.3], 3).numpy().tolist()
    [1, 2]
    """
    limits = _limits(max_output_size, iou_threshold, score_threshold)
    return apply(V3, _floats(boxes, scores), limits)


def non_max_suppression_with_scores(
    boxes: TensorLike, scores: TensorLike, max_output_size: Any, iou_threshold: Any = 0.5,
    score_threshold: Any = -math.inf, soft_nms_sigma: Any = 0.0, name: str | None = None,
) -> Any:  # fmt: skip
    """Does as `non_max_suppression`, and the scores (`tf.image.non_max_suppression_with_scores`).

    With `soft_nms_sigma` above zero, boxes that overlap a better one are not dropped, whatever
    `iou_threshold` is: their scores fall the more they share, as a Gaussian of this width.

    Args:
        boxes: shape (n, 4): y1, x1, y2, x2.
        scores: shape (n,).
        max_output_size: how many boxes are taken at most.
        iou_threshold: boxes that share more than this with a better one are dropped.
        score_threshold: boxes that score less are dropped.
        soft_nms_sigma: the width of the Gaussian; 0 for none.
        name: a name in graphs.

    Returns:
        The places of the boxes taken, int32, and their scores.

    Raises:
        InvalidArgumentError: the shapes do not fit, or a limit is out of range.
    """
    limits = _limits(max_output_size, iou_threshold, score_threshold)
    limits["soft_nms_sigma"] = float(_one(soft_nms_sigma, "soft_nms_sigma"))
    places, heights, _ = apply(V5, _floats(boxes, scores), limits)
    return places, heights


def non_max_suppression_overlaps(
    overlaps: Any, scores: TensorLike, max_output_size: Any, overlap_threshold: Any = 0.5,
    score_threshold: TensorLike | None = -math.inf, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Does as `non_max_suppression`, with how much each box overlaps each other one given
    (`tf.image.non_max_suppression_overlaps`).

    Args:
        overlaps: (boxes, boxes), float32.
        scores: (boxes,), how good each box is.
        max_output_size: how many boxes to take at most.
        overlap_threshold: a box goes that overlaps a better one by more than this.
        score_threshold: only boxes with more than this count.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: the shapes do not fit.
    """
    limits = _limits(max_output_size, overlap_threshold, score_threshold)
    limits["overlap_threshold"] = limits.pop("iou_threshold")
    return apply(WITH_OVERLAPS, _floats(overlaps, scores), limits)


def non_max_suppression_padded(
    boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any = 0.5,
    score_threshold: Any = -math.inf, pad_to_max_output_size: bool = False,
    name: str | None = None, sorted_input: bool = False, canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> Any:  # fmt: skip
    """Does as `non_max_suppression`, also for batches (`tf.image.non_max_suppression_padded`).

    Args:
        boxes: (..., boxes, 4), two opposite corners each.
        scores: (..., boxes), how good each box is.
        max_output_size: how many boxes to take at most.
        iou_threshold: a box goes that shares more than this with a better one, 0 to 1.
        score_threshold: only boxes with more than this count.
        pad_to_max_output_size: zeros follow the places up to `max_output_size`; a batch must.
        name: a name in graphs.
        sorted_input: says that the best boxes come first; it changes nothing here.
        canonicalized_coordinates: says that y1 <= y2 and x1 <= x2; it changes nothing here.
        tile_size: changes nothing here.

    Returns:
        The places of the boxes taken, int32, and how many they are.

    Raises:
        ValueError: a batch without padding.
        InvalidArgumentError: the shapes do not fit, or a limit is out of range.
    """
    boxes, scores = _floats(boxes, scores)
    if boxes.shape.rank > 2 and not pad_to_max_output_size:
        raise ValueError(
            f"'pad_to_max_output_size' (value {pad_to_max_output_size}) must be True for batched "
            "input"
        )
    limits = _limits(max_output_size, iou_threshold, score_threshold, is_padded=True)
    return _of_batch(boxes, scores, {**limits, "pad_to_max_output_size": pad_to_max_output_size})


def _of_batch(boxes: Any, scores: Any, attrs: dict[str, Any]) -> tuple[Any, Any]:
    if boxes.shape.rank <= 2:
        places, count = apply(V4, (boxes, scores), attrs)
        most = attrs["max_output_size"]
        if attrs["pad_to_max_output_size"] and isinstance(most, int):
            places.set_shape([most])
        return places, count
    if boxes.shape[0] == 0:
        between = [0, *boxes.shape.as_list()[1:-2]]
        none = constant(0, dtypes.int32, [*between, attrs["max_output_size"]])
        return none, constant(0, dtypes.int32, between)
    pairs = zip(unstack(boxes), unstack(scores), strict=True)
    made = [_of_batch(each, heights, attrs) for each, heights in pairs]
    all_places, all_counts = zip(*made, strict=True)
    return stack(all_places), stack(all_counts)


class CombinedNonMaxSuppression(NamedTuple):
    """The boxes that are left, their scores and classes, and how many of each image count."""

    nmsed_boxes: Any
    nmsed_scores: Any
    nmsed_classes: Any
    valid_detections: Any


def combined_non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size_per_class: Any,
    max_total_size: Any,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = -math.inf,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> Any:
    """Returns the best boxes of all classes, per image (`tf.image.combined_non_max_suppression`).

    Args:
        boxes: (images, boxes, q, 4), q is 1 or the number of classes; float32.
        scores: (images, boxes, classes).
        max_output_size_per_class: how many boxes to take of a class at most.
        max_total_size: how many boxes to take of an image at most.
        iou_threshold: a box goes that shares more than this with a better one of its class.
        score_threshold: only boxes with more than this count.
        pad_per_class: the results are no longer than all classes' boxes together.
        clip_boxes: keeps boxes within 0 and 1.
        name: a name in graphs.

    Returns:
        (boxes, scores, classes, how many of them are real), the rest of each image zeros.

    Raises:
        InvalidArgumentError: the shapes do not fit, or a limit is out of range.
    """
    per_class = to_tensor(max_output_size_per_class, hint=dtypes.int32)
    total = to_tensor(max_total_size)
    attrs = {
        "max_output_size_per_class": _count(per_class, "max_output_size_per_class", 2),
        "max_total_size": _count(total, "max_total_size", 3),
        "iou_threshold": float(_one(iou_threshold, "iou_threshold")),
        "score_threshold": float(_one(score_threshold, "score_threshold")),
        "pad_per_class": pad_per_class, "clip_boxes": clip_boxes,
    }  # fmt: skip
    return CombinedNonMaxSuppression(*apply(COMBINED, _floats(boxes, scores), attrs))
