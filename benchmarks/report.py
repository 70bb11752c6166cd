"""What a run found: JSON to keep, tables for people, and the change against a kept run."""

from __future__ import annotations

import datetime
import os
import platform
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from .budgets import Budget, MeanBudget, as_time
from .measure import Samples

OURS = "emplace"
OTHERS = ("torch", "tensorflow", "jax")
MOST_BUDGETS = 20
"""Of more than these only the missed ones are listed."""
Result = Mapping[str, Any]


def to_dict(
    samples: Samples, budgets: Sequence[Budget | MeanBudget], what: Mapping[str, str],
    nbytes: Mapping[str, int] | None = None, **facts: Any,
) -> dict[str, Any]:  # fmt: skip
    """The run as plain values. `what` describes the rows, `nbytes` is what those move that are
    about that, `facts` are kept as they are.
    """
    rows = {row: _row(by_peer, what.get(row, "")) for row, by_peer in samples.items()}
    for row, moved in (nbytes or {}).items():
        if row in rows:
            rows[row]["gb_per_s"] = {
                peer: float(f"{moved / 1e3 / median:.3g}")
                for peer, median in rows[row]["median_us"].items()
            }
    medians = {row: found["median_us"] for row, found in rows.items()}
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        **facts,
        "rows": rows,
        "budgets": [each.to_dict(medians) for each in budgets if rows.keys() >= {*each.rows}],
    }


def _row(by_peer: Mapping[str, list[float]], what: str) -> dict[str, Any]:
    medians = {peer: round(statistics.median(each), 3) for peer, each in by_peer.items() if each}
    ours = medians.get(OURS)
    return {
        "what": what,
        "median_us": medians,
        "spread": {peer: _spread(by_peer[peer]) for peer in medians},
        "emplace_over": {
            peer: float(f"{ours / medians[peer]:.3g}")
            for peer in OTHERS
            if ours is not None and peer in medians
        },
    }


def _spread(values: list[float]) -> float:
    """How far apart the middle half of the rounds is, as a share of the median: the noise."""
    low, middle, high = statistics.quantiles(values * 2, n=4)
    return round((high - low) / middle, 3)


def times_table(result: Result) -> Table:
    """Medians of every row and peer, and our time over the others'."""
    peers = list(result["versions"])
    table = _table(
        f"{result['suite']}: medians of {result['launches']} x {result['rounds']}, microseconds",
        ["row", *peers, *(f"/{peer}" for peer in OTHERS)],
    )
    for row, found in result["rows"].items():
        times = (as_time(found["median_us"].get(peer), "") for peer in peers)
        ratios = (f"{found['emplace_over'].get(peer, '-')}" for peer in OTHERS)
        table.add_row(row, *times, *ratios)
    return table


def rates_table(result: Result) -> Table:
    """How much each row moves in a second."""
    peers = list(result["versions"])
    table = _table(f"{result['suite']}: GB/s", ["row", *peers])
    for row, found in result["rows"].items():
        rates = found.get("gb_per_s", {})
        table.add_row(row, *[f"{rates[peer]:g}" if peer in rates else "-" for peer in peers])
    return table


def budgets_table(result: Result) -> Table:
    """Every budget, what was taken of it, and whether it was kept; of many, those that were not."""
    every = result["budgets"]
    met = sum(each["met"] is True for each in every)
    table = _table(f"budgets: {met} of {len(every)} met", ["budget", "taken", "limit", ""])
    verdicts = {True: "[green]met[/]", False: "[red]missed[/]", None: "unknown"}
    for each in every:
        if each["met"] and len(every) > MOST_BUDGETS:
            continue
        numbers = (_number(each, name) for name in ("taken", "limit"))
        table.add_row(each["budget"], *numbers, verdicts[each["met"]])
    return table


def _number(budget: Mapping[str, Any], name: str) -> str:
    """A time, or a plain number for people."""
    if name in budget:
        return "-" if budget[name] is None else f"{budget[name]:g}"
    return as_time(budget[f"{name}_us"])


def change_table(before: Result, now: Result) -> Table:
    """Our time over the others', before and now: ratios outlive a change of machine."""
    table = _table(
        f"emplace over others: {before['date']} -> now", ["row", *(f"/{peer}" for peer in OTHERS)]
    )
    for row, found in now["rows"].items():
        old, new = before["rows"].get(row, {}).get("emplace_over", {}), found["emplace_over"]
        table.add_row(row, *(_change(old.get(peer), new.get(peer)) for peer in OTHERS))
    return table


def _change(old: float | None, new: float | None) -> str:
    return "-" if old is None or new is None else f"{old} -> {new} ({new / old - 1:+.0%})"


def _table(title: str, columns: Sequence[str]) -> Table:
    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    for i, column in enumerate(columns):
        table.add_column(column, justify="right" if i else "left", no_wrap=True)
    return table
