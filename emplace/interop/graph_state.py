"""What a program asks about the graph that takes its ops."""

from __future__ import annotations

from ..base.typing import TensorLike
from ..core.context import LOCAL
from ..graph.recording.scopes import current_graph
from ..graph.representation.graph import SymbolicTensor


def inside_function() -> bool:
    """Tells whether a function is traced right now (`tf.inside_function`).

    >>> inside_function()
    False
    """
    graph = current_graph()
    return graph is not None and graph.is_function


def get_current_name_scope() -> str:
    """Returns the scope of names that is open, "a/b" (`tf.get_current_name_scope`).

    >>> import emplace.tensorflow as tf
    >>> with tf.name_scope("layer"):
    ...     tf.get_current_name_scope()
    'layer'
    """
    graph = current_graph()
    found: str = LOCAL.state.names if graph is None else graph.get_name_scope()
    return found.removesuffix("/")


def is_symbolic_tensor(tensor: TensorLike) -> bool:
    """Tells whether a value is a tensor of a graph (`tf.is_symbolic_tensor`), or is made of
    some.

    >>> is_symbolic_tensor(1.0)
    False
    """
    if isinstance(tensor, SymbolicTensor):
        return True
    parts = getattr(tensor, "components", None)
    return callable(parts) and any(isinstance(part, SymbolicTensor) for part in parts())
