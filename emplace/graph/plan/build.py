"""From a graph to a plan: prune, specialise, place, write."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...base.dtypes import DType
from ...base.garbage import garbage_later
from ...base.shapes import Dims, num_elements
from ...core.context import PROCESS, is_soft
from ...devices.device import Device
from ...devices.heap import give_back_holes
from ...devices.inventory import INVENTORY
from ...devices.name import DeviceSpecV2
from ...devices.phantom import STANDING, standing_for
from ...eager.place import Placement
from ...eager.route import Route
from ...ops.collective.sums import REPLICA_COPY, REPLICA_SUM
from ..passes.alike import Group
from ..passes.feeding import FeedDependents, refuse_bodies
from ..passes.prune import has_effect, needed
from ..passes.specialisation import Expansion, is_needed
from ..placement.log_lines import placed_operations
from ..representation.graph import Operation, SymbolicTensor
from .plan import Plan
from .reservation import Reservation, is_reservable
from .steps import Step
from .text import GIVES_BACK
from .together import Together
from .writing.writer import Writer

_SUMS = (REPLICA_COPY, REPLICA_SUM)
# A plan that makes so many bytes in the host's memory gives holes back when it is done: to ask
# whether there may be some takes half a microsecond.
_LARGE_BYTES = 16 << 20


class PlanOptions:
    """What a plan is made for.

    `argument_devices` are where the arguments are, `dims` their shapes where those are known
    better than the graph knows them, and `ahead` those of other tensors, by their ids. `default` is
    what operations ask for that ask for nothing, `strict` whether an explicit device without a
    kernel is an error. `resources` finds what a session keeps: the memory of variables, queues.
    `decided` is where operations are that have been placed already, `dependents` what depends on
    feeds of tensors that are no placeholders. `strips` is whether it leaves out what only checks or
    prints.
    """

    __slots__ = (
        "ahead", "argument_devices", "constants", "decided", "default", "dependents", "dims",
        "resources", "soft", "stand_ins", "strict", "strips",
    )  # fmt: skip

    def __init__(
        self,
        argument_devices: Sequence[Device],
        dims: Sequence[Dims | None],
        default: DeviceSpecV2 | None = None,
        soft: bool | None = None,
        strict: bool = False,
        resources: Callable[[Operation, Device], Any] | None = None,
        decided: Mapping[Operation, Placement] | None = None,
        ahead: Mapping[int, Dims] | None = None,
        dependents: FeedDependents | None = None,
        strips: bool = False,
    ) -> None:
        self.argument_devices = argument_devices
        self.dims = dims
        self.default = default
        self.soft = is_soft() if soft is None else soft
        self.strict = strict
        self.resources = resources
        self.decided = decided or {}
        self.ahead = ahead or {}
        self.dependents = dependents
        self.strips = strips
        #: What stands in for values, where the plan is to run on phantom devices.
        self.stand_ins: Any = STANDING.world
        #: Constants on their devices, by the raw value and the device, with the raw values.
        self.constants: dict[tuple[int, int], tuple[Any, Any]] = {}


def build_plan(
    arguments: Sequence[SymbolicTensor],
    results: Sequence[SymbolicTensor],
    effects: Sequence[Operation],
    options: PlanOptions,
) -> Plan:
    """The plan that computes `results` from `arguments` and runs `effects`.

    Raises:
        InvalidArgumentError: an operation cannot be placed.
    """
    with garbage_later():
        plan = _built(arguments, results, effects, options)
    plan.sources = arguments, results, effects, options
    if not plan.is_instrumented:
        _add_joined(plan, plan.sources)
    elif not PROCESS.observers:
        _add_plain(plan, lambda: _plain((arguments, results, effects, options)))
    return plan


def phantom_plan(
    arguments: Sequence[SymbolicTensor],
    results: Sequence[SymbolicTensor],
    effects: Sequence[Operation],
    options: PlanOptions,
    stand_ins: Any,
) -> Plan:
    """The plan as it runs on bounded devices, for the phantoms that this thread stands in.

    `stand_ins` is their world, a `projection.World`.
    """
    moved = copy.copy(options)
    moved.stand_ins = stand_ins
    moved.argument_devices = [standing_for(each) for each in options.argument_devices]
    moved.resources = None if options.resources is None else stand_ins.resources(options.resources)
    moved.constants = {}
    moved.decided = {
        operation: Placement(standing_for(each.device), each.reason, each.asked)
        for operation, each in options.decided.items()
    }
    with garbage_later():
        return _built(arguments, results, effects, moved)


def _add_plain(plan: Plan, make: Callable[[], Plan]) -> None:
    """Lets a plan that is instrumented for budgets alone run in its plain form where there is
    room.
    """
    devices = INVENTORY.devices()
    apart = any(each.stream is not None or each.backend.is_strict for each in devices)
    if apart or not is_reservable(plan.steps):
        return
    used = {step.placement.device for step in plan.steps} | set(plan.result_devices)
    budgets = [each.budget for each in devices if each in used and each.budget is not None]
    if budgets:
        plan.reserve_by(Reservation(budgets, make, plan.steps))


def plain_plan(
    arguments: Sequence[SymbolicTensor],
    results: Sequence[SymbolicTensor],
    effects: Sequence[Operation],
    options: PlanOptions,
    device: Device,
) -> Plan:
    """The plain form of a plan, whose tensors among the arguments are all on one device."""
    moved = copy.copy(options)
    moved.argument_devices = [
        device if x.dtype.torch is not None else there
        for x, there in zip(arguments, options.argument_devices, strict=True)
    ]
    return _plain((arguments, results, effects, moved))


def _plain(what: tuple[Any, Any, Any, PlanOptions]) -> Plan:
    with garbage_later():
        plan = _built(*what, is_plain=True)
    plan.sources = what
    _add_joined(plan, what)
    return plan


def _add_joined(plan: Plan, what: tuple[Any, Any, Any, PlanOptions]) -> None:
    """Lets a plan of replicas that share the host's memory do once what they do alike, while their
    variables are the same.
    """
    if PROCESS.observers or not any(step.operation.record in _SUMS for step in plan.steps):
        return

    def make() -> tuple[Plan, list[Group]] | None:
        with garbage_later():
            return _joined(what)

    plan.join_by(Together(make))


def _joined(what: tuple[Any, Any, Any, PlanOptions]) -> tuple[Plan, list[Group]] | None:
    draft = _draft(*what)
    writer, plan = _written(draft, is_plain=True, joins=True)
    return None if writer.groups is None else (plan, writer.groups)


class Draft:
    """What becomes a plan: its stages replace it by the same with more known, or less to do.

    `operations` are the operations that must run, in an order in which they can; `placed` says
    where those are, and why, that have been placed before.
    """

    __slots__ = ("arguments", "effects", "operations", "options", "placed", "results")

    def __init__(
        self, arguments: Sequence[SymbolicTensor], results: Sequence[SymbolicTensor],
        effects: Sequence[Operation], options: PlanOptions,
    ) -> None:  # fmt: skip
        self.arguments = arguments
        self.results = results
        self.effects = effects
        self.options = options
        self.operations: list[Operation] = []
        self.placed: Mapping[Operation, Placement] = {}


def prune(draft: Draft) -> None:
    """Keeps what results need and what has effects."""
    fed = {id(x) for x in draft.arguments}
    ends = [y.op for y in draft.results if id(y) not in fed]
    dependents = draft.options.dependents
    more = None if dependents is None else dependents.sources
    draft.operations = needed([*ends, *draft.effects], draft.arguments, more)


def refuse_fed_bodies(draft: Draft) -> None:
    """Refuses feeds of which the shapes in a branch or a loop depend.

    Raises:
        ValueError: there is one.
    """
    if draft.options.dependents is not None:
        refuse_bodies(draft.operations, draft.options.dependents, draft.arguments)


def specialise(draft: Draft) -> None:
    """Records operations again whose shapes are known by now."""
    draft.arguments, draft.results, draft.operations, draft.placed = _expanded(
        draft.arguments, draft.results, draft.effects, draft.operations, draft.options
    )


STAGES: list[Callable[[Draft], None]] = [prune, refuse_fed_bodies, specialise]

#: What tests want to be told of after each stage: its name, and the draft. Empty in programs.
CHECKS: list[Callable[[str, Draft], None]] = []


def _built(
    arguments: Sequence[SymbolicTensor],
    results: Sequence[SymbolicTensor],
    effects: Sequence[Operation],
    options: PlanOptions,
    is_plain: bool = False,
) -> Plan:
    _, plan = _written(_draft(arguments, results, effects, options), is_plain)
    return plan


def _draft(
    arguments: Sequence[SymbolicTensor],
    results: Sequence[SymbolicTensor],
    effects: Sequence[Operation],
    options: PlanOptions,
) -> Draft:
    draft = Draft(arguments, results, effects, options)
    for stage in STAGES:
        stage(draft)
        for check in CHECKS:
            check(stage.__name__, draft)
    return draft


def _written(draft: Draft, is_plain: bool, joins: bool = False) -> tuple[Writer, Plan]:
    """The plan of a draft, and who wrote it: places its operations and writes them."""
    arguments, results, options = draft.arguments, draft.results, draft.options
    devices = INVENTORY.devices()
    instrumented = needs_instrumentation(devices) and not is_plain
    undoes = not is_plain and any(device.budget is not None for device in devices)
    writer = Writer(instrumented, undoes, options, joins)
    parameters = [
        writer.argument(x, device)
        for x, device in zip(arguments, options.argument_devices, strict=True)
    ]
    writer.places.decide(draft.operations)
    placed = writer.places.placed
    for operation in draft.operations if draft.placed else ():  # the reason is what it was
        before = draft.placed.get(operation)
        if before is not None and before.device is placed[operation].device:
            placed[operation] = before
    writer.block(draft.operations, results)
    values, steps = writer.values, writer.text.steps
    if not instrumented and options.stand_ins is None and _is_large(steps):
        writer.text.space[GIVES_BACK] = give_back_holes
        writer.text.write(f"{GIVES_BACK}()")
    plan = Plan(writer, parameters, [values.name(y) for y in results])
    plan.result_devices = [values.device(y) for y in results]
    pairs = zip(plan.result_devices, results, strict=True)
    plan.kinds = [device.kind(y.dtype) for device, y in pairs]
    if instrumented and PROCESS.observers:
        fed = list(zip(arguments, options.argument_devices, strict=True))
        places = writer.places
        plan.operations = placed_operations(fed, places.placed, places.paths, plan.result_devices)
    ids = {id(y) for y in results}
    makers = {id(y): step for step in steps for y in step.operation.outputs if id(y) in ids}
    plan.routes = [_route(makers[id(y)], y) if id(y) in makers else None for y in results]
    return writer, plan


def _is_large(steps: Iterable[Step]) -> bool:
    """Whether steps make much in the host's memory."""
    made = 0
    for step in steps:
        if step.placement.device.backend.on_host:
            for y in step.operation.outputs:
                made += _bytes(y._dims, y._dtype)
            if made >= _LARGE_BYTES:
                return True
    return False


@functools.lru_cache(maxsize=1024)
def _bytes(dims: Dims | None, dtype: DType) -> int:
    """What a tensor takes of the memory of its device."""
    return 0 if dtype.torch is None else num_elements(dims) * dtype.size


def _route(step: Step, y: SymbolicTensor) -> Route | None:
    """How a result was made: by the operation of the program, where a pass has put that and others
    together.
    """
    if y.op is step.operation or step.names is None:
        return step.route
    own = Step(y.op, step.placement, None, step.depth)
    own.names = []
    return own.route


def needs_instrumentation(devices: Iterable[Device]) -> bool:
    """True where kernels must go through `run_kernel`: somebody listens, or a device bounds."""
    if PROCESS.observers:
        return True
    return any(device.budget is not None or device.stream is not None for device in devices)


def _expanded(
    arguments: Sequence[SymbolicTensor],
    results: Sequence[SymbolicTensor],
    effects: Sequence[Operation],
    operations: Sequence[Operation],
    options: PlanOptions,
) -> tuple[Any, Any, Any, Mapping[Operation, Placement]]:
    """The same with more known, if that helps, and where it has been placed already."""
    if options.dependents is None and not is_needed(operations):
        return arguments, results, operations, {}
    known: dict[int, Any] = {
        id(x): d for x, d in zip(arguments, options.dims, strict=True) if d is not None
    }
    known.update(options.ahead)
    expansion = Expansion(options.decided, options.dependents)
    expansion.feed(arguments, known)
    placeholders = [x.op for x in arguments if not x.op.inputs and not x.op.record.stateful]
    unneeded = set(placeholders)
    expansion.run([operation for operation in operations if operation not in unneeded], known)
    again = expansion.tensors
    return (
        [again[id(x)] for x in arguments],
        [again[id(y)] for y in results],
        needed_again(expansion, operations, [again[id(y)] for y in results], effects, arguments),
        expansion.placed,
    )


def needed_again(
    expansion: Expansion,
    operations: Sequence[Operation],
    results: Sequence[SymbolicTensor],
    effects: Sequence[Operation],
    arguments: Sequence[SymbolicTensor],
) -> list[Operation]:
    """What of the new graph must run for what had to run of the old one."""
    copied = expansion.operations
    # A branch in which something waits for an effect has none itself, and yet may be asked for.
    ends = [copied[operation.id] for operation in effects if operation.id in copied]
    ends += [copied[operation.id] for operation in operations if not operation.outputs]
    ends += [
        copied[operation.id]
        for operation in operations
        if (operation.record.stateful or has_effect(operation)) and operation.id in copied
    ]
    fed = [expansion.tensors[id(x)] for x in arguments]
    return needed([*[y.op for y in results], *ends], fed)
