"""Grayscale dilation and erosion: convolutions with a maximum in place of the sum."""

from __future__ import annotations

import itertools
from typing import Any

import torch

from ...base import dtypes
from ...base.errors import UnimplementedError, invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import IntsLike, TensorLike
from ...core.tensor import Tensor
from ..arguments import static_ints
from ..array.moving import reverse
from ..convert import pair, pair_apart
from ..infer import Spec
from ..math import unsigned
from ..math.elementwise import negative
from ..op import apply, op
from ..order import ordered, restored
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
    window = list(itertools.product(*map(range, filter.shape[:2])))
    rows, are_rows = _places(input, 0, filter.shape[0], found, strides, rates)
    columns, are_columns = _places(input, 1, filter.shape[1], found, strides, rates)
    sums = torch.stack([input[:, rows[i]][:, :, columns[j]] + filter[i, j] for i, j in window])
    is_inside = torch.stack(
        [are_rows[i, :, None, None] & are_columns[j, :, None] for i, j in window]
    )
    limits = torch.finfo if input.is_floating_point() else torch.iinfo
    # What is not a number is never larger; the first of equal ones gets the gradient.
    is_larger = is_inside.unsqueeze(1) & (sums > limits(input.dtype).min)
    largest = torch.where(is_larger, sums, limits(input.dtype).min).max(0)[0]
    # Where nothing is larger, the first tap gets the gradient.
    first = torch.nan_to_num(sums[0] - sums[0].detach()) + limits(input.dtype).min
    return torch.where(is_larger.any(0), largest, first)


def _unsigned_dilation(input: torch.Tensor, filter: torch.Tensor, **attrs: Any) -> torch.Tensor:
    """The same of uint64: `ordered` adds 2**63, and so it does to sums with the filter's bits."""
    return restored(dilation_kernel(ordered(input), unsigned.as_signed(filter), **attrs))


def _places(
    input: torch.Tensor, axis: int, taps: int, found: Slide, strides: Ints, rates: Ints
) -> tuple[torch.Tensor, torch.Tensor]:
    """For each tap along an axis of the image: which pixels it lies over, and whether it does. Over
    none, the nearest takes its place.
    """
    size, count = input.shape[1 + axis], found.out[axis] or 0
    begins = torch.arange(count, device=input.device) * strides[1 + axis] - found.before[axis]
    places = begins + torch.arange(taps, device=input.device)[:, None] * rates[1 + axis]
    return places.clamp(0, size - 1), (places >= 0) & (places < size)


def _dilation_spec(input: Spec, filter: Spec, *, strides: Ints, rates: Ints, padding: str) -> Spec:
    if input.dims is None or filter.dims is None:
        return Spec(None, input.dtype)
    found = _slide(input.dims, filter.dims, strides, rates, padding)
    return Spec((input.dims[0], *found.out, input.dims[3]), input.dtype)


DILATION2D = op(
    "Dilation2D", "input: T, filter: T -> output: T", dilation_kernel, _dilation_spec,
    kernel_for={dtypes.uint64: _unsigned_dilation}, T=dtypes.REALS,
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
    value, filters = pair_apart(value, filters)
    turned = reverse(filters, [0, 1])
    return negative(_dilated(negative(value), turned, strides, padding, data_format, dilations))
