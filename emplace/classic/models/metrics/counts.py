"""How often predictions of yes or no are right and wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....base import dtypes
from ....base.typing import TensorLike
from ....ops.convert import to_tensor
from ....ops.math.elementwise import (
    cast,
    logical_and,
    logical_not,
    multiply,
)
from ....ops.math.reduction import (
    reduce_sum,
)
from ....ops.nn.weights import of_like_rank
from ...scopes.op_names import copied_as, inside
from ...scopes.variable_scope import variable_scope
from .parts import (
    Pair,
    added,
    fitted,
    metric,
    metric_variable,
    safe_ratio,
    seen,
)


def _counted(held: TensorLike, weights: TensorLike | None, name: str) -> Pair:
    """How often a condition has held: the variable, in a scope of this name, and its update."""
    with variable_scope(None, name) as scope, inside(scope.original_name_scope):
        count = metric_variable([], dtypes.float32, "count")
        return count, added(count, reduce_sum(_weighed(held, weights)))


def _weighed(held: Any, weights: TensorLike | None) -> Any:
    """1 where a condition holds, times the weights."""
    held = cast(held, dtypes.float32)
    if weights is None:
        return held
    return multiply(held, of_like_rank(cast(to_tensor(weights), dtypes.float32), held))


def _held(labels: TensorLike, predictions: TensorLike, label: bool, prediction: bool) -> Any:
    found, wanted = cast(to_tensor(predictions), dtypes.bool_), to_tensor(labels)
    wanted, found = fitted(cast(wanted, dtypes.bool_), found)
    wanted = wanted if label else logical_not(wanted)
    return logical_and(wanted, found if prediction else logical_not(found))


def _count_metric(kind: str, label: bool, prediction: bool) -> Callable[..., Pair]:
    def counted(
        labels: TensorLike,
        predictions: TensorLike,
        weights: TensorLike | None = None,
        metrics_collections: str | Sequence[str] | None = None,
        updates_collections: str | Sequence[str] | None = None,
        name: str | None = None,
    ) -> Pair:
        def make() -> Pair:
            count = metric_variable([], dtypes.float32, "count")
            held = _weighed(_held(labels, predictions, label, prediction), weights)
            update = added(count, reduce_sum(held))
            return seen([count], lambda value: copied_as(value, "Identity")), update

        return metric(kind, name, make, (metrics_collections, updates_collections))

    counted.__name__ = counted.__qualname__ = kind
    counted.__doc__ = f"The number of {kind.replace('_', ' ')} (`tf.compat.v1.metrics.{kind}`)."
    return counted


true_positives = _count_metric("true_positives", True, True)
true_negatives = _count_metric("true_negatives", False, False)
false_positives = _count_metric("false_positives", False, True)
false_negatives = _count_metric("false_negatives", True, False)


def _share(a: Pair, b: Pair) -> Pair:
    """a / (a + b) of two counts."""

    def share(x: Any, y: Any, called: str) -> Any:
        return safe_ratio(x, x + y, called)

    value = seen([a[0], b[0]], lambda x, y: share(x, y, "value"))
    return value, share(a[1], b[1], "update_op")


def precision(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: str | Sequence[str] | None = None,
    updates_collections: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Pair:
    """The share of what is right in what was predicted (`tf.compat.v1.metrics.precision`)."""

    def make() -> Pair:
        right = _counted(_held(labels, predictions, True, True), weights, "true_positives")
        wrong = _counted(_held(labels, predictions, False, True), weights, "false_positives")
        return _share(right, wrong)

    return metric("precision", name, make, (metrics_collections, updates_collections))


def recall(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: str | Sequence[str] | None = None,
    updates_collections: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Pair:
    """The share of what was predicted in what is right (`tf.compat.v1.metrics.recall`)."""

    def make() -> Pair:
        right = _counted(_held(labels, predictions, True, True), weights, "true_positives")
        missed = _counted(_held(labels, predictions, True, False), weights, "false_negatives")
        return _share(right, missed)

    return metric("recall", name, make, (metrics_collections, updates_collections))
