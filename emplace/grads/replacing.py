"""Rules that a program has put in the place of an op's own, until it puts that back."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping

from .rules import NOT_DIFFERENTIABLE, RULES, Rule

# The rule of a type of op, and whether it has no gradient.
Held = tuple[Rule | None, bool]

REPLACED: dict[str, Held] = {}
_OWN: dict[str, Held] = {}
_LOCK = threading.RLock()


def own(op_type: str) -> Held:
    """What a type of op has, or had before a program replaced it."""
    if op_type not in REPLACED:
        _OWN[op_type] = (RULES.get(op_type), op_type in NOT_DIFFERENTIABLE)
    return _OWN[op_type]


def replace(op_type: str, held: Held) -> None:
    """Puts something in the place of a type's own rule."""
    with _LOCK:
        own(op_type)
        REPLACED[op_type] = held
        _put(op_type, held)


def restore(op_type: str) -> None:
    """Puts a type's own rule back."""
    with _LOCK:
        if op_type in REPLACED:
            _put(op_type, _OWN[op_type])
            del REPLACED[op_type]


def _put(op_type: str, held: Held) -> None:
    rule, is_none = held
    # The new one first: another thread may differentiate at this moment.
    if rule is not None:
        RULES[op_type] = rule
    else:
        RULES.pop(op_type, None)
    (NOT_DIFFERENTIABLE.add if is_none else NOT_DIFFERENTIABLE.discard)(op_type)


@contextlib.contextmanager
def as_replaced(then: Mapping[str, Held]) -> Iterator[None]:
    """A scope in which that is replaced which was at another time: a gradient that waits for
    shapes is what it would have been when it was asked for.
    """
    if then == REPLACED:
        yield
        return
    with _LOCK:
        now = dict(REPLACED)
        try:
            _change(now, then)
            yield
        finally:
            _change(then, now)


def _change(before: Mapping[str, Held], after: Mapping[str, Held]) -> None:
    for op_type in before.keys() - after.keys():
        restore(op_type)
    for op_type, held in after.items():
        replace(op_type, held)
