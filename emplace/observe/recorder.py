"""`emplace.watch()`: counts what every op, copy and device did while it listens.

The recorder adds numbers up as they come; it keeps no list of events, so watching a long
training costs no memory. The report is made from the sums, in `report.py`.
"""

from __future__ import annotations

import copy
import threading
import time
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from ..core.events import Call, Copy, Line, Observer, add_observer, remove_observer
from ..devices.device import Device
from ..devices.inventory import INVENTORY
from ..devices.strict import Wait
from ..eager.place import explain_reason


@dataclass(slots=True)
class OpCount:
    """How often an op ran on a device, and for how many seconds its kernel did."""

    count: int = 0
    seconds: float = 0.0


class CopyPlace(NamedTuple):
    """What caused a copy: a source line and an op there. Device names are short ("GPU:0").

    `is_hidden` is False for ops that exist to move data: constants and `tf.identity`.
    """

    line: Line | None
    op_name: str
    source: str
    target: str
    is_hidden: bool


@dataclass(slots=True)
class CopyCount:
    """How many copies or waits, of how many bytes."""

    count: int = 0
    nbytes: int = 0


class Fallback(NamedTuple):
    """An op that is not where it was asked for, with the sentence that says why."""

    line: Line | None
    op_name: str
    device: str
    why: str


class WaitPlace(NamedTuple):
    """What made the host wait for a GPU: a source line, and an op there; `op_name` is None where
    the program itself read a value. `what` is "reads", "sizes depend on" or "copies from the host".
    """

    line: Line | None
    op_name: str | None
    device: str
    what: str


class Peak(NamedTuple):
    """The most bytes in use on a device, and its limit; None for no limit."""

    nbytes: int
    limit_bytes: int | None


@dataclass(slots=True)
class Recording:
    """The sums. `ops` is by (op, device); `peaks` and `refused` are by device. Only strict virtual
    GPUs tell of waits.
    """

    seconds: float = 0.0
    ops: dict[tuple[str, str], OpCount] = field(default_factory=dict)
    copies: dict[CopyPlace, CopyCount] = field(default_factory=dict)
    fallbacks: dict[Fallback, int] = field(default_factory=dict)
    waits: dict[WaitPlace, CopyCount] = field(default_factory=dict)
    are_waits_told: bool = False
    peaks: dict[str, Peak] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)

    @property
    def num_ops(self) -> int:
        """How many ops ran."""
        return sum(each.count for each in self.ops.values())


class Recorder(Observer):
    """An observer that adds up. May be started again, also while it runs."""

    wants_lines = True

    def __init__(self) -> None:
        self._sums = Recording()
        self._lock = threading.RLock()
        self._depth = 0
        self._started = 0.0
        self._moments: dict[Device, int] = {}

    def start(self) -> None:
        """Begins to listen. Devices that are not started yet stay unstarted."""
        with self._lock:
            self._depth += 1
            if self._depth > 1:
                return
            self._started = time.perf_counter()
            self._moments = {device: device.mark() for device in _started_devices()}
            add_observer(self)

    def stop(self) -> None:
        """Stops listening and notes the peaks."""
        with self._lock:
            self._depth -= 1
            if self._depth == 0:
                remove_observer(self)
                self._catch_up()

    def now(self) -> Recording:
        """The sums so far, which do not change any more."""
        with self._lock:
            if self._depth:
                self._catch_up()
            return copy.deepcopy(self._sums)

    def _catch_up(self) -> None:
        now = time.perf_counter()
        self._sums.seconds += now - self._started
        self._started = now
        for device in _started_devices():
            self._sums.are_waits_told |= device.backend.is_strict
            nbytes = device.peak_since(self._moments.get(device, 0))
            if nbytes is not None:
                before = self._sums.peaks.get(device.short_name)
                highest = max(nbytes, before.nbytes) if before else nbytes
                self._sums.peaks[device.short_name] = Peak(highest, device.limit_bytes)

    def executed(self, call: Call) -> None:
        """Counts an op, its time, and a fallback if it was one."""
        route = call.route
        key = route.op.name, route.device.short_name
        with self._lock:
            found = self._sums.ops.get(key)
            if found is None:
                found = self._sums.ops[key] = OpCount()
            found.count += 1
            found.seconds += call.seconds
            if route.reason.is_fallback:
                given = [x.dtype for x in call.inputs]
                why = explain_reason(route.reason, route.op.name, route.scope, given)
                fallback = Fallback(call.line, *key, why)
                self._sums.fallbacks[fallback] = self._sums.fallbacks.get(fallback, 0) + 1

    def copied(self, call: Call, copy: Copy) -> None:
        """Counts a copy."""
        source, target = copy.source.short_name, copy.target.short_name
        place = CopyPlace(call.line, call.op.name, source, target, copy.is_hidden)
        with self._lock:
            _add_bytes(self._sums.copies, place, copy.nbytes)

    def waited(self, wait: Wait, line: Line | None) -> None:
        """Counts a wait."""
        op_name = None if wait.route is None else wait.route.op.name
        place = WaitPlace(line, op_name, f"GPU:{wait.ordinal}", wait.what)
        with self._lock:
            _add_bytes(self._sums.waits, place, wait.nbytes)

    def exhausted(self, device: Device, message: str) -> None:
        """Counts a refused allocation."""
        with self._lock:
            name = device.short_name
            self._sums.refused[name] = self._sums.refused.get(name, 0) + 1


_Place = TypeVar("_Place", CopyPlace, WaitPlace)


def _add_bytes(counts: dict[_Place, CopyCount], place: _Place, nbytes: int) -> None:
    found = counts.get(place)
    if found is None:
        found = counts[place] = CopyCount()
    found.count += 1
    found.nbytes += nbytes


def _started_devices() -> tuple[Device, ...]:
    return INVENTORY.devices() if INVENTORY.is_initialized else ()
