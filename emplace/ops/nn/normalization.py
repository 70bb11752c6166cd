"""Fused batch normalization."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ..convert import to_tensor
from ..infer import Spec, shape_only
from ..op import apply, op
from .window import as_given, channels_first, channels_of

_NOTHING: list[float] = []
_STATISTICS = ("scale", "offset", "mean", "variance")
_batch_norm_backward: Callable[..., Any] = torch.ops.aten.native_batch_norm_backward.default


def fused_batch_norm_kernel(
    x: torch.Tensor,
    scale: torch.Tensor,
    offset: torch.Tensor,
    mean: torch.Tensor,
    variance: torch.Tensor,
    *,
    epsilon: float = 0.0001,
    exponential_avg_factor: float = 1,
    data_format: str = "NHWC",
    is_training: bool = True,
) -> tuple[torch.Tensor, ...]:
    """(y, the mean and variance to keep, what the gradient needs: mean, variance, nothing)."""
    _fused_spec(
        *map(shape_only, (x, scale, offset, mean, variance)),
        epsilon=epsilon, exponential_avg_factor=exponential_avg_factor, data_format=data_format,
        is_training=is_training,
    )  # fmt: skip
    rest = scale.new_empty((0,))
    seen = channels_first(x, data_format)
    if not is_training:
        y = torch.native_batch_norm(seen, scale, offset, mean, variance, False, 0.0, epsilon)[0]
        statistics = mean.clone(), variance.clone()
        return as_given(y, data_format), *statistics, *(x.clone() for x in statistics), rest
    count = x.numel() // max(1, scale.numel())
    if not count:
        nan = torch.full_like(scale, float("nan"))
        return torch.empty_like(x), nan, nan.clone(), nan.clone(), nan.clone(), rest
    # Torch leaves the mean and the unbiased variance in buffers that forget all at once.
    batch_mean, unbiased = torch.zeros_like(scale), torch.ones_like(scale)
    y = torch.native_batch_norm(seen, scale, offset, batch_mean, unbiased, True, 1.0, epsilon)[0]
    if count == 1:
        unbiased = torch.zeros_like(scale)
    biased = unbiased * ((count - 1) / count)
    next_mean, next_variance = batch_mean, unbiased
    if exponential_avg_factor != 1:
        next_mean = torch.lerp(mean, batch_mean, exponential_avg_factor)
        next_variance = torch.lerp(variance, unbiased, exponential_avg_factor)
    else:
        next_mean = batch_mean.clone()
    return as_given(y, data_format), next_mean, next_variance, batch_mean, biased, rest


def _fused_spec(
    x: Spec,
    scale: Spec,
    offset: Spec,
    mean: Spec,
    variance: Spec,
    *,
    epsilon: float = 0.0001,
    exponential_avg_factor: float = 1,
    data_format: str = "NHWC",
    is_training: bool = True,
) -> tuple[Spec, ...]:
    if x.dims is not None and len(x.dims) not in (4, 5):
        raise invalid_argument(f"input must be 4 or 5-dimensional{runtime_text(x.dims)}")
    statistics = scale, offset, mean, variance
    for name, statistic in zip(_STATISTICS, statistics, strict=True):
        if statistic.dims is not None and len(statistic.dims) != 1:
            raise invalid_argument(f"{name} must be 1-dimensional{runtime_text(statistic.dims)}")
    channels = None if x.dims is None else channels_of(x.dims, data_format)
    unused = is_training and exponential_avg_factor == 1
    for name, statistic in zip(_STATISTICS, statistics, strict=True):
        size = channels if statistic.dims is None else statistic.dims[0]
        if unused and name in ("mean", "variance") and size == 0:
            continue
        if None not in (size, channels) and size != channels:
            when = ""
            if name in ("mean", "variance"):
                reason = "exponential_avg_factor != 1" if is_training else "is_training=false"
                when = f"When {reason}, "
            raise invalid_argument(
                f"{when}{name} must have the same number of elements as the channels of x, "
                f"got {size} and {channels}"
            )
    per_channel = Spec((channels,), scale.dtype)
    return x, per_channel, per_channel, per_channel, per_channel, Spec((0,), scale.dtype)


FUSED_BATCH_NORM = op(
    "FusedBatchNormV3",
    "x: T, scale: U, offset: U, mean: U, variance: U -> y: T, batch_mean: U, batch_variance: U, "
    "reserve_space_1: U, reserve_space_2: U, reserve_space_3: U",
    fused_batch_norm_kernel, _fused_spec,
    T=(dtypes.float16, dtypes.bfloat16, dtypes.float32), U=(dtypes.bfloat16, dtypes.float32),
)  # fmt: skip


def fused_batch_norm_grad_kernel(
    y_backprop: torch.Tensor,
    x: torch.Tensor,
    scale: torch.Tensor,
    reserve_space_1: torch.Tensor,
    reserve_space_2: torch.Tensor,
    reserve_space_3: torch.Tensor,
    *,
    epsilon: float = 0.0001,
    data_format: str = "NHWC",
    is_training: bool = True,
) -> tuple[torch.Tensor, ...]:
    """(gradient of x, of scale, of offset, nothing, nothing)."""
    # TF: second derivatives take them for constants, and torch has no others.
    mean, variance = reserve_space_1.detach(), reserve_space_2.detach()
    _check_grad_shapes(y_backprop, x, scale, mean, variance, data_format)
    dy, seen = channels_first(y_backprop, data_format), channels_first(x, data_format)
    rest = scale.new_empty((0,)), scale.new_empty((0,))
    if not x.numel():
        return torch.zeros_like(x), torch.zeros_like(scale), torch.zeros_like(scale), *rest
    dx, dscale, doffset = _batch_norm_backward(
        dy, seen, scale, mean, variance, mean, torch.rsqrt(variance + epsilon), is_training,
        epsilon, [True, True, True],
    )  # fmt: skip
    return as_given(dx, data_format), dscale, doffset, *rest


def _check_grad_shapes(
    y_backprop: torch.Tensor,
    x: torch.Tensor,
    scale: torch.Tensor,
    mean: torch.Tensor,
    variance: torch.Tensor,
    data_format: str,
) -> None:
    """Torch's kernel reads as many numbers of each as x has, whatever their shapes."""
    if y_backprop.ndim not in (4, 5) or y_backprop.ndim != x.ndim:
        raise invalid_argument(
            f"y_backprop and x must be 4 or 5-dimensional, got {runtime_text(y_backprop.shape)} "
            f"and {runtime_text(x.shape)}"
        )
    if y_backprop.shape != x.shape:
        raise invalid_argument(
            "x and y_backprop must have same shape, but x has shape "
            f"{runtime_text(x.shape)} and y_backprop has shape {runtime_text(y_backprop.shape)}"
        )
    channels = channels_of(x.shape, data_format)
    names = "scale", "reserve_space_1", "reserve_space_2"
    for name, each in zip(names, (scale, mean, variance), strict=True):
        if each.ndim != 1:
            raise invalid_argument(f"{name} must be 1-dimensional{runtime_text(each.shape)}")
        if len(each) != channels:
            raise invalid_argument(
                f"{name} must have the same number of elements as the channels of x, "
                f"got {len(each)} and {channels}"
            )


def _fused_grad_spec(y_backprop: Spec, x: Spec, scale: Spec, *kept: Spec, **attrs: Any) -> Any:
    nothing = Spec((0,), scale.dtype)
    return x, scale, scale, nothing, nothing


FUSED_BATCH_NORM_GRAD = op(
    "FusedBatchNormGradV3",
    "y_backprop: T, x: T, scale: float32, reserve_space_1: U, reserve_space_2: U, "
    "reserve_space_3: U -> x_backprop: T, scale_backprop: U, offset_backprop: U, "
    "reserve_space_4: U, reserve_space_5: U",
    fused_batch_norm_grad_kernel, _fused_grad_spec,
    T=(dtypes.float16, dtypes.bfloat16, dtypes.float32), U=(dtypes.float32,),
)  # fmt: skip


def fused_batch_norm(
    x: TensorLike,
    scale: TensorLike,
    offset: TensorLike,
    mean: TensorLike | None = None,
    variance: TensorLike | None = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> Any:
    """Does batch normalization in one op (`tf.compat.v1.nn.fused_batch_norm`).

    Args:
        x: images of shape (batch, height, width, channels), or volumes.
        scale: the factor per channel, float32.
        offset: what is added per channel, float32.
        mean: the mean per channel; needed unless it is found from x alone.
        variance: likewise.
        epsilon: added to the variance.
        data_format: "NHWC", "NCHW", "NDHWC" or "NCDHW".
        is_training: take mean and variance from x; else use the given ones.
        name: a name in graphs.
        exponential_avg_factor: the share of x in the mean and variance that are returned.

    Returns:
        (y, mean, variance); the variance of a batch is the unbiased one.

    Raises:
        ValueError: mean or variance is missing.
    """
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError(
            "Both `mean` and `variance` must be a 1D tensor when `is_training` is False or "
            f"`exponential_avg_factor` != 1.0. Received: `mean` {mean!r} and `variance` "
            f"{variance!r}"
        )
    x, scale, offset = to_tensor(x), to_tensor(scale), to_tensor(offset)
    mean = to_tensor(_NOTHING if mean is None else mean, hint=scale.dtype)
    variance = to_tensor(_NOTHING if variance is None else variance, hint=scale.dtype)
    attrs = {
        # As cuDNN does: a variance of 0 must not be divided by nothing.
        "epsilon": max(float(epsilon), 1.001e-5),
        "exponential_avg_factor": float(exponential_avg_factor),
        "data_format": data_format,
        "is_training": bool(is_training),
    }
    outputs = apply(FUSED_BATCH_NORM, (x, scale, offset, mean, variance), attrs)
    return outputs[0], outputs[1], outputs[2]
