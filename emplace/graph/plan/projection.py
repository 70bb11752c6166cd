"""What a plan will hold: it is run on phantom devices, whose budgets count and refuse nothing.

The phantom run is the instrumented form of the plan, with the same lines, kernels, copies and
budgets as on bounded devices; only the elements are missing. So views share, values die after their
last use and variables change in place as they will. What depends on values is tried both ways.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...core.tensor import EagerTensor, make_tensor
from ...devices.device import Device
from ...devices.phantom import Moment, PhantomBudget, Unprojectable
from ...eager.kernel import run_kernel
from ...eager.phantom_kernel import is_unknown
from ..representation.graph import Operation, SymbolicTensor
from .build import phantom_plan
from .phantom_world import World
from .plan import Plan
from .writing.attributes import numbers
from .writing.writer import truth

# A run that takes more kernels than this is given up: a loop of Python's numbers may be long.
MOST_KERNELS = 200_000
# How often a loop is taken to run whose end depends on values: after two iterations what one leaves
# for the next is there.
ITERATIONS = 2
_MOST_PATHS = 8


class HeldStorage(NamedTuple):
    """A storage that is there at the peak: of what shape, by which op it was made, and by which
    operation of the plan, None where it was there before.
    """

    nbytes: int
    shape: tuple[int, ...]
    op: str
    operation: Operation | None


@dataclass
class DevicePeak:
    """What one device holds: at most, when the plan begins, and when it has ended, in bytes.

    `passes` is the operation that first passes a limit.
    """

    device: str
    peak: int
    start: int
    end: int
    operation: Operation | None
    holders: list[HeldStorage] = field(default_factory=list)
    passes: Operation | None = None

    @property
    def extra(self) -> int:
        """What the plan takes above what is there when it begins."""
        return self.peak - self.start


@dataclass
class Projection:
    """What a plan will hold, by device.

    `copied` are bytes between devices. `choices` are the branches and loops whose conditions nobody
    knows, `guesses` the ops whose kernels could not be asked what they return, `variables`
    the ids of the memories of variables, their names and their devices.
    """

    devices: dict[str, DevicePeak]
    copied: dict[tuple[str, str], int]
    guesses: set[str]
    choices: list[Operation]
    variables: list[tuple[int, str, str]]

    @property
    def is_exact(self) -> bool:
        """Whether it depends on no value and on no guess."""
        return not self.guesses and not self.choices


class Choices:
    """What is taken for conditions whose values nobody knows.

    Args:
        branches: which branch is taken, by the name of the operation.
        default: the same for all others.
        iterations: how often loops run.
    """

    def __init__(self, branches: Mapping[str, bool], default: bool, iterations: int) -> None:
        self._branches = branches
        self._default = default
        self._iterations = iterations
        self._counts: dict[str, int] = {}
        #: The operations that were asked for, and those asked for more than once.
        self.asked: dict[str, Operation] = {}
        self.again: set[str] = set()

    def decided(self, value: Any, operation: Operation) -> bool:
        """The value of a condition of a branch or a loop."""
        if not is_unknown(value):
            return truth(value)
        if operation.type != "While":
            if operation.name in self.asked:
                self.again.add(operation.name)
            self.asked[operation.name] = operation
            return self._branches.get(operation.name, self._default)
        self.asked[operation.name] = operation
        count = self._counts.get(operation.name, 0)
        goes_on = count < self._iterations
        self._counts[operation.name] = count + 1 if goes_on else 0
        return goes_on


class PlanSources(NamedTuple):
    """What a plan is made of."""

    arguments: Sequence[SymbolicTensor]
    results: Sequence[SymbolicTensor]
    effects: Sequence[Operation]
    options: Any


#: Makes what a plan is made of, and what it is run on, in the world that its thread stands in.
Prepare = Callable[[World], tuple[PlanSources, list[EagerTensor]]]


class Question(NamedTuple):
    """What is asked: a plan for some devices.

    `kinds` are what variables are, by the ids of their storages; `iterations` how often loops run
    whose end depends on values; `places_anew` whether the devices are others than the program has;
    `deadline` when to give up, by `time.thread_time`.
    """

    prepare: Prepare
    devices: Sequence[Device]
    kinds: Mapping[int, str] = {}
    iterations: int = ITERATIONS
    places_anew: bool = False
    deadline: float | None = None


def standing_in(tensors: Sequence[EagerTensor], world: World) -> list[EagerTensor]:
    """What stands in for the arguments of a call; their values are others in the next one."""
    found = []
    for x in tensors:
        device = world.of(x._kind.device)
        value = world.value(x._value, device, is_known=False)
        found.append(make_tensor(value, device.kind(x.dtype)))
    return found


def project(question: Question) -> Projection:
    """What a plan will hold at most, with what is there then. Nothing of it runs.

    Raises:
        Unprojectable: a size depends on values.
        OpError: an operation cannot run on what it is given.
    """
    found = _both_ways(question, ())
    stops = [found.devices[each.short_name].peak for each in question.devices]
    return _both_ways(question, stops)


def peaks(question: Question) -> Projection:
    """The same without what is there."""
    return _both_ways(question, ())


def paths(question: Question) -> list[Projection] | None:
    """What a plan will hold at least on each of the ways that it may go; None where those are many,
    or where what it holds is a guess.

    Raises:
        Unprojectable: a size depends on values.
        OpError: an operation cannot run on what it is given.
    """
    found: list[Projection] = []
    ahead: list[dict[str, bool]] = [{}]
    while ahead:
        branches = ahead.pop()
        choices = Choices(branches, True, 0)
        each = _run(question, choices)
        if each.guesses or choices.again or len(found) == _MOST_PATHS:
            return None
        if any(not y.is_fully_known for loop in _loops(each) for y in loop.outputs):
            return None
        found.append(each)
        before: dict[str, bool] = dict(branches)
        for operation in each.choices:  # whoever was asked for the first time may say no
            if operation.type != "While" and operation.name not in branches:
                ahead.append({**before, operation.name: False})
                before[operation.name] = True
    return found


def first_past(question: Question, name: str, free: int) -> Operation | None:
    """The operation at which a plan would first take more than `free` bytes on a device."""
    watches = [free if each.short_name == name else None for each in question.devices]
    return _run(question, Choices({}, True, 0), (), watches).devices[name].passes


def _loops(projection: Projection) -> list[Operation]:
    return [operation for operation in projection.choices if operation.type == "While"]


def _both_ways(question: Question, stops: Sequence[int | None]) -> Projection:
    """The larger of what is held where unknown branches are taken, and where they are not."""
    iterations = question.iterations
    first = _run(question, Choices({}, True, iterations), stops)
    if all(operation.type == "While" for operation in first.choices):
        return first
    return _largest([first, _run(question, Choices({}, False, iterations), stops)])


def _largest(projections: Sequence[Projection]) -> Projection:
    found = projections[0]
    for other in projections[1:]:
        for name, peak in other.devices.items():
            if peak.peak > found.devices[name].peak:
                found.devices[name] = peak
        for pair, nbytes in other.copied.items():
            found.copied[pair] = max(nbytes, found.copied.get(pair, 0))
        found.guesses |= other.guesses
        names = {each.name for each in found.choices}
        found.choices += [each for each in other.choices if each.name not in names]
    return found


def _run(
    question: Question, choices: Choices, stops: Sequence[int | None] = (),
    watches: Sequence[int | None] = (),
) -> Projection:  # fmt: skip
    """One run on phantoms. `stops` are the peaks at which to list what is held, `watches` how many
    bytes above those at the beginning are to be told of.
    """
    world = World(question.devices, MOST_KERNELS, stops, question.kinds, question.places_anew)
    moment = world.moment
    moment.deadline = question.deadline
    with world.standing():
        sources, tensors = question.prepare(world)
        plan = phantom_plan(*sources, world)
        _rebind(plan, choices, moment)
        moment.copied.clear()  # constants are copied once
        starts = [_budget(device).usage().in_use for device in world.devices]
        for i, device in enumerate(world.devices):
            budget = _budget(device)
            budget.reset_peak()
            budget.peak_operation = None
            if watches and (free := watches[i]) is not None:
                budget.watch_for = budget.usage().in_use + free
        outputs = plan.run(*tensors)
        ends = [_budget(device).usage().in_use for device in world.devices]
        del outputs
    peaks_there = {
        device.short_name: _peak_of(device, start, end)
        for device, start, end in zip(world.devices, starts, ends, strict=True)
    }
    asked = list(choices.asked.values())
    return Projection(
        peaks_there, dict(moment.copied), set(moment.guesses), asked, world.variables()
    )


def _peak_of(device: Device, start: int, end: int) -> DevicePeak:
    budget = _budget(device)
    peak, operation = budget.usage().peak, budget.peak_operation
    holders = [HeldStorage(*each) for each in budget.holders or ()]
    left = peak - sum(each.nbytes for each in holders)
    if holders and left > 0:  # what is being made at that moment
        name = "" if operation is None else operation.type
        holders.append(HeldStorage(left, (), name, operation))
    return DevicePeak(device.short_name, peak, start, end, operation, holders, budget.passed)


def _budget(device: Device) -> PhantomBudget:
    assert isinstance(device.budget, PhantomBudget)
    return device.budget


def _rebind(plan: Plan, choices: Choices, moment: Moment) -> None:
    """Lets the lines of a plan ask `choices`, and note what runs."""

    def run(route: Any, inputs: Any, attrs: Any) -> Any:
        moment.operation = route.operation
        return run_kernel(route, inputs, attrs)

    def known_numbers(value: Any) -> Any:
        if is_unknown(value):
            raise Unprojectable("a size depends on a value that only running it tells")
        return numbers(value)

    plan.space.update(run=run, numbers=known_numbers, decided=choices.decided)
