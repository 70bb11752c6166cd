"""Pooling: the largest or the mean value in windows over images and volumes.

Padding never counts: a maximum does not see it, a mean does not divide by it. SAME padding that is
one longer at the end is what torch calls `ceil_mode`, without a padded copy; what torch cannot
express is padded by hand.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch.nn import functional
from torch.nn.functional import pad

from ...base import dtypes
from ...base.dtypes import DType
from ...base.errors import InvalidArgumentError, UnimplementedError, invalid_argument
from ...base.shapes import Dims, runtime_text
from ..infer import Spec
from ..op import op
from ..order import in_order
from .window import (
    Ints,
    Refusal,
    as_given,
    bounded_steps,
    channels_first,
    channels_of,
    check_attrs,
    cropped,
    explicit_space,
    laid_out,
    pooling_refusal,
    raise_refusal,
    slide,
    space_of,
    torch_pads,
    without_explicit,
)

_aten = torch.ops.aten
_MAX = {4: _aten.max_pool2d_with_indices.default, 5: _aten.max_pool3d_with_indices.default}
_MAX_ONLY = {4: torch.max_pool2d, 5: torch.max_pool3d}
_MAX_BACK = {
    4: _aten.max_pool2d_with_indices_backward.default,
    5: _aten.max_pool3d_with_indices_backward.default,
}
_MEAN: dict[int, Any] = {4: functional.avg_pool2d, 5: functional.avg_pool3d}
_MEAN_BACK = {4: _aten.avg_pool2d_backward.default, 5: _aten.avg_pool3d_backward.default}


class Pooling(NamedTuple):
    """The attributes that all ops of this file share."""

    ksize: Ints
    strides: Ints
    padding: str
    explicit: Ints
    data_format: str


class PoolPlan(NamedTuple):
    """A pooling in torch's terms. `depth` is the window over channels, 1 for ordinary pooling;
    `pads` is what must be padded by hand, or None; `refusal` what kernels refuse of it.
    """

    out: Dims
    window: Ints
    strides: Ints
    padding: Ints
    ceil: bool
    pads: Ints | None
    before: Ints
    depth: int
    refusal: Refusal | None

    @property
    def is_empty(self) -> bool:
        """True if nothing comes out."""
        return 0 in self.out


@functools.lru_cache(4096)
def plan_of(who: str, how: Pooling, input: Dims) -> PoolPlan:
    """How a pooling of this shape runs.

    Raises:
        InvalidArgumentError: attributes or shape do not fit.
    """
    ksize, strides, padding, explicit, data_format = how
    rank = len(data_format) - 2
    if len(input) != rank + 2:
        raise invalid_argument(f"tensor_in must be {rank + 2}-dimensional: {runtime_text(input)}")
    check_attrs({"ksize": ksize, "strides": strides}, data_format, padding, explicit, rank)
    depth, channels = channels_of(ksize, data_format), channels_of(input, data_format)
    refusal = pooling_refusal(ksize, strides) or _depth_refusal(who, how, channels)
    window, steps = space_of(ksize, data_format), space_of(strides, data_format)
    ends = explicit_space(explicit, data_format)
    found = slide(space_of(input, data_format), window, steps, (1,) * rank, padding, ends)
    if channels is not None and depth > 1:
        channels //= depth
    out = laid_out(input[0], found.out, channels, data_format)
    steps = bounded_steps(steps, space_of(input, data_format), found)
    low, high = found.before, found.after
    if padding == "EXPLICIT":
        refusal = refusal or _padding_refusal(window, low, high)
    is_refused = who == "AvgPool3D" and _is_smaller(space_of(input, data_format), window)
    if _torch_can(padding, window, steps, low, high) and not is_refused:
        return PoolPlan(out, window, steps, low, padding == "SAME", None, low, depth, refusal)
    pads = torch_pads(low, high)
    return PoolPlan(out, window, steps, (0,) * rank, False, pads, low, depth, refusal)


def _is_smaller(sizes: Ints, window: Ints) -> bool:
    """Torch's means in three dimensions refuse a window that is larger than the input."""
    return any(size < wide for size, wide in zip(sizes, window, strict=True))


def ready_plan(who: str, how: Pooling, input: Dims) -> PoolPlan:
    """The plan that a kernel runs.

    Raises:
        InvalidArgumentError: attributes or shape do not fit.
        UnimplementedError: no kernel slides windows over batch or depth like this.
    """
    plan = plan_of(who, how, input)
    if plan.refusal is not None:
        raise_refusal(plan.refusal)
    return plan


def _padding_refusal(window: Ints, low: Ints, high: Ints) -> Refusal | None:
    sides = ("Top", "Bottom", "Left", "Right")
    ends = [end for pair in zip(low, high, strict=True) for end in pair]
    for side, end, size in zip(sides, ends, (n for n in window for _ in "ab"), strict=False):
        if end >= size:
            return InvalidArgumentError, (
                f"{side} padding {end} needs to be smaller than the window size {size}"
            )
    return None


def _torch_can(padding: str, window: Ints, steps: Ints, low: Ints, high: Ints) -> bool:
    """True if torch pads so by itself: alike at both ends, or with `ceil_mode` one more at the
    end of a row of steps longer than 1.
    """
    return all(
        first <= size // 2
        and (first == last or (padding == "SAME" and last == first + 1 and step > 1))
        for size, step, first, last in zip(window, steps, low, high, strict=True)
    )


def _depth_refusal(who: str, how: Pooling, channels: int | None) -> Refusal | None:
    """What no kernel does with a window over channels. Steps over channels without such a window
    are looked at by nobody, except in three dimensions.
    """
    depth, step = (channels_of(each, how.data_format) for each in (how.ksize, how.strides))
    if who == "MaxPool3D" and (depth, step) != (1, 1):
        return UnimplementedError, "Pooling is not yet supported on the depth dimension."
    if depth == 1:
        return None
    if not who.startswith("MaxPool") or max(space_of(how.ksize, how.data_format)) > 1:
        text = (
            "MaxPooling supports exactly one of pooling across depth or pooling across "
            "width/height."
        )
    elif channels is not None and channels % depth:
        text = "Depthwise max pooling requires the depth window to evenly divide the input depth."
    elif depth != step:
        text = "Depthwise max pooling requires the depth window to equal the depth stride."
    else:
        return None
    return UnimplementedError, text


def _padded(x: torch.Tensor, plan: PoolPlan, fill: float | None) -> torch.Tensor:
    """A channels-first tensor with what torch cannot pad by itself; the least value for None."""
    if plan.pads is None:
        return x
    if fill is None:
        lowest = torch.finfo if x.is_floating_point() else torch.iinfo
        fill = float("-inf") if x.is_floating_point() else lowest(x.dtype).min
    return pad(x, plan.pads, value=fill)


def _args(plan: PoolPlan) -> tuple[Any, ...]:
    return plan.window, plan.strides, plan.padding, (1,) * len(plan.window), plan.ceil


def _depths(x: torch.Tensor, plan: PoolPlan, data_format: str) -> torch.Tensor:
    """The channels in groups of the window over channels, as the last dimension."""
    axis = x.ndim - 1 if data_format[-1] == "C" else 1
    groups = (x.shape[axis] // plan.depth, plan.depth)
    parts = x.reshape(*x.shape[:axis], *groups, *x.shape[axis + 1 :])
    return parts.movedim(axis + 1, -1)


def _ungrouped(groups: torch.Tensor, data_format: str) -> torch.Tensor:
    """The inverse of `_depths`."""
    axis = groups.ndim - 2 if data_format[-1] == "C" else 1
    return groups.movedim(-1, axis + 1).flatten(axis, axis + 1)


def _max(who: str, input: torch.Tensor, how: Pooling) -> torch.Tensor:
    plan = ready_plan(who, how, input.shape)
    if plan.is_empty:
        return input.new_zeros(plan.out)  # type: ignore[arg-type]
    if plan.depth > 1:
        return _depths(input, plan, how.data_format).amax(-1)
    x = _padded(channels_first(input, how.data_format), plan, None)
    return as_given(_MAX_ONLY[x.ndim](x, *_args(plan)), how.data_format)


def _max_kept(who: str, input: torch.Tensor, how: Pooling) -> tuple[torch.Tensor, torch.Tensor]:
    """The largest values and where they were, as torch counts places; none where torch has no
    kernel for it.
    """
    plan = ready_plan(who, how, input.shape)
    if plan.is_empty or plan.depth > 1:
        return _max(who, input, how), input.new_empty(0, dtype=torch.int64)
    x = _padded(channels_first(input, how.data_format), plan, None)
    values, places = _placed(x, plan)
    return as_given(values, how.data_format), as_given(places, how.data_format)


def _placed(x: torch.Tensor, plan: PoolPlan) -> tuple[torch.Tensor, torch.Tensor]:
    """The largest values of a channels-first tensor, and where they are: the first of several,
    of several NaNs as well, for which torch takes the last.

    The host alone is asked for NaNs: their sum tells, and nothing waits for it.
    """
    values, places = _MAX[x.ndim](x, *_args(plan))
    if x.is_cpu and x.is_floating_point() and bool(values.sum().isnan()):
        nans, first = _MAX[x.ndim](x.isnan().to(x.dtype), *_args(plan))
        places = torch.where(nans > 0, first, places)
    return values, places


def _max_grad_kept(
    who: str, input: torch.Tensor, places: torch.Tensor, grad: torch.Tensor, how: Pooling
) -> torch.Tensor:
    """The gradients put where the maxima were."""
    plan = ready_plan(who, how, input.shape)
    if plan.is_empty or plan.depth > 1:
        return _max_grad(who, input, grad, grad, how)
    x = _padded(channels_first(input, how.data_format), plan, None)
    dy, where = (channels_first(each, how.data_format) for each in (grad, places))
    return _cut(_MAX_BACK[x.ndim](dy, x, *_args(plan), where), plan, input, how.data_format)


def _max_grad(
    who: str, input: torch.Tensor, output: torch.Tensor, grad: torch.Tensor, how: Pooling
) -> torch.Tensor:
    plan = ready_plan(who, how, input.shape)
    _check_like(plan.out, output, "orig_output")
    _check_like(plan.out, grad, "grad")
    if plan.is_empty:
        return torch.zeros_like(input)
    data_format = how.data_format
    if plan.depth > 1:
        groups = _depths(input, plan, data_format)
        chosen = functional.one_hot(groups.argmax(-1), plan.depth).to(grad.dtype)
        return _ungrouped(chosen * grad.unsqueeze(-1), data_format)
    x = _padded(channels_first(input, data_format), plan, None)
    _, places = _placed(x, plan)
    dy = channels_first(grad, data_format)
    return _cut(_MAX_BACK[x.ndim](dy, x, *_args(plan), places), plan, input, data_format)


def _cut(dx: torch.Tensor, plan: PoolPlan, input: torch.Tensor, data_format: str) -> torch.Tensor:
    """A gradient in the input's layout, without what was padded by hand."""
    if plan.pads is None:
        return as_given(dx, data_format)
    return cropped(dx, plan.before, space_of(input.shape, data_format), data_format)


def _check_like(out: Dims, value: torch.Tensor, name: str) -> None:
    if tuple(value.shape) != out:
        raise invalid_argument(
            f"Expected {name} shape to be {runtime_text(out)}, but got {runtime_text(value.shape)}"
        )


def _mean(who: str, input: torch.Tensor, how: Pooling) -> torch.Tensor:
    plan = ready_plan(who, how, input.shape)
    if plan.is_empty:
        return input.new_zeros(plan.out)  # type: ignore[arg-type]
    x = channels_first(input, how.data_format)
    divisor = _divisor(x, plan)
    y = _MEAN[x.ndim](
        _padded(x, plan, 0.0), plan.window, plan.strides, plan.padding, plan.ceil, False, divisor
    )
    if divisor is not None:
        y = y / _inside(x, plan, divisor)
    return as_given(y, how.data_format)


def _divisor(x: torch.Tensor, plan: PoolPlan) -> int | None:
    """What torch divides sums by where padding was added by hand: 1, for what is inside of a window
    divides them then, and each quotient is one more rounding. Sums of halves might overflow.
    """
    if plan.pads is None:
        return None
    return 1 if x.dtype in (torch.float32, torch.float64) else math.prod(plan.window)


def _inside(x: torch.Tensor, plan: PoolPlan, divisor: int) -> torch.Tensor:
    """How much of each window is input, in parts of the divisor; padding was added by hand."""
    ones = _padded(x.new_ones((1, 1, *x.shape[2:])), plan, 0.0)
    inside: torch.Tensor = _MEAN[x.ndim](ones, plan.window, plan.strides, divisor_override=divisor)
    return inside


def _mean_grad(who: str, grad: torch.Tensor, sizes: Ints, how: Pooling) -> torch.Tensor:
    plan = ready_plan(who, how, sizes)
    _check_like(plan.out, grad, "out_backprop")
    if plan.is_empty or 0 in sizes:
        return grad.new_zeros(sizes)
    data_format = how.data_format
    # Torch reads nothing of the input but its shape and layout.
    x = channels_first(grad.new_empty(sizes), data_format)
    dy = channels_first(grad, data_format)
    divisor = _divisor(x, plan)
    if divisor is not None:
        dy = dy / _inside(x, plan, divisor)
    padded = _padded(x, plan, 0.0)
    dx = _MEAN_BACK[x.ndim](
        dy, padded, plan.window, plan.strides, plan.padding, plan.ceil, False, divisor
    )
    if plan.pads is None:
        return as_given(dx, data_format)
    return cropped(dx, plan.before, space_of(sizes, data_format), data_format)


def _pooling(layout: str, attrs: dict[str, Any]) -> Pooling:
    """Attributes as they come, with the defaults of the ops."""
    return Pooling(
        attrs["ksize"], attrs["strides"], attrs["padding"], attrs.get("explicit_paddings", ()),
        attrs.get("data_format", layout),
    )  # fmt: skip


def _max_records(suffix: str, layout: str, types: Sequence[DType]) -> tuple[Any, ...]:
    """The op of the maximum and that of its gradient; `layout` is their default data_format. Then
    the same two for tapes: the first also returns where the maxima were, which the second takes.
    """
    who = f"MaxPool{suffix}"

    def kernel(
        input: torch.Tensor, *, ksize: Ints, strides: Ints, padding: str,
        explicit_paddings: Ints = (), data_format: str = layout,
    ) -> torch.Tensor:  # fmt: skip
        how = Pooling(ksize, strides, padding, explicit_paddings, data_format)
        return _max(who, input, how)

    def rule(input: Spec, **attrs: Any) -> Spec:
        if input.dims is None:
            return input
        return Spec(plan_of(who, _pooling(layout, attrs), input.dims).out, input.dtype)

    def back(
        orig_input: torch.Tensor, orig_output: torch.Tensor, grad: torch.Tensor, *, ksize: Ints,
        strides: Ints, padding: str, explicit_paddings: Ints = (), data_format: str = layout,
    ) -> torch.Tensor:  # fmt: skip
        how = Pooling(ksize, strides, padding, explicit_paddings, data_format)
        if channels_of(strides, data_format) != 1 == channels_of(ksize, data_format):
            raise UnimplementedError(
                None, None, "MaxPoolingGrad is not yet supported on the depth dimension."
            )
        return _max_grad(who, orig_input, orig_output, grad, how)

    def back_rule(orig_input: Spec, orig_output: Spec, grad: Spec, **attrs: Any) -> Spec:
        return orig_input

    def keeping(
        input: torch.Tensor, *, ksize: Ints, strides: Ints, padding: str,
        explicit_paddings: Ints = (), data_format: str = layout,
    ) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
        how = Pooling(ksize, strides, padding, explicit_paddings, data_format)
        return _max_kept(who, input, how)

    def keeping_rule(input: Spec, **attrs: Any) -> tuple[Spec, Spec]:
        pooled = rule(input, **attrs)
        return pooled, Spec(pooled.dims, dtypes.int64)

    def back_kept(
        orig_input: torch.Tensor, places: torch.Tensor, grad: torch.Tensor, *, ksize: Ints,
        strides: Ints, padding: str, explicit_paddings: Ints = (), data_format: str = layout,
    ) -> torch.Tensor:  # fmt: skip
        how = Pooling(ksize, strides, padding, explicit_paddings, data_format)
        return _max_grad_kept(who, orig_input, places, grad, how)

    types = tuple(types)
    signature = "orig_input: T, orig_output: T, grad: T -> output: T"
    kept_signature = "orig_input: T, places: int64, grad: T -> output: T"
    return (
        op(who, "input: T -> output: T", without_explicit(kernel, bool(suffix)), rule, T=types),
        op(f"{who}Grad", signature, without_explicit(back, bool(suffix)), back_rule, T=types),
        op(who, "input: T -> output: T, places: int64", keeping, keeping_rule, is_listed=False,
           T=types),
        op(f"{who}GradKept", kept_signature, back_kept, back_rule, is_listed=False, T=types),
    )  # fmt: skip


def _mean_records(suffix: str, layout: str, value: str) -> tuple[Any, Any]:
    """The op of the mean and that of its gradient."""
    who = f"AvgPool{suffix}"

    def kernel(
        value: torch.Tensor, *, ksize: Ints, strides: Ints, padding: str, data_format: str = layout
    ) -> torch.Tensor:
        return _mean(who, value, Pooling(ksize, strides, padding, (), data_format))

    def rule(value: Spec, **attrs: Any) -> Spec:
        if value.dims is None:
            return value
        return Spec(plan_of(who, _pooling(layout, attrs), value.dims).out, value.dtype)

    def back(
        grad: torch.Tensor, *, orig_input_shape: Ints, ksize: Ints, strides: Ints, padding: str,
        data_format: str = layout,
    ) -> torch.Tensor:  # fmt: skip
        how = Pooling(ksize, strides, padding, (), data_format)
        return _mean_grad(who, grad, orig_input_shape, how)

    def back_rule(grad: Spec, *, orig_input_shape: Ints, **attrs: Any) -> Spec:
        return Spec(orig_input_shape, grad.dtype)

    signature = "orig_input_shape: host, grad: T -> output: T"
    return (
        op(who, f"{value}: T -> output: T", kernel, rule, T=dtypes.FLOATS),
        op(f"{who}Grad", signature, back, back_rule, T=dtypes.FLOATS),
    )


_POOLED = (
    *dtypes.FLOATS, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8,
    dtypes.uint16,
)  # fmt: skip
MAX_POOL, MAX_POOL_GRAD, MAX_POOL_KEEPING, MAX_POOL_GRAD_KEPT = _max_records("", "NHWC", _POOLED)
MAX_POOL3D, MAX_POOL3D_GRAD, MAX_POOL3D_KEEPING, MAX_POOL3D_GRAD_KEPT = _max_records(
    "3D", "NDHWC", dtypes.FLOATS
)
AVG_POOL, AVG_POOL_GRAD = _mean_records("", "NHWC", "value")
AVG_POOL3D, AVG_POOL3D_GRAD = _mean_records("3D", "NDHWC", "input")


def _check_argmax_window(ksize: Ints) -> None:
    worst = next((size for size in ksize if size <= 0), None)
    if worst is not None:
        raise invalid_argument(f"ksize must be a positive int32 value, got:{worst}")


@in_order
def max_pool_with_argmax_kernel(
    input: torch.Tensor,
    *,
    ksize: Ints,
    strides: Ints,
    padding: str,
    Targmax: DType = dtypes.int64,  # noqa: N803  # TensorFlow's name
    include_batch_in_index: bool = False,
) -> tuple[torch.Tensor, torch.Tensor]:
    """(the maxima, where they are: (y * width + x) * channels + channel)."""
    _check_argmax_window(ksize)
    how = Pooling(ksize, strides, padding, (), "NHWC")
    plan = ready_plan("MaxPoolWithArgmax", how, input.shape)
    if not input.numel():
        raise invalid_argument("tensor_in must not be empty (2)")
    if 0 in plan.out:  # no window fits
        nothing = input.new_empty(plan.out)  # type: ignore[arg-type]
        return nothing, nothing.to(Targmax.torch)
    x = _padded(channels_first(input, "NHWC"), plan, None)
    made, places = _placed(x, plan)
    height, width, channels = input.shape[1:]
    if plan.pads is not None:
        row, column = places // x.shape[3] - plan.before[0], places % x.shape[3] - plan.before[1]
        places = row * width + column
    places = as_given(places, "NHWC") * channels + torch.arange(channels, device=x.device)
    if include_batch_in_index:
        batch = torch.arange(input.shape[0], device=x.device).view(-1, 1, 1, 1)
        places = places + batch * (height * width * channels)
    return as_given(made, "NHWC"), places.to(Targmax.torch)


def _argmax_spec(
    input: Spec,
    *,
    ksize: Ints,
    strides: Ints,
    padding: str,
    Targmax: DType = dtypes.int64,  # noqa: N803
    include_batch_in_index: bool = False,
) -> tuple[Spec, Spec]:
    if input.dims is None:
        return input, Spec(None, Targmax)
    _check_argmax_window(ksize)
    how = Pooling(ksize, strides, padding, (), "NHWC")
    out = plan_of("MaxPoolWithArgmax", how, input.dims).out
    return Spec(out, input.dtype), Spec(out, Targmax)


MAX_POOL_WITH_ARGMAX = op(
    "MaxPoolWithArgmax", "input: T -> output: T, argmax: Targmax",
    max_pool_with_argmax_kernel, _argmax_spec, T=dtypes.REALS,
)  # fmt: skip


def max_pool_grad_with_argmax_kernel(
    input: torch.Tensor,
    grad: torch.Tensor,
    argmax: torch.Tensor,
    *,
    ksize: Ints,
    strides: Ints,
    padding: str,
    include_batch_in_index: bool = False,
) -> torch.Tensor:
    """The gradients put where the maxima were."""
    how = Pooling(ksize, strides, padding, (), "NHWC")
    out = ready_plan("MaxPoolGradWithArgmax", how, input.shape).out
    for name, each in (("grad", grad), ("argmax", argmax)):
        if tuple(each.shape) != out:
            raise invalid_argument(
                f"Expected {name} shape to be {runtime_text(out)}, but got "
                f"{runtime_text(each.shape)}"
            )
    rows = 1 if include_batch_in_index else input.shape[0]
    nothing = grad.new_zeros((rows, input.numel() // max(1, rows)))
    places = argmax.reshape(rows, -1).long()
    return nothing.scatter_add(1, places, grad.reshape(rows, -1)).reshape(input.shape)


def _argmax_grad_spec(input: Spec, grad: Spec, argmax: Spec, **attrs: Any) -> Spec:
    return input


MAX_POOL_GRAD_WITH_ARGMAX = op(
    "MaxPoolGradWithArgmax", "input: T, grad: T, argmax: Targmax -> output: T",
    max_pool_grad_with_argmax_kernel, _argmax_grad_spec,
    T=dtypes.REALS, Targmax=dtypes.INDICES,
)  # fmt: skip
