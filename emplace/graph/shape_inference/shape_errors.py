"""The errors of shapes that do not fit while a graph is built: a ValueError in TensorFlow's words.

Shape rules speak as kernels do when they run. Here what programs meet most is said as TensorFlow
says it of a graph, and every error is told which node it is about and what that was given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base.shapes import Dims, TensorShape, difference, runtime_text
from ...ops import infer
from ...ops.infer import Spec
from ...ops.op import Op
from ..representation.graph import Operation, SymbolicTensor
from ..representation.names.operation_text import attributes_text, has_symbolic_value
from .array_shapes import ARRAYS
from .merged_shapes import chosen, concatenated


def refusal(error: str, operation: Operation) -> ValueError:
    """What a graph says of a node whose shapes do not fit.

    Args:
        error: what the shape rule says.
        operation: the operation, which will not be part of the graph, with a name.
    """
    op, taken = operation.record, operation.given
    text = _in_graph_words(op, [x.spec for x in taken], operation.attrs) or error
    names = ", ".join(_name(x) for x in taken)
    return ValueError(
        f"{text} for '{{{{node {operation.name}}}}} = {op.name}[{attributes_text(operation)}]"
        f"({names})' with input shapes: {', '.join(_shape(x.dims) for x in taken)}."
    )


def _name(x: SymbolicTensor) -> str:
    return x.name if x.value_index else x.op.name


def _shape(dims: Dims | None) -> str:
    return "<unknown>" if dims is None else runtime_text(dims)


# -- what TensorFlow says of a graph and not of a kernel ------------------------------------------


def _in_graph_words(op: Op, given: Sequence[Spec], attrs: dict[str, Any]) -> str | None:
    dims = [spec.dims for spec in given]
    if op.infer in (infer.broadcast, infer.compare):
        return _broadcast(dims)
    rule = _RULES.get(op.name)
    if rule is not None:
        try:
            rule(*given, **attrs)
        except ValueError as error:
            return str(error)
    say = _WORDS.get(op.name)
    return None if say is None or None in dims else say(dims, attrs)


def _must_be_equal(one: Any, other: Any) -> str:
    return f"Dimensions must be equal, but are {one} and {other}"


def _broadcast(dims: Sequence[Dims | None]) -> str | None:
    x, y = dims[0], dims[1]
    if x is None or y is None:
        return None
    pairs = zip(reversed(x), reversed(y), strict=False)
    wrong = [pair for pair in pairs if None not in pair and 1 not in pair and pair[0] != pair[1]]
    return _must_be_equal(*wrong[-1]) if wrong else None


def _product(dims: Sequence[Any], attrs: dict[str, Any]) -> str | None:
    for each in dims:
        if len(each) < 2:
            return f"Shape must be rank 2 but is rank {len(each)}"
    k = dims[0][-2 if attrs.get("transpose_a") else -1]
    other = dims[1][-1 if attrs.get("transpose_b") else -2]
    return _must_be_equal(k, other) if None not in (k, other) and k != other else None


def _reshape(dims: Sequence[Any], attrs: dict[str, Any]) -> str | None:
    shape = attrs.get("shape")
    if not isinstance(shape, (tuple, list)) or has_symbolic_value(shape) or None in dims[0]:
        return None
    count, wanted = _count(dims[0]), _count(shape)
    text = runtime_text([None if size == -1 else size for size in shape])
    if -1 not in shape:
        return f"Cannot reshape a tensor with {count} elements to shape {text} ({wanted} elements)"
    return (
        f"Dimension size must be evenly divisible by {-wanted} but is {count} and shape {text}"
        if wanted and count % -wanted
        else None
    )


def _count(dims: Sequence[Any]) -> int:
    count = 1
    for size in dims:
        count *= size
    return count


def _merged(dims: TensorShape, attrs: dict[str, Any]) -> str | None:
    """Of several tensors that must look alike; TensorFlow merges from the last one to the first."""
    last = dims[-1]
    for place in range(len(dims) - 2, -1, -1):
        wrong = difference(dims[place], last)
        if wrong:
            return f"{wrong}\n\tFrom merging shape {place} with other shapes."
    return None


def _reduced(dims: Sequence[Any], attrs: dict[str, Any]) -> str | None:
    rank, axis = len(dims[0]), attrs.get("axis")
    if axis is None or has_symbolic_value(axis):
        return None
    wrong = [each for each in axis if not -rank <= each < rank]
    if not wrong:
        return None
    return f"Invalid reduction dimension {wrong[0]} for input with {rank} dimensions."


def _square(dims: TensorShape, attrs: dict[str, Any]) -> str | None:
    rank = len(dims[0])
    return f"Shape must be at least rank 2 but is rank {rank}" if rank < 2 else None


def _expanded(dims: TensorShape, attrs: dict[str, Any]) -> str | None:
    axis, rank = attrs.get("axis"), len(dims[0])
    if not isinstance(axis, int) or -rank - 1 <= axis <= rank:
        return None
    return f"dim {axis} not in the interval [{-rank - 1}, {rank}]."


def _scattered(dims: Sequence[Any], attrs: dict[str, Any]) -> str | None:
    return _scattered_into(dims[0], *dims[1:])


def _scattered_anew(dims: Sequence[Any], attrs: dict[str, Any]) -> str | None:
    shape = attrs.get("shape")
    known = isinstance(shape, (tuple, list)) and not has_symbolic_value(shape)
    return _scattered_into(tuple(shape), *dims) if known and shape is not None else None


def _scattered_into(value: Any, indices: Any, updates: Any) -> str | None:
    """Of updates in places of a value."""
    if not (value and indices and updates):
        return "Shape must be at least rank 1 but is rank 0"
    if 0 in value and 0 not in indices and 0 not in updates:
        return "Indices and updates specified for empty input"
    outer, depth = len(indices) - 1, indices[-1]
    pairs = [
        (f"[0,{outer}) of indices", indices, indices[:outer],
         f"[0,{outer}) of updates", updates[:outer]),
    ]  # fmt: skip
    if depth is not None:
        pairs.append(
            (f"[{depth},{len(value)}) of input", value, value[depth:],
             f"[{outer},{len(updates)}) of updates", updates[outer:])
        )  # fmt: skip
    for here, whole, part, there, other in pairs:
        wrong = difference(part, other)
        if wrong:
            return (
                f"Dimensions {here}[shape={runtime_text(whole)}] = {runtime_text(part)} must "
                f"match dimensions {there}[shape={runtime_text(updates)}] = "
                f"{runtime_text(other)}: {wrong}"
            )
    return None


# Rules of graphs that speak as TensorFlow does of graphs.
_RULES: dict[str, Any] = {"ConcatV2": concatenated, "Select": chosen, **ARRAYS}

_WORDS: dict[str, Any] = {
    "MatMul": _product, "BatchMatMulV2": _product, "Reshape": _reshape, "AddN": _merged,
    "Pack": _merged, "Cholesky": _square, "MatrixInverse": _square,
    "ExpandDims": _expanded, "ScatterNd": _scattered_anew,
    **dict.fromkeys([f"TensorScatter{how}" for how in ("Add", "Sub", "Min", "Max", "Update")],
                    _scattered),
    **dict.fromkeys(("Sum", "Mean", "Prod", "Max", "Min", "All", "Any"), _reduced),
}  # fmt: skip
