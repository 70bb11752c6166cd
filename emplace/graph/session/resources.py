"""What a session keeps between runs: the memory of its graph's variables, and queues.

Operations whose op `is_session_resource` make it, once per session; every plan of the session is
written with what is there. Nothing here knows what it keeps.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...base.errors import CancelledError, invalid_argument
from ...core import cancellation
from ...core.cancellation import Cancellation, cancelled_by
from ...devices.device import Device
from ..passes.constant_folding import raw_value
from ..representation.graph import Operation


class Resources:
    """What the operations of one session have made, by the name they share it under."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Any] = {}
        self._capacities: dict[tuple[str, str], Any] = {}

    def get(self, operation: Operation, device: Device) -> Any:
        """What `operation` makes: the first time it is asked for, it is made.

        Raises:
            InvalidArgumentError: another operation has made another thing of that name.
        """
        name = operation.attrs.get("shared_name") or operation.name
        key = operation.type, name
        if key not in self._found:
            self._found[key] = _made(operation, name, device)
            self._capacities[key] = operation.attrs.get("capacity")
        elif self._capacities[key] != operation.attrs.get("capacity"):
            raise invalid_argument(
                f"Shared queue '{name}' has capacity {self._capacities[key]} but requested "
                f"capacity was {operation.attrs['capacity']}"
            )
        return self._found[key]

    def find(self, kind: str, name: str) -> Any:
        """What an operation of this type has made under this name; None if there is nothing."""
        return self._found.get((kind, name))

    def clear(self) -> None:
        """Lets everything go."""
        self._found.clear()


def _made(operation: Operation, name: str, device: Device) -> Any:
    """What an operation makes under a name.

    Raises:
        NotImplementedError: what it takes is not known before the graph runs.
    """
    kernel = operation.record.kernel
    attrs = dict(operation.attrs)
    if "shared_name" in inspect.signature(kernel).parameters:
        attrs["shared_name"] = name
    if operation.record.is_factory:
        attrs["device"] = device
    given = [raw_value(x) for x in operation.given]
    if any(x is None for x in given):
        raise NotImplementedError(
            f"A session makes what tf.raw_ops.{operation.type} returns before the graph runs, and "
            f"{operation.name!r} takes what is known only then. Give it constants."
        )
    return kernel(*given, **attrs)


class WaitingRuns:
    """The runs of a session that may wait for other threads, so that its end can wake them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: list[Cancellation] = []
        self._is_over = False

    @contextmanager
    def entered(self) -> Iterator[None]:
        """A run that may wait.

        Raises:
            CancelledError: the session is closed.
        """
        own = cancellation.current() or Cancellation()
        with self._lock:
            if self._is_over:
                raise CancelledError(None, None, "Session has been closed.")
            self._runs.append(own)
        try:
            with cancelled_by(own):
                yield
        finally:
            with self._lock:
                self._runs.remove(own)

    def end(self) -> None:
        """Wakes all; nobody waits any more."""
        with self._lock:
            self._is_over = True
            runs = list(self._runs)
        for each in runs:
            each.cancel()
