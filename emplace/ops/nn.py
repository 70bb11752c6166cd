"""Ops of neural networks: activations, softmax, cross entropy, bias."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..base import dtypes
from ..base.errors import invalid_argument
from ..base.shapes import runtime_text
from . import infer
from .array import reshape, transpose
from .convert import pair, to_tensor, unary
from .infer import Spec
from .op import Op, apply, op

RELU = op("Relu", "features: T -> activations: T", torch.relu, infer.same, T=dtypes.REALS)


# Torch's name for it in no public module: one pass over the memory, a third of what `where` takes.
_threshold_backward: Callable[..., torch.Tensor] = torch.ops.aten.threshold_backward.default


def relu_grad_kernel(gradients: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
    """The gradients where the features are positive, 0 elsewhere."""
    return _threshold_backward(gradients, features, 0)


RELU_GRAD = op(
    "ReluGrad", "gradients: T, features: T -> backprops: T", relu_grad_kernel, infer.same,
    T=dtypes.REALS,
)  # fmt: skip


def softmax_kernel(logits: torch.Tensor) -> torch.Tensor:
    """exp(x) / sum(exp(x)) over the last axis."""
    return torch.softmax(logits, -1)


def log_softmax_kernel(logits: torch.Tensor) -> torch.Tensor:
    """x - log(sum(exp(x))) over the last axis."""
    return torch.log_softmax(logits, -1)


SOFTMAX = op("Softmax", "logits: T -> softmax: T", softmax_kernel, infer.same, T=dtypes.FLOATS)
LOG_SOFTMAX = op(
    "LogSoftmax", "logits: T -> logsoftmax: T", log_softmax_kernel, infer.same, T=dtypes.FLOATS
)


def softmax_xent_kernel(
    features: torch.Tensor, labels: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """(loss per row, its gradient for the features)."""
    log_probabilities = torch.log_softmax(features, -1)
    loss = -(labels * log_probabilities).sum(-1)
    return loss, log_probabilities.exp() - labels


def _xent_spec(features: Spec, labels: Spec) -> tuple[Spec, Spec]:
    logits = infer.broadcast(features, labels)
    assert logits.dims is not None
    return Spec(logits.dims[:-1], features.dtype), logits


SOFTMAX_XENT = op(
    "SoftmaxCrossEntropyWithLogits", "features: T, labels: T -> loss: T, backprop: T",
    softmax_xent_kernel, _xent_spec, T=dtypes.FLOATS,
)  # fmt: skip


def sparse_softmax_xent_kernel(
    features: torch.Tensor, labels: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """(loss per row, its gradient for the features); NaN for a label out of range on a GPU."""
    _sparse_xent_spec(
        Spec(tuple(features.shape), dtypes.float32), Spec(tuple(labels.shape), dtypes.int64)
    )
    classes = features.shape[-1]
    places = labels.long().unsqueeze(-1)
    valid = (places >= 0) & (places < classes)
    if features.device.type == "cpu" and not bool(valid.all()):
        bad = int(labels[~valid.squeeze(-1)][0])
        raise invalid_argument(
            f"Received a label value of {bad} which is outside the valid range of [0, {classes}).  "
            f"Label values: {' '.join(str(int(label)) for label in labels.reshape(-1)[:16])}"
        )
    log_probabilities = torch.log_softmax(features, -1)
    loss = -log_probabilities.gather(-1, places.clamp(0, classes - 1)).squeeze(-1)
    gradient = log_probabilities.exp()
    gradient.scatter_add_(
        -1, places.clamp(0, classes - 1), -torch.ones_like(places, dtype=gradient.dtype)
    )
    bad_row = ~valid.squeeze(-1)
    nan = float("nan")
    return loss.masked_fill(bad_row, nan), gradient.masked_fill(bad_row.unsqueeze(-1), nan)


def _sparse_xent_spec(features: Spec, labels: Spec) -> tuple[Spec, Spec]:
    logits, places = features.dims or (), labels.dims or ()
    if len(logits) != 2 or len(places) != 1 or logits[0] != places[0]:
        raise invalid_argument(
            "logits and labels must have the same first dimension, got logits shape "
            f"{runtime_text(logits)} and labels shape {runtime_text(places)}"
        )
    return Spec(places, features.dtype), features


SPARSE_SOFTMAX_XENT = op(
    "SparseSoftmaxCrossEntropyWithLogits",
    "features: T, labels: Tlabels -> loss: T, backprop: T",
    sparse_softmax_xent_kernel, _sparse_xent_spec,
    T=dtypes.FLOATS, Tlabels=(dtypes.int32, dtypes.int64),
)  # fmt: skip


def bias_add_kernel(
    value: torch.Tensor, bias: torch.Tensor, *, data_format: str = "NHWC"
) -> torch.Tensor:
    """The bias added along the channels."""
    _bias_add_spec(
        Spec(tuple(value.shape), dtypes.float32), Spec(tuple(bias.shape), dtypes.float32),
        data_format=data_format,
    )  # fmt: skip
    if data_format == "NCHW":
        bias = bias.reshape((-1,) + (1,) * (value.ndim - 2))
    return value + bias


def _bias_add_spec(value: Spec, bias: Spec, *, data_format: str = "NHWC") -> Spec:
    dims, sizes = value.dims or (), bias.dims or ()
    if len(dims) < 2:
        raise invalid_argument(f"Input tensor must be at least 2D: {runtime_text(dims)}")
    if len(sizes) != 1:
        raise invalid_argument(f"Biases must be 1D: {runtime_text(sizes)}")
    if dims[1 if data_format == "NCHW" else -1] != sizes[0]:
        raise invalid_argument(
            "Must provide as many biases as the last dimension of the input tensor: "
            f"{runtime_text(sizes)} vs. {runtime_text(dims)}"
        )
    return value


BIAS_ADD = op(
    "BiasAdd", "value: T, bias: T -> output: T", bias_add_kernel, _bias_add_spec, T=dtypes.NUMBERS
)


def relu(features: Any, name: str | None = None) -> Any:
    """max(x, 0) (`tf.nn.relu`).

    >>> relu([-1.0, 2.0]).numpy().tolist()
    [0.0, 2.0]
    """
    return unary(RELU, features)


def softmax(logits: Any, axis: int | None = None, name: str | None = None) -> Any:
    """exp(x) / sum(exp(x)) over an axis, the last by default (`tf.nn.softmax`)."""
    return _on_last_axis(SOFTMAX, logits, axis)


def log_softmax(logits: Any, axis: int | None = None, name: str | None = None) -> Any:
    """The logarithm of softmax over an axis, the last by default (`tf.nn.log_softmax`)."""
    return _on_last_axis(LOG_SOFTMAX, logits, axis)


def _on_last_axis(record: Op, logits: Any, axis: int | None) -> Any:
    """Applies an op of the last axis to another one by moving it there and back."""
    logits = to_tensor(logits)
    rank = logits.shape.rank
    if axis is None or axis in (-1, rank - 1):
        return apply(record, (logits,))
    if not -rank <= axis < rank:
        raise invalid_argument(f"dimension {axis} is out of range for a tensor of rank {rank}")
    order = [*(i for i in range(rank) if i != axis % rank), axis % rank]
    back = sorted(range(rank), key=order.__getitem__)
    return transpose(apply(record, (transpose(logits, order),)), back)


def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: str | None = None
) -> Any:
    """The cross entropy of probabilities and softmax(logits)
    (`tf.nn.softmax_cross_entropy_with_logits`).

    Args:
        labels: probabilities of shape (..., classes).
        logits: unscaled scores of the same shape and dtype.
        axis: the axis of the classes.
        name: a name in graphs.

    Returns:
        The loss, of shape (...).
    """
    logits, labels = pair(logits, labels)
    shape = logits.shape
    rows = [-1, shape[-1]]
    loss, _ = apply(SOFTMAX_XENT, (reshape(logits, rows), reshape(labels, rows)))
    return reshape(loss, shape[:-1])


def sparse_softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, name: str | None = None
) -> Any:
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
    if labels.shape.rank != logits.shape.rank - 1:
        raise ValueError(
            "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: "
            f"labels.shape={labels.shape} of rank {labels.shape.rank} and "
            f"logits.shape={logits.shape} of rank {logits.shape.rank}"
        )
    if logits.shape.rank == 2:
        return apply(SPARSE_SOFTMAX_XENT, (logits, labels))[0]
    rows = reshape(logits, [-1, logits.shape[-1]])
    loss, _ = apply(SPARSE_SOFTMAX_XENT, (rows, reshape(labels, [-1])))
    return reshape(loss, labels.shape)


def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Any:
    """A bias added along the channels (`tf.nn.bias_add`)."""
    value, bias = pair(value, bias)
    channels_first = (data_format or "NHWC").startswith("NC")
    attrs = {"data_format": "NCHW" if channels_first else "NHWC"}
    return apply(BIAS_ADD, (value, bias), attrs)
