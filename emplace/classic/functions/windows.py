"""`tf.nn` functions that go through windows of images, with the arguments they have in TF 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base import dtypes
from ...base.typing import IntsLike, TensorLike
from ...ops.convert import pair
from ...ops.nn import convolution, morphology, pooling
from ..scopes.arguments import renamed, required


def conv3d_transpose(
    value: TensorLike | None,
    filter: TensorLike | None = None,
    output_shape: Any = None,
    strides: IntsLike | None = None,
    padding: str = "SAME",
    data_format: str = "NDHWC",
    name: str | None = None,
    input: TensorLike | None = None,
    filters: TensorLike | None = None,
    dilations: IntsLike | None = None,
) -> Any:
    """Returns the transpose of a convolution of volumes (`tf.compat.v1.nn.conv3d_transpose`).

    Args:
        value: a tensor of images.
        filter: the filters.
        output_shape: the shape of the result.
        strides: how far windows move along each axis.
        padding: "SAME" or "VALID".
        data_format: the order of the axes.
        name: a name in graphs.
        input: the same as `value`, under its newer name.
        filters: the same as `filter`, under its newer name.
        dilations: the distance between taps along each axis.
    """
    value = renamed("input", input, "value", value)
    filters = required("filters", renamed("filters", filters, "filter", filter))
    return convolution.conv3d_transpose(
        value,
        filters,
        required("output_shape", output_shape),
        required("strides", strides),
        padding,
        data_format,
        dilations,
    )


def depthwise_conv2d_native(
    input: TensorLike,
    filter: TensorLike,
    strides: IntsLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NHWC",
    dilations: IntsLike = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """Returns a convolution of each channel (`tf.compat.v1.nn.depthwise_conv2d_native`).

    Args:
        input: the tensor.
        filter: the filters.
        strides: how far windows move along each axis.
        padding: "SAME" or "VALID".
        data_format: the order of the axes.
        dilations: the distance between taps along each axis.
        name: a name in graphs.
    """
    rates: Any = list(dilations) if isinstance(dilations, tuple) else dilations
    if isinstance(rates, list) and len(rates) == 4:  # of rows and columns in the middle
        rates = rates[2:] if data_format == "NCHW" else rates[1:3]
    images, filters = pair(input, filter)  # TF: here the op itself gets the arrays
    return convolution.depthwise_conv2d(images, filters, strides, padding, data_format, rates)


def dilation2d(
    input: TensorLike,
    filter: TensorLike | None = None,
    strides: IntsLike | None = None,
    rates: IntsLike | None = None,
    padding: str | None = None,
    name: str | None = None,
    filters: TensorLike | None = None,
    dilations: IntsLike | None = None,
) -> Any:
    """Returns the largest sum of a pixel and its tap (`tf.compat.v1.nn.dilation2d`).

    Args:
        input: the tensor.
        filter: the filters.
        strides: how far windows move along each axis.
        rates: the distance between taps along each axis.
        padding: "SAME" or "VALID".
        name: a name in graphs.
        filters: the same as `filter`, under its newer name.
        dilations: the distance between taps along each axis.
    """
    filters = required("filters", renamed("filters", filters, "filter", filter))
    rates = required("dilations", renamed("dilations", dilations, "rates", rates))
    return morphology.dilation2d(
        input, filters, required("strides", strides), required("padding", padding), "NHWC", rates
    )


def erosion2d(
    value: TensorLike,
    kernel: TensorLike,
    strides: IntsLike,
    rates: IntsLike,
    padding: str,
    name: str | None = None,
) -> Any:
    """Returns the smallest difference of a pixel and its tap (`tf.compat.v1.nn.erosion2d`).

    Args:
        value: a tensor of images.
        kernel: the filters.
        strides: how far windows move along each axis.
        rates: the distance between taps along each axis.
        padding: "SAME" or "VALID".
        name: a name in graphs.
    """
    return morphology.erosion2d(value, kernel, strides, padding, "NHWC", rates)


def max_pool_with_argmax(
    input: TensorLike,
    ksize: IntsLike,
    strides: IntsLike,
    padding: str,
    data_format: str = "NHWC",
    Targmax: Any = None,  # noqa: N803
    name: str | None = None,
    output_dtype: Any = None,
    include_batch_in_index: bool = False,
) -> Any:
    """Returns the largest of each window, and where it is (`tf.compat.v1.nn.max_pool_with_argmax`).

    Args:
        input: the tensor.
        ksize: the sizes of the window.
        strides: how far windows move along each axis.
        padding: "SAME" or "VALID".
        data_format: the order of the axes.
        Targmax: int32 or int64, of the places.
        name: a name in graphs.
        output_dtype: the same as `Targmax`, under its newer name.
        include_batch_in_index: count places over the whole batch.
    """
    dtype: Any = renamed("output_dtype", output_dtype, "Targmax", Targmax)
    return pooling.max_pool_with_argmax(
        input, ksize, strides, padding, data_format, dtype or dtypes.int64, include_batch_in_index
    )
