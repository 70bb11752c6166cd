"""Which names of `tf.compat.v1` (TensorFlow 2.21) exist; keeps the lists in tests/data.

python scripts/tf1_names.py
"""

from __future__ import annotations

import json
from functools import reduce
from pathlib import Path

import emplace.tensorflow.compat.v1 as tf1

PATH = Path(__file__).resolve().parents[1] / "tests" / "data" / "tf1_names.json"


def exists(name: str) -> bool:
    try:
        reduce(getattr, name.split("."), tf1)
    except AttributeError:
        return False
    return True


def main() -> None:
    lists = json.loads(PATH.read_text())
    names = sorted({*lists["present"], *lists["missing"]})
    lost = [name for name in lists["present"] if not exists(name)]
    present = [name for name in names if exists(name)]
    missing = [name for name in names if not exists(name)]
    made = {"names": len(names), "present": present, "missing": missing}
    PATH.write_text(json.dumps(made, indent=0) + "\n")
    print(f"{len(present)} of {len(names)} names exist; lost: {lost or 'none'}")


if __name__ == "__main__":
    main()
