"""What programs used most of `tf.contrib.seq2seq`: the loss of sequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ...ops.array.shaping import reshape, sizes_of
from ...ops.convert import to_tensor
from ...ops.math.reduction import reduce_sum
from ...ops.nn.loss import sparse_softmax_cross_entropy_with_logits
from ..scopes.op_names import inside


def sequence_loss(
    logits: TensorLike,
    targets: TensorLike,
    weights: TensorLike,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """The cross entropy of sequences, weighted step by step
    (`tf.contrib.seq2seq.sequence_loss`).

    Args:
        logits: unscaled scores of shape (batch, steps, classes).
        targets: class numbers of shape (batch, steps).
        weights: of shape (batch, steps); 0 leaves a step out.
        average_across_timesteps: whether steps are averaged, else they are kept apart.
        average_across_batch: the same for the batch.
        softmax_loss_function: called with labels= and logits=, instead of the sparse softmax cross
            entropy.
        name: a name scope for the operations.

    Returns:
        A scalar; a vector or a matrix where less is averaged.

    Raises:
        ValueError: the ranks are not 3, 2 and 2.
    """
    logits, targets, weights = to_tensor(logits), to_tensor(targets), to_tensor(weights)
    _check_ranks(logits, targets, weights)
    measure = softmax_loss_function or sparse_softmax_cross_entropy_with_logits
    with inside(name or "sequence_loss"):
        rows = reshape(logits, [-1, sizes_of(logits)[2]])
        losses = measure(labels=reshape(targets, [-1]), logits=rows)
        losses = reshape(losses * reshape(weights, [-1]), sizes_of(weights))
        axes = [0] * average_across_batch + [1] * average_across_timesteps
        if not axes:
            return losses
        return reduce_sum(losses, axes) / (reduce_sum(weights, axes) + 1e-12)


def _check_ranks(logits: Tensor, targets: Tensor, weights: Tensor) -> None:
    for value, rank, text in (
        (logits, 3, "Logits must be a [batch_size x sequence_length x logits] tensor"),
        (targets, 2, "Targets must be a [batch_size x sequence_length] tensor"),
        (weights, 2, "Weights must be a [batch_size x sequence_length] tensor"),
    ):
        if value.shape.rank not in (rank, None):
            raise ValueError(text)
