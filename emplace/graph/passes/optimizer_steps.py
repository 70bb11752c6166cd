"""Steps of optimizers that a program writes op by op, as one operation with a kernel of its own.

Keras writes Adam as a dozen operations per variable, each of which goes through all of the memory
once. Only what is written exactly so, and whose values nobody else wants, is replaced.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ...base.dtypes import resource
from ...eager.place import Placement
from ...ops.variables.training import FUSED_ADAM
from ..recording.deferred import DEFERRED
from ..representation.graph import Operation, SymbolicTensor
from ..representation.ops import BODIED
from .constant_folding import is_known, raw_value

#: What an average of a step does with its variable.
_AVERAGING = frozenset({"ReadVariableOp", "AssignAddVariableOp"})


class _Average(NamedTuple):
    """`kept.assign_add((new - kept) * rate)`, and the value read afterwards."""

    kept: SymbolicTensor
    new: SymbolicTensor
    rate: float
    operations: tuple[Operation, ...]


def with_fused_steps(
    operations: list[Operation],
    results: Sequence[SymbolicTensor],
    placed: dict[Operation, Placement],
) -> list[Operation]:
    """The operations with steps of Adam in the places of what they are made of.

    Args:
        operations: operations in their order.
        results: tensors that are wanted.
        placed: where operations run; the new ones are added.
    """
    ends = [each for each in operations if each.record.name == "AssignSubVariableOp"]
    if not ends:
        return operations
    matcher = _StepMatcher(operations, results, placed)
    found = {operation: matcher.step(operation) for operation in ends}
    steps = {operation: step for operation, step in found.items() if step is not None}
    if not steps:
        return operations
    gone = {id(absorbed) for step in steps.values() for absorbed in step[1]}
    rewritten = []
    for operation in operations:
        if operation in steps:
            rewritten.append(steps[operation][0])
            placed[steps[operation][0]] = placed[operation]
        elif id(operation) not in gone:
            rewritten.append(operation)
    return rewritten


def joined_steps(
    operations: list[Operation],
    placed: dict[Operation, Placement],
    root: Callable[[SymbolicTensor], SymbolicTensor],
) -> list[Operation]:
    """Steps that follow each other, of different variables at the same rates, as one. What is known
    before the plan runs may stand between them.

    Args:
        operations: operations in their order.
        placed: where operations run; the new ones are added.
        root: the tensor whose value a tensor has.
    """
    if [operation.record for operation in operations].count(FUSED_ADAM) < 2:
        return operations
    run = _Run(placed, root)
    runs: dict[Operation, list[Operation]] = {}  # by the last of those that are joined
    for operation in operations:
        if operation.record is FUSED_ADAM:
            if not run.may_take(operation):
                runs.update(run.ended())
            run.take(operation)
        elif run.steps and not is_known(operation):
            runs.update(run.ended())
    runs.update(run.ended())
    gone = {step for steps in runs.values() for step in steps}
    rewritten: list[Operation] = []
    for operation in operations:
        if operation in runs:
            one = _joined(runs[operation])
            placed[one] = placed[operation]
            rewritten.append(one)
        elif operation not in gone:
            rewritten.append(operation)
    return rewritten


class _Run:
    """Steps one after the other that can be one: of different variables, at the same rates."""

    def __init__(
        self, placed: Mapping[Operation, Placement],
        root: Callable[[SymbolicTensor], SymbolicTensor],
    ) -> None:  # fmt: skip
        self._placed = placed
        self._root = root
        self.steps: list[Operation] = []
        self._variables: set[int] = set()

    def may_take(self, step: Operation) -> bool:
        """Whether a step is like those before, of other variables."""
        if not self.steps:
            return True
        root, before = self._root, self.steps[-1]
        rows, last = _rows(step), _rows(before)
        return (
            root(before.inputs[3 * len(last)]) is root(step.inputs[3 * len(rows)])  # the rate
            and before.attrs == step.attrs
            and before.device == step.device
            and self._placed[before].device is self._placed[step].device
            and _server(last[0][0]) == _server(rows[0][0])
            and last[0][3].dtype is rows[0][3].dtype
            and self._variables.isdisjoint(id(root(x)) for row in rows for x in row[:3])
        )

    def take(self, step: Operation) -> None:
        """One more."""
        self.steps.append(step)
        self._variables.update(id(self._root(x)) for row in _rows(step) for x in row[:3])

    def ended(self) -> dict[Operation, list[Operation]]:
        """What there is to join, by the last of it; what comes next is another run."""
        steps, self.steps, self._variables = self.steps, [], set()
        return {steps[-1]: steps} if len(steps) > 1 else {}


def _rows(step: Operation) -> list[tuple[SymbolicTensor, ...]]:
    """For each variable: itself, its two means, its gradient."""
    count = (len(step.inputs) - 1) // 4
    kept, grads = step.inputs[: 3 * count], step.inputs[3 * count + 1 :]
    return [(kept[i], kept[count + i], kept[2 * count + i], grads[i]) for i in range(count)]


def _joined(steps: Sequence[Operation]) -> Operation:
    last = steps[-1]
    var, mean, square, grad = zip(*[row for step in steps for row in _rows(step)], strict=True)
    inputs = (*var, *mean, *square, last.inputs[3 * len(_rows(last))], *grad)
    made = Operation(last.graph, FUSED_ADAM, inputs, last.attrs, (), last.device, 0)
    made.name, made.place, made.id = last.name, last.place, last.id
    return made


class _StepMatcher:
    """Looks for what an assignment at the end of a step was computed from."""

    def __init__(
        self,
        operations: Sequence[Operation],
        results: Sequence[SymbolicTensor],
        placed: Mapping[Operation, Placement],
    ) -> None:
        self.operations = operations
        self.placed = placed
        self.places = dict(zip(operations, itertools.count()))
        #: How often values are taken, by their ids; and what reads variables or adds to them.
        self.uses = Counter([id(x) for operation in operations for x in operation.inputs])
        self.averaging: dict[int, list[Operation]] = defaultdict(list)
        for operation in operations:
            if operation.record.name in _AVERAGING:
                self.averaging[id(operation.inputs[0])].append(operation)
        self.wanted = {id(y) for y in results}

    def step(self, end: Operation) -> tuple[Operation, list[Operation]] | None:
        """The one operation for a step that ends here, and those that it replaces."""
        var, change = end.given
        parts = self.parts(change, "RealDiv")
        if parts is None:
            return None
        above, below = self.parts(parts[0], "Mul"), self.parts(parts[1], "AddV2")
        root = self.parts(below[0], "Sqrt") if below is not None else None
        if above is None or below is None or root is None:
            return None
        mean, square = self.average(above[0]), self.average(root[0])
        epsilon = _number(below[1])
        if mean is None or square is None or epsilon is None:
            return None
        grad, alpha = mean.new, above[1]
        if self.parts(square.new, "Square") != (grad,) or alpha.dims != ():
            return None
        inner = (change, *parts, root[0].op.outputs[0], below[0], square.new)
        operations = list({id(x.op): x.op for x in inner}.values())
        operations += [*mean.operations, *square.operations]
        if not self.is_one_step(end, operations, (var, mean.kept, square.kept), grad):
            return None
        rates = {"mean_rate": mean.rate, "square_rate": square.rate, "epsilon": epsilon}
        inputs = (var, mean.kept, square.kept, alpha, grad)
        made = Operation(end.graph, FUSED_ADAM, inputs, rates, (), end.device, 0)
        made.name, made.place, made.id = end.name, end.place, end.id
        return made, operations

    def parts(self, x: SymbolicTensor, kind: str) -> tuple[SymbolicTensor, ...] | None:
        """What a value is made of by an op of this kind, if nobody else wants the value."""
        maker = x._op
        is_ours = maker.record.name == kind and maker in self.places
        is_free = self.uses[id(x)] == 1 and id(x) not in self.wanted
        return maker.given if is_ours and is_free else None

    def average(self, after: SymbolicTensor) -> _Average | None:
        """The running average that was read as this value, if the plan does nothing else with it:
        read, add, read.
        """
        read = self.parts(after, "ReadVariableOp")
        users = self.averaging[id(read[0])] if read is not None else []
        if read is None or len(users) != 3 or users[2] is not after.op:
            return None
        if self.uses[id(read[0])] != 3:
            return None
        before, add = users[0], users[1]
        if before.type != "ReadVariableOp" or add.type != "AssignAddVariableOp":
            return None
        scaled = self.parts(add.given[1], "Mul")
        moved = self.parts(scaled[0], "Sub") if scaled is not None else None
        if scaled is None or moved is None or moved[1] is not before.outputs[0]:
            return None
        rate = _number(scaled[1])
        if rate is None or self.parts(moved[1], "ReadVariableOp") is None:
            return None
        operations = (before, scaled[0].op, add.given[1].op, add, after.op)
        return _Average(read[0], moved[0], rate, operations)

    def is_one_step(
        self,
        end: Operation,
        operations: Sequence[Operation],
        variables: Sequence[SymbolicTensor],
        grad: SymbolicTensor,
    ) -> bool:
        """Whether everything happens on one device, on values of one shape and dtype, and nothing
        in between could tell the difference.
        """
        device = self.placed[end].device
        dims, dtype = grad.dims, grad.dtype
        values = [y for operation in operations for y in operation.outputs]
        if dims is None or any(y._dims != dims or y._dtype is not dtype for y in values):
            return False
        if {id(self.placed[operation].device) for operation in operations} != {id(device)}:
            return False
        if len({_server(x) for x in variables}) > 1:
            return False
        held = {id(x) for x in variables}
        inside = set(operations)
        first = min([self.places[operation] for operation in operations])
        between = self.operations[first : self.places[end]]
        return len(held) == 3 and not any(
            may_touch(each, held) for each in between if each not in inside
        )


def _server(handle: SymbolicTensor) -> Any:
    """The process that holds the memory of a variable; None for this one."""
    return getattr(getattr(handle.op.attrs.get("eager"), "_value", None), "owner", None)


def may_touch(operation: Operation, variables: set[int]) -> bool:
    """Whether an operation may read or change one of the variables."""
    return not variables.isdisjoint(map(id, operation.inputs)) or may_touch_any(operation)


def may_touch_any(operation: Operation) -> bool:
    """Whether an operation may read or change variables that it is not given."""
    record = operation.record
    if record is DEFERRED or record.name in BODIED:
        return True
    return record.stateful and not any(x.dtype is resource for x in operation.given)


def _number(x: SymbolicTensor) -> float | None:
    """A number that is known before the plan runs."""
    raw: Any = raw_value(x)
    return float(raw) if raw is not None and x.dims == () else None
