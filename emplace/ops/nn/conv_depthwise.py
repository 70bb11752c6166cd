"""Convolutions of each channel with a window of its own on the host, as machine code.

Torch's kernels spend most of such a convolution on what is around its few products: on filters laid
out anew, on borders, on channels one by one. Whether machine code computes one is a matter of
shapes alone, so that the same call has the same bits in all steps, forms of a plan and processes.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ...base.shapes import Dims
from ...codegen.depthwise import kernels
from ...codegen.depthwise.kernels import FORWARD, LANES, OF_FILTER, OF_INPUT, ByChannel, kernel_of
from ...codegen.depthwise.strips import Axis
from ..machine_code import serves

# To compile takes as long as torch's kernels for some hundred convolutions of so many products.
_LEAST = 1 << 18
_TAPS = range(2, 8)
_STEPS = (1, 2)


def by_channel(
    input: Dims, filter: Dims, out: Dims, steps: Sequence[int], dilations: Sequence[int],
    before: Sequence[int],
) -> ByChannel | None:  # fmt: skip
    """A convolution of each channel of images with the channels last, if it is for machine code."""
    if None in (*input, *filter, *out):
        return None
    batch, height, width, channels = _known(input)
    taps, places = _known(filter), _known(out)
    if 0 in places or taps[3] != 1 or channels % LANES[-1]:
        return None
    if any(count not in _TAPS for count in taps[:2]) or any(far != 1 for far in dilations):
        return None
    if steps[0] not in _STEPS or steps[0] != steps[1]:
        return None
    found = ByChannel(
        batch, channels, Axis(height, places[1], taps[0], steps[0], before[0]),
        Axis(width, places[2], taps[1], steps[1], before[1]),
    )  # fmt: skip
    return found if found.products >= _LEAST else None


def _known(dims: Dims) -> list[int]:
    return [size for size in dims if size is not None]


def forward(shape: ByChannel | None, x: torch.Tensor, filter: torch.Tensor) -> torch.Tensor | None:
    """The convolution; None if others must compute it."""
    if shape is None or not serves(x, filter):
        return None
    sizes = shape.batch, shape.rows.result, shape.columns.result, shape.channels
    return _slid(shape, FORWARD, x, filter, sizes)


def input_gradient(
    shape: ByChannel | None, filter: torch.Tensor, dy: torch.Tensor
) -> torch.Tensor | None:
    """What the image gets of the gradient of the result; None as above."""
    if shape is None or not serves(filter, dy):
        return None
    sizes = shape.batch, shape.rows.image, shape.columns.image, shape.channels
    return _slid(shape, OF_INPUT, dy, filter, sizes)


def filter_gradient(
    shape: ByChannel | None, x: torch.Tensor, dy: torch.Tensor
) -> torch.Tensor | None:
    """What the filter gets of the gradient of the result; None as above."""
    if shape is None or not serves(x, dy):
        return None
    kernel = kernel_of(shape, OF_FILTER)
    if kernel is None:
        return None
    x, dy = x.contiguous(), dy.contiguous()
    sums = x.new_zeros((kernel.parts, *shape.filter))
    if not x.is_meta:
        kernel.run(x.data_ptr(), sums.data_ptr(), dy.data_ptr())
    if kernel.parts == 1:
        return sums.view(shape.filter)
    made = x.new_empty(shape.filter)
    if not x.is_meta:
        addresses = sums.data_ptr(), made.data_ptr()
        kernels.total(kernel.parts, made.numel(), shape.channels, *addresses)
    return made


def _slid(
    shape: ByChannel, what: str, x: torch.Tensor, filter: torch.Tensor, sizes: tuple[int, ...]
) -> torch.Tensor | None:
    """What windows that slide over an image make of it."""
    kernel = kernel_of(shape, what)
    if kernel is None:
        return None
    x, filter = x.contiguous(), filter.contiguous()
    made = x.new_empty(sizes) if kernel.is_whole else x.new_zeros(sizes)
    if not x.is_meta:
        kernel.run(x.data_ptr(), filter.data_ptr(), made.data_ptr())
    return made
