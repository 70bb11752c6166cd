"""Knowing which worker is gone: each says again and again that it is there.

A broken connection tells that somebody has gone, not who. So every worker counts up a number of
its own in the store, in a thread, and whoever notices that something is wrong looks whose number
stands still. What the first one finds is written down, so that all of them say the same.
"""

from __future__ import annotations

import atexit
import contextlib
import sys
import threading
import time
from typing import Any

from ....base.errors import UnavailableError
from .roles import Role

# How often a worker says that it is there, how long is silence, and how long is surely silence.
_BEAT_S = 0.5
_PAUSE_S = 2.0
_SILENT_S = 30.0


class LivenessMonitor:
    """Who of a cluster is there.

    Args:
        store: where they have met.
        role: which worker this is.
        limit: how many seconds a worker may be silent.
    """

    def __init__(self, store: Any, role: Role, limit: float) -> None:
        self._store, self._role = store.clone(), role
        self._silent = min(_SILENT_S, limit)
        self._seen: dict[int, tuple[bytes, float]] = {}
        self._ending = threading.Event()
        self._beats = store.clone()
        self._say(0)
        self._thread = threading.Thread(target=self._beat, name="emplace worker", daemon=True)
        self._thread.start()
        atexit.register(self.end)

    def _say(self, number: int) -> None:
        self._beats.set(f"beat/{self._role.number}", str(number))

    def _beat(self) -> None:
        number = 0
        while not self._ending.wait(_BEAT_S):
            number += 1
            try:
                self._say(number)
            except RuntimeError:  # the first worker has ended, and the store with it
                return

    def end(self) -> None:
        """Tells the others that this worker ends, and why if its program failed."""
        if self._ending.is_set():
            return
        self._ending.set()
        error = getattr(sys, "last_value", None)
        why = "has ended" if error is None else f"has failed with {_text_of(error)}"
        with contextlib.suppress(RuntimeError):
            self._store.set(f"ended/{self._role.number}", why)
        # Python must not end while the thread is inside of the store.
        self._thread.join(_PAUSE_S)

    def check(self) -> None:
        """Raises UnavailableError if a worker is known to be gone, without waiting."""
        try:
            found = self._known() or self._standing_still(self._silent)
        except RuntimeError:
            raise self._without_store() from None
        if found is not None:
            raise self._gone(found)

    def lost(self, error: BaseException) -> UnavailableError:
        """What to raise when the connection to some worker broke.

        Args:
            error: what the connection said.
        """
        try:
            deadline = time.monotonic() + 2 * _PAUSE_S
            while time.monotonic() < deadline:
                found = self._known() or self._standing_still(_PAUSE_S)
                if found is not None:
                    return self._gone(found)
                time.sleep(_BEAT_S / 5)
        except RuntimeError:
            return self._without_store()
        return UnavailableError(
            None, None,
            f"{self._role.name} has lost its connection to another worker, and all of them are "
            f"still there: {str(error).splitlines()[0]} {_NEXT}",
        )  # fmt: skip

    def _known(self) -> str | None:
        """What the first who noticed has written down, or who said that it ends."""
        if self._store.check(["lost"]):
            return str(self._store.get("lost").decode())
        for i, name in enumerate(self._role.names):
            if i != self._role.number and self._store.check([f"ended/{i}"]):
                return f"{name} {self._store.get(f'ended/{i}').decode()}"
        return None

    def _standing_still(self, limit: float) -> str | None:
        """Whose number has not changed for so many seconds that this worker has looked."""
        now = time.monotonic()
        for i, name in enumerate(self._role.names):
            if i == self._role.number:
                continue
            number = self._store.get(f"beat/{i}")
            if self._seen.get(i, (b"",))[0] != number:
                self._seen[i] = number, now
            elif now - self._seen[i][1] > limit:
                return f"{name} has been killed, or its machine does not answer"
        return None

    def _gone(self, found: str) -> UnavailableError:
        found = self._store.compare_set("lost", "", found).decode()
        return UnavailableError(None, None, f"{self._role.name} cannot go on: {found}. {_NEXT}")

    def _without_store(self) -> UnavailableError:
        first = self._role.names[0] if self._role.addresses else "who started the workers"
        return UnavailableError(
            None, None,
            f"{self._role.name} cannot go on: {first} has been killed or has ended, or its machine "
            f"does not answer. {_NEXT}",
        )  # fmt: skip


_NEXT = (
    "Start all workers again: `tf.keras.callbacks.BackupAndRestore` or "
    "`tf.train.CheckpointManager` lets them go on from what was saved last, and `emplace launch "
    "--restarts N` does it by itself."
)


def _text_of(error: BaseException) -> str:
    line = (str(error).splitlines() or [""])[0]
    return f"{type(error).__name__}: {line[:200]}"
