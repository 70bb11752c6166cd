"""What of a graph has to run for some results, and in which order."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from ...ops.debugging.checks import ASSERT
from ..recording.func_graph import FuncGraph
from ..representation.graph import Operation, SymbolicTensor
from ..representation.ops import BODIED
from .constant_folding import raw_value

# Stateful ops without which nobody can tell the difference.
_SILENT = frozenset({"ReadVariableOp", "VarHandleOp"})


def needed(
    wanted: Iterable[Operation],
    fed: Iterable[SymbolicTensor] = (),
    more: Callable[[Operation], list[Operation]] | None = None,
) -> list[Operation]:
    """The operations that `wanted` depend on, in an order in which they can run: that of the
    program, unless a dependency was added afterwards.

    Args:
        wanted: what must have run at the end.
        fed: tensors that have a value already.
        more: what an operation depends on besides its inputs.
    """
    given = {id(x) for x in fed}
    found: dict[int, Operation] = {}
    waiting = list(wanted)
    is_ordered = True
    while waiting:
        node = waiting.pop()
        number = node.id
        if number in found:
            continue
        found[number] = node
        sources = [x.op for x in node.inputs if id(x) not in given]
        if node.control:
            sources += node.control
        if more is not None:
            sources += more(node)
        for source in sources:
            if source.id >= number:
                is_ordered = False
            if source.id not in found:
                waiting.append(source)
    nodes = [found[i] for i in sorted(found)]
    return nodes if is_ordered else _sorted(nodes, given)


def with_effects(nodes: Iterable[Operation]) -> list[Operation]:
    """Those that do something besides making values."""
    return [node for node in nodes if has_effect(node)]


def effects_of(body: FuncGraph) -> list[Operation]:
    """What of a body runs whatever its results need."""
    return with_effects(body.operations) if body.awaited is None else body.awaited


def has_effect(node: Operation) -> bool:
    """Whether somebody could tell that a node did not run."""
    if node.record.name in BODIED:
        return any(effects_of(body) for body in node.attrs["bodies"])
    return node.record.stateful and node.record.name not in _SILENT and not always_holds(node)


def always_holds(node: Operation) -> bool:
    """Whether a node is an assertion of which it is known that it does not fail."""
    return node.record is ASSERT and bool(raw_value(node.inputs[0]))


def _sources(node: Operation, given: set[int]) -> list[Operation]:
    return [*node.control, *[x.op for x in node.inputs if id(x) not in given]]


def _sorted(nodes: Sequence[Operation], given: set[int]) -> list[Operation]:
    by_id = {node.id: node for node in nodes}
    takers: dict[int, list[int]] = defaultdict(list)
    missing: dict[int, int] = {}
    for node in nodes:
        sources = {source.id for source in _sources(node, given)}
        missing[node.id] = len(sources)
        for source in sources:
            takers[source].append(node.id)
    ready = [i for i, count in missing.items() if not count]
    heapq.heapify(ready)
    ordered = []
    while ready:
        i = heapq.heappop(ready)
        ordered.append(by_id[i])
        for taker in takers[i]:
            missing[taker] -= 1
            if not missing[taker]:
                heapq.heappush(ready, taker)
    if len(ordered) < len(nodes):
        left = sorted(node.name for node in nodes if missing[node.id])
        raise ValueError(f"Operations wait for each other: {', '.join(left[:5])}.")
    return ordered
