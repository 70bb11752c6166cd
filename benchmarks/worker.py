"""The process of one peer: runs rows of a program on command and says how long they took.

It runs in the peer's own environment, so it imports nothing but the standard library. At its start
it says {"rows": names, "version": text}; then each line {"row": name, "seconds": at least} on its
standard input is answered with {"microseconds": per repetition}. Failures are {"error": text}.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
import timeit
from collections.abc import Callable
from typing import Any

from .device import TORCH, finish


class Rows:
    """The rows of one program and how often each is repeated per measurement."""

    def __init__(self, program: Any) -> None:
        # timeit switches the garbage collector off; in programs it is on.
        self.timers = {
            row: timeit.Timer(statement, "import gc; gc.enable()", globals=vars(program))
            for row, statement in program.ROWS.items()
        }
        self._counts: dict[str, int] = {}
        # A repetition may consist of parts, such as the steps of an epoch; the time is of one part.
        self._parts = getattr(program, "PARTS", {})

    def measure(self, row: str, seconds: float) -> dict[str, Any]:
        """The time of one repetition, over at least about `seconds` seconds."""
        timer = self.timers[row]
        if row not in self._counts:
            self._counts[row] = _calibrate(timer, seconds)
        count = self._counts[row]
        # The other peers have had the processor meanwhile: warm the caches first.
        _seconds(timer, max(1, count // 10))
        parts = count * self._parts.get(row, 1)
        return {"microseconds": _seconds(timer, count) / parts * 1e6}


def _calibrate(timer: timeit.Timer, seconds: float) -> int:
    """How often to repeat: the quicker of two runs counts, as what compiles does so in any of the
    first hundred, and a count that is too small measures what surrounds the repetitions.
    """
    _seconds(timer, 2)
    count = 1
    while min(_seconds(timer, count), _seconds(timer, count)) < seconds:
        count *= 2
    return count


def _seconds(timer: timeit.Timer, count: int) -> float:
    """What so many repetitions take, until a card has done them too."""
    start = time.perf_counter()
    timer.timeit(count)
    finish()
    return time.perf_counter() - start


def _outcome(action: Callable[..., dict[str, Any]], *args: Any) -> str:
    try:
        return json.dumps(action(*args))
    except Exception as error:
        return json.dumps({"error": f"{type(error).__name__}: {error}"})


def main(program: str, library: str, prepare: str) -> None:
    """Answers commands until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print must not reach the parent
    rows: Any = None

    def load() -> dict[str, Any]:
        nonlocal rows
        exec(prepare, {})
        if library == "torch" and TORCH != "cpu":
            importlib.import_module("torch").set_default_device(TORCH)
        rows = Rows(importlib.import_module(program))
        version = importlib.import_module(library).__version__
        return {"rows": list(rows.timers), "version": version}

    print(_outcome(load), file=answers)
    for line in sys.stdin:
        command = json.loads(line)
        print(_outcome(rows.measure, command["row"], command["seconds"]), file=answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
