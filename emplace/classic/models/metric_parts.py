"""What metrics are made of: local variables, and running means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base import dtypes
from ...base.typing import DTypeLike, ShapeLike, TensorLike
from ...core.aggregation import VariableAggregation, VariableSynchronization
from ...core.context import LOCAL
from ...eager.variable import Variable
from ...graph.recording.scopes import control_dependencies, current_graph
from ...ops.array.making import ones_like, zeros
from ...ops.array.shaping import expand_dims, squeeze
from ...ops.convert import to_tensor
from ...ops.deferred import needs_rank
from ...ops.math.elementwise import cast, multiply
from ...ops.math.guarded import divide_no_nan as div_no_nan
from ...ops.math.reduction import reduce_sum
from ..scopes.collections import GraphKeys, outer_graph
from ..scopes.op_names import named


def refuse_eager(name: str) -> None:
    """Raises RuntimeError in eager mode, where metrics of this kind do not exist."""
    if current_graph() is None:
        raise RuntimeError(f"tf.metrics.{name} is not supported when eager execution is enabled.")


def metric_variable(shape: ShapeLike, dtype: DTypeLike, name: str) -> Any:
    """A variable of zeros that is neither saved nor trained."""
    lists = [GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES]
    options: dict[str, Any] = {
        "collections": lists, "synchronization": VariableSynchronization.ON_READ,
        "aggregation": VariableAggregation.SUM,
    }  # fmt: skip
    return Variable(lambda: zeros(shape, dtype), trainable=False, name=name, **options)


@needs_rank
def same_rank(value: Any, like: Any) -> Any:
    """A tensor without a last axis of size 1, or with one, as `like` has it."""
    have, wanted = value.shape.rank, like.shape.rank
    if have is None or wanted is None or have == 0:
        return value
    if have == wanted + 1 and value.shape.as_list()[-1] in (1, None):
        return squeeze(value, [-1])
    return expand_dims(value, -1) if have == wanted - 1 else value


def weights_for(weights: TensorLike, values: TensorLike) -> Any:
    """Weights as float32, one for each value; None for none."""
    if weights is None:
        return None
    return _stretched(cast(to_tensor(weights), dtypes.float32), values)


@needs_rank
def _stretched(weights: Any, values: Any) -> Any:
    return multiply(same_rank(weights, values), ones_like(values, dtypes.float32))


def of_all(compute: Callable[[], Any]) -> Any:
    """What a function returns; in replicas of a strategy once for all of them, so that the
    variables that it reads are the sums of all replicas'.
    """
    context = LOCAL.state.strategy
    if context is None or context.replica is None:
        return compute()
    return context.replica.merge_call(lambda strategy: compute())


def seen(variable: Any) -> Any:
    """The value of a metric's variable, of all replicas if there are several."""
    return of_all(variable.value)


def added(variable: Any, value: TensorLike) -> Any:
    """The variable after adding to it."""
    return variable.assign_add(cast(value, variable.dtype)).value()


def collect(value: TensorLike, update: Any, value_lists: Any, update_lists: Any) -> None:
    """Adds a metric to lists of the graph."""
    graph = outer_graph()
    if value_lists:
        graph.add_to_collections(value_lists, value)
    if update_lists:
        graph.add_to_collections(update_lists, update)


def ratio(
    parts: tuple[Any, Any], updates: tuple[Any, Any],
    compute: Callable[[Any, Any, str], Any] | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """A quotient of two variables as "value", and after their updates as "update_op"."""
    quotient = compute or safe_ratio
    with control_dependencies(None):
        value = of_all(lambda: quotient(parts[0].value(), parts[1].value(), "value"))
    return value, quotient(updates[0], updates[1], "update_op")


def safe_ratio(a: TensorLike, b: TensorLike, name: str) -> Any:
    """a / b, 0 where b is 0."""
    with named(name):
        return div_no_nan(a, b)


def running_mean(values: TensorLike, weights: TensorLike) -> tuple[Any, Any]:
    """The mean of all values so far, in the open scope; the value and the update."""
    values = cast(to_tensor(values), dtypes.float32)
    total = metric_variable([], dtypes.float32, "total")
    count = metric_variable([], dtypes.float32, "count")
    if weights is None:
        number = reduce_sum(ones_like(values))
    else:
        weights = weights_for(weights, values)
        values, number = multiply(values, weights), reduce_sum(weights)
    with control_dependencies([values]):
        updates = added(total, reduce_sum(values)), added(count, number)
    return ratio((total, count), updates)
