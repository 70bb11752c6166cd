"""What TensorFlow would say of a node besides its op: whether a branch or a loop has a state, and
which operations on the same variables a function lets it wait for.

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


def type_of(node: Any) -> str:
    """The name of a node's op. A branch or a loop without state is another op in TensorFlow."""
    name: str = node.record.name
    return f"Stateless{name}" if name in _BODIED and not _has_state(node) else name


def _has_state(node: Any) -> bool:
    if node.record.name in _BODIED:
        return any(_has_state(each) for body in node.attrs["bodies"] for each in body.operations)
    return bool(node.record.stateful) and node.record.name != "NoOp"


def before_on_variables(node: Any) -> list[Any]:
    """The operations of a function that a node waits for, as they work on the same variables: of a
    change those that read before it, too.
    """
    changed: dict[int, Any] = {}
    read: dict[int, list[Any]] = {}
    for each in node.graph.operations:
        waits: list[Any] = []
        for handle, changes in _handles(each):
            waits += [changed[handle]] if handle in changed else []
            if changes:
                waits += read.pop(handle, [])
        if each is node:
            return list(dict.fromkeys(waits))
        for handle, changes in _handles(each):
            if changes:
                changed[handle] = each
            else:
                read.setdefault(handle, []).append(each)
    return []


def _handles(node: Any) -> Iterator[tuple[int, bool]]:
    """The variables that a node works on, and whether it changes them."""
    for i, x in enumerate(node.inputs):
        if x.dtype is dtypes.resource:
            yield id(x), _changes(node, i)


def _changes(node: Any, i: int) -> bool:
    if node.record.name not in _BODIED:
        return node.record.name not in _READS
    place = i - node.attrs["count"]
    for body, reads in zip(node.attrs["bodies"], node.attrs["reads"], strict=True):
        inner = body.inputs[i] if i < len(body.inputs) and place < 0 else reads[place]
        for each in body.operations if inner is not None else ():
            if any(x is inner and _changes(each, j) for j, x in enumerate(each.inputs)):
                return True
    return False
