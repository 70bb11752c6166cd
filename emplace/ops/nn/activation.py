"""Activations, softmax and biases: what stands between the layers of a network."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from .. import infer
from ..arguments import known_int
from ..array.joining import concat
from ..array.shaping import transpose
from ..convert import is_tensor_like, pair, to_tensor, unary
from ..infer import Spec, shape_only
from ..math import unsigned
from ..math.elementwise import cast, multiply, negative, sigmoid
from ..op import Op, apply, op
from ..order import LEAST, ordered, restored
from . import softmax_rows

_Kernel = Callable[..., torch.Tensor]
# Torch's names for these in no public module: each is one pass over the memory.
_threshold_backward: _Kernel = torch.ops.aten.threshold_backward.default
_elu_backward: _Kernel = torch.ops.aten.elu_backward.default
_leaky_relu_backward: _Kernel = torch.ops.aten.leaky_relu_backward.default
_gelu_backward: _Kernel = torch.ops.aten.gelu_backward.default
_silu_backward: _Kernel = torch.ops.aten.silu_backward.default

_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772, 1.0507009873554805

_FEATURES = "features: T -> activations: T"
_BACK = "gradients: T, features: T -> backprops: T"
_BACK_OF_OUTPUTS = "gradients: T, outputs: T -> backprops: T"


def relu_grad_kernel(gradients: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
    """The gradients where the features are positive, elsewhere 0 times them: NaN stays NaN."""
    if gradients.is_floating_point():
        return _leaky_relu_backward(gradients, features, 0.0, False)
    return _threshold_backward(gradients, features, 0)


def relu6_kernel(features: torch.Tensor) -> torch.Tensor:
    """x, bounded by 0 and 6."""
    return torch.clamp(features, 0, 6)


def relu6_grad_kernel(gradients: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
    """The gradients where the features are between 0 and 6, elsewhere 0 times them."""
    return gradients * ((features > 0) & (features < 6)).to(gradients.dtype)


def _unsigned_relu_grad(gradients: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
    kept = torch.where(unsigned.as_signed(features) != 0, unsigned.as_signed(gradients), 0)
    return unsigned.as_unsigned(kept)


def _unsigned_relu6(features: torch.Tensor) -> torch.Tensor:
    return restored(ordered(features).clamp(max=6 + LEAST))


def elu_kernel(features: torch.Tensor) -> torch.Tensor:
    """x where it is positive, exp(x) - 1 elsewhere."""
    return functional.elu(features)


def elu_grad_kernel(gradients: torch.Tensor, outputs: torch.Tensor) -> torch.Tensor:
    """The gradient of elu, told by its outputs."""
    return _elu_backward(gradients, 1.0, 1.0, 1.0, True, outputs)


def selu_grad_kernel(gradients: torch.Tensor, outputs: torch.Tensor) -> torch.Tensor:
    """The gradient of selu, told by its outputs."""
    slope = torch.where(outputs < 0, outputs + _SELU_SCALE * _SELU_ALPHA, _SELU_SCALE)
    return gradients * slope


def leaky_relu_kernel(features: torch.Tensor, *, alpha: float = 0.2) -> torch.Tensor:
    """x where it is positive, alpha x elsewhere."""
    return functional.leaky_relu(features, alpha)


def leaky_relu_grad_kernel(
    gradients: torch.Tensor, features: torch.Tensor, *, alpha: float = 0.2
) -> torch.Tensor:
    """The gradients, times alpha where the features are not positive."""
    return _leaky_relu_backward(gradients, features, alpha, False)


def softplus_kernel(features: torch.Tensor) -> torch.Tensor:
    """log(1 + exp(x))."""
    return functional.softplus(features, threshold=40.0)


def softplus_grad_kernel(gradients: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
    """The gradients times sigmoid(x)."""
    return gradients * torch.sigmoid(features)


def softsign_grad_kernel(gradients: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
    """The gradients over (1 + |x|) squared."""
    return gradients / torch.square(1 + features.abs())


RELU = op(
    "Relu", _FEATURES, torch.relu, infer.same, kernel_for={dtypes.uint64: torch.clone},
    T=dtypes.REALS,
)  # fmt: skip
RELU_GRAD = op(
    "ReluGrad", _BACK, relu_grad_kernel, infer.same,
    kernel_for={dtypes.uint64: _unsigned_relu_grad}, T=dtypes.REALS,
)  # fmt: skip
RELU6 = op(
    "Relu6", _FEATURES, relu6_kernel, infer.same, kernel_for={dtypes.uint64: _unsigned_relu6},
    T=dtypes.REALS,
)  # fmt: skip
RELU6_GRAD = op("Relu6Grad", _BACK, relu6_grad_kernel, infer.same, T=dtypes.REALS)
ELU = op("Elu", _FEATURES, elu_kernel, infer.same, T=dtypes.FLOATS)
ELU_GRAD = op("EluGrad", _BACK_OF_OUTPUTS, elu_grad_kernel, infer.same, T=dtypes.FLOATS)
SELU = op("Selu", _FEATURES, torch.selu, infer.same, T=dtypes.FLOATS)
SELU_GRAD = op("SeluGrad", _BACK_OF_OUTPUTS, selu_grad_kernel, infer.same, T=dtypes.FLOATS)
LEAKY_RELU = op("LeakyRelu", _FEATURES, leaky_relu_kernel, infer.same, T=dtypes.FLOATS)
LEAKY_RELU_GRAD = op("LeakyReluGrad", _BACK, leaky_relu_grad_kernel, infer.same, T=dtypes.FLOATS)
SOFTPLUS = op("Softplus", _FEATURES, softplus_kernel, infer.same, T=dtypes.FLOATS)
SOFTPLUS_GRAD = op("SoftplusGrad", _BACK, softplus_grad_kernel, infer.same, T=dtypes.FLOATS)
SOFTSIGN = op("Softsign", _FEATURES, functional.softsign, infer.same, T=dtypes.FLOATS)
SOFTSIGN_GRAD = op("SoftsignGrad", _BACK, softsign_grad_kernel, infer.same, T=dtypes.FLOATS)


# TensorFlow computes the next two by several ops; one is several times faster.


def gelu_kernel(features: torch.Tensor) -> torch.Tensor:
    """x times the normal distribution function of x."""
    return _wide(features, lambda x: x * _normal(x))


def gelu_by_tanh_kernel(features: torch.Tensor) -> torch.Tensor:
    """The same by an approximation: x sigmoid(a x + b x**3), in other words by tanh."""
    return functional.gelu(features, approximate="tanh")


def _wide(x: torch.Tensor, function: Callable[..., torch.Tensor]) -> torch.Tensor:
    """A function of numbers of at least 32 bits, in the dtype of what is given."""
    return function(x.float()).to(x.dtype) if x.element_size() < 4 else function(x)


def _normal(x: torch.Tensor) -> torch.Tensor:
    """The normal distribution function. By erfc, because 1 + erf has no digits left below -5."""
    return torch.erfc(x * -math.sqrt(0.5)) * 0.5


def gelu_by_tanh_grad_kernel(gradients: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
    """The gradient of that."""
    return _gelu_backward(gradients, features, approximate="tanh")


def gelu_grad_kernel(gradients: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
    """The gradient of gelu."""
    return gradients * _wide(features, lambda x: _normal(x) + x * _bell(x))


def _bell(x: torch.Tensor) -> torch.Tensor:
    """The density of the normal distribution."""
    return torch.exp(x * x * -0.5) * math.sqrt(0.5 / math.pi)


def silu_kernel(features: torch.Tensor, *, beta: float = 1.0) -> torch.Tensor:
    """x sigmoid(beta x)."""
    return functional.silu(features) if beta == 1 else features * torch.sigmoid(beta * features)


def silu_grad_kernel(
    gradients: torch.Tensor, features: torch.Tensor, *, beta: float = 1.0
) -> torch.Tensor:
    """The gradient of silu."""
    is_differentiated = gradients.requires_grad or features.requires_grad
    if beta == 1 and not is_differentiated:  # torch has no gradient of its own kernel
        return _silu_backward(gradients, features)
    share = torch.sigmoid(beta * features)
    return gradients * share * (1 + beta * features * (1 - share))


GELU = op("_Gelu", _FEATURES, gelu_kernel, infer.same, T=dtypes.FLOATS)
GELU_GRAD = op("_GeluGrad", _BACK, gelu_grad_kernel, infer.same, T=dtypes.FLOATS)
GELU_BY_TANH = op("_GeluByTanh", _FEATURES, gelu_by_tanh_kernel, infer.same, T=dtypes.FLOATS)
GELU_BY_TANH_GRAD = op(
    "_GeluByTanhGrad", _BACK, gelu_by_tanh_grad_kernel, infer.same, T=dtypes.FLOATS
)
SILU = op("_Silu", _FEATURES, silu_kernel, infer.same, T=dtypes.FLOATS)
SILU_GRAD = op("_SiluGrad", _BACK, silu_grad_kernel, infer.same, T=dtypes.FLOATS)


def softmax_kernel(logits: torch.Tensor) -> torch.Tensor:
    """exp(x) / sum(exp(x)) over the last axis."""
    if not logits.ndim:
        _check_rows(0)
    return softmax_rows.softmax(logits)


def log_softmax_kernel(logits: torch.Tensor) -> torch.Tensor:
    """x - log(sum(exp(x))) over the last axis."""
    _check_rows(logits.ndim)
    return softmax_rows.log_softmax(logits)


def _check_rows(rank: int) -> None:
    if rank == 0:
        raise invalid_argument("logits must have >= 1 dimension, got []")


def _softmax_spec(logits: Spec) -> Spec:
    _check_rows(1 if logits.dims is None else len(logits.dims))
    return logits


SOFTMAX = op("Softmax", "logits: T -> softmax: T", softmax_kernel, _softmax_spec, T=dtypes.FLOATS)
LOG_SOFTMAX = op(
    "LogSoftmax", "logits: T -> logsoftmax: T", log_softmax_kernel, _softmax_spec, T=dtypes.FLOATS
)


def bias_add_kernel(
    value: torch.Tensor, bias: torch.Tensor, *, data_format: str = "NHWC"
) -> torch.Tensor:
    """The bias added along the channels."""
    if data_format == "NHWC" and value.ndim >= 2 and value.shape[-1:] == bias.shape:
        return value + bias
    _bias_add_spec(
        shape_only(value), shape_only(bias),
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


def bias_add_grad_kernel(out_backprop: torch.Tensor, *, data_format: str = "NHWC") -> torch.Tensor:
    """The sum over everything but the channels."""
    channels = 1 if data_format == "NCHW" else out_backprop.ndim - 1
    axes = [axis for axis in range(out_backprop.ndim) if axis != channels]
    return torch.sum(out_backprop, axes, dtype=out_backprop.dtype)


def _bias_add_grad_spec(out_backprop: Spec, *, data_format: str = "NHWC") -> Spec:
    dims = out_backprop.dims
    if dims is None:
        return Spec((None,), out_backprop.dtype)
    if len(dims) < 2:
        raise invalid_argument(f"Input tensor must be at least 2D: {runtime_text(dims)}")
    return Spec((dims[1 if data_format == "NCHW" else -1],), out_backprop.dtype)


BIAS_ADD = op(
    "BiasAdd", "value: T, bias: T -> output: T", bias_add_kernel, _bias_add_spec, T=dtypes.NUMBERS
)
BIAS_ADD_GRAD = op(
    "BiasAddGrad", "out_backprop: T -> output: T", bias_add_grad_kernel, _bias_add_grad_spec,
    T=dtypes.NUMBERS,
)  # fmt: skip


def relu(features: TensorLike, name: str | None = None) -> Tensor:
    """max(x, 0) (`tf.nn.relu`).

    >>> relu([-1.0, 2.0]).numpy().tolist()
    [0.0, 2.0]
    """
    return unary(RELU, features)


def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    """min(max(x, 0), 6) (`tf.nn.relu6`)."""
    return unary(RELU6, features)


def elu(features: TensorLike, name: str | None = None) -> Tensor:
    """x where it is positive, exp(x) - 1 elsewhere (`tf.nn.elu`)."""
    return unary(ELU, features)


def selu(features: TensorLike, name: str | None = None) -> Tensor:
    """elu with the scale and slope that keep a network's values normal (`tf.nn.selu`)."""
    return unary(SELU, features)


def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Tensor:
    """x where it is positive, alpha x elsewhere (`tf.nn.leaky_relu`).

    Args:
        features: a tensor of numbers; integers become float32.
        alpha: the slope below 0.
        name: a name in graphs.

    >>> leaky_relu([-10.0, 2.0]).numpy().tolist()
    [-2.0, 2.0]
    """
    features = to_tensor(features)
    if features.dtype.is_integer:
        features = cast(features, dtypes.float32)
    # TensorFlow keeps the slope as a float32, whatever the features are.
    return apply(LEAKY_RELU, (features,), {"alpha": float(np.float32(alpha))})


def crelu(features: TensorLike, axis: int = -1, name: str | None = None) -> Tensor:
    """relu(x) and relu(-x), one after the other along an axis (`tf.nn.crelu`).

    >>> crelu([-1.0, 2.0]).numpy().tolist()
    [0.0, 2.0, 1.0, 0.0]
    """
    features = to_tensor(features)
    return relu(concat([features, negative(features)], axis))


def gelu(features: TensorLike, approximate: bool = False, name: str | None = None) -> Tensor:
    """x times the normal distribution function of x (`tf.nn.gelu`).

    Args:
        features: a tensor of floats.
        approximate: by tanh, which is not the same from the fourth digit on.
        name: a name in graphs.

    Raises:
        ValueError: features are no floats.

    >>> gelu([0.0, 1.0]).numpy().round(3).tolist()
    [0.0, 0.8410000205039978]
    """
    features = to_tensor(features)
    if not features.dtype.is_floating:
        raise ValueError(
            "`features.dtype` must be a floating point tensor. Received:features.dtype="
            f"{features.dtype}"
        )
    return apply(GELU_BY_TANH if approximate else GELU, (features,))


def silu(features: Any, beta: Any = 1.0) -> Tensor:
    """x sigmoid(beta x) (`tf.nn.silu`, `tf.nn.swish`).

    Args:
        features: a tensor of floats or complex numbers.
        beta: a number, or a tensor that broadcasts.

    >>> silu([0.0, 1.0]).numpy().round(3).tolist()
    [0.0, 0.7310000061988831]
    """
    features = to_tensor(features)
    if is_tensor_like(beta):
        scaled = multiply(cast(beta, features.dtype), features)
        return multiply(features, sigmoid(scaled))
    if features.dtype.is_complex:
        scaled = features if beta == 1 else multiply(cast(beta, features.dtype), features)
        return multiply(features, sigmoid(scaled))
    return apply(SILU, (features,), {"beta": float(beta)})


def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    """log(1 + exp(x)) (`tf.math.softplus`)."""
    return unary(SOFTPLUS, features)


def softsign(features: TensorLike, name: str | None = None) -> Tensor:
    """x / (1 + |x|) (`tf.nn.softsign`)."""
    return unary(SOFTSIGN, features)


def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of sigmoid(x) (`tf.math.log_sigmoid`)."""
    return negative(softplus(negative(x)))


def softmax(logits: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) over an axis, the last by default (`tf.nn.softmax`).

    Raises:
        InvalidArgumentError: there is no such axis.

    >>> softmax([0.0, 0.0]).numpy().tolist()
    [0.5, 0.5]
    """
    return _on_last_axis(SOFTMAX, logits, axis)


def log_softmax(logits: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """The logarithm of softmax over an axis, the last by default (`tf.nn.log_softmax`)."""
    return _on_last_axis(LOG_SOFTMAX, logits, axis)


def _on_last_axis(record: Op, logits: TensorLike, axis: int | None) -> Tensor:
    """Applies an op of the last axis to another one by moving it there and back."""
    logits = to_tensor(logits)
    axis = axis if axis is None or type(axis) is int else known_int(axis)
    if axis is None or axis == -1:
        return apply(record, (logits,))
    rank = logits.shape.rank
    if axis == rank - 1:
        return apply(record, (logits,))
    if not -rank <= axis < rank:
        raise invalid_argument(
            f"`axis` must be in the range [{-rank}, {rank}) where {rank} is the number of "
            f"dimensions in the input. Received: axis={axis}"
        )
    order, back = last_axis_orders(rank, axis)
    return transpose(apply(record, (transpose(logits, order),)), back)


def last_axis_orders(rank: int, axis: int) -> tuple[list[int], list[int]]:
    """The orders of axes that move `axis` to the end, and back from there."""
    order = [*(i for i in range(rank) if i != axis % rank), axis % rank]
    return order, sorted(range(rank), key=order.__getitem__)


def bias_add(
    value: TensorLike, bias: TensorLike, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """Returns a bias added along the channels (`tf.nn.bias_add`).

    Args:
        value: a tensor of shape (batch, ..., channels), or (batch, channels, ...).
        bias: a tensor of shape (channels).
        data_format: a layout such as "NHWC" or "NCHW"; None for channels last.
        name: a name in graphs.

    Raises:
        ValueError: there is no such layout.
        InvalidArgumentError: the shapes do not fit each other.
    """
    layout = data_format or "NHWC"
    if not layout.startswith("N") or (layout[1:2] != "C" and layout[-1:] != "C"):
        raise ValueError(
            "`data_format` must be of the form `N...C` or `NC...`. Received: "
            f"data_format={data_format}"
        )
    value, bias = pair(value, bias)
    return apply(BIAS_ADD, (value, bias), _FIRST if layout.startswith("NC") else _LAST)


_FIRST, _LAST = {"data_format": "NCHW"}, {"data_format": "NHWC"}
