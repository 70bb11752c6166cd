"""The same graph with more known: shapes of its arguments, and the calls that waited for them.

Operations are recorded again, one after the other, into a new graph whose arguments have known
shapes. Deferred calls whose inputs are known become their own operations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...base.dtypes import resource
from ...base.shapes import Dims
from ...core.context import LOCAL, intern_scope
from ...core.symbolic_value import (
    BackedInt,
    SymbolicValue,
    SymbolicValueError,
    filled_in,
    with_backed_ints,
)
from ...devices.name import DeviceSpec
from ...eager.place import Placement
from ...ops.infer import Spec
from ..recording.deferred import DEFERRED
from ..recording.func_graph import FuncGraph
from ..recording.target import GraphTarget
from ..representation.default_graph import as_default
from ..representation.graph import Operation, SymbolicTensor
from ..representation.ops import BODIED, PLACEHOLDER_WITH_DEFAULT
from .feeding import FeedDependents


def is_needed(operations: Sequence[Operation]) -> bool:
    """True if something is unknown in these operations."""
    for operation in operations:
        if operation.record is DEFERRED or len(operation.given) < len(operation.inputs):
            return True
        if operation.record is PLACEHOLDER_WITH_DEFAULT:
            return True
        for y in operation.outputs:
            dims = y._dims
            if dims is None or None in dims:
                return True
    return False


class _Again(FuncGraph):
    """The new graph: numbers that tensors of the old one have told are asked for once more."""

    def __init__(self, tensors: Mapping[int, SymbolicTensor]) -> None:
        super().__init__("expanded", outer=None)
        self.seeds_drawn = None
        self.tensors = tensors

    def number_of(self, number: BackedInt) -> Any:
        """The number if it still holds, else what asks the tensor's stand-in for it."""
        found = self.tensors.get(id(number.tensor))
        return int(number) if found is None else number.symbolic(found)


class Expansion:
    """A new graph, and what stands in it for the tensors and operations of the old one.

    Args:
        decided: where operations have been placed already.
        opened: what feeds change; None if they are placeholders.
    """

    def __init__(
        self, decided: Mapping[Operation, Placement], dependents: FeedDependents | None = None
    ) -> None:
        self.decided = decided
        self.dependents = dependents
        self.tensors: dict[int, SymbolicTensor] = {}
        self.graph = _Again(self.tensors)
        self.operations: dict[int, Operation] = {}
        #: Where what was recorded again is to be, and why.
        self.placed: dict[Operation, Placement] = {}
        self.fed: set[int] = set()

    def feed(self, arguments: Sequence[SymbolicTensor], known: Mapping[int, Dims]) -> None:
        """What is given when the plan runs: arguments of the new graph."""
        for x in arguments:
            spec = x.spec._replace(dims=known.get(id(x), x.dims))
            made = self.tensors[id(x)] = self.graph.argument(spec)
            made.handle_data = x.handle_data
        self.fed = set(self.tensors)

    def run(self, operations: Sequence[Operation], known: Mapping[int, Dims]) -> None:
        """Records `operations` again; `known` has the shapes of arguments and of other tensors of
        which more is known, by the id of the tensor.
        """
        with as_default(self.graph):
            target = self.graph.target
            for operation in operations:
                self._again(target, operation, known)

    def _again(self, target: GraphTarget, operation: Operation, known: Mapping[int, Dims]) -> None:
        state = LOCAL.state
        state.scope = (
            intern_scope(DeviceSpec.from_string(operation.device)) if operation.device else None
        )
        before = len(self.graph.operations)
        name = operation.name or operation.record.name
        inputs = [self.tensors[id(x)] for x in operation.given]
        if operation.record is DEFERRED:
            with self.graph.plain_names(f"{name}/"):
                outputs = self._deferred(target, operation, inputs)
        else:
            with self.graph.exact_name(f"{name}/"):
                if operation.record is PLACEHOLDER_WITH_DEFAULT and not operation.control:
                    outputs = inputs  # nothing was fed for it
                elif (
                    not operation.inputs
                    and operation.outputs
                    and not self._has_open_numbers(operation)
                ):
                    outputs = self._source(operation, known)
                else:
                    outputs = self._plain(target, operation, inputs, known)
        for old, new in zip(operation.outputs, outputs, strict=True):
            if id(old) in self.fed:
                continue
            self.tensors[id(old)] = new
            if old.handle_data is not None:
                new.handle_data = old.handle_data
        copies = self.graph.operations[before:]
        there = self.decided.get(operation)
        for copied in copies:
            copied.place = operation.place
            if there is not None:
                copied.device = there.device.name
                self.placed[copied] = there
            copied.control = [
                self.operations[c.id] for c in operation.control if c.id in self.operations
            ]
        if copies:
            copies[-1].groups = operation.groups
            self.operations[operation.id] = copies[-1]

    def _source(self, operation: Operation, known: Mapping[int, Dims]) -> list[SymbolicTensor]:
        """An operation without inputs: what it returns is told, or known."""
        specs = [y.spec._replace(dims=known.get(id(y), y.dims)) for y in operation.outputs]
        return list(self.graph.add(operation.record, (), operation.attrs, specs).outputs)

    def _has_open_numbers(self, operation: Operation) -> bool:
        return self.dependents is not None and bool(self.dependents.sources(operation))

    def _specs(self, operation: Operation) -> list[Spec]:
        """What is known of the outputs whatever is fed."""
        dependents = self.dependents.shapes if self.dependents is not None else ()
        return [Spec(None, y.dtype) if id(y) in dependents else y.spec for y in operation.outputs]

    def _plain(
        self, target: GraphTarget, operation: Operation, inputs: list[SymbolicTensor],
        known: Mapping[int, Dims],
    ) -> list[SymbolicTensor]:  # fmt: skip
        attrs = operation.attrs
        if len(operation.given) < len(operation.inputs):
            attrs = {
                name: filled_in(
                    value,
                    lambda symbolic: SymbolicValue(
                        self.tensors[id(symbolic.tensor)], symbolic.place
                    ),
                )
                for name, value in attrs.items()
            }
        if self.dependents is not None:
            attrs = with_backed_ints(attrs, self._number)
        # A body that was traced stays what it is: only its inputs are known better.
        if operation.record.name in BODIED:
            specs = self._specs(operation)
            return list(self.graph.add(operation.record, inputs, attrs, specs).outputs)
        before = len(self.graph.operations)
        try:
            outputs = target.apply(LOCAL.state, operation.record, tuple(inputs), attrs)
        except ValueError:  # running it will say what is wrong, in the words of the runtime
            return self._as_it_was(operation, inputs, attrs)
        if not operation.outputs:
            return []
        outputs = outputs if isinstance(outputs, list) else [outputs]
        # Of how many rows it has less may be known than before.
        if len(outputs) != len(operation.outputs):
            del self.graph.operations[before:]
            return self._as_it_was(operation, inputs, attrs)
        for old, new, spec in zip(operation.outputs, outputs, self._specs(operation), strict=True):
            new.narrow(known.get(id(old), spec.dims))
        return outputs

    def _as_it_was(
        self, operation: Operation, inputs: list[SymbolicTensor], attrs: dict[str, Any]
    ) -> list[SymbolicTensor]:
        attribute_inputs = [self.tensors[id(x)] for x in operation.inputs[len(operation.given) :]]
        again = self.graph.add(
            operation.record,
            (*inputs, *attribute_inputs),
            attrs,
            self._specs(operation),
            attribute_inputs=len(attribute_inputs),
        )
        return list(again.outputs)

    def _number(self, number: BackedInt) -> Any:
        assert self.dependents is not None
        is_open = id(number.tensor) in self.dependents.values
        return number.symbolic(self.tensors[id(number.tensor)]) if is_open else int(number)

    def _deferred(
        self, target: GraphTarget, operation: Operation, inputs: list[SymbolicTensor]
    ) -> list[SymbolicTensor]:
        if all(x.is_fully_known or x.dtype is resource for x in inputs):
            before = len(self.graph.operations)
            try:
                made: list[SymbolicTensor] = [
                    target.taken(x) for x in operation.attrs["call"].flat(inputs)
                ]
                return made
            except (SymbolicValueError, ValueError):  # running it will say what is wrong
                del self.graph.operations[before:]
        specs = self._specs(operation)
        return list(self.graph.add(DEFERRED, inputs, operation.attrs, specs).outputs)
