"""The number of training steps that a graph counts: one variable, found by its list or name."""

from __future__ import annotations

from typing import Any

from ..base import dtypes, log
from ..classic.scopes.collections import GraphKeys, outer_graph
from ..classic.scopes.initializers import Zeros
from ..classic.scopes.variable_scope import get_variable
from ..core.aggregation import VariableAggregation
from ..core.context import LOCAL, device
from ..graph.representation.graph import Graph
from ..graph.session.session import BaseSession


def get_global_step(graph: Graph | None = None) -> Any:
    """The global step of a graph (`tf.compat.v1.train.get_global_step`).

    Args:
        graph: the graph; the default one if None.

    Returns:
        A variable; None where there is none, or several.

    Raises:
        TypeError: it is no whole number.
    """
    graph = graph or outer_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(found) > 1:
        log.error("Multiple tensors in global_step collection.")
        return None
    step = found[0] if found else _by_name(graph)
    if step is not None:
        assert_global_step(step)
    return step


def _by_name(graph: Graph) -> Any:
    for each in graph.get_collection(GraphKeys.GLOBAL_VARIABLES):
        if each.name == "global_step:0":
            return each
    try:
        found = graph.get_tensor_by_name("global_step:0")
    except KeyError:
        return None
    return None if found.dtype is dtypes.resource else found  # that of a variable in no list


def create_global_step(graph: Graph | None = None) -> Any:
    """Makes the global step of a graph (`tf.compat.v1.train.create_global_step`). An eager one is
    in the list of the default graph, too.

    Raises:
        ValueError: there is one already.
    """
    graph = graph or outer_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    if LOCAL.state.target.is_eager:
        with device("/CPU:0"):
            made = _variable()
        graph.add_to_collection(GraphKeys.GLOBAL_STEP, made)
        return made
    with graph.as_default(), graph.name_scope(None):
        return _variable()


def _variable() -> Any:
    return get_variable(
        GraphKeys.GLOBAL_STEP, shape=[], dtype=dtypes.int64, initializer=Zeros(),
        trainable=False, collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
        aggregation=VariableAggregation.ONLY_FIRST_REPLICA,
    )  # fmt: skip


def get_or_create_global_step(graph: Graph | None = None) -> Any:
    """The global step of a graph, made if need be
    (`tf.compat.v1.train.get_or_create_global_step`).
    """
    graph = graph or outer_graph()
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


def assert_global_step(global_step_tensor: Any) -> None:
    """Checks that something can count steps (`tf.compat.v1.train.assert_global_step`).

    Raises:
        TypeError: it is no tensor or variable of one whole number.
    """
    dtype = getattr(global_step_tensor, "dtype", None)
    if dtype is None:
        raise TypeError(
            f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor}.'
        )
    if not dtype.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {dtype}')
    shape = global_step_tensor.shape
    if shape.rank != 0 and shape.is_fully_defined():
        raise TypeError(f'Existing "global_step" is not scalar: {shape}')


def global_step(sess: BaseSession, global_step_tensor: Any) -> int:
    """The number of steps so far (`tf.compat.v1.train.global_step`).

    Args:
        sess: the session that holds it; not used in eager mode.
        global_step_tensor: the variable.
    """
    if LOCAL.state.target.is_eager:
        return int(global_step_tensor.numpy())
    return int(sess.run(global_step_tensor))
