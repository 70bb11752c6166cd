"""A loop that a plan asks before it goes through the iterations itself.

The loop runs and returns its results; or it returns None: it has not run often, does what machine
code cannot, or no compiler is installed.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch

from ...base import flags
from ...codegen.code import Loop, compiled, is_possible
from ...codegen.crowd import is_crowded
from ...codegen.library import with_product_threads
from ...core.tensor_list import StackedList
from ..representation.graph import Operation, SymbolicTensor
from .calls import LoopRun, length, shape_of
from .layouts import Frame, LoopLayout
from .loop_values import Shape, Source
from .lowered import OPERATIONS, Lowered
from .lowering import LoopLowering
from .maps import Unfit

# To compile a loop takes as long as some hundred iterations of Python.
ITERATIONS_BEFORE = 128
# A loop that is run with more shapes than this is left to Python for the others.
_MOST_SHAPES = 64
# No budget is told of what a loop's machine code needs for itself: so many numbers, 64 KiB.
_MOST_UNCOUNTED = 1 << 14


def may_compile(operations: Sequence[Operation]) -> bool:
    """Whether to ask about a loop with such a body at all."""
    is_on = flags.MACHINE_CODE_SWITCH.is_on() and is_possible()
    return is_on and all(operation.record.name in OPERATIONS for operation in operations)


class LoopBody(NamedTuple):
    """What a loop does, for tensors of any shape. `parts` are kept values that are wanted as one
    matrix, the iterations below each other; `is_bounded` says that it runs within a budget.
    """

    operations: Sequence[Operation]
    sources: Mapping[int, Source]
    variables: Sequence[SymbolicTensor]
    results: Sequence[SymbolicTensor]
    kept: Sequence[SymbolicTensor]
    parts: Sequence[SymbolicTensor]
    roots: Mapping[int, SymbolicTensor]
    is_bounded: bool


class MachineLoop:
    """A loop that a plan asks.

    Args:
        counters: values per iteration that are known, each a tensor per iteration.
        lists: how many arguments are lists with an element per iteration.
        is_reversed: the iterations go from their last elements to their first.
    """

    def __init__(
        self, counters: Sequence[Sequence[torch.Tensor]], lists: int, is_reversed: bool
    ) -> None:
        self._counters = counters
        self._lists = lists
        self._is_reversed = is_reversed
        # How many iterations were run with which shapes.
        self._seen: dict[Any, int] = {}
        self._made: dict[Any, tuple[Lowered, Loop] | None] = {}
        # By the number of iterations and shapes; and the one of the last run.
        self._layouts: dict[Any, LoopLayout] = {}
        self._last: tuple[Any, LoopLayout | None] = (None, None)
        self._body: LoopBody | None = None

    @property
    def last_work(self) -> int:
        """About how many numbers the last run went through; 0 before machine code has run."""
        layout = self._last[1]
        return 0 if layout is None else layout.work

    def tell(self, body: LoopBody) -> None:
        """What the loop does; without it, every answer is None."""
        self._body = body

    @functools.cached_property
    def _frame(self) -> Frame:
        numbers = [[int(x) for x in values] for values in self._counters]
        counted = [StackedList(torch.stack(list(values))) for values in self._counters]
        body = self._body
        assert body is not None
        return Frame(numbers, counted, self._is_reversed, len(body.parts), body.is_bounded)

    def __call__(self, *values: Any) -> list[Any] | None:
        """The variables after the last iteration, the kept lists, the parts; None to run in Python.

        Args:
            values: lists, loop variables, and what the body reads.
        """
        if self._body is None or torch.compiler.is_compiling():
            return None
        iterations = length(values[0]) if self._lists else len(self._counters[0])
        key = (iterations, *map(shape_of, values))
        last, layout = self._last  # both at once: threads may run it
        if key != last:
            layout = self._laid_out(key)
        if layout is None:
            return None
        try:
            run = LoopRun(layout, values).run
            # Small products of threads that wait for each other would take milliseconds.
            return with_product_threads(1, run) if is_crowded() else run()
        except Unfit:
            return None

    def _laid_out(self, key: Sequence[Any]) -> LoopLayout | None:
        """What runs like this one share; None for those that Python does."""
        iterations, *shapes = key
        kind = tuple(shapes)
        found = self._made[kind] if kind in self._made else self._make(kind, iterations)
        if found is None or not iterations:
            return None
        layout = self._layouts.get(key)
        if layout is None:
            if len(self._layouts) >= _MOST_SHAPES:  # they differ from call to call
                self._layouts.clear()
            self._layouts[key] = layout = LoopLayout(self._frame, *found, iterations)
        self._last = (key, layout)
        return layout

    def _make(self, key: Sequence[Shape | None], iterations: int) -> tuple[Lowered, Loop] | None:
        """The code for some shapes when they have come often; for a few shapes only."""
        self._seen[key] = seen = self._seen.get(key, 0) + iterations
        if len(self._seen) > _MOST_SHAPES:  # they differ from call to call
            self._seen.clear()
        if seen < ITERATIONS_BEFORE or len(self._made) >= _MOST_SHAPES:
            return None
        assert self._body is not None
        shapes = [None if shape is None else tuple(shape) for shape in key]  # torch has its own
        self._made[key] = found = _lowered(self._body, shapes)
        return found


def _lowered(body: LoopBody, shapes: Sequence[Shape | None]) -> tuple[Lowered, Loop] | None:
    try:
        lowering = LoopLowering(body.sources, shapes, body.roots)
        kept = [*body.kept, *body.parts]
        found = lowering.lower(body.operations, body.variables, body.results, kept)
    except Unfit:
        return None
    if body.is_bounded and found.program.scratch > _MOST_UNCOUNTED:
        return None
    loop = compiled(found.program)
    return None if loop is None else (found, loop)
