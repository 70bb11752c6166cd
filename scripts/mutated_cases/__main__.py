"""See the package."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from . import __doc__ as about
from .mutants import mutants  # before `differences`: it says where the cases are

from .differences import CRASHED, kind_of, text_of  # isort: skip

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("value", "missing", "refused", "class", "crash")
_STANDSTILL = 40.0
"""Seconds without an answer, after which a side hangs in what nothing can interrupt."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(about or "").splitlines()[0])
    parser.add_argument("seed", type=int)
    parser.add_argument("--families", default="", help="of cases: unique,image")
    parser.add_argument("--kinds", default="value,missing,crash", help=", ".join(KINDS))
    python = ROOT / ".oracle-venv" / "bin" / "python"
    parser.add_argument("--tensorflow", default=str(python), help="a Python that has it")
    options = parser.parse_args()
    cases = list(mutants(options.seed, [f for f in options.families.split(",") if f]))
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder) / "expressions"
        listed.write_text(json.dumps([expression for _, expression in cases]))
        theirs = answers(options.tensorflow, "tensorflow", listed, len(cases))
        ours = answers(sys.executable, "emplace", listed, len(cases))
    counts: Counter[str] = Counter()
    for (family, expression), answer, own in zip(cases, theirs, ours, strict=True):
        kind = kind_of(answer, own)
        counts[kind or "the same"] += 1
        if kind in options.kinds.split(","):
            print(f"{kind} [{family}] {expression}")
            print(f"    TensorFlow: {text_of(answer)}\n    Emplace:    {text_of(own)}")
    print(", ".join(f"{count} {kind}" for kind, count in counts.most_common()))


def answers(python: str, side: str, listed: Path, count: int) -> list[Any]:
    """What a side says to each expression; where its process ends or hangs, that it crashed, and
    another process goes on behind.
    """
    said = listed.with_name(side)
    said.touch()
    subprocess.run([python, "-c", f"import {side}"], check=True, stderr=subprocess.DEVNULL)
    while (done := _lines(said)) < count:
        script = ROOT / "scripts" / "mutated_cases" / "answers.py"
        process = subprocess.Popen(
            [python, str(script), side, str(listed), str(said), str(done)],
            cwd=listed.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        _wait_while_it_answers(process, said)
        if process.returncode == 0 and _lines(said) < count:
            raise SystemExit(f"{python} ended before it had answered: {side}")
        if process.returncode:
            with said.open("a") as file:
                file.write(json.dumps(CRASHED) + "\n")
    return [json.loads(line) for line in said.read_text().splitlines()]


def _wait_while_it_answers(process: subprocess.Popen[bytes], said: Path) -> None:
    done, since = -1, time.monotonic()
    while process.poll() is None:
        if (lines := _lines(said)) != done:
            done, since = lines, time.monotonic()
        elif time.monotonic() - since > _STANDSTILL:
            process.kill()
            process.wait()
        time.sleep(0.5)


def _lines(file: Path) -> int:
    return file.read_bytes().count(b"\n")


if __name__ == "__main__":
    main()
