"""TF 1's names for the gradients of convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base.typing import IntsLike, TensorLike
from ...ops.nn.window import padding_of
from ...ops.raw import raw_op
from ..scopes.arguments import renamed, required

Padding = str | Sequence[Sequence[int]]


def _run(name: str, padding: Any, **arguments: Any) -> Any:
    """The raw op, whose explicit paddings are an argument of their own."""
    kind, explicit = padding_of(required("padding", padding), 2)
    return raw_op(name)(padding=kind, explicit_paddings=list(explicit), **arguments)


def conv2d_backprop_input(
    input_sizes: object,
    filter: TensorLike | None = None,
    out_backprop: object = None,
    strides: IntsLike | None = None,
    padding: Padding | None = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: IntsLike = (1, 1, 1, 1),
    name: str | None = None,
    filters: TensorLike | None = None,
) -> Any:
    """Returns the gradient of `conv2d` for its input (`tf.compat.v1.nn.conv2d_backprop_input`).

    Args:
        input_sizes: the shape of the input.
        filter: its filter.
        out_backprop: the gradient of its result.
        strides: as of `conv2d`.
        padding: as of `conv2d`.
        use_cudnn_on_gpu: not used.
        data_format: "NHWC" or "NCHW".
        dilations: as of `conv2d`.
        name: a name in graphs.
        filters: another name for `filter`.
    """
    return _run(
        "Conv2DBackpropInput", padding, input_sizes=input_sizes,
        filter=required("filters", renamed("filters", filters, "filter", filter)),
        out_backprop=out_backprop, strides=required("strides", strides), data_format=data_format,
        dilations=dilations,
    )  # fmt: skip


def conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: object,
    out_backprop: object,
    strides: IntsLike,
    padding: Padding,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: IntsLike = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """Returns the gradient of `conv2d` for its filter (`tf.compat.v1.nn.conv2d_backprop_filter`).

    Args:
        input: the input of the convolution.
        filter_sizes: the shape of the filter.
        out_backprop: the gradient of its result.
        strides: as of `conv2d`.
        padding: as of `conv2d`.
        use_cudnn_on_gpu: not used.
        data_format: "NHWC" or "NCHW".
        dilations: as of `conv2d`.
        name: a name in graphs.
    """
    return _run(
        "Conv2DBackpropFilter", padding, input=input, filter_sizes=filter_sizes,
        out_backprop=out_backprop, strides=strides, data_format=data_format, dilations=dilations,
    )  # fmt: skip


def conv3d_backprop_filter(
    input: TensorLike,
    filter_sizes: object,
    out_backprop: object,
    strides: IntsLike,
    padding: str,
    data_format: str = "NDHWC",
    dilations: IntsLike = (1, 1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """Returns the gradient of `conv3d` for its filter
    (`tf.compat.v1.nn.conv3d_backprop_filter`, also `conv3d_backprop_filter_v2`).

    Args:
        input: the input of the convolution.
        filter_sizes: the shape of the filter.
        out_backprop: the gradient of its result.
        strides: as of `conv3d`.
        padding: "SAME" or "VALID".
        data_format: "NDHWC" or "NCDHW".
        dilations: as of `conv3d`.
        name: a name in graphs.
    """
    return raw_op("Conv3DBackpropFilterV2")(
        input=input, filter_sizes=filter_sizes, out_backprop=out_backprop, strides=strides,
        padding=padding, data_format=data_format, dilations=dilations,
    )  # fmt: skip
