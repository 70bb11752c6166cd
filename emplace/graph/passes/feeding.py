"""What the feeds of a session may change: any tensor of its graph may be fed, a constant as well.

What is known of a graph before it runs, values and the shapes that follow from them, holds for
nothing that depends on a fed tensor. Plans with such feeds are made of a graph that is recorded
again, in which the fed tensors are arguments (`expand.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...base.dtypes import INTEGERS
from ...core.symbolic_value import BackedInt, backed_ints
from ..recording.deferred import DEFERRED
from ..representation.graph import Operation, SymbolicTensor
from ..representation.ops import BODIED

_OF_SHAPES = frozenset({"Shape", "Size", "Rank"})


class FeedDependents:
    """The tensors whose values feeds change, and those whose shapes they may change, by their ids.

    A fed value has the shape that is known of its tensor, so a shape changes only where a value
    becomes one: a size that is fed, and a reshape to it.
    """

    __slots__ = ("shapes", "values")

    def __init__(self, feeds: Sequence[SymbolicTensor]) -> None:
        self.values = set(map(id, feeds))
        self.shapes: set[int] = set()
        for operation in feeds[0].graph.operations:
            self._follow(operation)

    def _follow(self, operation: Operation) -> None:
        has_shape = (
            any(id(x) in self.shapes for x in operation.inputs)
            or any(id(x) in self.values for x in _numbers_of(operation))
            or any(id(number.tensor) in self.values for number in backed_ints_of(operation))
        )
        if operation.record.name in _OF_SHAPES and not has_shape:
            return
        outputs = [id(y) for y in operation.outputs]
        if has_shape:
            self.values.update(outputs)
            self.shapes.update(outputs)
        elif any(id(x) in self.values for x in operation.inputs):
            self.values.update(outputs)

    def sources(self, operation: Operation) -> list[Operation]:
        """The operations that make numbers which `operation` can no longer take as known."""
        return [
            number.tensor.op
            for number in backed_ints_of(operation)
            if id(number.tensor) in self.values
        ]


def _numbers_of(operation: Operation) -> Sequence[SymbolicTensor]:
    """The inputs of which an operation takes numbers, so that shapes may follow from them."""
    if operation.record is DEFERRED:
        return [x for x in operation.inputs if x.dtype in INTEGERS]
    return operation.inputs[len(operation.given) :]


def backed_ints_of(operation: Operation) -> Iterator[BackedInt]:
    """The known numbers of tensors that an operation takes as plain ones."""
    if operation.record is DEFERRED:
        return backed_ints(operation.attrs["call"].leaves)
    return backed_ints(operation.attrs)


def feed_dependents(feeds: Sequence[SymbolicTensor]) -> FeedDependents | None:
    """What changes with some feeds; None if they are placeholders, of which nothing is known.

    Raises:
        ValueError: the graph was made with a value that depends on them.
    """
    if all(x.op.record.name == "Placeholder" for x in feeds):
        return None
    dependents = FeedDependents(feeds)
    for x in feeds[0].graph.specialised_on.values():
        if id(x) in dependents.values:
            raise _refused(x, feeds)
    return dependents


def refuse_bodies(
    operations: Sequence[Operation], dependents: FeedDependents, feeds: Sequence[SymbolicTensor]
) -> None:
    """Raises ValueError where a branch or a loop was traced with a shape that changes."""
    for operation in operations:
        for x in operation.inputs if operation.record.name in BODIED else ():
            if id(x) in dependents.shapes:
                raise _refused(x, feeds)


def _refused(x: SymbolicTensor, feeds: Sequence[SymbolicTensor]) -> Exception:
    # TF: the first sentence.
    fed = next((each for each in feeds if each is x), None)
    if fed is not None:
        text = f"Tensor {x.name} may not be fed."
    else:
        names = ", ".join(each.name for each in feeds if each.op.record.name != "Placeholder")
        text = f"Tensor {names} may not be fed: {x.name} depends on it."
    return ValueError(
        f"{text} Its value was needed as a plain number when the graph was made. Feed a "
        "tf.compat.v1.placeholder_with_default instead, whose value is not known."
    )
