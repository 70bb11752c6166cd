"""Convolutions on the host that are products of matrices.

Torch's convolution lays the filter out anew in every call, which for late layers, with a filter of
megabytes and an image of a few pixels, costs several times what the arithmetic does. TensorFlow's
layout of a filter, (space, channels in, channels out), is a matrix as it stands: the patches of the
input that windows see, one per row, times that matrix is the convolution, and both gradients are
products of the same two. A window of one tap sees the input itself, so nothing is copied at all.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import torch
from torch.nn.functional import pad

from ..limits import NO_LIMITS, Limits
from ..linalg import matrix_routines
from .conv_plan import ConvPlan
from .window import Ints

_TYPES = (torch.float32, torch.float64)


def are_products(plan: ConvPlan, x: torch.Tensor) -> bool:
    """Whether a convolution is computed here: its shapes are for it, and so are the dtype and the
    device of `x`, one of its tensors. What a kernel takes is told by a rehearsal on "meta".
    """
    return plan.multiplies and x.dtype in _TYPES and (x.is_cpu or x.is_meta)


def product(
    plan: ConvPlan, x: torch.Tensor, filter: torch.Tensor, bias: torch.Tensor | None,
    limits: Limits = NO_LIMITS,
) -> torch.Tensor:  # fmt: skip
    """The convolution of channels-last images.

    Args:
        plan: the convolution.
        x: shape (batch, *space, channels in).
        filter: shape (*window, channels in, channels out).
        bias: shape (channels out,), or None.
        limits: the least and the most that a number of the result may be.
    """
    rows, matrix = _patches(plan, x, filter.shape[:-2]), filter.reshape(-1, filter.shape[-1])
    made = matrix_routines.product(rows, matrix, bias, limits)
    return made.view(plan.out)  # type: ignore[arg-type]


def product_for_filter(
    plan: ConvPlan, x: torch.Tensor, dy: torch.Tensor, sizes: Ints
) -> torch.Tensor:
    """What a filter of these sizes gets of the gradient of the result."""
    rows = _patches(plan, x, sizes[:-2])
    return matrix_routines.product(rows.t(), dy.reshape(-1, sizes[-1])).view(sizes)


def product_for_input(
    plan: ConvPlan, filter: torch.Tensor, dy: torch.Tensor, sizes: Ints
) -> torch.Tensor:
    """What an input of these sizes gets of the gradient of the result."""
    window, space = filter.shape[:-2], sizes[1:-1]
    matrix = filter.reshape(-1, filter.shape[-1])
    rows = matrix_routines.product(dy.reshape(-1, filter.shape[-1]), matrix.t())
    if _sees_all(plan, window):
        return rows.view(sizes)
    padded = [sum(each) for each in zip(plan.before, space, plan.after, strict=True)]
    made = dy.new_zeros((sizes[0], *padded, sizes[-1]))
    patches = rows.view(*dy.shape[:-1], *window, sizes[-1])
    rank = len(window)
    for taps in itertools.product(*map(range, window)):
        seen = _seen(made, taps, dy.shape[1:-1], plan)
        seen += patches[(slice(None),) * (rank + 1) + taps]
    for axis, (low, size) in enumerate(zip(plan.before, space, strict=True), 1):
        made = made.narrow(axis, low, size)
    return made.contiguous()


def _sees_all(plan: ConvPlan, window: Sequence[int]) -> bool:
    """Whether the patches, one after the other, are the input."""
    if math.prod(window) != 1 or any(step != 1 for step in plan.strides):
        return False
    return not any(plan.before) and not any(plan.after)


def _patches(plan: ConvPlan, x: torch.Tensor, window: Sequence[int]) -> torch.Tensor:
    """What each window sees, a row per window: shape (windows, taps * channels in)."""
    channels = x.shape[-1]
    if _sees_all(plan, window):
        return x.reshape(-1, channels)
    if any(plan.before) or any(plan.after):
        ends = zip(reversed(plan.before), reversed(plan.after), strict=True)
        x = pad(x, (0, 0, *itertools.chain(*ends)))
    out: Ints = plan.out[1:-1]  # type: ignore[assignment]
    steps = x.stride()
    slides = [step * stride for step, stride in zip(steps[1:-1], plan.strides, strict=True)]
    taps = [step * far for step, far in zip(steps[1:-1], plan.dilations, strict=True)]
    seen = x.as_strided(
        (x.shape[0], *out, *window, channels), (steps[0], *slides, *taps, steps[-1])
    )
    return seen.reshape(-1, math.prod(window) * channels)


def _seen(x: torch.Tensor, taps: Ints, out: Sequence[int], plan: ConvPlan) -> torch.Tensor:
    """What all windows see through one of their taps: a view of the padded input."""
    places = [slice(None)]
    for tap, count, step, far in zip(taps, out, plan.strides, plan.dilations, strict=True):
        first = tap * far
        places.append(slice(first, first + (count - 1) * step + 1, step))
    return x[tuple(places)]
