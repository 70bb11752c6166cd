"""Means over all values so far: of values, of errors, of how often something holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....base import dtypes
from ....base.typing import TensorLike
from ....ops.array.making import ones_like
from ....ops.convert import to_tensor
from ....ops.math.elementwise import (
    abs as absolute,
    cast,
    equal,
    less,
    multiply,
    sqrt,
    squared_difference,
    subtract,
)
from ....ops.math.guarded import divide_no_nan as div_no_nan
from ....ops.math.reduction import (
    reduce_sum,
)
from ...scopes.op_names import named
from .parts import (
    Pair,
    added,
    collect,
    fitted,
    metric,
    metric_variable,
    of_all,
    ratio,
    refuse_eager,
    running_mean,
    weights_for,
)


def mean(
    values: TensorLike, weights: TensorLike | None = None,
    metrics_collections: str | Sequence[str] | None = None,
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
    return metric("mean", name, lambda: running_mean(values, weights), lists)


def _mean_of(
    kind: str,
    values: Callable[[], Any],
    weights: TensorLike | None,
    value_lists: Any,
    update_lists: Any,
    name: str | None,
) -> Pair:
    lists = value_lists, update_lists
    return metric(kind, name, lambda: running_mean(values(), weights), lists)


def _pair(labels: TensorLike, predictions: TensorLike) -> Pair:
    return fitted(to_tensor(labels), to_tensor(predictions))


def accuracy(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Pair:
    """How often predictions are the labels (`tf.compat.v1.metrics.accuracy`); see `mean`."""

    def correct() -> Any:
        wanted, found = _pair(labels, predictions)
        return cast(equal(cast(found, wanted.dtype), wanted), dtypes.float32)

    return _mean_of("accuracy", correct, weights, metrics_collections, updates_collections, name)


def mean_absolute_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Pair:
    """The mean of |labels - predictions| (`tf.compat.v1.metrics.mean_absolute_error`)."""

    def errors() -> Any:
        wanted, found = _pair(labels, predictions)
        return absolute(subtract(found, wanted))

    return _mean_of("mean_absolute_error", errors, weights, metrics_collections,
                    updates_collections, name)  # fmt: skip


def mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Pair:
    """The mean of the squared differences (`tf.compat.v1.metrics.mean_squared_error`)."""

    def errors() -> Any:
        wanted, found = _pair(labels, predictions)
        return squared_difference(wanted, found)

    return _mean_of("mean_squared_error", errors, weights, metrics_collections,
                    updates_collections, name)  # fmt: skip


def mean_relative_error(
    labels: TensorLike, predictions: TensorLike, normalizer: Any, weights: TensorLike | None = None,
    metrics_collections: Any = None, updates_collections: Any = None, name: str | None = None,
) -> Pair:  # fmt: skip
    """The mean of |labels - predictions| / normalizer
    (`tf.compat.v1.metrics.mean_relative_error`).
    """

    def errors() -> Any:
        wanted, found = _pair(labels, predictions)
        by, found = _pair(normalizer, found)
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
    mean_square = value
    with named("Sqrt"):
        value, update = of_all(lambda: sqrt(mean_square)), sqrt(update)
    collect(value, update, metrics_collections, updates_collections)
    return value, update


def mean_cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    dim: int,
    weights: TensorLike | None = None,
    metrics_collections: str | Sequence[str] | None = None,
    updates_collections: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Pair:
    """Returns 1 less the mean of the cosines between vectors of length 1
    (`tf.compat.v1.metrics.mean_cosine_distance`).

    Args:
        labels: vectors of length 1.
        predictions: vectors of length 1, of the same shape and dtype.
        dim: the axis of the vectors' elements.
        weights: a weight for all, or for each vector; the axis `dim` has size 1 then.
        metrics_collections: lists of the graph for the value.
        updates_collections: lists of the graph for the update.
        name: the name of the variable scope.

    Returns:
        The value of what has been seen, and an operation that sees more, and is the value then.

    Raises:
        RuntimeError: in eager mode.
        ValueError: shapes do not fit.
    """
    refuse_eager("mean_cosine_distance")

    def cosines() -> Any:
        return reduce_sum(multiply(*reversed(_pair(labels, predictions))), [dim], True)

    value, update = _mean_of("mean_cosine_distance", cosines, weights, None, None, name)
    one = to_tensor(1.0)
    with named("Sub"):
        value, update = subtract(one, value), subtract(one, update)
    collect(value, update, metrics_collections, updates_collections)
    return value, update


def percentage_below(
    values: TensorLike, threshold: Any, weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> Pair:  # fmt: skip
    """How often values are below a threshold (`tf.compat.v1.metrics.percentage_below`)."""
    return _mean_of(
        "percentage_below_threshold", lambda: cast(less(values, threshold), dtypes.float32),
        weights, metrics_collections, updates_collections, name,
    )  # fmt: skip


def mean_tensor(
    values: TensorLike, weights: TensorLike | None = None,
    metrics_collections: str | Sequence[str] | None = None,
    updates_collections: str | Sequence[str] | None = None, name: str | None = None,
) -> Pair:  # fmt: skip
    """The mean of each element over all runs (`tf.compat.v1.metrics.mean_tensor`)."""

    def make() -> Pair:
        found = cast(to_tensor(values), dtypes.float32)
        if not found.shape.is_fully_defined():
            raise ValueError(
                f"Cannot convert a partially known TensorShape {found.shape} to a Tensor. "
                "tf.compat.v1.metrics.mean_tensor needs values whose shape is known in the graph; "
                "see tf.ensure_shape."
            )
        sizes = found.shape.as_list()
        total = metric_variable(sizes, dtypes.float32, "total_tensor")
        count = metric_variable(sizes, dtypes.float32, "count_tensor")
        weight = weights_for(weights, found)
        number = ones_like(found) if weight is None else weight
        found = found if weight is None else multiply(found, weight)
        return ratio((total, count), (added(total, found), added(count, number)))

    refuse_eager("mean_tensor")
    return metric("mean", name, make, (metrics_collections, updates_collections))
