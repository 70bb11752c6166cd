"""What devices do during steps, added up while one watches: computing, copying, reducing."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...core.events import Call, Observer
from ...devices.inventory import INVENTORY
from ..reductions.cross_device import full_name

_SUMS = {"ReplicaSum", "ReplicaNcclSum", "ReplicaPack", "ReplicaUnpack", "ReplicaPart"}
_COPIES = {"ReplicaCopy"}


@dataclass
class Share:
    """What one replica's device did, in seconds: kernels, copies to it, reductions on it."""

    device: str
    compute: float = 0.0
    copy: float = 0.0
    reduce: float = 0.0

    @property
    def busy(self) -> float:
        """All of it."""
        return self.compute + self.copy + self.reduce


class Shares(Observer):
    """Adds up what the devices of replicas do.

    A reduction is an op that adds what comes from several replicas, and what packs values for one.
    Copies take the time of an op that is not its kernel's.

    Args:
        devices: the full names of the replicas' devices.
        clock: tells the seconds.
    """

    def __init__(
        self, devices: Sequence[str], clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._devices = tuple(devices)
        self._clock = clock
        self._began = 0.0
        self.shares: list[Share] = []
        self.taken()

    def taken(self) -> list[Share]:
        """What has been added up so far; it begins anew."""
        before, self.shares = self.shares, [Share(name) for name in self._devices]
        self._by_name = {full_name(each.device): each for each in self.shares}
        return before

    def placed(self, call: Call) -> None:
        """An op is about to run."""
        self._began = self._clock()

    def executed(self, call: Call) -> None:
        """Adds an op, and the copies that it needed."""
        share = self._by_name.get(call.device.name)
        if share is None:
            return
        name = call.op.name
        if call.copies:
            share.copy += max(0.0, self._clock() - self._began - call.seconds)
        if name in _COPIES or (call.copies and call.op.is_transfer and name not in _SUMS):
            share.copy += call.seconds
        elif name in _SUMS or self._meets(call):
            share.reduce += call.seconds
        else:
            share.compute += call.seconds

    def _meets(self, call: Call) -> bool:
        """Whether an op takes values from other replicas."""
        return any(copy.source.name in self._by_name for copy in call.copies)


def synchronize(devices: Sequence[str]) -> None:
    """Waits until devices have done what they were told."""
    for each in INVENTORY.devices():
        if each.type != "CPU" and each.name in devices:
            each.backend.synchronize(each.ordinal)


def are_virtual(devices: Sequence[str]) -> bool:
    """Whether devices are parts of one processor, as virtual GPUs and logical CPUs are."""
    found = [each for each in INVENTORY.devices() if each.name in devices]
    places = {"cpu" if each.backend.is_strict else str(each.torch_device) for each in found}
    return len(places) < len(found)
