"""Threads that stop together (`tf.train.Coordinator`)."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

from ..base.errors import OutOfRangeError


class Coordinator:
    """Lets threads stop together, and hands on what one of them raised (`tf.train.Coordinator`).

    Args:
        clean_stop_exception_types: errors that mean an ordinary end; OutOfRangeError if None.

    >>> coord = Coordinator()
    >>> coord.request_stop()
    >>> coord.should_stop()
    True
    """

    def __init__(self, clean_stop_exception_types: Any = None) -> None:
        clean = clean_stop_exception_types
        self._clean = (OutOfRangeError,) if clean is None else tuple(clean)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._error: BaseException | None = None
        self._threads: set[threading.Thread] = set()
        self._joined = False

    @property
    def joined(self) -> bool:
        """True after `join`."""
        return self._joined

    def request_stop(self, ex: Any = None) -> None:
        """Asks all threads to stop.

        Args:
            ex: why: an exception or what `sys.exc_info()` returns; `join` raises the first one
                that is no ordinary end.
        """
        error = ex[1] if isinstance(ex, tuple) else ex
        with self._lock:
            if self._joined and error is not None and not isinstance(error, self._clean):
                raise error
            if not self._stop.is_set():
                if error is not None and not isinstance(error, self._clean):
                    self._error = error
                self._stop.set()

    def clear_stop(self) -> None:
        """Forgets that a stop was asked for, so that it can be used again."""
        with self._lock:
            self._joined, self._error = False, None
            self._stop.clear()

    def should_stop(self) -> bool:
        """True once a stop was asked for."""
        return self._stop.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """What the block raises asks all threads to stop, and goes no further."""
        try:
            yield
        except BaseException as error:
            self.request_stop(error)

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits until a stop is asked for, at most `timeout` seconds; True if it was."""
        return self._stop.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Adds a thread to those that `join` waits for."""
        with self._lock:
            self._threads.add(thread)

    def raise_requested_exception(self) -> None:
        """Raises what a thread gave to `request_stop`, if it did."""
        with self._lock:
            if self._error is not None:
                raise self._error

    def join(
        self, threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120, ignore_live_threads: bool = False,
    ) -> None:  # fmt: skip
        """Waits for all threads, and raises what one of them raised.

        Args:
            threads: more threads to wait for.
            stop_grace_period_secs: how long they may take once a stop was asked for.
            ignore_live_threads: whether those that still run then are no error.

        Raises:
            RuntimeError: some still run then.
        """
        with self._lock:
            waited = [*self._threads, *(set(threads or ()) - self._threads)]
        while any(thread.is_alive() for thread in waited) and not self.wait_for_stop(0.1):
            pass
        deadline = time.monotonic() + stop_grace_period_secs
        for thread in waited:
            thread.join(max(0.0, deadline - time.monotonic()))
        late = [thread.name for thread in waited if thread.is_alive()]
        with self._lock:
            self._joined, self._threads = True, set()
        self.raise_requested_exception()
        if late and not ignore_live_threads:
            raise RuntimeError(f"Coordinator stopped with threads still running: {' '.join(late)}")
