"""What programs fetch from sessions: structures of tensors, operations and names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ....base.typing import Structure
from ....core.composite import CompositeTensor
from ...representation.elsewhere import InaccessibleTensorError
from ...representation.graph import Graph, Operation, SymbolicTensor
from .composites import value_of


class Fetches:
    """The tensors and operations that a structure asks for, and how to give the values back."""

    __slots__ = ("build", "operations", "tensors")

    def __init__(self, graph: Graph, structure: Structure) -> None:
        self.tensors: list[SymbolicTensor] = []
        self.operations: list[Operation] = []
        places: dict[int, int] = {}
        self.build = _builder(graph, structure, self, places)

    def place(self, tensor: SymbolicTensor, places: dict[int, int]) -> int:
        """The place of a tensor among the results."""
        if id(tensor) not in places:
            places[id(tensor)] = len(self.tensors)
            self.tensors.append(tensor)
        return places[id(tensor)]


def _builder(graph: Graph, fetch: Any, found: Fetches, places: dict[int, int]) -> Any:
    if fetch is None:
        raise TypeError('Argument `fetch` = None has invalid type "NoneType". Cannot be None')
    if isinstance(fetch, CompositeTensor) and fetch.is_tensor and not _is_element(fetch):
        parts = [_builder(graph, part, found, places) for part in fetch.components()]
        return _composite(fetch, parts)
    if isinstance(fetch, (list, tuple)):
        builders = [_builder(graph, each, found, places) for each in fetch]
        return _listed(type(fetch), builders)
    if isinstance(fetch, Mapping):
        named = [(key, _builder(graph, each, found, places)) for key, each in fetch.items()]
        kind: Any = type(fetch)
        if isinstance(fetch, defaultdict):
            kind = partial(kind, fetch.default_factory)
        return lambda values: kind((key, build(values)) for key, build in named)
    if hasattr(type(fetch), "__attrs_attrs__"):
        names = [each.name for each in type(fetch).__attrs_attrs__]
        parts = [_builder(graph, getattr(fetch, name), found, places) for name in names]
        return lambda values: type(fetch)(*[build(values) for build in parts])
    element = _element(graph, fetch)
    if isinstance(element, Operation):
        found.operations.append(element)
        return lambda values: None
    place = found.place(element, places)
    return lambda values: values[place]


def _is_element(fetch: CompositeTensor) -> bool:
    """Whether it stands for one tensor of the graph, whose value comes back."""
    return hasattr(fetch, "_as_graph_element")


def _composite(fetch: Any, parts: Sequence[Any]) -> Any:
    """Sparse and ragged tensors and slices come back as their value tuples."""
    return lambda values: value_of(fetch, [part(values) for part in parts])


def _listed(kind: type, builders: Sequence[Any]) -> Any:
    if hasattr(kind, "_fields"):
        return lambda values: kind(*[build(values) for build in builders])
    if kind is list:
        return lambda values: [build(values) for build in builders]
    return lambda values: kind([build(values) for build in builders])


def _element(graph: Graph, fetch: object) -> Any:
    try:
        element = graph.as_graph_element(fetch)
    except TypeError as error:
        raise TypeError(
            f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}" must be a '
            f"string or Tensor. ({error})"
        ) from None
    except (ValueError, KeyError) as error:
        text = repr(error.args[0]) if isinstance(error, KeyError) else error
        text = f'"{error.args[0]}"' if isinstance(error, KeyError) else text
        raise ValueError(
            f"Argument `fetch` = {fetch} cannot be interpreted as a Tensor. ({text})"
        ) from None
    if not graph.is_fetchable(element):
        operation = element.op if isinstance(element, SymbolicTensor) else element
        raise InaccessibleTensorError(
            f"Operation {operation.name} has been marked as not fetchable. Typically this happens "
            "when it is defined in another function or code block. Use return values, explicit "
            "Python locals or TensorFlow collections to access it."
        )
    return element
