"""`tf.nn` functions whose arguments have other names or another order in TF 1."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

from ...base.typing import Axis, IntsLike, ShapeLike, TensorLike
from ...core.tensor import Tensor
from ...ops.array.barrier import stop_gradient
from ...ops.array.top_k import in_top_k as _in_top_k
from ...ops.convert import is_tensor_like
from ...ops.linalg.products import matmul
from ...ops.math.elementwise import subtract
from ...ops.nn import (
    activation,
    convolution,
    dropout as dropouts,
    loss,
    moments,
    pooling,
)
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
        rate = _rate_of(keep_prob)
    return dropouts.dropout(x, rate, noise_shape, seed)


def _rate_of(keep_prob: TensorLike | None) -> TensorLike:
    if keep_prob is not None and is_tensor_like(keep_prob):
        dropped: Tensor = subtract(1.0, keep_prob)
        return dropped
    if not isinstance(keep_prob, numbers.Real):
        raise ValueError(
            "`keep_prob` must be a floating point number or Tensor. Received: "
            f"keep_prob={keep_prob!s}"
        )
    return 1.0 - float(keep_prob)


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


def sufficient_statistics(
    x: TensorLike,
    axes: Axis,
    shift: TensorLike | None = None,
    keep_dims: bool | None = None,
    name: str | None = None,
    keepdims: bool | None = None,
) -> Any:
    """Returns what mean and variance are computed of (`tf.compat.v1.nn.sufficient_statistics`).

    Args:
        x: a tensor of floats.
        axes: an axis or several.
        shift: subtracted from x first; None for nothing.
        keep_dims: keep the axes with size 1.
        name: a name in graphs.
        keepdims: the same as `keep_dims`, under its newer name.
    """
    keep = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    return moments.sufficient_statistics(x, axes, shift, bool(keep))


def batch_norm_with_global_normalization(
    t: TensorLike | None = None,
    m: TensorLike | None = None,
    v: TensorLike | None = None,
    beta: Any = None,
    gamma: Any = None,
    variance_epsilon: Any = None,
    scale_after_normalization: Any = None,
    name: str | None = None,
    input: TensorLike | None = None,
    mean: TensorLike | None = None,
    variance: TensorLike | None = None,
) -> Any:
    """Returns each channel normalized (`tf.compat.v1.nn.batch_norm_with_global_normalization`).

    Args:
        t: a tensor (..., channels).
        m: the mean of each channel.
        v: the variance of each channel.
        beta: what is added to each channel.
        gamma: what each channel is multiplied with.
        variance_epsilon: what is added to the variance.
        scale_after_normalization: False leaves `gamma` out.
        name: a name in graphs.
        input: the same as `value`, under its newer name.
        mean: the same as `m`, under its newer name.
        variance: the same as `v`, under its newer name.
    """
    t, m = renamed("input", input, "t", t), renamed("mean", mean, "m", m)
    v = renamed("variance", variance, "v", v)
    return moments.batch_norm_with_global_normalization(
        t, m, v, beta, gamma, variance_epsilon, scale_after_normalization
    )


def crelu(features: TensorLike, name: str | None = None, axis: int = -1) -> Any:
    """Returns of both signs what is positive (`tf.compat.v1.nn.crelu`).

    Args:
        features: a tensor of floats.
        name: a name in graphs.
        axis: the axis along which both signs lie behind each other.
    """
    return activation.crelu(features, axis)


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
