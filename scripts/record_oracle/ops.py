"""Records what TensorFlow answers to the cases of tests/contract/op_cases.

Run it with a Python that has TensorFlow 2.21 (not Emplace's):

    python scripts/record_oracle/ops.py            all families
    python scripts/record_oracle/ops.py linalg nn  some

It writes tests/oracle/ops/<family>.json.gz, which hold the answers by expression.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "contract"))

import op_cases  # noqa: E402
import tensorflow as tf  # noqa: E402
from op_cases.encode import encode, encode_error  # noqa: E402
from op_cases.values import evaluate  # noqa: E402


def answer(expression: str) -> Any:
    try:
        return encode(evaluate(expression, tf))
    except SyntaxError:
        raise
    except Exception as error:
        return encode_error(error)


def record(family: str) -> None:
    answers = {}
    for case in op_cases.cases_of(family):
        assert case.expression not in answers, f"twice: {case.expression}"
        answers[case.expression] = answer(case.expression)
    text = json.dumps({"tensorflow": tf.__version__, "answers": answers}, separators=(",", ":"))
    path = ROOT / "tests" / "oracle" / "ops" / f"{family}.json.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".tmp")
    # No name and no time inside, so that the same answers give the same file.
    with open(temporary, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        packed.write(text.encode())
    temporary.replace(path)
    errors = sum("error" in each for each in answers.values() if isinstance(each, dict))
    print(f"{family}: {len(answers)} cases, {errors} of them errors")


def main() -> None:
    for family in sys.argv[1:] or op_cases.families():
        record(family)


if __name__ == "__main__":
    main()
