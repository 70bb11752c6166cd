"""A limit of time for what a script tries, on a main thread."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class OutOfTime(BaseException):
    """It took too long. No `except Exception` of what is tried catches this."""


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Raises OutOfTime if the block takes longer."""
    signal.signal(signal.SIGALRM, _out_of_time)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def _out_of_time(*_: Any) -> None:
    raise OutOfTime
