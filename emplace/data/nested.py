"""Datasets inside of datasets: functions that return them, windows, groups."""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .base import DatasetBase, DatasetSpec
from .iterator import BoundDataset
from .nesting import map_leaves
from .node import AUTOTUNE, INFINITE, UNKNOWN, Node, Run, known
from .structure import Element, Structure
from .threads import Prefetched
from .traced import Traced
from .transforms import Mapped

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
    return function.element._node.structure


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
        for made in Mapped(self.input.start(run), self.function, self.function.caller(run)):
            yield made[0].start(run)

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        return itertools.chain.from_iterable(self.opened(run))


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
            cycle = min(os.cpu_count() or 1, _MOST_OPEN)
        opened = self.opened(run)
        if self.calls is not None and self.calls != 1:
            opened = (_begun(items, block) for items in opened)
        return in_turns(opened, cycle, block)


def _begun(items: Iterator[Element], block: int) -> Iterator[Element]:
    made = Prefetched(items, 2 * block)
    made.begin()
    return made


def in_turns(opened: Iterator[Iterator[Any]], cycle: int, block: int) -> Iterator[Any]:
    """Items of several iterators in turns. An iterator that ends makes room for the next one, whose
    turn comes when that of the place comes again.
    """
    places: list[Iterator[Any] | None] = [None] * cycle
    has_more, at = True, 0
    while has_more or any(place is not None for place in places):
        items = places[at]
        if items is None and has_more:
            items = places[at] = next(opened, None)
            has_more = items is not None
        if items is not None:
            count = 0
            for item in itertools.islice(items, block):
                count += 1
                yield item
            if count < block:
                places[at] = None
        at = (at + 1) % cycle


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
        items = self.input.start(run)
        for found in windows(items, size, shift, stride, self.drops):
            columns = zip(*[self.input.structure.split(each) for each in found], strict=True)
            yield [
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
        key_of, size_of = self.key.caller(run), self.size.caller(run)
        reduced = self.reduce.caller(run)
        groups: dict[int, list[Element]] = {}
        sizes: dict[int, int] = {}
        for values in self.input.start(run):
            raw = key_of(*values)[0]
            key = int(raw)
            group = groups.setdefault(key, [])
            if not group:
                sizes[key] = int(size_of(raw)[0])
            group.append(values)
            if len(group) >= sizes[key]:
                yield from self._reduced(reduced, raw, groups.pop(key), run)
        for key in sorted(groups):
            raw = key_of(*groups[key][0])[0]
            yield from self._reduced(reduced, raw, groups[key], run)

    def _reduced(
        self, reduced: Callable[..., Element], key: Any, group: list[Element], run: Run
    ) -> Iterator[Element]:
        dataset = BoundDataset(Listed(self.input.structure, group), {})
        items: Iterator[Element] = reduced(key, dataset)[0].start(run)
        return items
