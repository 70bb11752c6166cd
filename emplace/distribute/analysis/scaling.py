"""`strategy.report`: what each replica spends its time on, and whether more of them pay."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ...devices.name import LOCALHOST
from .device_times import Share

# Below this part of a time two measurements of it are the same.
_NOISE = 0.05


@dataclass
class Timing:
    """How long steps of a batch took: with all replicas, and with the first device alone."""

    rows: int
    many: list[float] = field(default_factory=list)
    one: list[float] = field(default_factory=list)

    @property
    def usual(self) -> tuple[float, float]:
        """Of all replicas and of one device, in seconds: what a quarter of the steps took at most,
        for a busy machine makes steps longer, never shorter.
        """
        return _quarter(self.many), _quarter(self.one)

    @property
    def noises(self) -> tuple[float, float]:
        """How far below it steps have been, but no less than a small part of it."""
        many, one = self.usual
        return max(many - min(self.many), _NOISE * many), max(one - min(self.one), _NOISE * one)


def _quarter(times: Sequence[float]) -> float:
    return sorted(times)[len(times) // 4]


@dataclass
class Cost:
    """Seconds of a step: so many whatever the batch is, and so many for each example."""

    fixed: float
    each: float

    @classmethod
    def between(cls, small: tuple[int, float], large: tuple[int, float]) -> Cost:
        """Of two measurements (examples, seconds)."""
        each = (large[1] - small[1]) / (large[0] - small[0])
        return cls(max(0.0, large[1] - each * large[0]), each)


@dataclass
class StrategyReport:
    """What was measured of a strategy's steps. Prints as text.

    Attributes:
        shares: what each replica's device did in a step, by kernels and copies that were watched.
        whole: steps of the whole batch, timed without watching.
        half: steps of half of it; None if the batch is too small to be halved.
        is_shared: whether the replicas' devices are parts of one processor.
    """

    shares: Sequence[Share]
    whole: Timing
    half: Timing | None = None
    is_shared: bool = False

    @property
    def speedup(self) -> float:
        """How many times as fast as one device all replicas are with the same batch."""
        many, one = self.whole.usual
        return one / many

    @property
    def scaling(self) -> float:
        """The speedup as a part of the number of replicas: 1 is all that can be."""
        return self.speedup / len(self.shares)

    @property
    def idle(self) -> list[float]:
        """How long each replica's device waited in a step, in seconds."""
        many, _ = self.whole.usual
        return [max(0.0, many - each.busy) for each in self.shares]

    @property
    def overhead(self) -> float:
        """Seconds of a step in which no replica's device did anything, where they take turns."""
        many, _ = self.whole.usual
        return max(0.0, many - sum(each.busy for each in self.shares))

    @property
    def costs(self) -> tuple[Cost, Cost] | None:
        """What steps cost with all replicas and with one device; None if it cannot be told."""
        if self.half is None:
            return None
        made = []
        for i in range(2):
            small, large = self.half.usual[i], self.whole.usual[i]
            if large - small <= self.half.noises[i] + self.whole.noises[i]:
                return None
            made.append(Cost.between((self.half.rows, small), (self.whole.rows, large)))
        return made[0], made[1]

    @property
    def pays_from(self) -> float | None:
        """From how many examples on a step of all replicas takes less time than one of a single
        device: infinity if it never does, None if that cannot be told.
        """
        if self.costs is None:
            return None
        many, one = self.costs
        if many.each >= one.each * (1 - _NOISE):  # an example costs as much as on one device
            return math.inf
        return max(1, math.ceil((many.fixed - one.fixed) / (one.each - many.each)))

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain values: seconds, numbers, None where something is not known."""
        many, one = self.whole.usual
        return {
            "replicas": [
                {"device": each.device, "compute": each.compute, "copy": each.copy,
                 "reduce": each.reduce, "idle": idle}
                for each, idle in zip(self.shares, self.idle, strict=True)
            ],
            "batch": self.whole.rows, "seconds": many, "seconds_of_one_device": one,
            "speedup": self.speedup, "scaling": self.scaling, "held_back_by": self.held_back_by,
            "pays_from": self.pays_from,
        }  # fmt: skip

    @property
    def held_back_by(self) -> str:
        """What most of the time is lost to."""
        many, _ = self.whole.usual
        busy = [each.busy for each in self.shares]
        compute = [each.compute for each in self.shares]
        moved = sum(each.copy + each.reduce for each in self.shares)
        slowest, mean = max(compute), statistics.mean(compute)
        found = {
            "overhead": self.overhead if self.is_shared else max(0.0, many - max(busy)),
            "moved": moved if self.is_shared else moved / len(self.shares),
            "uneven": 0.0 if self.is_shared else slowest - mean,
            "shared": sum(compute) - slowest if self.is_shared else 0.0,
        }
        what = max(found, key=lambda key: found[key])
        part = f"{min(1.0, found[what] / many):.0%} of a step"
        return {
            "overhead": f"what is no kernel and no copy, such as Python between them: {part}",
            "moved": f"copies and reductions: {part}",
            "uneven": f"{_short(self._slowest)} computes longer than the others: {part}",
            "shared": f"replicas share one processor and run in turn: {part} is work of others",
        }[what]

    @property
    def _slowest(self) -> str:
        return max(self.shares, key=lambda each: each.compute).device

    def __str__(self) -> str:
        many, one = self.whole.usual
        lines = [
            f"{len(self.shares)} replicas, batches of {self.whole.rows}: {_time(many)} a step, "
            f"{_time(one)} on {_short(self.shares[0].device)} alone",
            f"{'replica':<10}{'compute':>11}{'copy':>11}{'reduce':>11}{'idle':>11}",
        ]
        for each, idle in zip(self.shares, self.idle, strict=True):
            cells = [each.compute, each.copy, each.reduce, idle]
            name = _short(each.device)
            lines.append(f"{name:<10}" + "".join(f"{_time(cell):>11}" for cell in cells))
        return "\n".join([
            *lines,
            f"scaling: {self.speedup:.2f} times one device, {self.scaling:.0%} of what "
            f"{len(self.shares)} could be",
            f"held back by {self.held_back_by}",
            self._pays(),
        ])  # fmt: skip

    __repr__ = __str__

    def _pays(self) -> str:
        if self.half is None:
            return (
                "from which batch size more replicas pay cannot be told: the batch is too small to "
                "be halved, give one of at least 2 examples for each replica"
            )
        found = self.pays_from
        if found is None:
            return (
                f"from which batch size more replicas pay cannot be told: batches of "
                f"{self.half.rows} and of {self.whole.rows} take the same time here but for noise, "
                "give larger ones, more steps or a quieter machine"
            )
        assert self.costs is not None
        many, one = self.costs
        costs = (
            f"a step takes {_time(many.fixed)} + {_time(many.each)} an example, on one device "
            f"{_time(one.fixed)} + {_time(one.each)}"
        )
        if found == math.inf:
            return f"more replicas pay at no batch size: {costs}"
        return f"more replicas pay from batches of {found} on: {costs}"


def _short(name: str) -> str:
    return name.removeprefix(f"{LOCALHOST}/device:")


def _time(seconds: float) -> str:
    if abs(seconds) < 1e-3:
        return f"{seconds * 1e6:.1f} us"
    return f"{seconds * 1e3:,.2f} ms" if abs(seconds) < 10 else f"{seconds:,.1f} s"
