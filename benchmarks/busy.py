"""Other work for the machine: a process per core that computes and never waits."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator

# The scheduler takes so long to spread them, and what runs already, over the cores.
_SETTLED_S = 0.3


@contextlib.contextmanager
def busy_loops() -> Iterator[None]:
    """Keeps every core busy while the block runs."""
    count = os.cpu_count() or 1
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        time.sleep(_SETTLED_S)
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
