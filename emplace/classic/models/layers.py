"""`tf.layers`: dense, convolution, pooling, dropout, normalization, as classes and functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...base import dtypes
from ...base.shapes import TensorShape
from ...base.typing import Axis, InitializerLike, IntsLike, ShapeLike, TensorLike
from ...core.aggregation import VariableAggregation, VariableSynchronization
from ...core.tensor import Tensor
from ...graph.control_flow.branches import cond
from ...ops.array.select import where
from ...ops.array.shaping import expand_dims, identity, reshape, shape, squeeze, transpose
from ...ops.convert import is_tensor_like, to_tensor
from ...ops.linalg.einsum import tensordot
from ...ops.linalg.products import matmul
from ...ops.math.elementwise import cast, multiply, subtract
from ...ops.nn import activation as activations, convolution, moments, pooling
from ...ops.nn.dropout import dropout as drop
from ..scopes.initializers import Ones, Zeros
from ..scopes.variable_scope import get_variable_scope
from .layer import Layer, functional

_LETTERS = {1: "W", 2: "HW", 3: "DHW"}


def _tuple(value: Any, rank: int) -> tuple[int, ...]:
    return (int(value),) * rank if isinstance(value, int) else tuple(int(each) for each in value)


def _format(rank: int, layout: str) -> str:
    letters = _LETTERS[rank]
    return f"N{letters}C" if layout == "channels_last" else f"NC{letters}"


def _known(size: Any, what: str) -> int:
    if size is None:
        raise ValueError(f"The {what} of the inputs should be defined. Found `None`.")
    return int(size)


class Dense(Layer):
    """activation(inputs @ kernel + bias) (`tf.compat.v1.layers.Dense`).

    Args:
        units: the number of outputs.
        activation: a function, or None.
        use_bias: whether there is a bias.
        kernel_initializer: makes the kernel, with Glorot's numbers if None.
        bias_initializer: makes the bias.
        kernel_regularizer: a function from the kernel to a loss.
        bias_regularizer: the same for the bias.
        activity_regularizer: the same for the outputs.
        kernel_constraint: what optimizers apply to the kernel.
        bias_constraint: the same for the bias.
        trainable: whether optimizers change the variables.
        name: the name of the variable scope.
    """

    kernel: Any = None
    bias: Any = None

    def __init__(
        self,
        units: int,
        activation: Callable[..., Any] | None = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike = Zeros(),  # noqa: B008
        kernel_regularizer: Callable[..., Any] | None = None,
        bias_regularizer: Callable[..., Any] | None = None,
        activity_regularizer: Callable[..., Any] | None = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **more: Any,
    ) -> None:
        super().__init__(trainable, name, **more)
        self.units, self.activation, self.use_bias = int(units), activation, use_bias
        self._of_kernel = kernel_initializer, kernel_regularizer, kernel_constraint
        self._of_bias = bias_initializer, bias_regularizer, bias_constraint
        self.activity_regularizer = activity_regularizer

    def build(self, input_shape: ShapeLike) -> None:
        """Makes kernel and bias."""
        width = TensorShape(input_shape).as_list()[-1]
        if width is None:
            raise ValueError(
                "The last dimension of the inputs to a Dense layer should be defined. Found None."
            )
        self.kernel = self._weight("kernel", [width, self.units], self._of_kernel)
        if self.use_bias:
            self.bias = self._weight("bias", [self.units], self._of_bias)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        """The outputs."""
        rank = inputs.shape.rank
        if rank == 2:
            outputs = matmul(inputs, self.kernel)
        else:
            outputs = tensordot(inputs, self.kernel, [[rank - 1], [0]])
        return self._finished(outputs, None)

    def _finished(self, outputs: Any, layout: str | None) -> Any:
        if self.use_bias:
            outputs = activations.bias_add(outputs, self.bias, layout)
        if self.activation is not None:
            outputs = self.activation(outputs)
        if self.activity_regularizer is not None:
            self.add_loss(self.activity_regularizer(outputs))
        return outputs


class _Conv(Dense):
    """A convolution; `rank` axes of space."""

    rank = 2

    def __init__(
        self,
        filters: int,
        kernel_size: IntsLike,
        strides: IntsLike = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: IntsLike = 1,
        activation: Callable[..., Any] | None = None,
        use_bias: bool = True,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(filters, activation, use_bias, *args, **kwargs)
        self.filters = self.units
        self.kernel_size = _tuple(kernel_size, self.rank)
        self.strides = _tuple(strides, self.rank)
        self.padding, self.data_format = padding.lower(), data_format
        self.dilation_rate = _tuple(dilation_rate, self.rank)

    @property
    def _layout(self) -> str:
        return _format(self.rank, self.data_format)

    def _channels(self, input_shape: ShapeLike) -> int:
        axis = -1 if self.data_format == "channels_last" else 1
        return _known(TensorShape(input_shape).as_list()[axis], "channel dimension")

    def build(self, input_shape: ShapeLike) -> None:
        """Makes kernel and bias."""
        sizes = [*self.kernel_size, self._channels(input_shape), self.filters]
        self.kernel = self._weight("kernel", sizes, self._of_kernel)
        if self.use_bias:
            self.bias = self._weight("bias", [self.filters], self._of_bias)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        """The outputs."""
        outputs = convolution.convolution(
            inputs, self.kernel, list(self.strides), self.padding.upper(), self._layout,
            list(self.dilation_rate),
        )  # fmt: skip
        return self._finished(outputs, self._layout)


class Conv1D(_Conv):
    """A convolution of sequences (`tf.compat.v1.layers.Conv1D`)."""

    rank = 1


class Conv2D(_Conv):
    """A convolution of images (`tf.compat.v1.layers.Conv2D`)."""


class Conv3D(_Conv):
    """A convolution of volumes (`tf.compat.v1.layers.Conv3D`)."""

    rank = 3


class Conv2DTranspose(_Conv):
    """The transpose of a convolution of images (`tf.compat.v1.layers.Conv2DTranspose`)."""

    def __init__(
        self,
        filters: int,
        kernel_size: IntsLike,
        strides: IntsLike = (1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        activation: Callable[..., Any] | None = None,
        use_bias: bool = True,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(filters, kernel_size, strides, padding, data_format, 1, activation,
                         use_bias, *args, **kwargs)  # fmt: skip

    def build(self, input_shape: ShapeLike) -> None:
        """Makes kernel and bias."""
        sizes = [*self.kernel_size, self.filters, self._channels(input_shape)]
        self.kernel = self._weight("kernel", sizes, self._of_kernel)
        if self.use_bias:
            self.bias = self._weight("bias", [self.filters], self._of_bias)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        """The outputs."""
        last = self.data_format == "channels_last"
        found = [
            shape(inputs)[i] if size is None else size
            for i, size in enumerate(inputs.shape.as_list())
        ]
        space = [
            size * stride + (max(kernel - stride, 0) if self.padding == "valid" else 0)
            for size, stride, kernel in
            zip(found[1:3] if last else found[2:], self.strides, self.kernel_size, strict=True)
        ]  # fmt: skip
        sizes = [found[0], *space, self.filters] if last else [found[0], self.filters, *space]
        outputs = convolution.conv2d_transpose(
            inputs, self.kernel, sizes, list(self.strides), self.padding.upper(), self._layout
        )
        return self._finished(outputs, self._layout)


class SeparableConv2D(_Conv):
    """A convolution of each channel, then across them
    (`tf.compat.v1.layers.SeparableConv2D`).
    """

    def __init__(
        self,
        filters: int,
        kernel_size: IntsLike,
        strides: IntsLike = (1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: IntsLike = (1, 1),
        depth_multiplier: int = 1,
        activation: Callable[..., Any] | None = None,
        use_bias: bool = True,
        depthwise_initializer: InitializerLike | None = None,
        pointwise_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike = Zeros(),  # noqa: B008
        depthwise_regularizer: Callable[..., Any] | None = None,
        pointwise_regularizer: Callable[..., Any] | None = None,
        bias_regularizer: Callable[..., Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, activation,
            use_bias, None, bias_initializer, None, bias_regularizer, **kwargs,
        )  # fmt: skip
        self.depth_multiplier = depth_multiplier
        self._of_depthwise = depthwise_initializer, depthwise_regularizer, None
        self._of_pointwise = pointwise_initializer, pointwise_regularizer, None

    def build(self, input_shape: ShapeLike) -> None:
        """Makes both kernels and the bias."""
        channels = self._channels(input_shape)
        sizes = [*self.kernel_size, channels, self.depth_multiplier]
        self.depthwise_kernel = self._weight("depthwise_kernel", sizes, self._of_depthwise)
        sizes = [1, 1, channels * self.depth_multiplier, self.filters]
        self.pointwise_kernel = self._weight("pointwise_kernel", sizes, self._of_pointwise)
        if self.use_bias:
            self.bias = self._weight("bias", [self.filters], self._of_bias)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        """The outputs."""
        steps = [1, *self.strides, 1] if self._layout[-1] == "C" else [1, 1, *self.strides]
        outputs = convolution.separable_conv2d(
            inputs, to_tensor(self.depthwise_kernel), to_tensor(self.pointwise_kernel), steps,
            self.padding.upper(), self._layout, list(self.dilation_rate),
        )  # fmt: skip
        return self._finished(outputs, self._layout)


class _Pooling(Layer):
    rank = 2
    kind = "MAX"

    def __init__(
        self, pool_size: IntsLike, strides: IntsLike, padding: str = "valid",
        data_format: str = "channels_last", name: str | None = None, **more: Any,
    ) -> None:  # fmt: skip
        super().__init__(name=name, **more)
        self.pool_size = _tuple(pool_size, self.rank)
        self.strides = _tuple(strides, self.rank)
        self.padding, self.data_format = padding.lower(), data_format

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        """The outputs."""
        last = self.data_format == "channels_last"
        axis = 2 if last else 3
        rank = self.rank
        windows, steps = list(self.pool_size), list(self.strides)
        if rank == 1:  # as images of one row
            inputs, windows, steps, rank = expand_dims(inputs, axis), [*windows, 1], [*steps, 1], 2
        windows = [1, *windows, 1] if last else [1, 1, *windows]
        steps = [1, *steps, 1] if last else [1, 1, *steps]
        function = pooling.max_pool if self.kind == "MAX" else pooling.avg_pool
        layout = _format(rank, self.data_format)
        outputs = function(inputs, windows, steps, self.padding.upper(), layout)
        return squeeze(outputs, [axis]) if self.rank == 1 else outputs


class MaxPooling1D(_Pooling):
    """The largest element of each window of sequences (`tf.compat.v1.layers.MaxPooling1D`)."""

    rank = 1


class MaxPooling2D(_Pooling):
    """The same for images (`tf.compat.v1.layers.MaxPooling2D`)."""


class MaxPooling3D(_Pooling):
    """The same for volumes (`tf.compat.v1.layers.MaxPooling3D`)."""

    rank = 3


class AveragePooling1D(_Pooling):
    """The mean of each window of sequences (`tf.compat.v1.layers.AveragePooling1D`)."""

    rank, kind = 1, "AVG"


class AveragePooling2D(_Pooling):
    """The same for images (`tf.compat.v1.layers.AveragePooling2D`)."""

    kind = "AVG"


class AveragePooling3D(_Pooling):
    """The same for volumes (`tf.compat.v1.layers.AveragePooling3D`)."""

    rank, kind = 3, "AVG"


class Flatten(Layer):
    """All axes but the first as one (`tf.compat.v1.layers.Flatten`)."""

    def __init__(
        self, data_format: str = "channels_last", name: str | None = None, **more: Any
    ) -> None:
        super().__init__(name=name, **more)
        self.data_format = data_format

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        """The outputs."""
        rank = inputs.shape.rank
        if self.data_format == "channels_first" and rank > 1:
            inputs = transpose(inputs, [0, *range(2, rank), 1])
        sizes = inputs.shape.as_list()
        if None in sizes[1:]:
            return reshape(inputs, [shape(inputs)[0], -1])
        return reshape(inputs, [-1, math.prod(sizes[1:])])


class Dropout(Layer):
    """Zeros in random places while training (`tf.compat.v1.layers.Dropout`)."""

    def __init__(
        self, rate: TensorLike = 0.5, noise_shape: ShapeLike | None = None, seed: int | None = None,
        name: str | None = None, **more: Any,
    ) -> None:  # fmt: skip
        super().__init__(name=name, **more)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs: Any, training: Any = False, **kwargs: Any) -> Any:
        """The outputs."""
        return _chosen(
            training, lambda: drop(inputs, self.rate, self.noise_shape, self.seed),
            lambda: identity(inputs),
        )  # fmt: skip


def _chosen(training: TensorLike, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
    """What one of two functions returns, chosen now if `training` is known."""
    if is_tensor_like(training):
        return cond(cast(training, dtypes.bool_), yes, no)
    return yes() if training else no()


class BatchNormalization(Layer):
    """Normalized by the mean and variance of the batch while training, by moving averages else
    (`tf.compat.v1.layers.BatchNormalization`). The averages' updates are in `UPDATE_OPS`.
    """

    def __init__(
        self, axis: Any = -1, momentum: float = 0.99, epsilon: float = 1e-3, center: bool = True,
        scale: bool = True, beta_initializer: Any = Zeros(),  # noqa: B008
        gamma_initializer: Any = Ones(), moving_mean_initializer: Any = Zeros(),  # noqa: B008
        moving_variance_initializer: Any = Ones(), beta_regularizer: Any = None,  # noqa: B008
        gamma_regularizer: Any = None, beta_constraint: Any = None, gamma_constraint: Any = None,
        renorm: bool = False, renorm_clipping: Any = None, renorm_momentum: float = 0.99,
        fused: bool | None = None, trainable: bool = True, virtual_batch_size: Any = None,
        adjustment: Any = None, name: str | None = None, **more: Any,
    ) -> None:  # fmt: skip
        super().__init__(trainable, name, **more)
        if renorm or virtual_batch_size is not None or adjustment is not None:
            raise NotImplementedError(
                "tf.layers.batch_normalization does not support renorm, virtual_batch_size and "
                "adjustment. Leave them out."
            )
        self.axis = axis[0] if isinstance(axis, (list, tuple)) else axis
        self.momentum, self.epsilon, self.center, self.scale = momentum, epsilon, center, scale
        self.fused = fused
        self._of_beta = beta_initializer, beta_regularizer, beta_constraint
        self._of_gamma = gamma_initializer, gamma_regularizer, gamma_constraint
        self._of_moving = moving_mean_initializer, moving_variance_initializer

    def build(self, input_shape: Any) -> None:
        """Makes the variables."""
        sizes = [_known(TensorShape(input_shape).as_list()[self.axis], "normalized axis")]
        self.gamma = self._weight("gamma", sizes, self._of_gamma) if self.scale else None
        self.beta = self._weight("beta", sizes, self._of_beta) if self.center else None
        mean, variance = self._of_moving
        # TF: replicas of a strategy have their own, and the mean of them is what all others see.
        wishes: dict[str, Any] = {
            "trainable": False, "synchronization": VariableSynchronization.ON_READ,
            "aggregation": VariableAggregation.MEAN,
        }  # fmt: skip
        # TF: they are not divided, whatever the scope says of variables.
        scope = get_variable_scope()
        partitioner = scope.partitioner
        scope.set_partitioner(None)
        try:
            self.moving_mean = self.add_variable("moving_mean", sizes, None, mean, **wishes)
            self.moving_variance = self.add_variable(
                "moving_variance", sizes, None, variance, **wishes
            )
        finally:
            scope.set_partitioner(partitioner)

    def call(self, inputs: Any, training: TensorLike | None = False, **kwargs: Any) -> Any:
        """The outputs."""
        rank = inputs.shape.rank
        axis = self.axis % rank
        axes = [each for each in range(rank) if each != axis]
        mean, variance = to_tensor(self.moving_mean), to_tensor(self.moving_variance)
        if is_tensor_like(training) or training:
            mean, variance = self._trained(inputs, axes, training, mean, variance)
        sizes = [1] * rank
        sizes[axis] = -1
        parts: list[Any] = [mean, variance, self.beta, self.gamma]
        parts = [each if each is None or axis == rank - 1 else reshape(each, sizes)
                 for each in parts]  # fmt: skip
        mean, variance, beta, gamma = parts
        return moments.batch_normalization(inputs, mean, variance, beta, gamma, self.epsilon)

    def _trained(
        self,
        inputs: Tensor,
        axes: list[int],
        training: TensorLike,
        mean: TensorLike,
        variance: TensorLike,
    ) -> tuple[Any, Any]:
        now, spread = moments.moments(inputs, axes)
        kept = spread
        if inputs.shape.rank == 4 and self.fused is not False:
            # TF: the fused kernel keeps the variance of a sample, n / (n - 1) larger.
            sizes = shape(inputs)
            count = cast(_product([sizes[i] for i in axes]), spread.dtype)
            kept = multiply(spread, count / (count - 1.0))
        decay: Any = 1.0 - self.momentum
        if is_tensor_like(training):
            flag = reshape(cast(training, dtypes.bool_), [])
            decay = where(flag, decay, 0.0)
            new = where(flag, now, mean), where(flag, spread, variance)
        else:
            new = now, spread
        for variable, old, value in (
            (self.moving_mean, mean, now), (self.moving_variance, variance, kept),
        ):  # fmt: skip
            self.add_update(variable.assign_sub(multiply(subtract(old, value), decay)))
        return new


def _product(parts: list[Any]) -> Any:
    total = parts[0]
    for each in parts[1:]:
        total = multiply(total, each)
    return total


dense = functional(Dense)
conv1d = functional(Conv1D)
conv2d = functional(Conv2D)
conv3d = functional(Conv3D)
conv2d_transpose = functional(Conv2DTranspose)
separable_conv2d = functional(SeparableConv2D)
max_pooling1d = functional(MaxPooling1D)
max_pooling2d = functional(MaxPooling2D)
max_pooling3d = functional(MaxPooling3D)
average_pooling1d = functional(AveragePooling1D)
average_pooling2d = functional(AveragePooling2D)
average_pooling3d = functional(AveragePooling3D)
flatten = functional(Flatten)


def dropout(
    inputs: TensorLike,
    rate: TensorLike = 0.5,
    noise_shape: ShapeLike | None = None,
    seed: int | None = None,
    training: TensorLike = False,
    name: str | None = None,
) -> Any:
    """Makes a `Dropout` and calls it (`tf.compat.v1.layers.dropout`)."""
    return Dropout(rate, noise_shape, seed, name=name)(inputs, training=training)


def batch_normalization(
    inputs: TensorLike, axis: Axis = -1, momentum: float = 0.99, epsilon: float = 1e-3,
    center: bool = True, scale: bool = True, *args: Any, training: TensorLike = False,
    name: str | None = None, reuse: Any = None, **kwargs: Any,
) -> Any:  # fmt: skip
    """Makes a `BatchNormalization` and calls it (`tf.compat.v1.layers.batch_normalization`).

    Args:
        inputs: a tensor.
        axis: the axis of the features.
        momentum: how slowly the moving averages change.
        epsilon: what is added to the variance.
        center: whether there is a beta.
        scale: whether there is a gamma.
        *args: further arguments of `BatchNormalization`, in order.
        training: a bool or a tensor: whether to use the batch's own mean and variance.
        name: the name of the variable scope.
        reuse: True shares the variables of an earlier one of this name.
        **kwargs: further arguments of `BatchNormalization`.
    """
    options = {**kwargs, "name": name, "_scope": name, "_reuse": reuse}
    made = BatchNormalization(axis, momentum, epsilon, center, scale, *args, **options)
    return made(inputs, training=training)
