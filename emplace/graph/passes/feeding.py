"""What the feeds of a session may change: any tensor of its graph may be fed, a constant as well.

What is known of a graph before it runs, values and the shapes that follow from them, holds for
nothing that depends on a fed tensor. Plans with such feeds are made of a graph that is recorded
again, in which the fed tensors are arguments (`expand.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...base.dtypes import INTEGERS
from ...core.later import Told, tolds
from ..recording.deferred import DEFERRED
from ..representation.graph import Operation, SymbolicTensor
from ..representation.ops import BODIED

_OF_SHAPES = frozenset({"Shape", "Size", "Rank"})


class Opened:
    """The tensors whose values feeds change, and those whose shapes they may change, by their ids.

    A fed value has the shape that is known of its tensor, so a shape changes only where a value
    becomes one: a size that is fed, and a reshape to it.
    """

    __slots__ = ("shapes", "values")

    def __init__(self, feeds: Sequence[SymbolicTensor]) -> None:
        self.values = set(map(id, feeds))
        self.shapes: set[int] = set()
        for node in feeds[0].graph.operations:
            self._follow(node)

    def _follow(self, node: Operation) -> None:
        has_shape = (
            any(id(x) in self.shapes for x in node.inputs)
            or any(id(x) in self.values for x in _numbers_of(node))
            or any(id(told.tensor) in self.values for told in told_by(node))
        )
        if node.type in _OF_SHAPES and not has_shape:
            return
        outputs = [id(y) for y in node.outputs]
        if has_shape:
            self.values.update(outputs)
            self.shapes.update(outputs)
        elif any(id(x) in self.values for x in node.inputs):
            self.values.update(outputs)

    def sources(self, node: Operation) -> list[Operation]:
        """The operations that make numbers which `node` can no longer take as known."""
        return [told.tensor.op for told in told_by(node) if id(told.tensor) in self.values]


def _numbers_of(node: Operation) -> Sequence[SymbolicTensor]:
    """The inputs of which an operation takes numbers, so that shapes may follow from them."""
    if node.record is DEFERRED:
        return [x for x in node.inputs if x.dtype in INTEGERS]
    return node.inputs[len(node.given) :]


def told_by(node: Operation) -> Iterator[Told]:
    """The known numbers of tensors that an operation takes as plain ones."""
    if node.record is DEFERRED:
        return tolds(node.attrs["call"].leaves)
    return tolds(node.attrs)


def opened_by(feeds: Sequence[SymbolicTensor]) -> Opened | None:
    """What changes with some feeds; None if they are placeholders, of which nothing is known.

    Raises:
        ValueError: the graph was made with a value that depends on them.
    """
    if all(x.op.type == "Placeholder" for x in feeds):
        return None
    opened = Opened(feeds)
    for x in feeds[0].graph.used_up.values():
        if id(x) in opened.values:
            raise _refused(x, feeds)
    return opened


def refuse_bodies(
    nodes: Sequence[Operation], opened: Opened, feeds: Sequence[SymbolicTensor]
) -> None:
    """Raises ValueError where a branch or a loop was traced with a shape that changes."""
    for node in nodes:
        for x in node.inputs if node.type in BODIED else ():
            if id(x) in opened.shapes:
                raise _refused(x, feeds)


def _refused(x: SymbolicTensor, feeds: Sequence[SymbolicTensor]) -> Exception:
    # TF: the first sentence.
    fed = next((each for each in feeds if each is x), None)
    if fed is not None:
        text = f"Tensor {x.name} may not be fed."
    else:
        names = ", ".join(each.name for each in feeds if each.op.type != "Placeholder")
        text = f"Tensor {names} may not be fed: {x.name} depends on it."
    return ValueError(
        f"{text} Its value was needed as a plain number when the graph was made. Feed a "
        "tf.compat.v1.placeholder_with_default instead, whose value is not known."
    )
