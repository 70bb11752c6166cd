"""Keras's own tests, from the installed wheel, on Emplace, beside what passes on TensorFlow.

    python -m scripts.keras_suite                       the whole suite; goes on where it stopped
    python -m scripts.keras_suite ops/nn_test.py        some files below keras/src
    python -m scripts.keras_suite --fresh               from the start
    python -m scripts.keras_suite --gpus 1x6GB          on a virtual GPU with a budget
    python -m scripts.keras_suite --gpus 1x6GB:strict   on one with a memory of its own
    python -m scripts.keras_suite --sample              the fixed samples of CI, here and there
    python -m scripts.keras_suite --sample --quick      the one without virtual GPUs
    python -m scripts.keras_suite --on tensorflow --python .bench-venv/bin/python
                                                        the same on TensorFlow, to compare times

Outcomes are kept in .keras_suite/, a line per test; those on virtual GPUs in files of their own.
An interpreter with TensorFlow needs Keras, pytest, pytest-timeout and pytest-xdist too.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from scripts.warm import Warm

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "keras"
BASELINE = DATA / "baseline_tf_2.21.0.txt.gz"
KNOWN_FAILURES = DATA / "known_failures.txt"
KNOWN_ON_GPUS = DATA / "known_failures_gpus.txt"


def baseline() -> list[str]:
    """The tests that pass on TensorFlow 2.21."""
    names = gzip.decompress(BASELINE.read_bytes()).decode().splitlines()
    # Ids that hold lists have a bracket too many in the file.
    return [name[:-1] if name.count("]") > name.count("[") else name for name in names]


SAMPLE_STEP = 20
# The virtual GPUs of each sample, and into how many parts it is cut: they take about the same time.
SAMPLE_PARTS = {"": 2, "1x6GB": 1, "1x6GB:strict": 1}


def sample(names: list[str], gpus: str) -> list[str]:
    """Every twentieth test; on GPUs every sixtieth, other ones, and on strict GPUs others again."""
    if not gpus:
        return names[::SAMPLE_STEP]
    first = SAMPLE_STEP // 2 + SAMPLE_STEP * _is_strict(gpus)
    return names[first :: 3 * SAMPLE_STEP]


def _is_strict(gpus: str) -> bool:
    return gpus.endswith(":strict")


def known_failures(on_gpus: bool = False) -> dict[str, str]:
    """Those of them that fail on Emplace, with the reason; on virtual GPUs some more."""
    on_gpus |= bool(os.environ.get("EMPLACE_GPUS"))
    files = [KNOWN_FAILURES, *([KNOWN_ON_GPUS] if on_gpus else [])]
    texts = [file.read_text() for file in files if file.exists()]
    lines = [line for line in "\n".join(texts).splitlines() if line.strip()]
    pairs = [line.split("  # ", 1) for line in lines if not line.startswith("#")]
    return {name.strip(): reason for name, reason in pairs}


def source_of_keras(python: str) -> Path:
    """The folder keras/src that an interpreter imports; Keras itself is not imported."""
    ask = "import importlib.util; print(importlib.util.find_spec('keras').origin)"
    done = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"[keras_suite] {python} has no Keras.")
    return Path(done.stdout.strip()).parent / "src"


def log_of(results: Path) -> Path:
    """What pytest said while it made these results."""
    return results.with_suffix(".log")


def environment(results: Path, ids: Path, given: argparse.Namespace) -> dict[str, str]:
    """What the plugin reads, and what suits small models."""
    chosen = {"EMPLACE_GPUS": given.gpus} if given.gpus else {}
    return os.environ | {
        "KERAS_BACKEND": "tensorflow",
        "EMPLACE_KERAS_ON": given.on,
        "EMPLACE_KERAS_RESULTS": str(results),
        "EMPLACE_KERAS_IDS": str(ids),
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        "JAX_PLATFORMS": "cpu",
        "OMP_NUM_THREADS": "1",
        **chosen,
    }


def words(files: list[str], given: argparse.Namespace) -> list[str]:
    """What pytest is told to run these test files below keras/src."""
    source = source_of_keras(given.python)
    return [
        "-q", "-p", "scripts.keras_suite.plugin",
        "--rootdir", str(source.parent.parent), "-c", os.devnull,
        "-o", "python_files=*_test.py", "-p", "no:cacheprovider", "--tb=short",
        "--continue-on-collection-errors",
        "--timeout", str(given.timeout), "-W", "ignore",
        *[str(source / file) for file in files],
    ]  # fmt: skip


def run(files: list[str], results: Path, ids: Path, given: argparse.Namespace) -> int:
    """Runs test files below keras/src; outcomes are added to `results`."""
    workers = ["-n", str(given.workers)] if given.workers > 1 else []
    command = [given.python, "-m", "pytest", *workers, *words(files, given)]
    env = environment(results, ids, given)
    with tempfile.TemporaryDirectory() as scratch, log_of(results).open("w") as log:
        return subprocess.run(
            command, env=env, cwd=scratch, stdout=log, stderr=log, check=False
        ).returncode


def report(results: Path, expected: set[str], on_gpus: bool) -> int:
    """Prints what passes and what fails; returns the number of failures nobody knows of. Keras
    leaves out some of its tests where there is a GPU.
    """
    if not results.exists():
        sys.exit("[keras_suite] no test was run: see .keras_suite/*.log.")
    outcomes = outcomes_in(results)
    if on_gpus:
        expected = {n for n in expected if "GPU" not in _why_skipped(outcomes.get(n, {}))}
    known = known_failures(on_gpus)
    passed = [name for name in expected if outcomes.get(name, {}).get("outcome") == "passed"]
    failed = sorted(
        n for n in expected if outcomes.get(n, {}).get("outcome") in ("failed", "skipped")
    )
    missing = sorted(expected - outcomes.keys())
    new = [name for name in [*failed, *missing] if name not in known]
    causes = collections.Counter(
        outcomes.get(name, {}).get("why", "not collected")[:110] for name in new
    )
    for cause, count in causes.most_common(25):
        print(f"{count:5}  {cause}")
    seconds = sum(line["seconds"] for line in outcomes.values())
    print(
        f"Keras's tests on Emplace: {len(passed)} of {len(expected)} pass; {len(failed)} fail, "
        f"{len({*failed, *missing} & known.keys())} of them known; {len(missing)} not collected. "
        f"{seconds:.0f} s in tests."
    )
    healed = sorted(known.keys() & set(passed))
    if healed:
        print(f"{len(healed)} known failures pass now: take them out of {KNOWN_FAILURES.name}.")
    for name in new[:20]:
        print(f"  new failure: {name}")
    if new:
        print("See .keras_suite/*.log for the tracebacks.")
    return len(new) + len(healed)


def _why_skipped(outcome: dict[str, Any]) -> str:
    return str(outcome.get("why", "")) if outcome.get("outcome") == "skipped" else ""


def outcomes_in(results: Path) -> dict[str, dict[str, Any]]:
    """What a file of outcomes says of each test."""
    if not results.exists():
        return {}
    return {line["id"]: line for line in map(json.loads, results.read_text().splitlines())}


def compare_times(ours: Path, theirs: Path) -> None:
    """Prints how long the tests take that passed on both."""
    here, there = outcomes_in(ours), outcomes_in(theirs)
    both = [
        name for name in here.keys() & there.keys()
        if here[name]["outcome"] == there[name]["outcome"] == "passed"
    ]  # fmt: skip
    if not both:
        print("No test has passed on both yet: see .keras_suite/*.log.")
    else:
        taken, theirs_s = (sum(each[name]["seconds"] for name in both) for each in (here, there))
        print(
            f"{len(both)} tests passed on both: {taken:.0f} s on Emplace, {theirs_s:.0f} s on "
            f"TensorFlow, {taken / max(theirs_s, 1e-9):.2f} x."
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("files", nargs="*", help="test files below keras/src")
    parser.add_argument(
        "--sample", action="store_true", help="every twentieth test, from the start"
    )
    parser.add_argument(
        "--quick", action="store_true", help="leave out the samples on virtual GPUs, and say so"
    )
    parser.add_argument("--fresh", action="store_true", help="forget earlier outcomes")
    parser.add_argument("-n", "--workers", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=600, help="seconds per test")
    parser.add_argument("--on", choices=("emplace", "tensorflow"), default="emplace")
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has it")
    parser.add_argument("--gpus", default="", help="virtual GPUs, such as 1x6GB")
    given = parser.parse_args()
    if given.sample and not given.gpus and given.on == "emplace":
        if given.python != sys.executable:
            parser.error("--sample runs in forks of this interpreter: start it with the other one")
        return 0 if run_samples(given) else 1
    return 0 if run_all(given) else 1


def run_samples(given: argparse.Namespace) -> bool:
    """Runs the samples of CI side by side, in forks of one process that has loaded Keras, and
    reports them; says whether nothing new fails.
    """
    running, is_fine = [], True
    chosen = {"": SAMPLE_PARTS[""]} if given.quick else SAMPLE_PARTS
    with Warm(has_keras=True) as warm, tempfile.TemporaryDirectory() as scratch:
        for gpus, parts in chosen.items():
            of_these = argparse.Namespace(**vars(given) | {"gpus": gpus})
            files, names, ids, results = prepared(of_these)
            env = environment(results, ids, of_these)
            log_of(results).unlink(missing_ok=True)
            for part in range(parts):
                command = ["pytest", *words(files[part::parts], of_these)]
                folder = Path(tempfile.mkdtemp(dir=scratch))
                program = warm.start(command, folder, env, is_apart=False)
                running.append((program, gpus, names, results))
        for program, _, _, results in running:
            program.wait()
            with log_of(results).open("a") as log:
                log.writelines(program.written())
    for gpus, names, results in {gpus: (gpus, *last) for _, gpus, *last in running}.values():
        is_fine &= not report(results, set(names), bool(gpus))
    if given.quick:
        print("Samples that were left out: those on virtual GPUs. `make test SLOW=1` runs them.")
    return is_fine


def prepared(given: argparse.Namespace) -> tuple[list[str], list[str], Path, Path]:
    """(test files, the ids of their tests that are asked for, the file of these, that of outcomes),
    of which the latter goes if the run begins anew.
    """
    folder = ROOT / ".keras_suite"
    folder.mkdir(exist_ok=True)
    kind = "sample" if given.sample else "results"
    if given.gpus:
        kind += "_strict_gpus" if _is_strict(given.gpus) else "_gpus"
    results = folder / f"{kind}{'' if given.on == 'emplace' else '_tensorflow'}.jsonl"
    if given.fresh or given.sample:
        results.unlink(missing_ok=True)
    names = baseline()
    if given.files:
        names = [n for n in names if any(n.startswith(f"keras/src/{f}") for f in given.files)]
    if given.sample:
        names = sample(names, given.gpus)
    files = sorted({name.split("::")[0].removeprefix("keras/src/") for name in names})
    ids = results.with_suffix(".ids")  # of its own: two runs may go on side by side
    ids.write_text("\n".join(names))
    return files, names, ids, results


def run_all(given: argparse.Namespace) -> bool:
    """Runs what is asked for and reports it; says whether nothing new fails."""
    files, names, ids, results = prepared(given)
    run(files, results, ids, given)
    is_fine = given.on == "tensorflow" or not report(results, set(names), bool(given.gpus))
    kind = results.stem.removesuffix("_tensorflow")
    ours, theirs = (results.with_stem(kind + end) for end in ("", "_tensorflow"))
    if theirs.exists() or given.on == "tensorflow":
        compare_times(ours, theirs)
    return is_fine


if __name__ == "__main__":
    sys.exit(main())
