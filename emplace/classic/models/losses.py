"""`tf.losses`: losses with weights, collected in the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base import dtypes
from ...base.typing import Axis, TensorLike
from ...graph.recording.scopes import current_graph
from ...ops.array.barrier import stop_gradient
from ...ops.array.making import ones_like, range_
from ...ops.array.shaping import rank, shape, size, squeeze
from ...ops.convert import to_tensor
from ...ops.deferred import needs_rank
from ...ops.math.elementwise import (
    abs as absolute,
    add,
    cast,
    divide,
    log,
    maximum,
    minimum,
    multiply,
    negative,
    not_equal,
    square,
    subtract,
)
from ...ops.math.guarded import divide_no_nan as div_no_nan
from ...ops.math.reduction import add_n, reduce_sum
from ...ops.nn import activation, loss as cross_entropies
from ...ops.nn.weights import fitting_weights, of_like_rank
from ..scopes.arguments import renamed
from ..scopes.collections import GraphKeys, add_to_collection, get_collection, outer_graph
from ..scopes.op_names import inside, named


class Reduction:
    """How the losses of elements become one (`tf.compat.v1.losses.Reduction`)."""

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All of them."""
        return (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE,
                "weighted_sum_over_nonzero_weights", cls.SUM_BY_NONZERO_WEIGHTS)  # fmt: skip

    @classmethod
    def validate(cls, key: object) -> None:
        """Raises ValueError unless `key` is one of them."""
        if key not in cls.all():
            known = (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE,
                     cls.SUM_OVER_NONZERO_WEIGHTS, cls.SUM_BY_NONZERO_WEIGHTS)  # fmt: skip
            raise ValueError(f"Invalid Reduction Key {key}. Key should be one of {known}.")


_USUAL = Reduction.SUM_BY_NONZERO_WEIGHTS


def add_loss(loss: Any, loss_collection: Any = GraphKeys.LOSSES) -> None:
    """Adds a loss to the graph's (`tf.compat.v1.losses.add_loss`)."""
    if loss_collection and current_graph() is not None:
        add_to_collection(loss_collection, loss)


def get_losses(
    scope: str | None = None, loss_collection: str | Sequence[str] | None = GraphKeys.LOSSES
) -> list[Any]:
    """The graph's losses (`tf.compat.v1.losses.get_losses`)."""
    return get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """The losses of regularizers (`tf.compat.v1.losses.get_regularization_losses`)."""
    return get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(
    scope: str | None = None, name: str = "total_regularization_loss"
) -> Any:
    """Their sum (`tf.compat.v1.losses.get_regularization_loss`)."""
    found = get_regularization_losses(scope)
    with named(name):
        return add_n(found) if found else to_tensor(0.0)


def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Any:
    """The sum of all losses (`tf.compat.v1.losses.get_total_loss`)."""
    found = get_losses(scope)
    if add_regularization_losses:
        found += get_regularization_losses(scope)
    with named(name):
        return add_n(found) if found else to_tensor(0.0)


def compute_weighted_loss(
    losses: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | Sequence[str] | None = GraphKeys.LOSSES,
    reduction: str = _USUAL,
) -> Any:
    """One loss out of the losses of elements (`tf.compat.v1.losses.compute_weighted_loss`).

    Args:
        losses: a loss for each element.
        weights: a weight for all, or for each; 0 leaves an element out.
        scope: a name scope.
        loss_collection: the list of the graph that the loss is added to.
        reduction: one of `Reduction`.

    Raises:
        ValueError: weights do not fit, or there is no such reduction.
    """
    Reduction.validate(reduction)
    if current_graph() is not None:  # which optimizers ask for where an estimator has replicas
        outer_graph().__dict__["_last_loss_reduction"] = reduction
    with inside(scope or "weighted_loss"):
        losses = to_tensor(losses)
        kind, weights = losses.dtype, cast(to_tensor(weights), dtypes.float32)
        losses = cast(losses, dtypes.float32)
        weighted = multiply(losses, fitting_weights(weights, losses))
        loss = cast(_reduced(weighted, losses, weights, reduction), kind)
        add_loss(loss, loss_collection)
        return loss


def _reduced(weighted: Any, losses: TensorLike, weights: TensorLike, reduction: str) -> Any:
    if reduction == Reduction.NONE:
        return weighted
    total = reduce_sum(weighted)
    if reduction == Reduction.SUM:
        return total
    if reduction == Reduction.MEAN:
        count = reduce_sum(multiply(ones_like(losses), weights))
    elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
        count = cast(size(losses), dtypes.float32)
    else:
        present = cast(not_equal(weights, 0.0), dtypes.float32)
        count = reduce_sum(multiply(ones_like(losses), present))
    with named("value"):
        return div_no_nan(total, count)


def _given(labels: Any, predictions: Any, what: str = "predictions") -> tuple[Any, Any]:
    if labels is None or predictions is None:
        missing = "labels" if labels is None else what
        raise ValueError(f"Argument `{missing}` must not be None.")
    predictions = cast(to_tensor(predictions), dtypes.float32)
    labels = cast(to_tensor(labels), dtypes.float32)
    labels.shape.assert_is_compatible_with(predictions.shape)
    return labels, predictions


def absolute_difference(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | Sequence[str] | None = GraphKeys.LOSSES,
    reduction: str = _USUAL,
) -> Any:
    """Returns |labels - predictions| (`tf.compat.v1.losses.absolute_difference`); see
    `compute_weighted_loss`.

    Args:
        labels: what is right.
        predictions: what was predicted, of the same shape.
        weights: a weight for all, or for each; 0 leaves an element out.
        scope: a name scope.
        loss_collection: the list of the graph that the loss is added to.
        reduction: one of `Reduction`.
    """
    with inside(scope or "absolute_difference") as full:
        labels, predictions = _given(labels, predictions)
        losses = absolute(subtract(predictions, labels))
        return compute_weighted_loss(losses, weights, full, loss_collection, reduction)


def mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | Sequence[str] | None = GraphKeys.LOSSES,
    reduction: str = _USUAL,
) -> Any:
    """Returns (labels - predictions) squared (`tf.compat.v1.losses.mean_squared_error`); see
    `compute_weighted_loss`.

    Args:
        labels: what is right.
        predictions: what was predicted, of the same shape.
        weights: a weight for all, or for each; 0 leaves an element out.
        scope: a name scope.
        loss_collection: the list of the graph that the loss is added to.
        reduction: one of `Reduction`.
    """
    with inside(scope or "mean_squared_error") as full:
        labels, predictions = _given(labels, predictions)
        losses = square(subtract(predictions, labels))
        return compute_weighted_loss(losses, weights, full, loss_collection, reduction)


def huber_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: str | Sequence[str] | None = GraphKeys.LOSSES,
    reduction: str = _USUAL,
) -> Any:
    """Returns errors squared up to delta, absolute beyond it (`tf.compat.v1.losses.huber_loss`).

    Args:
        labels: what is right.
        predictions: what was predicted, of the same shape.
        weights: a weight for all, or for each; 0 leaves an element out.
        delta: where the loss becomes linear.
        scope: a name scope.
        loss_collection: the list of the graph that the loss is added to.
        reduction: one of `Reduction`.
    """
    with inside(scope or "huber_loss") as full:
        labels, predictions = _given(labels, predictions)
        error = absolute(subtract(predictions, labels))
        near = minimum(error, delta)
        far = subtract(error, near)
        losses = add(multiply(0.5, square(near)), multiply(delta, far))
        return compute_weighted_loss(losses, weights, full, loss_collection, reduction)


def log_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: str | Sequence[str] | None = GraphKeys.LOSSES,
    reduction: str = _USUAL,
) -> Any:
    """Returns the cross entropy of probabilities (`tf.compat.v1.losses.log_loss`).

    Args:
        labels: what is right.
        predictions: what was predicted, of the same shape.
        weights: a weight for all, or for each; 0 leaves an element out.
        epsilon: what is added to probabilities, which may be 0.
        scope: a name scope.
        loss_collection: the list of the graph that the loss is added to.
        reduction: one of `Reduction`.
    """
    with inside(scope or "log_loss") as full:
        labels, predictions = _given(labels, predictions)
        yes = multiply(labels, log(add(predictions, epsilon)))
        no = multiply(subtract(1.0, labels), log(add(subtract(1.0, predictions), epsilon)))
        losses = negative(add(yes, no))
        return compute_weighted_loss(losses, weights, full, loss_collection, reduction)


def hinge_loss(
    labels: TensorLike, logits: TensorLike, weights: TensorLike = 1.0, scope: str | None = None,
    loss_collection: str | Sequence[str] | None = GraphKeys.LOSSES, reduction: str = _USUAL,
) -> Any:  # fmt: skip
    """Returns max(0, 1 - logits), of logits signed by labels (`tf.compat.v1.losses.hinge_loss`).

    Args:
        labels: what is right.
        logits: what was predicted, before the probabilities.
        weights: a weight for all, or for each; 0 leaves an element out.
        scope: a name scope.
        loss_collection: the list of the graph that the loss is added to.
        reduction: one of `Reduction`.
    """
    with inside(scope or "hinge_loss") as full:
        labels, logits = _given(labels, logits, "logits")
        signs = subtract(multiply(2.0, labels), ones_like(labels))
        losses = activation.relu(subtract(ones_like(labels), multiply(signs, logits)))
        return compute_weighted_loss(losses, weights, full, loss_collection, reduction)


def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: Any = None,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | Sequence[str] | None = GraphKeys.LOSSES,
    reduction: str = _USUAL,
    dim: Axis | None = None,
) -> Any:
    """Returns 1 - the products of unit vectors (`tf.compat.v1.losses.cosine_distance`).

    Args:
        labels: what is right.
        predictions: what was predicted, of the same shape.
        axis: the axis of the vectors.
        weights: a weight for all, or for each; 0 leaves an element out.
        scope: a name scope.
        loss_collection: the list of the graph that the loss is added to.
        reduction: one of `Reduction`.
        dim: the old name of `axis`.

    Raises:
        ValueError: there is no axis.
    """
    axis = renamed("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("You must specify argument `axis`.")
    with inside(scope or "cosine_distance_loss") as full:
        labels, predictions = _given(labels, predictions)
        product = reduce_sum(multiply(predictions, labels), (axis,), True)
        losses = subtract(1.0, product)
        return compute_weighted_loss(losses, weights, full, loss_collection, reduction)


def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | Sequence[str] | None = GraphKeys.LOSSES,
    reduction: str = _USUAL,
) -> Any:
    """Returns the cross entropy of labels (`tf.compat.v1.losses.sigmoid_cross_entropy`).

    Args:
        multi_class_labels: 0 or 1 for each class.
        logits: what was predicted, before the probabilities.
        weights: a weight for all, or for each; 0 leaves an element out.
        label_smoothing: how much labels are drawn to the middle, 0 to 1.
        scope: a name scope.
        loss_collection: the list of the graph that the loss is added to.
        reduction: one of `Reduction`.
    """
    with inside(scope or "sigmoid_cross_entropy_loss") as full:
        logits = to_tensor(logits)
        labels = cast(to_tensor(multi_class_labels), logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            labels = add(multiply(labels, 1 - label_smoothing), 0.5 * label_smoothing)
        losses = cross_entropies.sigmoid_cross_entropy_with_logits(labels, logits)
        return compute_weighted_loss(losses, weights, full, loss_collection, reduction)


def softmax_cross_entropy(
    onehot_labels: Any,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | Sequence[str] | None = GraphKeys.LOSSES,
    reduction: str = _USUAL,
) -> Any:
    """Returns the cross entropy of classes (`tf.compat.v1.losses.softmax_cross_entropy`).

    Args:
        onehot_labels: shape (..., classes): probabilities.
        logits: what was predicted, before the probabilities.
        weights: a weight for all, or for each; 0 leaves an element out.
        label_smoothing: how much labels are drawn to the middle, 0 to 1.
        scope: a name scope.
        loss_collection: the list of the graph that the loss is added to.
        reduction: one of `Reduction`.
    """
    with inside(scope or "softmax_cross_entropy_loss") as full:
        logits = to_tensor(logits)
        labels = cast(to_tensor(onehot_labels), logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            share = divide(label_smoothing, cast(shape(logits)[-1], logits.dtype))
            labels = add(multiply(labels, 1 - label_smoothing), share)
        losses = cross_entropies.softmax_cross_entropy_with_logits(stop_gradient(labels), logits)
        return compute_weighted_loss(losses, weights, full, loss_collection, reduction)


def sparse_softmax_cross_entropy(
    labels: Any, logits: Any, weights: Any = 1.0, scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = _USUAL,
) -> Any:  # fmt: skip
    """Returns the cross entropy of numbers (`tf.compat.v1.losses.sparse_softmax_cross_entropy`).

    Args:
        labels: the numbers of the classes.
        logits: what was predicted, before the probabilities.
        weights: a weight for all, or for each; 0 leaves an element out.
        scope: a name scope.
        loss_collection: the list of the graph that the loss is added to.
        reduction: one of `Reduction`.
    """
    with inside(scope or "sparse_softmax_cross_entropy_loss") as full:
        labels, logits, weights = to_tensor(labels), to_tensor(logits), to_tensor(weights)
        if labels.shape.rank is None or logits.shape.rank is not None:
            labels = _one_per_row(labels, logits)
        weights = cast(weights, dtypes.float32)
        losses = cross_entropies.sparse_softmax_cross_entropy_with_logits(labels, logits)
        weights = of_like_rank(weights, losses)
        return compute_weighted_loss(losses, weights, full, loss_collection, reduction)


@needs_rank
def _one_per_row(labels: Any, logits: Any) -> Any:
    """Numbers of classes without a last axis of size 1 that logits have no other for."""
    return squeeze(labels, [-1]) if labels.shape.rank == logits.shape.rank else labels


def mean_pairwise_squared_error(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
) -> Any:  # fmt: skip
    """Returns the squared error of the differences between all pairs of elements of a sample
    (`tf.compat.v1.losses.mean_pairwise_squared_error`).

    Args:
        labels: what is right.
        predictions: what was predicted, of the same shape.
        weights: a weight for all, or for each; 0 leaves an element out.
        scope: a name scope.
        loss_collection: the list of the graph that the loss is added to.
    """
    with inside(scope or "mean_pairwise_squared_error"):
        labels, predictions = _given(labels, predictions)
        weights = cast(to_tensor(weights), dtypes.float32)
        weights = fitting_weights(weights, labels)
        error = subtract(predictions, labels)
        known = error.shape.rank
        axes = range_(1, rank(error)) if known is None else list(range(1, known))
        present = multiply(ones_like(error), cast(not_equal(weights, 0.0), dtypes.float32))
        count = reduce_sum(present, axes, True)
        pairs = maximum(subtract(count, 1.0), 0.0)
        squares = div_no_nan(reduce_sum(square(error), axes, True), pairs)
        total = reduce_sum(error, axes, True)
        products = div_no_nan(square(total), multiply(count, pairs))
        weighted = multiply(multiply(2.0, subtract(squares, products)), weights)
        loss = reduce_sum(weighted)
        add_loss(loss, loss_collection)
        return loss
