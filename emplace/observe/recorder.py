"""`emplace.watch()`: counts what every op, copy and device did while it listens.

The recorder adds numbers up as they come; it keeps no list of events, so watching a long
training costs no memory. The report is made from the sums, in `report.py`.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from ..core.events import Call, Copy, Line, Observer, add_observer, remove_observer
from ..devices.device import Device
from ..devices.inventory import INVENTORY
from ..eager.place import explain_reason


@dataclass(slots=True)
class OpCount:
    """How often an op ran on a device, and for how many seconds its kernel did."""

    count: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class CopyCount:
    """How many copies one source line caused, of how many bytes, for which op."""

    count: int = 0
    nbytes: int = 0
    op_name: str = ""


@dataclass(slots=True)
class Recording:
    """The sums. Device names are short ("GPU:0"); copies have a source and a target, fallbacks
    the sentence that says why.
    """

    seconds: float = 0.0
    ops: dict[tuple[str, str], OpCount] = field(default_factory=dict)
    copies: dict[tuple[Line | None, str, str, bool], CopyCount] = field(default_factory=dict)
    fallbacks: dict[tuple[str, str, str, Line | None], int] = field(default_factory=dict)
    peaks: dict[str, tuple[int, int | None]] = field(default_factory=dict)
    exhausted: dict[str, int] = field(default_factory=dict)

    @property
    def num_ops(self) -> int:
        """How many ops ran."""
        return sum(each.count for each in self.ops.values())


class Recorder(Observer):
    """An observer that adds up."""

    wants_lines = True

    def __init__(self) -> None:
        self.sums = Recording()
        self._lock = threading.Lock()
        self._started: float | None = None

    def start(self) -> None:
        """Begins to listen. Devices that are not started yet stay unstarted."""
        self._started = time.perf_counter()
        for device in INVENTORY.devices() if INVENTORY.is_initialized else ():
            if device.budget is not None:
                device.budget.reset_peak()
            else:
                device.backend.reset_allocator_peak(device.ordinal)
        add_observer(self)

    def stop(self) -> None:
        """Stops listening and notes the peaks."""
        remove_observer(self)
        if self._started is not None:
            self.sums.seconds += time.perf_counter() - self._started
            self._started = None
            self._note_peaks()

    def now(self) -> Recording:
        """The sums so far."""
        if self._started is not None:
            self.sums.seconds += time.perf_counter() - self._started
            self._started = time.perf_counter()
            self._note_peaks()
        return self.sums

    def _note_peaks(self) -> None:
        for device in INVENTORY.devices() if INVENTORY.is_initialized else ():
            peak = peak_of(device)
            if peak is not None:
                before, _ = self.sums.peaks.get(device.short_name, (0, None))
                self.sums.peaks[device.short_name] = max(peak, before), device.limit_bytes

    def executed(self, call: Call) -> None:
        """Counts an op, its time, and a fallback if it was one."""
        route = call.route
        key = route.op.name, route.device.short_name
        with self._lock:
            found = self.sums.ops.get(key)
            if found is None:
                found = self.sums.ops[key] = OpCount()
            found.count += 1
            found.seconds += call.seconds
            if route.reason.is_fallback:
                given = [x.dtype for x in call.inputs]
                why = explain_reason(route.reason, route.op.name, route.scope, given)
                place = (*key, why, call.line)
                self.sums.fallbacks[place] = self.sums.fallbacks.get(place, 0) + 1

    def copied(self, call: Call, copy: Copy) -> None:
        """Counts a copy."""
        key = call.line, copy.source.short_name, copy.target.short_name, copy.is_hidden
        with self._lock:
            found = self.sums.copies.get(key)
            if found is None:
                found = self.sums.copies[key] = CopyCount(op_name=call.op.name)
            found.count += 1
            found.nbytes += copy.nbytes

    def exhausted(self, device: Device, message: str) -> None:
        """Counts a refused allocation."""
        with self._lock:
            name = device.short_name
            self.sums.exhausted[name] = self.sums.exhausted.get(name, 0) + 1


def peak_of(device: Device) -> int | None:
    """The most bytes in use on a device, or None where nobody counts."""
    if device.budget is not None:
        return device.budget.usage().peak
    found = device.backend.allocator_peak(device.ordinal)
    return None if found is None else found[1]
