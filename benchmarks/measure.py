"""Rounds: every row on every peer, in turn, again and again.

One peer works at a time, and who comes first changes from round to round, so that a busy moment
of the machine does not fall on one of them alone.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Sequence

from rich.progress import track

from .busy import busy_loops
from .peers import Starter, UnavailableError, Worker

# Microseconds by row and peer, one number per round.
Samples = dict[str, dict[str, list[float]]]


def measure(
    peers: Sequence[Worker | Starter],
    rows: Sequence[str],
    rounds: int,
    seconds: float,
    samples: Samples,
    failures: list[str],
    busy: Collection[str] = (),
) -> None:
    """Measures rows on peers.

    Args:
        peers: who has rows; a row that fails on one is taken from its list.
        rows: which of them, in this order.
        rounds: how often, after one round that only warms up.
        seconds: how long at least, about, per row, peer and round.
        samples: receives the numbers.
        failures: receives a sentence for each row that failed.
        busy: the rows that are measured while every core has other work.
    """
    for row in rows:
        samples.setdefault(row, {})
    for number in track(range(rounds + 1), ", ".join(rows)[:40]) if rows else ():
        first = number % max(1, len(peers))
        turn = (*peers[first:], *peers[:first])
        for row in rows:
            with busy_loops() if row in busy else contextlib.nullcontext():
                times = _taken(turn, row, seconds, failures)
            if number:
                for name, taken in times.items():
                    samples[row].setdefault(name, []).append(taken)


def _taken(
    peers: Sequence[Worker | Starter], row: str, seconds: float, failures: list[str]
) -> dict[str, float]:
    """Microseconds by peer, one after the other."""
    found = {}
    for peer in peers:
        if row not in peer.rows:
            continue
        try:
            found[peer.name] = peer.microseconds(row, seconds)
        except (UnavailableError, BrokenPipeError) as error:
            peer.rows.remove(row)
            failures.append(str(error))
    return found
