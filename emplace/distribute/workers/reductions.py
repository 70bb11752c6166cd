"""How values of the replicas of several workers become one.

Each worker adds up what its own replicas have, on one of its devices; then the workers add up what
they have, once per step for all gradients of a dtype; then each copies the sum to its replicas.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from ...core.context import LOCAL, device
from ...ops.array.joining import concat
from ...ops.math.elementwise import divide
from ...ops.variables.indexed_slices import IndexedSlices
from ..reductions.cross_device import (
    CommunicationOptions,
    CrossDeviceOps,
    all_on,
    broadcast,
    destinations_of,
    tell,
    values_of,
)
from ..replicas.values import ReduceOp
from .ops import gathered, summed


class WorkersOps(CrossDeviceOps):
    """Reduces over the replicas of all workers.

    Args:
        workers: how many there are.
        options: how values travel.
    """

    def __init__(self, workers: int, options: CommunicationOptions) -> None:
        self._workers, self._options = workers, options

    def reduce(
        self,
        reduce_op: ReduceOp | str,
        per_replica_value: Any,
        destinations: Any,
        options: CommunicationOptions | None = None,
    ) -> Any:
        """See `CrossDeviceOps.reduce`. All workers must call it."""
        return self.batch_reduce(reduce_op, [(per_replica_value, destinations)], options)[0]

    def batch_reduce(
        self,
        reduce_op: ReduceOp | str,
        value_destination_pairs: Sequence[Any],
        options: CommunicationOptions | None = None,
    ) -> list[Any]:
        """`reduce` of several (value, destinations) at once."""
        pairs = [(values_of(value), destinations_of(to)) for value, to in value_destination_pairs]
        self._tell_sums(pairs)
        options = options or self._options
        own = [(values, to[:1], to[0], False) for values, to in pairs]
        here = all_on(own, ReduceOp.SUM, options.bytes_per_pack)
        sums = self._across(here, [to[0] for _, to in pairs], options)
        return [
            broadcast(self._mean(total, len(values), to[0], reduce_op), to)
            for total, (values, to) in zip(sums, pairs, strict=True)
        ]

    def _across(
        self, here: Sequence[Any], places: Sequence[str], options: CommunicationOptions
    ) -> list[Any]:
        """The sums over workers of what each of them has."""
        made = list(here)
        together: dict[str, list[int]] = defaultdict(list)
        for i, (value, place) in enumerate(zip(here, places, strict=True)):
            if isinstance(value, IndexedSlices):
                made[i] = _all_slices(value, place)
            else:
                together[place].append(i)
        for place, numbers in together.items():
            with device(place):
                done = summed([here[i] for i in numbers], options.bytes_per_pack)
            for i, total in zip(numbers, done, strict=True):
                made[i] = total
        return made

    def _mean(self, total: Any, count: int, place: str, reduce_op: ReduceOp | str) -> Any:
        """The sum of so many values of each worker, or their mean."""
        if reduce_op is not ReduceOp.MEAN:
            return total
        count *= self._workers
        with device(place):
            if isinstance(total, IndexedSlices):
                rows = divide(total.values, count)
                return IndexedSlices(rows, total.indices, total.dense_shape)
            return divide(total, count)

    def gather(
        self, per_replica_value: Any, destinations: Any, axis: int, options: object = None
    ) -> Any:
        """The values of all replicas joined along an axis: those of the first worker first."""
        wanted = destinations_of(destinations)
        values = values_of(per_replica_value)
        count = len(values)
        tell(
            "all_gather",
            f"Collective batch_all_gather: 1 all-gathers, {self._settings_text(count)}, ",
        )
        with device(wanted[0]):
            here = concat(list(values), axis) if count > 1 else values[0]
            joined = gathered(here, axis)
        return broadcast(joined, wanted)

    def _tell_sums(self, pairs: Sequence[Any]) -> None:
        if LOCAL.state.target.is_eager:  # TF: functions tell it
            return
        kinds = [isinstance(values[0], IndexedSlices) for values, _ in pairs]
        for what, count in (("tensors", kinds.count(False)), ("IndexedSlices", kinds.count(True))):
            if count:
                devices = len(pairs[0][0])
                settings = self._settings_text(devices, "=" if what == "IndexedSlices" else "= ")
                packs = "" if what == "IndexedSlices" else ", num_packs = 1"
                tell(what, f"Collective all_reduce {what}: {count} all_reduces, {settings}{packs}")

    def _settings_text(self, devices: int, equals: str = "= ") -> str:
        return (
            f"num_devices {equals}{devices}, group_size = {devices * self._workers}, "
            f"implementation = {self._options.implementation}"
        )


def _all_slices(value: IndexedSlices, place: str) -> IndexedSlices:
    """The slices of all workers; those for one place add up when they are used."""
    with device(place):
        rows = gathered(value.values, 0)
        places = gathered(value.indices, 0)
    return IndexedSlices(rows, places, value.dense_shape)
