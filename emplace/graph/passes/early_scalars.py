"""What computes scalars comes right behind other operations that do: between large products each
call of a small kernel takes five times as long, for these have taken the place of its code in a
processor's caches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...base.dtypes import resource
from ...devices.device import HOST
from ...eager.place import Placement
from ..recording.deferred import DEFERRED
from ..representation.graph import Operation, SymbolicTensor
from ..representation.ops import BODIED
from .chains import Roots
from .constant_folding import raw_value
from .optimizer_steps import may_touch_any
from .prune import has_effect

_READ = "ReadVariableOp"
# Before all operations.
_BEGIN = -1


def with_early_scalars(
    operations: Sequence[Operation], placed: Mapping[Operation, Placement], roots: Roots
) -> list[Operation]:
    """The operations in another order: scalars of the host are computed, and read, behind the last
    operation on scalars before them, where that makes no difference.

    Args:
        operations: operations in an order in which they can run.
        placed: where they run.
        roots: tensors whose values others have, by the ids of those others.
    """
    order = _Order(placed, roots)
    for operation in operations:
        order.add(operation)
    return [each for behind in order.behind for each in behind]


class _Order:
    """The operations so far. `behind` has those that stay where they are, each with the others that
    follow it now; a place is that of one that stays.
    """

    def __init__(self, placed: Mapping[Operation, Placement], roots: Roots) -> None:
        self.behind: list[list[Operation]] = []
        self._placed = placed
        self._roots = roots
        # Where the last operation on scalars is, and the last one that may change any variable.
        self._scalars = self._barrier = _BEGIN
        # Where operations are now, and what made a tensor, by its id; which of these are scalars of
        # the host; where the last operation is that was given a variable, by the id of its handle.
        self._places: dict[Operation, int] = {}
        self._made: dict[int, int] = {}
        self._on_host: set[int] = set()
        self._touched: dict[int, int] = {}

    def add(self, operation: Operation) -> None:
        """Puts an operation where it comes now."""
        # Attributes may be tensors, too.
        given = [self._roots.get(id(x), x) for x in operation.inputs]
        is_small = self._is_of_scalars(operation, given)
        if is_small and self._may_follow(operation, given):
            place = self._scalars
            self.behind[place].append(operation)
        else:
            place = len(self.behind)
            self.behind.append([operation])
            # What only changes a variable, behind a large operation, is no good neighbour.
            if is_small and (operation.outputs or self._scalars == place - 1):
                self._scalars = place
            if _may_change_any(operation):
                self._barrier = place
            self._touched.update({id(x): place for x in given if x._dtype is resource})
        self._places[operation] = place
        self._made.update({id(y): place for y in operation.outputs})
        if self._is_placed_on_host(operation):
            self._on_host.update([id(y) for y in operation.outputs if _is_scalar(y)])

    def _is_placed_on_host(self, operation: Operation) -> bool:
        return self._placed[operation].device.torch_device == HOST

    def _is_of_scalars(self, operation: Operation, given: Sequence[SymbolicTensor]) -> bool:
        """Whether all that an operation on the host is given, and makes, are scalars there."""
        if not given or not all(map(_is_scalar, operation.outputs)):
            return False
        there = self._on_host
        if not all(x._dtype is resource or id(x) in there or _is_known(x) for x in given):
            return False
        is_any = bool(operation.outputs) or any(id(x) in there for x in given)
        return is_any and self._is_placed_on_host(operation)

    def _may_follow(self, operation: Operation, given: Sequence[SymbolicTensor]) -> bool:
        """Whether an operation on scalars may come right behind the last one."""
        end, made = self._scalars, self._made
        if end in (_BEGIN, len(self.behind) - 1) or not _is_sure(operation):
            return False
        if operation.record.name == _READ and self._last_change(given[0]) > end:
            return False
        if any(made.get(id(x), _BEGIN) > end for x in given):
            return False
        # What is not there any more is part of another one.
        return all(self._places.get(each, len(self.behind)) <= end for each in operation.control)

    def _last_change(self, handle: SymbolicTensor) -> int:
        """Where a variable may have been changed last."""
        return max(self._barrier, self._touched.get(id(handle), _BEGIN))


def _may_change_any(operation: Operation) -> bool:
    """Whether an operation may change variables that it is not given."""
    if operation.record.name in BODIED:
        return has_effect(operation)
    return may_touch_any(operation)


def _is_scalar(x: SymbolicTensor) -> bool:
    return x._dims == () and x._dtype.torch is not None


def _is_known(x: SymbolicTensor) -> bool:
    return _is_scalar(x) and raw_value(x) is not None


def _is_sure(operation: Operation) -> bool:
    """Whether an operation does nothing but make values, and refuses none."""
    record = operation.record
    if record.name == _READ:
        return True
    if record is DEFERRED or record.name in BODIED or record.stateful or not operation.outputs:
        return False
    return not record.checks or operation.outputs[0]._dtype.is_floating
