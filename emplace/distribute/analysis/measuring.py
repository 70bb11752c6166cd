"""How `strategy.report` measures: steps of all replicas and of the first device in turn."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from ...base.typing import IntLike
from ...core.events import observed_by
from ...data.dataset.dataset import Dataset
from ..replicas.contexts import entered
from .device_times import Share, Shares, are_virtual, synchronize
from .equivalence import arguments_of, elements_of, refuse
from .one_replica import first_device_only
from .scaling import StrategyReport, Timing
from .variable_snapshots import Touched, random_numbers_kept

Clock = Callable[[], float]


class _Measured:
    """The steps of one strategy."""

    def __init__(self, strategy: Any, step: Any, in_replicas: bool, clock: Clock) -> None:
        self.strategy, self.step, self.in_replicas = strategy, step, in_replicas
        self.clock = clock
        self._contexts: dict[str, Any] = {}

    def prepared(self, rows: Any) -> Callable[[], Any]:
        """A step with a batch, which is cut and on its devices already."""
        strategy = self.strategy
        (batch,) = strategy.experimental_distribute_dataset(Dataset.from_tensors(rows))
        given = arguments_of(self.step, batch)
        if self.in_replicas:
            return lambda: strategy.run(self.step, args=given)
        return lambda: self.step(*given)

    def seconds(self, step: Callable[[], Any]) -> float:
        """How long a step takes."""
        devices = self.strategy.replica_devices
        synchronize(devices)
        start = self.clock()
        step()
        synchronize(devices)
        return self.clock() - start

    def timed(self, rows: Any, count: int, steps: int) -> Timing:
        """Times steps of a batch, of all replicas and of one device in turn."""
        found, strategy = Timing(count), self.strategy
        with entered(strategy.cross_context):
            many = self.prepared(rows)
            many()
        with first_device_only(strategy, self._contexts):
            one = self.prepared(rows)
            one()
        for _ in range(steps):
            with entered(strategy.cross_context):
                found.many.append(self.seconds(many))
            with first_device_only(strategy, self._contexts):
                found.one.append(self.seconds(one))
        return found

    def shares(self, rows: Any, steps: int) -> list[Share]:
        """What devices do in a step: the medians of so many, for one may be disturbed."""
        found, seen = [], Shares(self.strategy.replica_devices, self.clock)
        with entered(self.strategy.cross_context):
            step = self.prepared(rows)
            with observed_by(seen):
                for _ in range(steps + 1):  # the first one makes a plan that tells
                    step()
                    found.append(seen.taken())
        del found[0]
        return [_middle(each) for each in zip(*found, strict=True)]


def _middle(shares: Sequence[Share]) -> Share:
    compute, copy, reduce = (
        statistics.median(getattr(each, name) for each in shares)
        for name in ("compute", "copy", "reduce")
    )
    return Share(shares[0].device, compute, copy, reduce)


def measure(
    strategy: Any, step: IntLike | None, data: Any, steps: int, in_replicas: bool,
    clock: Clock = time.perf_counter,
) -> StrategyReport:  # fmt: skip
    """See `MirroredStrategy.report`."""
    refuse(strategy, step, steps, 0.0, "report")
    with random_numbers_kept():
        rows = next(elements_of(data, "report"), None)
        if rows is None:
            raise ValueError("report got no data: give it at least one batch.")
        measured, touched = _Measured(strategy, step, in_replicas, clock), Touched()
        try:
            with observed_by(touched), entered(strategy.cross_context):
                measured.prepared(rows)()
            return _measured(measured, rows, steps)
        finally:
            touched.put({})


def _measured(measured: _Measured, rows: object, steps: int) -> StrategyReport:
    strategy, count = measured.strategy, _row_count(rows)
    whole = measured.timed(rows, count, steps)
    half = None
    if count >= 2 * strategy.num_replicas_in_sync:
        (small,) = Dataset.from_tensors(rows).unbatch().take(count // 2).batch(count // 2)
        half = measured.timed(small, count // 2, steps)
    shares = measured.shares(rows, steps)
    return StrategyReport(shares, whole, half, are_virtual(strategy.replica_devices))


def _row_count(rows: object) -> int:
    return int(Dataset.from_tensors(rows).unbatch().reduce(0, lambda found, *_: found + 1))
