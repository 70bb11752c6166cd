"""docs/LIBRARIES.md, made of what is kept of the runs."""

from __future__ import annotations

import collections
from typing import Any

from emplace.base.files import write_text

from .outcomes import kept
from .reasons import APART, reason
from .running import ROOT
from .table import LIBRARIES

PAGE = ROOT / "docs" / "LIBRARIES.md"
HEAD = """# Libraries

Libraries that were written for TensorFlow, on Emplace. `make libraries` installs each into a folder
of its own, without its dependencies on TensorFlow, runs its tests (or programs of ours, where its
tests cannot be had or need what machines without a network lack) on Emplace and on TensorFlow 2.21,
and writes this page; nothing here is run by the tests of the repository. What counts are the tests
that pass on TensorFlow; those that fail here because they write a SavedModel or make a TPU's
optimizer are counted apart, and named at the end. "n tests in m of k files" is a sample, spread
evenly. Libraries of Keras 2 ran with `TF_USE_LEGACY_KERAS=1`.

To use one, install it with `pip install --no-deps` and what it needs beside TensorFlow: packages
that TensorFlow itself would have brought along (`wrapt`, `six`, `gast`, `astunparse`) have to be
named then. Programs start with `emplace run`, or with `emplace.install()`.

Samples are taken within minutes of a busy machine: tests that were not reached count as failed. Run
by hand before: TensorFlow Probability 0.25.0, 70 files of its tests (distributions, bijectors,
mcmc, sts, math, vi, glm, optimizer, layers): 1,759 of the 1,796 tests that pass on TensorFlow and
were reached on both sides passed here, 23 of the others in `layers`; Sonnet 2.0.2: 848 of 850 in 30
files (2026-11-23); further files of TensorFlow Probability, slow ones of mcmc among them: 231 of
231 in 11 files (2026-11-28).

| library | version | imports | tests or programs | pass on TensorFlow | pass here of these | on |
|---|---|---|---|---|---|---|
"""
REASONS_HEAD = """
## Why the others fail

| library | how many | reason |
|---|---|---|
"""


APART_HEAD = """
## Counted apart

| library | how many | reason | tests |
|---|---|---|---|
"""


def _apart(name: str, said: dict[str, Any]) -> dict[str, list[str]]:
    """The failures of a library that do not count, by reason."""
    found: dict[str, list[str]] = {}
    for test, why in said["failures"].items():
        if reason(name, test, why) in APART:
            found.setdefault(reason(name, test, why), []).append(test)
    return found


def row(name: str, said: dict[str, Any]) -> str:
    """The line of the table for one library."""
    there = said["there"] - sum(map(len, _apart(name, said).values()))
    here = said["here"]
    share = f" ({100 * here / there:.1f} %)" if there else ""
    cells = (
        name, said["version"], "no" if said["import"] else "yes", said["kind"], there,
        f"{here}{share}", said["made"],
    )  # fmt: skip
    return "| " + " | ".join(map(str, cells)) + " |"


def page() -> str:
    """The whole page."""
    known = kept()
    names = [each.name for each in LIBRARIES if each.name in known]
    lines = [row(name, known[name]) for name in names]
    why = []
    for name in names:
        if known[name]["import"]:
            why.append(f"| {name} | all | {known[name]['import'].replace('|', '/')} |")
        failures = known[name]["failures"].items()
        counted = collections.Counter(reason(name, *each) for each in failures)
        why += [
            f"| {name} | {count} | {text} |"
            for text, count in counted.most_common()
            if text not in APART
        ]
    apart = [
        f"| {name} | {len(tests)} | {text} | {', '.join(map(_short, tests))} |"
        for name in names
        for text, tests in _apart(name, known[name]).items()
    ]
    parts = [HEAD, lines, REASONS_HEAD, why, APART_HEAD, apart]
    return "".join(each if isinstance(each, str) else "\n".join(each) + "\n" for each in parts)


def _short(test: str) -> str:
    """A test's file and name."""
    file, _, name = test.partition("::")
    return f"`{file.rpartition('/')[2]}::{name.rpartition('::')[2]}`"


def write() -> None:
    """Writes it."""
    write_text(str(PAGE), page())
