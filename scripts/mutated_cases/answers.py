"""Answers of one side to a list of expressions, a line of JSON for each.

    python scripts/mutated_cases/answers.py emplace|tensorflow EXPRESSIONS ANSWERS FIRST

appends to ANSWERS what is said from the expression of number FIRST on. It imports nothing of
Emplace where it is asked for TensorFlow, whose Python runs it.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "contract"))

from op_cases.encode import encode, encode_error
from op_cases.values import evaluate

SECONDS = 15
_MOST = 200_000


class OutOfTime(BaseException):
    """An expression took too long."""


def out_of_time(*_: Any) -> None:
    raise OutOfTime


def answer(expression: str, tf: Any) -> str:
    """An answer as JSON: "nothing" where there is none to compare."""
    signal.alarm(SECONDS)
    try:
        said = json.dumps(encode(evaluate(expression, tf)))
    except (OutOfTime, SyntaxError):
        return '"nothing"'
    except Exception as error:
        return json.dumps(encode_error(error))
    finally:
        signal.alarm(0)
    return said if len(said) <= _MOST else '"nothing"'


def main() -> None:
    side, expressions, answers, first = sys.argv[1:]
    tf = importlib.import_module("tensorflow" if side == "tensorflow" else "emplace.tensorflow")
    signal.signal(signal.SIGALRM, out_of_time)
    tf.config.set_soft_device_placement(True)
    listed = json.loads(Path(expressions).read_text())[int(first) :]
    with Path(answers).open("a") as file:
        for expression in listed:
            file.write(answer(expression, tf) + "\n")
            file.flush()


if __name__ == "__main__":
    main()
