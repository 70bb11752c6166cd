"""Operations of a plan's block that are replaced by others, and who makes and takes their tensors:
what passes that look for patterns share.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from ...base.shapes import Dims
from ...devices.device import HOST
from ...eager.place import Placement
from ...ops.infer import Spec
from ...ops.op import Op
from ..representation.graph import Operation, SymbolicTensor


class Replacing:
    """Operations that are replaced by others, and who makes and takes their tensors.

    Args:
        operations: the operations, in an order in which they can run.
        placed: where they run; new ones are entered.
        kept: ids of tensors that must get a value.
    """

    def __init__(
        self,
        operations: list[Operation],
        placed: dict[Operation, Placement],
        kept: Container[int],
    ) -> None:
        self._placed = placed
        self._kept = kept
        self._nodes = operations
        # What is in the place of an operation, where that is not just itself; and in whose place an
        # operation is, where that is another's.
        self._slots: dict[Operation, list[Operation]] = {}
        self._slot_of: dict[Operation, Operation] = {}
        self._makers: dict[int, Operation] = {}
        self._takers: dict[int, list[Operation]] = defaultdict(list)
        self._enter(operations)

    def operations(self) -> list[Operation]:
        """The operations as they are by now."""
        slots = self._slots
        if not slots:
            return self._nodes
        return [each for operation in self._nodes for each in slots.get(operation, (operation,))]

    def _slot(self, operation: Operation) -> list[Operation]:
        first = self._slot_of.get(operation, operation)
        return self._slots.setdefault(first, [first])

    def maker(self, x: SymbolicTensor) -> Operation | None:
        """What makes a tensor, or None if it comes from elsewhere."""
        return self._makers.get(id(x))

    def takers(self, x: SymbolicTensor) -> list[Operation]:
        """What takes a tensor here, once per time; nothing for one that somebody else may take."""
        return [] if id(x) in self._kept else self._takers.get(id(x), [])

    def is_wanted(self, x: SymbolicTensor) -> bool:
        """Whether anybody takes a tensor."""
        return id(x) in self._kept or bool(self._takers.get(id(x)))

    def only_maker(self, x: SymbolicTensor, taker: Operation) -> Operation | None:
        """What makes a tensor for this taker alone, on the same device."""
        found = self.maker(x)
        if found is None or self.takers(x) != [taker]:
            return None
        return found if self.is_beside(found, taker) else None

    def replace(self, last: Operation, gone: Iterable[Operation], *made: Operation) -> None:
        """Puts new operations where `last` was, instead of that and of those that are gone."""
        first, slot = self._slot_of.get(last, last), self._slot(last)
        place = slot.index(last)
        slot[place:place] = made
        for operation in (last, *gone):
            self._slot(operation).remove(operation)
            for x in operation.inputs:
                self._takers[id(x)].remove(operation)
        for operation in made:
            self._slot_of[operation] = first
            self._placed[operation] = self._placed[last]
        self._enter(made)

    def is_beside(self, one: Operation, other: Operation) -> bool:
        """Whether two operations run on the same device."""
        return self._placed[one].device is self._placed[other].device

    def is_on_host(self, operation: Operation) -> bool:
        """Whether an operation runs on the host's processor."""
        return self._placed[operation].device.torch_device == HOST

    def is_in_reach(self, one: Operation, other: Operation) -> bool:
        """Whether the devices of two operations share their memory."""
        device = self._placed[one].device
        return self.is_beside(one, other) or device.shares_memory(self._placed[other].device)

    def _enter(self, operations: Iterable[Operation]) -> None:
        makers, takers = self._makers, self._takers
        for operation in operations:
            for y in operation.outputs:
                makers[id(y)] = operation
            for x in operation.inputs:
                takers[id(x)].append(operation)


def operation_like(
    record: Op, inputs: Sequence[SymbolicTensor], attrs: Mapping[str, Any], like: Operation,
    outputs: Sequence[SymbolicTensor | Spec],
) -> Operation:  # fmt: skip
    """An operation outside the graph, with the name and the line of another. It makes those of
    `outputs` that are tensors in their maker's place, and new ones for the rest.
    """
    operation = Operation(like.graph, record, inputs, dict(attrs), (), like.device, 0)
    operation.name, operation.place, operation.groups = like.name, like.place, like.groups
    operation.outputs = [
        SymbolicTensor(operation, i, y) if isinstance(y, Spec) else y for i, y in enumerate(outputs)
    ]
    return operation


def is_per_channel(sizes: Dims, dims: Dims) -> bool:
    """Whether these are the sizes of a number for each channel of what has `dims`."""
    return 0 < len(sizes) <= len(dims) and sizes[-1] == dims[-1] and set(sizes[:-1]) <= {1}
