"""Records what TensorFlow answers to the cases of tests/contract/op_cases.

`make oracle FAMILY=linalg` runs it with a Python that has TensorFlow 2.21 (not Emplace's):

    python scripts/record_oracle/ops.py linalg nn          new cases of these families
    python scripts/record_oracle/ops.py --again linalg     all cases of this family
    python scripts/record_oracle/ops.py --again            all cases of all families

It writes tests/oracle/ops/<family>.json.gz, which hold the answers by expression. Cases that are
answered already are not asked again, for random numbers and the last bits of others depend on the
machine; those that are no longer there are left out.
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


def record(family: str, again: bool) -> None:
    path = ROOT / "tests" / "oracle" / "ops" / f"{family}.json.gz"
    known = {} if again else recorded(path)
    answers: dict[str, Any] = {}
    for case in op_cases.cases_of(family):
        assert case.expression not in answers, f"twice: {case.expression}"
        is_known = case.expression in known
        answers[case.expression] = known[case.expression] if is_known else answer(case.expression)
    write(path, {"tensorflow": tf.__version__, "answers": answers})
    new = [answers[expression] for expression in answers if expression not in known]
    errors = sum("error" in each for each in new if isinstance(each, dict))
    print(f"{family}: {len(answers)} cases, {len(new)} of them asked now, {errors} errors in those")


def recorded(path: Path) -> dict[str, Any]:
    """The answers that are there, if this TensorFlow gave them."""
    if not path.exists():
        return {}
    with gzip.open(path) as file:
        found = json.load(file)
    if found["tensorflow"] != tf.__version__:
        sys.exit(
            f"{path.name} holds answers of TensorFlow {found['tensorflow']}, and this is "
            f"{tf.__version__}. Take that version, or ask about all cases: --again."
        )
    return dict(found["answers"])


def write(path: Path, content: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".tmp")
    text = json.dumps(content, separators=(",", ":"))
    # No name and no time inside, so that the same answers give the same file.
    with open(temporary, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        packed.write(text.encode())
    temporary.replace(path)


def main() -> None:
    words = sys.argv[1:]
    again = "--again" in words
    families = [word for word in words if word != "--again"]
    if not families and not again:
        sys.exit(f"Name the families whose new cases to ask about: {' '.join(op_cases.families())}")
    try:
        op_cases.choose(families)
    except LookupError as error:
        sys.exit(str(error))
    for family in op_cases.families():
        record(family, again)


if __name__ == "__main__":
    main()
