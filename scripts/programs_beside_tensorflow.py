"""Random programs on Emplace and on TensorFlow: what differs by more than float noise.

    python -m scripts.programs_beside_tensorflow 1000000 200            # op by op
    python -m scripts.programs_beside_tensorflow 1000000 200 --function

The tests compare the ways to run a program with each other, op by op being the right one; whether
that one is right, TensorFlow tells. It takes a Python that has TensorFlow 2.21 (`make oracle` makes
one), and about half a second a program, or one and a half as a function. Ends with 1 if a program
differs.
"""

from __future__ import annotations

import argparse
import builtins
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import emplace.tensorflow as tf

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "contract"))

from random_programs.comparison import difference  # noqa: E402
from random_programs.generator import make_program  # noqa: E402
from random_programs.ways import eager, function, use_devices  # noqa: E402
from random_programs.world import Outcome  # noqa: E402

NOISES = 3


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("first", type=int, help="the number of the first program")
    parser.add_argument("count", type=int)
    parser.add_argument("--function", action="store_true", help="as one traced function")
    python = ROOT / ".oracle-venv" / "bin" / "python"
    parser.add_argument("--tensorflow", default=str(python), help="a Python that has it")
    options = parser.parse_args()
    answers = answers_of_tensorflow(options)
    use_devices("0")
    different = 0
    for seed, answer in answers.items():
        if answer is None:
            print(f"program {seed}: TensorFlow did not answer in time")
            continue
        what = compared(seed, answer, options.function)
        if what is not None:
            print(f"program {seed}: {what}")
            different += 1
    print(f"{len(answers)} programs, {different} differ")
    return 1 if different else 0


def answers_of_tensorflow(options: argparse.Namespace) -> dict[int, Any]:
    """What each program left on TensorFlow, by seed."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "answers")
        way = "function" if options.function else "eager"
        script = str(ROOT / "scripts" / "record_oracle" / "programs.py")
        numbers = [str(options.first), str(options.count)]
        subprocess.run([options.tensorflow, script, path, *numbers, way], check=True)
        with open(path, "rb") as file:
            answers: dict[int, Any] = pickle.load(file)
    return answers


def compared(seed: int, answer: Any, is_function: bool) -> str | None:
    """How Emplace differs from an answer of TensorFlow; None if it does not."""
    program, (runs, variables) = make_program(seed), answer
    theirs = Outcome([error_of(run) if isinstance(run, tuple) else run for run in runs], variables)
    ours = function(program) if is_function else eager(program)
    return difference(theirs, ours, lambda: [eager(program, i + 1) for i in range(NOISES)])


def error_of(told: tuple[str, str]) -> Exception:
    """An error of ours like one of TensorFlow."""
    name, text = told
    if hasattr(tf.errors, name):
        error: Exception = getattr(tf.errors, name)(None, None, text)
        return error
    kind = getattr(builtins, name, RuntimeError)
    return kind(text) if issubclass(kind, Exception) else RuntimeError(text)


if __name__ == "__main__":
    sys.exit(main())
