"""Budgets: what a row may take, in terms of other numbers of the same run."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Medians = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Budget:
    """`row` on `peer` may take `factor` times what `of` takes, plus `plus_us` microseconds.

    `of` is a peer; `of_row` another row to compare with; without `of` only the sum counts.
    """

    row: str
    peer: str = "emplace"
    factor: float = 1.0
    of: str | None = None
    of_row: str | None = None
    plus_us: float = 0.0

    @property
    def rows(self) -> tuple[str, ...]:
        """The rows it is about."""
        return self.row, self.of_row or self.row

    def to_dict(self, medians: Medians) -> dict[str, Any]:
        """The budget, what was taken, what was allowed, and whether that is met in this run.
        None where a peer is missing.
        """
        taken = medians.get(self.row, {}).get(self.peer)
        other = medians.get(self.of_row or self.row, {}).get(self.of) if self.of else 0.0
        limit = None if other is None else round(self.factor * other + self.plus_us, 3)
        met = None if limit is None or taken is None else taken <= limit
        return {"budget": str(self), "taken_us": taken, "limit_us": limit, "met": met}

    def __str__(self) -> str:
        parts = []
        if self.of is not None:
            is_part = self.factor < 1 and (1 / self.factor).is_integer()
            factor = f"1/{1 / self.factor:g}" if is_part else f"{self.factor:g}"
            row = f" {self.of_row}" if self.of_row else ""
            parts.append(f"{'' if self.factor == 1 else f'{factor} x '}{self.of}{row}")
        if self.plus_us:
            parts.append(as_time(self.plus_us))
        return f"{self.row}: {self.peer} <= {' + '.join(parts)}"


@dataclass(frozen=True)
class MeanBudget:
    """The geometric mean over `rows` of our time over that of the fastest of `of`: at most
    `factor`.
    """

    rows: tuple[str, ...]
    factor: float
    of: tuple[str, ...]
    peer: str = "emplace"

    def to_dict(self, medians: Medians) -> dict[str, Any]:
        """As `Budget.to_dict`, with numbers without a unit."""
        ratios = [self._ratio(medians.get(row, {})) for row in self.rows]
        known = [ratio for ratio in ratios if ratio is not None]
        mean = round(statistics.geometric_mean(known), 3) if len(known) == len(ratios) else None
        met = None if mean is None else mean <= self.factor
        return {"budget": str(self), "taken": mean, "limit": self.factor, "met": met}

    def _ratio(self, row: Mapping[str, float]) -> float | None:
        if self.peer not in row or not all(peer in row for peer in self.of):
            return None
        return row[self.peer] / min(row[peer] for peer in self.of)

    def __str__(self) -> str:
        return f"mean of {len(self.rows)} rows: {self.peer} <= {self.factor:g} x the fastest"


def as_time(microseconds: float | None, unit: str = " us") -> str:
    """For people, in three digits: large numbers in ms or s, the rest with `unit` behind."""
    if microseconds is None:
        return "-"
    for larger, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{microseconds / size:.3g} {larger}"
    return f"{microseconds:.3g}{unit}"
