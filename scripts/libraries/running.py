"""Runs a library on Emplace or on TensorFlow: its import, its tests, our programs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .table import Library

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).resolve().parent / "programs"
#: Limit of one test, on a machine that may have other things to do.
TEST_SECONDS = 300
_INSTALL = {"emplace": "import emplace; emplace.install()\n", "tensorflow": ""}


@dataclass(frozen=True)
class Side:
    """Where a library runs: on "emplace" or "tensorflow", with this interpreter."""

    on: str
    python: str
    seconds: int = 0
    files: int = 0

    def limit(self, library: Library) -> int:
        """How long a library's tests may take."""
        return self.seconds or library.seconds


def environment(library: Library, paths: list[str], side: Side) -> dict[str, str]:
    """The variables that a library is run with."""
    return os.environ | {
        "KERAS_BACKEND": "tensorflow",
        "OMP_NUM_THREADS": "1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "MPLBACKEND": "agg",
        "LIBRARY_ON": side.on,
        "PYTHONPATH": os.pathsep.join([paths[0], *paths[1:-1], str(ROOT), paths[-1]]),
        **library.environment,
    }


def imports(library: Library, paths: list[str], side: Side, limit: int = 300) -> str:
    """The last line of the error with which a library cannot be imported, "" if it can."""
    code = f"{_INSTALL[side.on]}import {library.module}"
    env = environment(library, paths, side)
    status, said = limited([side.python, "-c", code], env, limit)
    return "" if status == 0 else (said.strip().splitlines() or ["says nothing"])[-1]


def run_tests(
    library: Library,
    paths: list[str],
    side: Side,
    results: Path,
    ids: list[str] | None,
    chosen: Sequence[str] = (),
) -> None:
    """Runs the tests of a library, or those of them that are named; adds to `results`.

    Args:
        library: whose tests.
        paths: where it is imported from; the first has the tests.
        side: what they run on.
        results: a file with a line of JSON for each outcome.
        ids: run only these, by pytest's names; None for all.
        chosen: run only these files of tests.
    """
    env = environment(library, paths, side) | {"LIBRARY_RESULTS": str(results)}
    if ids is not None:
        listed = results.with_suffix(".ids")
        listed.write_text("\n".join(ids))
        env["LIBRARY_IDS"] = str(listed)
        named = {test.partition("::")[0] for test in ids}
        files = sorted(named.intersection(chosen) if chosen else named)
    else:
        files = list(chosen) or _chosen(paths[0], library.tests, side.files)
    command = [
        side.python, "-m", "pytest", "-q", "-p", "scripts.libraries.plugin",
        "--rootdir", paths[0], "-c", os.devnull, "-p", "no:cacheprovider", "--tb=native",
        "-o", "python_files=*_test.py test_*.py", "--continue-on-collection-errors",
        "-o", "addopts=", "--timeout", str(TEST_SECONDS), "-W", "ignore", *library.arguments,
        *[str(Path(paths[0]) / file) for file in files],
    ]  # fmt: skip
    _, said = limited(command, env, side.limit(library))
    results.with_suffix(".log").write_text(said)


def _chosen(site: str, tests: tuple[str, ...], wish: int) -> list[str]:
    """The test files and folders, or so many files of them, spread evenly by their size."""
    if not wish:
        return list(tests)
    found = test_files(site, tests)
    # The largest quarter, which takes most of the time, is left to runs of all.
    ordered = sorted(found, key=lambda path: (path.stat().st_size, str(path)))
    ordered = ordered[: max(wish, 3 * len(ordered) // 4)]
    return [str(path.relative_to(site)) for path in ordered[:: max(1, len(ordered) // wish)][:wish]]


def test_files(site: str, tests: tuple[str, ...]) -> set[Path]:
    """The files of tests below a library's folder."""
    names = ("*_test.py", "test_*.py")
    found = {path for test in tests for name in names for path in Path(site, test).rglob(name)}
    return found | {Path(site, test) for test in tests if Path(site, test).is_file()}


def run_programs(library: Library, paths: list[str], side: Side) -> dict[str, Any]:
    """What our programs for a library print, by the program's name; {} if it has none."""
    file = PROGRAMS / f"{library.module.partition('.')[0]}.py"
    if library.tests or not file.exists():
        return {}
    code = f"{_INSTALL[side.on]}from scripts.libraries.answers import main; main({file.stem!r})"
    env = environment(library, paths, side)
    _, said = limited([side.python, "-c", code], env, side.limit(library))
    lines = [line for line in said.splitlines() if line.startswith("ANSWER ")]
    return dict(json.loads(line.removeprefix("ANSWER ")) for line in lines)


def limited(command: list[str], env: dict[str, str], limit: int) -> tuple[int, str]:
    """Runs a command in a scratch folder for so many seconds; its status and all that it says."""
    with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            command, env=env, cwd=scratch, stdout=log, stderr=log, start_new_session=True
        )
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            pass
        finally:  # so too when this command is interrupted
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        log.seek(0)
        return process.returncode, log.read()
