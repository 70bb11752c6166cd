"""What metrics are made of: local variables, and running means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....base import dtypes
from ....base.errors import invalid_argument
from ....base.typing import DTypeLike, ShapeLike, TensorLike
from ....core.aggregation import VariableAggregation, VariableSynchronization
from ....core.context import LOCAL
from ....eager.variable import Variable
from ....graph.recording.scopes import control_dependencies, current_graph
from ....ops.array.making import ones_like, zeros
from ....ops.array.shaping import identity, squeeze
from ....ops.convert import to_tensor
from ....ops.deferred import deferrable
from ....ops.math.elementwise import cast, multiply
from ....ops.math.guarded import divide_no_nan as div_no_nan
from ....ops.math.reduction import reduce_sum
from ....ops.nn.weights import fitting_weights, of_like_rank
from ...scopes.collections import GraphKeys, outer_graph
from ...scopes.op_names import inside, named
from ...scopes.variable_scope import variable_scope

Pair = tuple[Any, Any]


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


def fitted(labels: Any, predictions: Any) -> Pair:
    """Labels and predictions, without a last axis of size 1 that only one of them has.

    Raises:
        ValueError: it is known that their shapes differ then.
        InvalidArgumentError: that axis turns out to be longer when the graph runs.
    """
    have, wanted = labels.shape.rank, predictions.shape.rank
    if have is None or wanted is None:
        return _without_more_axes(labels, predictions), _without_more_axes(predictions, labels)
    if have == wanted + 1 and _may_end_in_one(labels):
        labels = squeeze(labels, [-1])
    elif wanted == have + 1 and _may_end_in_one(predictions):
        predictions = squeeze(predictions, [-1])
    predictions.shape.assert_is_compatible_with(labels.shape)
    return labels, predictions


def _may_end_in_one(value: Any) -> bool:
    return value.shape.rank is None or value.shape.as_list()[-1:] in ([1], [None])


def _without_more_axes(value: Any, like: Any) -> Any:
    return _without_more_axes_later(value, like) if _may_end_in_one(value) else value


@deferrable
def _without_more_axes_later(value: Any, like: Any) -> Any:
    have, wanted = value.shape.rank, like.shape.rank
    if have is None or wanted is None or have != wanted + 1:
        return identity(value)
    try:
        return squeeze(value, [-1])
    except ValueError as error:
        raise invalid_argument(str(error)) from None


def weights_for(weights: TensorLike | None, values: Any) -> Any:
    """Weights as float32, one for each value; None for none.

    Raises:
        ValueError: they are no scalar, and have neither the values' sizes nor ones.
        InvalidArgumentError: so in a graph that tells shapes only when it runs.
    """
    if weights is None:
        return None
    floats = of_like_rank(cast(to_tensor(weights), dtypes.float32), values)
    fitting = fitting_weights(floats, values)
    if fitting.shape.is_fully_defined() and fitting.shape == values.shape:
        return fitting
    return multiply(fitting, ones_like(values, dtypes.float32))


def of_all(compute: Callable[[], Any]) -> Any:
    """What a function returns; in replicas of a strategy once for all of them, so that the
    variables that it reads are the sums of all replicas'.
    """
    context = LOCAL.state.strategy
    if context is None or context.replica is None:
        return compute()
    return context.replica.merge_call(lambda strategy: compute())


def seen(variables: Sequence[Any], compute: Callable[..., Any]) -> Any:
    """What a function makes of the values of a metric's variables: in replicas one result for all
    of them, of what all have seen.
    """
    return of_all(lambda: compute(*[variable.value() for variable in variables]))


def added(variable: Any, value: TensorLike) -> Any:
    """The variable after adding to it."""
    return variable.assign_add(cast(value, variable.dtype)).value()


def metric(
    kind: str, given: str | None, make: Callable[[], Pair], lists: tuple[Any, Any]
) -> Pair:  # fmt: skip
    """A metric in a variable scope of its own, added to lists of the graph."""
    refuse_eager(kind)
    with variable_scope(given, kind) as scope, inside(scope.original_name_scope):
        value, update = make()
    collect(value, update, *lists)
    return value, update


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


def running_mean(values: TensorLike, weights: TensorLike | None) -> tuple[Any, Any]:
    """The mean of all values so far, in the open scope; the value and the update."""
    values = cast(to_tensor(values), dtypes.float32)
    weights = weights_for(weights, values)
    total = metric_variable([], dtypes.float32, "total")
    count = metric_variable([], dtypes.float32, "count")
    if weights is None:
        number = reduce_sum(ones_like(values))
    else:
        values, number = multiply(values, weights), reduce_sum(weights)
    with control_dependencies([values]):
        updates = added(total, reduce_sum(values)), added(count, number)
    return ratio((total, count), updates)
