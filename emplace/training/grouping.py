"""Operations that stand for several others: `tf.group`, `tf.no_op`."""

from __future__ import annotations

from typing import Any

from ..base import nest
from ..graph.graph import Operation
from ..graph.ops import NO_OP
from ..graph.scopes import control_dependencies, current_graph
from ..ops.op import apply


def group(*inputs: Any, name: str | None = None) -> Operation | None:
    """An operation that runs all of `inputs` (`tf.group`); None in eager mode, where they ran.

    Args:
        inputs: operations, tensors, variables, or nests of those.
        name: its name.
    """
    graph = current_graph()
    if graph is None:
        return None
    waited = [each for each in nest.flatten(list(inputs)) if each is not None]
    with control_dependencies(waited), graph.exact_name(name or "group_deps"):
        return apply(NO_OP, ())  # type: ignore[no-any-return]


def no_op(name: str | None = None) -> Operation | None:
    """An operation that does nothing (`tf.no_op`)."""
    return None if current_graph() is None else apply(NO_OP, ())
