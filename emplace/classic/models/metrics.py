"""`tf.metrics`: measures that grow from run to run. Each returns a value and an update."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...base import dtypes
from ...base.typing import DTypeLike, TensorLike
from ...core.tensor import Tensor
from ...ops.array.making import constant, one_hot, ones_like
from ...ops.array.shaping import expand_dims, reshape
from ...ops.convert import to_tensor
from ...ops.linalg.diagonal import diag_part
from ...ops.linalg.products import matmul
from ...ops.math.elementwise import (
    abs as absolute,
    cast,
    divide,
    equal,
    greater,
    less,
    logical_and,
    logical_not,
    multiply,
    sqrt,
    square,
    subtract,
)
from ...ops.math.guarded import divide_no_nan as div_no_nan
from ...ops.math.reduction import reduce_mean, reduce_sum
from ..scopes.op_names import copied_as, inside, named
from ..scopes.variable_scope import variable_scope
from .metric_parts import (
    added,
    collect,
    metric_variable,
    ratio,
    refuse_eager,
    running_mean,
    safe_ratio,
    same_rank,
    seen,
    weights_for,
)

Pair = tuple[Any, Any]


def _metric(
    name: str, given: str | None, make: Callable[[], Pair], lists: tuple[Any, Any]
) -> Pair:  # fmt: skip
    """A metric in a variable scope of its own."""
    refuse_eager(name)
    with variable_scope(given, name) as scope, inside(scope.original_name_scope):
        value, update = make()
    collect(value, update, *lists)
    return value, update


def mean(
    values: Any, weights: Any = None, metrics_collections: str | Sequence[str] | None = None,
    updates_collections: str | Sequence[str] | None = None, name: str | None = None,
) -> Pair:  # fmt: skip
    """The mean of all values so far (`tf.compat.v1.metrics.mean`).

    Args:
        values: numbers.
        weights: a weight for all, or for each.
        metrics_collections: lists of the graph for the value.
        updates_collections: lists of the graph for the update.
        name: the name of the variable scope.

    Returns:
        The mean of what has been seen, and an operation that sees `values`, and is the mean then.

    Raises:
        RuntimeError: in eager mode.
    """
    lists = metrics_collections, updates_collections
    return _metric("mean", name, lambda: running_mean(values, weights), lists)


def _mean_of(
    kind: str,
    values: Callable[[], Any],
    weights: TensorLike,
    values_lists: object,
    updates: Tensor,
    name: str | None,
) -> Pair:
    return _metric(kind, name, lambda: running_mean(values(), weights), (values_lists, updates))


def _floats(labels: TensorLike, predictions: TensorLike) -> Pair:
    predictions = cast(to_tensor(predictions), dtypes.float32)
    labels = cast(to_tensor(labels), dtypes.float32)
    return same_rank(labels, predictions), predictions


def accuracy(
    labels: TensorLike,
    predictions: TensorLike,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Pair:
    """How often predictions are the labels (`tf.compat.v1.metrics.accuracy`); see `mean`."""

    def correct() -> Any:
        found, wanted = to_tensor(predictions), to_tensor(labels)
        wanted = same_rank(wanted, found)
        return cast(equal(found, cast(wanted, found.dtype)), dtypes.float32)

    return _mean_of("accuracy", correct, weights, metrics_collections, updates_collections, name)


def mean_absolute_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Pair:
    """The mean of |labels - predictions| (`tf.compat.v1.metrics.mean_absolute_error`)."""

    def errors() -> Any:
        wanted, found = _floats(labels, predictions)
        return absolute(subtract(found, wanted))

    return _mean_of("mean_absolute_error", errors, weights, metrics_collections,
                    updates_collections, name)  # fmt: skip


def mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Pair:
    """The mean of the squared differences (`tf.compat.v1.metrics.mean_squared_error`)."""

    def errors() -> Any:
        wanted, found = _floats(labels, predictions)
        return square(subtract(wanted, found))

    return _mean_of("mean_squared_error", errors, weights, metrics_collections,
                    updates_collections, name)  # fmt: skip


def mean_relative_error(
    labels: TensorLike, predictions: TensorLike, normalizer: Any, weights: Any = None,
    metrics_collections: Any = None, updates_collections: Any = None, name: str | None = None,
) -> Pair:  # fmt: skip
    """The mean of |labels - predictions| / normalizer
    (`tf.compat.v1.metrics.mean_relative_error`).
    """

    def errors() -> Any:
        wanted, found = _floats(labels, predictions)
        by = same_rank(cast(to_tensor(normalizer), dtypes.float32), found)
        return div_no_nan(absolute(subtract(wanted, found)), by)

    return _mean_of("mean_relative_error", errors, weights, metrics_collections,
                    updates_collections, name)  # fmt: skip


def root_mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: str | Sequence[str] | None = None,
    updates_collections: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Pair:
    """The root of `mean_squared_error` (`tf.compat.v1.metrics.root_mean_squared_error`)."""
    refuse_eager("root_mean_squared_error")
    value, update = mean_squared_error(
        labels, predictions, weights, None, None, name or "root_mean_squared_error"
    )
    with named("Sqrt"):
        value, update = sqrt(value), sqrt(update)
    collect(value, update, metrics_collections, updates_collections)
    return value, update


def percentage_below(
    values: Any, threshold: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> Pair:  # fmt: skip
    """How often values are below a threshold (`tf.compat.v1.metrics.percentage_below`)."""
    return _mean_of(
        "percentage_below_threshold", lambda: cast(less(values, threshold), dtypes.float32),
        weights, metrics_collections, updates_collections, name,
    )  # fmt: skip


def mean_tensor(
    values: TensorLike, weights: Any = None, metrics_collections: str | Sequence[str] | None = None,
    updates_collections: str | Sequence[str] | None = None, name: str | None = None,
) -> Pair:  # fmt: skip
    """The mean of each element over all runs (`tf.compat.v1.metrics.mean_tensor`)."""

    def make() -> Pair:
        found = cast(to_tensor(values), dtypes.float32)
        sizes = found.shape.as_list()
        total = metric_variable(sizes, dtypes.float32, "total_tensor")
        count = metric_variable(sizes, dtypes.float32, "count_tensor")
        weight = weights_for(weights, found)
        number = ones_like(found) if weight is None else weight
        found = found if weight is None else multiply(found, weight)
        return ratio((total, count), (added(total, found), added(count, number)))

    return _metric("mean", name, make, (metrics_collections, updates_collections))


# -- counts of right and wrong ---------------------------------------------------------------------


def _counted(where: TensorLike, weights: Tensor, name: str) -> Pair:
    """How often a condition has held, in a scope of this name."""
    with variable_scope(None, name) as scope, inside(scope.original_name_scope):
        count = metric_variable([], dtypes.float32, "count")
        held = cast(where, dtypes.float32)
        weight = weights_for(weights, held)
        held = held if weight is None else multiply(held, weight)
        return seen(count), added(count, reduce_sum(held))


def _held(labels: TensorLike, predictions: TensorLike, label: bool, prediction: bool) -> Any:
    found, wanted = cast(to_tensor(predictions), dtypes.bool_), to_tensor(labels)
    wanted = same_rank(cast(wanted, dtypes.bool_), found)
    wanted = wanted if label else logical_not(wanted)
    return logical_and(wanted, found if prediction else logical_not(found))


def _count_metric(kind: str, label: bool, prediction: bool) -> Callable[..., Pair]:
    def metric(
        labels: TensorLike,
        predictions: TensorLike,
        weights: Any = None,
        metrics_collections: str | Sequence[str] | None = None,
        updates_collections: str | Sequence[str] | None = None,
        name: str | None = None,
    ) -> Pair:
        def make() -> Pair:
            count = metric_variable([], dtypes.float32, "count")
            held = cast(_held(labels, predictions, label, prediction), dtypes.float32)
            weight = weights_for(weights, held)
            held = held if weight is None else multiply(held, weight)
            update = added(count, reduce_sum(held))
            return copied_as(seen(count), "Identity"), update

        return _metric(kind, name, make, (metrics_collections, updates_collections))

    metric.__name__ = metric.__qualname__ = kind
    metric.__doc__ = f"The number of {kind.replace('_', ' ')} (`tf.compat.v1.metrics.{kind}`)."
    return metric


true_positives = _count_metric("true_positives", True, True)
true_negatives = _count_metric("true_negatives", False, False)
false_positives = _count_metric("false_positives", False, True)
false_negatives = _count_metric("false_negatives", True, False)


def _share(a: Pair, b: Pair) -> Pair:
    """a / (a + b) of two counts."""
    value = safe_ratio(a[0], a[0] + b[0], "value")
    return value, safe_ratio(a[1], a[1] + b[1], "update_op")


def precision(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: str | Sequence[str] | None = None,
    updates_collections: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Pair:
    """The share of what is right in what was predicted (`tf.compat.v1.metrics.precision`)."""

    def make() -> Pair:
        right = _counted(_held(labels, predictions, True, True), weights, "true_positives")
        wrong = _counted(_held(labels, predictions, False, True), weights, "false_positives")
        return _share(right, wrong)

    return _metric("precision", name, make, (metrics_collections, updates_collections))


def recall(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: str | Sequence[str] | None = None,
    updates_collections: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Pair:
    """The share of what was predicted in what is right (`tf.compat.v1.metrics.recall`)."""

    def make() -> Pair:
        right = _counted(_held(labels, predictions, True, True), weights, "true_positives")
        missed = _counted(_held(labels, predictions, True, False), weights, "false_negatives")
        return _share(right, missed)

    return _metric("recall", name, make, (metrics_collections, updates_collections))


# -- thresholds ------------------------------------------------------------------------------------

_KINDS = {"true_positives": (True, True), "false_negatives": (True, False),
          "true_negatives": (False, False), "false_positives": (False, True)}  # fmt: skip


def _at_thresholds(
    labels: TensorLike, predictions: TensorLike, thresholds: Any, weights: Tensor, kinds: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Counts for each threshold: the values and the updates."""
    limits = reshape(constant(list(thresholds), dtypes.float32), [-1, 1])
    found = reshape(cast(to_tensor(predictions), dtypes.float32), [1, -1])
    wanted = reshape(cast(to_tensor(labels), dtypes.bool_), [1, -1])
    above = greater(found, limits)
    weight = weights_for(weights, cast(to_tensor(predictions), dtypes.float32))
    weight = None if weight is None else reshape(weight, [1, -1])
    values, updates = {}, {}
    for kind in kinds:
        label, prediction = _KINDS[kind]
        held = logical_and(wanted if label else logical_not(wanted),
                           above if prediction else logical_not(above))  # fmt: skip
        count = metric_variable([len(thresholds)], dtypes.float32, kind)
        held = cast(held, dtypes.float32)
        held = held if weight is None else multiply(held, weight)
        values[kind], updates[kind] = seen(count), added(count, reduce_sum(held, 1))
    return values, updates


def _threshold_metric(
    kind: str, kinds: tuple[str, ...], compute: Callable[[dict[str, Any], str], Any],
    scope: str | None = None,
) -> Callable[..., Pair]:  # fmt: skip
    def metric(
        labels: Any,
        predictions: Any,
        thresholds: Any,
        weights: Any = None,
        metrics_collections: str | Sequence[str] | None = None,
        updates_collections: str | Sequence[str] | None = None,
        name: str | None = None,
    ) -> Pair:
        def make() -> Pair:
            values, updates = _at_thresholds(labels, predictions, thresholds, weights, kinds)
            return compute(values, "value"), compute(updates, "update_op")

        return _metric(scope or kind, name, make, (metrics_collections, updates_collections))

    metric.__name__ = metric.__qualname__ = kind
    metric.__doc__ = f"One number for each threshold (`tf.compat.v1.metrics.{kind}`)."
    return metric


def _quotient(name: str, a: str, b: str) -> Callable[[dict[str, Any], str], Any]:
    def quotient(counts: dict[str, Any], called: str) -> Any:
        whole = counts[a] + counts[b] + 1e-7  # TF: keeps it from dividing by 0
        with named(f"{name}_{called}"):
            return divide(counts[a], whole)

    return quotient


def _count_of(kind: str) -> Callable[[dict[str, Any], str], Any]:
    return lambda counts, called: copied_as(counts[kind], "Identity")


precision_at_thresholds = _threshold_metric(
    "precision_at_thresholds", ("true_positives", "false_positives"),
    _quotient("precision", "true_positives", "false_positives"),
)  # fmt: skip
recall_at_thresholds = _threshold_metric(
    "recall_at_thresholds", ("true_positives", "false_negatives"),
    _quotient("recall", "true_positives", "false_negatives"),
)  # fmt: skip
true_positives_at_thresholds = _threshold_metric(
    "true_positives_at_thresholds",
    ("true_positives",),
    _count_of("true_positives"),
    "true_positives",
)
true_negatives_at_thresholds = _threshold_metric(
    "true_negatives_at_thresholds",
    ("true_negatives",),
    _count_of("true_negatives"),
    "true_negatives",
)
false_positives_at_thresholds = _threshold_metric(
    "false_positives_at_thresholds",
    ("false_positives",),
    _count_of("false_positives"),
    "false_positives",
)
false_negatives_at_thresholds = _threshold_metric(
    "false_negatives_at_thresholds",
    ("false_negatives",),
    _count_of("false_negatives"),
    "false_negatives",
)


def auc(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: str | Sequence[str] | None = None,
    updates_collections: str | Sequence[str] | None = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Any = None,
) -> Pair:
    """The area under the curve of right over wrong (`tf.compat.v1.metrics.auc`).

    Raises:
        ValueError: `curve` is neither "ROC" nor "PR", or there is no such summation method.
    """
    if curve not in ("ROC", "PR"):
        raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
    if summation_method not in ("trapezoidal", "minoring", "majoring"):
        raise ValueError(f"Invalid summation_method: {summation_method}")
    limits, height = _limits(num_thresholds, thresholds), _HEIGHTS[summation_method]

    def area(counts: dict[str, Any], called: str) -> Any:
        tp, fp = counts["true_positives"], counts["false_positives"]
        fn, tn = counts["false_negatives"], counts["true_negatives"]
        hit = divide(tp + _SMALL, tp + fn + _SMALL)
        if curve == "ROC":
            x, y = divide(fp, fp + tn + _SMALL), hit
        else:
            x, y = hit, divide(tp + _SMALL, tp + fp + _SMALL)
        pairs = y[:-1], y[1:]
        parts = multiply(x[:-1] - x[1:], height(*pairs))
        with named(called):
            return reduce_sum(parts)

    def make() -> Pair:
        values, updates = _at_thresholds(labels, predictions, limits, weights, tuple(_KINDS))
        return area(values, "value"), area(updates, "update_op")

    return _metric("auc", name, make, (metrics_collections, updates_collections))


_SMALL = 1e-6


def _smaller(a: Tensor, b: Tensor) -> Any:
    return (a + b - absolute(a - b)) / 2.0


def _larger(a: Tensor, b: Tensor) -> Any:
    return (a + b + absolute(a - b)) / 2.0


_HEIGHTS = {
    "trapezoidal": lambda a, b: (a + b) / 2.0,
    "minoring": _smaller,
    "majoring": _larger,
}


def _limits(count: int, thresholds: Any) -> list[float]:
    inner = (
        thresholds if thresholds is not None else [(i + 1) / (count - 1) for i in range(count - 2)]
    )
    return [-1e-7, *inner, 1.0 + 1e-7]


# -- classes ---------------------------------------------------------------------------------------


def _confusion(
    labels: TensorLike, predictions: TensorLike, classes: int, weights: TensorLike
) -> Pair:
    wanted = reshape(cast(to_tensor(labels), dtypes.int64), [-1])
    found = reshape(cast(to_tensor(predictions), dtypes.int64), [-1])
    weight = None if weights is None else reshape(cast(to_tensor(weights), dtypes.float64), [-1])
    total = metric_variable([classes, classes], dtypes.float64, "total_confusion_matrix")
    matrix = _matrix(wanted, found, classes, weight, dtypes.float64)
    return seen(total), added(total, matrix)


def _matrix(
    labels: TensorLike, predictions: TensorLike, classes: int, weights: object, dtype: DTypeLike
) -> Any:
    """How often each class is taken for each."""
    wanted = one_hot(labels, classes, dtype=dtype)
    if weights is not None:
        wanted = multiply(wanted, expand_dims(weights, -1))
    return matmul(wanted, one_hot(predictions, classes, dtype=dtype), transpose_a=True)


def mean_iou(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: str | Sequence[str] | None = None,
    updates_collections: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Pair:
    """The mean over classes of intersection over union (`tf.compat.v1.metrics.mean_iou`). The
    update is the confusion matrix.
    """

    def make() -> Pair:
        total, update = _confusion(labels, predictions, num_classes, weights)
        rows, columns = reduce_sum(total, 0), reduce_sum(total, 1)
        hits = diag_part(total)
        union = cast(rows + columns - hits, dtypes.float32)
        present = reduce_sum(cast(greater(union, 0.0), dtypes.float32))
        each = div_no_nan(cast(hits, dtypes.float32), union)
        with named("mean_iou"):
            return div_no_nan(reduce_sum(each), present), update

    return _metric("mean_iou", name, make, (metrics_collections, updates_collections))


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
    (`tf.compat.v1.metrics.mean_per_class_accuracy`), which is 0 for a class that no label has.
    """

    def make() -> Pair:
        expected_classes = reshape(cast(to_tensor(labels), dtypes.int64), [-1])
        predicted_classes = reshape(cast(to_tensor(predictions), dtypes.int64), [-1])
        weight = (
            None if weights is None else reshape(cast(to_tensor(weights), dtypes.float32), [-1])
        )
        total = metric_variable([num_classes], dtypes.float32, "total")
        count = metric_variable([num_classes], dtypes.float32, "count")
        matrix = _matrix(expected_classes, predicted_classes, num_classes, weight, dtypes.float32)
        updates = added(total, diag_part(matrix)), added(count, reduce_sum(matrix, 1))

        def average(a: TensorLike, b: TensorLike, called: str) -> Any:
            accuracies = div_no_nan(a, b)
            with named(called):
                return reduce_mean(accuracies)

        with named("update_op"):
            update = div_no_nan(*updates)
        return average(seen(total), seen(count), "mean_accuracy"), update

    return _metric("mean_accuracy", name, make, (metrics_collections, updates_collections))
