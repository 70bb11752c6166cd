"""What all runs of a loop as machine code share that have equally many iterations: how their
memories lie, and which elements of lists they take.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...codegen.code import Loop
from ...codegen.program import MapInstruction, ProductInstruction, Program
from ...core.tensor_list import TensorList
from .loop_values import (
    CounterSource,
    ElementSource,
    IndexSource,
    ListItemSource,
    NumberSource,
)
from .lowered import Lowered
from .maps import Unfit

_NUMBER_BYTES = 4
# A processor multiplies so many numbers in the time in which a pass goes through one.
_PRODUCTS_PER_NUMBER = 16
# Lists of so many lengths are remembered.
_MOST_LENGTHS = 64


class Frame(NamedTuple):
    """What is the same in all runs of a loop.

    `counters` are known values per iteration, as numbers, and `counted` the same as lists of
    tensors; `is_reversed` says that the iterations go from the last elements of lists to the first;
    the last `parts` of what is kept are wanted as one matrix, the iterations below each other;
    `is_bounded` says that it runs within a budget.
    """

    counters: Sequence[Sequence[int]]
    counted: Sequence[TensorList]
    is_reversed: bool
    parts: int
    is_bounded: bool


class Index(NamedTuple):
    """An index, iteration by iteration. `is_order` says that it is the order of the lists; `last`
    tells of each place the iteration, in that order, that has it last.
    """

    numbers: Any
    least: int
    most: int
    is_order: bool
    last: dict[int, int]


class Reading(NamedTuple):
    """Which elements of a list the iterations read; -1 for zeros. `first` is what the first one
    reads, and `step` how many elements further the others do each; None if that differs.
    """

    at: list[int]
    first: int
    step: int | None


class LoopLayout:
    """What runs of so many iterations share.

    Args:
        frame: what is the same in all runs.
        lowered: the program, and where its memories come from.
        loop: its machine code.
        iterations: how many there are.
    """

    def __init__(self, frame: Frame, lowered: Lowered, loop: Loop, iterations: int) -> None:
        self.frame = frame
        self.lowered = lowered
        self.loop = loop
        self.iterations = iterations
        #: Where each iteration's memory is among all iterations', in the order of the lists.
        self.order = np.arange(iterations)[::-1] if frame.is_reversed else np.arange(iterations)
        self.in_order = Reading([], *((iterations - 1, -1) if frame.is_reversed else (0, 1)))
        #: What all iterations make, by places in the table: its shape, and the bytes of an element.
        self.made = [
            (slot, (iterations, *shape), _NUMBER_BYTES * math.prod(shape))
            for slot, shape in lowered.made.items()
        ]
        #: The other memories, and the lists whose elements are only handed on.
        given = [(i, source) for i, source in enumerate(lowered.each) if source is not None]
        read = _read_by(lowered.program)
        self.given = [(i, source) for i, source in given if i in read]
        self.unread = [x for i, x in given if i not in read and isinstance(x, ElementSource)]
        #: About how many numbers all iterations go through.
        self.work = iterations * sum(map(_work_of, lowered.program.instructions))
        self._known: dict[IndexSource, Index] = {}
        self._readings: dict[tuple[int, int], Reading] = {}

    def known(self, index: IndexSource) -> Index | None:
        """An index that is the same in all runs; None for another."""
        if isinstance(index, ElementSource):
            return None
        found = self._known.get(index)
        if found is None:
            self._known[index] = found = self.index_of(self._numbers(index))
        return found

    def _numbers(self, index: CounterSource | NumberSource) -> Any:
        if isinstance(index, NumberSource):
            return np.full(self.iterations, index.value)
        return np.array(self.frame.counters[index.place])

    def index_of(self, numbers: Any) -> Index:
        """What is asked of an index: a whole number per iteration."""
        numbers = np.asarray(numbers, np.int64)
        last = dict(zip(numbers.tolist(), self.order.tolist(), strict=True))
        is_order = bool(np.array_equal(numbers, self.order))
        return Index(numbers, int(numbers.min()), int(numbers.max()), is_order, last)

    def reading(self, row: int, item: ListItemSource, length: int) -> Reading | None:
        """What iterations read of a list of so many elements, by an index that is known; None for
        another.
        """
        found = self._readings.get((row, length))
        if found is None and (index := self.known(item.at)) is not None:
            if len(self._readings) >= _MOST_LENGTHS:
                self._readings.clear()
            self._readings[row, length] = found = reading_of(item, index, length)
        return found


def reading_of(item: ListItemSource, index: Index, length: int) -> Reading:
    """What iterations read of a list of so many elements.

    Raises:
        Unfit: something that is not in the list.
    """
    at = index.numbers
    inside = (at >= 0) & (at < length)
    if not item.is_gradient and not inside.all():
        raise Unfit("an index that is too large")
    if item.once:
        first = np.zeros(len(at), bool)
        first[np.unique(at, return_index=True)[1]] = True
        inside &= first
    steps = set(np.diff(at).tolist()) or {0}
    is_regular = len(steps) == 1 and bool(inside.all())
    places = np.where(inside, at, -1).tolist()
    return Reading(places, places[0], steps.pop() if is_regular else None)


def _read_by(program: Program) -> set[int]:
    """The memories per iteration that a program takes numbers from."""
    views = [
        view
        for each in program.instructions
        for view in (each.loads if isinstance(each, MapInstruction) else (each.a, each.b))
    ]
    return {view.memory.place for view in views if view.memory.kind == "each"}


def _work_of(instruction: MapInstruction | ProductInstruction) -> int:
    """About how many numbers an instruction goes through."""
    if isinstance(instruction, MapInstruction):
        return instruction.rows * instruction.columns
    a, c = instruction.a, instruction.c
    return a.rows * a.columns * c.columns // _PRODUCTS_PER_NUMBER
