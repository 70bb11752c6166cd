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

from ...core.context import PROCESS
from ...core.tensor import EagerTensor
from ...devices.device import Device
from ...eager.kernel import run_kernel
from ...eager.numerics import is_checking
from ...eager.undo import before_write
from ..passes.prune import effects_of, needed
from ..passes.rewriting import Block, rewrite
from ..placement.placer import full_scope
from ..recording.deferred import DEFERRED
from ..representation.graph import Operation, SymbolicTensor
from .attributes import Attributes, numbers
from .constants import Constants
from .deferred_calls import DeferredCall
from .kernels import KernelCalls
from .liveness import Liveness
from .places import Places
from .steps import Step
from .text import PlanText
from .transfers import Transfers, taken
from .values import Values

# How operations that are more than a call of a kernel are written; control flow enters its own.
EMITTERS: dict[str, Callable[[Writer, Operation], None]] = {}


class Writer:
    """Writes the lines of a plan.

    Args:
        careful: whether operations go through `run_kernel`.
        undoes: whether a run that is refused memory is undone.
        wishes: what the plan is made for.
    """

    def __init__(self, careful: bool, undoes: bool, wishes: Any) -> None:
        self.careful = careful
        self.text = PlanText({
            "run": run_kernel, "numbers": numbers, "truth": _truth, "raw": _raw, "taken": taken,
            "before_write": before_write,
            "__builtins__": builtins,  # torch.compile looks for them here
        })  # fmt: skip
        self.values = Values()
        self.liveness = Liveness(self.values)
        self.places = Places(wishes, self.values)
        self.transfers = Transfers(self.text, self.values, careful)
        self.constants = Constants(self.text, self.values, self.liveness, wishes, careful)
        self._attributes = Attributes(self.text, self.values)
        self.kernels = KernelCalls(
            self.text, self.values, self.liveness, self.transfers, self._attributes, careful, undoes
        )
        #: What need not run, because something else makes its values.
        self.twins: dict[Operation, Operation] = {}
        #: The operations of the block that was finished last.
        self.written: list[Operation] = []

    def argument(self, x: SymbolicTensor, device: Device) -> str:
        """A name for what the plan is given."""
        name = self.text.fresh("a")
        self.values.enter(x, name, device)
        return name

    # -- blocks ---------------------------------------------------------------------------------

    def body(
        self, body: Any, symbols: Sequence[SymbolicTensor | None], names: Sequence[str],
        homes: Sequence[Device], part: str,
        outputs: Sequence[SymbolicTensor | None] | None = None,
        turning: Sequence[SymbolicTensor] = (),
    ) -> list[str]:  # fmt: skip
        """The lines of a body, one step further in; returns the names of its outputs, or of those
        that are wanted. `part` says which body of which operation it is: "cond/then"; `turning`
        are the inputs of a loop's body that each round replaces.
        """
        outputs = body.outputs if outputs is None else outputs
        for x, name, home in zip(symbols, names, homes, strict=True):
            if x is not None:
                self.values.enter(x, name, home)
        given = [x for x in symbols if x is not None]
        results = [y for y in outputs if y is not None]
        nodes = needed([*[y.op for y in results], *effects_of(body)], given)
        with self.places.body(part):
            self.places.decide(nodes)
            with self.liveness.loop(turning, outputs):
                self.block(nodes, results)
        return ["None" if y is None else self.values.name(y) for y in outputs]

    @contextmanager
    def inner(self) -> Iterator[None]:
        """A scope in which names and copies are those of an inner block, one step further in."""
        values, transfers = self.values.inner(), self.transfers.inner()
        with self.text.inner(), values, transfers, self._attributes.inner():
            yield

    def block(self, nodes: Iterable[Operation], results: Sequence[SymbolicTensor]) -> None:
        """The lines of some operations; values are let go after their last use in the block."""
        lines = self.text.lines
        with self.liveness.block(results):
            nodes = list(nodes)
            if not (PROCESS.observers or is_checking()):
                nodes = self._rewritten(nodes, results)
            twins = self.twins
            self.liveness.count([x for x in nodes if x not in twins] if twins else nodes)
            first = len(lines)
            for node in nodes:
                self._operation(node)
        self.written = nodes
        if len(lines) == first and self.text.indent > 1:
            self.text.write("pass")

    def _rewritten(
        self, nodes: list[Operation], results: Sequence[SymbolicTensor]
    ) -> list[Operation]:
        """The same in fewer or cheaper operations: for nobody who listens, or checks each."""
        block = Block(nodes, results, self.places.placed, self.liveness.keep, self.values.roots)
        rewrite(block)
        self.twins |= block.twins
        return block.nodes

    # -- operations -----------------------------------------------------------------------------

    def _operation(self, node: Operation) -> None:
        """The lines of one operation."""
        twin = self.twins.get(node)
        if twin is not None:
            for y, z in zip(node.outputs, twin.outputs, strict=True):
                self.values.share(y, z)
            return
        placement = self.places.placed[node]
        if self.constants.cover(node, placement.device):
            return
        emit = EMITTERS.get(node.record.name)
        if emit is None and node.record is not DEFERRED:
            self.kernels.write(node, placement)
            return
        if emit is not None:
            emit(self, node)
        else:
            self._deferred(node)
        self.kernels.drop(node, self.kernels.ended_by(node))

    def _deferred(self, node: Operation) -> None:
        text, values, placement = self.text, self.values, self.places.placed[node]
        step = Step(node, placement, None, text.indent - 1)
        text.steps.append(step)
        kinds = tuple((None if self.careful else values.home(x).kind(x.dtype)) for x in node.given)
        scope = full_scope(placement.device)
        call = DeferredCall(node.attrs["call"], kinds, scope, placement.device, self.careful)
        results = [text.fresh() for _ in node.outputs]
        names = "".join(f"{values.name(x)}, " for x in node.given)
        for y, name in zip(node.outputs, results, strict=True):
            values.enter(y, name, placement.device)
        text.call(results, f"{text.bind(call, 'f')}({names})", step, is_list=True)


def _raw(tensor: Any) -> Any:
    """The raw value of a tensor of a careful plan."""
    return None if tensor is None else tensor._value


def _truth(value: Any) -> bool:
    """A value as a condition."""
    if isinstance(value, EagerTensor):
        return bool(value)
    if isinstance(value, np.ndarray):
        return bool(value.reshape(-1)[0]) if value.size else False
    return bool(value) if value.numel() else False
