"""Sums of large vectors over all workers: each sends to the next one what it has added up so far.

`allreduce` of Gloo does the same in the memory of what it adds. Here the values that are added and
the sum may lie apart: nobody has to copy values first that are wanted later, or that lie apart from
each other. Of every stretch of the vector a worker begins the sum of one part. That part goes
around; each worker adds its own values on the way, and on a second round the sum is written down.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from .sums import Laid, Sums


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


class Ring(Sums):
    """The workers in a circle.

    Args:
        number: which worker this is.
        size: how many there are, at least two.
    """

    _PART_BYTES, _UNDER_WAY = 8 << 20, 3

    def __init__(self, number: int, size: int) -> None:
        super().__init__(number, size)
        self._last = 2 * (size - 1) - 1  # step; the first half of them adds, the other half tells
        self._buffers: list[torch.Tensor] = []

    @torch.no_grad()
    def _sum(self, group: Any, vectors: Sequence[Laid]) -> None:
        if not self._buffers:
            most = self._PART_BYTES
            self._buffers = [torch.empty(most, dtype=torch.uint8) for _ in range(self._UNDER_WAY)]
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
