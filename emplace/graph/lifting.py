"""Variables that a function makes in its first trace, outside of it, with first values that it
computes.

A first value is computed once, before the function runs: from constants, from what the function was
called with, and from the graphs around it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..base import nest
from ..core.context import LOCAL
from ..eager.variable import Variable
from .build import Wishes, build_plan
from .func_graph import FuncGraph, out_of_scope
from .graph import Operation, SymbolicTensor
from .inline import copy_operations
from .ops import ARG
from .prune import has_effect, needed
from .scopes import init_scope


def creator(created: list[Variable] | None) -> Callable[..., Any]:
    """How variables are made while a function is traced: only in its first trace."""

    def make(kind: Any, args: Any, kwargs: Any) -> Any:
        if created is None:
            raise ValueError(
                "tf.function only supports singleton tf.Variables created on the first call. Make "
                "sure the tf.Variable is only created once or created outside tf.function. See "
                "https://www.tensorflow.org/guide/function#creating_tfvariables for more "
                "information."
            )
        with init_scope():
            args, kwargs = nest.map_structure(_lifted, (args, kwargs))
            variable: Variable = LOCAL.state.target.variable(kind, args, kwargs)
        created.append(variable)
        return variable

    return make


def _lifted(x: Any) -> Any:
    """What stands for a tensor of a function where ops run outside of it."""
    target: Any = LOCAL.state.target
    if not isinstance(x, SymbolicTensor) or not isinstance(x.graph, FuncGraph):
        return x
    nodes = needed([x.op])
    _refuse_changed(x, nodes)
    inputs = [y for node in nodes if node.record is ARG for y in node.outputs]
    values = [_lifted(_outside(x.graph, y)) for y in inputs]
    if not target.is_eager:
        constants = [pair for pair in x.graph.constants.values() if pair[1].op in nodes]
        here = {id(y): target.taken(value) for y, value in zip(inputs, values, strict=True)}
        here |= {id(inner): target.taken(outer) for outer, inner in constants}
        copy_operations(target, nodes, here)
        return here[id(x)]
    shapes = [tuple(getattr(each._value, "shape", ())) for each in values]
    homes = [each._kind.device for each in values]
    return build_plan(inputs, [x], (), Wishes(homes, shapes))(values)[0]


def _outside(graph: FuncGraph, y: SymbolicTensor) -> Any:
    """What an argument of a function is outside: a tensor that it was called with or captures."""
    for outer, inner in graph.captures.values():
        if inner is y:
            return outer
    if id(y) in graph.given:
        return graph.given[id(y)]
    raise out_of_scope(y)


def _refuse_changed(x: SymbolicTensor, nodes: Sequence[Operation]) -> None:
    """Raises ValueError where a first value depends on a variable that may have changed by then."""
    if not any(node.type == "ReadVariableOp" for node in nodes):
        return
    if any(has_effect(node) for node in x.graph.operations):
        raise ValueError(
            f"[tf.function] The initial value {x} of a variable reads another variable, and the "
            "function changes variables before. The initial value is computed before the function "
            "runs: make the variable first, or outside of the function."
        )
