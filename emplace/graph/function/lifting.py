"""Variables that a function makes in its first trace, outside of it, with first values that it
computes.

A first value is computed once, before the function runs: from constants, from what the function was
called with, and from the graphs around it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...base import dtypes, nest
from ...base.typing import TensorLike
from ...core.context import LOCAL
from ...eager.variable import Variable
from ...ops.array.making import ones, zeros
from ..passes.prune import has_effect, needed
from ..plan.build import PlanOptions
from ..plan.foresight import build_foreseen
from ..recording.func_graph import FuncGraph
from ..recording.scopes import init_scope
from ..representation.elsewhere import out_of_scope
from ..representation.graph import Operation, SymbolicTensor
from ..representation.ops import ARG
from .inline import copy_operations

# Ops that look at the shape of their input alone.
_LIKES: dict[str, Callable[..., Any]] = {"ZerosLike": zeros, "OnesLike": ones}


def creator(created: list[Variable] | None) -> Callable[..., Any]:
    """How variables are made while a function is traced: only in its first trace."""

    done = _Done()

    def make(kind: object, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        if created is None:
            raise ValueError(
                "tf.function only supports singleton tf.Variables created on the first call. Make "
                "sure the tf.Variable is only created once or created outside tf.function. See "
                "https://www.tensorflow.org/guide/function#creating_tfvariables for more "
                "information."
            )
        with init_scope():
            args, kwargs = nest.map_structure(lambda x: _lifted(x, done), (args, kwargs))
            variable: Variable = LOCAL.state.target.variable(kind, args, kwargs)
        created.append(variable)
        return variable

    return make


class _Done:
    """What first values needed so far: two variables may begin with the same random number."""

    def __init__(self) -> None:
        self.values: dict[int, tuple[SymbolicTensor, Any]] = {}

    def of(self, x: SymbolicTensor) -> Any:
        """The value of a tensor of the function, or None."""
        return self.values.get(id(x), (None, None))[1]

    def note(self, tensors: Sequence[SymbolicTensor], values: Sequence[Any]) -> None:
        """Keeps values for the variables that come."""
        self.values |= {id(y): (y, value) for y, value in zip(tensors, values, strict=True)}

    def read_by(self, operations: Sequence[Operation]) -> list[SymbolicTensor]:
        """What some operations read of it."""
        return list(
            {
                id(y): y
                for operation in operations
                for y in operation.inputs
                if id(y) in self.values
            }.values()
        )


def _lifted(x: TensorLike, done: _Done) -> Any:
    """What stands for a tensor of a function where ops run outside of it."""
    target: Any = LOCAL.state.target
    if not isinstance(x, SymbolicTensor) or not isinstance(x.graph, FuncGraph):
        return x
    behind = [] if id(x) in done.values else _values_behind(x, done)
    for operation in filter(_is_of_shape, behind):
        done.note(operation.outputs, [_like(operation)])
    if id(x) in done.values:
        return done.of(x)
    operations = needed([x.op], [y for y, _ in done.values.values()])
    _refuse_changed(x, behind)
    inputs = [y for operation in operations if operation.record is ARG for y in operation.outputs]
    values = [_lifted(_outside(x.graph, y), done) for y in inputs]
    read = done.read_by(operations)
    inputs, values = [*inputs, *read], [*values, *map(done.of, read)]
    if not target.is_eager:
        constants = [pair for pair in x.graph.constants.values() if pair[1].op in operations]
        here = {id(y): target.taken(value) for y, value in zip(inputs, values, strict=True)}
        here |= {id(inner): target.taken(outer) for outer, inner in constants}
        copy_operations(target, operations, here)
        copied = [y for operation in operations for y in operation.outputs if id(y) in here]
        done.note(copied, [here[id(y)] for y in copied])
        return here[id(x)]
    shapes = [tuple(getattr(value._value, "shape", ())) for value in values]
    devices = [value._kind.device for value in values]
    drawn = [
        y for operation in operations
        if operation.record.stateful and operation.record is not ARG
        for y in operation.outputs if y is not x and y.dtype is not dtypes.resource
    ]  # fmt: skip
    outputs = [x, *drawn]
    done.note(outputs, build_foreseen(inputs, outputs, (), PlanOptions(devices, shapes))(values))
    return done.of(x)


def _outside(graph: FuncGraph, y: SymbolicTensor) -> Any:
    """What an argument of a function is outside: a tensor that it was called with or captures."""
    for outer, inner in graph.captures.values():
        if inner is y:
            return outer
    if id(y) in graph.given:
        return graph.given[id(y)]
    raise out_of_scope(y)


def _is_of_shape(operation: Operation) -> bool:
    """Whether what an operation makes follows from the shape of its input, which is known."""
    return operation.record.name in _LIKES and operation.outputs[0].is_fully_known


def _like(operation: Operation) -> Any:
    """What such an operation makes, without its input: nobody may know that before a call."""
    (y,) = operation.outputs
    return _LIKES[operation.record.name](y.shape, y.dtype)


def _refuse_changed(x: SymbolicTensor, behind: Sequence[Operation]) -> None:
    """Raises ValueError where a first value depends on a variable that may have changed by then."""
    if not any(operation.record.name == "ReadVariableOp" for operation in behind):
        return
    if any(has_effect(operation) for operation in x.graph.operations):
        raise ValueError(
            f"[tf.function] The initial value {x} of a variable reads another variable, and the "
            "function changes variables before. The initial value is computed before the function "
            "runs: make the variable first, or outside of the function."
        )


def _values_behind(x: SymbolicTensor, done: _Done) -> list[Operation]:
    """The operations whose values a tensor depends on, not their shapes alone, and that are still
    to be computed.
    """
    found: dict[int, Operation] = {}
    left = [x.op]
    while left:
        operation = left.pop()
        if id(operation) not in found:
            found[id(operation)] = operation
            inputs = [] if _is_of_shape(operation) else operation.inputs
            left += [y.op for y in inputs if id(y) not in done.values]
    return list(found.values())
