"""TF 1's `name_scope`, which has a default name and a list of values besides the name."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from ...graph.recording.scopes import current_graph, name_scope
from ...graph.representation.graph import Graph


class name_scope_v1:  # noqa: N801  # TensorFlow's name
    """A scope for the names of nodes (`tf.compat.v1.name_scope`).

    Args:
        name: the name; below it nodes are called "name/...". None for `default_name`.
        default_name: the name if there is none; None, without `values`, for no scope at all.
        values: what a function was given. In the scope the graph of the symbolic tensors among
            them is the default one.

    Raises:
        TypeError: `default_name` is no text.
        ValueError: there are values and no name, or they are of different graphs.

    >>> with name_scope_v1(None, "layer") as scope:
    ...     scope
    'layer/'
    """

    def __init__(
        self,
        name: str | None,
        default_name: str | None = None,
        values: Sequence[object] | None = None,
    ):
        if not (default_name is None or isinstance(default_name, str)):
            raise TypeError(
                f"`default_name` type ({type(default_name)}) is not a string type. You likely "
                "meant to pass this into the `values` kwarg."
            )
        self._name = default_name if name is None else name
        self._values = values
        self._open: list[Any] = []

    @property
    def name(self) -> str | None:
        """The name."""
        return self._name

    def __enter__(self) -> str:
        if self._name is None and self._values is not None:
            raise ValueError(
                "At least one of name (None) and default_name (None) must be provided."
            )
        graph = current_graph()
        name = "" if self._name is None else self._name
        with ExitStack() as scopes:
            if graph is None:
                entered = scopes.enter_context(name_scope(name))
            else:
                found = graph_of(() if self._values is None else self._values, graph)
                if found is not graph:
                    scopes.enter_context(found.as_default())
                entered = scopes.enter_context(found.name_scope(name))
            self._open.append(scopes.pop_all())
        return entered

    def __exit__(self, *exc: object) -> None:
        self._open.pop().__exit__(*exc)


def graph_of(values: Sequence[object], default: Graph) -> Graph:
    """The graph that the symbolic tensors, operations and variables among some values are of.

    Args:
        values: anything.
        default: the graph if there are none, and always where it is a function's.

    Raises:
        ValueError: they are of different graphs.
    """
    if default.is_function:
        return default
    first = None
    for value in values:
        graph = getattr(value, "graph", None)
        if not isinstance(graph, Graph):
            continue
        if first is None:
            first = value, graph
        elif graph is not first[1]:
            raise ValueError(  # TF: the text
                f"{value} must be from the same graph as {first[0]} (graphs are {graph} and "
                f"{first[1]})."
            )
    return default if first is None else first[1]


def op_scope(
    values: Sequence[object], name: str | None, default_name: str | None = None
) -> name_scope_v1:
    """The same with the arguments of old programs (`tf.compat.v1.op_scope`)."""
    return name_scope_v1(name, default_name, values)
