"""Holders as text: a table by kinds, as long as there is room for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..base.sections import Section, fit
from ..devices.memory import format_bytes
from .census import Holder, by_kind


def tables(holders: Sequence[Holder], most_lines: int) -> list[str]:
    """Holders by kind, the kinds with the most bytes first, and in each the largest.

    Args:
        holders: the holders.
        most_lines: how many lines there may be; a line per kind is the least. A kind that holds
            less than a fiftieth gets no more.
    """
    groups, total = by_kind(holders), _bytes(holders)
    sections = [_section(kind, group) for kind, group in groups]
    shown = [
        x for x, (_, group) in zip(sections, groups, strict=True) if _bytes(group) * 50 > total
    ]
    fit(shown, most_lines - (len(sections) - len(shown)))
    return [line for each in sections for line in each.lines()]


def _section(kind: str, group: Sequence[Holder]) -> Section:
    alike: dict[tuple[str, str], list[Holder]] = {}
    for each in group:
        alike.setdefault((_stem(each), made_text(each)), []).append(each)
    rows = sorted(alike.values(), key=lambda some: -_bytes(some))
    names = [_name(some) for some in rows]
    width = min(60, max(map(len, names[:50])))
    return Section(
        f"{kind}: {format_bytes(_bytes(group))} in {len(group)}",
        [
            f"  {format_bytes(_bytes(some)):>10}  {name:<{width}}  {made_text(some[0])}".rstrip()
            for some, name in zip(rows, names, strict=True)
        ],
        "row",
        is_apart=False,
    )


def _bytes(holders: Sequence[Holder]) -> int:
    return sum(each.nbytes for each in holders)


def _stem(holder: Holder) -> str:
    """The name without the places in lists and dictionaries."""
    return re.sub(r"\[[^]]*\]", "[...]", holder.name)


def _name(alike: Sequence[Holder]) -> str:
    """The name of one holder, or of several that differ in nothing else: "6 x history[...]"."""
    if len(alike) == 1:
        return _short(alike[0].name)
    names = {each.name for each in alike}
    return f"{len(alike)} x {_short(names.pop() if len(names) == 1 else _stem(alike[0]))}"


def made_text(holder: Holder) -> str:
    """What made it: "MatMul [1000, 1000] float32, train.py:9"."""
    what = f"{holder.op} {list(holder.shape)} {holder.dtype}" if holder.dtype else holder.op
    where = "" if holder.line is None else str(holder.line)
    return ", ".join(filter(None, (what, where)))


def _short(name: str) -> str:
    return name if len(name) <= 60 else f"{name[:28]}...{name[-29:]}"
