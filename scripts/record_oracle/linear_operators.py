"""Records what TensorFlow says of `tests/contract/linear_operator_cases.py`.

run_on_tensorflow scripts/record_oracle/linear_operators.py
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import tensorflow as tf

TESTS = Path(__file__).resolve().parents[2] / "tests"
sys.path.insert(0, str(TESTS / "contract"))

import linear_operator_cases  # noqa: E402

if __name__ == "__main__":
    with gzip.GzipFile(TESTS / "oracle" / "linear_operators.json.gz", "wb", mtime=0) as file:
        file.write(json.dumps(linear_operator_cases.answers(tf), sort_keys=True).encode())
