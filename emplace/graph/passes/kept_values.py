"""What variables alone decide is computed once for as long as they do not change: the factors of
batch normalization in predictions and the filters that they scale, parameters in another type.

That is done where nothing in a plan changes anything. The values are in memory of their own, which
nobody writes into; those that a program gets are computed for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from ...base.dtypes import FLOATS
from ...base.shapes import num_elements
from ...core.symbolic_value import symbolic_values, without_backed_ints
from ...devices.device import HOST
from ...eager.place import Placement
from ...eager.route import Route
from ...ops.math.kept_values import KEPT_VALUES, KeptStep, KeptValues
from ...ops.math.map_steps import VIEWS
from ..recording.deferred import DEFERRED
from ..representation.graph import Operation, SymbolicTensor
from .chains import Roots, makes_numbers, wanted_of
from .constant_folding import is_known
from .makers import Makers
from .prune import has_effect
from .replacing import operation_like
from .small_maps import with_fused_rows

_READ, _CAST = "ReadVariableOp", "Cast"
# What may write into a value that nobody else takes, or do anything in between.
_WRITERS = frozenset({"CollectiveReduceV2", DEFERRED.name})
# A larger value takes less time to compute than the products that take it, and room.
_MOST_NUMBERS = 1 << 18
_MOST_NUMBERS_IN_ALL = 1 << 23
# To see that nothing has changed takes as long as some operations.
_LEAST_OPERATIONS = 3


def with_kept_values(
    operations: list[Operation],
    placed: dict[Operation, Placement],
    results: Collection[int],
    roots: Roots,
) -> list[Operation]:
    """The same computation, with one operation for what variables alone decide.

    Args:
        operations: operations in an order in which they can run.
        placed: where they run; new ones are entered.
        results: ids of tensors that must get a value.
        roots: tensors whose values others have, by the ids of those others.
    """
    names = {operation.record.name for operation in operations}
    if _READ not in names or not names.isdisjoint(_WRITERS) or any(map(has_effect, operations)):
        return operations
    parameters = _Parameters(operations, placed, wanted_of(results, roots), roots)
    return parameters.kept() if parameters.may_be_kept else operations


class _Parameters:
    """What variables alone decide in a block that changes nothing.

    Args:
        operations: the operations, in an order in which they can run.
        placed: where they run; the new one is entered.
        results: ids of tensors that must get a value.
        roots: tensors whose values others have, by the ids of those others.
    """

    def __init__(
        self, operations: list[Operation], placed: dict[Operation, Placement],
        results: Collection[int], roots: Roots,
    ) -> None:  # fmt: skip
        self._operations = operations
        self._placed = placed
        self._results = results
        self._roots = roots
        self._makers = Makers(operations, roots, ())
        #: The device that all is on: that of the first variable that is read.
        self._device = next(placed[each].device for each in operations if each.record.name == _READ)
        # The operations, with those that read variables, by the ids of what they make; and the ids
        # of what is in memory of its own.
        self._decided: dict[int, Operation] = {}
        self._fresh: set[int] = set()
        for operation in operations if self.may_be_kept else ():
            self._look_at(operation)

    @property
    def may_be_kept(self) -> bool:
        """Whether all is on the host, and nobody counts its memory."""
        return self._device.torch_device == HOST and self._device.budget is None

    def _look_at(self, operation: Operation) -> None:
        """Notes an operation of which variables alone decide what it makes."""
        if operation.control or len(operation.outputs) != 1:
            return
        (y,) = operation.outputs
        if y.dtype not in FLOATS or not y.is_fully_known:
            return
        if self._placed[operation].device is not self._device:
            return
        if operation.record.name == _READ:
            if self._is_at_hand(operation.inputs[0]):
                self._decided[id(y)] = operation
            return
        is_view = operation.record.name in VIEWS
        if not (is_view or _computes(operation)) or not self._is_fit(operation):
            return
        inputs = [self._makers.root(x) for x in operation.given]
        if not any(id(x) in self._decided for x in inputs):
            return
        if all(id(x) in self._decided or is_known(x.op) for x in inputs):
            self._decided[id(y)] = operation
            if not is_view or id(inputs[0]) in self._fresh:
                self._fresh.add(id(y))

    def _is_at_hand(self, handle: SymbolicTensor) -> bool:
        """Whether a variable is there before anything has run."""
        maker = self._makers.of(handle)
        return maker is None or not (maker.inputs or maker.control)

    def _is_fit(self, operation: Operation) -> bool:
        """Whether it is known what an operation does, and that it makes no more numbers than are
        kept.
        """
        if len(operation.given) != len(operation.inputs):
            return False
        if any(True for _ in symbolic_values(operation.attrs)):
            return False
        return num_elements(operation.outputs[0].dims) <= _MOST_NUMBERS

    # -- what is kept ---------------------------------------------------------------------------

    def kept(self) -> list[Operation]:
        """The operations, with one for those whose values are kept."""
        wanted = self._wanted()
        if not wanted:
            return self._operations
        left = self._left(wanted)
        gone = [each for each in self._operations if each not in left]
        if sum(each.record.name not in VIEWS for each in gone) < _LEAST_OPERATIONS:
            return self._operations
        one, before = self._one(wanted)
        taken = set(map(id, wanted))
        made: dict[Operation, None] = {}
        for operation in self._operations:
            if operation not in left:
                continue
            if one not in made and any(id(self._makers.root(x)) in taken for x in operation.inputs):
                made.update(dict.fromkeys(before))
                made[one] = None
            made[operation] = None
        return list(made)

    def _wanted(self) -> list[SymbolicTensor]:
        """The values to keep: those that others take than who makes such values."""
        decided = set(self._decided.values())
        found: dict[int, SymbolicTensor] = {}
        numbers = 0
        for operation in self._operations:
            for x in operation.inputs if operation not in decided else ():
                x = self._makers.root(x)
                if id(x) in self._fresh and id(x) not in self._results and id(x) not in found:
                    numbers += num_elements(x.dims)
                    if numbers > _MOST_NUMBERS_IN_ALL:
                        return list(found.values())
                    found[id(x)] = x
        return list(found.values())

    def _left(self, wanted: Sequence[SymbolicTensor]) -> set[Operation]:
        """The operations that must run all the same."""
        kept, needed, left = set(map(id, wanted)), set(self._results), set[Operation]()
        for operation in reversed(self._operations):
            made = [id(y) for y in operation.outputs]
            is_decided = any(key in self._decided for key in made)
            if not is_decided or any(key in needed and key not in kept for key in made):
                left.add(operation)
                needed.update(id(self._makers.root(x)) for x in operation.inputs)
        return left

    def _one(self, wanted: Sequence[SymbolicTensor]) -> tuple[Operation, list[Operation]]:
        """The operation that keeps values, and what has to run before it."""
        members, inputs = self._behind(wanted)
        placed, results = self._placed, set(map(id, wanted))
        steps_of = with_fused_rows(members, placed, results, self._roots)
        values = _values(steps_of, inputs, wanted, placed, self._makers.root)
        one = operation_like(KEPT_VALUES, inputs, {"values": values}, members[0], wanted)
        placed[one] = placed[members[0]]
        before: list[Operation] = []
        for x in inputs:  # variables are read, and what is known gets its name
            maker = self._makers.of(x)
            if maker is not None:
                sources = map(self._makers.of, maker.inputs)
                is_read = id(x) in self._decided
                before += [each for each in sources if is_read and each is not None]
                before.append(maker)
        return one, before

    def _behind(
        self, wanted: Sequence[SymbolicTensor]
    ) -> tuple[list[Operation], list[SymbolicTensor]]:
        """The operations that make values, in their order, and what these are given."""
        members: set[Operation] = set()
        inputs: dict[int, SymbolicTensor] = {}
        waiting = list(wanted)
        while waiting:
            x = waiting.pop()
            maker = self._decided.get(id(x))
            if maker is None or maker.record.name == _READ:
                inputs[id(x)] = x
            elif maker not in members:
                members.add(maker)
                waiting += [self._makers.root(each) for each in maker.given]
        return [each for each in self._operations if each in members], list(inputs.values())


def _computes(operation: Operation) -> bool:
    """Whether an operation makes numbers out of numbers, in memory of their own."""
    name = operation.record.name
    if name == _CAST:
        return operation.given[0].dtype is not operation.outputs[0].dtype
    return makes_numbers(operation)


def _values(
    members: Sequence[Operation], inputs: Sequence[SymbolicTensor],
    wanted: Sequence[SymbolicTensor], placed: Mapping[Operation, Placement],
    root: Callable[[SymbolicTensor], SymbolicTensor],
) -> KeptValues:  # fmt: skip
    """What computes the wanted values."""
    numbers = {id(x): i for i, x in enumerate(inputs)}
    steps = []
    for member in members:
        given = [root(x) for x in member.given]
        kinds = tuple([placed[member].device.kind(x.dtype) for x in given])
        route = Route(member.record, placed[member], None, kinds)
        attrs = {k: without_backed_ints(v) for k, v in member.attrs.items() if k != "is_implicit"}
        makes_list = any(arg.is_list for arg in member.record.outputs)
        places = tuple([numbers[id(x)] for x in given])
        steps.append(KeptStep(member.record.name, route.kernel, attrs, places, makes_list))
        for y in member.outputs:
            numbers[id(y)] = len(numbers)
    return KeptValues(steps, [numbers[id(y)] for y in wanted])
