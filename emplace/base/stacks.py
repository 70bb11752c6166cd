"""What the threads of this process are doing."""

from __future__ import annotations

import gc
import sys
from types import FrameType


def innermost_frames() -> dict[int, FrameType]:
    """The innermost frame of each thread, by the thread's identifier.

    No garbage is collected meanwhile: Python holds a lock here, which the end of a thread's own
    values takes too, and it would wait for itself for ever (seen with 3.11.7).
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        return sys._current_frames()
    finally:
        if collects:
            gc.enable()
