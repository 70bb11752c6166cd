"""How a plan asks for a loop as machine code before it goes through the iterations itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from ...eager.numerics import is_checking
from ..passes.constant_folding import is_known
from ..passes.prune import effects_of, needed
from ..plan.writing.writer import Writer
from ..recording.func_graph import FuncGraph
from ..representation.graph import Operation, SymbolicTensor
from .beside import both
from .loop_values import ArgumentSource, CarriedSource, CounterSource, ElementSource, Source
from .loops import LoopBody, MachineLoop, may_compile


class LoopRequest:
    """What the iterations of a loop take and leave.

    Args:
        body: its graph.
        symbols: the tensors in the body that stand for counters, elements of lists, variables and
            what the body reads, in this order; None for one that the body does not need.
        names: the names of lists, variables and what is read, in the plan.
        counters: the values of each counter, a tensor per iteration.
        lists: how many lists there are.
        variables: how many variables change.
        outputs: their next values, then what is kept, then parts.
        parts: how many of the outputs are parts.
        is_reversed: whether the iterations go from the last elements of lists to the first.
    """

    def __init__(
        self, body: FuncGraph, symbols: Sequence[SymbolicTensor | None], names: Sequence[str],
        outputs: Sequence[SymbolicTensor | None], *, counters: Sequence[list[Any]] = (),
        lists: int = 0, variables: int = 0, parts: int = 0, is_reversed: bool = False,
    ) -> None:  # fmt: skip
        self.names = names
        self.outputs = [y for y in outputs if y is not None]
        self.parts = parts
        self.given = [x for x in symbols if x is not None]
        self.loop = MachineLoop(counters, lists, is_reversed)
        first = len(counters) + lists
        self.variables = [x for x in symbols[first : first + variables] if x is not None]
        self.is_whole = 0 < len(self.outputs) == len(outputs) and len(self.variables) == variables
        self.keeps = len(self.outputs) > len(self.variables)
        self._body = body
        self._sources: dict[int, Source] = {}
        for i, x in enumerate(symbols):
            place = i - len(counters)
            if x is not None:
                self._sources[id(x)] = (
                    CounterSource(i) if place < 0 else ElementSource(place) if place < lists
                    else CarriedSource(place) if i < first + variables else ArgumentSource(place)
                )  # fmt: skip

    def operations(self) -> list[Operation]:
        """What an iteration computes, as the program wrote it."""
        ends = [y.op for y in self.outputs]
        found = needed([*ends, *effects_of(self._body)], self.given)
        return [operation for operation in found if not is_known(operation)]

    def finish(self, writer: Writer) -> None:
        """Tells the loop what its iterations do, now that they are written."""
        operations, placed = writer.written, writer.places.placed
        if not all(placed[operation].device.is_in_host_memory for operation in operations):
            return
        count = len(self.variables)
        last = len(self.outputs) - self.parts
        self.loop.tell(LoopBody(
            operations, self._sources, self.variables, self.outputs[:count],
            self.outputs[count:last],
            self.outputs[last:], writer.values.roots,
            any(placed[operation].device.budget is not None for operation in operations),
        ))  # fmt: skip


def is_fit(writer: Writer, operation: Operation, request: LoopRequest) -> bool:
    """Whether a loop may become machine code: small operations, all in the host's memory, of which
    no budget is told one by one. What iterations keep it stores again, which a budget would tell.
    """
    devices = [writer.values.device(x) for x in operation.inputs]
    is_on_host = all(device.is_in_host_memory for device in devices)
    if request.keeps and any(device.budget is not None for device in devices):
        return False
    if writer.instrumented or is_checking() or not is_on_host or not request.is_whole:
        return False
    operations = request.operations()
    return may_compile(operations) and not any(each.device for each in operations)


class AskedLoop(NamedTuple):
    """What a plan asks of a loop, and the name of what it has been answered, once it has asked."""

    request: LoopRequest | None
    answer: str = ""


#: How the iterations of a loop are asked for, by op; None for those that Python must do.
REQUESTS: dict[str, Callable[[Writer, Operation], LoopRequest | None]] = {}


@contextmanager
def trying_machine_code(
    writer: Writer, operation: Operation, results: Sequence[str]
) -> Iterator[None]:
    """Around the lines that go through the iterations of a loop: asks for machine code first."""
    request, answer = writer.asked.pop(operation, None) or _ask(writer, operation)
    if request is None:
        yield
        return
    writer.text.write(f"if {answer} is None:")
    with writer.inner():
        yield
        request.finish(writer)
    writer.text.write("else:")
    writer.text.write(f"    {', '.join(results)}, = {answer}")
    writer.text.write(f"del {answer}")


def _ask(writer: Writer, operation: Operation) -> AskedLoop:
    """The line that asks for a loop, and for the one that can run at the same time, if any."""
    request = REQUESTS[operation.record.name](writer, operation)
    if request is None:
        return AskedLoop(None)
    answer, loop = writer.text.fresh("l"), writer.text.bind(request.loop, "j")
    next_loop = writer.pairs.get(operation)
    other = None if next_loop is None else _asked_at_once(writer, operation, next_loop)
    if next_loop is None or other is None:
        writer.text.write(f"{answer} = {loop}({', '.join(request.names)})")
        return AskedLoop(request, answer)
    next_answer, next_name = writer.text.fresh("l"), writer.text.bind(other.loop, "j")
    calls = f"{loop}, [{', '.join(request.names)}], {next_name}, [{', '.join(other.names)}]"
    writer.text.write(f"{answer}, {next_answer} = {writer.text.bind(both, 'f')}({calls})")
    writer.asked[next_loop] = AskedLoop(other, next_answer)
    return AskedLoop(request, answer)


def _asked_at_once(
    writer: Writer, operation: Operation, next_loop: Operation
) -> LoopRequest | None:
    """What is asked of a loop that can run while another one does; None if it must not: no budget
    is told that both have their memory at once.
    """
    devices = [writer.values.device(x) for x in [*operation.inputs, *next_loop.inputs]]
    if any(device.budget is not None for device in devices):
        return None
    return REQUESTS[next_loop.record.name](writer, next_loop)
