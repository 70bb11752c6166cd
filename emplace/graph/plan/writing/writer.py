"""Writes plans: goes through the operations of a graph and lets each be written.

What a plan calls its values, how long they are needed, what is copied between devices and what is
constant are questions for the parts of the writer, one per file.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ....base.errors import invalid_argument
from ....base.shapes import runtime_text
from ....core.context import PROCESS
from ....core.tensor import EagerTensor
from ....core.tensor_list import taken_list
from ....devices.device import Device
from ....devices.known import known
from ....devices.late import look
from ....eager.kernel import run_kernel
from ....eager.numerics import is_checking
from ....eager.rollback import before_write
from ...passes.alike import Group
from ...passes.prune import effects_of, needed
from ...passes.rewriting import Block, rewrite
from ...placement.placer import full_scope
from ...recording.deferred import DEFERRED
from ...representation.graph import Operation, SymbolicTensor
from ..steps import Step
from ..text import PlanText
from .attributes import Attributes, numbers
from .constants import Constants
from .deferred_calls import DeferredPlan, PhantomCall
from .kernels import KernelCalls
from .liveness import Liveness
from .places import Places
from .transfers import Transfers
from .values import Values

# How operations that are more than a call of a kernel are written; control flow enters its own.
EMITTERS: dict[str, Callable[[Writer, Operation], None]] = {}

# What only checks or prints, and is left out of a plan that asks for it.
_STRIPPED = frozenset({"Assert", "CheckNumerics", "Print", "PrintV2"})


class Writer:
    """Writes the lines of a plan.

    Args:
        instrumented: whether operations go through `run_kernel`.
        undoes: whether a run that is refused memory is undone.
        options: what the plan is made for.
        joins: whether what replicas do alike may be done once.
    """

    def __init__(self, instrumented: bool, undoes: bool, options: Any, joins: bool = False) -> None:
        self.instrumented = instrumented
        self._joins = joins
        #: What must be the same on all replicas then, if anything is done once.
        self.groups: list[Group] | None = None
        self.stand_ins = options.stand_ins
        self._is_session = options.resources is not None
        self._strips = options.strips
        self.text = PlanText({
            "run": run_kernel, "numbers": numbers, "truth": truth, "raw": _raw,
            "taken": taken_list, "before_write": before_write,
            "__builtins__": builtins,  # torch.compile looks for them here
        })  # fmt: skip
        self.values = Values()
        self.liveness = Liveness(self.values)
        self.places = Places(options, self.values)
        self.transfers = Transfers(self.text, self.values, instrumented)
        self.constants = Constants(self.text, self.values, self.liveness, options, instrumented)
        self._attributes = Attributes(self.text, self.values)
        self.kernels = KernelCalls(
            self.text,
            self.values,
            self.liveness,
            self.transfers,
            self._attributes,
            instrumented,
            undoes,
        )
        #: Loops that can run at once with the next one, and that one.
        self.pairs: dict[Operation, Operation] = {}
        #: Loops that a plan has asked for already.
        self.asked: dict[Operation, Any] = {}
        #: The operations of the block that was finished last.
        self.written: list[Operation] = []

    def argument(self, x: SymbolicTensor, device: Device) -> str:
        """A name for what the plan is given."""
        name = self.text.fresh("a")
        self.values.enter(x, name, device)
        if self._is_session and not self.instrumented:
            self.transfers.lent.add(id(x))
        return name

    def truth(self, operation: Operation, test: SymbolicTensor) -> str:
        """The condition of a branch or a loop as an expression, which reads it."""
        self.text.note_read(operation, test, self.values.device(test), "its condition")
        name = self.values.name(test)
        if self.stand_ins is not None:
            return f"decided({name}, {self.text.bind(operation, 'o')})"
        return f"truth({name})"

    @contextmanager
    def varying(self, varies: bool = True) -> Iterator[None]:
        """A scope whose steps run as often as values tell, or not at all, if so."""
        first = len(self.text.steps)
        yield
        for step in self.text.steps[first:] if varies else ():
            step.varies = True

    # -- blocks ---------------------------------------------------------------------------------

    def body(
        self, body: Any, symbols: Sequence[SymbolicTensor | None], names: Sequence[str],
        devices: Sequence[Device], part: str,
        outputs: Sequence[SymbolicTensor | None] | None = None,
        turning: Sequence[SymbolicTensor] = (),
    ) -> list[str]:  # fmt: skip
        """The lines of a body, one step further in; returns the names of its outputs, or of those
        that are wanted. `part` says which body of which operation it is: "cond/then"; `turning`
        are the inputs of a loop's body that each iteration replaces.
        """
        outputs = body.outputs if outputs is None else outputs
        for x, name, device in zip(symbols, names, devices, strict=True):
            if x is not None:
                self.values.enter(x, name, device)
        given = [x for x in symbols if x is not None]
        results = [y for y in outputs if y is not None]
        operations = needed([*[y.op for y in results], *effects_of(body)], given)
        with self.places.body(part):
            self.places.decide(operations)
            with self.liveness.loop(turning, outputs):
                self.block(operations, results)
        return ["None" if y is None else self.values.name(y) for y in outputs]

    @contextmanager
    def inner(self) -> Iterator[None]:
        """A scope in which names and copies are those of an inner block, one step further in."""
        values, transfers = self.values.inner(), self.transfers.inner()
        with self.text.inner(), values, transfers, self._attributes.inner():
            yield

    def block(self, operations: Iterable[Operation], results: Sequence[SymbolicTensor]) -> None:
        """The lines of some operations; values are let go after their last use in the block."""
        lines = self.text.lines
        with self.liveness.block(results):
            operations, shared = list(operations), {}
            if not (PROCESS.observers or is_checking()):
                block = self._rewritten(operations, results)
                operations, shared = block.operations, self.values.shared(block.sharing)
            self.liveness.count(operations)
            first = len(lines)
            for operation in operations:
                self._operation(operation)
                for x in operation.outputs if shared else ():
                    if id(x) in shared:
                        self.values.share(shared[id(x)], x)
        self.written = operations
        if len(lines) == first and self.text.indent > 1:
            self.text.write("pass")

    def _rewritten(self, operations: list[Operation], results: Sequence[SymbolicTensor]) -> Block:
        """The same in fewer or cheaper operations: for nobody who listens, or checks each.
        Constants, a fifth of a large graph, come first, and those alone that are left to be used.
        """
        constants, rest, roots = {}, [], self.values.roots
        for operation in operations:
            if operation.record.name == "Const":
                constants[id(operation.outputs[0])] = operation
            else:
                rest.append(operation)
        block = Block(
            rest,
            results,
            self.places.placed,
            self.liveness.keep.union(constants),
            roots,
            self.instrumented,
            joins=self._joins and self.text.indent == 1,
            is_inner=self.text.indent > 1,
        )
        rewrite(block)
        if block.groups is not None:
            self.groups = block.groups
        self.pairs.update(block.pairs)
        used = {id(y) for y in results}
        for operation in block.operations:
            used.update(map(id, operation.inputs))
        used.update([id(roots[key]) for key in block.sharing if key in used])
        block.operations[:0] = [x for key, x in constants.items() if key in used]
        return block

    # -- operations -----------------------------------------------------------------------------

    def _operation(self, operation: Operation) -> None:
        """The lines of one operation."""
        placement = self.places.placed[operation]
        if self.constants.cover(operation, placement.device):
            # Nor does it need what it would be computed from, such as the tensor of a known shape.
            self.kernels.let_go(self.kernels.ended_by(operation))
            return
        if self._strips and operation.record.name in _STRIPPED:
            self._left_out(operation)
            return
        emit = EMITTERS.get(operation.record.name)
        if emit is None and operation.record is not DEFERRED:
            self.kernels.write(operation, placement)
            return
        if emit is not None:
            emit(self, operation)
        else:
            self._deferred(operation)
        self.kernels.drop(operation, self.kernels.ended_by(operation))

    def _left_out(self, operation: Operation) -> None:
        """An operation that does nothing: what it returns, if anything, is its first input."""
        values = self.values
        for y in operation.outputs:
            name = self.text.fresh()
            self.text.write(f"{name} = {values.name(operation.given[0])}")
            values.enter(y, name, values.device(operation.given[0]))
        self.kernels.drop(operation, self.kernels.ended_by(operation))

    def _deferred(self, operation: Operation) -> None:
        text, values, placement = self.text, self.values, self.places.placed[operation]
        step = Step(operation, placement, None, text.indent - 1)
        text.steps.append(step)
        kinds = tuple(
            (None if self.instrumented else values.device(x).kind(x.dtype)) for x in operation.given
        )
        scope = full_scope(placement.device)
        call: Any
        if self.stand_ins is not None:
            call = PhantomCall(operation, placement.device)
        else:
            call = DeferredPlan(
                operation.attrs["call"], kinds, scope, placement.device, self.instrumented
            )
        results = [text.fresh() for _ in operation.outputs]
        names = "".join(f"{values.name(x)}, " for x in operation.given)
        for y, name in zip(operation.outputs, results, strict=True):
            values.enter(y, name, placement.device)
        text.call(results, f"{text.bind(call, 'f')}({names})", step, is_list=True)


def _raw(tensor: Any) -> Any:
    """The raw value of a tensor of an instrumented plan."""
    return None if tensor is None else tensor._value


def truth(value: Any) -> bool:
    """A value as a condition.

    Raises:
        InvalidArgumentError: it has more elements than one, or none.
    """
    if isinstance(value, EagerTensor):
        value = value._value
    if (value.size if isinstance(value, np.ndarray) else value.numel()) != 1:
        dims = runtime_text(value.shape)
        raise invalid_argument(f"The second input must be a scalar, but it has shape {dims}")
    if isinstance(value, np.ndarray) or value.is_cpu:
        return bool(value)
    if (elements := known(value)) is not None:
        return bool(elements)
    truth = bool(value)
    look(value.device)
    return truth
