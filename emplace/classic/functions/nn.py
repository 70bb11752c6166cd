"""`tf.nn` functions whose arguments have other names or another order in TF 1."""

from __future__ import annotations

import functools
import numbers
from collections.abc import Sequence
from typing import Any

from ...base.typing import Axis, IntsLike, ShapeLike, TensorLike
from ...core.tensor import Tensor
from ...ops.array.barrier import stop_gradient
from ...ops.array.gathering import gather
from ...ops.array.top_k import in_top_k as _in_top_k
from ...ops.convert import is_tensor_like, to_tensor
from ...ops.linalg.products import matmul
from ...ops.math.elementwise import add, floordiv, floormod, subtract
from ...ops.nn import (
    activation,
    convolution,
    dropout as dropouts,
    embedding,
    loss,
    moments,
    pooling,
)
from ...ops.sampling import losses
from ...ops.sparse import rows
from ..scopes.arguments import renamed, required


def _check_both(function: str, labels: Tensor, logits: Tensor) -> None:
    if labels is None or logits is None:
        raise ValueError(
            f"Both `labels` and `logits` must be provided for {function}"
            f"Received: labels={labels} and logits={logits}"
        )


def softmax_cross_entropy_with_logits(
    labels: Any = None,
    logits: Any = None,
    dim: int = -1,
    name: str | None = None,
    axis: int | None = None,
) -> Any:
    """The cross entropy of classes; nothing flows back into labels
    (`tf.compat.v1.nn.softmax_cross_entropy_with_logits`).
    """
    _check_both("softmax_cross_entropy_with_logits", labels, logits)
    fixed = stop_gradient(labels)
    return loss.softmax_cross_entropy_with_logits(fixed, logits, dim if axis is None else axis)


def softmax_cross_entropy_with_logits_v2(
    labels: TensorLike, logits: TensorLike, axis: int | None = None, name: str | None = None,
    dim: int | None = None,
) -> Any:  # fmt: skip
    """The cross entropy of classes (`tf.compat.v1.nn.softmax_cross_entropy_with_logits_v2`)."""
    axis = renamed("axis", axis, "dim", dim)
    return loss.softmax_cross_entropy_with_logits(labels, logits, -1 if axis is None else axis)


def sparse_softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Any:
    """The cross entropy of class numbers
    (`tf.compat.v1.nn.sparse_softmax_cross_entropy_with_logits`).

    Raises:
        ValueError: an argument is missing.
    """
    _check_both("sparse_softmax_cross_entropy_with_logits", labels, logits)
    return loss.sparse_softmax_cross_entropy_with_logits(labels, logits)


def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Any:
    """The cross entropy of independent probabilities
    (`tf.compat.v1.nn.sigmoid_cross_entropy_with_logits`).

    Raises:
        ValueError: an argument is missing.
    """
    _check_both("sigmoid_cross_entropy_with_logits", labels, logits)
    return loss.sigmoid_cross_entropy_with_logits(labels, logits)


def weighted_cross_entropy_with_logits(
    labels: Any = None,
    logits: Any = None,
    pos_weight: Any = None,
    name: str | None = None,
    targets: TensorLike | None = None,
) -> Any:
    """The same with a weight for what is True
    (`tf.compat.v1.nn.weighted_cross_entropy_with_logits`).
    """
    labels = renamed("labels", labels, "targets", targets)
    return loss.weighted_cross_entropy_with_logits(labels, logits, pos_weight)


def conv2d(
    input: TensorLike,
    filter: TensorLike | None = None,
    strides: IntsLike | None = None,
    padding: str | Sequence[Sequence[int]] | None = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: IntsLike = (1, 1, 1, 1),
    name: str | None = None,
    filters: TensorLike | None = None,
) -> Any:
    """A convolution of images (`tf.compat.v1.nn.conv2d`)."""
    filters = required("filters", renamed("filters", filters, "filter", filter))
    return convolution.conv2d(
        input, filters, required("strides", strides), required("padding", padding), data_format,
        list(dilations) if isinstance(dilations, tuple) else dilations,
    )  # fmt: skip


def conv1d(
    value: Any = None,
    filters: Any = None,
    stride: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: object = None,
    data_format: str | None = None,
    name: str | None = None,
    input: TensorLike | None = None,
    dilations: Any = None,
) -> Any:
    """A convolution of sequences (`tf.compat.v1.nn.conv1d`)."""
    value = renamed("input", input, "value", value)
    layout = {None: "NWC", "NHWC": "NWC", "NCHW": "NCW"}.get(data_format, data_format)
    return convolution.conv1d(value, filters, stride, padding, layout or "NWC", dilations)


def conv3d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Any:
    """A convolution of volumes (`tf.compat.v1.nn.conv3d`)."""
    filters = renamed("filters", filters, "filter", filter)
    return convolution.conv3d(input, filters, strides, padding, data_format, list(dilations))


def conv2d_transpose(
    value: TensorLike | None = None,
    filter: TensorLike | None = None,
    output_shape: ShapeLike | None = None,
    strides: IntsLike | None = None,
    padding: str = "SAME",
    data_format: str = "NHWC",
    name: str | None = None,
    input: TensorLike | None = None,
    filters: TensorLike | None = None,
    dilations: IntsLike | None = None,
) -> Any:
    """The transpose of a convolution of images (`tf.compat.v1.nn.conv2d_transpose`)."""
    value = renamed("input", input, "value", value)
    filters = renamed("filters", filters, "filter", filter)
    return convolution.conv2d_transpose(
        value, filters, output_shape, strides, padding, data_format, dilations
    )


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: IntsLike | None,
    padding: TensorLike,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: IntsLike | None = None,
) -> Any:
    """A convolution of each channel (`tf.compat.v1.nn.depthwise_conv2d`)."""
    rate = renamed("dilations", dilations, "rate", rate)
    return convolution.depthwise_conv2d(input, filter, strides, padding, data_format, rate)


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: IntsLike | None,
    padding: TensorLike,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: IntsLike | None = None,
) -> Any:
    """A convolution of each channel, then across them (`tf.compat.v1.nn.separable_conv2d`)."""
    rate = renamed("dilations", dilations, "rate", rate)
    return convolution.separable_conv2d(
        input, depthwise_filter, pointwise_filter, strides, padding, data_format, rate
    )


def convolution_v1(
    input: Any,
    filter: TensorLike | None = None,
    padding: TensorLike | None = None,
    strides: IntsLike | None = None,
    dilation_rate: IntsLike | None = None,
    name: str | None = None,
    data_format: str | None = None,
    filters: Any = None,
    dilations: IntsLike | None = None,
) -> Any:
    """A convolution of any number of axes (`tf.compat.v1.nn.convolution`)."""
    filters = renamed("filters", filters, "filter", filter)
    rate = renamed("dilations", dilations, "dilation_rate", dilation_rate)
    return convolution.convolution(input, filters, strides, padding, data_format, rate)


def max_pool(
    value: Any = None,
    ksize: IntsLike | None = None,
    strides: IntsLike | None = None,
    padding: TensorLike | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
    input: TensorLike | None = None,
) -> Any:
    """The largest element of each window (`tf.compat.v1.nn.max_pool`)."""
    value = renamed("input", input, "value", value)
    return pooling.max_pool2d(value, ksize, strides, padding, data_format or "NHWC")


def avg_pool(
    value: Any = None,
    ksize: IntsLike | None = None,
    strides: IntsLike | None = None,
    padding: TensorLike | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
    input: TensorLike | None = None,
) -> Any:
    """The mean of each window (`tf.compat.v1.nn.avg_pool`)."""
    value = renamed("input", input, "value", value)
    return pooling.avg_pool2d(value, ksize, strides, padding, data_format or "NHWC")


def pool(
    input: TensorLike,
    window_shape: IntsLike,
    pooling_type: str,
    padding: str,
    dilation_rate: IntsLike | None = None,
    strides: IntsLike | None = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: IntsLike | None = None,
) -> Any:
    """Pooling over any number of axes (`tf.compat.v1.nn.pool`)."""
    rate = renamed("dilations", dilations, "dilation_rate", dilation_rate)
    return pooling.pool(input, window_shape, pooling_type, strides, padding, data_format, rate)


def dropout(
    x: TensorLike,
    keep_prob: Any = None,
    noise_shape: ShapeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
    rate: TensorLike | None = None,
) -> Any:
    """Zeros in random places, and the rest larger in proportion (`tf.compat.v1.nn.dropout`).

    Args:
        x: a tensor of floats.
        keep_prob: the probability that an element is kept.
        noise_shape: the shape of the decisions.
        seed: an integer that makes it repeatable.
        name: a name in graphs.
        rate: the probability that an element is dropped, instead of `keep_prob`.

    Raises:
        ValueError: neither probability is given, or both do not fit together.
    """
    if keep_prob is None and rate is None:
        raise ValueError("`rate` must be provided. Received: rate=None")
    if keep_prob is not None and rate is not None:
        raise ValueError("Cannot specify both 'keep_prob' and 'rate'.")
    if rate is None:
        if is_tensor_like(keep_prob):
            rate = subtract(1.0, keep_prob)
        elif isinstance(keep_prob, numbers.Real):
            rate = 1.0 - keep_prob
        else:
            raise ValueError(
                "`keep_prob` must be a floating point number or Tensor. Received: "
                f"keep_prob={keep_prob}"
            )
    return dropouts.dropout(x, rate, noise_shape, seed)


def moments_v1(
    x: TensorLike,
    axes: Axis,
    shift: TensorLike | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> Any:
    """The mean and the variance (`tf.compat.v1.nn.moments`)."""
    keep = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    return moments.moments(x, axes, shift, bool(keep))


def weighted_moments(
    x: TensorLike,
    axes: Axis,
    frequency_weights: Any,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> Any:
    """The same with a weight for each element (`tf.compat.v1.nn.weighted_moments`)."""
    keep = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    return moments.weighted_moments(x, axes, frequency_weights, bool(keep))


def embedding_lookup(
    params: TensorLike,
    ids: TensorLike,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: TensorLike | None = None,
) -> Tensor:
    """Rows of a table (`tf.compat.v1.nn.embedding_lookup`).

    Args:
        params: the table, or a list of its parts.
        ids: the numbers of rows.
        partition_strategy: "div" where parts follow each other, "mod" where they take turns.
        name: ignored.
        validate_indices: ignored: numbers are always checked.
        max_norm: rows with a larger l2 norm are scaled down to it; None for no bound.

    Raises:
        ValueError: `partition_strategy` is something else.
    """
    return embedding.embedding_lookup(params, _places(params, ids, partition_strategy), max_norm)


def _places(params: TensorLike, ids: Any, partition_strategy: str) -> Any:
    """Where rows are in parts that are laid behind each other."""
    if not isinstance(params, (list, tuple)) or len(params) < 2 or partition_strategy == "div":
        return ids
    if partition_strategy != "mod":
        raise ValueError(
            f"Only `partition_strategy` in ('mod', 'div') is supported, got {partition_strategy!r}."
        )
    ids = to_tensor(ids)
    sizes = [part.shape[0] for part in params]
    starts = to_tensor([sum(sizes[:i]) for i in range(len(sizes))], ids.dtype)
    return add(gather(starts, floormod(ids, len(sizes))), floordiv(ids, len(sizes)))


def nce_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: TensorLike | None = None,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str | None = "nce_loss",
) -> Tensor:
    """Tells true classes from drawn ones (`tf.compat.v1.nn.nce_loss`); see `tf.nn.nce_loss`."""
    return losses.nce(
        _lookup(partition_strategy), weights, biases, labels, inputs, num_sampled, num_classes,
        num_true, sampled_values, remove_accidental_hits,
    )  # fmt: skip


def sampled_softmax_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: TensorLike | None = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str | None = "sampled_softmax_loss",
    seed: int | None = None,
) -> Tensor:
    """The cross entropy over true and drawn classes (`tf.compat.v1.nn.sampled_softmax_loss`)."""
    return losses.sampled_softmax(
        _lookup(partition_strategy), weights, biases, labels, inputs, num_sampled, num_classes,
        num_true, sampled_values, remove_accidental_hits, seed,
    )  # fmt: skip


def _lookup(partition_strategy: str) -> Any:
    return functools.partial(embedding_lookup, partition_strategy=partition_strategy)


def embedding_lookup_sparse(
    params: TensorLike,
    sp_ids: TensorLike,
    sp_weights: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: TensorLike | None = None,
) -> Any:
    """Rows of a table, combined (`tf.compat.v1.nn.embedding_lookup_sparse`)."""
    return rows.embedding_lookup_sparse(
        params, sp_ids, sp_weights, combiner=combiner or "mean", max_norm=max_norm
    )


def softmax(
    logits: TensorLike, axis: int | None = None, name: str | None = None, dim: int | None = None
) -> Any:
    """exp(x) / sum(exp(x)) over an axis (`tf.compat.v1.nn.softmax`)."""
    return activation.softmax(logits, renamed("axis", axis, "dim", dim))


def log_softmax(
    logits: TensorLike, axis: int | None = None, name: str | None = None, dim: int | None = None
) -> Any:
    """The logarithm of `softmax` (`tf.compat.v1.nn.log_softmax`)."""
    return activation.log_softmax(logits, renamed("axis", axis, "dim", dim))


def in_top_k(
    predictions: TensorLike, targets: TensorLike, k: TensorLike, name: str | None = None
) -> Any:
    """Whether each row's target is among its k highest predictions
    (`tf.compat.v1.nn.in_top_k`).
    """
    return _in_top_k(targets, predictions, k)


def xw_plus_b(
    x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None
) -> Any:
    """matmul(x, weights) + biases (`tf.compat.v1.nn.xw_plus_b`)."""
    return activation.bias_add(matmul(x, weights), biases)


def relu_layer(
    x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None
) -> Any:
    """relu(matmul(x, weights) + biases) (`tf.compat.v1.nn.relu_layer`)."""
    return activation.relu(activation.bias_add(matmul(x, weights), biases))
