"""Losses that add up over replicas (`tf.nn`)."""

from __future__ import annotations

from typing import Any

from ...ops.array.shaping import shape
from ...ops.convert import to_tensor
from ...ops.math.elementwise import cast, divide, multiply
from ...ops.math.reduction import reduce_sum
from ..replicas.contexts import in_cross_replica_context
from .strategy import get_strategy


def compute_average_loss(
    per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None
) -> Any:
    """Computes the sum of losses over the size of the whole batch, of which this replica has a part
    (`tf.nn.compute_average_loss`). The sum over replicas is the mean of all examples.

    Args:
        per_example_loss: a loss for each example, shape (examples, ...).
        sample_weight: what to multiply them by.
        global_batch_size: the size of the whole batch; the size of this part times the number of
            replicas if None.

    Raises:
        RuntimeError: all replicas are spoken of.
        ValueError: the loss is a scalar, or the size no integer scalar.
    """
    losses = to_tensor(per_example_loss)
    if losses.shape.rank == 0:
        raise ValueError(
            "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1. "
            f"Received per_example_loss={per_example_loss} with rank 0"
        )
    if sample_weight is not None:
        losses = multiply(losses, cast(to_tensor(sample_weight), losses.dtype))
    if global_batch_size is None:
        if in_cross_replica_context():
            raise RuntimeError(
                "You are calling `compute_average_loss` in cross replica context, while it was "
                "expected to be called in replica context."
            )
        global_batch_size = shape(losses)[0] * get_strategy().num_replicas_in_sync
    size = to_tensor(global_batch_size)
    if size.shape.rank not in (0, None):
        raise ValueError("`global_batch_size` must be a scalar.")
    if not size.dtype.is_integer:
        raise TypeError("`global_batch_size` must be an int.")
    return divide(reduce_sum(losses), cast(size, losses.dtype))


def scale_regularization_loss(regularization_loss: Any) -> Any:
    """This replica's part of a loss that all replicas compute alike
    (`tf.nn.scale_regularization_loss`): the sum over the number of replicas.

    Raises:
        RuntimeError: all replicas are spoken of.
    """
    if in_cross_replica_context():
        raise RuntimeError(
            "You are calling `scale_regularization_loss` in cross replica context, while it was "
            "expected to be called in replica context."
        )
    total = reduce_sum(to_tensor(regularization_loss))
    return divide(total, cast(to_tensor(get_strategy().num_replicas_in_sync), total.dtype))
