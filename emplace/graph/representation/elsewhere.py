"""Errors for tensors of a graph that are used where their graph is not."""

from __future__ import annotations

from typing import Any

from ...core.tensor import out_of_scope_text


class InaccessibleTensorError(TypeError, ValueError):
    """A tensor of a graph is used where its graph is not. TF: a ValueError inside of graphs, else a
    TypeError.
    """


def out_of_scope(x: Any, graph: Any = None) -> InaccessibleTensorError:
    """The error for a tensor of a graph that is used where its graph is not: in `graph`."""
    there, here = getattr(x.graph, "role", ""), getattr(graph, "role", "")
    if there and here:
        told = f"Tensor {x.name} in {there} is accessed from {here}. "
        return InaccessibleTensorError(told + out_of_scope_text(x))
    return InaccessibleTensorError(out_of_scope_text(x))


def of_another_graph(x: Any, graph: Any) -> Exception:
    """The error for a tensor that an operation of the session's graph `graph` is to take."""
    if x.graph.is_function:
        return out_of_scope(x)
    return ValueError(
        f"{x} must be from the same graph as the operation that takes it (graphs are {x.graph} and "
        f"{graph}). Make that operation under `with graph.as_default()` of the tensor's graph."
    )
