"""What TensorFlow answers about devices: names, scopes, tf.config, strategies, as lines of Python.

A case is a list of lines over `tf`, such as `tf.config.set_visible_devices(gpus[1:], "GPU")`; its
answer is what each line gave: a value or an error. `scripts/record_oracle/devices.py` plays all
cases on the real TensorFlow and keeps them with their answers in `tests/oracle/devices`;
`test_device_oracle.py` plays them on Emplace and compares.

One file per subject; `SUBJECTS` lists them. This package imports nothing of Emplace or
TensorFlow: both of them run it.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import config_calls, naming, strategies, strategy_names, strategy_values

Answer = list[str]
"""["value", repr], ["error", class name, text], or ["crash"] where the process ended."""

FOLDER = Path(__file__).resolve().parents[2] / "oracle" / "devices"


@dataclass(frozen=True)
class Subject:
    """Cases about one thing, on a machine with four GPUs.

    `prelude` are the lines that every case may rely on. `isolated` says that every case needs a
    fresh process; the others share one, in which the prelude has run once.
    """

    prelude: str
    cases: Sequence[Sequence[str]]
    isolated: bool


_VARIABLES = strategy_names.TWO + strategy_values.MAKE
_INPUTS = strategy_names.THREE + "\ns = mirrored()\n" + strategy_values.PARTS

SUBJECTS: dict[str, Callable[[], Subject]] = {
    "strings": lambda: Subject(naming.PLACE, naming.strings(), isolated=True),
    "memory_names": lambda: Subject(naming.START, naming.memory_names(), isolated=False),
    "scopes": lambda: Subject(naming.PLACE + naming.HARD, naming.scopes(), isolated=True),
    "config_calls": lambda: Subject(config_calls.PRELUDE, config_calls.calls(), isolated=True),
    "config_walks": lambda: Subject(config_calls.PRELUDE, config_calls.walks(), isolated=True),
    "strategy_makings": lambda: Subject(
        strategy_names.PRELUDE, strategies.makings(), isolated=True
    ),
    "strategy_contexts": lambda: Subject(strategy_names.TWO, strategies.where(), isolated=True),
    "strategy_runs": lambda: Subject(strategy_names.TWO, strategies.runs(), isolated=True),
    "strategy_reductions": lambda: Subject(
        strategy_names.TWO, strategies.reductions(), isolated=True
    ),
    "strategy_ways": lambda: Subject(strategy_names.THREE, strategies.ways(), isolated=True),
    "strategy_bodies": lambda: Subject(
        strategy_names.TWO.removesuffix("s = mirrored()\n") + strategies.BODY,
        strategies.bodies(),
        isolated=True,
    ),
    "strategy_assignments": lambda: Subject(
        _VARIABLES + "\nC = tf.constant(8.0)\nPER = s.run(number)\n",
        strategy_values.assignments(),
        isolated=False,
    ),
    "strategy_scatters": lambda: Subject(_VARIABLES, strategy_values.scatters(), isolated=False),
    "strategy_variables": lambda: Subject(_VARIABLES, strategy_values.variables(), isolated=True),
    "strategy_cuts": lambda: Subject(_INPUTS, strategy_values.cuts(), isolated=True),
    "strategy_inputs": lambda: Subject(_INPUTS, strategy_values.inputs(), isolated=True),
}
"""How to make the questions of each subject, by the name of its file of answers."""


@dataclass(frozen=True)
class Recording:
    """What TensorFlow was asked and what it said: pairs of (lines, one answer per line)."""

    tensorflow: str
    prelude: str
    isolated: bool
    cases: list[tuple[list[str], list[Answer]]]


def read(name: str) -> Recording:
    """The recording of a subject."""
    head, *cases = json.loads(gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes()))
    return Recording(**head, cases=[(lines, answers) for lines, answers in cases])


def write(name: str, version: str, subject: Subject, answers: list[list[Answer]]) -> None:
    """Keeps the answers of a subject, one case per line so that a change can be read."""
    head = {"tensorflow": version, "prelude": subject.prelude, "isolated": subject.isolated}
    rows = [head, *zip(subject.cases, answers, strict=True)]
    text = "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n"
    FOLDER.mkdir(parents=True, exist_ok=True)
    # No time inside, so that the same answers give the same file.
    (FOLDER / f"{name}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
