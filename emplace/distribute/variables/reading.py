"""Whether replicas that read a variable which is brought together on reading get it whole."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _Asked(threading.local):
    """Per thread: replicas run in threads of their own."""

    whole = False


_ASKED = _Asked()


@contextmanager
def variable_sync_on_read_context() -> Iterator[None]:
    """A scope in which a replica that reads a variable with `synchronization=ON_READ` meets the
    others and gets what all of them hold, as is read outside of replicas
    (`tf.__internal__.distribute.variable_sync_on_read_context`).
    """
    before, _ASKED.whole = _ASKED.whole, True
    try:
        yield
    finally:
        _ASKED.whole = before


def reads_whole() -> bool:
    """Whether this thread is in such a scope."""
    return _ASKED.whole
