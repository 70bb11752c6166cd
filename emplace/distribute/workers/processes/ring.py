"""Sums of large vectors over all workers: each sends to the next one what it has added up so far.

`allreduce` of Gloo does the same in the memory of what it adds. Here the values that are added and
the sum may lie apart: nobody has to copy values first that are wanted later, or that lie apart from
each other. Of every stretch of the vector a worker begins the sum of one part. That part goes
around; each worker adds its own values on the way, and on a second round the sum is written down.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

import torch

_MOMENT = timedelta(milliseconds=1)
_LONGEST_END_S = 5.0


class Laid:
    """A vector that is to hold sums, and this worker's values for it, one after the other.

    Args:
        total: the vector. It may be the only value itself, which then becomes the sum.
        values: vectors of its dtype; they are as long as it together.
    """

    def __init__(self, total: torch.Tensor, values: Sequence[torch.Tensor]) -> None:
        self.total, self._values = total, values
        self.is_value = values[0] is total
        self._ends = list(itertools.accumulate(value.numel() for value in values))

    def begin(self, start: int, end: int) -> torch.Tensor:
        """A part of the values."""
        if len(self._values) == 1:
            return self._values[0][start:end]
        return torch.cat(self._within(start, end), out=self.total[start:end])

    def add(self, start: int, end: int, received: torch.Tensor) -> None:
        """Adds the values to what has come of a part; that lies there already, unless the values
        do.
        """
        there = self.total[start:end]
        if self.is_value:
            there.add_(received)
            return
        own = self._within(start, end)
        torch._foreach_add_(torch.split(there, [each.numel() for each in own]), own)

    def _within(self, start: int, end: int) -> list[torch.Tensor]:
        """What the values have in a part."""
        first, last = bisect_right(self._ends, start), bisect_left(self._ends, end)
        own = list(self._values[first : last + 1])
        own[-1] = own[-1][: end - self._ends[last] + own[-1].numel()]
        own[0] = own[0][start - self._ends[first] + self._values[first].numel() :]
        return own


class _Stretch(NamedTuple):
    """A piece of a vector, cut into a part for each worker."""

    laid: Laid
    bounds: Sequence[int]

    def part(self, number: int) -> tuple[int, int]:
        """Where a part starts and ends."""
        number %= len(self.bounds) - 1
        return self.bounds[number], self.bounds[number + 1]


class _Move(NamedTuple):
    """A part of a stretch goes from each worker to the next one, for the so manyth time."""

    step: int
    stretch: int


class Ring:
    """The workers in a circle.

    Args:
        number: which worker this is.
        size: how many there are, at least two.
    """

    _PART_BYTES, _UNDER_WAY = 4 << 20, 3

    def __init__(self, number: int, size: int) -> None:
        self._number, self._size = number, size
        self._last = 2 * (size - 1) - 1  # step; the first half of them adds, the other half tells
        self._buffers: list[torch.Tensor] = []
        self._awaited: Any = None  # what the thread of a sum waits for

    def start(self, group: Any, vectors: Sequence[Laid]) -> Background:
        """Begins the sums of vectors on the host, by a process group of `torch.distributed`. All
        workers give as many numbers of the same dtypes.
        """
        if not self._buffers:
            most = self._PART_BYTES
            self._buffers = [torch.empty(most, dtype=torch.uint8) for _ in range(self._UNDER_WAY)]
        return Background(lambda: self._sum(group, vectors), self._close)

    def _wait(self, work: Any) -> None:
        self._awaited = work
        work.wait()

    def _close(self) -> None:
        """Closes the connections if a sum waits for one: Gloo does that when a wait is over before
        what is waited for has come.
        """
        if self._awaited is not None:
            with contextlib.suppress(RuntimeError):
                self._awaited.wait(_MOMENT)

    @torch.no_grad()
    def _sum(self, group: Any, vectors: Sequence[Laid]) -> None:
        stretches = [each for laid in vectors for each in self._cut(laid)]
        moves = self._moves(len(stretches))
        first = stretches[: self._UNDER_WAY]
        going = deque(self._send(group, each, 0) for each in first)
        coming: deque[tuple[Any, torch.Tensor]] = deque()
        expected = 0
        for move in moves:
            while expected < len(moves) and len(coming) < self._UNDER_WAY:
                step, k = moves[expected]
                coming.append(self._receive(group, stretches[k], step, expected % self._UNDER_WAY))
                expected += 1
            work, received = coming.popleft()
            self._wait(work)
            laid, (start, end) = self._coming(stretches[move.stretch], move.step)
            if move.step < self._size - 1:
                laid.add(start, end, received)
            if following := self._after(move, len(stretches)):
                going.append(self._send(group, stretches[following.stretch], following.step))
            if len(going) > self._UNDER_WAY:
                self._wait(going.popleft())
        for work in going:
            self._wait(work)
        self._awaited = None

    def _cut(self, laid: Laid) -> list[_Stretch]:
        count, size = laid.total.numel(), self._size
        pieces = -(-count * laid.total.itemsize // (self._PART_BYTES * size))
        bounds = [count * i // (pieces * size) for i in range(pieces * size + 1)]
        return [_Stretch(laid, bounds[i * size : (i + 1) * size + 1]) for i in range(pieces)]

    def _moves(self, count: int) -> list[_Move]:
        """All moves of so many stretches, in the order that all workers keep to."""
        moves = [_Move(0, k) for k in range(min(count, self._UNDER_WAY))]
        for move in moves:
            if following := self._after(move, count):
                moves.append(following)
        return moves

    def _after(self, move: _Move, count: int) -> _Move | None:
        """What a move makes possible: its stretch's next one, or the first one of a new stretch."""
        step, k = move
        if step < self._last:
            return _Move(step + 1, k)
        return _Move(0, k + self._UNDER_WAY) if k + self._UNDER_WAY < count else None

    def _send(self, group: Any, at: _Stretch, step: int) -> Any:
        start, end = at.part(self._number - step)
        sent = at.laid.total[start:end] if step else at.laid.begin(start, end)
        return group.send([sent], (self._number + 1) % self._size, 0)

    def _coming(self, at: _Stretch, step: int) -> tuple[Laid, tuple[int, int]]:
        return at.laid, at.part(self._number - step - 1)

    def _receive(
        self, group: Any, at: _Stretch, step: int, buffer: int
    ) -> tuple[Any, torch.Tensor]:
        laid, (start, end) = self._coming(at, step)
        place = laid.total[start:end]
        if laid.is_value and step < self._size - 1:
            place = self._buffers[buffer][: place.nbytes].view(place.dtype)
        return group.recv([place], (self._number - 1) % self._size, 0), place


class Background:
    """What a thread does, to be waited for as for the work of `torch.distributed`: waiting for a
    part of a sum cannot be given up for a while, without giving up the connection.
    """

    def __init__(self, run: Callable[[], None], close: Callable[[], None]) -> None:
        self._run, self._close, self._ended = run, close, threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._main, name="emplace-ring", daemon=True)
        self._thread.start()

    def _main(self) -> None:
        try:
            self._run()
        except BaseException as error:
            self._error = error
        self._ended.set()

    def wait(self, limit: timedelta) -> None:
        """Waits for so long.

        Raises:
            RuntimeError: it has failed, or is not done.
        """
        if not self._ended.wait(limit.total_seconds()):
            raise RuntimeError("It is not done.")
        if self._error is not None:
            raise self._error

    def give_up(self) -> None:
        """Ends the thread, and the connections with it: one that came back to Python while that
        ends would abort the process.
        """
        began = time.monotonic()
        while self._thread.is_alive() and time.monotonic() - began < _LONGEST_END_S:
            self._close()
            self._thread.join(0.01)

    def is_completed(self) -> bool:
        """Whether it has ended, well or not."""
        return self._ended.is_set()
