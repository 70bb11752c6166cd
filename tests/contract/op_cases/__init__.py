"""What TensorFlow answers, op by op: expressions, evaluated by both and compared.

A case is a Python expression over `tf` and the value makers of `values.py`, such as
`tf.add(f32(2, 3), f32(3))`. `scripts/record_oracle` evaluates all of them with the real
TensorFlow and keeps the answers in `tests/oracle/ops`; `test_ops_oracle.py` evaluates them with
Emplace, on the CPU and on a virtual GPU, and compares values, dtypes, shapes and error classes.

One file per family of ops, whose head says which files of `emplace/ops` it is about, with a list
`CASES`. This package imports nothing of Emplace or TensorFlow: both of them run it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from typing import NamedTuple

_NOT_FAMILIES = {"values", "encode", "raw_calls"}


class Case(NamedTuple):
    """One expression and how closely its answers are compared.

    `compare` is "value", or "shape" where only dtype and shape can be equal (random numbers).
    `rtol` overrides the tolerance of the dtype, `reason` says why it must.
    """

    expression: str
    compare: str = "value"
    rtol: float | None = None
    reason: str = ""


def shape_only(expression: str) -> Case:
    """A case whose values are random: dtype and shape are compared."""
    return Case(expression, compare="shape")


def loose(expression: str, rtol: float, reason: str) -> Case:
    """A case whose values may differ by `rtol`, for a written reason."""
    return Case(expression, rtol=rtol, reason=reason)


# What `pytest --family` names; all if empty.
_CHOSEN: set[str] = set()


def choose(names: Iterable[str]) -> None:
    """Lets `families` tell of these alone.

    Raises:
        LookupError: there is no family of such a name.
    """
    _CHOSEN.clear()
    known, chosen = families(), set(names)
    if unknown := chosen.difference(known):
        raise LookupError(
            f"there is no family {min(unknown)!r} of cases. There are {', '.join(known)}."
        )
    _CHOSEN.update(chosen)


def families() -> list[str]:
    """The names of all families, or of those that were chosen."""
    found = (module.name for module in pkgutil.iter_modules(__path__))
    every = sorted(name for name in found if name not in _NOT_FAMILIES)
    return [name for name in every if name in _CHOSEN or not _CHOSEN]


def cases_of(family: str) -> list[Case]:
    """The cases of a family, in order."""
    module = importlib.import_module(f"{__name__}.{family}")
    return [case if isinstance(case, Case) else Case(case) for case in module.CASES]
