"""Operations with bodies, `If`, `While` and `Scan`, and the bodies: graphs of their own.

What a body reads from outside are inputs of the operation, so a body stands alone and can be run,
copied and differentiated wherever the operation goes. In a plan a body is a block: plain `if`,
`while` and `for` of Python around calls of kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...base import dtypes, nest
from ...core.context import LOCAL
from ...core.tensor import EagerTensor, Tensor
from ...ops.convert import to_tensor
from ...ops.infer import Spec
from ...ops.op import DEVICE_TYPES, Arg, Op
from ..recording.deferred import variable_behind
from ..recording.func_graph import FuncGraph
from ..recording.sparse_arguments import keep_shapes, shapes_of
from ..representation.default_graph import as_default
from ..representation.graph import Graph, Operation, SymbolicTensor
from .known_around import known_around


def _in_plans_only(*values: Tensor, **attrs: Any) -> Any:
    raise AssertionError("plans write operations with bodies out")


def op_with_bodies(name: str) -> Op:
    """The record of an op with bodies, which takes and makes any tensors."""
    many, out = (Arg("inputs", "any", True),), (Arg("outputs", "any", True),)
    return Op(name, _in_plans_only, None, many, out, {}, DEVICE_TYPES)


class Body(FuncGraph):
    """The graph of a branch or of a loop's iteration. It reads even constants through the graph
    around it, so that a tape there sees what it depends on.
    """

    def __init__(self, name: str, outer: Graph | None) -> None:
        super().__init__(name, outer=outer)

    def capture(self, x: object) -> SymbolicTensor:
        """What stands here for a tensor from outside."""
        if isinstance(x, EagerTensor):
            assert self.outer is not None
            x = self.outer.target.taken(x)
        return super().capture(x)

    def number_behind(self, tensor: SymbolicTensor) -> Any:
        """As of every graph, and what is known around the body."""
        known = tensor.static_value()
        return known_around(self, tensor) if known is None else known


def trace(
    name: str, outer: Graph, function: Callable[..., Any], specs: Sequence[Spec],
    data: Sequence[Spec | None] = (), role: str = "",
) -> tuple[Body, Any]:  # fmt: skip
    """The body that a function makes of arguments like `specs`, and what it returned."""
    body = Body(name, outer)
    body.role, body.keeps_scope = role, True
    body.awaited = None if outer.runs_all else []
    with as_default(body):
        arguments = [body.argument(spec) for spec in specs]
        for x, known in zip(arguments, data, strict=False):
            x.handle_data = known
        result = function(*arguments)
        leaves = nest.flatten(result, expand_composites=True)
        if body.awaited is not None:
            body.awaited = [each for each in leaves if isinstance(each, Operation)]
        leaves = [each if each is None or isinstance(each, Operation)
                  else body.target.taken(to_tensor(each)) for each in leaves]  # fmt: skip
        body.outputs = [each for each in leaves if isinstance(each, SymbolicTensor)]
        leaves = [None if isinstance(each, Operation) else each for each in leaves]
        # Here: composites of libraries may compute when they are made.
        made = nest.pack_sequence_as(result, leaves, expand_composites=True)
    keep_shapes(made, shapes_of(result))
    return body, made


def add_operation(
    record: Op,
    graph: Graph,
    inputs: Sequence[SymbolicTensor],
    bodies: Sequence[FuncGraph],
    specs: Sequence[Spec],
    attrs: dict[str, Any],
    name: str | None = None,
) -> Operation:
    """An operation with bodies: it takes `inputs`, and behind them all that the bodies read.

    `attrs["reads"]` says for each body which of its tensors stands for each input behind those.
    """
    outside: dict[int, Any] = {}
    for body in bodies:
        for x, _ in body.captures.values():
            outside[id(x)] = x
    reads = tuple(
        tuple(body.captures[i][1] if i in body.captures else None for i in outside)
        for body in bodies
    )
    for x in outside.values():
        _watch(x)
    taken = [graph.target.taken(x) for x in outside.values()]
    attrs = {**attrs, "bodies": tuple(bodies), "reads": reads, "count": len(inputs)}
    with graph.control_dependencies([awaited for body in bodies for awaited in body.waits_for]):
        operation = graph.add(record, (*inputs, *taken), attrs, specs, name)
    for tape in LOCAL.state.tapes:
        tape.record_operation(operation)
    return operation


def _watch(x: SymbolicTensor) -> None:
    """Tells the tapes around of a variable that a body reads: while the body was traced, no tape
    listened.
    """
    if x.dtype is not dtypes.resource or not LOCAL.state.tapes:
        return
    variable = variable_of(x)
    if variable is not None and variable.trainable:
        variable._watch()


def variable_of(x: SymbolicTensor) -> Any:
    """The variable that a handle, of whatever graph, is for; None if that is not known."""
    while True:
        graph: Any = x.graph
        pairs = getattr(graph, "captures", {}).values()
        outer = next((outside for outside, inner in pairs if inner is x), None)
        if outer is None:
            break
        x = outer
    return variable_behind(x.op.attrs.get("eager", x))


def extend(operation: Operation, body: FuncGraph, x: SymbolicTensor, spec: Spec) -> SymbolicTensor:
    """A further output of an operation: `x` of one of its bodies, nothing of the others."""
    for each in operation.attrs["bodies"]:
        if each is body and len(each.outputs) < len(operation.outputs) + 1:
            each.outputs.append(x)
        elif len(each.outputs) < len(operation.outputs) + 1:
            each.outputs.append(None)
    made = SymbolicTensor(operation, len(operation.outputs), spec)
    made.handle_data = x.handle_data
    return add_output(operation, made)


def add_output(operation: Operation, made: SymbolicTensor) -> SymbolicTensor:
    """Gives an operation a further output, and tells the tapes."""
    operation.outputs.append(made)
    for tape in LOCAL.state.tapes:
        tape.record_output(operation, made)
    return made
