"""How the tables of late names are written: lines of names under what they share."""

from __future__ import annotations

from collections.abc import Iterable


def by_name(lines: Iterable[tuple[str, str, str]]) -> dict[str, dict[str, tuple[str, str]]]:
    """A table by namespace and name.

    Args:
        lines: (what the names share, their namespace below `tf`, the names with blanks between
            them). A name that differs from ours is written `theirs=ours`.

    Returns:
        From namespace and name to (what is shared, our name).

    >>> by_name([("ops.a", "linalg", "f g=our_g")])
    {'linalg': {'f': ('ops.a', 'f'), 'g': ('ops.a', 'our_g')}}
    """
    made: dict[str, dict[str, tuple[str, str]]] = {}
    for shared, namespace, names in lines:
        for each in names.split():
            theirs, _, ours = each.partition("=")
            made.setdefault(namespace, {})[theirs] = (shared, ours or theirs)
    return made
