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
from ...core.later import Later, NotYetKnown, Told, filled_in, with_tolds
from ...devices.name import DeviceSpec
from ...eager.place import Placement
from ...ops.infer import Spec
from ..recording.deferred import DEFERRED
from ..recording.func_graph import FuncGraph
from ..recording.target import GraphTarget
from ..representation.default_graph import as_default
from ..representation.graph import Operation, SymbolicTensor
from ..representation.ops import BODIED, PLACEHOLDER_WITH_DEFAULT
from .feeding import Opened


def is_needed(nodes: Sequence[Operation]) -> bool:
    """True if something is unknown in these operations."""
    for node in nodes:
        if node.record is DEFERRED or len(node.given) < len(node.inputs):
            return True
        if node.record is PLACEHOLDER_WITH_DEFAULT:
            return True
        for y in node.outputs:
            dims = y.dims
            if dims is None or None in dims:
                return True
    return False


class _Again(FuncGraph):
    """The new graph: numbers that tensors of the old one have told are asked for once more."""

    def __init__(self, tensors: Mapping[int, SymbolicTensor]) -> None:
        super().__init__("expanded", None)
        self.seeds_drawn = None
        self.tensors = tensors

    def number_of(self, told: Told) -> Any:
        """The number if it still holds, else what asks the tensor's stand-in for it."""
        found = self.tensors.get(id(told.tensor))
        return int(told) if found is None else told.later(found)


class Expansion:
    """A new graph, and what stands in it for the tensors and operations of the old one.

    Args:
        decided: where operations have been placed already.
        opened: what feeds change; None if they are placeholders.
    """

    def __init__(
        self, decided: Mapping[Operation, Placement], opened: Opened | None = None
    ) -> None:
        self.decided = decided
        self.opened = opened
        self.tensors: dict[int, SymbolicTensor] = {}
        self.graph = _Again(self.tensors)
        self.operations: dict[int, Operation] = {}
        self.fed: set[int] = set()

    def feed(self, arguments: Sequence[SymbolicTensor], known: Mapping[int, Dims]) -> None:
        """What is given when the plan runs: arguments of the new graph."""
        for x in arguments:
            spec = x.spec._replace(dims=known.get(id(x), x.dims))
            made = self.tensors[id(x)] = self.graph.argument(spec)
            made.handle_data = x.handle_data
        self.fed = set(self.tensors)

    def run(self, nodes: Sequence[Operation], known: Mapping[int, Dims]) -> None:
        """Records `nodes` again; `known` has the shapes of arguments and of other tensors of which
        more is known, by the id of the tensor.
        """
        with as_default(self.graph):
            target = self.graph.target
            for node in nodes:
                self._again(target, node, known)

    def _again(self, target: GraphTarget, node: Operation, known: Mapping[int, Dims]) -> None:
        state = LOCAL.state
        state.scope = intern_scope(DeviceSpec.from_string(node.device)) if node.device else None
        before = len(self.graph.operations)
        name = node.name or node.type
        inputs = [self.tensors[id(x)] for x in node.given]
        if node.record is DEFERRED:
            with self.graph.plain_names(f"{name}/"):
                outputs = self._deferred(target, node, inputs)
        else:
            with self.graph.exact_name(f"{name}/"):
                if node.record is PLACEHOLDER_WITH_DEFAULT and not node.control:
                    outputs = inputs  # nothing was fed for it
                elif not node.inputs and node.outputs and not self._has_open_numbers(node):
                    outputs = self._source(node, known)
                else:
                    outputs = self._plain(target, node, inputs, known)
        for old, new in zip(node.outputs, outputs, strict=True):
            if id(old) in self.fed:
                continue
            self.tensors[id(old)] = new
            if old.handle_data is not None:
                new.handle_data = old.handle_data
        made = self.graph.operations[before:]
        there = self.decided.get(node)
        for each in made:
            each.line = node.line
            if there is not None:
                each.device = there.device.name
            each.control = [self.operations[c.id] for c in node.control if c.id in self.operations]
        if made:
            made[-1].groups = node.groups
            self.operations[node.id] = made[-1]

    def _source(self, node: Operation, known: Mapping[int, Dims]) -> list[SymbolicTensor]:
        """An operation without inputs: what it returns is told, or known."""
        specs = [y.spec._replace(dims=known.get(id(y), y.dims)) for y in node.outputs]
        return list(self.graph.add(node.record, (), node.attrs, specs).outputs)

    def _has_open_numbers(self, node: Operation) -> bool:
        return self.opened is not None and bool(self.opened.sources(node))

    def _specs(self, node: Operation) -> list[Spec]:
        """What is known of the outputs whatever is fed."""
        opened = self.opened.shapes if self.opened is not None else ()
        return [Spec(None, y.dtype) if id(y) in opened else y.spec for y in node.outputs]

    def _plain(
        self, target: GraphTarget, node: Operation, inputs: list[SymbolicTensor],
        known: Mapping[int, Dims],
    ) -> list[SymbolicTensor]:  # fmt: skip
        attrs = node.attrs
        if len(node.given) < len(node.inputs):
            attrs = {
                name: filled_in(
                    value, lambda later: Later(self.tensors[id(later.tensor)], later.place)
                )
                for name, value in attrs.items()
            }
        if self.opened is not None:
            attrs = with_tolds(attrs, self._number)
        # A body that was traced stays what it is: only its inputs are known better.
        if node.record.name in BODIED:
            specs = self._specs(node)
            return list(self.graph.add(node.record, inputs, attrs, specs).outputs)
        before = len(self.graph.operations)
        try:
            made = target.apply(LOCAL.state, node.record, tuple(inputs), attrs)
        except ValueError:  # running it will say what is wrong, in the words of the runtime
            return self._as_it_was(node, inputs, attrs)
        if not node.outputs:
            return []
        made = made if isinstance(made, list) else [made]
        if len(made) != len(node.outputs):  # of how many rows it has less is known than before
            del self.graph.operations[before:]
            return self._as_it_was(node, inputs, attrs)
        for old, new, spec in zip(node.outputs, made, self._specs(node), strict=True):
            new.narrow(known.get(id(old), spec.dims))
        return made

    def _as_it_was(
        self, node: Operation, inputs: list[SymbolicTensor], attrs: dict[str, Any]
    ) -> list[SymbolicTensor]:
        waits = [self.tensors[id(x)] for x in node.inputs[len(node.given) :]]
        again = self.graph.add(
            node.record, (*inputs, *waits), attrs, self._specs(node), waits=len(waits)
        )
        return list(again.outputs)

    def _number(self, told: Told) -> Any:
        assert self.opened is not None
        is_open = id(told.tensor) in self.opened.values
        return told.later(self.tensors[id(told.tensor)]) if is_open else int(told)

    def _deferred(
        self, target: GraphTarget, node: Operation, inputs: list[SymbolicTensor]
    ) -> list[SymbolicTensor]:
        if all(x.is_fully_known or x.dtype is resource for x in inputs):
            before = len(self.graph.operations)
            try:
                made: list[SymbolicTensor] = [
                    target.taken(x) for x in node.attrs["call"].flat(inputs)
                ]
                return made
            except NotYetKnown:
                del self.graph.operations[before:]
        specs = self._specs(node)
        return list(self.graph.add(DEFERRED, inputs, node.attrs, specs).outputs)
