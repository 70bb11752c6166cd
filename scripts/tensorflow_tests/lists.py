"""The lists of TensorFlow's own tests that fail here: what counts, and what a run says of them.

`tests/data/tensorflow_tests/GROUP.json` says per file how many tests count and pass, and per cause
what it means and which tests fail by it. New files' failures get a cause from the rules below;
after that causes are moved by hand, and are kept.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LISTS = ROOT / "tests" / "data" / "tensorflow_tests"

GROUPS = {  # folder below tensorflow/python -> group
    "framework": "framework", "eager": "eager", "autograph": "autograph", "ops": "ops",
    "kernel_tests": "kernels", "data": "data", "training": "training",
    "checkpoint": "checkpoint", "trackable": "checkpoint", "client": "client",
}  # fmt: skip

# A test that fails so used what TensorFlow does not export: an attribute that begins with an
# underscore, or a name which stands in for nothing public. It does not count.
PRIVATE = re.compile(
    r"has no attribute '_(?!_)|NotPublic|HoleBase|<hole |'Hole' object|Hole found|_pywrap"
    r"|No module named '(?:xla|gast|tensorflow\.)|test_util\."
    r"|unexpected keyword argument '(?:_|skip_on_eager)|test_lib' has no"
    # Ops that TensorFlow registers for its own tests.
    r"|Op type not registered '(?:A|\w*FloatOutputs?)'"
)

IMPORT = "(import)"  # stands for all tests of a file that cannot be imported here
UNKNOWN = "not looked at yet"
# What acceptance leaves apart: files that Emplace does not write, and TensorFlow's own servers. The
# last share of the table is that of the other tests.
ARTEFACT, MODELS, CLUSTERS = "meta graphs", "saved models", "clusters"
APART = (ARTEFACT, MODELS, CLUSTERS)
# The first guess at a cause: (name, what it means, what the error looks like).
RULES = [
    (ARTEFACT, "The program's graph as a file (`import_meta_graph`, `export_meta_graph`).",
     r"(?:import|export)_meta_graph"),
    (MODELS, "Tests that write or read a SavedModel.", r"tf\.(?:compat\.v1\.)?saved_model\."),
    (CLUSTERS, "Servers and clusters of TensorFlow.",
     r"experimental_connect_to_cluster|Server\b|create_local_cluster"),
    ("missing name", "A public name of TensorFlow that Emplace lacks or refuses.",
     r"MissingPublic|NotImplementedError|has no attribute|cannot import name"),
    ("time", "Not ended within 20 seconds on a busy machine.",
     r"^not ended in time|process ended"),
    ("no error", "TensorFlow raises an error here and Emplace does not.",
     r"not raised|unexpected success|did not raise"),
    ("text of an error", "The error comes, in other words or as another class.",
     r"does not match|Error type, \w+|not found in"),
    ("values", "A value that differs.",
     r"Not equal to tolerance|Arrays are not|not close|Mismatched elements"),
    ("signature", "An argument that Emplace does not take.",
     r"unexpected keyword|required positional|takes \d"),
    (UNKNOWN, "Nobody has looked into these one by one.", r""),
]  # fmt: skip


@dataclass
class File:
    """What a test file gave: its tests that count, and the errors of those that fail."""

    passed: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)  # test -> error
    is_whole: bool = False  # whether all of its tests were reached
    excluded: set[str] = field(default_factory=set)


@dataclass
class Cause:
    """Why tests fail: a sentence for readers, and test file -> tests."""

    means: str
    tests: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class Listed:
    """A group's list."""

    files: dict[str, dict[str, int]] = field(default_factory=dict)  # file -> counts, passes
    causes: dict[str, Cause] = field(default_factory=dict)

    def failures(self) -> dict[tuple[str, str], str]:
        """(file, test) -> cause."""
        return {
            (file, test): name
            for name, cause in self.causes.items()
            for file, tests in cause.tests.items()
            for test in tests
        }


def group_of(file: str) -> str:
    """The group of a file such as `python/eager/backprop_test.py`."""
    folder = file.split("/")[1]
    return GROUPS.get(folder, folder)


def read_rows(path: Path) -> list[dict[str, str]]:
    """The lines of one result."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def is_private(row: dict[str, str]) -> bool:
    """Whether a failing test used what TensorFlow does not export."""
    touched = row.get("touched", [])
    if any(not name.startswith("tf.") for name in touched):
        return True
    return not touched and bool(PRIVATE.search(row.get("error", "")))


def judge(here: list[dict[str, str]], there: list[dict[str, str]]) -> File:
    """Which tests of a file count, from its lines on Emplace and on TensorFlow.

    Args:
        here: lines of the file's result on Emplace.
        there: lines of its result on TensorFlow; tests that it lacks are taken to pass there.
            Where the file itself cannot be imported there, nothing counts.
    """
    judged = File(is_whole=any(row["e"] == "finished" for row in here))
    truth = {row["id"]: row["status"] for row in there if row["e"] == "end"}
    if any(row["e"] == "import" for row in there):
        return judged
    for row in here:
        if row["e"] == "import" and not PRIVATE.search(row["error"]):
            judged.failed[IMPORT] = row["error"]
        if row["e"] == "end" and row["status"] == "skip":
            judged.excluded.add(row["id"])
        if row["e"] != "end" or row["status"] == "skip":
            continue
        test = row["id"]
        if row["status"] == "ok":
            judged.passed.add(test)
        elif is_private(row) or truth.get(test, "ok") not in ("ok", "skip"):
            judged.excluded.add(test)
        else:
            error = f"{row.get('kind', row['status'])}: {row.get('error', '')}"
            late = row["status"] in ("timeout", "crash")
            judged.failed[test] = "not ended in time" if late else error
    if any(row["e"] == "list" for row in here):
        judged.excluded.add(IMPORT)  # the file can be imported now: its tests tell more
    # A test that ran twice (again after a crash of its process) is what it was first.
    judged.passed -= set(judged.failed)
    return judged


def read_results(folder: Path) -> dict[str, File]:
    """test file -> what it gave."""
    return {
        path.name.removesuffix(".jsonl").replace("__", "/"): judge(
            read_rows(path), read_rows(folder / "tf" / path.name)
        )
        for path in sorted((folder / "em").glob("*.jsonl"))
    }


def read_list(group: str) -> Listed:
    """A group's list, empty if there is none."""
    path = LISTS / f"{group}.json"
    if not path.exists():
        return Listed()
    kept = json.loads(path.read_text())
    causes = {name: Cause(c["means"], c["tests"]) for name, c in kept["causes"].items()}
    return Listed(kept["files"], causes)


def write_list(group: str, listed: Listed) -> None:
    """Keeps a group's list, in an order that does not depend on the run."""
    causes = {
        name: {
            "means": cause.means,
            "tests": {f: sorted(t) for f, t in sorted(cause.tests.items()) if t},
        }
        for name, cause in sorted(listed.causes.items())
    }
    kept = {
        "files": dict(sorted(listed.files.items())),
        "causes": {name: cause for name, cause in causes.items() if cause["tests"]},
    }
    LISTS.mkdir(parents=True, exist_ok=True)
    (LISTS / f"{group}.json").write_text(json.dumps(kept, indent=1) + "\n")


def guess(error: str) -> tuple[str, str]:
    """A first cause for an error, and what it means."""
    return next((name, means) for name, means, rule in RULES if re.search(rule, error, re.S))


def compare(listed: Listed, results: dict[str, File]) -> dict[tuple[str, str], str]:
    """The failures that are not listed, of files that are: (file, test) -> error."""
    known = listed.failures()
    return {
        (file, test): error
        for file, found in results.items()
        if file in listed.files
        for test, error in found.failed.items()
        if (file, test) not in known
    }


def shrink(listed: Listed, results: dict[str, File]) -> None:
    """Takes tests that pass now off the list, and puts new files on it.

    A listed failure that this run did not reach stays. Of a listed file that was not run to its end
    the larger number of tests that count is kept, since a busy machine reaches fewer; a test that
    turns out not to count is taken off that number, too.
    """
    uncounted: dict[str, int] = {}
    for cause in listed.causes.values():
        for file, tests in cause.tests.items():
            if file in results:
                now = results[file]
                gone = now.passed | now.excluded
                uncounted[file] = uncounted.get(file, 0) + len(now.excluded.intersection(tests))
                cause.tests[file] = [test for test in tests if test not in gone]
    for file, judged in results.items():
        if file not in listed.files:
            for test, error in judged.failed.items():
                name, means = guess(error)
                listed.causes.setdefault(name, Cause(means)).tests.setdefault(file, []).append(test)
    failing: dict[str, int] = {}
    for file, _ in listed.failures():
        failing[file] = failing.get(file, 0) + 1
    for file, judged in results.items():
        before = listed.files.get(file, {}).get("counts", 0) - uncounted.get(file, 0)
        here = len(judged.passed) + failing.get(file, 0)
        counts = here if judged.is_whole else max(here, before)
        if counts:
            listed.files[file] = {"counts": counts, "passes": counts - failing.get(file, 0)}
        else:
            listed.files.pop(file, None)
