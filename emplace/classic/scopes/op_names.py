"""Names of the operations that the library makes for a call of the program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...base.typing import TensorLike
from ...graph.recording.scopes import current_graph
from ...ops.array.shaping import identity


@contextmanager
def inside(scope: str | None) -> Iterator[str]:
    """A name scope in which operations are called by their types, whoever makes them; nothing in
    eager mode.
    """
    graph = current_graph()
    if graph is None:
        yield ""
        return
    with graph.plain_names(scope or ""):
        yield f"{graph.names.scope}/" if graph.names.scope else ""


@contextmanager
def named(name: str) -> Iterator[None]:
    """A scope for one operation of this name, below the open name scope."""
    graph = current_graph()
    if graph is None:
        yield
        return
    with graph.exact_name(name):
        yield


def copied_as(value: TensorLike, name: str) -> Any:
    """The same tensor under a name."""
    with named(name):
        return identity(value)
