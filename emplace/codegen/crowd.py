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
# A crowded thread gets a crew, and waits for its members, too: asked again, it would be crowded for
# ever. So it is not asked for so long, and then goes without the crew until it is. Each time that
# it is found crowded again, the next time is twice as far.
_FIRST_PAUSE_NS, _LONGEST_PAUSE_NS = 100_000_000, 800_000_000
# Linux tells of each thread how long it has run and how long it has waited to run, nanoseconds.
_FILE = "/proc/thread-self/schedstat"


class _Watched(threading.local):
    """What a thread was told, until when that holds, and for how long the next time."""

    until_ns = 0
    ran_ns = -1
    waited_ns = 0
    is_crowded = False
    pause_ns = _FIRST_PAUSE_NS


_watched = _Watched()
_can_tell = os.path.exists(_FILE)


def is_crowded() -> bool:
    """Whether this thread has lately waited for a core; always False where nothing tells."""
    last, now = _watched, time.monotonic_ns()
    if now < last.until_ns or not _can_tell:
        return last.is_crowded
    ran, waited = _times()
    more_waited, more_ran = waited - last.waited_ns, ran - last.ran_ns
    if last.is_crowded or last.ran_ns < 0:  # a window begins
        last.is_crowded, last.until_ns = False, now + _HOLDS_NS
    elif more_waited > _LEAST_WAITING * (more_waited + more_ran):
        last.is_crowded, last.until_ns = True, now + last.pause_ns
        last.pause_ns = min(2 * last.pause_ns, _LONGEST_PAUSE_NS)
    else:
        last.until_ns, last.pause_ns = now + _HOLDS_NS, _FIRST_PAUSE_NS
    last.ran_ns, last.waited_ns = ran, waited
    return last.is_crowded


def _times() -> tuple[int, int]:
    """How long this thread has run and has waited to run, in nanoseconds."""
    with open(_FILE, "rb", buffering=0) as file:
        ran, waited, _ = file.read().split()
    return int(ran), int(waited)
