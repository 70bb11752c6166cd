"""Sections of a text of few lines: titles, and as many rows as there is room for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Section:
    """A title and its rows, the most important first; `noun` is what a row is about.

    Without rows the title says what there was none of. One that `is_apart` has an empty line before
    it; of another one, whose title counts the rows, nothing but that is left if none is shown.
    """

    title: str
    rows: list[str]
    noun: str
    shown: int = 0
    is_apart: bool = True

    def lines(self) -> list[str]:
        """The title, the rows that are shown, and how many are not."""
        if not self.rows:
            return []
        left = len(self.rows) - self.shown
        more = [f"  and {left} more {self.noun}{'s' if left > 1 else ''}"] if left else []
        if not self.is_apart:
            return [self.title, *self.rows[: self.shown], *(more if self.shown else [])]
        return ["", self.title, *self.rows[: self.shown], *more]


def fit(sections: list[Section], most_lines: int) -> None:
    """Shows as many rows as there is room for, the same number of each section if possible."""
    waiting = [each for each in sections if each.rows]
    while waiting:
        shortest = min(waiting, key=lambda each: each.shown)
        shortest.shown += 1
        fits = sum(len(each.lines()) for each in sections) <= most_lines
        if not fits:
            shortest.shown -= 1
        if not fits or shortest.shown == len(shortest.rows):
            waiting.remove(shortest)
