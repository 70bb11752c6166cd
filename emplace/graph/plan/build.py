"""From a graph to a plan: prune, specialise, place, write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...base.garbage import garbage_later
from ...base.shapes import Dims
from ...core.context import PROCESS
from ...devices.device import Device
from ...devices.inventory import INVENTORY
from ...devices.name import DeviceSpecV2
from ...eager.place import Placement
from ..passes.feeding import Opened, refuse_bodies
from ..passes.prune import has_effect, needed
from ..passes.specialisation import Expansion, is_needed
from ..placement.log_lines import told_nodes
from ..representation.graph import Operation, SymbolicTensor
from .plan import Plan
from .reservation import Roomy, pays
from .writer import Writer


class Wishes:
    """What a plan is made for.

    `homes` are the devices of the arguments, `dims` their shapes where those are known better
    than the graph knows them, and `ahead` those of other tensors, by their ids. `default` is what
    operations ask for that ask for nothing, `strict` whether an explicit device without a kernel is
    an error. `resources` finds what a session keeps: the memory of variables, queues. `decided` is
    where operations are that have been placed already, `opened` what depends on feeds of tensors
    that are no placeholders.
    """

    __slots__ = (
        "ahead", "constants", "decided", "default", "dims", "homes", "opened", "resources", "soft",
        "strict",
    )  # fmt: skip

    def __init__(
        self,
        homes: Sequence[Device],
        dims: Sequence[Dims | None],
        default: DeviceSpecV2 | None = None,
        soft: bool | None = None,
        strict: bool = False,
        resources: Callable[[Operation, Device], Any] | None = None,
        decided: Mapping[Operation, Placement] | None = None,
        ahead: Mapping[int, Dims] | None = None,
        opened: Opened | None = None,
    ) -> None:
        self.homes = homes
        self.dims = dims
        self.default = default
        self.soft = bool(PROCESS.soft_placement) if soft is None else soft
        self.strict = strict
        self.resources = resources
        self.decided = decided or {}
        self.ahead = ahead or {}
        self.opened = opened
        #: Constants on their devices, by the raw value and the device, with the raw values.
        self.constants: dict[tuple[int, int], tuple[Any, Any]] = {}


def build_plan(
    arguments: Sequence[SymbolicTensor],
    results: Sequence[SymbolicTensor],
    effects: Sequence[Operation],
    wishes: Wishes,
) -> Plan:
    """The plan that computes `results` from `arguments` and runs `effects`.

    Raises:
        InvalidArgumentError: an operation cannot be placed.
    """
    with garbage_later():
        plan = _built(arguments, results, effects, wishes)
    if plan.is_careful and not PROCESS.observers:
        _add_plain(plan, lambda: _plain((arguments, results, effects, wishes)))
    return plan


def _add_plain(plan: Plan, make: Callable[[], Plan]) -> None:
    """Lets a plan that is careful for budgets alone run in its plain form where there is room."""
    devices = INVENTORY.devices()
    if any(each.stream is not None for each in devices) or not pays(plan.steps):
        return
    used = {step.placement.device for step in plan.steps} | set(plan.homes)
    budgets = [each.budget for each in devices if each in used and each.budget is not None]
    plan.roomy = Roomy(budgets, make) if budgets else None


def _plain(what: tuple[Any, Any, Any, Wishes]) -> Plan:
    with garbage_later():
        return _built(*what, is_plain=True)


class Draft:
    """What becomes a plan: its stages replace it by the same with more known, or less to do.

    `nodes` are the operations that must run, in an order in which they can.
    """

    __slots__ = ("arguments", "effects", "nodes", "results", "wishes")

    def __init__(
        self, arguments: Sequence[SymbolicTensor], results: Sequence[SymbolicTensor],
        effects: Sequence[Operation], wishes: Wishes,
    ) -> None:  # fmt: skip
        self.arguments = arguments
        self.results = results
        self.effects = effects
        self.wishes = wishes
        self.nodes: list[Operation] = []


def prune(draft: Draft) -> None:
    """Keeps what results need and what has effects."""
    fed = {id(x) for x in draft.arguments}
    ends = [y.op for y in draft.results if id(y) not in fed]
    opened = draft.wishes.opened
    more = None if opened is None else opened.sources
    draft.nodes = needed([*ends, *draft.effects], draft.arguments, more)


def refuse_fed_bodies(draft: Draft) -> None:
    """Refuses feeds of which the shapes in a branch or a loop depend.

    Raises:
        ValueError: there is one.
    """
    if draft.wishes.opened is not None:
        refuse_bodies(draft.nodes, draft.wishes.opened, draft.arguments)


def specialise(draft: Draft) -> None:
    """Records operations again whose shapes are known by now."""
    draft.arguments, draft.results, draft.nodes = _expanded(
        draft.arguments, draft.results, draft.nodes, draft.wishes
    )


STAGES: list[Callable[[Draft], None]] = [prune, refuse_fed_bodies, specialise]

#: What tests want to be told of after each stage: its name, and the draft. Empty in programs.
CHECKS: list[Callable[[str, Draft], None]] = []


def _built(
    arguments: Sequence[SymbolicTensor],
    results: Sequence[SymbolicTensor],
    effects: Sequence[Operation],
    wishes: Wishes,
    is_plain: bool = False,
) -> Plan:
    draft = Draft(arguments, results, effects, wishes)
    for stage in STAGES:
        stage(draft)
        for check in CHECKS:
            check(stage.__name__, draft)
    return _written(draft, is_plain)


def _written(draft: Draft, is_plain: bool) -> Plan:
    """The plan of a draft: places its operations and writes them."""
    arguments, results, wishes = draft.arguments, draft.results, draft.wishes
    devices = INVENTORY.devices()
    careful = needs_care(devices) and not is_plain
    undoes = not is_plain and any(device.budget is not None for device in devices)
    writer = Writer(careful, undoes, wishes)
    writer.places.decide(draft.nodes)
    given = [writer.argument(x, home) for x, home in zip(arguments, wishes.homes, strict=True)]
    writer.block(draft.nodes, results)
    values, steps = writer.values, writer.text.steps
    plan = Plan(writer, given, [values.name(y) for y in results])
    plan.homes = [values.home(y) for y in results]
    plan.kinds = [home.kind(y.dtype) for home, y in zip(plan.homes, results, strict=True)]
    if careful and PROCESS.observers:
        homes = list(zip(arguments, wishes.homes, strict=True))
        places = writer.places
        plan.nodes = told_nodes(homes, places.placed, places.paths, plan.homes)
    wanted = {id(y): None for y in results}
    makers = {id(y): step for step in steps for y in step.node.outputs if id(y) in wanted}
    plan.routes = [makers[id(y)].route if id(y) in makers else None for y in results]
    return plan


def needs_care(devices: Iterable[Device]) -> bool:
    """True where kernels must go through `run_kernel`: somebody listens, or a device bounds."""
    if PROCESS.observers:
        return True
    return any(device.budget is not None or device.stream is not None for device in devices)


def _expanded(
    arguments: Sequence[SymbolicTensor],
    results: Sequence[SymbolicTensor],
    nodes: Sequence[Operation],
    wishes: Wishes,
) -> tuple[Any, Any, Any]:
    """The same with more known, if that helps."""
    if wishes.opened is None and not is_needed(nodes):
        return arguments, results, nodes
    known: dict[int, Any] = {
        id(x): d for x, d in zip(arguments, wishes.dims, strict=True) if d is not None
    }
    known.update(wishes.ahead)
    expansion = Expansion(wishes.decided, wishes.opened)
    expansion.feed(arguments, known)
    placeholders = [x.op for x in arguments if not x.op.inputs and not x.op.record.stateful]
    unneeded = set(placeholders)
    expansion.run([node for node in nodes if node not in unneeded], known)
    again = expansion.tensors
    return (
        [again[id(x)] for x in arguments],
        [again[id(y)] for y in results],
        needed_again(expansion, nodes, [again[id(y)] for y in results], arguments),
    )


def needed_again(
    expansion: Expansion,
    nodes: Sequence[Operation],
    results: Sequence[SymbolicTensor],
    arguments: Sequence[SymbolicTensor],
) -> list[Operation]:
    """What of the new graph must run for what had to run of the old one."""
    ends = [expansion.operations[node.id] for node in nodes if not node.outputs]
    ends += [
        expansion.operations[node.id]
        for node in nodes
        if (node.record.stateful or has_effect(node)) and node.id in expansion.operations
    ]
    fed = [expansion.tensors[id(x)] for x in arguments]
    return needed([*[y.op for y in results], *ends], fed)
