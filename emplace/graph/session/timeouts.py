"""Deadlines of `Session.run`: what waits is woken, what computes is interrupted between kernels.

A kernel that runs is never torn apart: the deadline takes effect when it returns.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from typing import Any

from ...base.errors import DeadlineExceededError
from ...core.cancellation import Cancellation, cancelled_by

_TEXT = "Graph execution error:\n\nTimed out waiting for notification"


class _DeadlineError(BaseException):
    """Raised in the thread that runs; no kernel catches it."""


class _Deadline:
    def __init__(self, cancellation: Cancellation) -> None:
        self._thread = threading.get_ident()
        self._lock = threading.Lock()
        self._cancellation = cancellation
        self._is_over = False
        self.has_passed = False

    def passes(self) -> None:
        """Stops the run, unless it has ended."""
        with self._lock:
            if self._is_over:
                return
            self.has_passed = True
            _interrupt(self._thread)
        self._cancellation.cancel(DeadlineExceededError, _TEXT)

    def end(self) -> None:
        """The run has ended; an interruption that is still on its way arrives in here."""
        try:
            with self._lock:
                self._is_over = True
            while self.has_passed:
                time.sleep(0.001)
        except _DeadlineError:
            pass


def _interrupt(thread: int) -> None:
    number, error = ctypes.c_ulong(thread), ctypes.py_object(_DeadlineError)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(number, error)


def within(milliseconds: int, run: Callable[[], Any]) -> Any:
    """What `run` returns, if it does so in time.

    Raises:
        DeadlineExceededError: it did not.
    """
    cancellation = Cancellation()
    deadline = _Deadline(cancellation)
    timer = threading.Timer(milliseconds / 1000, deadline.passes)
    timer.daemon = True
    timer.start()
    try:
        found = _until(deadline, timer, cancellation, run)
    except _DeadlineError:
        raise DeadlineExceededError(None, None, _TEXT) from None
    if deadline.has_passed:
        raise DeadlineExceededError(None, None, _TEXT)
    return found


def _until(
    deadline: _Deadline,
    timer: threading.Timer,
    cancellation: Cancellation,
    run: Callable[[], Any],
) -> Any:
    """Runs; the interruption, which comes once at most, may come out of every line of this."""
    try:
        with cancelled_by(cancellation):
            found = run()
    except _DeadlineError:
        raise
    except BaseException:
        timer.cancel()
        deadline.end()
        if deadline.has_passed:
            raise DeadlineExceededError(None, None, _TEXT) from None
        raise
    timer.cancel()
    deadline.end()
    return found
