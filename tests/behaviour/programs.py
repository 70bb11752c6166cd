"""Runs programs in processes of their own, with this checkout of Emplace.

`emplace(...)`, `code(...)`, `script(...)` and `keras(...)` start in no time: they are forks of a
process that has loaded Emplace, or Keras too, which each worker of the tests starts when it is
first asked. `start` is one that runs beside others.
`python(...)` and `new_emplace(...)` are new interpreters, for tests of how a program starts, what
it imports when, and how it goes down.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from scripts.warm import Done, Program, Warm

REPOSITORY = Path(__file__).resolve().parents[2]
_EMPLACE, _KERAS = Warm(), Warm(has_keras=True)
for _warm in (_EMPLACE, _KERAS):
    atexit.register(_warm.close)


def emplace(*arguments: object, folder: Path = REPOSITORY, **environment: str) -> Done:
    """Runs the program `emplace` in `folder`; variables of ours come only from here."""
    words = ["python", "-m", "emplace", *arguments]
    return _EMPLACE.run(words, folder, _environment(**environment))


def code(text: str, **environment: str) -> Done:
    """Runs Python code where Emplace is loaded; variables of ours come only from here."""
    return _EMPLACE.run(["python", "-c", text], REPOSITORY, _environment(**environment))


def script(path: Path, *arguments: object, **environment: str) -> Done:
    """Runs a Python file where Emplace is loaded; variables of ours come only from here."""
    return _EMPLACE.run(["python", path, *arguments], REPOSITORY, _environment(**environment))


def keras(*arguments: object, folder: Path = REPOSITORY, **environment: str) -> Done:
    """Runs the program `emplace` where Keras is loaded on TensorFlow 2, so not with `--tf1`; on one
    thread, which suits small models. Variables of ours are those of the test, and these.
    """
    words = ["python", "-m", "emplace", *arguments]
    return _KERAS.run(words, folder, {**os.environ, "OMP_NUM_THREADS": "1", **environment})


def start(
    words: Sequence[object], environment: Mapping[str, str], has_keras: bool = False
) -> Program:
    """Starts a command, `python ...` or `emplace ...`, with this environment; what it writes as
    errors stands among its output. With Keras it is on TensorFlow 2.
    """
    warm = _KERAS if has_keras else _EMPLACE
    return warm.start(words, REPOSITORY, environment, is_apart=False)


def python(*arguments: object, folder: Path = REPOSITORY, **environment: str) -> Done:
    """Runs a new `python` with these arguments."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env=_environment(**environment),
        capture_output=True,
        text=True,
        timeout=550,  # it hangs
    )


def new_emplace(*arguments: object, folder: Path = REPOSITORY, **environment: str) -> Done:
    """Runs the program `emplace` in a new `python`."""
    return python("-m", "emplace", *arguments, folder=folder, **environment)


def _environment(**given: str) -> dict[str, str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("EMPLACE_", "TF_"))}
    return {**clean, "PYTHONPATH": str(REPOSITORY), **given}
