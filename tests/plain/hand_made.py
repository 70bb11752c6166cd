"""Small graphs, made by hand for tests of single parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import emplace.graph.recording.target  # noqa: F401 - provides what records ops into a graph
from emplace.base import dtypes
from emplace.base.dtypes import DType
from emplace.base.shapes import Dims
from emplace.devices.inventory import INVENTORY
from emplace.eager.place import Placement, Reason
from emplace.graph.recording.func_graph import FuncGraph
from emplace.graph.representation.default_graph import as_default
from emplace.graph.representation.graph import Operation, SymbolicTensor
from emplace.ops.infer import Spec


class HandMade:
    """A function's graph; ops become its operations in `with made.taking_ops():`."""

    def __init__(self) -> None:
        self.graph = FuncGraph("hand_made", None)

    def argument(self, dims: Dims | None = (), dtype: DType = dtypes.float32) -> SymbolicTensor:
        """A new argument."""
        return self.graph.argument(Spec(dims, dtype))

    @contextmanager
    def taking_ops(self) -> Iterator[None]:
        """A scope in which ops become operations of the graph."""
        with as_default(self.graph):
            yield

    @property
    def types(self) -> list[str]:
        """The ops of the operations, arguments aside."""
        return [operation.type for operation in self.graph.operations if operation.type != "_Arg"]


def on_host(operations: Sequence[Operation]) -> dict[Operation, Placement]:
    """All operations on the host."""
    host = INVENTORY.devices()[0]
    return {operation: Placement(host, Reason.ASKED) for operation in operations}


def types_of(operations: Sequence[Any]) -> list[str]:
    """The ops of operations."""
    return [operation.type for operation in operations]
