"""Rows of raw ops of networks: other versions of convolutions, pools and batch norms, and their
gradients.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ..base.errors import invalid_argument
from ..base.shapes import runtime_text
from ..core.tensor import Tensor
from ..grads.rules import pulled_back
from ..ops.array.joining import concat
from ..ops.array.making import zeros
from ..ops.array.shaping import reshape, shape
from ..ops.deferred import needs_rank
from ..ops.infer import Spec
from ..ops.nn.morphology import dilation_kernel
from ..ops.nn.pool_kernels import MAX_POOL3D_GRAD, MAX_POOL_GRAD, Pooling, ready_plan
from ..ops.raw import raw_op
from .rows import Row, composed, kernel

Raw = torch.Tensor
_POOLS = {"": MAX_POOL_GRAD.kernel, "3D": MAX_POOL3D_GRAD.kernel}


def _batch_norm(**given: Any) -> Any:
    """What the third version gives, without its last output."""
    return raw_op("FusedBatchNormV3")(**_known(given))[:5]


def _batch_norm_grad(**given: Any) -> Any:
    """What the third version gives; what it wants besides is of no use on CPUs."""
    kind = given["reserve_space_1"].dtype
    made = raw_op("FusedBatchNormGradV3")(**_known(given), reserve_space_3=zeros([0], kind))
    return *made[:3], zeros([], kind), zeros([], kind)


def _known(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name not in ("T", "U")}


_LAYOUTS = {
    ("CHANNELS_LAST", 4): "NHWC", ("CHANNELS_FIRST", 4): "NCHW",
    ("CHANNELS_LAST", 5): "NDHWC", ("CHANNELS_FIRST", 5): "NCDHW",
}  # fmt: skip


@needs_rank
def _conv(
    input: Tensor, filter: Tensor, strides: Sequence[int], padding: str,
    explicit_paddings: Sequence[int], data_format: str, dilations: Sequence[int],
    batch_dims: int,
) -> Any:  # fmt: skip
    """A convolution over two or three axes, behind any number of axes of the batch."""
    attrs = strides, padding, explicit_paddings, data_format, dilations
    spatial = len(input.shape.as_list()) - batch_dims - 1
    if spatial not in (2, 3):
        raise invalid_argument(f"The input must have 2 or 3 spatial dimensions but got {spatial}")
    if batch_dims == 1:
        return _conv_of_batch(input, filter, *attrs)
    sizes = shape(input)
    flat = reshape(input, concat([[-1], sizes[batch_dims:]], 0))
    product = _conv_of_batch(flat, filter, *attrs)
    return reshape(product, concat([sizes[:batch_dims], shape(product)[1:]], 0))


def _conv_of_batch(
    input: Tensor, filter: Tensor, strides: Sequence[int], padding: str,
    explicit_paddings: Sequence[int], data_format: str, dilations: Sequence[int],
) -> Any:  # fmt: skip
    rank = filter.shape.rank
    if rank not in (4, 5):
        raise invalid_argument(f"filter must be 4 or 5-dimensional, got rank {rank}")
    attrs: dict[str, Any] = {
        "strides": strides, "padding": padding, "data_format": _LAYOUTS[data_format, rank],
        "dilations": dilations or [1] * rank,
    }  # fmt: skip
    if rank == 4:
        attrs["explicit_paddings"] = explicit_paddings
    elif padding == "EXPLICIT":
        raise NotImplementedError(
            "tf.raw_ops.Conv: Emplace pads three axes by SAME or VALID alone, got EXPLICIT."
        )
    return raw_op("Conv2D" if rank == 4 else "Conv3D")(input=input, filter=filter, **attrs)


def _max_pool(input: Tensor, ksize: Any, strides: Any, padding: str, data_format: str) -> Any:
    return raw_op("MaxPool")(
        input=input, ksize=ksize, strides=strides, padding=padding, data_format=data_format
    )


def _max_pool_grad(
    orig_input: Tensor, orig_output: Tensor, grad: Tensor, ksize: Any, strides: Any, padding: str,
    data_format: str,
) -> Any:  # fmt: skip
    return raw_op("MaxPoolGrad")(
        orig_input=orig_input, orig_output=orig_output, grad=grad, ksize=ksize, strides=strides,
        padding=padding, data_format=data_format,
    )  # fmt: skip


def _grad_grad(suffix: str, default: str) -> Any:
    """The gradients of gradients: what stands where the maxima are."""

    def run(
        orig_input: Raw, orig_output: Raw, grad: Raw, *, ksize: Any, strides: Any, padding: str,
        data_format: str = default,
    ) -> Raw:  # fmt: skip
        def back(dy: Raw) -> tuple[Raw, ...]:
            made = _POOLS[suffix](
                orig_input, orig_output, dy, ksize=ksize, strides=strides, padding=padding,
                data_format=data_format,
            )  # fmt: skip
            if grad.shape != orig_input.shape:
                raise invalid_argument(
                    f"Expected grad shape to be {runtime_text(orig_input.shape)}, but got "
                    f"{runtime_text(grad.shape)}"
                )
            return (made,)

        is_inner = grad.requires_grad
        return pulled_back(back, [torch.zeros_like(orig_output)], [grad], is_inner)[0]

    return run


def argmax_grad_grad(
    input: Raw, grad: Raw, argmax: Raw, *, ksize: Any, strides: Any, padding: str,
    include_batch_in_index: bool = False,
) -> Raw:  # fmt: skip
    """What stands in the gradient of a gradient where the maxima are: of each image, or of all."""
    how = Pooling(ksize, strides, padding, (), "NHWC")
    out = ready_plan("MaxPoolGradGradWithArgmax", how, input.shape).out
    for name, each, dims in (("grad", grad, tuple(input.shape)), ("argmax", argmax, out)):
        if tuple(each.shape) != dims:
            raise invalid_argument(
                f"Expected {name} shape to be {runtime_text(dims)}, but got "
                f"{runtime_text(each.shape)}"
            )
    rows = 1 if include_batch_in_index else input.shape[0]
    values, places = grad.reshape(rows, -1), argmax.reshape(rows, -1).long()
    size = values.shape[1]
    if places.numel() and not bool(((places >= 0) & (places < size)).all()):
        raise invalid_argument(f"argmax has a place outside of the {size} that there are")
    return values.gather(1, places).reshape(argmax.shape)


def dilation_back_input(
    input: Raw, filter: Raw, out_backprop: Raw, *, strides: Any, rates: Any, padding: str
) -> Raw:
    """The gradient of a dilation for its input."""

    def forward(x: Raw) -> tuple[Raw, ...]:
        return (dilation_kernel(x, filter, strides=strides, rates=rates, padding=padding),)

    return pulled_back(forward, [input], [out_backprop], False)[0]


def dilation_back_filter(
    input: Raw, filter: Raw, out_backprop: Raw, *, strides: Any, rates: Any, padding: str
) -> Raw:
    """The gradient of a dilation for its filter."""

    def forward(x: Raw) -> tuple[Raw, ...]:
        return (dilation_kernel(input, x, strides=strides, rates=rates, padding=padding),)

    return pulled_back(forward, [filter], [out_backprop], False)[0]


def _padded_conv(
    input: Tensor, paddings: Any, filter: Tensor, mode: str, strides: Any, padding: str
) -> Any:
    """A convolution of what a mirror continues."""
    wide = raw_op("MirrorPad")(input=input, paddings=paddings, mode=mode)
    return raw_op("Conv2D")(input=wide, filter=filter, strides=strides, padding=padding)


def _resized_conv(
    input: Tensor, size: Any, paddings: Any, filter: Tensor, resize_align_corners: bool, mode: str,
    strides: Any, padding: str,
) -> Any:  # fmt: skip
    """The same of an image in another size."""
    seen = raw_op("ResizeBilinear")(images=input, size=size, align_corners=resize_align_corners)
    return _padded_conv(seen, paddings, filter, mode, strides, padding)


def _like(place: int) -> Any:
    def rule(*specs: Spec, **attrs: Any) -> Spec:
        return specs[place]

    return rule


def _argmax_grad_grad_spec(input: Spec, grad: Spec, argmax: Spec, **attrs: Any) -> Spec:
    return Spec(argmax.dims, grad.dtype)


_FLOATS = "T"

ROWS: dict[str, Row] = {
    "Conv": composed(_conv, fixed="groups"),
    "Dilation2DBackpropFilter": kernel(dilation_back_filter, _like(1)),
    "Dilation2DBackpropInput": kernel(dilation_back_input, _like(0)),
    "FusedBatchNorm": composed(_batch_norm),
    "FusedBatchNormV2": composed(_batch_norm),
    "FusedBatchNormGrad": composed(_batch_norm_grad),
    "FusedBatchNormGradV2": composed(_batch_norm_grad),
    "FusedPadConv2D": composed(_padded_conv, host="paddings"),
    "FusedResizeAndPadConv2D": composed(_resized_conv, host="size paddings"),
    "MaxPool3DGradGrad": kernel(_grad_grad("3D", "NDHWC"), _like(1)),
    "MaxPoolGradGrad": kernel(_grad_grad("", "NHWC"), _like(1)),
    "MaxPoolGradGradV2": kernel(_grad_grad("", "NHWC"), _like(1), ints="ksize strides"),
    "MaxPoolGradGradWithArgmax": kernel(argmax_grad_grad, _argmax_grad_grad_spec),
    "MaxPoolGradV2": composed(_max_pool_grad, host="ksize strides"),
    "MaxPoolV2": composed(_max_pool, host="ksize strides"),
}
