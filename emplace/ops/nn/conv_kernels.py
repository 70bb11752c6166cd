"""Convolutions as ops: forward, the gradient of the input and that of the filter, over images,
volumes and, channel by channel, images (depthwise). The public functions are in
`convolution.py`.

A filter is laid out (space, channels in, channels out) as in TensorFlow, with channels in / groups.
Types without fractions are computed in float64, which is exact for sums below 2**53.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch.nn.functional import pad

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import Dims, runtime_text
from ..infer import Spec
from ..limits import NO_LIMITS, RELU, RELU6, Limits, limited
from ..op import Op, op
from . import conv_depthwise, conv_winograd
from .conv_plan import ConvPlan, Sliding, plan_of
from .conv_products import are_products, product, product_for_filter, product_for_input
from .window import (
    Ints,
    as_given,
    channels_first,
    channels_of,
    cropped,
    laid_out,
    raise_refusal,
    space_of,
    without_explicit,
)


def _with_bias(y: torch.Tensor, bias: torch.Tensor, data_format: str) -> torch.Tensor:
    x = channels_first(y, data_format)
    return as_given(x + bias.reshape(-1, *[1] * (x.ndim - 2)), data_format)


def _check_filter(sizes: Dims) -> None:
    if 0 in sizes:
        raise invalid_argument(
            "filter must not have zero elements (i.e. all dimensions must be non-zero)"
        )


def _seen_by_one_tap(x: torch.Tensor, plan: ConvPlan) -> tuple[torch.Tensor, ConvPlan]:
    """The places of images, channels first, that windows of one tap see, and a plan that leaves
    none out. On processors with vectors of 8 numbers torch's gradient of the filter is wrong
    otherwise, for few channels that lie last, and says nothing.
    """
    if any(plan.padding) or all(step == 1 for step in plan.strides) or x.is_cuda:
        return x, plan
    places: list[Any] = [..., *[slice(None, None, step) for step in plan.strides]]
    return x[tuple(places)], plan._replace(strides=(1,) * len(plan.strides))


class _Convolution:
    """The three kernels and shape rules of one kind of convolution."""

    def __init__(self, is_depthwise: bool) -> None:
        self._is_depthwise = is_depthwise

    def plan(self, input: Any, filter: Any, how: Sliding) -> ConvPlan:
        """The plan for two shapes."""
        return plan_of(self._is_depthwise, how, input, filter)

    def _ready(self, input: Any, filter: Any, how: Sliding) -> ConvPlan:
        """The plan that runs; raises UnimplementedError or InvalidArgumentError if none can."""
        plan = plan_of(self._is_depthwise, how, input, filter)
        if plan.refusal is not None:
            raise_refusal(plan.refusal)
        return plan

    def weight(self, filter: torch.Tensor) -> torch.Tensor:
        """The filter as torch wants to see it: (channels out, channels in, space)."""
        rank = filter.ndim - 2
        if not self._is_depthwise:
            return filter.permute(rank + 1, rank, *range(rank))
        made = filter.shape[-2] * filter.shape[-1]
        return filter.permute(2, 3, 0, 1).reshape(made, 1, *filter.shape[:2])

    def weight_sizes(self, sizes: Ints) -> Ints:
        """The shape of `weight` for a filter of these sizes."""
        if self._is_depthwise:
            return (sizes[2] * sizes[3], 1, *sizes[:2])
        return (sizes[-1], sizes[-2], *sizes[:-2])

    def filter_of(self, weight: torch.Tensor, sizes: Ints) -> torch.Tensor:
        """The inverse of `weight`, laid out anew."""
        rank = weight.ndim - 2
        if not self._is_depthwise:
            return weight.permute(*range(2, rank + 2), 1, 0).contiguous()
        return weight.reshape(*sizes[2:], *sizes[:2]).permute(2, 3, 0, 1).contiguous()

    def forward(
        self, input: torch.Tensor, filter: torch.Tensor, how: Sliding,
        bias: torch.Tensor | None = None, limits: Limits = NO_LIMITS,
    ) -> torch.Tensor:  # fmt: skip
        """The convolution, with a bias per channel of its result, brought between limits."""
        plan = self._ready(input.shape, filter.shape, how)
        _check_filter(filter.shape)
        if plan.is_empty or not input.numel():  # of no input, padding alone may be left
            nothing = input.new_zeros(plan.out)  # type: ignore[arg-type]
            if bias is not None:
                nothing = _with_bias(nothing, bias, how.data_format)
            return limited(nothing, limits)
        if not input.is_floating_point():
            return self.forward(input.double(), filter.double(), how).to(input.dtype)
        data_format = how.data_format
        by_tiles = conv_winograd.convolution(plan, input, filter, bias, limits)
        if by_tiles is not None:
            return by_tiles
        if are_products(plan, input):
            return product(plan, input, filter, bias, limits)
        by_channel = conv_depthwise.forward(plan.by_channel, input, filter)
        if by_channel is not None:
            return limited(by_channel if bias is None else by_channel.add_(bias), limits)
        x = channels_first(input, data_format)
        if plan.pads is not None:
            x = pad(x, plan.pads)
        y = torch.convolution(
            x, self.weight(filter), bias, plan.strides, plan.padding, plan.dilations, False,
            (0,) * len(plan.strides), plan.groups,
        )  # fmt: skip
        return limited(as_given(y, data_format), limits)

    def input_gradient(
        self, filter: torch.Tensor, out_backprop: torch.Tensor, sizes: Ints, how: Sliding
    ) -> torch.Tensor:
        """What the input gets of the output's gradient."""
        plan = self._checked(sizes, tuple(filter.shape), out_backprop, how)
        if plan.is_empty or 0 in sizes:
            return out_backprop.new_zeros(sizes)
        if not filter.is_floating_point():
            wide = self.input_gradient(filter.double(), out_backprop.double(), sizes, how)
            return wide.to(filter.dtype)
        data_format = how.data_format
        by_tiles = conv_winograd.for_input(plan, filter, out_backprop, sizes)
        if by_tiles is not None:
            return by_tiles
        if are_products(plan, filter):
            return product_for_input(plan, filter, out_backprop, sizes)
        by_channel = conv_depthwise.input_gradient(plan.by_channel, filter, out_backprop)
        if by_channel is not None:
            return by_channel
        space = space_of(sizes, data_format)
        if plan.pads is not None:
            ends = zip(plan.before, space, plan.after, strict=True)
            space = tuple(low + size + high for low, size, high in ends)
        # Torch reads nothing of the input but its shape and layout.
        padded = laid_out(sizes[0], space, channels_of(sizes, data_format), data_format)
        like = channels_first(out_backprop.new_empty(padded), data_format)
        dx = self._backward(out_backprop, like, self.weight(filter), plan, data_format, 0)
        if plan.pads is not None:
            return cropped(dx, plan.before, space_of(sizes, data_format), data_format)
        return as_given(dx, data_format)

    def filter_gradient(
        self, input: torch.Tensor, out_backprop: torch.Tensor, sizes: Ints, how: Sliding
    ) -> torch.Tensor:
        """What the filter gets of the output's gradient."""
        plan = self._checked(tuple(input.shape), sizes, out_backprop, how)
        if plan.is_empty or 0 in sizes or not input.numel():
            return input.new_zeros(sizes)
        data_format = how.data_format
        by_tiles = conv_winograd.for_filter(plan, input, out_backprop)
        if by_tiles is not None:
            return by_tiles
        if are_products(plan, input):
            return product_for_filter(plan, input, out_backprop, sizes)
        by_channel = conv_depthwise.filter_gradient(plan.by_channel, input, out_backprop)
        if by_channel is not None:
            return by_channel
        x = channels_first(input, data_format)
        if plan.pads is not None:
            x = pad(x, plan.pads)
        if math.prod(sizes[:-2]) == 1:
            x, plan = _seen_by_one_tap(x, plan)
        like = input.new_empty(self.weight_sizes(sizes))
        dw = self._backward(out_backprop, x, like, plan, data_format, 1)
        return self.filter_of(dw, sizes)

    def _backward(
        self, dy: torch.Tensor, x: torch.Tensor, w: torch.Tensor, plan: ConvPlan, data_format: str,
        which: int,
    ) -> torch.Tensor:  # fmt: skip
        rank = len(plan.strides)
        found: torch.Tensor = torch.ops.aten.convolution_backward.default(
            channels_first(dy, data_format), x, w, None, plan.strides, plan.padding,
            plan.dilations, False, (0,) * rank, plan.groups, [which == 0, which == 1, False],
        )[which]  # fmt: skip
        return found

    def _checked(
        self, input: Ints, filter: Ints, dy: Spec | torch.Tensor, how: Sliding
    ) -> ConvPlan:
        """The plan, if the output's gradient has the output's shape."""
        plan = self.plan(input, filter, how)
        if plan.refusal is not None and isinstance(dy, torch.Tensor):
            raise invalid_argument(plan.refusal[1])  # TF: whatever the convolution itself raises
        dims = tuple(dy.shape if isinstance(dy, torch.Tensor) else dy.dims or plan.out)
        if len(dims) != len(plan.out) or any(
            a is not None and b is not None and a != b for a, b in zip(dims, plan.out, strict=True)
        ):
            raise invalid_argument(
                "Size of out_backprop doesn't match computed: actual = "
                f"{runtime_text(dims)}, computed = {runtime_text(plan.out)}"
            )
        return plan

    def forward_spec(self, input: Spec, filter: Spec, how: Sliding) -> Spec:
        """The rule of the convolution."""
        if input.dims is None or filter.dims is None:
            return Spec(None, input.dtype)
        made = self.plan(input.dims, filter.dims, how).out
        _check_filter(filter.dims)
        return Spec(made, input.dtype)

    def input_spec(self, filter: Spec, dy: Spec, sizes: Ints, how: Sliding) -> Spec:
        """The rule of the input's gradient."""
        if filter.dims is not None:
            self._checked(sizes, filter.dims, dy, how)  # type: ignore[arg-type]
        return Spec(sizes, filter.dtype)

    def filter_spec(self, input: Spec, dy: Spec, sizes: Ints, how: Sliding) -> Spec:
        """The rule of the filter's gradient."""
        if input.dims is not None:
            self._checked(input.dims, sizes, dy, how)  # type: ignore[arg-type]
        return Spec(sizes, input.dtype)


class Records(NamedTuple):
    """The three ops of one kind of convolution."""

    forward: Op
    input_gradient: Op
    filter_gradient: Op


def _sliding(layout: str, attrs: dict[str, Any]) -> Sliding:
    """Attributes as they come, with the defaults of the ops."""
    return Sliding(
        attrs["strides"], attrs["padding"], attrs.get("explicit_paddings", ()),
        attrs.get("data_format", layout), attrs.get("dilations", (1,) * len(layout)),
    )  # fmt: skip


def _declare(
    names: tuple[str, str, str], kind: _Convolution, layout: str, types: tuple[dtypes.DType, ...]
) -> Records:
    """The three ops of one kind of convolution; `layout` is their default data_format."""
    ones = (1,) * len(layout)

    def forward(
        input: torch.Tensor, filter: torch.Tensor, *, strides: Ints, padding: str,
        explicit_paddings: Ints = (), data_format: str = layout, dilations: Ints = ones,
    ) -> torch.Tensor:  # fmt: skip
        how = Sliding(strides, padding, explicit_paddings, data_format, dilations)
        return kind.forward(input, filter, how)

    def forward_spec(input: Spec, filter: Spec, **attrs: Any) -> Spec:
        return kind.forward_spec(input, filter, _sliding(layout, attrs))

    def input_gradient(
        filter: torch.Tensor, out_backprop: torch.Tensor, *, input_sizes: Ints, strides: Ints,
        padding: str, explicit_paddings: Ints = (), data_format: str = layout,
        dilations: Ints = ones,
    ) -> torch.Tensor:  # fmt: skip
        how = Sliding(strides, padding, explicit_paddings, data_format, dilations)
        return kind.input_gradient(filter, out_backprop, input_sizes, how)

    def input_spec(filter: Spec, out_backprop: Spec, *, input_sizes: Ints, **attrs: Any) -> Spec:
        return kind.input_spec(filter, out_backprop, input_sizes, _sliding(layout, attrs))

    def filter_gradient(
        input: torch.Tensor, out_backprop: torch.Tensor, *, filter_sizes: Ints, strides: Ints,
        padding: str, explicit_paddings: Ints = (), data_format: str = layout,
        dilations: Ints = ones,
    ) -> torch.Tensor:  # fmt: skip
        how = Sliding(strides, padding, explicit_paddings, data_format, dilations)
        return kind.filter_gradient(input, out_backprop, filter_sizes, how)

    def filter_spec(input: Spec, out_backprop: Spec, *, filter_sizes: Ints, **attrs: Any) -> Spec:
        return kind.filter_spec(input, out_backprop, filter_sizes, _sliding(layout, attrs))

    implicit = len(layout) == 5
    return Records(
        op(
            names[0], "input: T, filter: T -> output: T",
            without_explicit(forward, implicit), forward_spec, T=types,
        ),
        op(
            names[1], "input_sizes: host, filter: T, out_backprop: T -> output: T",
            without_explicit(input_gradient, implicit), input_spec, T=types,
        ),
        op(
            names[2], "input: T, filter_sizes: host, out_backprop: T -> output: T",
            without_explicit(filter_gradient, implicit), filter_spec, T=dtypes.FLOATS,
        ),
    )  # fmt: skip


_DENSE, _DEPTHWISE = _Convolution(is_depthwise=False), _Convolution(is_depthwise=True)

CONV2D = _declare(
    ("Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"), _DENSE, "NHWC",
    (*dtypes.FLOATS, dtypes.int32),
)  # fmt: skip


def fused_conv2d_kernel(
    input: torch.Tensor, filter: torch.Tensor, bias: torch.Tensor, *, strides: Ints, padding: str,
    explicit_paddings: Ints = (), data_format: str = "NHWC", dilations: Ints = (1, 1, 1, 1),
    relu: bool = False, relu6: bool = False,
) -> torch.Tensor:  # fmt: skip
    """The convolution of images with a bias, of any shape with a number per channel; of that what
    Relu leaves, or Relu6.
    """
    how = Sliding(strides, padding, explicit_paddings, data_format, dilations)
    limits = RELU6 if relu6 else RELU if relu else NO_LIMITS
    return _DENSE.forward(input, filter, how, bias.reshape(-1), limits)


def _fused_conv2d_spec(input: Spec, filter: Spec, bias: Spec, **attrs: Any) -> Spec:
    return _DENSE.forward_spec(input, filter, _sliding("NHWC", attrs))


# What plans make of a convolution, a bias and Relu.
FUSED_CONV2D = op(
    "_FusedConv2D", "input: T, filter: T, bias: T -> output: T", fused_conv2d_kernel,
    _fused_conv2d_spec, is_listed=False, T=(dtypes.float32, dtypes.float64),
)  # fmt: skip
CONV3D = _declare(
    ("Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"), _DENSE, "NDHWC", dtypes.FLOATS
)
DEPTHWISE = _declare(
    ("DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropInput",
     "DepthwiseConv2dNativeBackpropFilter"),
    _DEPTHWISE, "NHWC", dtypes.FLOATS,
)  # fmt: skip
