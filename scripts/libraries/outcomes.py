"""What the page says of each library, kept as JSON."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from emplace.base.files import write_text

KEPT = Path(__file__).resolve().parent / "outcomes.json"


def kept() -> dict[str, Any]:
    """From a library's name to what was found out about it last."""
    found: dict[str, Any] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    return found


def keep(said: dict[str, Any]) -> None:
    """Writes that."""
    write_text(str(KEPT), json.dumps(said, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def _outcomes(path: Path) -> dict[str, dict[str, str]]:
    lines = path.read_text().splitlines() if path.exists() else []
    return {each["id"]: each for each in map(json.loads, lines)}


def passed(path: Path) -> list[str]:
    """The tests that have passed."""
    return [name for name, each in _outcomes(path).items() if each["outcome"] == "passed"]


def _sampled(path: Path, found: int) -> str:
    """Which tests were run, of so many files that were found."""
    ran = _outcomes(path)
    files = len({name.partition("::")[0] for name in ran})
    count = path.with_suffix(".count")
    all_of_these = not count.exists() or int(count.read_text()) <= len(ran)
    if files >= found and all_of_these:
        return "tests"
    return f"{len(ran):,} tests in {files} of {found} files"


def _said(why: str) -> str:
    """The beginning of what a failure says, up to the first path of the machine."""
    return why[:200].replace("\n", " ").split('File "')[0].rstrip()


def of_tests(ours: Path, theirs: Path, found: int) -> dict[str, Any]:
    """What counts are the tests that pass on TensorFlow; without it, those that do not skip.

    Args:
        ours: the outcomes on Emplace.
        theirs: those on TensorFlow; it need not exist.
        found: how many files of tests the library has.
    """
    here = _outcomes(ours)
    counted = passed(theirs) or [n for n, each in here.items() if each["outcome"] != "skipped"]
    fine = set(passed(ours))
    now = ours.with_suffix(".now")
    stuck = now.read_text() if now.exists() else ""
    missing = {
        "why": "the process ended" if "::" in stuck and stuck not in here else "was not reached"
    }
    return {
        "kind": _sampled(theirs if theirs.exists() else ours, found),
        "there": len(counted),
        "here": len(fine.intersection(counted)),
        "failures": {
            name: _said(here.get(name, missing).get("why", ""))
            for name in sorted(counted)
            if name not in fine
        },
    }


def of_programs(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    """A program counts if it runs on TensorFlow; it passes if its values are the same here."""
    counted = [name for name, each in (theirs or ours).items() if "values" in each]
    fine = [n for n in counted if n in ours and (not theirs or agree(ours[n], theirs[n]))]
    return {
        "kind": "programs",
        "there": len(counted),
        "here": len(fine),
        "failures": {
            name: ours.get(name, {}).get("error", "other values")
            for name in counted
            if name not in fine
        },
    }


def agree(one: Any, other: Any) -> bool:
    """Whether two answers are the same but for rounding."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(agree(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(agree, one, other))
    if isinstance(one, float | int) and isinstance(other, float | int):
        return math.isclose(one, other, rel_tol=1e-3, abs_tol=1e-4) or (
            math.isnan(one) and math.isnan(other)
        )
    return bool(one == other)
