"""When Python looks for garbage."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# So many objects more than before, of the kinds that may refer to each other: some megabytes.
_SELDOM = 50_000
# Torch's import and ours make 360,000 of them.
_OF_AN_IMPORT = 500_000


@contextmanager
def garbage_later() -> Iterator[None]:
    """Leaves garbage where it is meanwhile: to look for it among the many new objects of a large
    plan, all of them in use, takes a third of the time.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextmanager
def garbage_seldom(objects: int = _SELDOM) -> Iterator[None]:
    """Looks for garbage only after so many new objects meanwhile: where the program's own code
    runs, which may leave any amount of it, and many objects are made that stay. Each time that
    Python looks through all that a large program has loaded takes it a fifth of a second.
    """
    before = gc.get_threshold()
    if not 0 < before[0] < objects:
        yield
        return
    seldom = (objects, *before[1:])
    gc.set_threshold(*seldom)
    try:
        yield
    finally:
        if gc.get_threshold() == seldom:  # else the program has its own mind
            gc.set_threshold(*before)


@contextmanager
def garbage_after_import() -> Iterator[None]:
    """Lets a large library load: what that makes stays, so nobody looks through it, neither
    meanwhile nor at the end. All objects that there are then count as old ones.
    """
    with garbage_seldom(_OF_AN_IMPORT):
        yield
        if not gc.get_freeze_count():  # what the program has frozen stays so
            gc.freeze()
            gc.unfreeze()


class CollectionPacer:
    """Full collections for threads that are short of memory.

    One takes a tenth of a second, and no thread goes on meanwhile. A thread that is alone gets one
    whenever it asks. Where several ask, one that began after a thread asked is the thread's own,
    and none follows before the threads could go on for `PAUSE` times as long as it took: until
    then who asks waits for a moment, in which others may free something.
    """

    PAUSE = 10
    _MOMENT_S = 0.005

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begun = self._asking = 0
        self._ended = self._took = 0.0
        self._last_thread = 0

    def collect(self, is_enough: Callable[[], bool]) -> None:
        """Collects everything, unless another thread just has, or there is enough by now."""
        before = self._begun
        self._asking += 1
        try:
            if self._is_soon():
                time.sleep(self._MOMENT_S)
                return
            with self._lock:
                if self._begun == before and not self._is_soon() and not is_enough():
                    self._collect()
        finally:
            self._asking -= 1

    def _is_soon(self) -> bool:
        """Whether several threads ask, and the last collection is not long ago."""
        is_alone = self._asking == 1 and self._last_thread in (0, threading.get_ident())
        return not is_alone and time.monotonic() < self._ended + self.PAUSE * self._took

    def _collect(self) -> None:
        self._begun += 1
        self._last_thread = threading.get_ident()
        start = time.monotonic()
        gc.collect()
        self._ended = time.monotonic()
        self._took = self._ended - start
