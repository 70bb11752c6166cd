"""Records which class of error TensorFlow raises for the calls of tests/contract/bad_inputs.py.

Run it with a Python that has TensorFlow 2.21 (not Emplace's):

    python scripts/record_oracle/bad_inputs.py

It writes tests/data/bad_inputs.json.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
TESTS = Path(__file__).resolve().parents[2] / "tests"
sys.path.insert(0, str(TESTS / "contract"))

import tensorflow as tf  # noqa: E402
from bad_inputs import FAMILIES  # noqa: E402
from op_cases.values import evaluate  # noqa: E402


def error_of(expression: str) -> str:
    try:
        evaluate(expression, tf)
    except SyntaxError:
        raise
    except Exception as error:
        return type(error).__name__
    raise SystemExit(f"TensorFlow answers {expression}")


def main() -> None:
    found = {each: error_of(each) for calls in FAMILIES.values() for each in calls}
    (TESTS / "data" / "bad_inputs.json").write_text(json.dumps(found, indent=1) + "\n")
    print(f"{len(found)} errors")


if __name__ == "__main__":
    main()
