"""A plan that cannot fit is refused before anything of it runs.

Where a device is bounded, a plan that might meet the limit is projected before it runs: see
`projection.py`. What it takes then is the same in each call, so it is projected once, and compared
with what is free in each call. In doubt the plan runs, and finds out.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...base import dtypes
from ...base.errors import OpError, ResourceExhaustedError
from ...base.shapes import num_elements
from ...core.events import tell
from ...core.tensor import EagerTensor
from ...devices.device import Device
from ...devices.inventory import INVENTORY
from ...devices.memory import format_bytes, round_up
from ...devices.phantom import STANDING, Unprojectable
from ...eager.failure import first_line
from ...eager.scratch import may_take_scratch
from ...holders.refusals import holders_and_help
from ...ops.infer import Spec
from ..passes.prune import has_effect
from ..representation.graph import Operation, SymbolicTensor
from .batches import batch_that_fits
from .build import PlanOptions, build_plan
from .failures import located
from .phantom_world import World
from .plan import Plan
from .projection import (
    PlanSources,
    Projection,
    Question,
    first_past,
    paths,
    standing_in,
)
from .reservation import bytes_behind
from .steps import Step

# What is made in a branch or a loop may be there several times: how often is only known later.
_IN_A_BODY = 4
# What a kernel of several calls of torch may take while it runs, to what it is given and makes.
_OF_SCRATCH = 8


class _Trying(threading.local):
    anyway = 0


_TRYING = _Trying()
#: The threads that run a plan on bounded devices now: what they hold may be free in a moment.
_RUNNING: set[int] = set()


@contextmanager
def try_anyway() -> Iterator[None]:
    """A scope in which functions and sessions run though they are not going to fit.

    Emplace knows what a function or a run of a session will hold at most, and refuses one that does
    not fit into a limited device before anything of it runs. In this scope of this thread it runs
    until it meets the limit, as in TensorFlow: to see how far it comes, or what a report tells
    then. What it has changed is undone all the same.

    >>> import emplace.tensorflow as tf
    >>> with try_anyway():
    ...     tf.function(lambda x: x + 1)(1)
    <tf.Tensor: shape=(), dtype=int32, numpy=2>
    """
    _TRYING.anyway += 1
    try:
        yield
    finally:
        _TRYING.anyway -= 1


def build_foreseen(
    arguments: Sequence[SymbolicTensor],
    results: Sequence[SymbolicTensor],
    effects: Sequence[Operation],
    options: PlanOptions,
) -> Plan:
    """As `build_plan`; the plan is refused before it runs where it is not going to fit.

    Raises:
        InvalidArgumentError: an operation cannot be placed.
    """
    plan = build_plan(arguments, results, effects, options)
    if plan.is_instrumented:
        _let_foresee(plan)
    return plan


def _let_foresee(plan: Plan) -> None:
    """Lets an instrumented plan be refused, if it takes part in a bounded device."""
    devices = [each for each in INVENTORY.devices() if _is_bounded(each)]
    if not devices or len(plan.steps) < 2:
        return
    foresight = Foresight(PlanSources(*plan.sources), devices, plan.steps)
    run, running = plan.run, _RUNNING

    def foreseen(*tensors: EagerTensor) -> list[Any]:
        if not foresight.is_far():
            foresight.check(tensors)
        thread = threading.get_ident()
        is_outermost = thread not in running
        running.add(thread)
        try:
            return run(*tensors)  # type: ignore[no-any-return]
        finally:
            if is_outermost:
                running.discard(thread)

    plan.run = foreseen


def _is_bounded(device: Device) -> bool:
    budget = device.budget
    while budget is not None:
        if budget.limit_bytes is not None:
            return True
        budget = budget.parent
    return False


class Foresight:
    """What is known of a plan before it runs.

    Args:
        sources: what the plan is made of.
        devices: the bounded devices.
        steps: what the plan does.
    """

    def __init__(
        self, sources: PlanSources, devices: Sequence[Device], steps: Sequence[Step]
    ) -> None:
        self._sources = sources
        self._devices = devices
        self._most = [(each.budget, _most_of(steps, each)) for each in devices]
        self._most = [(budget, most) for budget, most in self._most if most]
        self._lock = threading.Lock()
        self._is_known = False
        #: What it holds on the ways that it may go; none where nobody can tell.
        self._paths: list[Projection] = []

    def is_far(self) -> bool:
        """Whether it fits even if nothing that it makes is let go."""
        for budget, most in self._most:
            assert budget is not None
            if not budget.has_easily(most):
                return False
        return True

    def check(self, tensors: Sequence[EagerTensor]) -> None:
        """Refuses what does not fit on whatever way it goes.

        Raises:
            ResourceExhaustedError: it does not; nothing of it has run.
        """
        if _TRYING.anyway or STANDING.world is not None or _RUNNING - {threading.get_ident()}:
            return
        known = self._known(tensors)
        if not known:
            return
        refused = [self._refusing(each) for each in known]
        if all(refused):
            name = refused[0]
            device = next(each for each in self._devices if each.short_name == name)
            raise self._error(device, known[0], tensors)

    def _known(self, tensors: Sequence[EagerTensor]) -> list[Projection]:
        with self._lock:
            if not self._is_known:
                self._is_known = True
                try:
                    found = paths(_question(self._sources, tensors))
                except (Unprojectable, OpError, NotImplementedError):
                    found = None
                self._paths = found or []
                if found:
                    self._most = [(each.budget, _most_on(found, each)) for each in self._devices]
            return self._paths

    def _refusing(self, projection: Projection) -> str | None:
        """The device that refuses a projection; None where all fits."""
        for device in self._devices:
            peak = projection.devices[device.short_name]
            assert device.budget is not None
            if peak.extra and not device.budget.has_room(round_up(peak.extra)):
                return device.short_name
        return None

    def _error(
        self, device: Device, projection: Projection, tensors: Sequence[EagerTensor]
    ) -> ResourceExhaustedError:
        """The refusal, in the words of the operation that would be refused memory first."""
        peak = projection.devices[device.short_name]
        budget = device.budget
        assert budget is not None
        usage = budget.usage()
        limit = usage.limit or 0
        free = max(0, limit - usage.in_use)
        operation = first_past(_question(self._sources, tensors), device.short_name, free)
        operation = operation or peak.operation
        at = "" if peak.operation is None else f" at {told(peak.operation)}"
        name = "" if operation is None else operation.type
        line = None if operation is None else operation.line
        smaller = batch_that_fits(self._sources, tensors, self._devices, projection)
        _, report = holders_and_help(device, budget, name, line, peak.extra, smaller)
        text = (
            f"{_first_line(device, operation)}\n"
            f"Running this needs {format_bytes(usage.in_use + peak.extra)} on "
            f"{device.short_name}{at}, limit {format_bytes(limit)}: "
            f"{format_bytes(usage.in_use)} of {format_bytes(limit)} are in use, and it takes "
            f"{format_bytes(peak.extra)} more. Nothing of it has run. `emplace.estimate` tells "
            "what other sizes need, and `with emplace.try_anyway():` runs it all the same."
        )
        text = "\n".join([text, *report])
        tell("exhausted", device, text)
        error: Exception = ResourceExhaustedError(None, None, text)
        if operation is not None:
            error = located(error, operation)
        assert isinstance(error, ResourceExhaustedError)
        return error


def told(operation: Operation) -> str:
    """An operation and the line that made it."""
    line = operation.line
    where = "" if line is None else f" ({line.file.rsplit('/', 1)[-1]}:{line.number})"
    return f"`{operation.name}`{where}"


def _first_line(device: Device, operation: Operation | None) -> str:
    """As of the largest output of an operation, or of a function as a whole."""
    if operation is None:
        return first_line(device, "Function", Spec((), dtypes.float32))
    largest = max(operation.outputs, key=_bytes, default=None)
    if largest is None or largest.dims is None:
        return first_line(device, operation.type, Spec((), dtypes.float32))
    return first_line(device, operation.type, Spec(largest.dims, largest.dtype))


def _bytes(y: Any) -> int:
    if y.dtype.torch is None or not y.is_fully_known:
        return 0
    return round_up(int(num_elements(y.dims)) * y.dtype.size)


def _most_on(ways: Sequence[Projection], device: Device) -> int:
    """The most bytes that a plan takes on a device, whatever way it goes."""
    return max(round_up(each.devices[device.short_name].extra) for each in ways)


def _most_of(steps: Sequence[Step], device: Device) -> int:
    """The bytes of all that these steps make on a device, and of what one of them may take."""
    total = scratch = 0
    for step in steps:
        if step.placement.device is not device:
            continue
        if may_take_scratch(step.operation.record):
            around = sum(map(_bytes, (*step.operation.inputs, *step.operation.outputs)))
            scratch = max(scratch, _OF_SCRATCH * around)
        made = sum(map(_bytes, step.operation.outputs)) + sum(_bytes(x) for x, _ in step.copies)
        if has_effect(step.operation):
            made += sum(bytes_behind(x) for x in step.operation.given)
        total += made * (_IN_A_BODY if step.depth else 1)
    return total + scratch


def _question(sources: PlanSources, tensors: Sequence[EagerTensor]) -> Question:
    """What a call will hold; its arguments' values are others in the next one."""

    def prepare(world: World) -> tuple[PlanSources, list[EagerTensor]]:
        return sources, standing_in(tensors, world)

    return Question(prepare, INVENTORY.devices())
