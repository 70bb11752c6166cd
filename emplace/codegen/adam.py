"""A step of Adam for some variables as machine code: one pass over their memory, which is what it
takes its time for, and as TensorFlow computes it, number by number.
"""

from __future__ import annotations

import functools
from array import array
from collections.abc import Sequence

import torch

from ..base import flags
from .code import Loop, compiled_text, lanes
from .kernel_text import KernelText
from .team import PartCall, run_numbered
from .worth import DoneOtherwise

# To compile takes as long as torch needs for so many numbers.
NUMBERS_BEFORE = 1 << 24
# With fewer numbers one thread is done before another one has come.
LEAST_SHARED = 1 << 17
# So many numbers, some 50 us, are a part: who is held up by other work takes fewer of them.
_PART = 1 << 16
# What a part is told, in whole numbers of 64 bits: four addresses and how many numbers there are.
_ROW = 5
_NUMBER_BYTES = 4

_DONE = DoneOtherwise()


def step_of_adam(
    variables: Sequence[torch.Tensor], means: Sequence[torch.Tensor],
    squares: Sequence[torch.Tensor], gradients: Sequence[torch.Tensor],
    rates: tuple[float, float, float, float],
) -> bool:  # fmt: skip
    """`m += (g - m) a`, `s += (g g - s) b` and `v -= m r / (sqrt(s) + e)` for each variable, on as
    many threads as torch has.

    Args:
        variables: v, contiguous float32 tensors on the host.
        means: m, likewise and of the same shapes, as all others.
        squares: s.
        gradients: g.
        rates: r, a, b and e, which are rounded to float32.

    Returns:
        Whether it was done; False if machine code cannot do it, or not yet.
    """
    count = sum(map(torch.Tensor.numel, variables))
    loop = _prepared(count)
    if loop is None:
        return False
    rows = array("q")
    for one, mean, square, gradient in zip(variables, means, squares, gradients, strict=True):
        places = one.data_ptr(), mean.data_ptr(), square.data_ptr(), gradient.data_ptr()
        size = one.numel()
        if size <= _PART:
            rows.extend((*places, size))
            continue
        for begin in range(0, size, _PART):
            rows.extend([place + _NUMBER_BYTES * begin for place in places])
            rows.append(min(_PART, size - begin))
    if rows:
        threads = torch.get_num_threads() if count >= LEAST_SHARED else 1
        numbers = array("f", rates)
        fixed = rows.buffer_info()[0], numbers.buffer_info()[0]
        run_numbered(loop, PartCall(0, fixed, ()), len(rows) // _ROW, threads)
    return True


def _prepared(count: int) -> Loop | None:
    """The machine code, once it pays to have made it."""
    if not flags.MACHINE_CODE_SWITCH.is_on() or not lanes() or torch.compiler.is_compiling():
        return None
    return _kernel() if _DONE.add(count) >= NUMBERS_BEFORE else None


@functools.cache
def _kernel() -> Loop | None:
    return compiled_text(_AdamText(lanes()).function_text())


class _AdamText(KernelText):
    """`loop(number of the part, fixed, sizes, scratch)`. `fixed`: what all parts are told, which is
    where a variable, its two means and its gradient are, and how many numbers each has; and the
    four rates.
    """

    def __init__(self, lanes: int) -> None:
        super().__init__(lanes)
        table, rates = self.fixed(0), self.fixed(1)
        self._rates = [self.same(self.at(rates, i)) for i in range(4)]
        row = self.times("%begin", _ROW)
        slots = [
            self.add(f"getelementptr i64, ptr {table}, i64 {self.plus(row, i)}")
            for i in range(_ROW)
        ]
        starts = [self.add(f"load ptr, ptr {slot}") for slot in slots[:4]]
        count = self.add(f"load i64, ptr {slots[4]}")
        # The mean of what has no gradient any more becomes smaller and smaller.
        with self.without_denormals():
            self._steps(starts, count)

    def _steps(self, starts: Sequence[str], count: str) -> None:
        """All steps of a part: whole vectors, and the numbers that are left."""
        whole = self.times(self.divided(count, self.width)[0], self.width)
        with self.where(self.is_below(0, whole)), self.loop(0, whole, self.width) as turn:
            places = [self.at(start, turn.number) for start in starts]
            stepped = self._step(*(self.load(place) for place in places))
            for value, place in zip(stepped, places[:3], strict=True):
                self.store(value, place)
        with self.where(self.is_below(whole, count)):
            places = [self.at(start, whole) for start in starts]
            rest = self.below(self.minus(count, whole))
            stepped = self._step(*(self.load_some(place, rest) for place in places))
            for value, place in zip(stepped, places[:3], strict=True):
                self.store_some(value, place, rest)

    def _step(self, variable: str, mean: str, square: str, gradient: str) -> tuple[str, str, str]:
        """The new variable and its new means."""
        rate, mean_rate, square_rate, epsilon = self._rates
        gap = self.two("fsub", gradient, mean)
        mean = self.two("fadd", mean, self.two("fmul", gap, mean_rate))
        gap = self.two("fsub", self.two("fmul", gradient, gradient), square)
        square = self.two("fadd", square, self.two("fmul", gap, square_rate))
        size = self.two("fadd", self.intrinsic("sqrt", square), epsilon)
        step = self.two("fdiv", self.two("fmul", mean, rate), size)
        return self.two("fsub", variable, step), mean, square
