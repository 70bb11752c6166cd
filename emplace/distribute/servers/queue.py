"""Functions that wait for a worker."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from ...base.typing import TensorLike
from .values import RemoteValueImpl

#: TF: as many may wait; whoever schedules more waits himself.
_MOST_WAITING = 256 << 10


class Work:
    """A function with its arguments, to be run by some worker once.

    Args:
        run: runs it on the worker it is given, and returns its result.
    """

    __slots__ = ("result", "run")

    def __init__(self, run: Callable[[Any], Any]) -> None:
        self.run = run
        self.result = RemoteValueImpl()


class WorkQueue:
    """Functions in the order in which they were scheduled. The first error ends those that have
    not begun, and is told to whoever asks next: once."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[Work] = deque()
        self._running = 0
        self._error: BaseException | None = None
        self._is_over = False

    def put(self, work: Work) -> None:
        """Adds a function; waits while too many wait.

        Raises:
            Exception: what an earlier function raised.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: len(self._waiting) < _MOST_WAITING or self._error or self._is_over
            )
            self._raise()
            self._waiting.append(work)
            self._changed.notify_all()

    def take(self) -> Work | None:
        """The next function; None when there will be none."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_over)
            if self._is_over:
                return None
            self._running += 1
            self._changed.notify_all()
            return self._waiting.popleft()

    def finish(self, work: Work, value: TensorLike) -> None:
        """A function has returned."""
        work.result.put(value)
        self._ended()

    def fail(self, work: Work, error: BaseException) -> None:
        """A function has raised an error: those that wait are cancelled."""
        with self._changed:
            self._error = self._error or error
            waiting, self._waiting = self._waiting, deque()
        work.result.fail(error)
        for each in waiting:
            each.result.cancel()
        self._ended()

    def put_back(self, work: Work) -> None:
        """A function is to be run again, before all others: its worker was lost."""
        with self._changed:
            self._running -= 1
            if self._error is None:
                self._waiting.appendleft(work)
            else:
                work.result.cancel()
            self._changed.notify_all()

    def _ended(self) -> None:
        with self._changed:
            self._running -= 1
            self._changed.notify_all()

    def wait(self) -> None:
        """Waits until all functions have ended.

        Raises:
            Exception: the first one that a function has raised.
        """
        with self._changed:
            self._changed.wait_for(self._is_idle)
            self._raise()

    def is_done(self) -> bool:
        """Whether all have ended; raises what `wait` raises."""
        with self._changed:
            self._raise()
            return self._is_idle()

    def _is_idle(self) -> bool:
        return not self._waiting and not self._running

    def _raise(self) -> None:
        if self._error is not None:
            self._changed.wait_for(lambda: not self._running)
            error, self._error = self._error, None
            raise error

    def end(self, error: BaseException | None = None) -> None:
        """Nobody takes any more; what waits is cancelled."""
        with self._changed:
            self._is_over = True
            self._error = self._error or error
            waiting, self._waiting = self._waiting, deque()
            self._changed.notify_all()
        for each in waiting:
            each.result.cancel()
