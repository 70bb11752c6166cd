"""A traced function as part of another graph: its operations are recorded there again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.context import LOCAL, intern_scope
from ...core.symbolic_value import SymbolicValue, filled_in
from ...devices.name import DeviceSpec
from ...ops.array.shaping import IDENTITY
from ..passes.prune import effects_of, needed, with_effects
from ..recording.func_graph import FuncGraph
from ..recording.target import GraphTarget
from ..representation.copies import Copied
from ..representation.graph import Graph, Operation, SymbolicTensor
from ..representation.ops import BODIED


def inlined(
    body: FuncGraph, inputs: Sequence[SymbolicTensor], tensors: Sequence[Any]
) -> list[SymbolicTensor]:
    """What a traced function returns for tensors of the current graph.

    Args:
        body: its graph.
        inputs: the arguments of `body`.
        tensors: a tensor for each of them.
    """
    target: Any = LOCAL.state.target
    before = len(target.graph.operations)
    outputs = copy_into(target, body, inputs, tensors, body.outputs)
    operations = target.graph.operations[before:]
    effects = [] if target.graph.runs_all else with_effects(operations)
    return _own(target, operations, effects, outputs)


def _own(
    target: GraphTarget,
    operations: Sequence[Operation],
    effects: Sequence[Operation],
    outputs: Sequence[SymbolicTensor],
) -> list[SymbolicTensor]:
    """The outputs of a call as tensors of its own: an argument that is returned is another tensor
    than the argument. They are computed after the effects: a session runs a call as a whole or not
    at all.
    """
    graph, state = target.graph, LOCAL.state
    taken = {id(y) for operation in operations for y in operation.outputs}
    made = []
    with graph.control_dependencies(effects):
        for y in outputs:
            if not effects and id(y) in taken:
                taken.discard(id(y))
                made.append(y)
                continue
            with graph.name_scope("PartitionedCall"), graph.colocate_with(y.op):
                made.append(target.apply(state, IDENTITY, (y,), None))
    return made


def copy_into(
    target: GraphTarget,
    body: FuncGraph,
    inputs: Sequence[SymbolicTensor],
    tensors: Sequence[Any],
    outputs: Sequence[SymbolicTensor],
) -> list[SymbolicTensor]:
    """Records the operations of `body` again; returns what stands for its outputs."""
    graph: Graph = target.graph
    here = {id(x): target.taken(y) for x, y in zip(inputs, tensors, strict=True)}
    here |= {id(inner): target.taken(x) for x, inner in body.captures.values()}
    here |= {id(inner): target.taken(x) for x, inner in body.constants.values()}
    operations = body.operations
    if not body.runs_all:
        fed = [y for each in operations for y in each.outputs if id(y) in here]
        operations = needed([*[y.op for y in outputs], *effects_of(body)], fed)
    with graph.name_scope("PartitionedCall"), graph.control_dependencies(body.waits_for):
        copy_operations(target, operations, here)
    return [here[id(y)] for y in outputs]


def copy_operations(
    target: GraphTarget, operations: Sequence[Operation], here: dict[int, SymbolicTensor]
) -> dict[int, Operation]:  # fmt: skip
    """Records operations again; `here`, by the ids of tensors what stands for them, gets what was
    made. Returns the new operations by the ids of the old ones.
    """
    state = LOCAL.state
    around = state.scope
    done: dict[int, Any] = {}
    for operation in operations:
        if operation.outputs and all(id(y) in here for y in operation.outputs):
            continue
        if operation.device:
            spec = DeviceSpec.from_string(operation.device)
            base = around.spec if around is not None else DeviceSpec.from_string("")
            state.scope = intern_scope(base.make_merged_spec(spec))
        try:
            _copy(target, operation, here, done)
        finally:
            state.scope = around
    return done


def _copy(
    target: GraphTarget, operation: Any, here: dict[int, SymbolicTensor], done: dict[Any, Any]
) -> None:
    graph = target.graph
    inputs = tuple(here[id(x)] for x in operation.given)
    attrs = {
        name: filled_in(
            value, lambda symbolic: SymbolicValue(here[id(symbolic.tensor)], symbolic.place)
        )
        for name, value in operation.attrs.items()
    }
    waited = [done[each.id] for each in operation.control if each.id in done]
    name = operation.name.rsplit("/", 1)[-1] or operation.type
    with graph.exact_name(name), graph.control_dependencies(waited):
        made = _again(target, operation, inputs, attrs)
    if operation.line is not None:
        made.place = operation.place
    made.copies = (*operation.copies, Copied.of(operation.graph, here))
    done[operation.id] = made
    for old, new in zip(operation.outputs, made.outputs, strict=True):
        new.handle_data = new.handle_data or old.handle_data
        new.narrow(old.dims)
        here[id(old)] = new


def _again(target: GraphTarget, operation: Any, inputs: Any, attrs: Any) -> Any:
    state = LOCAL.state
    for body in attrs["bodies"] if operation.record.name in BODIED else ():
        body.is_shared = True
    if operation.record.name in (*BODIED, "Deferred", "Const", "_Arg", "Placeholder"):
        specs = [y.spec for y in operation.outputs]
        made = target.graph.add(operation.record, inputs, attrs, specs)
        for tape in state.tapes:
            tape.record_operation(made)
        return made
    before = len(target.graph.operations)
    target.apply(state, operation.record, inputs, attrs)
    return target.graph.operations[max(before, len(target.graph.operations) - 1)]
