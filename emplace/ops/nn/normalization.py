"""Normalization: fused batch normalization, and local responses over neighbouring channels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...core.context import LOCAL
from .. import infer
from ..convert import to_tensor
from ..infer import Spec, shape_only
from ..op import apply, op
from .window import as_given, channels_first, channels_of

_NOTHING: list[float] = []
# Where a function of rows writes its results; None for new memory.
_Out = Sequence[torch.Tensor | None]
_NEW = (None, None, None)
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
        kept = mean.clone(), variance.clone()
        return as_given(y, data_format), *kept, *(each.clone() for each in kept), rest
    count = x.numel() // max(1, scale.numel())
    if not count:
        nan = torch.full_like(scale, float("nan"))
        return torch.empty_like(x), nan, nan.clone(), nan.clone(), nan.clone(), rest
    # Torch leaves the mean and the unbiased variance in buffers that forget all at once.
    found, unbiased = torch.zeros_like(scale), torch.ones_like(scale)
    y = torch.native_batch_norm(seen, scale, offset, found, unbiased, True, 1.0, epsilon)[0]
    if count == 1:
        unbiased = torch.zeros_like(scale)
    biased = unbiased * ((count - 1) / count)
    kept_mean, kept_variance = found, unbiased
    if exponential_avg_factor != 1:
        kept_mean = torch.lerp(mean, found, exponential_avg_factor)
        kept_variance = torch.lerp(variance, unbiased, exponential_avg_factor)
    else:
        kept_mean = found.clone()
    return as_given(y, data_format), kept_mean, kept_variance, found, biased, rest


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
    for name, each in zip(_STATISTICS, statistics, strict=True):
        if each.dims is not None and len(each.dims) != 1:
            raise invalid_argument(f"{name} must be 1-dimensional{runtime_text(each.dims)}")
    channels = None if x.dims is None else channels_of(x.dims, data_format)
    unused = is_training and exponential_avg_factor == 1
    for name, each in zip(_STATISTICS, statistics, strict=True):
        size = channels if each.dims is None else each.dims[0]
        if unused and name in ("mean", "variance") and size == 0:
            continue
        if None not in (size, channels) and size != channels:
            raise invalid_argument(
                f"{name} must have the same number of elements as the channels of x, "
                f"got {size} and {channels}"
            )
    kept = Spec((channels,), scale.dtype)
    return x, kept, kept, kept, kept, Spec((0,), scale.dtype)


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
    mean, variance = reserve_space_1, reserve_space_2
    dy, seen = channels_first(y_backprop, data_format), channels_first(x, data_format)
    rest = scale.new_empty((0,)), scale.new_empty((0,))
    if not x.numel():
        return torch.zeros_like(x), torch.zeros_like(scale), torch.zeros_like(scale), *rest
    dx, dscale, doffset = _batch_norm_backward(
        dy, seen, scale, mean, variance, mean, torch.rsqrt(variance + epsilon), is_training,
        epsilon, [True, True, True],
    )  # fmt: skip
    return as_given(dx, data_format), dscale, doffset, *rest


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


def lrn_kernel(
    input: torch.Tensor,
    *,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
) -> torch.Tensor:
    """Each value over a power of the sum of squares of its neighbours in depth."""
    _lrn_spec(shape_only(input), depth_radius=depth_radius)
    sums = _Sums(input, depth_radius, bias, alpha)

    def response(x: torch.Tensor, out: _Out = _NEW) -> tuple[torch.Tensor, ...]:
        return (torch.mul(x, _power(sums.around(x), beta), out=out[0]),)

    return _by_rows(response, 1, input)[0]


def lrn_keeping_kernel(
    input: torch.Tensor,
    *,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
) -> tuple[torch.Tensor, ...]:
    """(the response, the sums, the powers of the sums)."""
    _lrn_spec(shape_only(input), depth_radius=depth_radius)
    sums = _Sums(input, depth_radius, bias, alpha)

    def response(x: torch.Tensor, out: _Out = _NEW) -> tuple[torch.Tensor, ...]:
        total = sums.around(x, out[1])
        power = _power(total, beta, out[2])
        return torch.mul(x, power, out=out[0]), total, power

    return _by_rows(response, 3, input)


def lrn_grad_kernel(
    input_grads: torch.Tensor,
    input_image: torch.Tensor,
    output_image: torch.Tensor,
    *,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
) -> torch.Tensor:
    """The gradient of the local response."""
    sums = _Sums(input_image, depth_radius, bias, alpha)

    def gradient(
        dy: torch.Tensor, x: torch.Tensor, y: torch.Tensor, out: _Out = _NEW
    ) -> tuple[torch.Tensor, ...]:
        total = sums.around(x)
        back = torch.mm(dy * y / total, sums.band)
        direct = dy * _power(total, beta)
        return (torch.addcmul(direct, x, back, value=-2 * alpha * beta, out=out[0]),)

    return _by_rows(gradient, 1, input_grads, input_image, output_image)[0]


def lrn_grad_kept_kernel(
    input_grads: torch.Tensor,
    input_image: torch.Tensor,
    total: torch.Tensor,
    power: torch.Tensor,
    *,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
) -> torch.Tensor:
    """The gradient of the local response, with its sums and their powers at hand."""
    sums = _Sums(input_image, depth_radius, bias, alpha)

    def gradient(
        dy: torch.Tensor, x: torch.Tensor, total: torch.Tensor, power: torch.Tensor,
        out: _Out = _NEW,
    ) -> tuple[torch.Tensor, ...]:  # fmt: skip
        direct = dy * power
        back = torch.mm(direct * x / total, sums.band)
        return (torch.addcmul(direct, x, back, value=-2 * alpha * beta, out=out[0]),)

    return _by_rows(gradient, 1, input_grads, input_image, total, power)[0]


class _Sums:
    """Sums of squares over neighbouring channels. A product with `band`, which is 1 for channels
    that are neighbours, is a sum over the neighbourhood.
    """

    def __init__(self, image: torch.Tensor, radius: int, bias: float, alpha: float) -> None:
        places = torch.arange(image.shape[-1], device=image.device)
        self.band = ((places - places.unsqueeze(1)).abs() <= radius).to(image.dtype)
        self._biases = image.new_full(image.shape[-1:], bias)
        self._alpha = alpha

    def around(self, x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
        """bias + alpha times the sum of squares around each value of some rows."""
        return torch.addmm(self._biases, x * x, self.band, alpha=self._alpha, out=out)


# So many values at a time stay in a processor's cache through all steps; that halves the time.
_AT_ONCE = 1 << 16


def _by_rows(
    f: Callable[..., tuple[torch.Tensor, ...]], makes: int, *images: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    """The `makes` results of f of the rows of images, on a CPU a few rows at a time."""
    shape = images[0].shape
    depth = max(1, shape[-1])
    rows = [image.reshape(-1, depth) for image in images]
    step = max(1, _AT_ONCE // depth)
    if not rows[0].is_cpu or len(rows[0]) <= step:
        return tuple(each.reshape(shape) for each in f(*rows))
    starts = range(0, len(rows[0]), step)
    if any(each.requires_grad for each in rows):  # torch differentiates nothing that fills memory
        parts = [f(*(each[start : start + step] for each in rows)) for start in starts]
        return tuple(torch.cat(each).reshape(shape) for each in zip(*parts, strict=True))
    made = [torch.empty_like(rows[0]) for _ in range(makes)]
    for start in starts:
        part = slice(start, start + step)
        f(*(each[part] for each in rows), out=[each[part] for each in made])
    return tuple(each.reshape(shape) for each in made)


def _power(total: torch.Tensor, beta: float, out: torch.Tensor | None = None) -> torch.Tensor:
    """total ** -beta; by roots, which are faster, for the usual exponents."""
    if beta == 0.5:
        return torch.rsqrt(total, out=out)
    if beta == 0.75:
        root = torch.rsqrt(total)
        return torch.mul(root, torch.sqrt(root), out=out)
    return torch.pow(total, -beta, out=out)


def _lrn_spec(input: Spec, **attrs: Any) -> Spec:
    if input.dims is not None and len(input.dims) != 4:
        raise invalid_argument(f"in must be 4-dimensional, got {runtime_text(input.dims)}")
    if attrs.get("depth_radius", 5) < 0:
        raise invalid_argument("depth_radius must be non-negative")
    return input


_HALVES_TOO = (dtypes.float16, dtypes.bfloat16, dtypes.float32)
LRN = op("LRN", "input: T -> output: T", lrn_kernel, _lrn_spec, T=_HALVES_TOO)
# Listed as the op itself: it is that, while a tape listens.
LRN_KEEPING = op(
    "LRN", "input: T -> output: T, total: T, power: T", lrn_keeping_kernel,
    lambda input, **attrs: (_lrn_spec(input, **attrs),) * 3, is_listed=False, T=_HALVES_TOO,
)  # fmt: skip
LRN_GRAD_KEPT = op(
    "LRNGradKept", "input_grads: T, input_image: T, total: T, power: T -> output: T",
    lrn_grad_kept_kernel, infer.same, is_listed=False, T=_HALVES_TOO,
)  # fmt: skip
LRN_GRAD = op(
    "LRNGrad", "input_grads: T, input_image: T, output_image: T -> output: T", lrn_grad_kernel,
    infer.same, T=_HALVES_TOO,
)  # fmt: skip


def local_response_normalization(
    input: Any,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Any:
    """Each value over (bias + alpha sum of squares) ** beta of the channels around it
    (`tf.nn.local_response_normalization`, `tf.nn.lrn`).

    Args:
        input: images of shape (batch, height, width, channels).
        depth_radius: how many channels on each side count.
        bias: added to the sum; keeps it from 0.
        alpha: the factor of the sum.
        beta: the exponent.
        name: a name in graphs.
    """
    attrs = {
        "depth_radius": int(depth_radius), "bias": float(bias), "alpha": float(alpha),
        "beta": float(beta),
    }  # fmt: skip
    # While a tape listens, what the gradient needs is kept: finding it again costs as much.
    if LOCAL.state.tapes:
        return apply(LRN_KEEPING, (to_tensor(input),), attrs)[0]
    return apply(LRN, (to_tensor(input),), attrs)


def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> Any:
    """Batch normalization in one op (`tf.compat.v1.nn.fused_batch_norm`).

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
    made = apply(FUSED_BATCH_NORM, (x, scale, offset, mean, variance), attrs)
    return made[0], made[1], made[2]
