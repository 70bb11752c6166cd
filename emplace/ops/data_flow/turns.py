"""How threads that wait for the same thing take turns: in the order in which they came."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from ...core import cancellation
from ...core.cancellation import Cancellation


def in_turn(
    changed: threading.Condition, line: deque[object], step: Callable[[], bool],
    cancel: Cancellation | None, text: str,
) -> None:  # fmt: skip
    """Repeats `step`, once this thread is first in the line, until it is done.

    Args:
        changed: held by the caller; notified when something changes.
        line: who waits, first come first served.
        step: does what can be done now; says whether that was all.
        cancel: what may end the wait; None takes the thread's.
        text: what the error says then.

    Raises:
        CancelledError: the wait was cancelled; or what else the canceller asks for.
    """
    ticket = object()
    line.append(ticket)
    cancel = cancel or cancellation.current()
    try:
        if line[0] is ticket and step():
            return
        with (cancel or Cancellation()).waking(changed):
            while True:
                if cancel is not None and cancel.is_cancelled:
                    raise cancel.error(text)
                if line[0] is ticket and step():
                    return
                changed.wait()
    finally:
        line.remove(ticket)
        changed.notify_all()
