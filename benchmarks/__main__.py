"""The command line: `python -m benchmarks`."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from emplace.base.files import write_text

from .device import CHOICES, DEVICE
from .measure import Samples, measure
from .peers import PEERS, Peer, Starter, UnavailableError, Worker
from .report import budgets_table, change_table, rates_table, times_table, to_dict

RESULTS = Path(__file__).parent / "results"
# Beside other work a library gets the processor for some milliseconds at a time.
_BUSY_S = 0.2
# Who can compute on a card with what is installed here.
ON_CARDS = ("emplace", "bounded", "torch")


def main(
    suite: Annotated[str, typer.Option(help="A folder of rows here.")] = "eager",
    rows: Annotated[str, typer.Option(help="Only these rows: add,matmul.")] = "",
    peers: Annotated[str, typer.Option(help="Only these peers: emplace,torch.")] = "",
    launches: Annotated[int, typer.Option(help="How often the peers are started anew.")] = 3,
    rounds: Annotated[int, typer.Option(help="Measurements of every row per launch.")] = 8,
    seconds: Annotated[float, typer.Option(help="Per row, peer and round.")] = 0.02,
    starts: Annotated[int, typer.Option(help="How often every import is measured.")] = 5,
    compare: Annotated[Path | None, typer.Option(help="Show the change since this result.")] = None,
    output: Annotated[Path | None, typer.Option(help="Write the result to this file.")] = None,
) -> None:
    """Measure Emplace beside TensorFlow, torch and JAX, interleaved in one run.

    A complete run is kept in benchmarks/results; one of some rows or peers only with --output.
    Where BENCH_DEVICE=cuda is set, Emplace and torch run on the first card, and the result is
    SUITE-cuda.json. With BENCH_DEVICE=virtual or strict they run on what stands for a card, and
    nothing is kept.
    """
    if DEVICE not in CHOICES:
        raise typer.BadParameter(f"BENCH_DEVICE={DEVICE!r} is none of {', '.join(CHOICES)}")
    before = json.loads(compare.read_text()) if compare is not None else None
    chosen = importlib.import_module(f"benchmarks.{suite}")
    chosen_rows = [row for row in chosen.ROWS if _is_in(row, rows)]
    threaded = [row for row in chosen_rows if row in getattr(chosen, "ALL_CORES", ())]
    steady = [row for row in chosen_rows if row not in (*chosen.STARTS, *threaded)]
    fresh = [row for row in chosen_rows if row in chosen.STARTS]
    compared = getattr(chosen, "PEERS", [peer.name for peer in PEERS])
    if DEVICE != "cpu":  # the others have builds for the CPU here
        compared = [name for name in compared if name in ON_CARDS]
    selected = [peer for peer in PEERS if peer.name in compared and _is_in(peer.name, peers)]
    gpus = getattr(chosen, "GPUS", 1)
    samples: Samples = {}
    failures: list[str] = []
    versions: dict[str, str] = {}
    for _ in range(launches):
        spreads = getattr(chosen, "SPREADS", False)
        for rows_now, threads in ((steady, False), (threaded, True)):
            if not rows_now:
                continue
            how = spreads or threads, threads, gpus
            workers = _start(selected, f"benchmarks.{suite}", how, failures)
            versions |= {worker.name: worker.version for worker in workers}
            longer = max(seconds, _BUSY_S) if threads else seconds
            busy = getattr(chosen, "BUSY", ())
            try:
                measure(workers, rows_now, rounds, longer, samples, failures, busy)
            finally:
                for worker in workers:
                    worker.close()
    if fresh and not versions:  # who can be started at all
        for worker in _start(selected, f"benchmarks.{suite}", (False, False, gpus), failures):
            versions[worker.name] = worker.version
            worker.close()
    starters = [Starter(peer, chosen.STARTS) for peer in selected if peer.name in versions]
    if starts:
        measure(starters, fresh, starts, seconds, samples, failures)
    failures = list(dict.fromkeys(failures))  # each launch has its own
    moved = getattr(chosen, "BYTES", {})
    result = to_dict(
        samples, chosen.BUDGETS if DEVICE == "cpu" else (), chosen.ROWS, moved,
        device=_device_name(), suite=suite, launches=launches, rounds=rounds, versions=versions,
        failures=failures,
    )  # fmt: skip
    tables = [times_table(result)]
    if result["budgets"]:
        tables.append(budgets_table(result))
    if moved:
        tables.append(rates_table(result))
    if before is not None:
        tables.append(change_table(before, result))
    Console(width=130).print(*tables, *failures, sep="\n")
    if output is None and not (rows or peers) and DEVICE in ("cpu", "cuda"):
        output = RESULTS / f"{suite}-{DEVICE}.json"
    if output is not None:
        write_text(str(output), json.dumps(result, indent=2) + "\n")


def _device_name() -> str:
    """What the peers compute on, for people."""
    if DEVICE != "cuda":
        return DEVICE if DEVICE == "cpu" else f"{DEVICE} GPUs in host memory"
    import torch

    return torch.cuda.get_device_name(0)


def _is_in(name: str, listed: str) -> bool:
    return not listed or name in [each.strip() for each in listed.split(",")]


def _start(
    peers: list[Peer], suite: str, how: tuple[bool, bool, int], failures: list[str]
) -> list[Worker]:
    workers = []
    for peer in peers:
        try:
            workers.append(Worker(peer, suite, *how))
        except UnavailableError as error:
            failures.append(str(error))
    return workers


if __name__ == "__main__":
    typer.run(main)
