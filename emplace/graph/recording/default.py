"""The graph that takes ops in TF 1 programs, where nothing runs before a session runs it."""

from __future__ import annotations

from typing import Any

from ...base.shapes import show_dimensions
from ...core.context import LOCAL, PROCESS, at_reset
from ...eager.target import EAGER
from ..representation.graph import Graph

_GLOBAL: list[Graph] = []


def global_graph() -> Graph:
    """The default graph of the process."""
    if not _GLOBAL:
        _GLOBAL.append(Graph())
    return _GLOBAL[0]


def get_default_graph() -> Graph:
    """The graph that takes ops, or would take them outside of eager mode
    (`tf.compat.v1.get_default_graph`).
    """
    target: Any = LOCAL.state.target
    graph: Graph = global_graph() if target.is_eager else target.graph
    return graph


def reset_default_graph() -> None:
    """Starts with an empty default graph (`tf.compat.v1.reset_default_graph`).

    Raises:
        AssertionError: another graph is the default one in a scope around this.
    """
    target: Any = LOCAL.state.target
    if not target.is_eager and target.graph is not global_graph():
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared "
            "graph, exit the nesting and create a new graph."
        )
    _GLOBAL[:] = [Graph()]
    if not PROCESS.default_target.is_eager:
        disable_eager_execution()


def disable_eager_execution() -> None:
    """From now on ops become operations of the default graph
    (`tf.compat.v1.disable_eager_execution`).
    """
    state, before = LOCAL.state, PROCESS.default_target
    PROCESS.default_target = global_graph().target
    if state.target is before:  # inside of a graph's scope, ops stay there
        state.target, state.scope = PROCESS.default_target, None


@at_reset
def enable_eager_execution(
    config: object = None, device_policy: object = None, execution_mode: object = None
) -> None:
    """Lets ops run at once from now on (`tf.compat.v1.enable_eager_execution`).

    Args:
        config: not used.
        device_policy: not used.
        execution_mode: not used.
    """
    PROCESS.default_target = LOCAL.state.target = EAGER
    _GLOBAL.clear()


def disable_v2_tensorshape() -> None:
    """Makes the elements of shapes dimensions, which have `value`
    (`tf.compat.v1.disable_v2_tensorshape`).
    """
    show_dimensions(True)


@at_reset
def enable_v2_tensorshape() -> None:
    """Makes the elements of shapes numbers and None (`tf.compat.v1.enable_v2_tensorshape`)."""
    show_dimensions(False)


def disable_v2_behavior() -> None:
    """Makes everything as in TF 1 (`tf.compat.v1.disable_v2_behavior`): ops become operations of
    the default graph, and sessions run them; the elements of shapes are dimensions.
    """
    disable_v2_tensorshape()
    disable_eager_execution()


def enable_v2_behavior() -> None:
    """Makes everything as in TF 2 (`tf.compat.v1.enable_v2_behavior`)."""
    enable_v2_tensorshape()
    enable_eager_execution()


def is_tf2() -> bool:
    """Whether everything is as in TF 2 (`tf.__internal__.tf2.enabled`)."""
    return PROCESS.default_target.is_eager


def executing_eagerly_outside_functions() -> bool:
    """Whether ops run at once where no function is traced."""
    target: Any = LOCAL.state.target
    if target.is_eager:
        return True
    graph = target.graph
    while graph.is_function and graph.outer is not None:
        graph = graph.outer
    return bool(graph.is_function)
