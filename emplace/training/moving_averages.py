"""`assign_moving_average`: one step of an average in which old values fade, as layers keep them."""

from __future__ import annotations

from typing import Any

from ..base.typing import TensorLike
from ..classic.scopes.collections import global_variables
from ..classic.scopes.initializers import Zeros
from ..classic.scopes.name_scopes import name_scope_v1
from ..classic.scopes.op_names import inside, named
from ..classic.scopes.variable_scope import get_variable, get_variable_scope, variable_scope
from ..core.context import LOCAL
from ..core.tensor import Tensor
from ..distribute.replicas.replica_context import get_replica_context
from ..distribute.replicas.values import ReduceOp
from ..eager.variable import Variable
from ..graph.recording.scopes import init_scope
from ..ops.array.making import zeros, zeros_like
from ..ops.convert import to_tensor
from ..ops.math.elementwise import cast, divide, multiply, pow as power, subtract
from .optimizer import beside, stem


def assign_moving_average(
    variable: Any,
    value: TensorLike,
    decay: TensorLike,
    zero_debias: bool = True,
    name: str | None = None,
) -> Any:
    """Moves a variable towards a value, by the share that `decay` leaves
    (`tf.__internal__.train.assign_moving_average`). Replicas move it towards the mean of theirs.

    Args:
        variable: the average.
        value: the newest value, of the variable's dtype.
        decay: how much of the average stays.
        zero_debias: whether the average is one that begins at 0, divided by what is in it so far;
            what the variable held before does not count then. In eager mode every call begins one;
            in a session's graph each call makes the variables of one, "biased" and "local_step".
        name: of the operations in graphs.
    """
    names = name_scope_v1(name, "AssignMovingAvg", [variable, value, decay])
    with names as scope, inside(scope):
        share = cast(to_tensor(subtract(1.0, decay)), variable.dtype)

        def move(average: Any, value: Any) -> Any:
            if not zero_debias:
                return average.assign_sub(multiply(subtract(average, value), share))
            return _moved_from_zero(average, *_begun(average), value, share, scope)

        replica = get_replica_context()
        if replica is None or replica.num_replicas_in_sync == 1:
            return move(variable, value)

        def all_move(strategy: Any, variable: Any, value: Any) -> Any:
            mean = strategy.extended.reduce_to(ReduceOp.MEAN, value, variable)
            return strategy.extended.update(variable, move, (mean,))

        if not isinstance(value, Tensor):
            value = to_tensor(value, variable.dtype)
        return replica.merge_call(all_move, (variable, value))


def _moved_from_zero(
    variable: Any, biased: Any, steps: Any, value: Any, share: Any, scope: str
) -> Any:
    total = biased.assign_sub(multiply(subtract(biased, value), share))
    weight = subtract(1.0, power(subtract(1.0, share), steps.assign_add(1.0)))
    found = divide(total, weight)
    with named(scope):
        return variable.assign(found)


def _begun(variable: Any) -> tuple[Any, Any]:
    """An average that begins at 0, and how many values are in it."""
    target: Any = LOCAL.state.target
    if target.is_eager:
        return _new(variable)
    if not target.graph.is_function:
        return _in_scope(variable)
    # Of functions all calls go on with one, whatever they are traced for: TensorFlow raises.
    kept: tuple[Any, Any] | None = variable.__dict__.get("_biased_average")
    if kept is None:
        with init_scope():
            kept = variable.__dict__["_biased_average"] = _new(variable)
    return kept


def _new(variable: Any) -> tuple[Any, Any]:
    return Variable(zeros_like(variable), False), Variable(zeros([], variable.dtype), False)


def _in_scope(variable: Any) -> tuple[Any, Any]:
    with variable_scope(stem(variable)), beside(variable):
        return _zeros("biased", variable.shape, variable), _zeros("local_step", [], variable)


def _zeros(name: str, shape: Any, variable: Any) -> Any:
    return get_variable(_unused(name), shape, variable.dtype, Zeros(), trainable=False)


def _unused(name: str) -> str:
    """A name that no variable of the open scope has, unless they are to be shared."""
    scope = get_variable_scope()
    if scope.reuse:
        return name
    taken = {stem(each) for each in global_variables()}
    number, found = 0, name
    while f"{scope.name}/{found}" in taken:
        number += 1
        found = f"{name}_{number}"
    return found
