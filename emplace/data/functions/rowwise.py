"""Functions that treat every row alike, applied to many rows at once.

A map before a batch may run behind it, on the whole batch, where that is provably the same, bit
for bit: the function has no effects, every operation of it works element by element with exact
results (no sums, no transcendental functions, whose last bit may depend on a value's place), or
only moves elements about within a row, and none of them can fail for one row and not for another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base.shapes import num_elements
from ...graph.passes.prune import needed
from ...graph.recording.func_graph import FuncGraph
from ...graph.representation.default_graph import as_default
from ...graph.representation.graph import Operation, SymbolicTensor
from ...ops.array.shaping import RESHAPE
from ...ops.infer import Spec
from ...ops.op import apply
from .traced import Planned, Traced

# Exact element by element, whatever stands beside an element.
_EXACT = frozenset((
    "Abs", "Add", "AddV2", "Cast", "Equal", "Greater", "GreaterEqual", "Identity", "Less",
    "LessEqual", "LogicalAnd", "LogicalNot", "LogicalOr", "Maximum", "Minimum", "Mul", "Neg",
    "NotEqual", "RealDiv", "Relu", "Sqrt", "Square", "Sub",
))  # fmt: skip
_MOVING = frozenset(("ExpandDims", "OneHot", "Reshape", "StridedSlice"))


def is_rowwise(function: Traced) -> bool:
    """Whether a function treats every row alike."""
    graph = function.graph
    if function.effects or function.captures or not function.inputs:
        return False
    if not all(_is_plain(x) for x in function.inputs):
        return False
    operations = needed([y.op for y in graph.outputs])
    return all(_is_fit(operation, function) for operation in operations) and any(
        y.op.record.name != "Const" for y in graph.outputs
    )


def _is_plain(x: SymbolicTensor) -> bool:
    """Whether rows like a tensor are of real numbers, of a known size, which is not 0."""
    if x.dtype.torch is None or x.dtype.is_complex:
        return False
    return x.is_fully_known and num_elements(x.dims or ()) > 0


def _is_fit(operation: Operation, function: Traced) -> bool:
    if operation.record.name == "Const":
        return _is_plain(operation.outputs[0])
    if any(x is y for y in operation.outputs for x in function.inputs):
        return True
    if operation.device or operation.control or not all(map(_is_plain, operation.outputs)):
        return False
    if len(operation.given) != len(operation.inputs):  # an attribute waits for a value
        return False
    if operation.record.name == "Cast":  # what does not fit an integer may become anything
        before, after = operation.inputs[0].dtype, operation.outputs[0].dtype
        return before.is_integer or before.is_bool or (before.is_floating and after.is_floating)
    if operation.record.name == "RealDiv":
        return operation.outputs[0].dtype.is_floating
    if operation.record.name == "StridedSlice":
        return bool(operation.attrs["key"][:1] == (("rest",),))
    if operation.record.name == "OneHot":
        return all(_is_constant(x) for x in operation.inputs[1:])
    return operation.record.name in _EXACT or operation.record.name in _MOVING


def _is_constant(x: SymbolicTensor) -> bool:
    return x.op.record.name == "Const"


class _RowwiseRecorder:
    """Records a function again, for many rows."""

    def __init__(self, function: Traced, graph: FuncGraph) -> None:
        self.function, self.graph = function, graph
        self.made: dict[int, Any] = {}
        self.moving: set[int] = set()

    def __call__(self, columns: Sequence[Any]) -> list[Any]:
        for x, column in zip(self.function.inputs, columns, strict=True):
            self.made[id(x)] = column
            self.moving.add(id(x))
        outputs = self.function.graph.outputs
        for operation in needed([y.op for y in outputs]):
            if id(operation.outputs[0]) not in self.made:
                self._record(operation)
        return [self.made[id(y)] for y in outputs]

    def _record(self, operation: Operation) -> None:
        y = operation.outputs[0]
        is_moving = any(id(x) in self.moving for x in operation.inputs)
        rank = max((len(x.dims or ()) for x in operation.inputs), default=0)
        if operation.record.name == "Const" or not is_moving:
            self.made[id(y)] = self._constant(operation)
            return
        inputs = tuple(
            self._input(x, rank, operation.record.name in _EXACT) for x in operation.inputs
        )
        self.made[id(y)] = apply(operation.record, inputs, self._attrs(operation))
        self.moving.add(id(y))

    def _constant(self, operation: Operation) -> Any:
        inputs = tuple(self.made[id(x)] for x in operation.inputs)
        if operation.record.name != "Const":
            return apply(operation.record, inputs, operation.attrs)
        return self.graph.add(
            operation.record, (), operation.attrs, (operation.outputs[0].spec,)
        ).outputs[0]

    def _input(self, x: SymbolicTensor, rank: int, broadcasts: bool) -> Any:
        """An input; one of fewer axes than the others gets axes behind that of the rows."""
        made = self.made[id(x)]
        dims = tuple(x.dims or ())
        if not broadcasts or id(x) not in self.moving or len(dims) == rank:
            return made
        return apply(RESHAPE, (made,), {"shape": (-1, *[1] * (rank - len(dims)), *dims)})

    def _attrs(self, operation: Operation) -> dict[str, Any]:
        attrs = operation.attrs
        if operation.record.name == "Reshape":
            return {**attrs, "shape": (-1, *(operation.outputs[0].dims or ()))}
        name = {"ExpandDims": "dim", "OneHot": "axis"}.get(operation.record.name)
        if name is not None and attrs[name] >= 0:
            return {**attrs, name: attrs[name] + 1}
        return attrs


def for_rows(function: Traced) -> Planned | None:
    """A function of columns that does to every row what `function` does to one; None where it is
    not provably the same.
    """
    if not is_rowwise(function):
        return None
    graph = FuncGraph(f"{function.graph.name}_rows", outer=None)
    with as_default(graph):
        columns = [graph.argument(Spec((None, *(x.dims or ())), x.dtype)) for x in function.inputs]
        graph.outputs = [graph.target.taken(y) for y in _RowwiseRecorder(function, graph)(columns)]
    if any(not _has_rows(y, x) for y, x in zip(graph.outputs, function.graph.outputs, strict=True)):
        return None
    return Planned(graph, columns)


def _has_rows(y: SymbolicTensor, row: SymbolicTensor) -> bool:
    """Whether an output is one of rows: a constant is not."""
    return len(y.dims or ()) == len(row.dims or ()) + 1
