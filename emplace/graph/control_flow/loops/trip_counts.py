"""Loops whose number of iterations is known before they run: `while i < 10`, with `i + 1` each
iteration.

A plan writes them as `for`, and the values of the counters are made with the plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from ...passes.constant_folding import raw_value
from ...passes.prune import effects_of, needed, with_effects
from ...recording.func_graph import FuncGraph
from ...representation.graph import Operation, SymbolicTensor

_MOST_ITERATIONS = 10_000
_INTEGERS = (torch.int32, torch.int64)


class TripCount(NamedTuple):
    """How many iterations, and by the places of loop variables their values: one per iteration, and
    the last one.
    """

    iterations: int
    values: dict[int, list[torch.Tensor]]


def trip_count(operation: Operation) -> TripCount | None:
    """What is known of the counters of a While; None if its iterations are not."""
    tests, step = operation.attrs["bodies"]
    if len(tests.outputs) != 1 or effects_of(tests):
        return None
    around = operation.inputs[operation.attrs["loops"] :]
    known = _Known(around, *operation.attrs["reads"])
    starts: dict[int, torch.Tensor] = {}
    steps: dict[int, int] = {}
    for i, x in enumerate(operation.inputs[: operation.attrs["loops"]]):
        start, by = raw_value(x), known.increment(step.inputs[i], step.outputs[i])
        if by is not None and _is_integer(start) and not _waits(step, step.outputs[i]):
            starts[i], steps[i] = start, by
    places = {id(x): i for i, x in enumerate(tests.inputs) if i in starts}
    limits = known.limits(tests.outputs[0], places)
    if not limits:
        return None
    counts = [-((int(starts[i]) - limit) // steps[i]) for i, limit in limits]
    iterations = max(0, min(counts))
    if iterations > _MOST_ITERATIONS:
        return None
    values = {
        i: [start + k * steps[i] for k in range(iterations + 1)] for i, start in starts.items()
    }  # fmt: skip
    return TripCount(iterations, values)


def _waits(step: FuncGraph, y: SymbolicTensor) -> bool:
    """Whether a counter brings along an effect that would not happen without it."""
    return not step.runs_all and bool(with_effects(needed([y.op])))


class _Known:
    """Numbers that are known inside of the bodies of a loop."""

    def __init__(
        self, around: Sequence[SymbolicTensor], *reads: Sequence[SymbolicTensor | None]
    ) -> None:
        self.outer = {
            id(symbol): x
            for each in reads
            for symbol, x in zip(each, around, strict=True)
            if symbol is not None
        }

    def number(self, x: SymbolicTensor) -> int | None:
        """A whole number; None for all else."""
        raw: Any = raw_value(self.outer.get(id(x), x))
        return int(raw) if _is_integer(raw) else None

    def increment(self, before: SymbolicTensor, after: SymbolicTensor) -> int | None:
        """What an iteration adds to a loop variable, if that is all that it does to it."""
        if after.op.record.name != "AddV2":
            return None
        x, y = after.op.given
        by = self.number(y) if x is before else self.number(x) if y is before else None
        return by if by is not None and by > 0 else None

    def limits(self, test: SymbolicTensor, places: dict[int, int]) -> list[tuple[int, int]] | None:
        """The counters that must all be less than a number; None if there is more to it."""
        if test.op.record.name == "LogicalAnd":
            both = [self.limits(x, places) for x in test.op.given]
            return None if None in both else [limit for each in both for limit in each or ()]
        if test.op.record.name != "Less" or id(test.op.given[0]) not in places:
            return None
        limit = self.number(test.op.given[1])
        return None if limit is None else [(places[id(test.op.given[0])], limit)]


def _is_integer(raw: torch.Tensor | None) -> bool:
    return isinstance(raw, torch.Tensor) and raw.dtype in _INTEGERS and raw.ndim == 0
