"""Which names that Keras 3.15's TensorFlow backend uses exist in the facade, and what the missing
ones wait for. Fails if one is missing that waits for nothing.

    python scripts/coverage_of_tf.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import emplace.tensorflow as tf

NAMES = Path(__file__).resolve().parents[1] / "tests" / "data" / "keras_backend_symbols.txt"

# What missing names wait for: the part of Emplace that brings them.
WAITS_FOR: dict[str, set[str]] = {
    "TensorFlow, which has no such name in 2.21": {"tf.is_nan", "tf.sparse.reduce_any"},
}


def find(name: str) -> Any:
    """What a dotted name such as "tf.nn.relu" stands for; None if there is no such thing."""
    value: Any = tf
    for part in name.split(".")[1:]:
        value = getattr(value, part, _MISSING)
        if value is _MISSING:
            return _MISSING
    return value


_MISSING = object()


def main() -> int:
    names = NAMES.read_text().split()
    missing = [name for name in names if find(name) is _MISSING]
    print(f"{len(names) - len(missing)} of {len(names)} names are present")
    explained: set[str] = set()
    for part, waiting in WAITS_FOR.items():
        here = [name for name in missing if name in waiting]
        explained.update(here)
        if here:
            print(f"\nwaiting for {part}: {len(here)}\n  " + "  ".join(here))
    left = [name for name in missing if name not in explained]
    if left:
        print(f"\nmissing: {len(left)}\n  " + "  ".join(left))
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
