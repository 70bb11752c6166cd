"""Likelihoods against thresholds: counts, shares, and areas under curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....base import dtypes
from ....base.typing import TensorLike
from ....core.context import device
from ....core.tensor import Tensor
from ....graph.recording.scopes import control_dependencies
from ....ops.array.gathering import gather
from ....ops.array.making import constant, ones_like
from ....ops.array.select import where
from ....ops.array.shaping import identity, reshape
from ....ops.convert import to_tensor
from ....ops.debugging.assertions import assert_greater_equal, assert_less_equal
from ....ops.math.cumulative import cumsum
from ....ops.math.elementwise import (
    abs as absolute,
    cast,
    divide,
    equal,
    greater,
    log,
    logical_and,
    logical_not,
    maximum,
    multiply,
)
from ....ops.math.guarded import divide_no_nan as div_no_nan
from ....ops.math.reduction import (
    argmax,
    argmin,
    reduce_min,
    reduce_sum,
)
from ...scopes.op_names import copied_as, named
from .parts import (
    Pair,
    added,
    fitted,
    metric,
    metric_variable,
    refuse_eager,
    seen,
    weights_for,
)

_KINDS = {"true_positives": (True, True), "false_negatives": (True, False),
          "true_negatives": (False, False), "false_positives": (False, True)}  # fmt: skip


def _at_thresholds(
    labels: TensorLike, predictions: TensorLike, thresholds: Any, weights: Any, kinds: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Counts for each threshold: the variables and their updates."""
    limits = reshape(constant(list(thresholds), dtypes.float32), [-1, 1])
    found = cast(to_tensor(predictions), dtypes.float32)
    message = "predictions must be in [0, 1]"
    with device("CPU:0"):  # the only one that has assertions, wherever the program puts the metric
        checks = [assert_greater_equal(found, 0.0, message), assert_less_equal(found, 1.0, message)]
    with control_dependencies(checks):
        wanted, found = fitted(cast(to_tensor(labels), dtypes.bool_), identity(found))
    weight = weights_for(weights, found)
    wanted, found = reshape(wanted, [1, -1]), reshape(found, [1, -1])
    above = greater(found, limits)
    weight = None if weight is None else reshape(weight, [1, -1])
    variables, updates = {}, {}
    for kind in kinds:
        label, prediction = _KINDS[kind]
        held = logical_and(wanted if label else logical_not(wanted),
                           above if prediction else logical_not(above))  # fmt: skip
        count = metric_variable([len(thresholds)], dtypes.float32, kind)
        held = cast(held, dtypes.float32)
        held = held if weight is None else multiply(held, weight)
        variables[kind], updates[kind] = count, added(count, reduce_sum(held, 1))
    return variables, updates


def _seen(variables: dict[str, Any], compute: Callable[[dict[str, Any], str], Any]) -> Any:
    def of_values(*values: TensorLike) -> Any:
        return compute(dict(zip(variables, values, strict=True)), "value")

    return seen(list(variables.values()), of_values)


def _threshold_metric(
    kind: str, kinds: tuple[str, ...], compute: Callable[[dict[str, Any], str], Any],
    scope: str | None = None,
) -> Callable[..., Pair]:  # fmt: skip
    def at_thresholds(
        labels: TensorLike,
        predictions: TensorLike,
        thresholds: Any,
        weights: TensorLike | None = None,
        metrics_collections: str | Sequence[str] | None = None,
        updates_collections: str | Sequence[str] | None = None,
        name: str | None = None,
    ) -> Pair:
        def make() -> Pair:
            counts, updates = _at_thresholds(labels, predictions, thresholds, weights, kinds)
            return _seen(counts, compute), compute(updates, "update_op")

        return metric(scope or kind, name, make, (metrics_collections, updates_collections))

    at_thresholds.__name__ = at_thresholds.__qualname__ = kind
    at_thresholds.__doc__ = f"One number for each threshold (`tf.compat.v1.metrics.{kind}`)."
    return at_thresholds


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
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
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
        raise ValueError(f"Curve must be either ROC or PR. Curve {curve} is unknown.")
    if summation_method not in _HEIGHTS:
        raise ValueError(
            f"Invalid summation_method: {summation_method} summation_method should be "
            "'trapezoidal', 'careful_interpolation', 'minoring', or 'majoring'."
        )
    limits, height = _limits(num_thresholds, thresholds), _HEIGHTS[summation_method]
    # TF: one threshold has the two at the ends, but no area.
    last = (num_thresholds if thresholds is None else len(limits)) - 1

    def area(counts: dict[str, Any], called: str) -> Any:
        tp, fp = counts["true_positives"], counts["false_positives"]
        fn, tn = counts["false_negatives"], counts["true_negatives"]
        if (curve, summation_method) == ("PR", "careful_interpolation"):
            return _interpolated(tp, fp, fn)
        hit = divide(tp + _SMALL, tp + fn + _SMALL)
        if curve == "ROC":
            x, y = divide(fp, fp + tn + _SMALL), hit
        else:
            x, y = hit, divide(tp + _SMALL, tp + fp + _SMALL)
        pairs = y[:last], y[1:]
        parts = multiply(x[:last] - x[1:], height(*pairs))
        with named(called):
            return reduce_sum(parts)

    def make() -> Pair:
        counts, updates = _at_thresholds(labels, predictions, limits, weights, tuple(_KINDS))
        return _seen(counts, area), area(updates, "update_op")

    return metric("auc", name, make, (metrics_collections, updates_collections))


def _interpolated(tp: Any, fp: Any, fn: Any) -> Any:
    """The area under precision over recall with true positives a line over positives between
    thresholds, as Davis and Goadrich have it.

    Between two thresholds true positives are t = slope * p + start, with p positives. There the
    area is that of t / p over t, which has a logarithm in it, over all that is right.
    """
    positives = tp + fp
    more, found = tp[:-1] - tp[1:], positives[:-1] - positives[1:]
    slope = div_no_nan(more, maximum(found, 0.0))
    start = tp[1:] - multiply(slope, positives[1:])
    some = logical_and(greater(positives[:-1], 0.0), greater(positives[1:], 0.0))
    growth = div_no_nan(positives[:-1], maximum(positives[1:], 0.0))
    growth = where(some, growth, ones_like(growth))
    parts = multiply(slope, more + multiply(start, log(growth)))
    areas = div_no_nan(parts, maximum(tp[1:] + fn[1:], 0.0))
    with named("interpolate_pr_auc"):
        return reduce_sum(areas)


_SMALL = 1e-6


def _smaller(a: Tensor, b: Tensor) -> Any:
    return (a + b - absolute(a - b)) / 2.0


def _larger(a: Tensor, b: Tensor) -> Any:
    return (a + b + absolute(a - b)) / 2.0


_HEIGHTS = {
    "trapezoidal": lambda a, b: (a + b) / 2.0,
    "careful_interpolation": lambda a, b: (a + b) / 2.0,  # of "ROC"; see above for "PR"
    "minoring": _smaller,
    "majoring": _larger,
}


def _limits(count: int, thresholds: Any) -> list[float]:
    inner = (
        thresholds if thresholds is not None else [(i + 1) / (count - 1) for i in range(count - 2)]
    )
    return [-1e-7, *inner, 1.0 + 1e-7]


# -- one share at another --------------------------------------------------------------------------


def _share(counts: dict[str, Any], right: str, wrong: str) -> Any:
    return divide(counts[right], counts[right] + counts[wrong] + _TINY)


_TINY = 1e-7
_SENSITIVITY = ("true_positives", "false_negatives")
_SPECIFICITY = ("true_negatives", "false_positives")


def _share_at(
    kind: str, given: tuple[Any, Any, Any], wanted: float, place: Callable[[Any], Any],
    shares: tuple[tuple[str, str], tuple[str, str]], count: int, name: str | None,
    lists: tuple[Any, Any],
) -> Pair:  # fmt: skip
    """The second share at the threshold where the first is nearest to what is wanted."""
    limits = _limits(count, None)

    def at(counts: dict[str, Any], called: str) -> Any:
        i = place(absolute(_share(counts, *shares[0]) - wanted))
        right, wrong = (gather(counts[each], i) for each in shares[1])
        whole = right + wrong + _TINY
        with named(called):
            return divide(right, whole)

    def make() -> Pair:
        labels, predictions, weights = given
        counts, updates = _at_thresholds(labels, predictions, limits, weights, tuple(_KINDS))
        return _seen(counts, at), at(updates, "update_op")

    return metric(kind, name, make, lists)


def _check_share(name: str, given: float) -> None:
    if not 0 <= given <= 1:
        raise ValueError(f"`{name}` must be in the range [0, 1]. Currently, `{name}` got {given}.")


def _last_smallest(distance: Any) -> Any:
    """Where the smallest is: TF takes the last of equal ones here, and the first elsewhere."""
    is_smallest = cast(equal(distance, reduce_min(distance)), dtypes.int64)
    return argmax(cumsum(is_smallest), 0)


def specificity_at_sensitivity(
    labels: TensorLike,
    predictions: TensorLike,
    sensitivity: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: str | Sequence[str] | None = None,
    updates_collections: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the share of negatives that are found where a share of positives is
    (`tf.compat.v1.metrics.specificity_at_sensitivity`).

    Args:
        labels: what is right, as bools.
        predictions: likelihoods in [0, 1], of the same shape.
        sensitivity: the share of positives, in [0, 1]. The nearest one that a threshold has counts.
        weights: a weight for all, or for each.
        num_thresholds: how many thresholds are tried.
        metrics_collections: lists of the graph for the value.
        updates_collections: lists of the graph for the update.
        name: the name of the variable scope.

    Returns:
        The value of what has been seen, and an operation that sees more, and is the value then.

    Raises:
        RuntimeError: in eager mode.
        ValueError: `sensitivity` is not in [0, 1], or shapes do not fit.
        InvalidArgumentError: predictions are not in [0, 1], when the graph runs.
    """
    refuse_eager("specificity_at_sensitivity")
    _check_share("sensitivity", sensitivity)
    return _share_at(
        "specificity_at_sensitivity", (labels, predictions, weights), sensitivity, _last_smallest,
        (_SENSITIVITY, _SPECIFICITY), num_thresholds, name,
        (metrics_collections, updates_collections),
    )  # fmt: skip


def sensitivity_at_specificity(
    labels: TensorLike,
    predictions: TensorLike,
    specificity: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: str | Sequence[str] | None = None,
    updates_collections: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the share of positives that are found where a share of negatives is
    (`tf.compat.v1.metrics.sensitivity_at_specificity`).

    Args:
        labels: what is right, as bools.
        predictions: likelihoods in [0, 1], of the same shape.
        specificity: the share of negatives, in [0, 1]. The nearest one that a threshold has counts.
        weights: a weight for all, or for each.
        num_thresholds: how many thresholds are tried.
        metrics_collections: lists of the graph for the value.
        updates_collections: lists of the graph for the update.
        name: the name of the variable scope.

    Returns:
        The value of what has been seen, and an operation that sees more, and is the value then.

    Raises:
        RuntimeError: in eager mode.
        ValueError: `specificity` is not in [0, 1], or shapes do not fit.
        InvalidArgumentError: predictions are not in [0, 1], when the graph runs.
    """
    refuse_eager("sensitivity_at_specificity")
    _check_share("specificity", specificity)
    return _share_at(
        "sensitivity_at_specificity", (labels, predictions, weights), specificity,
        lambda distance: argmin(distance, 0), (_SPECIFICITY, _SENSITIVITY), num_thresholds, name,
        (metrics_collections, updates_collections),
    )  # fmt: skip
