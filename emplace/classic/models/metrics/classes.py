"""Predictions of classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....base import dtypes
from ....base.typing import DTypeLike, TensorLike
from ....ops.array.making import ones_like
from ....ops.array.select import where
from ....ops.array.shaping import reshape
from ....ops.convert import to_tensor
from ....ops.linalg.diagonal import diag_part
from ....ops.math.counting import confusion_matrix
from ....ops.math.elementwise import (
    cast,
    equal,
    greater,
    less,
    multiply,
)
from ....ops.math.guarded import divide_no_nan as div_no_nan
from ....ops.math.reduction import (
    reduce_mean,
    reduce_sum,
)
from ....ops.math.segment import unsorted_segment_sum
from ...scopes.op_names import named
from .parts import Pair, added, fitted, metric, metric_variable, seen


def _flat_classes(labels: TensorLike, predictions: TensorLike) -> Pair:
    """Both as vectors of int64.

    Raises:
        ValueError: it is known that their shapes differ.
    """
    wanted, found = (cast(to_tensor(each), dtypes.int64) for each in (labels, predictions))
    wanted, found = fitted(wanted, found)
    return reshape(wanted, [-1]), reshape(found, [-1])


def _flat_weights(weights: TensorLike, dtype: DTypeLike) -> Any:
    """One for all, or a vector."""
    weights = cast(to_tensor(weights), dtype)
    rank = weights.shape.rank
    return weights if rank is not None and rank < 2 else reshape(weights, [-1])


def _mean_overlap(matrix: Any) -> Any:
    """The mean over classes that are there of intersection over union."""
    hits = diag_part(matrix)
    union = cast(reduce_sum(matrix, 0) + reduce_sum(matrix, 1) - hits, dtypes.float32)
    present = reduce_sum(cast(greater(union, 0.0), dtypes.float32))
    total = reduce_sum(div_no_nan(cast(hits, dtypes.float32), union))
    with named("mean_iou"):
        return div_no_nan(total, present)


def _mean_accuracy(right: Any, total: Any) -> Any:
    """The mean over all classes; one that is not there has 0."""
    accuracies = div_no_nan(right, total)
    with named("mean_accuracy"):
        return reduce_mean(accuracies)


def mean_iou(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: int,
    weights: TensorLike | None = None,
    metrics_collections: str | Sequence[str] | None = None,
    updates_collections: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Pair:
    """The mean over classes of intersection over union (`tf.compat.v1.metrics.mean_iou`). The
    update is the confusion matrix.
    """

    def make() -> Pair:
        expected, predicted = to_tensor(labels), to_tensor(predictions)
        predicted.shape.assert_is_compatible_with(expected.shape)
        expected, predicted = _flat_classes(expected, predicted)
        weight = None if weights is None else _flat_weights(weights, dtypes.float64)
        matrix = confusion_matrix(expected, predicted, num_classes, weight, dtypes.float64)
        shape = [num_classes, num_classes]
        variable = metric_variable(shape, dtypes.float64, "total_confusion_matrix")
        update = added(variable, matrix)
        return seen([variable], _mean_overlap), update

    return metric("mean_iou", name, make, (metrics_collections, updates_collections))


def mean_per_class_accuracy(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: int,
    weights: TensorLike | None = None,
    metrics_collections: str | Sequence[str] | None = None,
    updates_collections: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Pair:
    """The mean over classes of each one's accuracy
    (`tf.compat.v1.metrics.mean_per_class_accuracy`).
    """

    def make() -> Pair:
        expected, predicted = _flat_classes(labels, predictions)
        total = metric_variable([num_classes], dtypes.float32, "total")
        count = metric_variable([num_classes], dtypes.float32, "count")
        right = cast(equal(predicted, expected), dtypes.float32)
        all_ = ones_like(expected, dtypes.float32)
        if weights is not None:
            weight = _flat_weights(weights, dtypes.float32)
            right, all_ = multiply(right, weight), multiply(all_, weight)
        # A sum drops negative classes and refuses those that are too high, as all of them are here.
        classes = where(less(expected, 0), num_classes, expected)
        updates = [
            added(variable, unsorted_segment_sum(amounts, classes, num_classes))
            for variable, amounts in ((count, right), (total, all_))
        ]
        with named("update_op"):
            update = div_no_nan(*updates)
        return seen([count, total], _mean_accuracy), update

    return metric("mean_accuracy", name, make, (metrics_collections, updates_collections))
