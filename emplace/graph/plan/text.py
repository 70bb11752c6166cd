"""The text of a plan: the lines of a Python function, and the names of what it may use."""

from __future__ import annotations

import itertools
import linecache
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import CodeType
from typing import Any, NamedTuple

from ...devices.device import Device
from ..representation.graph import Operation, SymbolicTensor
from .splitting import functions_of
from .steps import HostRead, Step

_NUMBERS = itertools.count(1)
#: What the last line of a plan calls that leaves holes in the host's memory.
GIVES_BACK = "give_back_holes"


class Compiled(NamedTuple):
    """The text of a function, the function, and the code that has its lines."""

    text: str
    run: Callable[..., Any]
    codes: tuple[CodeType, ...]


class PlanText:
    """Lines of a function, from the top to the bottom.

    Args:
        space: what the lines may name from the beginning; what they are given later is added.
    """

    def __init__(self, space: dict[str, Any]) -> None:
        self.space = space
        self.lines: list[str] = []
        self.indent = 1
        #: The operations that have lines, in their order; and by the number of the line.
        self.steps: list[Step] = []
        self.by_line: dict[int, Step] = {}
        #: The values that lines read as they run.
        self.reads: list[HostRead] = []
        self._bound: dict[int, str] = {}
        self._held: list[Any] = []
        self._count = itertools.count()

    def fresh(self, letter: str = "v") -> str:
        """A name for a value."""
        return f"{letter}{next(self._count)}"

    def bind(self, value: Any, letter: str) -> str:
        """A name for something that exists before the plan runs."""
        found = self._bound.get(id(value))
        if found is None:
            found = self._bound[id(value)] = self.fresh(letter)
            self._held.append(value)
            self.space[found] = value
        return found

    def write(self, line: str) -> None:
        """One line."""
        self.lines.append("    " * self.indent + line)

    def call(self, results: Sequence[str], call: str, step: Step, is_list: bool) -> None:
        """A line that calls something and names what it returns."""
        margin, lines = "    " * self.indent, self.lines
        if not results:
            lines.append(f"{margin}{call}")
        elif is_list:
            lines.append(f"{margin}{', '.join(results)}, = {call}")
        else:
            lines.append(f"{margin}{results[0]} = {call}")
        self.by_line[len(lines) + 1] = step  # the first line is the function's head

    def note_read(self, operation: Operation, x: SymbolicTensor, device: Device, what: str) -> None:
        """Notes that a line reads a value as it runs: `what` it is, for which operation."""
        self.reads.append(HostRead(operation, x, device, what, len(self.steps)))

    @contextmanager
    def inner(self) -> Iterator[None]:
        """A scope in which lines are one step further in."""
        self.indent += 1
        try:
            yield
        finally:
            self.indent -= 1

    def compile(self, arguments: Sequence[str], results: Sequence[str]) -> Compiled:
        """The function of these lines: it takes `arguments` and returns a list of `results`."""
        head = f"def plan({', '.join(arguments)}):"
        end = f"    return [{', '.join(results)}]"
        lines = [head, *self.lines, end]
        text = "\n".join([*lines, ""])
        file = f"<plan {next(_NUMBERS)}>"
        function, codes = functions_of(lines, arguments, self.space, file)
        _keep_lines(file, text, function)
        return Compiled(text, function, codes)


def _keep_lines(file: str, text: str, function: Callable[..., Any]) -> None:
    """Lets tracebacks show the lines of a plan, for as long as there is its function."""
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    weakref.finalize(function, linecache.cache.pop, file, None).atexit = False
