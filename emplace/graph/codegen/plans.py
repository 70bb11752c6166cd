"""How a plan asks for a loop as machine code before it goes through the rounds itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...eager.numerics import is_checking
from ..passes.constant_folding import is_known
from ..passes.prune import effects_of, needed
from ..plan.writer import Writer
from ..recording.func_graph import FuncGraph
from ..representation.graph import Operation, SymbolicTensor
from .ends import Carried, Counter, Element, Given, Source
from .loops import Body, MachineLoop, may_compile


class Rounds:
    """What the rounds of a loop take and leave.

    Args:
        body: its graph.
        symbols: the tensors in the body that stand for counters, elements of lists, variables and
            what the body reads, in this order; None for one that the body does not need.
        names: the names of lists, variables and what is read, in the plan.
        counters: the values of each counter, a tensor per round.
        lists: how many lists there are.
        variables: how many variables change.
        outputs: their next values, then what is kept, then parts.
        parts: how many of the outputs are parts.
        is_reversed: whether the rounds go from the last elements of lists to the first.
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
        self._body = body
        self._sources: dict[int, Source] = {}
        for i, x in enumerate(symbols):
            place = i - len(counters)
            if x is not None:
                self._sources[id(x)] = (
                    Counter(i) if place < 0 else Element(place) if place < lists
                    else Carried(place) if i < first + variables else Given(place)
                )  # fmt: skip

    def nodes(self) -> list[Operation]:
        """What a round computes, as the program wrote it."""
        ends = [y.op for y in self.outputs]
        found = needed([*ends, *effects_of(self._body)], self.given)
        return [node for node in found if not is_known(node)]

    def finish(self, writer: Writer) -> None:
        """Tells the loop what its rounds do, now that they are written."""
        nodes = [node for node in writer.written if node not in writer.twins]
        if any(writer.places.placed[node].device.type != "CPU" for node in nodes):
            return
        count = len(self.variables)
        last = len(self.outputs) - self.parts
        self.loop.tell(Body(
            nodes, self._sources, self.variables, self.outputs[:count], self.outputs[count:last],
            self.outputs[last:], writer.values.roots,
        ))  # fmt: skip


def is_fit(writer: Writer, node: Operation, rounds: Rounds) -> bool:
    """Whether a loop may become machine code: small operations, all on a host without a budget."""
    homes = [writer.values.home(x) for x in node.inputs]
    is_at_home = all(home.type == "CPU" and home.budget is None for home in homes)
    if writer.careful or is_checking() or not is_at_home or not rounds.is_whole:
        return False
    nodes = rounds.nodes()
    return may_compile(nodes) and not any(each.device for each in nodes)


@contextmanager
def asked(writer: Writer, rounds: Rounds | None, results: Sequence[str]) -> Iterator[None]:
    """Around the lines that go through the rounds: asks for machine code first."""
    if rounds is None:
        yield
        return
    found = writer.text.fresh("l")
    loop = writer.text.bind(rounds.loop, "j")
    writer.text.write(f"{found} = {loop}({', '.join(rounds.names)})")
    writer.text.write(f"if {found} is None:")
    with writer.inner():
        yield
        rounds.finish(writer)
    writer.text.write("else:")
    writer.text.write(f"    {', '.join(results)}, = {found}")
    writer.text.write(f"del {found}")
