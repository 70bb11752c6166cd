"""The lists that a graph keeps by name: variables, losses, updates and what programs add."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base.typing import TensorLike
from ...core.context import LOCAL
from ...graph.recording.default import get_default_graph
from ...graph.representation.graph import Graph


class GraphKeys:
    """The names of the lists that the library itself uses (`tf.compat.v1.GraphKeys`)."""

    GLOBAL_VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SAVERS = "savers"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    LOSSES = "losses"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    GLOBAL_STEP = "global_step"
    EVAL_STEP = "eval_step"
    TRAIN_OP = "train_op"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"
    GLOBAL_STEP_READ_KEY = "global_step_read_op_cache"


def outer_graph() -> Graph:
    """The graph that sessions run: the default one, or the one around the body being traced."""
    graph = get_default_graph()
    while graph.is_function and getattr(graph, "outer", None) is not None:
        graph = graph.outer  # type: ignore[attr-defined]
    return graph


# What a replica of a strategy adds to these lists is its own, as what it computes is. (In TF a
# replica finds the losses of those before it, too.)
_OF_REPLICAS = frozenset({GraphKeys.LOSSES, GraphKeys.REGULARIZATION_LOSSES})


def replica_number() -> int | None:
    """The number of the replica that runs; None outside of replicas."""
    context = LOCAL.state.strategy
    replica = None if context is None else context.replica
    return None if replica is None else int(replica._replica_id)


def add_to_collection(name: str | None, value: Any) -> None:
    """Adds a value to a list of the default graph (`tf.compat.v1.add_to_collection`)."""
    graph, replica = outer_graph(), replica_number()
    graph.add_to_collection(name, value)
    if replica is not None and name in _OF_REPLICAS:
        graph.__dict__.setdefault("_of_replicas", {})[id(value)] = replica


def add_to_collections(names: str | Sequence[str], value: TensorLike) -> None:
    """Adds a value to several lists (`tf.compat.v1.add_to_collections`)."""
    for name in dict.fromkeys([names] if isinstance(names, str) else names or ()):
        add_to_collection(name, value)


def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """A copy of a list; with `scope`, a regular expression, what has such a name
    (`tf.compat.v1.get_collection`). A replica of a strategy finds its own losses.
    """
    graph = outer_graph()
    found = graph.get_collection(key, scope)
    owners = graph.__dict__.get("_of_replicas")
    if not owners or key not in _OF_REPLICAS:
        return found
    replica = replica_number()
    if replica is None and key == GraphKeys.REGULARIZATION_LOSSES:
        replica = 0  # which stands for all: they are of the same variables
    return [each for each in found if replica is None or owners.get(id(each), replica) == replica]


def get_collection_ref(key: Any) -> list[Any]:
    """The list itself (`tf.compat.v1.get_collection_ref`)."""
    return outer_graph().get_collection_ref(key)


def global_variables(scope: str | None = None) -> list[Any]:
    """The variables that are saved and shared (`tf.compat.v1.global_variables`)."""
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def all_variables() -> list[Any]:
    """The old name of `global_variables`."""
    return global_variables()


def local_variables(scope: str | None = None) -> list[Any]:
    """Variables that are not saved, such as those of metrics (`tf.compat.v1.local_variables`)."""
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[Any]:
    """The variables that inference needs (`tf.compat.v1.model_variables`)."""
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


def trainable_variables(scope: str | None = None) -> list[Any]:
    """The variables that optimizers change (`tf.compat.v1.trainable_variables`)."""
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list[Any]:
    """The variables of which averages are kept (`tf.compat.v1.moving_average_variables`)."""
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)
