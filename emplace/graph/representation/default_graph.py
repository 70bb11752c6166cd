"""How a graph becomes the one that takes ops, for a thread and for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...core.context import LOCAL, Scope, ThreadState
from .device_scopes import scopes_of


@contextmanager
def as_default(graph: Any) -> Iterator[None]:
    """A scope in which ops of this thread become operations of `graph`."""
    state = LOCAL.state
    before = state.target, state.scope, state.scopes, state.tapes
    target = graph.target
    if state.target is target:  # it is that already: device scopes and tapes go on
        yield
        graph._call = None
        return
    if not graph.is_function:
        strategy = state.strategy
        with scopes_of(graph):
            if state.target is not target:  # TF: a strategy's scope is of one graph
                state.strategy = None
            state.target, state.tapes = target, ()
            try:
                yield
            finally:
                state.target, state.tapes, state.strategy = before[0], before[3], strategy
                graph._call = None
        return
    graph.scope_around = scope_left(state)
    scope = state.scope if graph.keeps_scope else None
    state.target, state.scope, state.scopes, state.tapes = target, scope, [], ()
    try:
        yield
    finally:
        state.target, state.scope, state.scopes, state.tapes = before
        graph._call = None


def scope_left(state: ThreadState) -> Scope | None:
    """The innermost device scope of a thread, the one around the current graph if it has none."""
    if state.scope is not None or state.target.is_eager:
        return state.scope
    around: Scope | None = state.target.graph.scope_around  # type: ignore[attr-defined]
    return around
