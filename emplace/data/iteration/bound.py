"""A pipeline with what it needs besides itself: the raw value of a dataset."""

from __future__ import annotations

from collections.abc import Iterator as PythonIterator, Mapping, Sequence
from functools import partial
from typing import Any

from ..elements.structure import Element, Structure
from .node import Node, Run, on_host
from .position import Calls, OneByOne, in_pieces


class BoundDataset:
    """A pipeline with the values of the graph's tensors that it needs: a dataset's raw value.

    `kept` is what its nodes keep from pass to pass; None where that is with the nodes.
    """

    __slots__ = ("bindings", "kept", "node")

    shape = ()
    dtype = "variant"

    def __init__(
        self, node: Node, bindings: Mapping[int, Any], kept: dict[Any, Any] | None = None
    ) -> None:
        self.node, self.bindings, self.kept = node, bindings, kept

    def start(self, run: Run | None = None) -> PythonIterator[Element]:
        """Its elements on the host, from the first one."""
        items, device = self.start_on_device(run), self.node.device
        return items if device is None else Calls(partial(on_host, device=device), items)

    def start_on_device(self, run: Run | None = None) -> PythonIterator[Element]:
        """Its elements on the device of its node, from the first one."""
        return self.node.start(self.run_within(run))

    def number(self, run: Run | None = None) -> int:
        """How many elements it has, INFINITE or UNKNOWN."""
        return self.node.number_in(self.run_within(run))

    def run_within(self, run: Run | None = None) -> Run:
        """A pass through it in another pass, or on its own."""
        return (run or Run()).within(self.bindings, self.kept)


class Listed(Node):
    """Elements that are at hand."""

    label = "WindowDataset"

    def __init__(self, structure: Structure, elements: Sequence[Element]) -> None:
        super().__init__()
        self.structure, self.elements = structure, elements
        self.cardinality = len(elements)

    def start(self, run: Run) -> PythonIterator[Element]:
        """Its elements, from the first one."""
        return in_pieces(OneByOne(self.elements))
