"""`tf.nn` functions that go through windows of images, with the arguments they have in TF 1."""

from __future__ import annotations

from typing import Any

from ...base import dtypes
from ...base.typing import DTypeLike, IntsLike, ShapeLike, TensorLike
from ...ops.nn import convolution, morphology, pooling
from ..scopes.arguments import renamed, required


def conv3d_transpose(
    value: TensorLike | None,
    filter: TensorLike | None = None,
    output_shape: ShapeLike | None = None,
    strides: IntsLike | None = None,
    padding: str = "SAME",
    data_format: str = "NDHWC",
    name: str | None = None,
    input: TensorLike | None = None,
    filters: TensorLike | None = None,
    dilations: IntsLike | None = None,
) -> Any:
    """The transpose of a convolution of volumes (`tf.compat.v1.nn.conv3d_transpose`)."""
    value = renamed("input", input, "value", value)
    filters = required("filters", renamed("filters", filters, "filter", filter))
    return convolution.conv3d_transpose(
        value, filters, output_shape, required("strides", strides), padding, data_format, dilations
    )


def depthwise_conv2d_native(
    input: TensorLike,
    filter: TensorLike,
    strides: IntsLike,
    padding: Any,
    data_format: str = "NHWC",
    dilations: IntsLike = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """A convolution of each channel (`tf.compat.v1.nn.depthwise_conv2d_native`)."""
    rates: Any = list(dilations) if isinstance(dilations, tuple) else dilations
    if isinstance(rates, list) and len(rates) == 4:  # of rows and columns in the middle
        rates = rates[2:] if data_format == "NCHW" else rates[1:3]
    return convolution.depthwise_conv2d(input, filter, strides, padding, data_format, rates)


def dilation2d(
    input: TensorLike,
    filter: TensorLike | None = None,
    strides: Any = None,
    rates: IntsLike | None = None,
    padding: Any = None,
    name: str | None = None,
    filters: TensorLike | None = None,
    dilations: IntsLike | None = None,
) -> Any:
    """The largest sum of a pixel and its tap (`tf.compat.v1.nn.dilation2d`)."""
    filters = required("filters", renamed("filters", filters, "filter", filter))
    rates = required("dilations", renamed("dilations", dilations, "rates", rates))
    return morphology.dilation2d(input, filters, strides, padding, "NHWC", rates)


def erosion2d(
    value: TensorLike,
    kernel: TensorLike,
    strides: IntsLike,
    rates: IntsLike,
    padding: str,
    name: str | None = None,
) -> Any:
    """The smallest difference of a pixel and its tap (`tf.compat.v1.nn.erosion2d`)."""
    return morphology.erosion2d(value, kernel, strides, padding, "NHWC", rates)


def max_pool_with_argmax(
    input: TensorLike,
    ksize: IntsLike,
    strides: IntsLike,
    padding: str,
    data_format: str = "NHWC",
    Targmax: DTypeLike | None = None,  # noqa: N803
    name: str | None = None,
    output_dtype: DTypeLike | None = None,
    include_batch_in_index: bool = False,
) -> Any:
    """The largest of each window, and where it is (`tf.compat.v1.nn.max_pool_with_argmax`)."""
    dtype: Any = renamed("output_dtype", output_dtype, "Targmax", Targmax)
    return pooling.max_pool_with_argmax(
        input, ksize, strides, padding, data_format, dtype or dtypes.int64, include_batch_in_index
    )
