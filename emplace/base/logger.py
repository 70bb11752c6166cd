"""The logger `tensorflow` of Python's `logging`: what programs read, silence and send elsewhere."""

from __future__ import annotations

import logging
import sys
import threading

_LOCK = threading.Lock()
_MADE: list[logging.Logger] = []


def get_logger() -> logging.Logger:
    """The logger that the functions here write to (`tf.get_logger`)."""
    with _LOCK:
        if _MADE:
            return _MADE[0]
        logger = logging.getLogger("tensorflow")
        is_interactive = hasattr(sys, "ps1") or bool(sys.flags.interactive)
        if is_interactive:
            logger.setLevel(logging.INFO)
        if not logging.getLogger().handlers and not logger.handlers:
            handler = logging.StreamHandler(sys.stdout if is_interactive else _Stderr())
            handler.setFormatter(logging.Formatter(logging.BASIC_FORMAT, None))
            logger.addHandler(handler)
        _MADE.append(logger)
        return logger


class _Stderr:
    """Standard error as it is when something is written."""

    def write(self, text: str) -> None:
        """Writes a text."""
        sys.stderr.write(text)

    def flush(self) -> None:
        """Writes what is left."""
        sys.stderr.flush()
