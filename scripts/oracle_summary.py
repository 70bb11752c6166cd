"""How much of the op library is compared with TensorFlow's recorded answers, and how closely.

python scripts/oracle_summary.py
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "contract"))

import op_cases

TESTS = Path(__file__).resolve().parents[1] / "tests"


def main() -> None:
    """Prints a table of the families, then the cases that are not compared to the last digit."""
    table = Table("family", "cases", "errors", "looser", "shape only", box=None)
    total: Counter[str] = Counter()
    looser: Counter[str] = Counter()
    for family in op_cases.families():
        found = count(family, looser)
        total.update(found)
        table.add_row(family, *(str(found[column]) for column in COLUMNS))
    table.add_row("all", *(str(total[column]) for column in COLUMNS))
    console = Console(width=100)
    console.print(table)
    witnesses = json.loads((TESTS / "data" / "op_witnesses.json").read_text())
    gaps = json.loads((TESTS / "data" / "registry_gaps.json").read_text())
    ops = len(witnesses) + len(gaps["no case"])
    console.print(f"\n{len(witnesses)} of {ops} op records are run by a case", highlight=False)
    console.print("\nlooser than the tolerance of the dtype, by reason")
    for reason, number in looser.most_common():
        console.print(f"  {number:4}  {reason}", highlight=False)


COLUMNS = ("cases", "errors", "looser", "shape only")


def count(family: str, looser: Counter[str]) -> Counter[str]:
    """The cases of a family by kind; reasons of looser ones are added to `looser`."""
    with gzip.open(TESTS / "oracle" / "ops" / f"{family}.json.gz") as file:
        answers = json.load(file)["answers"]
    found: Counter[str] = Counter()
    for case in op_cases.cases_of(family):
        found["cases"] += 1
        answer = answers.get(case.expression)
        found["errors"] += isinstance(answer, dict) and "error" in answer
        found["shape only"] += case.compare == "shape"
        if case.rtol is not None:
            found["looser"] += 1
            looser[case.reason] += 1
    return found


if __name__ == "__main__":
    main()
