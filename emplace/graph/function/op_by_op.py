"""A trace run in eager mode, one operation after the other, on values of other shapes than it was
made for.

A plan is written for the shapes that the trace knows: kernels, fused steps and loops in it rely on
them. Here nothing is known of shapes but what the values have, so each operation does with them
what it would in eager mode, or refuses them. What the program computed of the traced shapes in
Python stays what it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...base import dtypes
from ...base.errors import OpError, invalid_argument
from ...core.context import LOCAL, Scope, intern_scope
from ...core.symbolic_value import SymbolicValue, filled_in, without_backed_ints
from ...core.tensor import EagerTensor, make_tensor
from ...core.tensor_list import TensorList
from ...devices.inventory import INVENTORY
from ...devices.name import DeviceSpec
from ...eager.target import EAGER
from ...ops.array.making import zeros
from ...ops.array.shaping import identity
from ..passes.prune import effects_of, needed
from ..plan.failures import located
from ..plan.writing.attributes import numbers
from ..plan.writing.writer import truth
from ..recording.deferred import DEFERRED
from ..recording.func_graph import FuncGraph
from ..representation.graph import Operation, SymbolicTensor
from ..representation.ops import CONST

Values = dict[int, Any]


def run_op_by_op(
    graph: FuncGraph, inputs: Sequence[SymbolicTensor], tensors: Sequence[EagerTensor]
) -> list[Any]:
    """What a traced function returns for tensors; tapes see its operations.

    Args:
        graph: its graph.
        inputs: the arguments of `graph`.
        tensors: a tensor for each of them.

    Raises:
        OpError: an operation does not take what it gets.
    """
    values: Values = {id(x): each for x, each in zip(inputs, tensors, strict=True)}
    ends = [*[y.op for y in graph.outputs], *effects_of(graph)]
    _run(needed(ends, inputs), values)
    given = set(map(id, inputs))
    return [identity(values[id(y)]) if id(y) in given else values[id(y)] for y in graph.outputs]


def _run(operations: Sequence[Operation], values: Values) -> None:
    """Runs operations; `values`, by the ids of tensors, gets what they return."""
    state = LOCAL.state
    around = state.scope
    try:
        for operation in operations:
            if operation.outputs and all(id(y) in values for y in operation.outputs):
                continue  # an argument
            state.scope = _scope_of(operation, around)
            try:
                made = _RUN.get(operation.record.name, _applied)(operation, values)
                _check_count(operation, made)
            except OpError as error:
                raise located(error, operation) from error
            for y, value in zip(operation.outputs, made, strict=True):
                values[id(y)] = value
    finally:
        state.scope = around


def _check_count(operation: Operation, made: Sequence[Any]) -> None:
    """Raises InvalidArgumentError where the sizes of an input say how many results there are."""
    if len(made) != len(operation.outputs):
        raise invalid_argument(
            f"{operation.type} was traced for an input of which it makes {len(operation.outputs)} "
            f"tensors, and got one of which it makes {len(made)}"
        )


def _scope_of(operation: Operation, around: Scope | None) -> Scope | None:
    if not operation.device:
        return around
    base = DeviceSpec.from_string("") if around is None else around.spec
    return intern_scope(base.make_merged_spec(DeviceSpec.from_string(operation.device)))


def _applied(operation: Operation, values: Values) -> Sequence[Any]:
    """An operation that is a call of a kernel."""
    state = LOCAL.state
    attrs = {
        name: filled_in(value, lambda symbolic: _number(symbolic, values))
        for name, value in without_backed_ints(operation.attrs).items()
        if name != "is_implicit"
    }
    inputs = tuple(values[id(x)] for x in operation.given)
    made = EAGER.apply(state, operation.record, inputs, attrs)
    if not operation.outputs:
        return []
    return made if isinstance(made, (list, tuple)) else [made]


def _number(symbolic: SymbolicValue, values: Values) -> Any:
    return symbolic.value(numbers(values[id(symbolic.tensor)]))


def _constant(operation: Operation, values: Values) -> Sequence[Any]:
    """A value from outside is itself: tapes tell tensors by their identity."""
    attrs = operation.attrs
    eager = attrs.get("eager")
    if eager is not None:
        return [eager]
    return [EAGER.constant(LOCAL.state, attrs["value"], attrs["dtype"], borrowed=False)]


def _deferred(operation: Operation, values: Values) -> Sequence[Any]:
    made: Sequence[Any] = operation.attrs["call"].flat([values[id(x)] for x in operation.given])
    return made


# -- bodies ---------------------------------------------------------------------------------------


def _body(
    body: FuncGraph, symbols: Sequence[SymbolicTensor | None], given: Sequence[Any]
) -> list[Any]:
    """What a body returns for values; `symbols` are what stands for these in it."""
    values = {id(x): each for x, each in zip(symbols, given, strict=True) if x is not None}
    ends = [y.op for y in body.outputs if y is not None]
    _run(needed([*ends, *effects_of(body)], [x for x in symbols if x is not None]), values)
    return [None if y is None else values[id(y)] for y in body.outputs]


def _branch(operation: Operation, values: Values) -> Sequence[Any]:
    pred, *given = [values[id(x)] for x in operation.inputs]
    chosen = 0 if truth(pred) else 1
    made = _body(operation.attrs["bodies"][chosen], operation.attrs["reads"][chosen], given)
    return [
        _absent(y) if value is None else value
        for y, value in zip(operation.outputs, made, strict=True)
    ]


def _while(operation: Operation, values: Values) -> Sequence[Any]:
    loops = operation.attrs["loops"]
    tests, step = operation.attrs["bodies"]
    of_tests, of_step = operation.attrs["reads"]
    given = [values[id(x)] for x in operation.inputs]
    turning, reads = given[:loops], given[loops:]
    kept: list[list[Any]] = [[] for _ in operation.outputs[loops:]]
    while truth(_body(tests, [*tests.inputs, *of_tests], [*turning, *reads])[0]):
        made = _body(step, [*step.inputs, *of_step], [*turning, *reads])
        turning = made[:loops]
        for each, value in zip(kept, made[loops:], strict=True):
            each.append(value)
    return [*turning, *map(_as_list, kept)]


def _scan(operation: Operation, values: Values) -> Sequence[Any]:
    attrs = operation.attrs
    lists, loops = attrs["lists"], attrs["loops"]
    (body,), (of_body,) = attrs["bodies"], attrs["reads"]
    given = [values[id(x)] for x in operation.inputs]
    turning, reads = given[lists : lists + loops], given[lists + loops :]
    kept: list[list[Any]] = [[] for _ in operation.outputs[loops:]]
    rows = list(zip(*map(_elements, given[:lists], body.inputs), strict=True))
    for row in reversed(rows) if attrs["reverse"] else rows:
        made = _body(body, [*body.inputs, *of_body], [*row, *turning, *reads])
        turning = made[:loops]
        for each, value in zip(kept, made[loops:], strict=True):
            each.append(value)
    if attrs["reverse"]:
        for each in kept:
            each.reverse()
    return [*turning, *map(_as_list, kept)]


def _elements(given: EagerTensor, symbol: SymbolicTensor) -> list[Any]:
    kind = given._kind.device.kind(symbol.dtype)
    return [each if each is None else make_tensor(each, kind) for each in given._value.items]


def _as_list(values: Sequence[EagerTensor]) -> EagerTensor:
    """What an iteration each has kept, as one value."""
    device = values[0]._kind.device if values else INVENTORY.devices()[0]
    made = TensorList([None if each is None else each._value for each in values])
    return make_tensor(made, device.kind(dtypes.variant))


def _absent(y: SymbolicTensor) -> Any:
    """What stands for a value that only the other branch makes, and keeps for its gradient."""
    return _as_list([]) if y.dtype is dtypes.variant else zeros((), y.dtype)


_RUN: dict[str, Callable[[Operation, Values], Sequence[Any]]] = {
    CONST.name: _constant,
    DEFERRED.name: _deferred,
    "If": _branch,
    "While": _while,
    "Scan": _scan,
}
