"""Means and variances of columns that were put beside others are those of the two, side by side:
where a dense block has normalized what came before, it goes through what is new alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ...base import dtypes
from ...base.shapes import num_elements
from ...eager.place import Placement
from ...ops.infer import Spec
from ...ops.math.map_steps import is_total
from ..representation.graph import Operation, SymbolicTensor
from .chains import Roots, known, wanted_of
from .makers import Makers
from .replacing import operation_like

#: Ops without which there is nothing to do.
NEEDED = frozenset({"ConcatV2", "Mean"})
#: Going through fewer numbers takes less time than two calls more.
LEAST_NUMBERS = 1 << 17
_SAME = frozenset({"Identity", "StopGradient"})


def with_moments_of_columns(
    operations: list[Operation],
    placed: dict[Operation, Placement],
    results: Collection[int],
    roots: Roots,
) -> list[Operation]:
    """The same computation, with means and variances of concatenations made of those of their
    first parts, where these are known.

    Args:
        operations: operations in an order in which they can run.
        placed: where they run; new ones are entered.
        results: ids of tensors that must get a value.
        roots: tensors whose values others have, by the ids of those others.
    """
    joined = {
        id(operation.outputs[0]): operation
        for operation in operations
        if operation.record.name == "ConcatV2" and _is_of_columns(operation, placed)
    }
    if not joined:
        return operations
    finder = _Moments(operations, placed, roots, joined)
    replaced = dict(finder.replacements())
    if not replaced:
        return operations
    made = [x for operation in operations for x in replaced.get(operation, (operation,))]
    return _without_idle(made, finder.idle, wanted_of(results, roots), roots)


def _is_of_columns(operation: Operation, placed: Mapping[Operation, Placement]) -> bool:
    """Whether it puts two large tensors of the host beside each other along their last axis."""
    (y,) = operation.outputs
    if len(operation.given) != 2 or operation.inputs != operation.given or operation.control:
        return False
    if not all(x.dtype is dtypes.float32 and x.is_fully_known for x in (y, *operation.given)):
        return False
    rank = len(y.dims or ())
    if rank < 2 or operation.attrs.get("axis") not in (-1, rank - 1):
        return False
    return (
        num_elements(y.dims) >= LEAST_NUMBERS
        and placed[operation].device.torch_device.type == "cpu"
    )


class _Moments:
    """Finds means of columns, and means of squares of what columns differ from their means by.

    Args:
        operations: operations in an order in which they can run.
        placed: where they run; new ones are entered.
        roots: tensors whose values others have, by the ids of those others.
        joined: the concatenations, by the ids of what they make.

    `idle` are operations that may have nothing to do any more.
    """

    def __init__(
        self, operations: list[Operation], placed: dict[Operation, Placement], roots: Roots,
        joined: Mapping[int, Operation],
    ) -> None:  # fmt: skip
        self._operations = operations
        self._placed = placed
        self._joined = joined
        self._makers = Makers(operations, roots, _SAME)
        # Means, and means of squares, by the ids of the columns and by their attributes.
        self._means: dict[Any, Operation] = {}
        self._squares: dict[Any, Operation] = {}
        # For a mean of columns that is put together: that of the new ones.
        self._of_new: dict[Operation, Operation] = {}
        self.idle: set[Operation] = set()

    def replacements(self) -> Iterator[tuple[Operation, list[Operation]]]:
        """What is done in the place of operations."""
        for operation in self._operations:
            if operation.record.name != "Mean" or not _is_over_rows(operation):
                continue
            x = self._makers.root(operation.given[0])
            key = id(x), _how(operation), self._placed[operation].device
            difference = self._squared_difference(x)
            if difference is None:
                yield from self._mean(operation, x, key)
            else:
                columns = self._makers.root(difference.given[0])
                yield from self._mean_of_squares(operation, difference, (id(columns), *key[1:]))

    def _mean(
        self, operation: Operation, x: SymbolicTensor, key: Any
    ) -> Iterator[tuple[Operation, list[Operation]]]:
        self._means.setdefault(key, operation)
        joining = self._joining(x, operation)
        if joining is None:
            return
        before = self._means.get((id(self._makers.root(joining.given[0])), *key[1:]))
        if before is None:
            return
        new = joining.given[1]
        mean = self._like(operation, [new], _narrowed(operation.outputs[0], new))
        self._of_new[operation] = mean
        yield operation, [mean, self._put_together(operation, before, mean, joining)]

    def _mean_of_squares(
        self, operation: Operation, difference: Operation, key: Any
    ) -> Iterator[tuple[Operation, list[Operation]]]:
        self._squares.setdefault(key, operation)
        x = self._makers.root(difference.given[0])
        joining, mean = self._joining(x, operation), self._makers.behind(difference.given[1])
        square = self._makers.behind(operation.given[0])
        if joining is None or square is None or mean is None or mean not in self._of_new:
            return
        before = self._squares.get((id(self._makers.root(joining.given[0])), *key[1:]))
        if before is None:
            return
        new = joining.given[1]
        apart = self._like(difference, [new, self._of_new[mean].outputs[0]], new.dims)
        squared = self._like(square, apart.outputs, new.dims)
        own = self._like(operation, squared.outputs, _narrowed(operation.outputs[0], new))
        whole = self._put_together(operation, before, own, joining)
        self.idle |= {square, difference}
        yield operation, [apart, squared, own, whole]

    # -- what there is ----------------------------------------------------------------------------

    def _joining(self, x: SymbolicTensor, operation: Operation) -> Operation | None:
        """The concatenation that makes columns, on the device of an operation on them."""
        found = self._joined.get(id(x))
        is_beside = found and self._placed[found].device is self._placed[operation].device
        return found if is_beside else None

    def _squared_difference(self, x: SymbolicTensor) -> Operation | None:
        """The difference of columns from their mean of which these are the squares."""
        square = self._makers.of(x)
        if square is None or square.record.name != "Square":
            return None
        difference = self._makers.of(square.given[0])
        if difference is None or difference.record.name != "Sub":
            return None
        columns = self._makers.root(difference.given[0])
        mean = self._makers.behind(difference.given[1])
        if mean is None or mean.record.name != "Mean" or not mean.attrs.get("keep_dims"):
            return None
        return difference if self._makers.root(mean.given[0]) is columns else None

    # -- what is made -----------------------------------------------------------------------------

    def _like(self, operation: Operation, inputs: Any, dims: Any) -> Operation:
        """The same operation on other columns."""
        one = operation_like(
            operation.record, inputs, operation.attrs, operation, [Spec(dims, dtypes.float32)]
        )
        self._placed[one] = self._placed[operation]
        return one

    def _put_together(
        self, operation: Operation, before: Operation, own: Operation, joining: Operation
    ) -> Operation:
        """What makes what an operation has made, of the earlier columns' and the new ones'."""
        given = [before.outputs[0], own.outputs[0]]
        attrs = {**joining.attrs, "axis": -1}
        one = operation_like(joining.record, given, attrs, operation, operation.outputs)
        self._placed[one] = self._placed[operation]
        return one


def _is_over_rows(operation: Operation) -> bool:
    """Whether it leaves a number for each column, of columns whose sizes are known."""
    x = operation.given[0]
    if operation.given != operation.inputs or len(operation.given) != 1 or operation.control:
        return False
    if x.dtype is not dtypes.float32 or not x.is_fully_known:
        return False
    dims = known(x.dims)
    return len(dims) > 1 and is_total("Mean", operation.attrs, len(dims))


def _how(operation: Operation) -> bool:
    """What tells means over all but the last axis apart."""
    return bool(operation.attrs.get("keep_dims"))


def _narrowed(y: SymbolicTensor, new: SymbolicTensor) -> tuple[int, ...]:
    """The sizes of a number for each new column."""
    return (*known(y.dims)[:-1], known(new.dims)[-1])


def _without_idle(
    operations: list[Operation], idle: Collection[Operation], kept: Collection[int], roots: Roots
) -> list[Operation]:
    """The operations but for some of which nobody takes anything."""
    left: list[Operation] = []
    taken: set[int] = set()
    for operation in reversed(operations):
        if operation in idle and not any(
            id(y) in taken or id(y) in kept for y in operation.outputs
        ):
            continue
        left.append(operation)
        taken.update(id(roots.get(id(x), x)) for x in operation.inputs)
    return left[::-1]
