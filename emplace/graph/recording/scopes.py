"""Scopes that mean something in graphs: names, order, and leaving all graphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from ...core.context import LOCAL, eager_scope
from ...eager.target import eager_target
from ..representation.default_graph import scope_left
from ..representation.graph import Graph


@contextmanager
def init_scope() -> Iterator[None]:
    """A scope in which ops run outside of all functions: now, or in the graph of a session around
    them (`tf.init_scope`). Nothing is recorded for gradients, and no control dependency holds. The
    innermost device scope does, and the scope of names.
    """
    state = LOCAL.state
    before = state.target, state.scope, state.scopes, state.tapes
    names = state.names
    target, state.tapes = _outermost(state.target), ()
    named: Any = nullcontext()
    if target is not before[0]:
        scope = scope_left(state)
        left: Any = state.target
        inner = left.graph.get_name_scope()
        inner = f"{inner}/" if inner else ""
        if target.is_eager:
            state.names = inner
        else:
            named = target.graph.name_scope(inner)
        state.target = target
        state.scope, state.scopes = eager_scope(scope) if target.is_eager else scope, []
    try:
        with named, nullcontext() if target.is_eager else target.graph.control_dependencies(None):
            yield
    finally:
        state.target, state.scope, state.scopes, state.tapes = before
        state.names = names


def _outermost(target: Any) -> Any:
    if target.is_eager:
        return target
    graph = target.graph
    while graph.is_function and graph.outer is not None:
        graph = graph.outer
    if not graph.is_function:
        return graph.target
    return eager_target(LOCAL.state.strategy is not None)


def open_scopes(graph: Graph) -> tuple[Any, ...]:
    """The scopes of names and of order that are open in a graph."""
    return graph._control, graph._colocated, graph._exact, graph._plain, graph.names.scope


def reopen_scopes(graph: Graph, scopes: tuple[Any, ...]) -> None:
    """Makes `open_scopes` of another time those that are open, in the place of the present ones."""
    graph._control, graph._colocated, graph._exact, graph._plain, graph.names.scope = scopes
    graph._call = None


def current_graph() -> Graph | None:
    """The graph that takes ops; None in eager mode."""
    target: Any = LOCAL.state.target
    return None if target.is_eager else target.graph


class name_scope:  # noqa: N801  # TensorFlow's name
    """A scope for the names of nodes (`tf.name_scope`).

    Args:
        name: the name; below it nodes are called "name/...".

    >>> with name_scope("layer"):
    ...     pass
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        self._name = name
        self._open: list[Any] = []

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    def __enter__(self) -> str:
        graph = current_graph()
        if graph is None:
            state = LOCAL.state
            self._open.append((state, state.names))
            around = state.names
            state.names = self._name if self._name.endswith("/") else f"{around}{self._name}/"
            if not self._name:
                state.names = ""
            return state.names
        scope = graph.name_scope(self._name)
        self._open.append(scope)
        return scope.__enter__()

    def __exit__(self, *exc: object) -> None:
        opened = self._open.pop()
        if isinstance(opened, tuple):
            state, state.names = opened
        else:
            opened.__exit__(*exc)


@contextmanager
def control_dependencies(control_inputs: Sequence[Any] | None) -> Iterator[None]:
    """A scope in which ops run after others (`tf.control_dependencies`); in eager mode they do
    anyway.

    Args:
        control_inputs: tensors, operations or variables; None lifts the scopes around.
    """
    graph = current_graph()
    if graph is None:
        for each in control_inputs or ():
            if callable(each):
                each()
        yield
        return
    with graph.control_dependencies(control_inputs):
        yield
