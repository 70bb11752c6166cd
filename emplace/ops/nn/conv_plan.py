"""How a convolution runs, from attributes and shapes: what torch is told, what is padded here."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

from ...base.errors import invalid_argument
from ...base.shapes import Dims, runtime_text
from ...codegen.depthwise.kernels import ByChannel
from ...codegen.winograd.schemes import SCHEMES, Key
from .conv_depthwise import by_channel
from .window import (
    Ints,
    Refusal,
    bounded_steps,
    channels_of,
    check_attrs,
    explicit_space,
    is_last,
    laid_out,
    slide,
    sliding_refusal,
    space_of,
    torch_pads,
)

# With more rows of patches than this many times the channels out, laying the patches out costs more
# than laying the filter out does. Windows of 3 x 3, one thread: as fast at 4.5, slower at 9.
_MOST_ROWS = 4

# Winograd's tiles serve from so many multiplications on: with less to gain, a program should not
# compile their kernels, a tenth of a second. And they serve where they leave at most so much of the
# work, the points of the filter included: each costs as much as so many multiplications for each
# channel in and out.
_LEAST_BY_TILES = 1 << 23
_MOST_BY_TILES = 0.75
_OF_A_POINT = 16


class Sliding(NamedTuple):
    """The attributes that all convolutions share."""

    strides: Ints
    padding: str
    explicit: Ints
    data_format: str
    dilations: Ints


class ConvPlan(NamedTuple):
    """A convolution in torch's terms. `pads` is what must be padded by hand, in the order of
    torch's `pad`, or None; `refusal` what kernels refuse of it; `scheme` by which tiles its
    shapes are best served (conv_winograd.py), or None; `multiplies` whether they are by a product
    of matrices (conv_products.py); `by_channel` what machine code is told of a convolution of each
    channel (conv_depthwise.py), or None.
    """

    out: Dims
    strides: Ints
    dilations: Ints
    padding: Ints
    pads: Ints | None
    before: Ints
    after: Ints
    groups: int
    refusal: Refusal | None
    scheme: Key | None
    multiplies: bool
    by_channel: ByChannel | None

    @property
    def is_empty(self) -> bool:
        """True if nothing comes out."""
        return 0 in self.out


@functools.lru_cache(4096)
def plan_of(is_depthwise: bool, how: Sliding, input: Dims, filter: Dims) -> ConvPlan:
    """How a convolution of these shapes runs.

    Raises:
        InvalidArgumentError: attributes or shapes do not fit.
    """
    strides, padding, explicit, data_format, dilations = how
    rank = len(data_format) - 2
    for name, dims in (("input", input), ("filter", filter)):
        if len(dims) != rank + 2:
            raise invalid_argument(f"{name} must be {rank + 2}-dimensional: {runtime_text(dims)}")
    numbers = {"strides": strides, "dilations": dilations}
    check_attrs(numbers, data_format, padding, explicit, rank)
    channels = channels_of(input, data_format)
    groups = _groups(channels, filter, is_depthwise)
    steps, far = space_of(strides, data_format), space_of(dilations, data_format)
    ends = explicit_space(explicit, data_format)
    window = tuple(size or 0 for size in filter[:rank])
    sliding = slide(space_of(input, data_format), window, steps, far, padding, ends)
    steps = bounded_steps(steps, space_of(input, data_format), sliding)
    far = tuple(1 if taps == 1 else dilation for dilation, taps in zip(far, window, strict=True))
    out_channels = filter[-1]
    if is_depthwise:
        out_channels = None if channels is None or out_channels is None else channels * out_channels
    out = laid_out(input[0], sliding.out, out_channels, data_format)
    is_padded = any(sliding.before) or any(sliding.after)
    refusal, is_fit = sliding_refusal(strides, dilations, data_format), is_last(data_format)
    is_plain = not is_depthwise and is_fit and groups == 1
    return ConvPlan(
        out, steps, far,
        sliding.before if sliding.is_even else (0,) * rank,
        None if sliding.is_even else torch_pads(sliding.before, sliding.after),
        sliding.before, sliding.after, groups, refusal,
        _scheme(out, window, filter[-2]) if is_plain and (*steps, *far) == (1, 1, 1, 1) else None,
        is_plain and _are_products(out, window, is_padded),
        by_channel(input, filter, out, steps, far, sliding.before)
        if is_depthwise and is_fit and refusal is None else None,
    )  # fmt: skip


def _scheme(out: Dims, window: Ints, channels: int | None) -> Key | None:
    """By which tiles a convolution of images goes with the least multiplications, if by any."""
    if None in out or channels is None or len(set(window)) > 1:
        return None
    batch, rows, columns, made = out
    by_definition = math.prod(window) * batch * rows * columns  # type: ignore[operator]
    if by_definition * channels * made < _LEAST_BY_TILES:  # type: ignore[operator]
        return None
    best, least = None, _MOST_BY_TILES * by_definition
    for key, scheme in SCHEMES.items():
        tiles = batch * -(-rows // scheme.tile) * -(-columns // scheme.tile)  # type: ignore[operator]
        multiplications = scheme.points * (tiles + _OF_A_POINT)
        if scheme.window == window[0] and multiplications <= least:
            best, least = key, multiplications
    return best


def _are_products(out: Dims, window: Ints, is_padded: bool) -> bool:
    """Whether a convolution of channels-last images is one product of matrices, or so small that
    one serves better."""
    if None in out:
        return False
    if math.prod(window) == 1 and not is_padded:
        return True
    *rows, channels = out
    return math.prod(rows) <= _MOST_ROWS * channels  # type: ignore[arg-type,operator]


def _groups(channels: int | None, filter: Dims, is_depthwise: bool) -> int:
    taken = filter[-2]
    if channels is None or taken is None:
        return 1
    if is_depthwise:
        if channels != taken:
            raise invalid_argument(
                f"input and filter must have the same depth: {channels} vs {taken}"
            )
        return channels
    if not taken or not channels or channels % taken:
        raise invalid_argument(
            f"input depth must be evenly divisible by filter depth: {channels} vs {taken}"
        )
    groups = channels // taken
    if filter[-1] is not None and filter[-1] % groups:
        raise invalid_argument(
            f"output depth must be evenly divisible by number of groups: {filter[-1]} vs {groups}"
        )
    return groups
