"""Plans that run as a graph of the hardware: recorded once, then repeated by one call.

The first calls run as always, in the queue that will be recorded, and count as what they are. The
next one is recorded: every value that the plan is given is copied into memory of the graph's own
before a replay, every result out of it afterwards. Variables stay where they were when it was
recorded; one that has moved since, because the program assigned it, is brought back first. While
somebody holds the value of one that the plan changes, the plan runs as always, for a replay would
change what they hold. If that lasts, it is recorded anew.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import torch

from ...base import log
from ...core.tensor import EagerTensor, make_tensor
from ...devices.backend import Capture
from ...devices.constants import HOLDING
from ...devices.device import Device
from ...devices.inventory import INVENTORY
from ...devices.known import forget
from ...devices.late import StandingChecks
from ...devices.memory import Budget, OutOfBudget
from ...ops.variables.resource import Storage
from .capturable import obstacles
from .plan import Plan

#: How many calls run as always before one is recorded.
CALLS_BEFORE = 3
#: And before those, how many are measured on a device with a budget.
RUNS_MEASURED = 2
#: With fewer operations a graph gains nothing.
LEAST = 4
#: How many calls in a row find a variable held by somebody before the plan is recorded anew, and
#: how often that happens before it has no graph any more.
MOST_HELD = 5
MOST_RECORDINGS = 3

Values = Sequence[Any]


class _Home:
    """Where a variable has to be for the graph: the tensor that it was recorded with. `is_changed`
    says whether the graph writes into it.
    """

    __slots__ = ("is_changed", "storage", "value")

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.value = storage.value
        self.is_changed = True

    def is_ready(self) -> bool:
        """Whether nobody but the variable holds memory that a replay changes, or that the variable
        must be brought back to.
        """
        if self.storage.value is self.value:
            return not (self.is_changed and self.storage.is_held(besides=1))
        probe = Storage("", self.storage.dtype, self.storage.value_shape)
        probe.value = self.value
        return not probe.is_held(besides=1)

    def bring_back(self) -> bool:
        """Moves the variable back if it has moved; False if it is now something else."""
        value = self.storage.value
        if value is self.value:
            return True
        if not isinstance(value, torch.Tensor) or value.shape != self.value.shape:
            return False
        self.value.copy_(value)
        forget(self.value)
        self.storage.value = self.value
        return True


class CapturedPlan:
    """What runs a plan, and after some calls replays it.

    Args:
        name: what messages call it.
        device: the GPU that all of it runs on.
        plan: its plain form, for arguments on that GPU.
    """

    def __init__(self, name: str, device: Device, plan: Plan) -> None:
        self._name = name
        self._device = device
        self._plan = plan
        self._lock = threading.RLock()
        self._capture: Capture | None = None
        self._calls = 0
        self._held = 0
        self._recordings = 0
        self._is_recorded = False
        #: Why there is no graph; empty as long as there may be one.
        self.why_not = ""
        #: How many calls were replays.
        self.replays = 0
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        self._homes: list[_Home] = []
        #: What the graph reads besides: constants that kernels keep on devices.
        self._constants: list[Any] = []
        self._checks = StandingChecks()
        #: The variables whose values the plan replaces, as a call has shown.
        self._moving: set[Storage] = set()

    def __del__(self) -> None:
        self._checks.end()

    def __call__(self, *values: Any) -> Values:
        """What the plan makes of raw values: those of tensors may be on the host."""
        if self.why_not:
            return self._plain(values)
        with self._lock:
            return self._next(values)

    def _next(self, values: Values) -> Values:
        self._calls += 1
        if self._calls <= CALLS_BEFORE:
            return self._warmed_up(values)
        if not self._is_recorded and not self._record(values):
            return self._plain(values)
        if not self._fits(values):
            return self._plain(values)
        return self._replayed(values)

    def _plain(self, values: Values) -> Values:
        """Runs the plan as always, on the GPU."""
        try:
            made = self._plan.run(*map(self._here, values))
        except Exception as error:
            raise self._plan.failure(error) from error
        return made if self.why_not else self._apart(made, values)

    def _apart(self, made: Values, values: Values) -> Values:
        """Results that are nobody's variable: whoever holds one would keep the graph waiting."""
        homes = {_place(each.value) for each in self._storages(values)}
        return [x.clone() if _is_tensor(x) and _place(x) in homes else x for x in made]

    def _here(self, value: Any) -> Any:
        """A value on the GPU."""
        if not isinstance(value, torch.Tensor) or value.device == self._device.torch_device:
            return value
        return self._device.take(value, INVENTORY.devices()[0])

    def _warmed_up(self, values: Values) -> Values:
        if self._calls == 1:  # the device has its generator of random numbers after this
            return self._plain(values)
        if self._capture is None:
            made = self._device.generator
            generators = [] if made is None else [made]
            self._capture = self._device.backend.capture(self._device.ordinal, generators)
        storages = self._storages(values)
        held = [weakref.ref(each.value) for each in storages]
        with self._checks.noting():
            outputs = self._capture.warm_up(lambda: self._plain(values))
        pairs = zip(storages, held, strict=True)
        self._moving = {each for each, value in pairs if each.value is not value()}
        return outputs  # type: ignore[no-any-return]

    # -- recording ------------------------------------------------------------------------------

    def _record(self, values: Values) -> bool:
        """Records the plan; False if there is no graph, or not yet."""
        storages = self._storages(values)
        with ExitStack() as locks:  # so that nobody else takes hold of a value meanwhile
            for each in storages:
                locks.enter_context(each.lock)
            try:
                for each in storages:  # what somebody holds now stays theirs
                    each.own("CUDA graph")
            except OutOfBudget:
                return False
            return self._record_alone(values, storages)

    def _record_alone(self, values: Values, storages: Sequence[Storage]) -> bool:
        self._inputs = [
            torch.empty_like(here) if isinstance(here := self._here(x), torch.Tensor) else x
            for x in values
        ]
        for storage in storages:
            forget(storage.value)  # replays change variables, and the host does not see it
        # Only variables that the plan replaces are held: one that is changed in place must not be.
        moving = [_Home(storage) for storage in storages if storage in self._moving]
        versions = [storage.value._version for storage in storages]
        if not self._try_to_record(moving):
            return False
        self._homes = [_Home(storage) for storage in storages]
        for home, version in zip(self._homes, versions, strict=True):
            moved = home.storage in self._moving
            home.is_changed = moved or home.value._version != version
        self._is_recorded = True
        self._recordings += 1
        return True

    def _try_to_record(self, moving: Sequence[_Home]) -> bool:
        """Records the plan, at whose end the variables that it replaces are where they were."""

        def run() -> Values:
            results = self._plan.run(*self._inputs)
            for home in moving:
                home.bring_back()
            return self._apart(results, self._inputs)

        assert self._capture is not None
        HOLDING.holder = self._constants
        try:
            with self._checks.noting():
                self._outputs = self._capture.record(run)
        except Exception as error:
            for home in moving:
                home.storage.value = home.value
            self._give_up(str(error).partition("\n")[0])
            return False
        finally:
            HOLDING.holder = None
        return True

    def _storages(self, values: Values) -> list[Storage]:
        """The variables of the plan that have values."""
        bound = [getattr(x, "_value", x) for x in self._plan.space.values()]
        found = [x for x in (*values, *bound) if type(x) is Storage]
        return [x for x in dict.fromkeys(found) if _is_tensor(x.value)]

    def _wait_for_holders(self) -> None:
        """Somebody holds a variable; if they go on to, the plan is recorded with a copy of it."""
        self._held += 1
        if self._held < MOST_HELD:
            return
        if self._recordings >= MOST_RECORDINGS:
            self._give_up("again and again somebody holds the value of one of its variables")
            return
        self._drop()
        self._held, self._calls, self._is_recorded = 0, 1, False

    def _drop(self) -> None:
        self._inputs, self._outputs, self._homes, self._capture = [], [], [], None
        self._constants = []
        self._checks.end()
        self._checks = StandingChecks()

    def _give_up(self, why: str) -> None:
        self.why_not = why
        self._drop()
        log.warning(f"[EMPLACE_CUDA_GRAPHS] {self._name} runs without a graph: {why}")

    # -- replaying ------------------------------------------------------------------------------

    def _fits(self, values: Values) -> bool:
        """Whether a replay is what the plan would do now."""
        for x, buffer in zip(values, self._inputs, strict=True):
            is_raw = isinstance(x, torch.Tensor)
            if is_raw and (x.shape != buffer.shape or x.dtype != buffer.dtype):
                return False
            if not is_raw and x is not buffer:  # another variable than the recorded one
                return False
        if not all(home.is_ready() for home in self._homes):
            self._wait_for_holders()
            return False
        self._held = 0
        return all(home.bring_back() for home in self._homes)

    def _replayed(self, values: Values) -> Values:
        for x, buffer in zip(values, self._inputs, strict=True):
            if isinstance(buffer, torch.Tensor):
                buffer.copy_(self._here(x))
        assert self._capture is not None
        self._capture.replay()
        self._checks.repeated()
        self.replays += 1
        return [x.clone() if isinstance(x, torch.Tensor) else x for x in self._outputs]


class CapturedWithin:
    """A captured plan on a device with a budget: it stands where a reservation would.

    The first calls run instrumented and are measured. What they took is set aside for the graph,
    for as long as there is one.
    """

    def __init__(self, captured: CapturedPlan, budget: Budget, plan: Plan) -> None:
        self.captured = captured
        self._budget = budget
        self._plan = plan
        self._runs = 0
        self._need = 0
        #: Gives back what is set aside for the graph; None before it is.
        self._give_back: Callable[[], Any] | None = None

    def run(self, plan: Plan, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        """Runs the plan."""
        if self.captured.why_not:
            return plan.run_instrumented(tensors)
        if self._runs < RUNS_MEASURED:
            return self._measured(plan.run_instrumented, tensors)
        if self._give_back is None and not self._set_aside():
            return plan.run_instrumented(tensors)
        made = self.captured(*[x._value for x in tensors])
        if self.captured.why_not and self._give_back is not None:
            self._give_back()
        return self._charged(made)

    def run_for_host(self, values: Values, fetch: Callable[[list[Any]], list[Any]]) -> None:
        """Not that: its results are charged. Returns None."""

    def _set_aside(self) -> bool:
        if not self._budget.reserve_easily(self._need, 2 * self._need):
            return False
        finalizer = weakref.finalize(self, self._budget.cancel, self._need)
        finalizer.atexit = False
        self._give_back = finalizer
        return True

    def _measured(self, run: Any, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        used, moment = self._budget.usage().in_use, self._budget.mark()
        made: list[EagerTensor] = run(tensors)
        self._need = max(self._need, self._budget.peak_since(moment) - used)
        self._runs += 1
        return made

    def _charged(self, values: Values) -> list[EagerTensor]:
        made = []
        for value, kind, route in zip(values, self._plan.kinds, self._plan.routes, strict=True):
            if _is_tensor(value):
                self._budget.settle(0, (value,), "" if route is None else route.maker)
            made.append(make_tensor(value, kind, route))
        return made


def let_capture(name: str, plan: Plan, make: Callable[[Device], Plan]) -> str:
    """Lets a plan run as a graph of the hardware from some call on, if it can.

    Args:
        name: what messages call it.
        plan: the plan as it runs otherwise.
        make: makes its plain form, for arguments on a device.

    Returns:
        Why it cannot; empty if it can.
    """
    if hindering := obstacles(plan):
        return str(hindering[0])
    device = next(s.placement.device for s in plan.steps if s.placement.device.type == "GPU")
    why = device.backend.why_no_capture(device.ordinal)
    if why or len(plan.steps) < LEAST:
        return why or "it has too few operations to gain by it"
    if plan.called is not None:
        return "somebody watches"
    plain = make(device)
    if hindering := obstacles(plain):
        return str(hindering[0])
    captured = CapturedPlan(name, device, plain)
    if not plan.is_instrumented:
        plan.run = captured
    elif device.budget is not None:
        plan.reserve_by(CapturedWithin(captured, device.budget, plain))
    else:
        return "its operations are told one by one"
    return ""


def _is_tensor(value: object) -> bool:
    """Whether a raw value is one of torch's."""
    return isinstance(value, torch.Tensor)


def _place(value: Any) -> int:
    """Which memory a value is in."""
    return int(value.untyped_storage()._cdata)
