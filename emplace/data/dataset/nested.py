"""Datasets inside of datasets: functions that return them, windows, groups."""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from ...base.errors import invalid_argument
from ..elements.nesting import map_leaves
from ..elements.structure import Element, Raw, Structure
from ..functions.traced import Traced
from ..iteration.iterator import BoundDataset
from ..iteration.node import AUTOTUNE, INFINITE, UNKNOWN, Node, Run, known
from ..iteration.resuming import Failure, flattened, outcomes, resumable
from ..nodes.threads import Prefetched
from ..nodes.transforms import Mapped
from .base import DatasetBase, DatasetSpec

_MOST_OPEN = 10


def inner_structure(function: Traced, what: str) -> Structure:
    """The structure of the elements of the datasets that a function returns.

    Raises:
        TypeError: it returns something else.
    """
    if not isinstance(function.element, DatasetBase):
        raise TypeError(
            f"Invalid `{what}`. `{what}` must return a `Dataset` object. Got "
            f"{type(function.element)}."
        )
    return function.element.node.structure


class FlatMap(Node):
    """The elements of the datasets that a function makes of elements, one after the other."""

    label = "FlatMapDataset"

    def __init__(self, node: Node, function: Traced) -> None:
        super().__init__(node)
        self.function = function
        self.structure = inner_structure(function, "map_func")
        self.cardinality = 0 if node.cardinality == 0 else UNKNOWN

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return list(self.function.captures)

    def opened(self, run: Run) -> Iterator[Iterator[Element]]:
        """The elements of each of the datasets."""
        made = Mapped(self.input.start(run), self.function, self.function.caller(run))
        return map(partial(_started, run), made)

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        return flattened(self.opened(run))


def _started(run: Run, made: Element) -> Iterator[Element]:
    items: Iterator[Element] = made[0].start(run)
    return items


class Interleave(FlatMap):
    """The elements of several such datasets at a time, in turns.

    Args:
        node: the elements.
        function: makes a dataset of an element.
        cycle: how many datasets are open at a time.
        block: how many elements are taken of each before it is the next one's turn.
        calls: how many threads make elements; None for this one.
    """

    label = "InterleaveDataset"

    def __init__(self, node: Node, function: Traced, cycle: Any, block: Any, calls: Any) -> None:
        super().__init__(node, function)
        self.cycle, self.block, self.calls = cycle, block, calls

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return [self.cycle, self.block, *super().needs()]

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        cycle, block = run.number(self.cycle), run.number(self.block)
        if cycle == AUTOTUNE:
            cycle = self._usual_cycle()
        opened, is_parallel = self.opened(run), self.calls is not None and self.calls != 1
        if is_parallel:
            opened = map(partial(_begun, block=block), opened)
        return InTurns(opened, cycle, block, is_parallel)

    def _usual_cycle(self) -> int:
        """TF: as many as there are calls at a time, but no more than processors."""
        processors = os.cpu_count() or 1
        if isinstance(self.calls, int) and self.calls > 0:
            return min(self.calls, processors)
        return min(processors, _MOST_OPEN)


def _begun(items: Iterator[Element], block: int) -> Iterator[Element]:
    made = Prefetched(items, 2 * block)
    made.begin()
    return made


class InTurns:
    """Items of several iterators in turns. An iterator that ends makes room for the next one, whose
    turn comes when that of the place comes again.

    Args:
        opened: the iterators.
        cycle: how many are open at a time.
        block: how many items are taken of one before it is the next one's turn.
        counts_errors: whether an item that fails is one of these. TF: only where threads make them.
    """

    def __init__(
        self, opened: Iterator[Iterator[Any]], cycle: int, block: int, counts_errors: bool = False
    ) -> None:
        self._opened, self._block, self._counts_errors = opened, block, counts_errors
        self._places: list[Iterator[Any] | None] = [None] * cycle
        self._at = self._taken = self._open = 0
        self._has_more = True

    def __iter__(self) -> InTurns:
        return self

    def __next__(self) -> Any:
        while self._has_more or self._open:
            items = self._places[self._at]
            if items is None and self._has_more:
                items = self._next_opened()
            if items is not None:
                try:
                    item = next(items)
                except StopIteration:
                    self._places[self._at] = None
                    self._open -= 1
                except Exception:
                    if self._counts_errors:
                        self._count()
                    raise
                else:
                    self._count()
                    return item
            self._turn()
        raise StopIteration

    def _next_opened(self) -> Iterator[Any] | None:
        items = self._places[self._at] = next(self._opened, None)
        self._has_more = items is not None
        self._open += self._has_more
        return items

    def _count(self) -> None:
        self._taken += 1
        if self._taken == self._block:
            self._turn()

    def _turn(self) -> None:
        self._at, self._taken = (self._at + 1) % len(self._places), 0


class Listed(Node):
    """Elements that are at hand."""

    label = "WindowDataset"

    def __init__(self, structure: Structure, elements: Sequence[Element]) -> None:
        super().__init__()
        self.structure, self.elements = structure, elements
        self.cardinality = len(elements)

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        return iter(self.elements)


class Window(Node):
    """So many elements in a row as a dataset: one for each leaf."""

    label = "WindowDataset"

    def __init__(self, node: Node, counts: Sequence[Any], drops: bool) -> None:
        super().__init__(node)
        self.size, self.shift, self.stride = counts
        self.drops = drops
        self.structure = Structure(map_leaves(DatasetSpec, node.structure.spec))
        self.leaves = [Structure(spec) for _, spec in node.structure.leaves]
        self.cardinality = self._count()

    def _count(self) -> int:
        size, shift, stride = known(self.size), known(self.shift), known(self.stride)
        there = self.input.cardinality
        if there < 0 or size is None or shift is None or stride is None:
            return there if there < 0 else UNKNOWN
        if not self.drops:
            return -(-there // shift)
        return max(0, (there - (size - 1) * stride - 1) // shift + 1)

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return [self.size, self.shift, self.stride]

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        size, shift, stride = (run.number(x) for x in (self.size, self.shift, self.stride))
        items = outcomes(self.input.start(run))
        return map(self._window, windows(items, size, shift, stride, self.drops))

    def _window(self, found: Sequence[Any]) -> Element:
        for each in found:
            if type(each) is Failure:
                raise each.error
        columns = zip(*[self.input.structure.split(each) for each in found], strict=True)
        return [
            BoundDataset(Listed(structure, list(column)), {})
            for structure, column in zip(self.leaves, columns, strict=True)
        ]


def windows(
    items: Iterator[Any], size: int, shift: int, stride: int, drops: bool
) -> Iterator[list[Any]]:
    """Every `stride`-th of items, `size` of them, starting anew `shift` items further on."""
    span = (size - 1) * stride + 1
    waiting: deque[Any] = deque()
    while True:
        waiting.extend(itertools.islice(items, span - len(waiting)))
        if not waiting or (drops and len(waiting) < span):
            return
        yield list(itertools.islice(waiting, 0, None, stride))
        for _ in range(min(shift, len(waiting))):
            waiting.popleft()
        for _ in itertools.islice(items, max(0, shift - span)):
            pass


class GroupByWindow(Node):
    """Elements gathered by a key, and what a function makes of each group.

    Args:
        node: the elements.
        key: tells the key of an element, int64.
        reduce: makes a dataset of a key and of a dataset of the elements with it.
        size: tells how many elements make a group, of a key.
    """

    label = "GroupByWindowDataset"

    def __init__(self, node: Node, key: Traced, reduce: Traced, size: Traced) -> None:
        super().__init__(node)
        self.key, self.reduce, self.size = key, reduce, size
        self.structure = inner_structure(reduce, "reduce_func")
        self.cardinality = INFINITE if node.cardinality == INFINITE else UNKNOWN

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return [*self.key.captures, *self.reduce.captures, *self.size.captures]

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        groups = _Groups(self, run)
        full = flattened(map(groups.put, self.input.start(run)))
        return flattened(iter((full, flattened(groups.rest()))))


class _Groups:
    """The elements of each key that wait for more of them."""

    def __init__(self, node: GroupByWindow, run: Run) -> None:
        self._run, self._structure = run, node.input.structure
        self._key_of, self._size_of = node.key.caller(run), node.size.caller(run)
        self._reduce = node.reduce.caller(run)
        self._waiting: dict[int, list[Element]] = {}
        self._sizes: dict[int, int] = {}

    def put(self, values: Element) -> Iterator[Element]:
        """Adds an element to its group; returns what is made of the group once it is full."""
        raw = self._key_of(*values)[0]
        key = int(raw)
        group = self._waiting.setdefault(key, [])
        if not group:
            size = self._sizes[key] = int(self._size_of(raw)[0])
            if size <= 0:
                raise invalid_argument(f"Window size must be greater than zero, but got {size}.")
        group.append(values)
        return self._reduced(raw, key) if len(group) >= self._sizes[key] else iter(())

    def rest(self) -> Iterator[Iterator[Element]]:
        """What is made of the groups that are left, by key."""
        keys: Iterator[int] | None = None

        def step() -> Iterator[Element]:
            nonlocal keys
            if keys is None:  # when all elements have been put
                keys = iter(sorted(key for key, group in self._waiting.items() if group))
            key = next(keys)
            return self._reduced(self._key_of(*self._waiting[key][0])[0], key)

        return resumable(step)

    def _reduced(self, raw: Raw, key: int) -> Iterator[Element]:
        dataset = BoundDataset(Listed(self._structure, self._waiting.pop(key)), {})
        items: Iterator[Element] = self._reduce(raw, dataset)[0].start(self._run)
        return items


class GroupByReducer(Node):
    """What is left of the elements of each key, reduced."""

    label = "GroupByReducerDataset"

    def __init__(self, node: Node, key: Traced, parts: Sequence[Traced]) -> None:
        super().__init__(node)
        self.key = key
        self.first, self.reduce, self.last = parts
        self.structure = self.last.structure
        self.cardinality = UNKNOWN

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        functions = (self.key, self.first, self.reduce, self.last)
        return [x for each in functions for x in each.captures]

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        key_of, first, reduce, last = (
            each.caller(run) for each in (self.key, self.first, self.reduce, self.last)
        )
        states: dict[int, Element] = {}
        items = self.input.start(run)
        left: Iterator[Element] | None = None

        def step() -> Element:
            nonlocal left
            if left is None:
                for values in items:
                    raw = key_of(*values)[0]
                    key = int(raw)
                    if key not in states:
                        states[key] = first(raw)
                    states[key] = reduce(*states[key], *values)
                left = iter(states.values())
            return last(*next(left))

        return resumable(step)
