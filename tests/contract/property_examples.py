"""How many examples a property asks Hypothesis for: `pytest --quick` makes 30 of 100."""

from __future__ import annotations

_percent = 100


def choose(is_quick: bool) -> None:
    """Says whether there are few; modules of properties ask when they are imported."""
    global _percent
    _percent = 30 if is_quick else 100


def share_of(count: int) -> int:
    """How many of so many examples are made."""
    return count * _percent // 100
