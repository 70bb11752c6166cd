"""What TensorFlow would say of an operation besides its op: whether a branch or a loop has a state,
and which operations on the same variables a function lets it wait for.

Plans need none of that: they run what has effects in the program's order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...base import dtypes

_BODIED = frozenset({"If", "While"})
_READS = frozenset(
    {"ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape", "VarIsInitializedOp"}
)


def type_of(operation: Any) -> str:
    """The name of an op. A branch or a loop without state is another op in TensorFlow."""
    name: str = operation.record.name
    return f"Stateless{name}" if name in _BODIED and not _has_state(operation) else name


def _has_state(operation: Any) -> bool:
    if operation.record.name in _BODIED:
        return any(
            _has_state(each) for body in operation.attrs["bodies"] for each in body.operations
        )
    return bool(operation.record.stateful) and operation.record.name != "NoOp"


def before_on_variables(operation: Any) -> list[Any]:
    """The operations of a function that one waits for, as they work on the same variables: a change
    also waits for those that read before it.
    """
    changed: dict[int, Any] = {}
    read: dict[int, list[Any]] = {}
    for each in operation.graph.operations:
        waits: list[Any] = []
        for handle, changes in _handles(each):
            waits += [changed[handle]] if handle in changed else []
            if changes:
                waits += read.pop(handle, [])
        if each is operation:
            return list(dict.fromkeys(waits))
        for handle, changes in _handles(each):
            if changes:
                changed[handle] = each
            else:
                read.setdefault(handle, []).append(each)
    return []


def _handles(operation: Any) -> Iterator[tuple[int, bool]]:
    """The variables that an operation works on, and whether it changes them."""
    for i, x in enumerate(operation.inputs):
        if x.dtype is dtypes.resource:
            yield id(x), _changes(operation, i)


def _changes(operation: Any, i: int) -> bool:
    if operation.record.name not in _BODIED:
        return operation.record.name not in _READS
    place = i - operation.attrs["count"]
    for body, reads in zip(operation.attrs["bodies"], operation.attrs["reads"], strict=True):
        inner = body.inputs[i] if i < len(body.inputs) and place < 0 else reads[place]
        for each in body.operations if inner is not None else ():
            if any(x is inner and _changes(each, j) for j, x in enumerate(each.inputs)):
                return True
    return False
