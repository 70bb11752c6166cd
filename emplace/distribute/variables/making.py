"""How strategies make variables of all replicas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.aggregation import VariableAggregation, VariableSynchronization
from ...core.context import LOCAL, device
from ...eager.variable import Variable
from ...graph.recording.variable import GLOBAL_VARIABLES, TRAINABLE_VARIABLES, GraphVariable
from ...graph.representation.graph import Graph
from ...ops.array.shaping import identity
from ..replicas.contexts import session_graph
from .variables import DistributedVariable, MirroredVariable, SyncOnReadVariable


def checked_options(kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """Takes aggregation and synchronization out of a variable's arguments, for a strategy.

    Raises:
        ValueError: they are of another type, or no strategy can do them.
    """
    name = kwargs.get("name")
    synchronization = kwargs.pop("synchronization", None) or VariableSynchronization.AUTO
    aggregation = kwargs.pop("aggregation", None) or VariableAggregation.NONE
    if not isinstance(aggregation, VariableAggregation):
        raise ValueError(f"Invalid variable aggregation mode: {aggregation} for variable: {name}")
    if not isinstance(synchronization, VariableSynchronization):
        raise ValueError(
            f"Invalid variable synchronization mode: {synchronization} for variable: {name}"
        )
    if synchronization is VariableSynchronization.NONE:
        raise ValueError(
            "`NONE` variable synchronization mode is not supported with tf.distribute strategy. "
            f"Please change the `synchronization` for variable: {name}"
        )
    if synchronization is VariableSynchronization.AUTO:
        synchronization = VariableSynchronization.ON_WRITE
    return aggregation, synchronization


def named(args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a variable, all by name."""
    names: tuple[str, ...] = (
        "initial_value", "trainable", "validate_shape", "caching_device", "name", "variable_def",
        "dtype", "import_scope", "constraint", "synchronization", "aggregation", "shape",
    )  # fmt: skip
    if len(args) > 2 and session_graph() is not None:  # TF 1's order
        names = (*names[:2], "collections", *names[2:])
    return {**dict(zip(names, args, strict=False)), **kwargs}


def make(
    strategy: Any,
    kind: Any,
    args: Sequence[Any],
    kwargs: dict[str, Any],
    devices: Sequence[str] = (),
) -> DistributedVariable:
    """A variable of all replicas: the first component gets the initial value, the others a copy.
    They are on `devices`, those of the replicas if there are none.
    """
    settings = named(args, kwargs)
    aggregation, synchronization = checked_options(settings)
    on_read = synchronization is VariableSynchronization.ON_READ
    if on_read and settings.get("trainable") is None:
        settings["trainable"] = False
    graph = session_graph()
    lists = settings.pop("collections", None)
    if graph is not None:
        settings["collections"] = []
    values: list[Any] = []
    for i, name in enumerate(devices or strategy.replica_devices):
        options = settings if i == 0 else _of_copy(settings, values[0], i)
        with device(name):
            values.append(LOCAL.state.target.variable(kind, (), dict(options)))
        if graph is not None:
            _unlist(graph, values[-1])
    if aggregation is VariableAggregation.MEAN and not values[0].dtype.is_floating:
        raise ValueError(
            "creating distributed tf.Variable with aggregation=MEAN and a non-floating dtype is "
            "not supported, please use a different aggregation or dtype"
        )
    for component in values:
        component._aggregation, component._synchronization = aggregation, synchronization
    variable_class = SyncOnReadVariable if on_read else MirroredVariable
    variable = variable_class(strategy, values, aggregation, synchronization)
    if graph is not None:
        _list(graph, variable, lists)
    return variable


def _unlist(graph: Graph, component: object) -> None:
    """Takes a component out of the lists of a graph, which hold the variable of all replicas."""
    trained = graph.get_collection_ref(TRAINABLE_VARIABLES)
    if trained and trained[-1] is component:
        trained.pop()


def _list(graph: Graph, variable: DistributedVariable, lists: Any) -> None:
    """Adds a variable to the lists of a graph."""
    kinds = [GLOBAL_VARIABLES] if lists is None else list(lists)
    if variable.trainable and TRAINABLE_VARIABLES not in kinds:
        kinds.append(TRAINABLE_VARIABLES)
    graph.add_to_collections(kinds, variable)


def _of_copy(given: dict[str, Any], first: Variable, number: int) -> dict[str, Any]:
    """The arguments of a further component."""
    stem = given.get("name") or "Variable"
    is_in_graph = isinstance(first, GraphVariable)
    return {
        **given, "dtype": first.dtype, "initial_value": lambda: identity(_first_value(first)),
        "name": f"{first._name}/replica_{number}/" if is_in_graph else f"{stem}/replica_{number}",
    }  # fmt: skip


def _first_value(first: Variable) -> Any:
    # In a graph all copies are initialised in one run, from one draw of random numbers.
    return first.initial_value if isinstance(first, GraphVariable) else first.value()
