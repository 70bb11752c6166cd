"""Lines of the runtime on standard error, in the format of TensorFlow's own.

    I0000 00:00:1795220856.992713   13313 placement.py:41] Executing op MatMul in device ...

One letter for the level, the time in seconds, the thread, who speaks.
`TF_CPP_MIN_LOG_LEVEL` hides levels: 1 information, 2 warnings too, 3 errors too.
"""

from __future__ import annotations

import builtins
import os
import sys
import threading
import time

from . import flags

_LEVELS = "IWE"


def _write(level: str, text: str) -> None:
    least = flags.MIN_LOG_LEVEL.get().strip()
    if least.isdecimal() and _LEVELS.index(level) < int(least):
        return
    caller = sys._getframe(2)
    where = f"{os.path.basename(caller.f_code.co_filename)}:{caller.f_lineno}"
    thread = threading.get_native_id()
    # One write: lines of two threads must not mix.
    sys.stderr.write(f"{level}0000 00:00:{time.time():.6f} {thread:>7} {where}] {text}\n")


def in_notebook() -> bool:
    """Whether the program is a notebook, as TensorFlow tells."""
    return hasattr(builtins, "get_ipython") or "get_ipython" in vars(sys.modules["__main__"])


def info(text: str) -> None:
    """Writes one line of information."""
    _write("I", text)


def warning(text: str) -> None:
    """Writes one line of warning."""
    _write("W", text)


def error(text: str) -> None:
    """Writes one line about an error that is not raised."""
    _write("E", text)
