"""Event files: what TensorBoard reads. Each is a file of records, each record an `Event`."""

from __future__ import annotations

import itertools
import os
import socket
import threading
import time
import weakref
from collections.abc import Iterator
from typing import Any

from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary

from ..ops.io.paths import as_text, local, system_errors
from ..ops.io.records import TFRecordWriter, tf_record_iterator

_NUMBERS = itertools.count()


class EventFile:
    """Writes one event file.

    Events are handed to the system when more than `max_queue` of them wait, when the last time was
    `flush_secs` seconds ago, and when the program asks for it.

    Args:
        logdir: its folder, which is made.
        max_queue: see above.
        flush_secs: see above.
        suffix: what its name ends with.
    """

    def __init__(self, logdir: str, max_queue: int, flush_secs: float, suffix: str = "") -> None:
        folder = as_text(logdir)
        with system_errors(folder):
            os.makedirs(local(folder), exist_ok=True)
        name = f"events.out.tfevents.{int(time.time())}.{socket.gethostname()}"
        self.path = os.path.join(folder, f"{name}.{os.getpid()}.{next(_NUMBERS)}{suffix}")
        self._writer = TFRecordWriter(self.path)
        # Programs rarely close their writers: this does it at the latest when the process ends.
        self._finish = weakref.finalize(self, self._writer.close)
        self._most, self._seconds = max_queue, flush_secs
        self._waiting, self._flushed = 0, time.monotonic()
        self._lock = threading.Lock()
        self.add(Event(wall_time=time.time(), file_version="brain.Event:2"))
        self.flush()

    @property
    def is_closed(self) -> bool:
        """True after `close`."""
        return not self._finish.alive

    def add(self, event: Any) -> None:
        """Writes an event; nothing after `close`."""
        with self._lock:
            if self.is_closed:
                return
            self._writer.write(event.SerializeToString())
            self._waiting += 1
            if self._waiting > self._most or time.monotonic() - self._flushed >= self._seconds:
                self._flush()

    def flush(self) -> None:
        """Hands all events to the system."""
        with self._lock:
            self._flush()

    def _flush(self) -> None:
        if not self.is_closed:
            self._writer.flush()
        self._waiting, self._flushed = 0, time.monotonic()

    def close(self) -> None:
        """Writes what is left and closes the file."""
        with self._lock:
            self._finish()


def event_of(summary: Any, step: Any = None) -> Any:
    """The event of a summary, with the time.

    Args:
        summary: a `Summary`, or one as bytes.
        step: its step.
    """
    if isinstance(summary, (bytes, bytearray)):
        summary = Summary.FromString(bytes(summary))
    event = Event(wall_time=time.time(), summary=summary)
    if step is not None:
        event.step = int(step)
    return event


def summary_iterator(path: str) -> Iterator[Any]:
    """The events of an event file (`tf.compat.v1.train.summary_iterator`). At its end it may be
    asked again for what was written since.

    Args:
        path: the file.

    Raises:
        NotFoundError: there is none.
        DataLossError: it is damaged.
    """
    return map(Event.FromString, tf_record_iterator(path))
