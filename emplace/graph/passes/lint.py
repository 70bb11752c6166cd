"""What must hold of every graph, and of the operations of a plan after every pass.

Tests ask after each stage and pass (`CHECKS` of `plan/build.py` and of `rewriting.py`); programs
never pay for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...base import dtypes
from ...base.shapes import TensorShape
from ...core.later import laters
from ...devices.name import DeviceSpec
from ...eager.place import Placement
from ...ops.infer import Spec
from ..recording.deferred import DEFERRED
from ..recording.func_graph import FuncGraph
from ..recording.target import check_types
from ..representation.graph import Graph, Operation, SymbolicTensor, later_tensors
from ..representation.ops import BODIED, PLACEHOLDER_WITH_DEFAULT
from ..shape_inference.shapes import outputs_of

# Ops whose outputs are told by who records them, not by a rule.
_TOLD = BODIED | {DEFERRED.name, "_Arg", "Const", "VarHandleOp"}


class GraphError(AssertionError):
    """A graph, or what is left of one after a pass, is not what every graph is."""


def lint(graph: Graph) -> None:
    """Checks a graph, and the bodies of its operations.

    Raises:
        GraphError: something does not hold; the text names all of it.
    """
    _refuse(f"{graph!r}", [*_of_operations(graph), *_of_names(graph), *_of_function(graph)])
    for node in graph.operations:
        for body in node.attrs["bodies"] if node.type in BODIED else ():
            lint(body)


def lint_nodes(
    nodes: Sequence[Operation], given: Collection[int], wanted: Iterable[SymbolicTensor],
    placed: Mapping[Operation, Placement] | None = None,
) -> None:  # fmt: skip
    """Checks operations that are to run in this order.

    Args:
        nodes: the operations.
        given: ids of tensors that have a value before.
        wanted: tensors that must have one afterwards.
        placed: where operations run, once that is decided.

    Raises:
        GraphError: something does not hold; the text names all of it.
    """
    _refuse("the operations of a plan", list(_of_order(nodes, given, wanted, placed)))


def _refuse(what: str, wrong: Sequence[str]) -> None:
    if wrong:
        raise GraphError(f"{what}: " + "; ".join(wrong))


# -- graphs ----------------------------------------------------------------------------------------


def _of_operations(graph: Graph) -> Iterator[str]:
    there: set[Operation] = set()
    everything = set(graph.operations)
    for place, node in enumerate(graph.operations):
        if node.graph is not graph or node.id != place:
            yield f"{node!r} is number {node.id} of {node.graph!r}, and stands at {place}"
        for x in node.inputs:
            if x.op not in there:
                yield f"{node!r} takes {x!r}, which nothing before it makes"
            elif not any(x is y for y in x.op.outputs):
                yield f"{node!r} takes {x!r}, which is no output of {x.op!r}"
        for each in node.control:
            if each not in everything:
                yield f"{node!r} waits for {each!r}, which is not in the graph"
        yield from _of_operation(node)
        there.add(node)
    yield from _of_waiting(graph.operations)


def _of_waiting(nodes: Sequence[Operation]) -> Iterator[str]:
    """Operations that would wait for each other for ever."""
    done: set[Operation] = set()
    left = list(nodes)
    while left:
        before, later = len(left), []
        for node in left:
            if done.issuperset([*node.control, *[x.op for x in node.inputs]]):
                done.add(node)
            else:
                later.append(node)
        left = later
        if len(left) == before:
            yield f"{left[0]!r} and {before - 1} others wait for each other"
            return


def _of_operation(node: Operation) -> Iterator[str]:
    """What must hold of one operation: its inputs, outputs, attributes and device."""
    if any(y.op is not node or y.value_index != i for i, y in enumerate(node.outputs)):
        yield f"{node!r} has outputs of others, or in another order"
    waits = later_tensors(node.attrs)
    rest = node.inputs[len(node.given) :]
    if node.given != node.inputs[: len(node.given)] or {*map(id, waits)} != {*map(id, rest)}:
        yield f"{node!r} takes {rest} for its attributes, which wait for {waits}"
    try:
        DeviceSpec.from_string(node.device)
    except ValueError as error:
        yield f"{node!r} asks for no device: {error}"
    yield from _of_signature(node)
    if node.type in BODIED:
        yield from _of_bodies(node)


def _of_signature(node: Operation) -> Iterator[str]:
    """Whether the op's record and its shape rule agree with inputs and outputs."""
    record = node.record
    if record.name in _TOLD or record is PLACEHOLDER_WITH_DEFAULT:
        return
    try:
        check_types(record, list(node.given))
        made = outputs_of(record, [x.spec for x in node.given], node.attrs, _waits(node))
    except TypeError as error:
        yield f"{node!r} takes what it cannot: {error}"
        return
    except ValueError:  # shapes that are known by now do not fit: running it says so
        return
    specs = (made,) if isinstance(made, Spec) else made or ()
    if len(specs) != len(node.outputs):
        yield f"{node!r} has {len(node.outputs)} outputs, its rule tells {len(specs)}"
        return
    for y, spec in zip(node.outputs, specs, strict=True):
        is_read = any(x.handle_data is not None for x in node.inputs)
        if y.dtype is not spec.dtype and not is_read:
            yield f"{y!r} has another dtype than its rule tells, {spec.dtype.name}"
        if not is_read and not y.shape.is_compatible_with(TensorShape(spec.dims)):
            yield f"{y!r} has another shape than its rule tells, {TensorShape(spec.dims)}"


def _waits(node: Operation) -> bool:
    return any(True for value in node.attrs.values() for _ in laters(value))


def _of_bodies(node: Operation) -> Iterator[str]:
    """Whether the bodies of a branch or a loop take and make what the operation does."""
    bodies, reads, count = node.attrs["bodies"], node.attrs["reads"], node.attrs["count"]
    outside = node.inputs[count:]
    for body, symbols in zip(bodies, reads, strict=True):
        if len(symbols) != len(outside):
            yield f"{node!r} reads {len(outside)} tensors, {body!r} {len(symbols)}"
            continue
        own = [*zip(_carried(node), body.inputs, strict=False)]
        for x, symbol in [*own, *zip(outside, symbols, strict=True)]:
            if symbol is not None and (symbol.graph is not body or symbol.dtype is not x.dtype):
                yield f"{symbol!r} of {body!r} stands for {x!r} in {node!r}"
    for body in bodies if node.type == "If" else bodies[-1:]:
        if len(body.outputs) != len(node.outputs):
            yield f"{node!r} has {len(node.outputs)} outputs, {body!r} {len(body.outputs)}"
        for y, symbol in zip(node.outputs, body.outputs, strict=False):
            is_kept = y.dtype is dtypes.variant
            if symbol is not None and symbol.dtype is not y.dtype and not is_kept:
                yield f"{node!r} returns {y!r}, {body!r} {symbol!r}"


def _carried(node: Operation) -> Sequence[SymbolicTensor]:
    """The inputs that the first arguments of a body stand for; of a Scan they are elements."""
    return node.inputs[: node.attrs["loops"]] if node.type == "While" else ()


def _of_names(graph: Graph) -> Iterator[str]:
    seen: dict[str, Operation] = {}
    for node in graph.operations:
        if node.is_named and seen.setdefault(node.name, node) is not node:
            yield f"two operations are called {node.name!r}"


def _of_function(graph: Graph) -> Iterator[str]:
    if isinstance(graph, FuncGraph):
        for x in (*graph.inputs, *graph.outputs, *[y for _, y in graph.captures.values()]):
            if x is not None and x.graph is not graph:
                yield f"{x!r} is an argument or result of another graph"


# -- plans -----------------------------------------------------------------------------------------


def _of_order(
    nodes: Sequence[Operation], given: Collection[int], wanted: Iterable[SymbolicTensor],
    placed: Mapping[Operation, Placement] | None,
) -> Iterator[str]:  # fmt: skip
    made: dict[int, Any] = dict.fromkeys(given)
    there, everything = set[Operation](), set(nodes)
    for node in nodes:
        if node in there:
            yield f"{node!r} runs twice"
        for x in node.inputs:
            if id(x) not in made:
                yield f"{node!r} takes {x!r}, which nothing before it makes"
        for each in node.control:
            if each in everything and each not in there:
                yield f"{node!r} waits for {each!r}, which comes later"
        if placed is not None and node not in placed:
            yield f"{node!r} has no device"
        made |= {id(y): node for y in node.outputs}
        there.add(node)
    for y in wanted:
        if id(y) not in made:
            yield f"{y!r} is wanted, and nothing makes it"
