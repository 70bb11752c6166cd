"""Convolutions of images on the host by Winograd's algorithm, for windows of 3 x 3 and 5 x 5.

Machine code computes them in half the time of torch's (codegen/winograd). What is not finite would
spread to the neighbours of a number: each call looks whether its result is, and leaves the call to
others where it is not. Whether a convolution is computed so depends on shapes alone, so the same
call has the same bits in every step.
"""

from __future__ import annotations

import torch

from ...codegen import code
from ...codegen.team import PartCall, PartMemory, run_parts
from ...codegen.winograd import kernels
from ...codegen.winograd.schemes import SCHEMES, Key
from ...codegen.winograd.work import GradientWork, Shape, TileWork, gradient_work_of, work_of
from ..limits import NO_LIMITS, Limits, address_of_limits
from ..machine_code import serves
from .conv_plan import ConvPlan
from .window import Ints

# Functions of a part are handed as many addresses: the one that makes points needs fewer.
_UNUSED = (0,) * 5


def convolution(
    plan: ConvPlan, x: torch.Tensor, filter: torch.Tensor, bias: torch.Tensor | None,
    limits: Limits = NO_LIMITS,
) -> torch.Tensor | None:  # fmt: skip
    """The convolution of channels-last images; None if others must compute it.

    Args:
        plan: the convolution.
        x: shape (batch, rows, columns, channels in).
        filter: shape (*window, channels in, channels out).
        bias: shape (channels out,), or None.
        limits: the least and the most that a number of the result may be.
    """
    key = plan.scheme
    if key is None or not serves(x, filter) or not _are_vectors(*filter.shape[-2:]):
        return None
    return _result(key, x, filter, bias, limits, plan.out, plan.before, False)  # type: ignore[arg-type]


def for_input(
    plan: ConvPlan, filter: torch.Tensor, dy: torch.Tensor, sizes: Ints
) -> torch.Tensor | None:
    """What an input of these sizes gets of the gradient of the result; None as above."""
    key = plan.scheme
    if key is None or not serves(dy, filter) or not _are_vectors(*filter.shape[-2:]):
        return None
    before = tuple(SCHEMES[key].window - 1 - each for each in plan.before)
    return _result(key, dy, filter, None, NO_LIMITS, sizes, before, True)


def for_filter(plan: ConvPlan, x: torch.Tensor, dy: torch.Tensor) -> torch.Tensor | None:
    """What the filter gets of the gradient of the result; None as above."""
    key = plan.scheme
    if key is None or not serves(x, dy) or not _are_vectors(x.shape[-1], dy.shape[-1]):
        return None
    return _filter_gradient(key, x, dy, plan.before)


def _are_vectors(*channels: int) -> bool:
    """Whether channels are whole vectors."""
    return not any(count % code.lanes() for count in channels)


def _result(
    key: Key, x: torch.Tensor, filter: torch.Tensor, bias: torch.Tensor | None,
    limits: Limits, out: Ints, before: Ints, is_turned: bool,
) -> torch.Tensor | None:  # fmt: skip
    """A convolution of x, with the filter as it is or turned."""
    x, filter = x.contiguous(), filter.contiguous()
    kernel = kernels.convolution(key, is_turned)
    if kernel is None:
        return None
    threads = torch.get_num_threads()
    work = work_of(Shape(key, code.lanes(), threads, tuple(x.shape), out, before, is_turned))
    y = x.new_empty(out)
    memory, rest = _memory(x, work, max(x.shape[-1], out[-1]))
    if x.is_meta:
        return y
    row = None if bias is None else bias.contiguous()
    filter_start, points, seen = filter.data_ptr(), memory.data_ptr(), rest.data_ptr()
    zeros = seen + 4 * work.flags
    x_start, y_start, bounds = x.data_ptr(), y.data_ptr(), address_of_limits(limits)
    of_points = [
        PartCall(
            part.first_vector, (filter_start + part.filter, points + part.points, *_UNUSED),
            part.points_sizes,
        )
        for part in work.before or work.parts
    ]  # fmt: skip
    results = [
        PartCall(
            part.first_tile,
            (x_start, points + part.points,
             zeros if row is None else row.data_ptr() + part.channel, y_start + part.channel,
             zeros, bounds, seen + part.seen),
            part.sizes,
        )
        for part in work.parts
    ]  # fmt: skip
    own = _by_thread(memory, work)
    if work.before:
        run_parts((kernel.points,), [(part,) for part in of_points], work.threads, own)
        run_parts((kernel.result,), [(part,) for part in results], threads, own)
    else:
        calls = list(zip(of_points, results, strict=True))
        run_parts((kernel.points, kernel.result), calls, work.threads, own)
    return None if rest.any() else y


def _filter_gradient(
    key: Key, x: torch.Tensor, dy: torch.Tensor, before: Ints
) -> torch.Tensor | None:
    x, dy = x.contiguous(), dy.contiguous()
    scheme, kernel = SCHEMES[key], kernels.filter_gradient(key)
    if kernel is None:
        return None
    threads = torch.get_num_threads()
    how = Shape(key, code.lanes(), threads, tuple(x.shape), tuple(dy.shape), before)
    work = gradient_work_of(how)
    gradient = x.new_empty((scheme.window, scheme.window, x.shape[-1], dy.shape[-1]))
    memory, rest = _memory(x, work, max(x.shape[-1], dy.shape[-1]))
    if x.is_meta:
        return gradient
    points, seen, result = memory.data_ptr(), rest.data_ptr(), gradient.data_ptr()
    images = x.data_ptr(), dy.data_ptr(), seen + 4 * work.flags
    sums = [
        PartCall(part.first_vector, (*images, points + part.points), part.sizes)
        for part in work.parts
    ]
    results = [
        PartCall(part.first_number, (points, result, seen + part.seen, 0), part.sizes_of_result)
        for part in work.results
    ]
    own = _by_thread(memory, work)
    if work.results is work.parts:
        calls = list(zip(sums, results, strict=True))
        run_parts((kernel.points, kernel.result), calls, work.threads, own)
    else:
        run_parts((kernel.points,), [(part,) for part in sums], work.threads, own)
        run_parts((kernel.result,), [(part,) for part in results], 1, own)
    return None if rest.any() else gradient


def _memory(
    x: torch.Tensor, work: TileWork | GradientWork, channels: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Memory for points and threads, and zeros: those that tell whether the result of each part is
    finite, and those in the place of a bias and of pixels beyond the image.
    """
    memory = x.new_empty(work.points + work.memories * work.scratch)
    return memory, x.new_zeros(work.flags + channels)


def _by_thread(memory: torch.Tensor, work: TileWork | GradientWork) -> PartMemory:
    """The memory of each thread, behind the points."""
    return PartMemory(
        memory.data_ptr() + 4 * work.points, per_thread=4 * work.scratch, threads=work.memories
    )
