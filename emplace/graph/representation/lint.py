"""What must hold of every graph (`graph.lint()`), and of the operations of a plan after every pass.

Tests ask after each stage and pass (`CHECKS` of `plan/build.py` and of `rewriting.py`); programs
never pay for it. Whether an operation is what the rules of its op tell knows who records it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...base import dtypes
from ...devices.name import DeviceSpec
from ...eager.place import Placement
from .operation import Operation, SymbolicTensor, attribute_tensors
from .ops import BODIED

if TYPE_CHECKING:
    from .graph import Graph


class GraphError(AssertionError):
    """A graph, or what is left of one after a pass, is not what every graph is."""


def problems_of(graph: Graph) -> Iterator[str]:
    """What does not hold of a graph; the bodies of its operations are graphs of their own."""
    yield from _of_operations(graph)
    yield from _of_names(graph)


def bodies_of(graph: Graph) -> Iterator[Graph]:
    """The bodies of a graph's operations."""
    for operation in graph.operations:
        yield from operation.attrs["bodies"] if operation.record.name in BODIED else ()


def lint_operations(
    operations: Sequence[Operation], given: Collection[int], wanted: Iterable[SymbolicTensor],
    placed: Mapping[Operation, Placement] | None = None,
    roots: Mapping[int, SymbolicTensor] | None = None,
) -> None:  # fmt: skip
    """Checks operations that are to run in this order.

    Args:
        operations: the operations.
        given: ids of tensors that have a value before.
        wanted: tensors that must have one afterwards.
        placed: where operations run, once that is decided.
        roots: tensors whose values others have, by the ids of those others.

    Raises:
        GraphError: something does not hold; the text names all of it.
    """
    wrong = list(_of_order(operations, given, wanted, placed, roots or {}))
    refuse("the operations of a plan", wrong)


def refuse(what: str, wrong: Sequence[str]) -> None:
    """Raises GraphError if anything is wrong."""
    if wrong:
        raise GraphError(f"{what}: " + "; ".join(wrong))


# -- graphs ----------------------------------------------------------------------------------------


def _of_operations(graph: Graph) -> Iterator[str]:
    there: set[Operation] = set()
    everything = set(graph.operations)
    for place, operation in enumerate(graph.operations):
        if operation.graph is not graph or operation.id != place:
            number = f"number {operation.id} of {operation.graph!r}"
            yield f"{operation!r} is {number}, and stands at {place}"
        for x in operation.inputs:
            if x.op not in there:
                yield f"{operation!r} takes {x!r}, which nothing before it makes"
            elif not any(x is y for y in x.op.outputs):
                yield f"{operation!r} takes {x!r}, which is no output of {x.op!r}"
        for each in operation.control:
            if each not in everything:
                yield f"{operation!r} waits for {each!r}, which is not in the graph"
        yield from _of_operation(operation)
        there.add(operation)
    yield from _of_waiting(graph.operations)


def _of_waiting(operations: Sequence[Operation]) -> Iterator[str]:
    """Operations that would wait for each other for ever."""
    done: set[Operation] = set()
    left = list(operations)
    while left:
        before, later = len(left), []
        for operation in left:
            if done.issuperset([*operation.control, *[x.op for x in operation.inputs]]):
                done.add(operation)
            else:
                later.append(operation)
        left = later
        if len(left) == before:
            yield f"{left[0]!r} and {before - 1} others wait for each other"
            return


def _of_operation(operation: Operation) -> Iterator[str]:
    """What must hold of one operation: its inputs, outputs, attributes and device."""
    if any(y.op is not operation or y.value_index != i for i, y in enumerate(operation.outputs)):
        yield f"{operation!r} has outputs of others, or in another order"
    waits = attribute_tensors(operation.attrs)
    rest = operation.inputs[len(operation.given) :]
    if operation.given != operation.inputs[: len(operation.given)] or {*map(id, waits)} != {
        *map(id, rest)
    }:
        yield f"{operation!r} takes {rest} for its attributes, which wait for {waits}"
    try:
        DeviceSpec.from_string(operation.device)
    except ValueError as error:
        yield f"{operation!r} asks for no device: {error}"
    yield from operation.graph.target.disagreements(operation)
    if operation.record.name in BODIED:
        yield from _of_bodies(operation)


def _of_bodies(operation: Operation) -> Iterator[str]:
    """Whether the bodies of a branch or a loop take and make what the operation does."""
    bodies, reads, count = (
        operation.attrs["bodies"],
        operation.attrs["reads"],
        operation.attrs["count"],
    )
    outside = operation.inputs[count:]
    for body, symbols in zip(bodies, reads, strict=True):
        if len(symbols) != len(outside):
            yield f"{operation!r} reads {len(outside)} tensors, {body!r} {len(symbols)}"
            continue
        own = [*zip(_carried(operation), body.inputs, strict=False)]
        for x, symbol in [*own, *zip(outside, symbols, strict=True)]:
            if symbol is not None and (symbol.graph is not body or symbol.dtype is not x.dtype):
                yield f"{symbol!r} of {body!r} stands for {x!r} in {operation!r}"
    for body in bodies if operation.record.name == "If" else bodies[-1:]:
        if len(body.outputs) != len(operation.outputs):
            counts = len(operation.outputs), len(body.outputs)
            yield f"{operation!r} has {counts[0]} outputs, {body!r} {counts[1]}"
        for y, symbol in zip(operation.outputs, body.outputs, strict=False):
            is_kept = y.dtype is dtypes.variant
            if symbol is not None and symbol.dtype is not y.dtype and not is_kept:
                yield f"{operation!r} returns {y!r}, {body!r} {symbol!r}"


def _carried(operation: Operation) -> Sequence[SymbolicTensor]:
    """The inputs that the first arguments of a body stand for; of a Scan they are elements."""
    return operation.inputs[: operation.attrs["loops"]] if operation.record.name == "While" else ()


def _of_names(graph: Graph) -> Iterator[str]:
    seen: dict[str, Operation] = {}
    for operation in graph.operations:
        if operation.is_named and seen.setdefault(operation.name, operation) is not operation:
            yield f"two operations are called {operation.name!r}"


# -- plans -----------------------------------------------------------------------------------------


def _of_order(
    operations: Sequence[Operation], given: Collection[int], wanted: Iterable[SymbolicTensor],
    placed: Mapping[Operation, Placement] | None, roots: Mapping[int, SymbolicTensor],
) -> Iterator[str]:  # fmt: skip
    made: dict[int, Any] = dict.fromkeys(given)
    there, everything = set[Operation](), set(operations)
    for operation in operations:
        if operation in there:
            yield f"{operation!r} runs twice"
        for x in operation.inputs:
            if id(roots.get(id(x), x)) not in made:
                yield f"{operation!r} takes {x!r}, which nothing before it makes"
        for each in operation.control:
            if each in everything and each not in there:
                yield f"{operation!r} waits for {each!r}, which comes later"
        if placed is not None and operation not in placed:
            yield f"{operation!r} has no device"
        made |= {id(y): operation for y in operation.outputs}
        there.add(operation)
    for y in wanted:
        if id(roots.get(id(y), y)) not in made:
            yield f"{y!r} is wanted, and nothing makes it"
