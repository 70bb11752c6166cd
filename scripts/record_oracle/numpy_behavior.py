"""Records what TensorFlow answers where `experimental_enable_numpy_behavior` has been called.

    python scripts/record_oracle/numpy_behavior.py    with a Python that has TensorFlow 2.21

It asks the expressions of tests/contract/numpy_behavior_cases.py, in a process per way to call
that function, and writes tests/oracle/numpy_behavior.json.gz.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
ROOT = Path(__file__).resolve().parents[2]
PATH = ROOT / "tests" / "oracle" / "numpy_behavior.json.gz"
sys.path.insert(0, str(ROOT / "tests" / "contract"))

from numpy_behavior_cases import WAYS  # noqa: E402
from op_cases.encode import encode, encode_error  # noqa: E402
from op_cases.values import evaluate  # noqa: E402


def answers(way: str) -> dict[str, Any]:
    """TensorFlow's answers in this process, which is changed by it."""
    import tensorflow as tf

    how, expressions = WAYS[way]
    tf.experimental.numpy.experimental_enable_numpy_behavior(**how)
    found: dict[str, Any] = {}
    for each in expressions:
        try:
            found[each] = encode(evaluate(each, tf))
        except Exception as error:
            found[each] = encode_error(error)
    return found


def main() -> None:
    if len(sys.argv) > 1:
        print(json.dumps(answers(sys.argv[1])))
        return
    made = {}
    for way in WAYS:
        told = subprocess.run(
            [sys.executable, __file__, way], check=True, capture_output=True, text=True
        )
        made[way] = json.loads(told.stdout.splitlines()[-1])
    with open(PATH, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        packed.write(json.dumps(made, sort_keys=True).encode())
    print({way: len(found) for way, found in made.items()})


if __name__ == "__main__":
    main()
