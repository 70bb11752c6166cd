"""Whether other work wants the processor cores that this thread computes on."""

from __future__ import annotations

import os
import threading
import time

# How long an answer holds. To ask costs some 10 us.
_HOLDS_NS = 10_000_000
# A machine is crowded where a thread that could run waits for so much of its time to do so. On a
# quiet one it is a few thousandths, next to a busy loop per core a half.
_LEAST_WAITING = 0.1
# Linux tells of each thread how long it has run and how long it has waited to run, nanoseconds.
_FILE = "/proc/thread-self/schedstat"


class _Watched(threading.local):
    """What a thread was told, and when."""

    asked_ns = 0
    ran_ns = 0
    waited_ns = 0
    is_crowded = False


_watched = _Watched()
_can_tell = os.path.exists(_FILE)


def is_crowded() -> bool:
    """Whether this thread has lately waited for a core; always False where nothing tells."""
    last, now = _watched, time.monotonic_ns()
    if now - last.asked_ns < _HOLDS_NS or not _can_tell:
        return last.is_crowded
    ran, waited = _times()
    if last.asked_ns:
        more_waited, more_ran = waited - last.waited_ns, ran - last.ran_ns
        last.is_crowded = more_waited > _LEAST_WAITING * (more_waited + more_ran)
    last.asked_ns, last.ran_ns, last.waited_ns = now, ran, waited
    return last.is_crowded


def _times() -> tuple[int, int]:
    """How long this thread has run and has waited to run, in nanoseconds."""
    with open(_FILE, "rb", buffering=0) as file:
        ran, waited, _ = file.read().split()
    return int(ran), int(waited)
