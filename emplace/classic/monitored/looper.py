"""A thread that calls something again and again until a coordinator says stop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from ...state.coordinator import Coordinator


class LooperThread(threading.Thread):
    """Calls a function again and again (`tf.compat.v1.train.LooperThread`).

    Args:
        coord: says when to stop, and is told of errors.
        timer_interval_secs: seconds between two calls' beginnings; None for no pause.
        target: the function.
        args: its arguments.
        kwargs: its arguments by name.

    Raises:
        ValueError: `coord` is no coordinator, or arguments come without a function.
    """

    def __init__(
        self,
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., Any] | None = None,
        args: Sequence[Any] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        super().__init__(daemon=True)
        self._coord, self._seconds = coord, timer_interval_secs
        if target is None and (args or kwargs):
            raise ValueError("'args' and 'kwargs' argument require that you also pass 'target'")
        self._function, self._args, self._named = target, tuple(args or ()), dict(kwargs or {})
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Coordinator, timer_interval_secs: float | None, target: Callable[..., Any],
        args: Sequence[Any] | None = None, kwargs: dict[str, Any] | None = None,
    ) -> LooperThread:  # fmt: skip
        """Starts a thread that calls a function again and again."""
        thread = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        thread.start()
        return thread

    def run(self) -> None:
        """Calls it until the coordinator says stop."""
        with self._coord.stop_on_exception():
            self.start_loop()
            if self._seconds is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                due = time.monotonic()
                while not self._coord.wait_for_stop(max(0.0, due - time.monotonic())):
                    due += self._seconds
                    self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Called before the first call, for subclasses."""

    def stop_loop(self) -> None:
        """Called after the last call, for subclasses."""

    def run_loop(self) -> None:
        """One call."""
        if self._function is not None:
            self._function(*self._args, **self._named)
