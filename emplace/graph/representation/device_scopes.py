"""Device scopes of graphs: `with graph.device(name):` is about that graph alone.

The scopes of the graph that takes ops are the thread's. Those of other graphs are kept aside until
they take ops (again): `with graph.device(name), graph.as_default():`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...core.context import LOCAL, DeviceScope, Scope

# The innermost scope, and the stack that leads there: see `ThreadState`.
_Scopes = tuple[Scope | None, list[tuple[Any, Scope | None]]]


def _aside() -> dict[int, _Scopes]:
    """The scopes of graphs that do not take ops now, by their ids; of this thread."""
    found: dict[int, _Scopes] = LOCAL.__dict__.setdefault("scopes_of_graphs", {})
    return found


def _current() -> Any:
    target: Any = LOCAL.state.target
    return None if target.is_eager else target.graph


@contextmanager
def scopes_of(graph: Any) -> Iterator[None]:
    """Makes the scopes of a graph those of the thread, and those of the graph before it aside."""
    state, aside, before = LOCAL.state, _aside(), _current()
    if graph is before:
        yield
        return
    around = state.scope, state.scopes
    if before is not None:
        aside[id(before)] = around
    state.scope, state.scopes = aside.pop(id(graph), (None, []))
    try:
        yield
    finally:
        if state.scopes or state.scope is not None:
            aside[id(graph)] = state.scope, state.scopes
        if before is not None:
            aside.pop(id(before), None)
        state.scope, state.scopes = around


class GraphDeviceScope:
    """A device scope for the operations of one graph, whichever takes ops now."""

    __slots__ = ("_graph", "_scope")

    def __init__(self, graph: Any, scope: DeviceScope) -> None:
        self._graph = graph
        self._scope = scope

    def __enter__(self) -> None:
        with self._there():
            self._scope.__enter__()

    def __exit__(self, *exc: object) -> None:
        with self._there():
            self._scope.__exit__(*exc)

    @contextmanager
    def _there(self) -> Iterator[None]:
        state = LOCAL.state
        with scopes_of(self._graph):
            before, state.target = state.target, self._graph.target
            try:
                yield
            finally:
                state.target = before
