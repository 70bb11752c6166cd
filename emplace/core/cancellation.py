"""How an op that waits is told to stop: a session's deadline, its end, another thread's wish.

Whoever runs ops holds a `Cancellation` and runs them under `cancelled_by(it)`; an op that waits
asks `current()` and registers its condition.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from ..base.errors import CancelledError, OpError

_LOCAL = threading.local()


class Cancellation:
    """Tells everyone who waits under it to stop, once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[threading.Condition] = []
        self._error: type[OpError] | None = None
        self._text = ""

    @property
    def is_cancelled(self) -> bool:
        """True after `cancel`."""
        return self._error is not None

    def cancel(self, error: type[OpError] = CancelledError, text: str = "") -> None:
        """Wakes everyone who waits; they raise `error`.

        Args:
            error: the class to raise, such as DeadlineExceededError.
            text: what it says; "" for the words of the op that waits.
        """
        with self._lock:
            self._error, self._text = error, text
            waiting = list(self._waiting)
        for condition in waiting:
            with condition:
                condition.notify_all()

    def error(self, text: str) -> OpError:
        """What a waiting op raises; `text` is what it says of itself."""
        kind = self._error or CancelledError
        return kind(None, None, self._text or text)

    @contextlib.contextmanager
    def waking(self, condition: threading.Condition) -> Iterator[None]:
        """While the block runs, `cancel` notifies `condition`."""
        with self._lock:
            self._waiting.append(condition)
        try:
            yield
        finally:
            with self._lock:
                self._waiting.remove(condition)


def current() -> Cancellation | None:
    """What may cancel the ops of this thread."""
    return getattr(_LOCAL, "cancellation", None)


@contextlib.contextmanager
def cancelled_by(cancellation: Cancellation | None) -> Iterator[None]:
    """Ops that wait inside of the block, in this thread, stop when it is cancelled."""
    before = current()
    _LOCAL.cancellation = cancellation
    try:
        yield
    finally:
        _LOCAL.cancellation = before
