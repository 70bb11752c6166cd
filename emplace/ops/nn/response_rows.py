"""Local responses on the host as machine code, row by row of channels: one pass over memory, where
a product with the neighbours of each channel and its roots take several.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import torch

from ...codegen.program import MapInstruction, Memory, Program, View
from ...codegen.rows import run_rows

# A machine-code kernel pays for itself on many rows only; deeper rows than this are unusual.
_LEAST = 1 << 17
_DEEPEST = 4096
# The exponents that are roots.
_ROOTS = (0.5, 0.75)


def response_rows(
    x: torch.Tensor, radius: int, bias: float, alpha: float, beta: float
) -> tuple[torch.Tensor, ...] | None:
    """(the response, the sums, the powers of the sums); None where kernels of torch do it."""
    if not _fits(x) or beta not in _ROOTS:
        return None
    made = tuple(torch.empty_like(x) for _ in range(3))
    program = functools.partial(_response, x.shape[-1], radius, bias, alpha, beta)
    return made if run_rows(program, (x, *made)) else None


def gradient_rows(kept: Sequence[torch.Tensor], radius: int, factor: float) -> torch.Tensor | None:
    """The gradient, from (its own, the image, the sums, their powers); None as above."""
    if not all(_fits(x) for x in kept):
        return None
    made = torch.empty_like(kept[0])
    program = functools.partial(_gradient, kept[0].shape[-1], radius, factor)
    return made if run_rows(program, (*kept, made)) else None


def _fits(x: torch.Tensor) -> bool:
    return (
        x.is_cpu and x.dtype is torch.float32 and x.numel() >= _LEAST and x.is_contiguous()
        and 0 < x.shape[-1] <= _DEEPEST and not x.requires_grad
    )  # fmt: skip


class _RowViews:
    """Views of some rows of channels: of the tensors that are given, and of one more that has
    `radius` zeros on both sides of a row.
    """

    def __init__(self, rows: int, channels: int, radius: int) -> None:
        self.rows, self.channels = rows, channels
        self.width = channels + 2 * radius
        self.middle = self._shifted(radius)
        self.around = tuple(self._shifted(i) for i in range(2 * radius + 1))

    def given(self, place: int) -> View:
        """The rows of a tensor."""
        return View(Memory("each", place), 0, self.rows, self.channels, self.channels)

    def program(self, tensors: int, *maps: tuple[object, ...]) -> Program:
        """The maps as one round."""
        made = tuple(MapInstruction(self.rows, self.channels, *each) for each in maps)  # type: ignore[arg-type]
        return Program(made, 0, tensors, self.rows * self.width)

    def _shifted(self, offset: int) -> View:
        return View(Memory("scratch", 0), offset, self.rows, self.channels, self.width)


@functools.lru_cache(64)
def _response(
    channels: int, radius: int, bias: float, alpha: float, beta: float, rows: int
) -> Program:
    at = _RowViews(rows, channels, radius)
    n = len(at.around)  # values: the neighbours, x, alpha, bias, 1
    x, scale, begin, one = n, n + 1, n + 2, n + 3
    total, root = n + 6, n + 7
    steps = [("AddN", tuple(range(n))), ("Mul", (n + 4, scale)), ("Add", (n + 5, begin)),
             ("Sqrt", (total,))]  # fmt: skip
    if beta == 0.5:
        steps += [("RealDiv", (one, root))]
    else:
        steps += [("Sqrt", (root,)), ("Mul", (root, root + 1)), ("RealDiv", (one, root + 2))]
    power = n + 3 + len(steps)
    steps += [("Mul", (x, power))]
    return at.program(
        4,
        ((at.given(0),), (), (("Square", (0,)),), ((1, at.middle),)),
        ((*at.around, at.given(0)), (alpha, bias, 1.0), tuple(steps),
         ((power + 1, at.given(1)), (total, at.given(2)), (power, at.given(3)))),
    )  # fmt: skip


@functools.lru_cache(64)
def _gradient(channels: int, radius: int, factor: float, rows: int) -> Program:
    at = _RowViews(rows, channels, radius)
    dy, x, total, power = map(at.given, range(4))
    n = len(at.around)  # values: the neighbours, dy, x, power, the factor
    direct, back = n + 5, n + 4
    return at.program(
        5,
        ((dy, x, total, power), (),
         (("Mul", (0, 3)), ("Mul", (4, 1)), ("RealDiv", (5, 2))), ((6, at.middle),)),
        ((*at.around, dy, x, power), (factor,),
         (("AddN", tuple(range(n))), ("Mul", (n, n + 2)), ("Mul", (back, n + 3)),
          ("Mul", (n + 6, n + 1)), ("Add", (direct, n + 7))),
         ((n + 8, at.given(4)),)),
    )  # fmt: skip
