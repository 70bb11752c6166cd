"""Running averages wait until the end of a plan, where those of all layers can be one operation: a
step of training that has written one layer's would need them no sooner than the next step does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from ...codegen.pointwise import is_pointwise
from ...devices.device import HOST
from ...eager.place import Placement
from ..representation.graph import Operation, SymbolicTensor
from .chains import Roots, wanted_of
from .optimizer_steps import may_touch_any
from .small_maps import size_of_row

_ASSIGN = "AssignVariableOp"


def with_late_averages(
    operations: list[Operation],
    placed: Mapping[Operation, Placement],
    kept: Collection[int],
    roots: Roots,
) -> list[Operation]:
    """The operations in another order: what only computes rows of numbers that variables get, and
    whose variables nobody asks for afterwards, comes last.

    Args:
        operations: operations in an order in which they can run.
        placed: where they run.
        kept: ids of tensors that must get a value.
        roots: tensors whose values others have, by the ids of those others.
    """
    if [operation.record.name for operation in operations].count(_ASSIGN) < 2:
        return operations
    waiting = _Waiting(operations, placed, kept, roots)
    found = {each: waiting.tail(each) for each in waiting.free_assignments()}
    found = {each: tail for each, tail in found.items() if tail}
    if len(found) < 2:
        return operations
    late = {each for tail in found.values() for each in tail}
    rest = [each for each in operations if each not in late and each not in found]
    return [*rest, *[each for each in operations if each in late], *found]


class _Waiting:
    """Looks for what only an assignment needs.

    `_takers` are the operations that take a value, by its id.
    """

    def __init__(
        self, operations: Sequence[Operation], placed: Mapping[Operation, Placement],
        kept: Collection[int], roots: Roots,
    ) -> None:  # fmt: skip
        self._operations = operations
        self._placed = placed
        self._kept = wanted_of(kept, roots)
        self._roots = roots
        self._all = frozenset(operations)
        self._awaited = {each for operation in operations for each in operation.control}
        self._takers: dict[int, list[Operation]] = defaultdict(list)
        takers = self._takers
        for operation in operations:
            for x in operation.inputs:
                key = id(x)
                takers[id(roots[key]) if key in roots else key].append(operation)

    def _root(self, x: SymbolicTensor) -> SymbolicTensor:
        """The tensor whose value a tensor has."""
        return self._roots.get(id(x), x)

    def free_assignments(self) -> list[Operation]:
        """The assignments after which nothing may ask for their variables, in their order."""
        found: list[Operation] = []
        for operation in reversed(self._operations):
            if operation.record.name == _ASSIGN:
                if operation not in self._awaited and self._is_last(operation):
                    found.append(operation)
            elif may_touch_any(operation):
                break
        return found[::-1]

    def _is_last(self, assignment: Operation) -> bool:
        handle = self._root(assignment.inputs[0])
        return self._takers[id(handle)][-1] is assignment

    def tail(self, assignment: Operation) -> list[Operation]:
        """What an assignment alone needs, up to what others need, too."""
        found: dict[Operation, None] = {assignment: None}
        waiting = [self._root(assignment.inputs[1]).op]
        while waiting:
            operation = waiting.pop()
            if operation not in found and self._is_for(operation, found):
                found[operation] = None
                waiting += [self._root(x).op for x in operation.given]
        del found[assignment]
        return list(found)

    def _is_for(self, operation: Operation, tail: Collection[Operation]) -> bool:
        """Whether an operation makes a row of numbers that only these others take."""
        if operation not in self._all or operation in self._awaited:
            return False
        if not is_pointwise(operation.record.name, operation.attrs):
            return False
        (y,) = operation.outputs
        if id(y) in self._kept or size_of_row(y) is None:
            return False
        if self._placed[operation].device.torch_device != HOST:
            return False
        return all(taker in tail for taker in self._takers.get(id(y), ()))
