"""Values that are seen in another shape.

Who takes a value that is seen in its own shape again takes the value itself: Keras's biases come
so, as a row of images and as a row of numbers. And views are made when somebody takes them: one of
a sum would else end the pass over memory that makes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from ...base.shapes import num_elements
from ...eager.place import Placement
from ..representation.graph import Operation, SymbolicTensor

#: Ops that make a view of another shape. With one of them alone there is nothing to do.
VIEWS = frozenset({"ExpandDims", "Reshape", "Squeeze"})


def _is_sure(operation: Operation) -> bool:
    """Whether an operation that makes a view cannot fail: those that can do so in their turn."""
    x, y = operation.given[0], operation.outputs[0]
    if not x.is_fully_known or not y.is_fully_known:
        return False
    return num_elements(x.dims) == num_elements(y.dims)


def returning_views(
    operations: Sequence[Operation],
    placed: Mapping[Operation, Placement],
    needed: Collection[int],
    roots: Mapping[int, SymbolicTensor],
) -> tuple[dict[Operation, SymbolicTensor], list[Operation]]:
    """Views of views that have the shape that all began with, with what that was, and the views
    between them that nobody needs then. Those that must get a value stay.

    Args:
        operations: operations in an order in which they can run.
        placed: where they run.
        needed: ids of tensors that must get a value.
        roots: tensors whose values others have, by the ids of those others.
    """
    begun: dict[int, tuple[SymbolicTensor, Operation]] = {}
    returning: dict[Operation, SymbolicTensor] = {}
    for operation in operations:
        if operation.record.name not in VIEWS or operation.control or not _is_sure(operation):
            continue
        (y,) = operation.outputs
        x = roots.get(id(operation.given[0]), operation.given[0])
        first, maker = begun.get(id(x), (x, operation))
        if placed[maker].device is not placed[operation].device or first.dtype is not y.dtype:
            continue
        begun[id(y)] = first, operation
        if maker is not operation and y.dims == first.dims and id(y) not in needed:
            returning[operation] = first
    if not returning:
        return {}, []
    takers = Counter([id(x) for operation in operations for x in operation.inputs])
    takers.subtract([id(x) for operation in returning for x in operation.inputs])
    gone = []
    for key, (_, operation) in reversed(begun.items()):
        if operation not in returning and not takers[key] and key not in needed:
            gone.append(operation)
            takers.subtract(map(id, operation.inputs))
    return returning, gone


def with_late_views(operations: Sequence[Operation]) -> list[Operation]:
    """The same operations, each view right before the first one that takes it or waits for it."""
    result: list[Operation] = []
    waiting: dict[int, Operation] = {}  # views, by the ids of what they make

    def put(operation: Operation) -> None:
        for x in operation.inputs:
            if id(x) in waiting:
                put(waiting.pop(id(x)))
        for each in operation.control:
            if each.outputs and waiting.get(id(each.outputs[0])) is each:
                put(waiting.pop(id(each.outputs[0])))
        result.append(operation)

    for operation in operations:
        if operation.record.name in VIEWS and _is_sure(operation):
            waiting[id(operation.outputs[0])] = operation
        else:
            put(operation)
    for key in list(waiting):
        if key in waiting:
            put(waiting.pop(key))
    return result
