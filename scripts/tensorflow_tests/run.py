"""Runs TensorFlow's own tests on Emplace, and on TensorFlow; `__main__.py` compares the results.

    python -m scripts.tensorflow_tests.run RESULTS --source DIR
            all files that are listed, on Emplace; goes on where it stopped
    python -m scripts.tensorflow_tests.run RESULTS --source DIR python/eager/backprop_test.py ...
            some files
    python -m scripts.tensorflow_tests.run RESULTS --source DIR --tensorflow PYTHON
            and on TensorFlow, by an interpreter that has 2.21
    python -m scripts.tensorflow_tests.run RESULTS --source DIR --tensorflow PYTHON --only-failing
            there only tests that fail on Emplace, which is all that the comparison needs

DIR holds `tensorflow/python`, and for tests of images and files `tensorflow/core`, of TensorFlow's
source tree at 2.21. Results are kept in RESULTS/em and RESULTS/tf, a file per test file, with what
the process said beside it. A process that crashes, or says nothing for two limits, is started again
behind the test that it was in.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .lists import IMPORT, LISTS, ROOT, judge, read_list, read_rows

ATTEMPTS = 8
_FINAL = ("finished", "import")


@dataclass(frozen=True)
class Side:
    """Where files run: on "em" or "tf", with an interpreter."""

    name: str
    python: str
    gpus: str = ""

    def environment(self) -> dict[str, str]:
        """The variables of its processes."""
        env = os.environ | {
            "OMP_NUM_THREADS": "1",
            "TF_CPP_MIN_LOG_LEVEL": "0",  # tests read what is logged of placement
            "CUDA_VISIBLE_DEVICES": "",
            "PYTHONPATH": str(ROOT),
        }
        env.pop("EMPLACE_GPUS", None)
        if self.name == "em":
            env["EMPLACE_GPUS"] = self.gpus
            env["PYTHONPATH"] += os.pathsep + os.environ.get("PYTHONPATH", "")
        return env


@dataclass(frozen=True)
class Limits:
    """How many seconds a test may take, and a file."""

    test: float
    file: float

    @property
    def silence(self) -> float:
        """After so long without a line a process is killed: the alarm has not been heard."""
        return 2 * self.test + 5


def result_of(results: Path, side: Side, file: str) -> Path:
    """Where a file's lines are kept."""
    return results / side.name / (file.replace("/", "__") + ".jsonl")


def is_finished(result: Path) -> bool:
    """Whether all of a file has been run, or as much as its limit lets it."""
    return any(row["e"] in ("finished", "stopped") for row in read_rows(result))


def add_row(result: Path, row: dict[str, str]) -> None:
    """Adds a line to a result."""
    with result.open("a") as file:
        file.write(json.dumps(row) + "\n")


def scratch_for(folder: Path, source: Path) -> None:
    """Makes a working directory: some tests look for data of TensorFlow below theirs."""
    core = source / "tensorflow" / "core"
    if core.is_dir():
        (folder / "tensorflow").mkdir()
        (folder / "tensorflow" / "core").symlink_to(core)


def watch(process: subprocess.Popen[Any], result: Path, limits: Limits, end: float) -> str:
    """Waits for a process; what it was killed for, "" if it ended by itself."""
    size, changed = -1, time.time()
    while True:
        try:
            process.wait(0.2)
            return ""
        except subprocess.TimeoutExpired:
            pass
        now = result.stat().st_size if result.exists() else 0
        if now != size:
            size, changed = now, time.time()
        late = "file" if time.time() > end else ""
        if now and time.time() - changed > limits.silence:
            late = late or "test"
        if late:
            return late


def attempt(
    side: Side, file: str, source: Path, result: Path, limits: Limits, only: Path | None, end: float
) -> tuple[str, int]:
    """Runs a file once, in a process; what it was killed for, and its status."""
    command = [
        side.python, "-P", "-m", "scripts.tensorflow_tests.one_file", file, str(result),
        "--source", str(source), "--limit", str(limits.test),
        *(["--on-tensorflow"] if side.name == "tf" else []),
        *(["--only", str(only)] if only else []),
    ]  # fmt: skip
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        scratch_for(Path(folder), source)
        env = side.environment() | {"TEST_TMPDIR": folder}
        with result.with_suffix(".log").open("a") as log:
            process = subprocess.Popen(
                command, env=env, cwd=folder, stdout=log, stderr=log, start_new_session=True
            )
            killed = "stopped"
            try:
                killed = watch(process, result, limits, end)
            finally:  # so too when this command is interrupted, and for what tests have started
                if killed:
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    return killed, process.returncode


def run_file(
    side: Side, file: str, source: Path, results: Path, limits: Limits, only: Path | None = None
) -> str:
    """Runs a file to its end, again after crashes; a line on how that went."""
    result = result_of(results, side, file)
    result.parent.mkdir(parents=True, exist_ok=True)
    if read_rows(result)[-1:] and read_rows(result)[-1]["e"] == "import":
        result.unlink()  # it could not be imported: tried anew
    began = time.time()
    killed = ""
    for _ in range(ATTEMPTS):
        killed, status = attempt(side, file, source, result, limits, only, began + limits.file)
        rows = read_rows(result)
        if killed == "file":
            add_row(result, {"e": "stopped", "error": f"after {limits.file:g} s"})
        elif not rows:
            add_row(result, {"e": "import", "error": f"process ended {status}"})
        if not rows or rows[-1]["e"] in _FINAL or killed == "file":
            break
    rows = read_rows(result)
    statuses = {row["id"]: row["status"] for row in rows if row["e"] == "end"}
    total = max((int(row["count"]) for row in rows if row["e"] == "list"), default=0)
    broken = [row["error"] for row in rows if row["e"] == "import"]
    told = " ".join(f"{n} {status}" for status, n in sorted(Counter(statuses.values()).items()))
    late = f", killed for the limit of a {killed}" if killed else ""
    return f"{side.name} {file}: {broken[0] if broken else f'{total} tests: {told}'}{late}"


def open_questions(results: Path, file: str) -> list[str]:
    """The tests of a file that count and fail on Emplace, as far as TensorFlow has not said of them
    what they do there; `(import)` asks whether it imports the file.
    """
    name = file.replace("/", "__") + ".jsonl"
    said = read_rows(results / "tf" / name)
    answered = {row["id"] for row in said if row["e"] == "end"}
    if any(row["e"] == "list" for row in said):
        answered.add(IMPORT)
    return sorted(judge(read_rows(results / "em" / name), []).failed.keys() - answered)


def listed_files() -> list[str]:
    """All files in the lists."""
    return sorted(file for path in LISTS.glob("*.json") for file in read_list(path.stem).files)


def run_side(
    side: Side, files: list[str], source: Path, results: Path, limits: Limits, only_failing: bool
) -> None:
    """Runs files one after the other, unless all is said of them, and tells of each."""
    for file in files:
        if only_failing:
            tests = open_questions(results, file)
            if tests:
                with tempfile.NamedTemporaryFile("w", suffix=".json") as only:
                    json.dump(tests, only)
                    only.flush()
                    chosen = Path(only.name)
                    print(run_file(side, file, source, results, limits, chosen), flush=True)
        elif not is_finished(result_of(results, side, file)):
            print(run_file(side, file, source, results, limits), flush=True)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("results", type=Path, help="a folder")
    parser.add_argument("files", nargs="*", help="such as python/eager/backprop_test.py")
    parser.add_argument("--source", type=Path, required=True, help="has tensorflow/python in it")
    parser.add_argument("--tensorflow", default="", help="an interpreter that has TensorFlow")
    parser.add_argument("--only-failing", action="store_true", help="ask it about these alone")
    parser.add_argument("--gpus", default="2x1GB", help="virtual GPUs on Emplace")
    parser.add_argument("--limit", type=float, default=20, help="seconds of a test")
    parser.add_argument("--file-limit", type=float, default=150, help="seconds of a file")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    options = parser.parse_intermixed_args()
    source, results = options.source.resolve(), options.results.resolve()
    files = options.files or listed_files()
    missing = [file for file in files if not (source / "tensorflow" / file).exists()]
    if missing:
        sys.exit(f"[tensorflow_tests] not in {source}/tensorflow: {' '.join(missing)}")
    limits = Limits(options.limit, options.file_limit)
    sides = [Side("em", sys.executable, options.gpus)]
    if options.tensorflow:
        python = shutil.which(options.tensorflow)
        if python is None:
            sys.exit(f"[tensorflow_tests] no interpreter: {options.tensorflow}")
        sides.append(Side("tf", os.path.abspath(python)))
    # Else the tests that run when this is ended would go on without it.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    for side in sides:
        if options.fresh:
            for file in files:
                result_of(results, side, file).unlink(missing_ok=True)
        only_failing = options.only_failing and side.name == "tf"
        run_side(side, files, source, results, limits, only_failing)


if __name__ == "__main__":
    main()
