"""Losses: cross entropies, and sums of squares."""

from __future__ import annotations

import math
from typing import Any

import torch

from ...base import dtypes
from ...base.errors import InvalidArgumentError, invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...codegen.cross_entropy import cross_entropy
from ...core.tensor import Tensor
from .. import infer
from ..array.making import zeros_like
from ..array.select import where
from ..array.shaping import reshape, sizes_of, transpose
from ..convert import pair, to_tensor, unary
from ..deferred import needs_rank
from ..infer import Spec, shape_only
from ..math.elementwise import (
    add,
    cast,
    exp,
    greater_equal,
    less_equal,
    log,
    logical_and,
    multiply,
    negative,
    subtract,
)
from ..op import apply, op
from .activation import last_axis_orders, softplus
from .softmax_rows import is_short, log_softmax as log_softmax_rows


def softmax_xent_kernel(
    features: torch.Tensor, labels: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """(loss per row, its gradient for the features)."""
    log_probabilities = log_softmax_rows(features)
    loss = -(labels * log_probabilities).sum(-1)
    return loss, log_probabilities.exp() - labels


def _xent_spec(features: Spec, labels: Spec) -> tuple[Spec, Spec]:
    logits = infer.broadcast(features, labels)
    if logits.dims is None or len(logits.dims) != 2:
        raise invalid_argument(
            "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional"
        )
    return Spec(logits.dims[:-1], features.dtype), logits


SOFTMAX_XENT = op(
    "SoftmaxCrossEntropyWithLogits", "features: T, labels: T -> loss: T, backprop: T",
    softmax_xent_kernel, _xent_spec, T=dtypes.FLOATS,
)  # fmt: skip


def sparse_softmax_xent_kernel(
    features: torch.Tensor, labels: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """(loss per row, its gradient for the features); NaN for a label out of range on a GPU."""
    ready = _by_machine_code(features, labels)
    if ready is not None:
        return ready
    _sparse_xent_spec(shape_only(features), Spec(tuple(labels.shape), dtypes.int64))
    classes = features.shape[-1]
    if features.is_cpu:
        turned = is_short(features)
        axis = 0 if turned else -1
        places = labels.long().unsqueeze(axis)
        logs = torch.log_softmax(features.t().contiguous() if turned else features, axis)
        try:
            loss = logs.gather(axis, places).squeeze(axis).neg_()
        except (RuntimeError, IndexError):
            raise _bad_label(labels, classes) from None
        gradient = logs.exp_().scatter_(axis, places, -1.0, reduce="add")
        return loss, gradient.t().contiguous() if turned else gradient
    places = labels.long().unsqueeze(-1)
    log_probabilities = log_softmax_rows(features)
    valid = (places >= 0) & (places < classes)
    loss = -log_probabilities.gather(-1, places.clamp(0, classes - 1)).squeeze(-1)
    gradient = log_probabilities.exp()
    gradient.scatter_add_(
        -1, places.clamp(0, classes - 1), -torch.ones_like(places, dtype=gradient.dtype)
    )
    bad_row = ~valid.squeeze(-1)
    nan = float("nan")
    return loss.masked_fill(bad_row, nan), gradient.masked_fill(bad_row.unsqueeze(-1), nan)


def _by_machine_code(
    features: torch.Tensor, labels: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor] | None:
    """The same; None where others must compute it, as the error of a wrong label."""
    if features.ndim != 2 or not features.numel() or features.shape[:1] != labels.shape:
        return None
    if features.dtype is not torch.float32 or not features.is_cpu or features.requires_grad:
        return None
    return None if torch.compiler.is_compiling() else cross_entropy(features, labels)


def _bad_label(labels: torch.Tensor, classes: int) -> InvalidArgumentError:
    bad = int(labels[(labels < 0) | (labels >= classes)][0])
    return invalid_argument(
        f"Received a label value of {bad} which is outside the valid range of [0, {classes}).  "
        f"Label values: {' '.join(str(int(label)) for label in labels.reshape(-1)[:16])}"
    )


def _sparse_xent_spec(features: Spec, labels: Spec) -> tuple[Spec, Spec]:
    logits, places = features.dims or (), labels.dims or ()
    if len(logits) != 2 or len(places) != 1 or logits[0] != places[0]:
        raise invalid_argument(
            "logits and labels must have the same first dimension, got logits shape "
            f"{runtime_text(logits)} and labels shape {runtime_text(places)}"
        )
    if logits[1] == 0 and logits[0] != 0:
        raise invalid_argument(
            f"Must have at least one class, but got logits shape {runtime_text(logits)}"
        )
    return Spec(places, features.dtype), features


SPARSE_SOFTMAX_XENT = op(
    "SparseSoftmaxCrossEntropyWithLogits",
    "features: T, labels: Tlabels -> loss: T, backprop: T",
    sparse_softmax_xent_kernel, _sparse_xent_spec,
    T=dtypes.FLOATS, Tlabels=dtypes.INDICES,
)  # fmt: skip


def replica_sparse_softmax_xent_kernel(
    features: torch.Tensor, labels: torch.Tensor, *, replicas: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """The same for the rows of replicas, one behind the other; an error tells of one's alone."""
    try:
        return sparse_softmax_xent_kernel(features, labels)
    except InvalidArgumentError:
        rows = len(labels) // replicas
        for part, own in zip(torch.split(features, rows), torch.split(labels, rows), strict=True):
            sparse_softmax_xent_kernel(part, own)
        raise


# What plans make of those of replicas.
REPLICA_SPARSE_SOFTMAX_XENT = op(
    "ReplicaSparseSoftmaxCrossEntropyWithLogits",
    "features: T, labels: Tlabels -> loss: T, backprop: T",
    replica_sparse_softmax_xent_kernel, lambda features, labels, replicas: (
        _sparse_xent_spec(features, labels)
    ), is_listed=False, T=dtypes.FLOATS, Tlabels=dtypes.INDICES,
)  # fmt: skip


def sigmoid_xent_kernel(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """max(x, 0) - x z + log(1 + exp(-|x|)), which no x makes overflow."""
    return torch.relu(logits) - logits * labels + torch.log1p(torch.exp(-logits.abs()))


# TensorFlow computes it by nine ops.
SIGMOID_XENT = op(
    "_SigmoidCrossEntropyWithLogits", "logits: T, labels: T -> loss: T", sigmoid_xent_kernel,
    infer.same, T=dtypes.FLOATS,
)  # fmt: skip


def sigmoid_error_kernel(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """sigmoid(x) - z, with all digits where both are near 1."""
    other = torch.sigmoid(-logits.abs())  # of sigmoid(x) and 1 - sigmoid(x) the one below 1/2
    return torch.where(logits < 0, other - labels, (1 - labels) - other)


SIGMOID_ERROR = op(
    "_SigmoidError", "logits: T, labels: T -> error: T", sigmoid_error_kernel, infer.same,
    T=dtypes.FLOATS,
)  # fmt: skip


def l2_loss_kernel(t: torch.Tensor) -> torch.Tensor:
    """Half the sum of the squares."""
    flat = t.reshape(-1)
    return torch.dot(flat, flat) / 2


def _scalar_spec(t: Spec) -> Spec:
    return Spec((), t.dtype)


L2_LOSS = op("L2Loss", "t: T -> output: T", l2_loss_kernel, _scalar_spec, T=dtypes.FLOATS)


@needs_rank
def softmax_cross_entropy_with_logits(
    labels: TensorLike, logits: Any, axis: int = -1, name: str | None = None
) -> Tensor:
    """Returns the cross entropy of probabilities and softmax(logits)
    (`tf.nn.softmax_cross_entropy_with_logits`).

    Args:
        labels: probabilities of shape (..., classes); they are cast to the dtype of logits.
        logits: unscaled scores of the same shape.
        axis: the axis of the classes.
        name: a name in graphs.

    Returns:
        The loss, of shape (...).

    >>> softmax_cross_entropy_with_logits([[0.0, 1.0]], [[5.0, 5.0]]).numpy().round(3).tolist()
    [0.6930000185966492]
    """
    logits = to_tensor(logits)
    labels = to_tensor(labels, hint=logits.dtype)
    logits_dtype = logits.dtype
    if logits_dtype in dtypes.HALVES:
        logits = cast(logits, dtypes.float32)
    if labels.dtype != logits.dtype:
        labels = cast(labels, logits.dtype)
    rank = logits.shape.rank
    if rank and axis % rank != rank - 1:
        order, _ = last_axis_orders(rank, axis)
        logits, labels = transpose(logits, order), transpose(labels, order)
    sizes, dims = sizes_of(logits), logits.shape
    if rank != 2:
        labels = reshape(labels, [-1, sizes_of(labels)[-1]])  # TF: one for all classes stretches
        logits = reshape(logits, [-1, sizes[-1]])
    loss = apply(SOFTMAX_XENT, (logits, labels))[0]
    if rank != 2:
        loss = reshape(loss, sizes[:-1])
        loss.set_shape(dims[:-1])
    return cast(loss, logits_dtype) if logits_dtype in dtypes.HALVES else loss


def sparse_softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, name: str | None = None
) -> Tensor:
    """The cross entropy of class numbers and softmax(logits)
    (`tf.nn.sparse_softmax_cross_entropy_with_logits`).

    Args:
        labels: class numbers of shape (...), int32 or int64.
        logits: unscaled scores of shape (..., classes).
        name: a name in graphs.

    Returns:
        The loss, of shape (...).

    Raises:
        ValueError: the shapes do not fit each other.
        InvalidArgumentError: a label is out of range (on the CPU; NaN on a GPU).
    """
    logits, labels = to_tensor(logits), to_tensor(labels)
    ranks = labels.shape.rank, logits.shape.rank
    if None not in ranks and ranks[0] != ranks[1] - 1:
        raise ValueError(
            "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: "
            f"labels.shape={labels.shape} of rank {labels.shape.rank} and "
            f"logits.shape={logits.shape} of rank {logits.shape.rank}"
        )
    if not labels.shape.is_compatible_with(logits.shape[:-1]):
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
            f"labels.shape={labels.shape} and logits.shape={logits.shape}"
        )
    logits_dtype = logits.dtype
    if logits_dtype in dtypes.HALVES:
        logits = cast(logits, dtypes.float32)
    if logits.shape.rank == 2:
        loss = apply(SPARSE_SOFTMAX_XENT, (logits, labels))[0]
    else:
        rows = reshape(logits, [-1, sizes_of(logits)[-1]])
        loss = apply(SPARSE_SOFTMAX_XENT, (rows, reshape(labels, [-1])))[0]
        loss = reshape(loss, sizes_of(labels))
    return cast(loss, logits_dtype) if logits_dtype in dtypes.HALVES else loss


def sigmoid_cross_entropy_with_logits(
    labels: TensorLike | None = None, logits: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """The cross entropy of probabilities and sigmoid(logits), element by element
    (`tf.nn.sigmoid_cross_entropy_with_logits`).

    Args:
        labels: probabilities.
        logits: unscaled scores of the same shape and dtype.
        name: a name in graphs.

    Raises:
        ValueError: the shapes differ, or an argument is missing.

    >>> sigmoid_cross_entropy_with_logits([1.0], [0.0]).numpy().round(3).tolist()
    [0.6930000185966492]
    """
    if labels is None or logits is None:
        raise ValueError("Both `labels` and `logits` must be provided.")
    logits, labels = to_tensor(logits), to_tensor(labels)
    _check_same_shape(logits, labels)
    return apply(SIGMOID_XENT, (logits, labels))


def _check_same_shape(logits: Tensor, labels: Tensor) -> None:
    if not labels.shape.is_compatible_with(logits.shape):
        raise ValueError(
            "`logits` and `labels` must have the same shape, received "
            f"({logits.shape} vs {labels.shape})."
        )


def weighted_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, pos_weight: Any, name: str | None = None
) -> Tensor:
    """Does `sigmoid_cross_entropy_with_logits` with positive labels weighted
    (`tf.nn.weighted_cross_entropy_with_logits`).

    Args:
        labels: probabilities.
        logits: unscaled scores of the same shape and dtype.
        pos_weight: the factor of what positive labels cost; broadcasts.
        name: a name in graphs.

    Raises:
        ValueError: the shapes differ.
    """
    logits, labels = to_tensor(logits), to_tensor(labels)
    _check_same_shape(logits, labels)
    weight = add(1, multiply(pos_weight - 1, labels))
    return add(
        multiply(subtract(1, labels), logits), multiply(weight, softplus(negative(logits)))
    )  # fmt: skip


def log_poisson_loss(
    targets: TensorLike, log_input: Any, compute_full_loss: bool = False, name: str | None = None
) -> Tensor:
    """Returns how unlikely targets are, given the logarithm of their expected counts
    (`tf.nn.log_poisson_loss`).

    Args:
        targets: counts.
        log_input: logarithms of expected counts, of the same shape and dtype.
        compute_full_loss: with Stirling's approximation of log(targets!).
        name: a name in graphs.

    Raises:
        ValueError: the shapes differ.
    """
    log_input, targets = pair(log_input, targets)
    if not targets.shape.is_compatible_with(log_input.shape):
        raise ValueError(
            "`log_input` and `targets` must have the same shape, received "
            f"({log_input.shape} vs {targets.shape})."
        )
    loss = subtract(exp(log_input), multiply(log_input, targets))
    return add(loss, _log_factorial(targets)) if compute_full_loss else loss


def _log_factorial(targets: Tensor) -> Tensor:
    """Stirling's approximation, and 0 from 0 to 1, where it is none."""
    stirling = add(
        subtract(multiply(targets, log(targets)), targets),
        multiply(0.5, log(multiply(2 * math.pi, targets))),
    )
    small = logical_and(greater_equal(targets, 0), less_equal(targets, 1))
    return where(small, zeros_like(targets), stirling)


def l2_loss(t: TensorLike, name: str | None = None) -> Tensor:
    """Half the sum of the squares (`tf.nn.l2_loss`).

    >>> float(l2_loss([1.0, 3.0]))
    5.0
    """
    return unary(L2_LOSS, t)
