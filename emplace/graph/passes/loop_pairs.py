"""Loops that need nothing of each other come one right after the other, so that both can run at
once: the two directions of a recurrent layer, for example, and their gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..representation.graph import Operation, SymbolicTensor
from .prune import has_effect

LOOPS = frozenset({"While", "Scan"})
_Root = Callable[[SymbolicTensor], SymbolicTensor]
_Sources = dict[Operation, set[Operation]]


def with_paired_loops(
    operations: list[Operation], root: _Root
) -> tuple[list[Operation], dict[Operation, Operation]]:
    """The operations with the second loop of each pair behind the first one, and what the second
    one needs before it.

    Args:
        operations: in an order in which they can run.
        root: the tensor whose value a tensor has.

    Returns:
        The operations in their new order, and the second loop of each pair, by the first.
    """
    pairs: dict[Operation, Operation] = {}
    if sum(operation.record.name in LOOPS for operation in operations) < 2:
        return operations, pairs
    sources, ordered, place = _sources(operations, root), list(operations), 0
    while place < len(ordered):
        first = ordered[place]
        if first.record.name in LOOPS and not has_effect(first):
            second, between = _partner(first, ordered[place + 1 :], sources)
            if second is not None:
                needed = _needed(second, between, sources)
                earlier = [x for x in between if x in needed]
                later = [x for x in between if x not in needed]
                ordered[place : place + len(between) + 2] = [*earlier, first, second, *later]
                pairs[first] = second
                place += len(earlier) + 1  # the second one is no first one
        place += 1
    return ordered, pairs


def _sources(operations: Sequence[Operation], root: _Root) -> _Sources:
    """What each operation must come behind. Passes have put operations into others' places, so a
    tensor does not tell who makes it.
    """
    makers = {id(y): operation for operation in operations for y in operation.outputs}
    return {
        operation: {
            *operation.control,
            *[makers[key] for x in operation.inputs if (key := id(root(x))) in makers],
        }
        for operation in operations
    }


def _partner(
    first: Operation, following: Sequence[Operation], sources: _Sources
) -> tuple[Operation | None, list[Operation]]:
    """The next loop that needs nothing of the first one, and what lies between; None where
    something between has effects, whose order stays.
    """
    after = {first}
    between: list[Operation] = []
    for operation in following:
        if has_effect(operation):
            break
        if not after.isdisjoint(sources[operation]):
            after.add(operation)
        elif operation.record.name in LOOPS:
            return operation, between
        between.append(operation)
    return None, between


def _needed(operation: Operation, among: Sequence[Operation], sources: _Sources) -> set[Operation]:
    """Those of some operations that come to an operation, in whatever steps."""
    needed = set(sources[operation])
    for earlier in reversed(among):
        if earlier in needed:
            needed |= sources[earlier]
    return needed.intersection(among)
