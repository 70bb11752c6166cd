"""What a thread has said of summaries: its writer, its step, and whether it records."""

from __future__ import annotations

import threading
from typing import Any


class SummaryState(threading.local):
    """The part of a thread's state that `tf.summary` sets; replicas of a strategy take it over."""

    writer: Any = None
    step: Any = None
    condition: Any = True

    def said(self) -> dict[str, Any]:
        """What this thread has said, for `repeat` in another one."""
        return dict(self.__dict__)

    def repeat(self, said: dict[str, Any]) -> None:
        """Says the same in this thread."""
        self.__dict__.update(said)


STATE = SummaryState()
