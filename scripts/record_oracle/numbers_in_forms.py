"""Records what TensorFlow makes of numbers in all forms: `tests/oracle/numbers.json`.

run_on_tensorflow scripts/record_oracle/numbers_in_forms.py

For each call of `tests/behaviour/functions/number_cases.py` what it makes of a Python
number eagerly; then, by form and way, "same", another answer, or the name of the error.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import tensorflow as tf

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "behaviour" / "functions"))

import number_cases as cases  # noqa: E402

PATH = ROOT / "tests" / "oracle" / "numbers.json"


def close(one: Any, other: Any) -> bool:
    """Whether two answers are the same but for rounding."""
    if len(one) != len(other):
        return False
    return all(
        a[0] == b[0] and (a[1] == b[1] if isinstance(a[1], str) or isinstance(b[1], str)
                          else abs(a[1] - b[1]) < 1e-3 + 1e-4 * abs(b[1]))
        for a, b in zip(one, other, strict=True)
    )  # fmt: skip


def answer(call: Any, form: str, way: str) -> Any:
    """What TensorFlow answers, or the name of its error."""
    try:
        return cases.told(call, cases.run(tf, call, form, way))
    except Exception as error:
        return type(error).__name__


def main() -> None:
    """Asks about all calls."""
    found = {}
    cases.FORMS["number"] = lambda tf, n: n
    for call in cases.CALLS:
        first = answer(call, "number", "eager")
        kept: dict[str, Any] = {"number": first}
        for form in (each for each in cases.FORMS if each != "number"):
            for way in cases.WAYS:
                made = answer(call, form, way)
                is_same = not isinstance(made, str) and not isinstance(first, str)
                kept[f"{form} {way}"] = "same" if is_same and close(made, first) else made
        found[f"{call[0]} {call[2]}"] = kept
    PATH.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
