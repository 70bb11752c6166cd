"""Small programs whose placement logs TensorFlow was asked for, and how to run one.

`scripts/record_placement_log.py` runs them on TensorFlow, `test_placement_log.py` on Emplace.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "oracle"
PROGRAMS = FOLDER / "placement_snippets.txt"
LOGS = FOLDER / "placement_log.json"

# How a device is written in the recorded logs, and how in real ones.
SHORT = "@"
FULL = "/job:localhost/replica:0/task:0/device:"


def _read() -> dict[str, str]:
    parts = PROGRAMS.read_text().split("\n## ")[1:]
    return dict(part.split("\n", 1) for part in parts)


SNIPPETS = _read()


def run(tf: Any, name: str) -> None:
    """Runs one of them."""
    exec(compile(SNIPPETS[name], name, "exec"), {"tf": tf})
