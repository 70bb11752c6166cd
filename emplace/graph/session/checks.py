"""What sessions refuse before they run anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base.errors import invalid_argument
from ..plan.failures import located
from ..representation.graph import Graph, Operation


def check_arguments(target: Any, graph: Any, config: Any) -> None:
    """Raises TypeError unless these can be a session's target, graph and configuration."""
    if not isinstance(target, (str, bytes)):
        raise TypeError(f'Argument `target` must be a string, but got "{type(target).__name__}"')
    if graph is not None and not isinstance(graph, Graph):
        raise TypeError(f'Argument `graph` must be a tf.Graph, but got "{type(graph).__name__}"')
    if config is not None and not hasattr(config, "allow_soft_placement"):
        raise TypeError(
            f'Argument `config` must be a tf.ConfigProto, but got "{type(config).__name__}"'
        )


def refuse_tasks(operations: Sequence[Operation]) -> None:
    """Raises InvalidArgumentError for an operation on a task: only sessions on servers share."""
    for operation in operations:
        if "/job:" in operation.device and "/job:localhost" not in operation.device:
            error = invalid_argument(
                f"Cannot assign a device for operation {operation.name}: it is assigned to "
                f"{operation.device}, and this session has no target. Give tf.Session the target "
                "of a tf.train.Server, so that it shares the variables of that cluster."
            )
            raise located(error, operation)


def check_message(message: Any, method: str) -> None:
    """Raises AttributeError unless a message of protobuf is given."""
    if not hasattr(message, method):
        raise AttributeError(f"'{type(message).__name__}' object has no attribute '{method}'")


def check_dict(feed_dict: Any) -> None:
    """Raises TypeError unless feeds are a dictionary."""
    if not hasattr(feed_dict, "items"):
        raise TypeError(
            "FlattenDictItems: 'dict' must be a dictionary or collection.Mapping type object, "
            f"instead of '{type(feed_dict).__name__}'."
        )
