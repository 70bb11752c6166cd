"""A traced function as part of another graph: its operations are recorded there again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.context import LOCAL, intern_scope
from ..core.later import Later, filled_in
from ..devices.name import DeviceSpec
from ..ops.array.shaping import identity
from .calling import INLINE, ConcreteFunction, trainable_among
from .func_graph import FuncGraph
from .graph import Graph, SymbolicTensor
from .ops import BODIED
from .prune import with_effects
from .target import GraphTarget


def inlined(function: ConcreteFunction, tensors: Sequence[Any]) -> Any:
    """What a function returns for tensors of the current graph."""
    target: Any = LOCAL.state.target
    for variable in (*function.trainable_variables, *trainable_among(tensors)):
        variable._watch()
    before = len(target.graph.operations)
    outputs = copy_into(target, function.graph, function.inputs, tensors, function.graph.outputs)
    effects = with_effects(target.graph.operations[before:])
    if effects and not target.graph.is_function:
        # A session runs what is asked for, and of a function everything.
        with target.graph.control_dependencies(effects), target.graph.exact_name("Identity"):
            outputs = [identity(y) for y in outputs]
    return function.packed(outputs)


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
    state = LOCAL.state
    around = state.scope
    done: dict[int, Any] = {}
    with graph.name_scope("PartitionedCall"), graph.control_dependencies(body.waits_for):
        for node in body.operations:
            if node.outputs and all(id(y) in here for y in node.outputs):
                continue
            if node.device:
                spec = DeviceSpec.from_string(node.device)
                base = around.spec if around is not None else DeviceSpec.from_string("")
                state.scope = intern_scope(base.make_merged_spec(spec))
            try:
                _copy(target, node, here, done)
            finally:
                state.scope = around
    return [here[id(y)] for y in outputs]


def _copy(target: GraphTarget, node: Any, here: dict[int, SymbolicTensor], done: Any) -> None:
    graph = target.graph
    inputs = tuple(here[id(x)] for x in node.given)
    attrs = {
        name: filled_in(value, lambda later: Later(here[id(later.tensor)], later.place))
        for name, value in node.attrs.items()
    }
    waited = [done[each.id] for each in node.control if each.id in done]
    name = node.name.rsplit("/", 1)[-1] or node.type
    with graph.exact_name(name), graph.control_dependencies(waited):
        made = _again(target, node, inputs, attrs)
    made.line = node.line or made.line
    done[node.id] = made
    for old, new in zip(node.outputs, made.outputs, strict=True):
        new.handle_data = new.handle_data or old.handle_data
        new.narrow(old.dims)
        here[id(old)] = new


def _again(target: GraphTarget, node: Any, inputs: Any, attrs: Any) -> Any:
    state = LOCAL.state
    if node.record.name in (*BODIED, "Deferred", "Const", "_Arg", "Placeholder"):
        specs = [y.spec for y in node.outputs]
        made = target.graph.add(node.record, inputs, attrs, specs)
        for tape in state.tapes:
            tape.record_node(made)
        return made
    before = len(target.graph.operations)
    target.apply(state, node.record, inputs, attrs)
    return target.graph.operations[max(before, len(target.graph.operations) - 1)]


INLINE[:] = [inlined]
