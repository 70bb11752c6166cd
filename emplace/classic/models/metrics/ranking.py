"""The best k predictions: which of them are right, and where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....base import dtypes
from ....base.typing import TensorLike
from ....core.tensor import Tensor
from ....ops.array.joining import concat
from ....ops.array.making import fill, ones_like
from ....ops.array.select import where
from ....ops.array.shaping import expand_dims, shape, size
from ....ops.array.top_k import top_k
from ....ops.convert import to_tensor
from ....ops.deferred import deferrable
from ....ops.math.cumulative import cumsum
from ....ops.math.elementwise import cast, divide, equal, greater_equal, less, minimum, multiply
from ....ops.math.guarded import divide_no_nan as div_no_nan
from ....ops.math.reduction import reduce_any, reduce_sum
from ....ops.nn.weights import broadcast_weights
from ....ops.sparse import basic as sparse, sets
from ....ops.sparse.tensor import SparseTensor, SparseTensorValue
from ...scopes.op_names import inside, named
from .parts import Pair, added, collect, metric_variable, refuse_eager, safe_ratio, seen

_ABSENT = -1  # no class


def _labels(labels: Any, predictions: Any) -> Any:
    """Labels with an axis for those of one prediction, dense or sparse.

    Raises:
        TypeError: they are of another type than int64.
        ValueError: they have neither the rank of the predictions nor one axis less.
    """
    if isinstance(labels, SparseTensorValue):
        labels = SparseTensor.from_value(labels)
    elif not isinstance(labels, SparseTensor):
        labels = to_tensor(labels, hint=dtypes.int64)
    if labels.dtype != dtypes.int64:
        raise TypeError(
            f"Types don't match, {dtypes.int64!s} vs {labels.dtype!s}. Labels are numbers of "
            "classes: cast them to int64."
        )
    rank, score_rank = labels.shape.rank, predictions.shape.rank
    if rank is None or score_rank is None:
        if isinstance(labels, SparseTensor):
            return labels
        return _with_an_axis_later(labels, predictions)
    if rank == score_rank:
        return labels
    if rank != score_rank - 1:
        raise ValueError(
            f"Unexpected labels shape {labels.shape} for predictions shape {predictions.shape}. "
            "Predictions rank should be the same rank as labels rank or labels rank plus one ."
        )
    if isinstance(labels, SparseTensor):
        return sparse.expand_dims(labels, -1)
    return expand_dims(labels, -1)


@deferrable
def _with_an_axis_later(labels: Any, predictions: Any) -> Any:
    have, wanted = labels.shape.rank, predictions.shape.rank
    is_known = have is not None and wanted is not None
    return expand_dims(labels, -1) if is_known and have == wanted - 1 else labels + 0


def _of_class(ids: Any, class_id: int | None) -> Any:
    """Of each set of classes only this one; all for None."""
    if class_id is None:
        return ids
    dims = cast(ids.dense_shape, dtypes.int32) if isinstance(ids, SparseTensor) else shape(ids)
    chosen = fill(concat([dims[:-1], [1]], 0), to_tensor(class_id, dtypes.int64))
    return sets.intersection(chosen, ids)


def _at_k(kind: str, k: int | None, class_id: int | None) -> str:
    name = f"{kind}_at_{'k' if k is None else k}"
    return name if class_id is None else f"{name}_class{class_id}"


def _weights(weights: TensorLike | None, values: Any) -> Any:
    """Weights as float64, which have as many axes as there are of predictions, or none."""
    return None if weights is None else broadcast_weights(cast(weights, dtypes.float64), values)


def _counted(rows: SparseTensor, weights: TensorLike | None, name: str) -> Pair:
    """How many elements sets have had: the variable and its update."""
    number = cast(sets.size(rows), dtypes.float64)
    weights = _weights(weights, number)
    number = number if weights is None else multiply(number, weights)
    variable = metric_variable([], dtypes.float64, name)
    return variable, added(variable, reduce_sum(number))


def _share_at_top_k(
    kind: str, other: str, missed: bool, labels: Any, predictions: Any, k: int | None,
    class_id: int | None, weights: TensorLike | None, name: str | None, lists: tuple[Any, Any],
) -> Pair:  # fmt: skip
    """The share of true ones among them and the others, also put into lists."""
    with inside(name or _at_k(kind, k, class_id)) as scope:
        value, update = _share_in(
            scope, other, missed, labels, to_tensor(predictions), k, class_id, weights
        )
    collect(value, update, *lists)
    return value, update


def _share_in(
    scope: str, other: str, missed: bool, labels: Any, predictions: Any, k: int | None,
    class_id: int | None, weights: TensorLike | None,
) -> Pair:  # fmt: skip
    """The same, in an open name scope whose name the value has."""
    predictions = cast(predictions, dtypes.int64)
    labels = _labels(labels, predictions)
    predictions.shape[:-1].assert_is_compatible_with(labels.shape[:-1])
    found, wanted = _of_class(predictions, class_id), _of_class(labels, class_id)
    true, true_update = _counted(
        sets.intersection(found, wanted), weights, _at_k("true_positive", k, class_id)
    )
    false, false_update = _counted(
        sets.difference(found, wanted, not missed), weights, _at_k(other, k, class_id)
    )

    def share(right: Any, wrong: Any, called: str) -> Any:
        whole = right + wrong
        with named(called):
            return divide(right, whole)

    value = seen([true, false], lambda right, wrong: share(right, wrong, scope))
    return value, share(true_update, false_update, "update")


def precision_at_top_k(
    labels: TensorLike,
    predictions_idx: TensorLike,
    k: int | None = None,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: str | Sequence[str] | None = None,
    updates_collections: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the share of predicted classes that are labels
    (`tf.compat.v1.metrics.precision_at_top_k`).

    Args:
        labels: the classes of each prediction, a set in the last axis, as a dense or sparse tensor
            of int64; or one class each, without that axis.
        predictions_idx: the best k classes of each prediction, in the last axis.
        k: how many these are, for names only.
        class_id: looks at one class only.
        weights: a weight for all, or for each prediction.
        metrics_collections: lists of the graph for the value.
        updates_collections: lists of the graph for the update.
        name: the name of the scope.

    Returns:
        The value of what has been seen, and an operation that sees more, and is the value then,
        both float64. They are NaN before anything was predicted.

    Raises:
        RuntimeError: in eager mode.
        TypeError: labels are not of int64.
        ValueError: it is known that shapes do not fit.
        InvalidArgumentError: they do not fit when the graph runs.
    """
    refuse_eager("precision_at_top_k")
    return _share_at_top_k(
        "precision", "false_positive", False, labels, predictions_idx, k, class_id, weights, name,
        (metrics_collections, updates_collections),
    )  # fmt: skip


def precision_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: str | Sequence[str] | None = None,
    updates_collections: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the share of the k classes with the highest scores that are labels
    (`tf.compat.v1.metrics.precision_at_k`); see `precision_at_top_k`.

    Args:
        labels: the classes of each prediction.
        predictions: a score for each class, in the last axis.
        k: how many classes are predicted.
        class_id: looks at one class only.
        weights: a weight for all, or for each prediction.
        metrics_collections: lists of the graph for the value.
        updates_collections: lists of the graph for the update.
        name: the name of the scope.
    """
    refuse_eager("sparse_precision_at_k")
    with inside(name or _at_k("precision", k, class_id)) as scope:
        best = top_k(predictions, k).indices
        return precision_at_top_k(
            labels, best, k, class_id, weights, metrics_collections, updates_collections, scope
        )


def sparse_precision_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: str | Sequence[str] | None = None,
    updates_collections: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Pair:
    """Returns what `precision_at_k` returns, by its older name
    (`tf.compat.v1.metrics.sparse_precision_at_k`).

    Args:
        labels: the classes of each prediction.
        predictions: a score for each class, in the last axis.
        k: how many classes are predicted.
        class_id: looks at one class only.
        weights: a weight for all, or for each prediction.
        metrics_collections: lists of the graph for the value.
        updates_collections: lists of the graph for the update.
        name: the name of the scope.
    """
    return precision_at_k(
        labels, predictions, k, class_id, weights, metrics_collections, updates_collections, name
    )


def recall_at_top_k(
    labels: TensorLike,
    predictions_idx: TensorLike,
    k: int | None = None,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: str | Sequence[str] | None = None,
    updates_collections: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the share of labels that are predicted classes
    (`tf.compat.v1.metrics.recall_at_top_k`); see `precision_at_top_k`.

    Args:
        labels: the classes of each prediction.
        predictions_idx: the best k classes of each prediction, in the last axis.
        k: how many these are, for names only.
        class_id: looks at one class only.
        weights: a weight for all, or for each prediction.
        metrics_collections: lists of the graph for the value.
        updates_collections: lists of the graph for the update.
        name: the name of the scope.
    """
    refuse_eager("recall_at_top_k")
    return _share_at_top_k(
        "recall", "false_negative", True, labels, predictions_idx, k, class_id, weights, name,
        (metrics_collections, updates_collections),
    )  # fmt: skip


def recall_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: str | Sequence[str] | None = None,
    updates_collections: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the share of labels that are among the k classes with the highest scores
    (`tf.compat.v1.metrics.recall_at_k`); see `precision_at_top_k`.

    Args:
        labels: the classes of each prediction.
        predictions: a score for each class, in the last axis.
        k: how many classes are predicted.
        class_id: looks at one class only.
        weights: a weight for all, or for each prediction.
        metrics_collections: lists of the graph for the value.
        updates_collections: lists of the graph for the update.
        name: the name of the scope.
    """
    refuse_eager("recall_at_k")
    with inside(name or _at_k("recall", k, class_id)) as scope:
        best = top_k(predictions, k).indices
        return recall_at_top_k(
            labels, best, k, class_id, weights, metrics_collections, updates_collections, scope
        )


# -- the average over places -----------------------------------------------------------------------


def _average_precisions(labels: Any, best: Tensor, classes: Any, k: int) -> Any:
    """For each prediction the mean precision at the places of labels; NaN without labels.

    Dense labels that are no class are none. TF counts sparse ones among those that are missed: all
    that are too high as one.
    """
    numbers = labels.values if isinstance(labels, SparseTensor) else labels
    numbers = where(less(numbers, cast(classes, dtypes.int64)), numbers, _ABSENT)
    if isinstance(labels, SparseTensor):
        labels = SparseTensor(labels.indices, numbers, labels.dense_shape)
        relevant = sets.size(labels)
        labels = sparse.to_dense(labels, _ABSENT, False)
    else:
        labels = numbers
        relevant = reduce_sum(cast(greater_equal(labels, 0), dtypes.int32), -1)
    same = equal(expand_dims(cast(best, dtypes.int64), -1), expand_dims(labels, -2))
    is_right = cast(reduce_any(same, -1), dtypes.float64)
    precision = divide(cumsum(is_right, -1), cumsum(ones_like(is_right), -1))
    total = reduce_sum(multiply(precision, is_right), -1)
    return divide(total, cast(minimum(relevant, k), dtypes.float64))


def average_precision_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    weights: TensorLike | None = None,
    metrics_collections: str | Sequence[str] | None = None,
    updates_collections: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the mean over predictions of the precision at the places where labels stand, among
    the k classes with the highest scores (`tf.compat.v1.metrics.average_precision_at_k`).

    Args:
        labels: the classes of each prediction, a set in the last axis, as a dense or sparse tensor
            of int64; or one class each, without that axis.
        predictions: a score for each class, in the last axis.
        k: how many classes are predicted.
        weights: a weight for all, or for each prediction.
        metrics_collections: lists of the graph for the value.
        updates_collections: lists of the graph for the update.
        name: the name of the scope.

    Returns:
        The value of what has been seen, and an operation that sees more, and is the value then,
        both float64. A prediction without labels makes them NaN.

    Raises:
        RuntimeError: in eager mode.
        TypeError: labels are not of int64.
        ValueError: k is less than 1, or it is known that shapes do not fit.
        InvalidArgumentError: they do not fit when the graph runs.
    """
    refuse_eager("sparse_average_precision_at_k")
    if k < 1:
        raise ValueError(f"Invalid k={k}. `k` should be >= 1.")
    with inside(name or _at_k("average_precision", k, None)) as scope:
        scores = to_tensor(predictions)
        best = top_k(scores, k).indices
        classes = _labels(labels, best)
        best.shape[:-1].assert_is_compatible_with(classes.shape[:-1])
        precisions = _average_precisions(classes, best, shape(scores)[-1], k)
        weights = _weights(weights, precisions)
        number = size(precisions) if weights is None else reduce_sum(weights)
        if weights is not None:
            precisions = multiply(precisions, weights)
        most = metric_variable([], dtypes.float64, "max_1")  # TF's name
        total = metric_variable([], dtypes.float64, "total")
        updates = added(total, reduce_sum(precisions)), added(most, number)
        value = seen([total, most], lambda x, y: safe_ratio(x, y, "mean"))
        with named(scope):
            update = div_no_nan(*updates)
    collect(value, update, metrics_collections, updates_collections)
    return value, update


def sparse_average_precision_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    weights: TensorLike | None = None,
    metrics_collections: str | Sequence[str] | None = None,
    updates_collections: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Pair:
    """Returns what `average_precision_at_k` returns, by its older name
    (`tf.compat.v1.metrics.sparse_average_precision_at_k`).

    Args:
        labels: the classes of each prediction.
        predictions: a score for each class, in the last axis.
        k: how many classes are predicted.
        weights: a weight for all, or for each prediction.
        metrics_collections: lists of the graph for the value.
        updates_collections: lists of the graph for the update.
        name: the name of the scope.
    """
    return average_precision_at_k(
        labels, predictions, k, weights, metrics_collections, updates_collections, name
    )
