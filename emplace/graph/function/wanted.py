"""What of branches and loops runs that are not run as a whole: no more than results need.

In the graph of a session and in a function of `wrap_function` nothing runs that no result needs. An
`If` or a `While` is one operation, so whoever takes one of its outputs would run what only the
others need as well. TF: a branch or loop is many operations, of which those run that lead to a
fetch. So a plan is made of a copy of the graph in which such operations have fewer variables, and
their bodies fewer operations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...core.context import LOCAL
from ...eager.place import Placement
from ..passes.feeding import FeedDependents
from ..passes.specialisation import Expansion
from ..recording.func_graph import FuncGraph, captured
from ..recording.target import GraphTarget
from ..representation.default_graph import as_default
from ..representation.graph import Operation, SymbolicTensor
from .inline import copy_operations

Tensors = dict[int, SymbolicTensor]


class WantedPart(NamedTuple):
    """What of a branch or a loop is wanted: its outputs and its inputs, by their places, and what
    its bodies need for that.
    """

    outputs: list[int]
    inputs: list[int]
    bodies: list[Reach]

    def is_whole(self, operation: Operation) -> bool:
        """Whether nothing can be left out."""
        return (
            len(self.outputs) == len(operation.outputs)
            and len(self.inputs) == len(operation.inputs)
            and all(reach.is_whole for reach in self.bodies)
        )


class Reach:
    """What some tensors and operations of a graph need.

    Args:
        given: tensors that have a value already.
    """

    def __init__(self, given: Iterable[SymbolicTensor | None]) -> None:
        self._given = {id(x) for x in given if x is not None}
        #: The ids of the given tensors that are needed.
        self.taken: set[int] = set()
        #: All operations that are needed, by their numbers.
        self.operations: dict[int, Operation] = {}
        #: Of branches and loops the outputs that are, by the numbers of their operations.
        self._wanted: dict[int, set[int]] = {}
        self.parts: dict[int, WantedPart] = {}

    def need(
        self, tensors: Iterable[SymbolicTensor | None], operations: Iterable[Operation] = ()
    ) -> Reach:
        """Adds what these need."""
        waiting: list[SymbolicTensor] = [y for y in tensors if y is not None]
        for operation in operations:
            self._add(operation, waiting)
        while waiting:
            y = waiting.pop()
            if id(y) in self._given:
                self.taken.add(id(y))
            elif _is_pruned(y.op):
                self._add_output(y.op, y.value_index, waiting)
            else:
                self._add(y.op, waiting)
        return self

    @property
    def is_whole(self) -> bool:
        """Whether all its branches and loops are needed as they are."""
        return all(part.is_whole(self.operations[i]) for i, part in self.parts.items())

    def _add(self, operation: Operation, waiting: list[SymbolicTensor]) -> None:
        """An operation with all that it makes; who waits for a loop waits for the whole of it."""
        stack = [operation]
        while stack:
            each = stack.pop()
            if _is_pruned(each):
                for i in range(len(each.outputs)):
                    self._add_output(each, i, waiting)
            elif each.id in self.operations:
                continue
            else:
                waiting += each.inputs
            if each.id not in self.operations:
                self.operations[each.id] = each
                stack += each.control

    def _add_output(self, operation: Operation, place: int, waiting: list[SymbolicTensor]) -> None:
        wanted = self._wanted.setdefault(operation.id, set())
        if place in wanted:
            return
        wanted.add(place)
        if operation.id not in self.operations:
            self.operations[operation.id] = operation
            for each in operation.control:
                self._add(each, waiting)
        part = self.parts[operation.id] = _PARTS[operation.record.name](operation, wanted)
        waiting += [operation.inputs[i] for i in part.inputs]


def _is_pruned(operation: Operation) -> bool:
    """Whether a branch or a loop runs what is needed of it only."""
    return operation.record.name in _PARTS and all(
        body.awaited is not None for body in operation.attrs["bodies"]
    )


def _of_branches(operation: Operation, wanted: set[int]) -> WantedPart:
    bodies, inputs = [], {0}
    for body, reads in zip(operation.attrs["bodies"], operation.attrs["reads"], strict=True):
        reach = Reach(reads).need([body.outputs[i] for i in wanted], body.awaited or ())
        inputs |= {1 + i for i, x in enumerate(reads) if id(x) in reach.taken}
        bodies.append(reach)
    return WantedPart(sorted(wanted), sorted(inputs), bodies)


def _of_loop(operation: Operation, wanted: set[int]) -> WantedPart:
    """A variable is wanted, too, if the condition or a wanted one depends on it."""
    loops, outputs = operation.attrs["loops"], set(wanted)
    tests, step = operation.attrs["bodies"]
    symbols = [
        [*body.inputs, *reads]
        for body, reads in zip((tests, step), operation.attrs["reads"], strict=True)
    ]
    while True:
        bodies = [
            Reach(symbols[0]).need(tests.outputs, tests.awaited or ()),
            Reach(symbols[1]).need([step.outputs[i] for i in outputs], step.awaited or ()),
        ]
        taken = {
            i
            for given, reach in zip(symbols, bodies, strict=True)
            for i, x in enumerate(given)
            if id(x) in reach.taken
        }
        more = {i for i in taken if i < loops} - outputs
        if not more:
            break
        outputs |= more
    inputs = {i for i in outputs if i < loops} | {i for i in taken if i >= loops}
    return WantedPart(sorted(outputs), sorted(inputs), bodies)


_PARTS: dict[str, Callable[[Operation, set[int]], WantedPart]] = {
    "If": _of_branches,
    "While": _of_loop,
}


class Wanted(NamedTuple):
    """What a plan is made of, as `build_plan` takes it, and where operations have been placed."""

    arguments: list[SymbolicTensor]
    results: list[SymbolicTensor]
    effects: list[Operation]
    placed: Mapping[Operation, Placement]


def wanted_alone(
    arguments: Sequence[SymbolicTensor], results: Sequence[SymbolicTensor],
    effects: Sequence[Operation], placed: Mapping[Operation, Placement],
    dependents: FeedDependents | None = None,
) -> Wanted | None:  # fmt: skip
    """The same with no more of branches and loops than the results need; None if that is all.

    Args:
        arguments: what is fed.
        results: what is fetched.
        effects: the operations that are fetched.
        placed: where operations are.
        dependents: what changes with feeds of other tensors than placeholders. Where known numbers
            do, the graph is copied for that (`feeding.py`), and stays whole.
    """
    reach = Reach(arguments).need(results, effects)
    if reach.is_whole:
        return None
    if dependents is not None and dependents.change_numbers(reach.operations.values()):
        return None
    copied = _Copy(placed, reach)
    copied.feed(arguments, {})
    copied.run([reach.operations[i] for i in sorted(reach.operations)], {})
    return Wanted(
        [copied.tensors[id(x)] for x in arguments],
        [copied.tensors[id(y)] for y in results],
        # A placeholder that nobody feeds is its default there, and no operation.
        [copied.operations[effect.id] for effect in effects if effect.id in copied.operations],
        copied.placed,
    )


class _Copy(Expansion):
    """A copy of a graph with parts of its branches and loops."""

    def __init__(self, decided: Mapping[Operation, Placement], reach: Reach) -> None:
        super().__init__(decided)
        self._parts = reach.parts

    def _again(self, target: GraphTarget, operation: Operation, known: Any) -> None:
        part = self._parts.get(operation.id)
        if part is None or part.is_whole(operation):
            super()._again(target, operation, known)
            return
        LOCAL.state.scope = None
        made = _copied(target, operation, part, self.tensors)
        made.place, made.groups, made.device = operation.place, operation.groups, operation.device
        there = self.decided.get(operation)
        if there is not None:
            made.device, self.placed[made] = there.device.name, there
        made.control = [self.operations[c.id] for c in operation.control if c.id in self.operations]
        self.operations[operation.id] = made


def _copied(
    target: GraphTarget, operation: Operation, part: WantedPart, here: Tensors
) -> Operation:
    """Records a part of a branch or a loop; `here`, by the ids of tensors what stands for them,
    gets what is made.
    """
    attrs, graph = operation.attrs, target.graph
    loops = attrs.get("loops", 0)
    own = loops if operation.record.name == "While" else 1
    read = [i - own for i in part.inputs if i >= own]
    turning = [i for i in part.outputs if i < loops]
    bodies, reads = [], []
    for i, (body, symbols, reach) in enumerate(
        zip(attrs["bodies"], attrs["reads"], part.bodies, strict=True)
    ):
        is_test = loops and i == 0
        outputs = body.outputs if is_test else [body.outputs[k] for k in part.outputs]
        inputs = [body.inputs[k] for k in turning]
        copied_body, copies = _body(body, graph, inputs, [symbols[k] for k in read], outputs, reach)
        bodies.append(copied_body)
        reads.append(tuple([None if x is None else copies[id(x)] for x in
                            [symbols[k] for k in read]]))  # fmt: skip
    count = len(part.inputs) - len(read)
    attrs = {**attrs, "bodies": tuple(bodies), "reads": tuple(reads), "count": count}
    if loops:
        attrs["loops"] = len(turning)
    new_inputs = [here[id(operation.inputs[i])] for i in part.inputs]
    old_outputs = [operation.outputs[i] for i in part.outputs]
    with graph.exact_name(f"{operation.name}/"):
        again = graph.add(operation.record, new_inputs, attrs, [y.spec for y in old_outputs])
    for old, new in zip(old_outputs, again.outputs, strict=True):
        new.handle_data = old.handle_data
        here[id(old)] = new
    return again


def _body(
    body: FuncGraph, graph: Any, inputs: Sequence[SymbolicTensor],
    reads: Sequence[SymbolicTensor | None], outputs: Sequence[SymbolicTensor | None], reach: Reach,
) -> tuple[FuncGraph, Tensors]:  # fmt: skip
    """A body with some of its inputs and outputs, and what its tensors became."""
    made: Any = type(body)(body.name, graph)
    here: Tensors = {}
    with as_default(made):
        for x in inputs:
            here[id(x)] = made.argument(x.spec, x.op.name)
            here[id(x)].handle_data = x.handle_data
        for read in reads:
            if read is not None:
                here[id(read)] = captured(made, read)
                here[id(read)].handle_data = read.handle_data
        done: dict[int, Operation] = {}
        for i in sorted(reach.operations):
            operation, part = reach.operations[i], reach.parts.get(i)
            if part is None or part.is_whole(operation):
                copy_operations(made.target, [operation], here, done)
                continue
            waited = [done[each.id] for each in operation.control if each.id in done]
            again = _copied(made.target, operation, part, here)
            again.place, again.device, again.control = operation.place, operation.device, waited
            done[i] = again
    made.outputs = [None if y is None else here[id(y)] for y in outputs]
    made.awaited = [done[each.id] for each in body.awaited or ()]
    return made, here
