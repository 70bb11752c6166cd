"""What programs used most of `tf.contrib.layers`, under the names it gave its variables."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ...base.typing import DTypeLike, InitializerLike, ShapeLike, TensorLike
from ...graph.recording.scopes import control_dependencies
from ...ops.array.making import one_hot
from ...ops.array.shaping import identity
from ...ops.nn.activation import relu
from ..models.layers import (
    AveragePooling2D,
    BatchNormalization,
    Conv2D,
    Dense,
    Dropout,
    Flatten,
    MaxPooling2D,
)
from ..scopes.collections import GraphKeys, get_collection_ref
from ..scopes.initializers import GlorotNormal, GlorotUniform, VarianceScaling, Zeros
from ..scopes.variable_scope import VariableScope, variable_scope
from .arg_scope import add_arg_scope


def xavier_initializer(
    uniform: bool = True, seed: int | None = None, dtype: DTypeLike = "float32"
) -> Any:
    """Glorot's numbers (`tf.contrib.layers.xavier_initializer`)."""
    return (GlorotUniform if uniform else GlorotNormal)(seed, dtype)


def variance_scaling_initializer(
    factor: float = 2.0, mode: str = "FAN_IN", uniform: bool = False, seed: int | None = None,
    dtype: DTypeLike = "float32",
) -> Any:  # fmt: skip
    """Numbers whose variance suits the size of the weight
    (`tf.contrib.layers.variance_scaling_initializer`).
    """
    kind = "uniform" if uniform else "truncated_normal"
    return VarianceScaling(factor, mode.lower(), kind, seed, dtype)


def _renamed(getter: Callable[..., Any], name: str, *args: Any, **kwargs: Any) -> Any:
    """contrib's names for what layers call kernel and bias."""
    stem, _, last = name.rpartition("/")
    last = {"kernel": "weights", "bias": "biases"}.get(last, last)
    return getter(f"{stem}/{last}" if stem else last, *args, **kwargs)


def _finished(
    outputs: Any,
    normalizer: Callable[..., Any],
    parameters: Any,
    activation: Callable[[Any], Any] | None,
) -> Any:
    if normalizer is not None:
        outputs = normalizer(outputs, **(parameters or {}))
    return outputs if activation is None else activation(outputs)


@add_arg_scope
def fully_connected(
    inputs: Any,
    num_outputs: int,
    activation_fn: Callable[..., Any] | None = relu,
    normalizer_fn: Any = None,
    normalizer_params: Any = None,
    weights_initializer: InitializerLike | None = None,
    weights_regularizer: Callable[..., Any] | None = None,
    biases_initializer: InitializerLike = Zeros(),  # noqa: B008
    biases_regularizer: Callable[..., Any] | None = None,
    reuse: Any = None,
    variables_collections: object = None,
    outputs_collections: object = None,
    trainable: bool = True,
    scope: str | VariableScope | None = None,
) -> Any:
    """activation_fn(inputs @ weights + biases) (`tf.contrib.layers.fully_connected`)."""
    with variable_scope(scope, "fully_connected", reuse=reuse, custom_getter=_renamed) as opened:
        has_bias = normalizer_fn is None and biases_initializer is not None
        layer = Dense(
            num_outputs, None, has_bias, weights_initializer or xavier_initializer(),
            biases_initializer, weights_regularizer, biases_regularizer, trainable=trainable,
            _scope=opened, _reuse=reuse,
        )  # fmt: skip
        return _finished(layer(inputs), normalizer_fn, normalizer_params, activation_fn)


#: `fully_connected` without an activation (`tf.contrib.layers.linear`).
linear = functools.partial(fully_connected, activation_fn=None)


@add_arg_scope
def conv2d(
    inputs: Any, num_outputs: int, kernel_size: Any, stride: Any = 1, padding: str = "SAME",
    data_format: str | None = None, rate: Any = 1, activation_fn: Any = relu,
    normalizer_fn: Any = None, normalizer_params: Any = None, weights_initializer: Any = None,
    weights_regularizer: Any = None, biases_initializer: Any = Zeros(),  # noqa: B008
    biases_regularizer: Any = None, reuse: Any = None, variables_collections: Any = None,
    outputs_collections: Any = None, trainable: bool = True, scope: Any = None,
) -> Any:  # fmt: skip
    """A convolution of images (`tf.contrib.layers.conv2d`)."""
    layout = _layout(data_format)
    with variable_scope(scope, "Conv", reuse=reuse, custom_getter=_renamed) as opened:
        has_bias = normalizer_fn is None and biases_initializer is not None
        layer = Conv2D(
            num_outputs, kernel_size, stride, padding.lower(), layout, rate, None, has_bias,
            weights_initializer or xavier_initializer(), biases_initializer, weights_regularizer,
            biases_regularizer, trainable=trainable, _scope=opened, _reuse=reuse,
        )  # fmt: skip
        return _finished(layer(inputs), normalizer_fn, normalizer_params, activation_fn)


def _layout(data_format: str | None) -> str:
    return "channels_first" if data_format == "NCHW" else "channels_last"


@add_arg_scope
def max_pool2d(
    inputs: Any, kernel_size: Any, stride: Any = 2, padding: str = "VALID",
    data_format: str = "NHWC", outputs_collections: Any = None, scope: Any = None,
) -> Any:  # fmt: skip
    """The largest element of each window (`tf.contrib.layers.max_pool2d`)."""
    layout = _layout(data_format)
    return MaxPooling2D(kernel_size, stride, padding.lower(), layout, scope or "MaxPool2D")(inputs)


@add_arg_scope
def avg_pool2d(
    inputs: Any, kernel_size: Any, stride: Any = 2, padding: str = "VALID",
    data_format: str = "NHWC", outputs_collections: Any = None, scope: Any = None,
) -> Any:  # fmt: skip
    """The mean of each window (`tf.contrib.layers.avg_pool2d`)."""
    layout, named = _layout(data_format), scope or "AvgPool2D"
    return AveragePooling2D(kernel_size, stride, padding.lower(), layout, named)(inputs)


@add_arg_scope
def one_hot_encoding(
    labels: TensorLike, num_classes: int, on_value: float = 1.0, off_value: float = 0.0,
    outputs_collections: object = None, scope: str | VariableScope | None = None,
) -> Any:  # fmt: skip
    """Rows with one element set (`tf.contrib.layers.one_hot_encoding`)."""
    return one_hot(labels, num_classes, on_value, off_value)


@add_arg_scope
def flatten(inputs: Any, outputs_collections: Any = None, scope: Any = None) -> Any:
    """All axes but the first as one (`tf.contrib.layers.flatten`)."""
    return Flatten(name=scope or "Flatten")(inputs)


@add_arg_scope
def dropout(
    inputs: TensorLike,
    keep_prob: Any = 0.5,
    noise_shape: ShapeLike | None = None,
    is_training: Any = True,
    outputs_collections: object = None,
    scope: Any = None,
    seed: int | None = None,
) -> Any:
    """Zeros in random places while training (`tf.contrib.layers.dropout`)."""
    layer = Dropout(1.0 - keep_prob, noise_shape, seed, scope or "Dropout")
    return layer(inputs, training=is_training)


def _updated(outputs: object, updates: list[Any], collection: object) -> Any:
    """The updates where contrib puts them: into a collection, or before the outputs."""
    if not updates or collection == GraphKeys.UPDATE_OPS:
        return outputs
    usual = get_collection_ref(GraphKeys.UPDATE_OPS)
    usual[:] = [each for each in usual if not any(each is update for update in updates)]
    if collection is not None:
        get_collection_ref(collection).extend(updates)
        return outputs
    with control_dependencies(updates):
        return identity(outputs)


@add_arg_scope
def batch_norm(
    inputs: TensorLike,
    decay: float = 0.999,
    center: bool = True,
    scale: bool = False,
    epsilon: float = 0.001,
    activation_fn: Callable[..., Any] | None = None,
    is_training: Any = True,
    reuse: Any = None,
    trainable: bool = True,
    scope: str | VariableScope | None = None,
    updates_collections: str | Sequence[str] | None = GraphKeys.UPDATE_OPS,
    **more: Any,
) -> Any:
    """Batch normalization (`tf.contrib.layers.batch_norm`).

    Args:
        updates_collections: where the updates of the averages go; None: they run before the
            outputs are there.

    Raises:
        NotImplementedError: an argument of contrib that is not supported.
    """
    more.pop("fused", None)
    if more:
        raise NotImplementedError(f"tf.contrib.layers.batch_norm does not take {sorted(more)}.")
    with variable_scope(scope, "BatchNorm", reuse=reuse) as opened:
        layer = BatchNormalization(
            -1, decay, epsilon, center, scale, trainable=trainable, _scope=opened, _reuse=reuse
        )
        outputs = layer(inputs, training=is_training)
        outputs = _updated(outputs, layer.updates, updates_collections)
        return outputs if activation_fn is None else activation_fn(outputs)
