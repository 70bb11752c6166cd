"""Convolutions as programs call them: `tf.nn.conv2d`, `tf.nn.conv2d_transpose` and their kin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...base.errors import invalid_argument
from ...base.typing import IntsLike, ShapeLike, TensorLike
from ...core.tensor import Tensor
from ..arguments import static_ints
from ..array.shaping import expand_dims, reshape, squeeze
from ..convert import pair, pair_apart, to_tensor
from ..deferred import deferrable, needs_rank
from ..op import apply
from .conv_kernels import CONV2D, CONV3D, DEPTHWISE, Records
from .window import FORMATS, Ints, check_layout, is_last, laid_out, padding_of, sequence_of

_RECORDS = {2: CONV2D, 3: CONV3D}


def _layout(data_format: str | None, rank: int) -> str:
    """The layout's name; channels last for None, and a sequence may be called by its image's.

    Raises:
        InvalidArgumentError: there is no such layout.
    """
    if data_format is None:
        return FORMATS[rank][0]
    if rank == 1 and data_format in FORMATS[2]:
        return FORMATS[1][FORMATS[2].index(data_format)]
    check_layout(data_format, rank)
    return str(data_format)


def _attrs(
    rank: int,
    strides: IntsLike | None,
    padding: TensorLike,
    data_format: str | None,
    dilations: IntsLike | None,
    name: str = "strides",
) -> dict[str, Any]:
    layout = _layout(data_format, rank)
    kind, explicit = padding_of(padding, rank)
    attrs = {
        "strides": sequence_of(strides, rank, layout, name),
        "padding": kind,
        "data_format": layout,
        "dilations": sequence_of(dilations, rank, layout, "dilations"),
    }
    if explicit:
        attrs["explicit_paddings"] = explicit
    return attrs


def _batched(records: Records, input: Tensor, filters: Tensor, attrs: dict[str, Any]) -> Tensor:
    """A convolution; further leading dimensions of the input are more batches."""
    rank = len(attrs["data_format"]) - 2
    dims = input.shape
    if dims.rank is None or dims.rank <= rank + 2:
        return apply(records.forward, (input, filters), attrs)
    return _batched_further(records, input, filters, attrs)


@deferrable
def _batched_further(
    records: Records, input: Tensor, filters: Tensor, attrs: dict[str, Any]
) -> Tensor:
    rank, dims = len(attrs["data_format"]) - 2, input.shape
    assert dims.rank is not None
    extra = dims.rank - rank - 1
    flat = reshape(input, [-1, *dims[extra:]])
    made = apply(records.forward, (flat, filters), attrs)
    return reshape(made, [*dims[:extra], *made.shape[1:]])


def conv1d(
    input: TensorLike,
    filters: TensorLike,
    stride: IntsLike | None,
    padding: TensorLike,
    data_format: str = "NWC",
    dilations: IntsLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the convolution of a sequence (`tf.nn.conv1d`).

    Args:
        input: a tensor of shape (..., width, channels in), or (..., channels in, width) for "NCW".
        filters: a tensor of shape (width, channels in, channels out).
        stride: how far the filter moves.
        padding: "SAME", "VALID", or a list of (before, after) per dimension.
        data_format: "NWC" or "NCW".
        dilations: the distance between the filter's taps.
        name: a name in graphs.

    >>> conv1d([[[1.0], [2.0], [3.0]]], [[[1.0]], [[1.0]]], 1, "VALID").numpy().reshape(-1).tolist()
    [3.0, 5.0]
    """
    input, filters = pair_apart(input, filters)
    attrs = _attrs(1, stride, padding, data_format, dilations, "stride")
    attrs, axis = _as_2d(attrs)
    made = _batched(CONV2D, expand_dims(input, axis), expand_dims(filters, 0), attrs)
    return squeeze(made, [axis])


def _as_2d(attrs: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """(the attributes for images of height 1, the place of the height, from the end)."""
    layout = attrs["data_format"]
    height = 1 if is_last(layout) else 2

    def taller(values: Ints, added: Ints, width: int = 1) -> Ints:
        place = height * width
        return (*values[:place], *added, *values[place:])

    wider = {
        **attrs,
        "strides": taller(attrs["strides"], (1,)),
        "dilations": taller(attrs["dilations"], (1,)),
        "data_format": "NHWC" if is_last(layout) else "NCHW",
    }
    if "explicit_paddings" in attrs:
        wider["explicit_paddings"] = taller(attrs["explicit_paddings"], (0, 0), 2)
    return wider, -3 if is_last(layout) else -2


def conv2d(
    input: TensorLike,
    filters: TensorLike,
    strides: IntsLike | None,
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NHWC",
    dilations: IntsLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the convolution of images (`tf.nn.conv2d`).

    Args:
        input: images of shape (..., height, width, channels in), or (..., channels in, height,
            width) for "NCHW".
        filters: a tensor of shape (height, width, channels in / groups, channels out).
        strides: how far the filter moves: 1, 2 or 4 numbers.
        padding: "SAME", "VALID", or a list of (before, after) per dimension.
        data_format: "NHWC" or "NCHW".
        dilations: the distance between the filter's taps: 1, 2 or 4 numbers.
        name: a name in graphs.

    Raises:
        ValueError: strides, dilations or padding have a wrong form.
        InvalidArgumentError: the shapes do not fit each other.

    >>> conv2d([[[[1.0], [2.0]], [[3.0], [4.0]]]], [[[[10.0]]]], 1, "SAME").shape
    TensorShape([1, 2, 2, 1])
    """
    input, filters = pair(input, filters)
    return _batched(CONV2D, input, filters, _attrs(2, strides, padding, data_format, dilations))


def conv3d(
    input: TensorLike,
    filters: TensorLike,
    strides: IntsLike | None,
    padding: TensorLike,
    data_format: str = "NDHWC",
    dilations: IntsLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the convolution of volumes (`tf.nn.conv3d`).

    Args:
        input: volumes of shape (..., depth, height, width, channels in).
        filters: a tensor of shape (depth, height, width, channels in, channels out).
        strides: how far the filter moves: 1, 3 or 5 numbers.
        padding: "SAME" or "VALID".
        data_format: "NDHWC" or "NCDHW".
        dilations: the distance between the filter's taps: 1, 3 or 5 numbers.
        name: a name in graphs.
    """
    input, filters = pair(input, filters)
    return _batched(CONV3D, input, filters, _attrs(3, strides, padding, data_format, dilations))


@needs_rank
def convolution(
    input: Any,
    filters: Any,
    strides: IntsLike | None = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: IntsLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the convolution over as many dimensions as the filter has (`tf.nn.convolution`).

    Args:
        input: a tensor of shape (..., space, channels in).
        filters: a tensor of shape (space, channels in, channels out), one to three dimensions of
            space.
        strides: one number per dimension of the space, or one for all.
        padding: "SAME", "VALID", or a list of (before, after) per dimension.
        data_format: a layout such as "NWC" or "NCHW"; None for channels last.
        dilations: like strides.
        name: a name in graphs.
    """
    input, filters = pair_apart(input, filters)
    rank = filters.shape.rank - 2
    if rank not in FORMATS:
        raise ValueError(
            "`num_spatial_dims` must be 1, 2, or 3. Received: filters of shape "
            f"{filters.shape}, which has {rank} spatial dimensions"
        )
    if _exceeds_one(strides) and _exceeds_one(dilations):
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
            f"strides={strides} and dilation_rate={dilations}. Use tf.nn.conv2d or conv3d, which "
            "take both."
        )
    call = {1: conv1d, 2: conv2d, 3: conv3d}[rank]
    return call(input, filters, strides, padding, _layout(data_format, rank), dilations, name)


def _exceeds_one(sizes: IntsLike | None) -> bool:
    return sizes is not None and max(static_ints(sizes, "strides")) > 1


def conv1d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike | None,
    strides: IntsLike,
    padding: str | Sequence[Sequence[int]] = "SAME",
    data_format: str = "NWC",
    dilations: IntsLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the transpose (gradient) of `conv1d` (`tf.nn.conv1d_transpose`).

    Args:
        input: a tensor of shape (batch, width, channels in).
        filters: a tensor of shape (width, channels out, channels in).
        output_shape: the shape of the result.
        strides: how far the filter moves.
        padding: "SAME" or "VALID".
        data_format: "NWC" or "NCW".
        dilations: the distance between the filter's taps.
        name: a name in graphs.
    """
    input, filters = pair_apart(input, filters)
    sizes = static_ints(output_shape, "output_shape")
    attrs, axis = _as_2d(_attrs(1, strides, padding, data_format, dilations))
    place = axis % 4
    attrs["input_sizes"] = (*sizes[:place], 1, *sizes[place:])
    inputs = expand_dims(filters, 0), expand_dims(input, place)
    return squeeze(apply(CONV2D.input_gradient, inputs, attrs), [place])


def conv2d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike | None,
    strides: IntsLike | None,
    padding: str | Sequence[Sequence[int]] = "SAME",
    data_format: str = "NHWC",
    dilations: IntsLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the transpose (gradient) of `conv2d` (`tf.nn.conv2d_transpose`).

    Args:
        input: images of shape (batch, height, width, channels in).
        filters: a tensor of shape (height, width, channels out, channels in).
        output_shape: the shape of the result, a sequence or a tensor.
        strides: how far the filter moves: 1, 2 or 4 numbers.
        padding: "SAME", "VALID", or a list of (before, after) per dimension.
        data_format: "NHWC" or "NCHW".
        dilations: the distance between the filter's taps.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: a convolution of output_shape would not have the input's shape.

    >>> conv2d_transpose([[[[1.0]]]], [[[[1.0]], [[2.0]]]], [1, 1, 2, 1], 2).numpy().tolist()
    [[[[1.0], [2.0]]]]
    """
    return _transposed(2, input, filters, output_shape, strides, padding, data_format, dilations)


def conv3d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: IntsLike,
    padding: str | Sequence[Sequence[int]] = "SAME",
    data_format: str = "NDHWC",
    dilations: IntsLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the transpose (gradient) of `conv3d` (`tf.nn.conv3d_transpose`).

    Args:
        input: a batch, as the convolution returns it.
        filters: shape (*window, output channels, input channels).
        output_shape: the shape of the result.
        strides: how far apart windows are: one number, one per axis of space, or one per axis.
        padding: that of the convolution.
        data_format: the order of the axes.
        dilations: how far apart the taps of the filter are.
        name: a name in graphs.
    """
    return _transposed(3, input, filters, output_shape, strides, padding, data_format, dilations)


def _transposed(
    rank: int,
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike | None,
    strides: IntsLike | None,
    padding: str | Sequence[Sequence[int]],
    data_format: str,
    dilations: IntsLike | None,
) -> Tensor:
    filters, input = pair(filters, input)  # TF: the dtype of an array is that of the filter
    attrs = _attrs(rank, strides, padding, data_format, dilations)
    attrs["input_sizes"] = static_ints(output_shape, "output_shape")
    return apply(_RECORDS[rank].input_gradient, (filters, input), attrs)


def conv_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike | None,
    strides: IntsLike,
    padding: str | Sequence[Sequence[int]] = "SAME",
    data_format: str | None = None,
    dilations: IntsLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the transpose of a convolution over one to three dimensions (`tf.nn.conv_transpose`).

    Args:
        input: a batch, as the convolution returns it.
        filters: shape (*window, output channels, input channels).
        output_shape: the shape of the result.
        strides: how far apart windows are: one number, one per axis of space, or one per axis.
        padding: that of the convolution.
        data_format: the order of the axes.
        dilations: how far apart the taps of the filter are.
        name: a name in graphs.

    Raises:
        ValueError: output_shape is neither a sequence nor a tensor, or has a wrong length.
    """
    if not _is_shape(output_shape):
        raise ValueError(
            "`output_shape` must be a tensor or sized collection. Received: "
            f"output_shape={output_shape}"
        )
    sizes = static_ints(output_shape, "output_shape")
    rank = len(sizes) - 2
    if rank not in FORMATS:
        raise ValueError(
            "`output_shape` must be of length 3, 4 or 5. Received: output_shape="
            f"{output_shape} of length {len(sizes)}."
        )
    call = {1: conv1d_transpose, 2: conv2d_transpose, 3: conv3d_transpose}[rank]
    layout = _layout(data_format, rank)
    return call(input, filters, sizes, strides, padding, layout, dilations, name)


def _is_shape(value: object) -> bool:
    return hasattr(value, "__len__") or hasattr(value, "numpy")


_MOST_APART = 2**31 - 1


def atrous_conv2d(
    value: TensorLike, filters: TensorLike, rate: IntsLike, padding: str, name: str | None = None
) -> Tensor:
    """Does `conv2d` with the filter's taps `rate` apart (`tf.nn.atrous_conv2d`).

    Args:
        value: shape (batch, height, width, channels).
        filters: shape (height, width, input channels, output channels).
        rate: how far apart the taps are, in each direction or in both.
        padding: "VALID" or "SAME".
        name: a name in graphs.

    Raises:
        InvalidArgumentError: `value` and `filters` are of two dtypes, or the taps reach farther
            than can be counted.
        ValueError: the rate is not positive, or there is no such padding.
    """
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"`padding` must be one of 'SAME' or 'VALID'. Received: padding={padding}")
    given: Any = rate
    is_list = isinstance(given, (list, tuple, np.ndarray))
    rates: list[Any] = np.broadcast_to(given, 2).tolist() if is_list else [given, given]
    if min(rates) < 1:
        raise ValueError(
            f"all values of `dilation_rate` must be positive. Received: dilation_rate={rates}"
        )
    if max(rates) >= _MOST_APART:
        raise invalid_argument(f"The rate {rate} is too large: taps are less than 2**31 - 1 apart.")
    return conv2d(to_tensor(value), to_tensor(filters), 1, padding, dilations=rates)


def atrous_conv2d_transpose(
    value: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    rate: int,
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Returns the transpose of `atrous_conv2d` (`tf.nn.atrous_conv2d_transpose`).

    Args:
        value: shape (batch, height, width, channels).
        filters: shape (height, width, output channels, input channels).
        output_shape: the shape of the result.
        rate: how far apart the taps are.
        padding: "VALID" or "SAME".
        name: a name in graphs.

    Raises:
        ValueError: the rate is not positive.
        TypeError: it is no integer.
    """
    if isinstance(rate, float):
        raise TypeError(
            "Value passed to parameter 'paddings' has DataType float32 not in list of allowed "
            "values: int32, int64"
        )
    if rate < 1:
        raise ValueError(f"`rate` cannot be less than one. Received: rate={rate}")
    return conv2d_transpose(
        value, filters, output_shape, 1, padding, dilations=[rate, rate]
    )  # fmt: skip


def depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    strides: IntsLike | None,
    padding: TensorLike,
    data_format: str | None = None,
    dilations: IntsLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns each channel convolved with filters of its own (`tf.nn.depthwise_conv2d`).

    Args:
        input: images of shape (batch, height, width, channels).
        filter: a tensor of shape (height, width, channels, multiplier).
        strides: four numbers, [1, s, s, 1].
        padding: "SAME", "VALID", or a list of (before, after) per dimension.
        data_format: "NHWC" or "NCHW".
        dilations: two numbers; None for [1, 1].
        name: a name in graphs.

    Returns:
        Images of channels * multiplier channels.
    """
    input, filter = pair_apart(input, filter)
    attrs = _depthwise_attrs(strides, padding, data_format, dilations)
    return apply(DEPTHWISE.forward, (input, filter), attrs)


def _depthwise_attrs(
    strides: IntsLike | None,
    padding: TensorLike,
    data_format: str | None,
    dilations: IntsLike | None,
) -> dict[str, Any]:
    attrs = _attrs(2, 1, padding, data_format, dilations)
    attrs["strides"] = static_ints(strides, "strides")
    return attrs


def depthwise_conv2d_backprop_input(
    input_sizes: Any,
    filter: TensorLike,
    out_backprop: Any,
    strides: IntsLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NHWC",
    dilations: IntsLike = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of `depthwise_conv2d` for its input
    (`tf.nn.depthwise_conv2d_backprop_input`).

    Args:
        input_sizes: the shape of the input.
        filter: its filter.
        out_backprop: the gradient of its result.
        strides: as of `depthwise_conv2d`.
        padding: as of `depthwise_conv2d`.
        data_format: "NHWC" or "NCHW".
        dilations: as of `depthwise_conv2d`.
        name: a name in graphs.
    """
    filter, out_backprop = pair(filter, out_backprop)
    attrs = _depthwise_attrs(strides, padding, data_format, dilations)
    attrs["input_sizes"] = static_ints(input_sizes, "input_sizes")
    return apply(DEPTHWISE.input_gradient, (filter, out_backprop), attrs)


def depthwise_conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: Any,
    out_backprop: Any,
    strides: IntsLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NHWC",
    dilations: IntsLike = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Returns the gradient of `depthwise_conv2d` for its filter
    (`tf.nn.depthwise_conv2d_backprop_filter`).

    Args:
        input: the input of the convolution.
        filter_sizes: the shape of the filter.
        out_backprop: the gradient of its result.
        strides: as of `depthwise_conv2d`.
        padding: as of `depthwise_conv2d`.
        data_format: "NHWC" or "NCHW".
        dilations: as of `depthwise_conv2d`.
        name: a name in graphs.
    """
    input, out_backprop = pair(input, out_backprop)
    attrs = _depthwise_attrs(strides, padding, data_format, dilations)
    attrs["filter_sizes"] = static_ints(filter_sizes, "filter_sizes")
    return apply(DEPTHWISE.filter_gradient, (input, out_backprop), attrs)


def separable_conv2d(
    input: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: TensorLike,
    strides: IntsLike | None,
    padding: TensorLike,
    data_format: str | None = None,
    dilations: IntsLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Does `depthwise_conv2d`, then a convolution that mixes the channels
    (`tf.nn.separable_conv2d`).

    Args:
        input: images of shape (batch, height, width, channels).
        depthwise_filter: a tensor of shape (height, width, channels, multiplier).
        pointwise_filter: a tensor of shape (1, 1, channels * multiplier, channels out).
        strides: four numbers, [1, s, s, 1], of the depthwise step.
        padding: "SAME", "VALID", or a list of (before, after) per dimension.
        data_format: "NHWC" or "NCHW".
        dilations: two numbers; None for [1, 1].
        name: a name in graphs.

    Raises:
        ValueError: the pointwise filter is larger than 1 x 1.
    """
    pointwise = to_tensor(pointwise_filter)
    if not pointwise.shape[:2].is_compatible_with([1, 1]):
        raise ValueError(
            "`pointwise_filter` must be of spatial size 1 x 1. Received: pointwise_filter of "
            f"shape {pointwise.shape}"
        )
    layout = _layout(data_format, 2)
    deep = depthwise_conv2d(input, depthwise_filter, strides, padding, layout, dilations)
    return conv2d(deep, pointwise, laid_out(1, (1, 1), 1, layout), "VALID", layout)
