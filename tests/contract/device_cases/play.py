"""Runs the lines of a case and writes down what each gave."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

# An object shows its module and its address, which mean nothing elsewhere.
_ADDRESS = re.compile(r"<[\w.]*?(\w+) object at 0x\w+>")


def names_for(tf: Any, prelude: str) -> dict[str, Any]:
    """A namespace for cases: `tf`, which is TensorFlow or claims to be, and the prelude's names."""
    names: dict[str, Any] = {"tf": tf}
    exec(prelude, names)
    return names


def play(names: dict[str, Any], lines: Sequence[str]) -> list[list[str]]:
    """One answer for each of `lines`, which run one after the other whatever they raise."""
    return [answer(names, line) for line in lines]


def answer(names: dict[str, Any], line: str) -> list[str]:
    """What one line gave: an expression its value as `repr` shows it, a statement None."""
    try:
        return ["value", _ADDRESS.sub(r"<\1>", repr(_run(names, line)))]
    except Exception as error:
        return ["error", type(error).__name__, _ADDRESS.sub(r"<\1>", str(error))]


def _run(names: dict[str, Any], line: str) -> Any:
    try:
        code = compile(line, "<case>", "eval")
    except SyntaxError:
        return exec(line, names)
    return eval(code, names)
