"""Asks the real TensorFlow for its placement logs, and keeps them in tests/oracle.

    RUNNER scripts/record_placement_log.py

where `RUNNER SCRIPT` runs a Python script in which `import tensorflow` is the real one and shows
two devices of type GPU, with TF_ENABLE_ONEDNN_OPTS=0 (oneDNN renames ops on the CPU).
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import tempfile
from pathlib import Path

import tensorflow as tf
from tensorflow.python.eager import context

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "behaviour" / "observe"))

from placement_snippets import FULL, LOGS, SHORT, SNIPPETS, run

LIBC = ctypes.CDLL(None)


def log_of(name: str) -> list[str]:
    """The log of one program: the lines on standard error, without their prefixes."""
    context._reset_context()  # a program starts as the first of its process
    tf.debugging.set_log_device_placement(True)
    tf.config.list_logical_devices()
    out, err = captured(name)
    lines = [line.split("] ", 1)[1] for line in err if "placer.cc" in line or "execute.cc" in line]
    placed = [line for line in lines if not line.startswith("Executing op")]
    assert placed == out, f"{name}: the streams differ"
    return [line.replace(FULL, SHORT) for line in lines]


def captured(name: str) -> tuple[list[str], list[str]]:
    """The lines a program writes to file descriptors 1 and 2."""
    LIBC.fflush(None)
    kept = os.dup(1), os.dup(2)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        try:
            run(tf, name)
        finally:
            sys.stdout.flush()
            LIBC.fflush(None)
            os.dup2(kept[0], 1)
            os.dup2(kept[1], 2)
        out.seek(0)
        err.seek(0)
        return out.read().decode().splitlines(), err.read().decode().splitlines()


def main() -> None:
    logs = {name: log_of(name) for name in SNIPPETS}
    LOGS.write_text(json.dumps({"tensorflow": tf.__version__, "logs": logs}, indent=1) + "\n")
    print(f"{len(logs)} logs of TensorFlow {tf.__version__} in {LOGS}")


if __name__ == "__main__":
    main()
