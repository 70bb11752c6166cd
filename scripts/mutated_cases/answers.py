"""Answers of one side to a list of expressions, a line of JSON for each.

    python scripts/mutated_cases/answers.py emplace|tensorflow EXPRESSIONS ANSWERS FIRST

appends to ANSWERS what is said from the expression of number FIRST on. It imports nothing of
Emplace where it is asked for TensorFlow, whose Python runs it.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "contract")]

from op_cases.encode import encode, encode_error  # noqa: E402
from op_cases.values import evaluate  # noqa: E402

from scripts.time_limit import OutOfTime, limited  # noqa: E402

SECONDS = 15
_MOST = 200_000


def answer(expression: str, tf: Any) -> str:
    """An answer as JSON: "nothing" where there is none to compare."""
    try:
        with limited(SECONDS):
            said = json.dumps(encode(evaluate(expression, tf)))
    except (OutOfTime, SyntaxError):
        return '"nothing"'
    except Exception as error:
        return json.dumps(encode_error(error))
    return said if len(said) <= _MOST else '"nothing"'


def main() -> None:
    side, expressions, answers, first = sys.argv[1:]
    tf = importlib.import_module("tensorflow" if side == "tensorflow" else "emplace.tensorflow")
    tf.config.set_soft_device_placement(True)
    listed = json.loads(Path(expressions).read_text())[int(first) :]
    with Path(answers).open("a") as file:
        for expression in listed:
            file.write(answer(expression, tf) + "\n")
            file.flush()


if __name__ == "__main__":
    main()
