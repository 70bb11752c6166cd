"""What of a graph has to run for some results, and in which order."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from ...ops.debugging.checks import ASSERT
from ..recording.func_graph import FuncGraph
from ..representation.graph import Operation, SymbolicTensor
from ..representation.ops import BODIED
from .constant_folding import raw_value

# Stateful ops without which nobody can tell the difference.
_SILENT = frozenset({"ReadVariableOp", "VarHandleOp"})


def needed(
    roots: Iterable[Operation],
    fed: Iterable[SymbolicTensor] = (),
    more: Callable[[Operation], list[Operation]] | None = None,
) -> list[Operation]:
    """The operations that `roots` depend on, in an order in which they can run: that of the
    program, unless a dependency was added afterwards.

    Args:
        roots: what must have run at the end.
        fed: tensors that have a value already.
        more: what an operation depends on besides its inputs.
    """
    fed_ids = {id(x) for x in fed}
    waiting = list(roots)
    reached = {operation.id: operation for operation in waiting}
    is_ordered = True
    while waiting:
        operation = waiting.pop()
        number = operation.id
        for x in operation.inputs:
            if id(x) in fed_ids:
                continue
            source = x._op
            before = source.id
            if before >= number:
                is_ordered = False
            if before not in reached:
                reached[before] = source
                waiting.append(source)
        others = operation.control if more is None else [*operation.control, *more(operation)]
        for source in others:
            if source.id >= number:
                is_ordered = False
            if source.id not in reached:
                reached[source.id] = source
                waiting.append(source)
    operations = [reached[i] for i in sorted(reached)]
    return operations if is_ordered else _sorted(operations, fed_ids)


def with_effects(operations: Iterable[Operation]) -> list[Operation]:
    """Those that do something besides making values."""
    return [operation for operation in operations if has_effect(operation)]


def effects_of(body: FuncGraph) -> list[Operation]:
    """What of a body runs whatever its results need."""
    return with_effects(body.operations) if body.awaited is None else body.awaited


def has_effect(operation: Operation) -> bool:
    """Whether somebody could tell that a node did not run."""
    if operation.record.name in BODIED:
        return any(effects_of(body) for body in operation.attrs["bodies"])
    return (
        operation.record.stateful
        and operation.record.name not in _SILENT
        and not always_holds(operation)
    )


def always_holds(operation: Operation) -> bool:
    """Whether a node is an assertion of which it is known that it does not fail."""
    return operation.record is ASSERT and bool(raw_value(operation.inputs[0]))


def _sources(operation: Operation, given: set[int]) -> list[Operation]:
    return [*operation.control, *[x.op for x in operation.inputs if id(x) not in given]]


def _sorted(operations: Sequence[Operation], given: set[int]) -> list[Operation]:
    ordered = in_order({operation: _sources(operation, given) for operation in operations})
    if len(ordered) < len(operations):
        left = sorted(operation.name for operation in {*operations}.difference(ordered))
        raise ValueError(f"Operations wait for each other: {', '.join(left[:5])}.")
    return ordered


def in_order(sources: Mapping[Operation, Iterable[Operation]]) -> list[Operation]:
    """Operations behind their sources, and else as they stand here; without those that wait for
    each other. Sources that do not stand here are not waited for.
    """
    operations = list(sources)
    places = {operation: i for i, operation in enumerate(operations)}
    takers: dict[int, list[int]] = defaultdict(list)
    missing: list[int] = []
    for i, operation in enumerate(operations):
        own = {places[source] for source in sources[operation] if source in places}
        missing.append(len(own))
        for source in own:
            takers[source].append(i)
    ready = [i for i, count in enumerate(missing) if not count]
    heapq.heapify(ready)
    ordered = []
    while ready:
        i = heapq.heappop(ready)
        ordered.append(operations[i])
        for taker in takers[i]:
            missing[taker] -= 1
            if not missing[taker]:
                heapq.heappush(ready, taker)
    return ordered
