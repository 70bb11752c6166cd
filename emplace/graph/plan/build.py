"""From a graph to a plan: prune, expand, place, write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...base.garbage import garbage_later
from ...base.shapes import Dims
from ...core.context import PROCESS
from ...devices.device import Device
from ...devices.inventory import INVENTORY
from ...devices.name import DeviceSpecV2
from ...eager.place import Placement
from ..passes.feeding import FeedDependents, refuse_bodies
from ..passes.prune import has_effect, needed
from ..passes.specialisation import Expansion, is_needed
from ..placement.log_lines import placed_operations
from ..representation.graph import Operation, SymbolicTensor
from .plan import Plan, Writer, needs_instrumentation
from .reservation import Reservation, is_reservable


class PlanOptions:
    """What a plan is made for.

    `argument_devices` are where the arguments are, `dims` their shapes where those are known
    better than the graph knows them, and `ahead` those of other tensors, by their ids. `default` is
    what operations ask for that ask for nothing, `strict` whether an explicit device without a
    kernel is an error. `resources` finds what a session keeps: the memory of variables, queues.
    `decided` is where operations are that have been placed already, `dependents` what depends on
    feeds of tensors that are no placeholders.
    """

    __slots__ = (
        "ahead", "argument_devices", "constants", "decided", "default", "dependents", "dims",
        "resources", "soft", "strict",
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
    ) -> None:
        self.argument_devices = argument_devices
        self.dims = dims
        self.default = default
        self.soft = bool(PROCESS.soft_placement) if soft is None else soft
        self.strict = strict
        self.resources = resources
        self.decided = decided or {}
        self.ahead = ahead or {}
        self.dependents = dependents
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
    if plan.is_instrumented and not PROCESS.observers:
        _add_plain(plan, lambda: _plain((arguments, results, effects, options)))
    return plan


def _add_plain(plan: Plan, make: Callable[[], Plan]) -> None:
    """Lets a plan that is instrumented for budgets alone run in its plain form where there is
    room.
    """
    devices = INVENTORY.devices()
    if any(each.stream is not None for each in devices) or not is_reservable(plan.steps):
        return
    used = {step.placement.device for step in plan.steps} | set(plan.result_devices)
    budgets = [each.budget for each in devices if each in used and each.budget is not None]
    plan.reservation = Reservation(budgets, make) if budgets else None


def _plain(what: tuple[Any, Any, Any, PlanOptions]) -> Plan:
    with garbage_later():
        return _built(*what, is_plain=True)


def _built(
    arguments: Sequence[SymbolicTensor],
    results: Sequence[SymbolicTensor],
    effects: Sequence[Operation],
    options: PlanOptions,
    is_plain: bool = False,
) -> Plan:
    dependents = options.dependents
    fed = {id(x) for x in arguments}
    ends = [y.op for y in results if id(y) not in fed]
    operations = needed(
        [*ends, *effects], arguments, None if dependents is None else dependents.sources
    )
    if dependents is not None:
        refuse_bodies(operations, dependents, arguments)
    arguments, results, operations = _expanded(arguments, results, operations, options)
    writer = Writer(False, options)
    writer.place(operations)
    devices = INVENTORY.devices()
    writer.instrumented = needs_instrumentation(devices) and not is_plain
    writer.undoes = not is_plain and any(device.budget is not None for device in devices)
    given = [
        writer.argument(x, each)
        for x, each in zip(arguments, options.argument_devices, strict=True)
    ]
    writer.block(operations, results)
    plan = Plan(writer, given, [writer.names[id(y)] for y in results])
    plan.result_devices = [writer.device_of[id(y)] for y in results]
    plan.kinds = [each.kind(y.dtype) for each, y in zip(plan.result_devices, results, strict=True)]
    if writer.instrumented and PROCESS.observers:
        placed = list(zip(arguments, options.argument_devices, strict=True))
        plan.operations = placed_operations(
            placed, writer.placed, writer.paths, plan.result_devices
        )
    wanted = {id(y): None for y in results}
    makers = {
        id(y): step for step in writer.steps for y in step.operation.outputs if id(y) in wanted
    }  # fmt: skip
    plan.routes = [makers[id(y)].route if id(y) in makers else None for y in results]
    return plan


def _expanded(
    arguments: Sequence[SymbolicTensor],
    results: Sequence[SymbolicTensor],
    operations: Sequence[Operation],
    options: PlanOptions,
) -> tuple[Any, Any, Any]:
    """The same with more known, if that helps."""
    if options.dependents is None and not is_needed(operations):
        return arguments, results, operations
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
        needed_again(expansion, operations, [again[id(y)] for y in results], arguments),
    )


def needed_again(
    expansion: Expansion,
    operations: Sequence[Operation],
    results: Sequence[SymbolicTensor],
    arguments: Sequence[SymbolicTensor],
) -> list[Operation]:
    """What of the new graph must run for what had to run of the old one."""
    ends = [expansion.operations[operation.id] for operation in operations if not operation.outputs]
    ends += [
        expansion.operations[operation.id]
        for operation in operations
        if (operation.record.stateful or has_effect(operation))
        and operation.id in expansion.operations
    ]
    fed = [expansion.tensors[id(x)] for x in arguments]
    return needed([*[y.op for y in results], *ends], fed)
