"""Grayscale dilation and erosion: convolutions with a maximum in place of the sum."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import pad

from ...base import dtypes
from ...base.errors import UnimplementedError, invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import IntsLike, TensorLike
from ...core.tensor import Tensor
from ..arguments import static_ints
from ..array.moving import reverse
from ..convert import pair
from ..infer import Spec
from ..math.elementwise import negative
from ..op import apply, op
from .window import Ints, Slide, slide


def _slide(input: Any, filter: Any, strides: Ints, rates: Ints, padding: str) -> Slide:
    for name, dims, rank in (("input", input, 4), ("filter", filter, 3)):
        if len(dims) != rank:
            raise invalid_argument(f"{name} must be {rank}-dimensional: {runtime_text(dims)}")
    for name, numbers in (("strides", strides), ("rates", rates)):
        if len(numbers) == 4 and (numbers[0] != 1 or numbers[3] != 1):
            text = f"{name} are only supported across spatial dimensions, got {list(numbers)}"
            raise UnimplementedError(None, None, text)
        if len(numbers) != 4 or min(numbers) < 1:
            raise invalid_argument(f"{name} must be [1, a, b, 1] with a and b > 0, got {numbers}")
    if padding not in ("SAME", "VALID"):
        raise invalid_argument(f"padding must be 'SAME' or 'VALID', got {padding!r}")
    if input[3] != filter[2]:
        raise invalid_argument(
            f"input and filter must have the same depth: {input[3]} vs {filter[2]}"
        )
    return slide(tuple(input[1:3]), tuple(filter[:2]), strides[1:3], rates[1:3], padding, ())


def dilation_kernel(
    input: torch.Tensor, filter: torch.Tensor, *, strides: Ints, rates: Ints, padding: str
) -> torch.Tensor:
    """The largest sum of a pixel and its tap, for each place of the filter."""
    found = _slide(input.shape, filter.shape, strides, rates, padding)
    height, width = (size or 0 for size in found.out)
    if not height or not width:
        return input.new_zeros((input.shape[0], height, width, input.shape[3]))
    floats = input.is_floating_point()
    least = float("-inf") if floats else torch.iinfo(input.dtype).min // 2
    ends = (0, 0, found.before[1], found.after[1], found.before[0], found.after[0])
    x = pad(input, ends, value=least)
    (_, down, right, _), (_, far_down, far_right, _) = strides, rates
    taps = [
        x[
            :,
            i * far_down : i * far_down + (height - 1) * down + 1 : down,
            j * far_right : j * far_right + (width - 1) * right + 1 : right,
        ]
        + filter[i, j]
        for i in range(filter.shape[0])
        for j in range(filter.shape[1])
    ]
    # The first of equal ones gets the gradient.
    return torch.stack(taps).max(0)[0]


def _dilation_spec(input: Spec, filter: Spec, *, strides: Ints, rates: Ints, padding: str) -> Spec:
    if input.dims is None or filter.dims is None:
        return Spec(None, input.dtype)
    found = _slide(input.dims, filter.dims, strides, rates, padding)
    return Spec((input.dims[0], *found.out, input.dims[3]), input.dtype)


DILATION2D = op(
    "Dilation2D", "input: T, filter: T -> output: T", dilation_kernel, _dilation_spec,
    T=dtypes.REALS,
)  # fmt: skip


def _dilated(
    input: Tensor,
    filters: Tensor,
    strides: IntsLike,
    padding: str,
    data_format: str,
    dilations: IntsLike,
) -> Tensor:
    if data_format != "NHWC":
        raise ValueError(
            "`data_format` values other  than 'NHWC' are not supported. Received: "
            f"data_format={data_format}"
        )
    attrs = {
        "strides": static_ints(strides, "strides"),
        "rates": static_ints(dilations, "dilations"),
        "padding": padding,
    }
    return apply(DILATION2D, (input, filters), attrs)


def dilation2d(
    input: TensorLike,
    filters: TensorLike,
    strides: IntsLike,
    padding: str,
    data_format: str,
    dilations: IntsLike,
    name: str | None = None,
) -> Tensor:
    """Returns the largest sum of a pixel and its tap around each place (`tf.nn.dilation2d`).

    Args:
        input: images of shape (batch, height, width, channels).
        filters: a tensor of shape (height, width, channels).
        strides: four numbers, [1, s, s, 1].
        padding: "SAME" or "VALID"; what is padded never is the largest.
        data_format: "NHWC".
        dilations: the distance between taps, four numbers.
        name: a name in graphs.

    Raises:
        ValueError: another layout.
        InvalidArgumentError: shapes or numbers do not fit.

    >>> image = [[[[1.0], [3.0]]]]
    >>> ones = [1, 1, 1, 1]
    >>> dilation2d(image, [[[0.0], [0.0]]], ones, "SAME", "NHWC", ones).numpy().reshape(-1).tolist()
    [3.0, 3.0]
    """
    input, filters = pair(input, filters)
    return _dilated(input, filters, strides, padding, data_format, dilations)


def erosion2d(
    value: TensorLike,
    filters: TensorLike,
    strides: IntsLike,
    padding: str,
    data_format: str,
    dilations: IntsLike,
    name: str | None = None,
) -> Tensor:
    """Returns the smallest difference of a pixel and its tap around each place (`tf.nn.erosion2d`).

    Args:
        value: shape (batch, height, width, channels).
        filters: shape (height, width, channels).
        strides: as of `dilation2d`.
        padding: "VALID" or "SAME".
        data_format: "NHWC".
        dilations: as of `dilation2d`.
        name: a name in graphs.
    """
    value, filters = pair(value, filters)
    turned = reverse(filters, [0, 1])
    return negative(_dilated(negative(value), turned, strides, padding, data_format, dilations))
