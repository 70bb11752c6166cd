"""What sums of large vectors over all workers have in common: where values and sums lie, and a
thread that adds them up.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

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

    def put(self, start: int, end: int, place: torch.Tensor) -> None:
        """Writes a part of the values into a vector of its length."""
        if len(self._values) == 1:
            place.copy_(self._values[0][start:end])
        else:
            torch.cat(self._within(start, end), out=place)

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


class Sums(ABC):
    """A way to add up vectors over all workers.

    Args:
        number: which worker this is.
        size: how many there are, at least two.
    """

    def __init__(self, number: int, size: int) -> None:
        self._number, self._size = number, size
        self._awaited: Any = None  # what the thread of a sum waits for

    def start(self, group: Any, vectors: Sequence[Laid]) -> Background:
        """Begins the sums of vectors on the host, by a process group of `torch.distributed`. All
        workers give as many numbers of the same dtypes.
        """
        return Background(lambda: self._sum(group, vectors), self._close)

    @abstractmethod
    def _sum(self, group: Any, vectors: Sequence[Laid]) -> None:
        """Adds them up; all waiting is that of `_wait`."""

    def _wait(self, work: Any) -> None:
        self._awaited = work
        work.wait()
        self._awaited = None

    def _close(self) -> None:
        """Closes the connections if a sum waits for one: Gloo does that when a wait is over before
        what is waited for has come.
        """
        awaited = self._awaited
        if awaited is not None:
            with contextlib.suppress(RuntimeError):
                awaited.wait(_MOMENT)


class Background:
    """What a thread does, to be waited for as for the work of `torch.distributed`: waiting for a
    part of a sum cannot be given up for a while, without giving up the connection.
    """

    def __init__(self, run: Callable[[], None], close: Callable[[], None]) -> None:
        self._run, self._close, self._ended = run, close, threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._main, name="emplace-sums", daemon=True)
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
