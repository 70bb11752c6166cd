"""Waiting for the checkpoints that another program writes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from ..classic.scopes import messages
from .checkpoint_state import latest_checkpoint

_PAUSE = 1.0


def checkpoints_iterator(
    checkpoint_dir: str, min_interval_secs: float = 0, timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:  # fmt: skip
    """Waits for the checkpoints of a folder, and gives each as it comes
    (`tf.train.checkpoints_iterator`).

    Args:
        checkpoint_dir: the folder.
        min_interval_secs: seconds that are at least between two of them.
        timeout: how many seconds to wait for the next one; for ever if None.
        timeout_fn: is called after that: True ends it, False lets it wait again.

    Yields:
        The prefix of the latest checkpoint, each once.
    """
    last = None
    while True:
        found = _next(checkpoint_dir, last, timeout)
        if found is None:
            if timeout_fn is None or timeout_fn():
                messages.info("Timed-out waiting for a checkpoint.")
                return
            continue
        last, began = found, time.monotonic()
        yield found
        time.sleep(max(0.0, min_interval_secs - (time.monotonic() - began)))


def _next(folder: str, last: str | None, timeout: float | None) -> str | None:
    """The latest checkpoint once it is another one; None if that takes too long."""
    deadline = None if timeout is None else time.monotonic() + timeout
    while (found := latest_checkpoint(folder)) in (None, last):
        pause = _PAUSE if deadline is None else min(_PAUSE, deadline - time.monotonic())
        if pause <= 0:
            return None
        time.sleep(pause)
    return found
