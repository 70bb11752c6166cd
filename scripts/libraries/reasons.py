"""Why tests of libraries fail here that pass on TensorFlow: the table of the page."""

from __future__ import annotations

# (library, a part of a failure's name or of what it says, the reason).
REASONS: tuple[tuple[str, str, str], ...] = ()

UNKNOWN = "not looked at yet"


def reason(library: str, name: str, said: str) -> str:
    """The first reason of the table that fits a failure."""
    for of, part, why in REASONS:
        if of in ("", library) and (part in name or part in said):
            return why
    return UNKNOWN
