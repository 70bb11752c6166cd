"""Datasets inside of datasets: functions that return them, windows, groups."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from ...base.errors import invalid_argument
from ..elements.nesting import map_leaves
from ..elements.structure import Element, Raw, Structure
from ..functions.traced import Traced
from ..iteration.bound import BoundDataset, Listed
from ..iteration.memory import memory_of
from ..iteration.node import AUTOTUNE, INFINITE, UNKNOWN, Node, Numbers, Run, known
from ..iteration.position import (
    Calls,
    Opened,
    Opener,
    Placed,
    Position,
    changed,
    flattened,
    restored,
    saved,
)
from ..iteration.resuming import Failure, Outcomes
from ..nodes.threads import Prefetched
from .base import DatasetBase, DatasetSpec

_MOST_OPEN = 10


def inner_structure(function: Traced, what: str) -> Structure:
    """The structure of the elements of the datasets that a function returns.

    Raises:
        TypeError: it returns something else.
    """
    if not isinstance(function.element, DatasetBase):
        raise TypeError(
            f"The `{what}` argument must return a `Dataset` object. Got {type(function.element)}."
        )
    return function.element.node.structure


class FlatMap(Node):
    """The elements of the datasets that a function makes of elements, one after the other."""

    label = "FlatMapDataset"

    def __init__(self, node: Node, function: Traced) -> None:
        super().__init__(node)
        self.function = function
        self.structure = inner_structure(function, "map_func")
        self.cardinality = self.counted([node.cardinality], known)

    def counted(self, there: Sequence[int], number: Numbers) -> int:
        """None for none; else nobody knows."""
        return 0 if there[0] == 0 else UNKNOWN

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return list(self.function.captures)

    def opener(self, run: Run) -> Opener:
        """Opens the elements of each of the datasets."""
        return _DatasetOpener(self, run)

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        return flattened(self.opener(run))


class _DatasetOpener(Opener):
    """Opens the dataset that a function makes of each element."""

    __slots__ = ("_call", "_function", "_index", "_run")
    position: ClassVar[tuple[str, ...]] = ("_index", "sources")

    def __init__(self, node: FlatMap, run: Run) -> None:
        self.sources, self._run, self._index = node.input.start(run), run, -1
        self._function, self._call = node.function, node.function.caller(run)

    def __next__(self) -> Opened:
        values = next(self.sources)
        self._index += 1
        return self.opened(values)

    def opened(self, source: Element) -> Opened:
        """The elements of the dataset that is made of an element."""
        try:
            made = self._call(*source)[0]
        except Exception as error:
            raise self._function.failure(error, self._index) from error
        return Opened(source, made.start(self._run), memory_of(made, self._run))


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
        self.cycle, self.block, self.calls = cycle, block, calls
        super().__init__(node, function)

    def counted(self, there: Sequence[int], number: Numbers) -> int:
        """None for none, unless threads were asked for, and be it one (TF)."""
        if self.calls is None:
            return super().counted(there, number)
        return INFINITE if there[0] == INFINITE else UNKNOWN

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return [self.cycle, self.block, *super().needs()]

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        cycle, block = run.number(self.cycle), run.number(self.block)
        if cycle == AUTOTUNE:
            cycle = self._usual_cycle()
        opener, is_parallel = self.opener(run), self.calls is not None and self.calls != 1
        turns = InTurns(opener, cycle, block, is_parallel, 2 * block if is_parallel else 0)
        turns.is_any_cycle = self.cycle == AUTOTUNE
        return turns

    def _usual_cycle(self) -> int:
        """TF: as many as there are calls at a time, but no more than processors."""
        processors = os.cpu_count() or 1
        if isinstance(self.calls, int) and self.calls > 0:
            return min(self.calls, processors)
        return min(processors, _MOST_OPEN)


class InTurns(Placed):
    """Items of several iterators in turns. An iterator that ends makes room for the next one, whose
    turn comes when that of the place comes again.

    Args:
        opener: opens the iterators.
        cycle: how many are open at a time.
        block: how many items are taken of one before it is the next one's turn.
        counts_errors: whether an item that fails is one of these. TF: only where threads make them.
        ahead: how many items of each a thread makes in advance; 0 for none.
    """

    def __init__(
        self, opener: Opener, cycle: int, block: int, counts_errors: bool = False, ahead: int = 0
    ) -> None:
        self._opener, self._block, self._counts_errors = opener, block, counts_errors
        self._ahead = ahead
        self._places: list[Opened | None] = [None] * cycle
        self._at = self._taken = self._open = 0
        self._failed: set[int] = set()  # places whose next turn is lost: nothing could be opened
        self._has_more = True
        self.is_any_cycle = False  # whether the machine has told how many

    def __next__(self) -> Any:
        while self._has_more or self._open:
            opened = self._places[self._at]
            if self._at in self._failed:
                self._failed.discard(self._at)
            elif opened is None and self._has_more:
                opened = self._next_opened()
            if opened is not None:
                try:
                    item = next(opened.items)
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

    def _next_opened(self) -> Opened | None:
        try:
            found = next(self._opener, None)
        except Exception:
            if self._counts_errors:  # TF: the error is the one item of what was not opened
                self._failed.add(self._at)
                self._count()
            raise
        if found is not None and self._ahead:
            found.items = Prefetched(found.items, self._ahead)
            found.items.begin()
        self._places[self._at] = found
        self._has_more = found is not None
        self._open += self._has_more
        return found

    def save(self) -> dict[str, Any]:
        """Its position."""
        plain: dict[str, Any] = {"at": self._at, "taken": self._taken, "has_more": self._has_more}
        plain["failed"] = sorted(self._failed)
        return {**plain, "places": saved(self._places), "opener": saved(self._opener)}

    def restore(self, parts: dict[str, Any]) -> None:
        """Takes a position."""
        places = parts["places"]
        if len(places) != len(self._places) and not self.is_any_cycle:
            raise changed(f"{len(places)} datasets in turns where there are now as many as "
                          f"{len(self._places)}")  # fmt: skip
        restored(self._opener, parts["opener"])
        self._places = [None if each is None else self._reopened(each) for each in places]
        self._at, self._taken, self._has_more = parts["at"], parts["taken"], parts["has_more"]
        self._failed = set(parts.get("failed", ()))  # positions of before do not tell of it
        self._open = sum(each is not None for each in places)

    def _reopened(self, kept: Position) -> Opened:
        if not self._ahead:
            return self._opener.reopened(kept)
        made = self._opener.opened(kept.parts["source"])
        made.items = ahead = Prefetched(made.items, self._ahead)
        restored(ahead, kept.parts["items"])
        if made.memory is not None:
            restored(made.memory, kept.parts["memory"])
        ahead.begin()
        return made

    def _count(self) -> None:
        self._taken += 1
        if self._taken == self._block:
            self._turn()

    def _turn(self) -> None:
        self._at, self._taken = (self._at + 1) % len(self._places), 0


class Window(Node):
    """So many elements in a row as a dataset: one for each leaf."""

    label = "WindowDataset"
    has_symbolic_position = False

    def __init__(self, node: Node, counts: Sequence[Any], drops: bool) -> None:
        super().__init__(node)
        self.size, self.shift, self.stride = counts
        self.drops = drops
        self.structure = Structure(map_leaves(DatasetSpec, node.structure.spec))
        self.leaves = [Structure(spec) for _, spec in node.structure.leaves]
        self.cardinality = self.counted([node.cardinality], known)

    def counted(self, there: Sequence[int], number: Numbers) -> int:
        """How many windows there are."""
        (count,), size, shift, stride = there, *map(number, (self.size, self.shift, self.stride))
        if count < 0 or size is None or shift is None or stride is None:
            return count if count < 0 else UNKNOWN
        if not self.drops:
            return -(-count // shift)
        return max(0, (count - (size - 1) * stride - 1) // shift + 1)

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return [self.size, self.shift, self.stride]

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        size, shift, stride = (run.number(x) for x in (self.size, self.shift, self.stride))
        items = Outcomes(self.input.start(run))
        return Calls(self._window, Windows(items, size, shift, stride, self.drops))

    def _window(self, found: Sequence[Any]) -> Element:
        for each in found:
            if type(each) is Failure:
                raise each.error
        columns = zip(*[self.input.structure.split(each) for each in found], strict=True)
        return [
            BoundDataset(Listed(structure, list(column)), {})
            for structure, column in zip(self.leaves, columns, strict=True)
        ]


class Windows(Placed):
    """Every `stride`-th of items, `size` of them, starting anew `shift` items further on."""

    def __init__(
        self, items: Iterator[Any], size: int, shift: int, stride: int, drops: bool
    ) -> None:
        self.items, self.shift, self.stride, self.drops = items, shift, stride, drops
        self.span = (size - 1) * stride + 1
        self.waiting: list[Any] = []
        self.owed = 0  # how many items lie between a window and the next one

    position: ClassVar[tuple[str, ...]] = ("items", "owed", "waiting")

    def __next__(self) -> list[Any]:
        owed, self.owed = self.owed, 0
        for _ in itertools.islice(self.items, owed):
            pass
        self.waiting.extend(itertools.islice(self.items, self.span - len(self.waiting)))
        if not self.waiting or (self.drops and len(self.waiting) < self.span):
            raise StopIteration
        found = self.waiting[:: self.stride]
        del self.waiting[: self.shift]
        self.owed = max(0, self.shift - self.span)
        return found


class GroupByWindow(Node):
    """Elements gathered by a key, and what a function makes of each group.

    Args:
        node: the elements.
        key: tells the key of an element, int64.
        reduce: makes a dataset of a key and of a dataset of the elements with it.
        size: tells how many elements make a group, of a key.
    """

    label = "GroupByWindowDataset"
    has_symbolic_position = False

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
        return flattened(_Groups(self, run))


class _Groups(Opener):
    """The elements of each key that wait for more of them; opens what is made of full groups, and
    at the end of those that are left, by key.
    """

    __slots__ = (
        "_key_of", "_node", "_reduce", "_run", "_size_of", "_sizes", "_structure", "_waiting",
    )  # fmt: skip
    position: ClassVar[tuple[str, ...]] = ("_sizes", "_waiting", "sources")

    def __init__(self, node: GroupByWindow, run: Run) -> None:
        self.sources = node.input.start(run)
        self._run, self._structure = run, node.input.structure
        self._key_of, self._size_of = _guarded(node.key, run), _guarded(node.size, run)
        self._node, self._reduce = node, node.reduce.caller(run)
        self._waiting: dict[int, list[Element]] = {}
        self._sizes: dict[int, int] = {}

    def __next__(self) -> Opened:
        for values in self.sources:
            raw = self._key_of(*values)[0]
            key = int(raw)
            self._put(raw, key, values)
            if len(self._waiting[key]) >= self._sizes[key]:
                return self.opened([raw, self._waiting.pop(key)])
        left = sorted(key for key, group in self._waiting.items() if group)
        if not left:
            raise StopIteration
        group = self._waiting[left[0]]
        raw = self._key_of(*group[0])[0]
        del self._waiting[left[0]]
        return self.opened([raw, group])

    def _put(self, raw: Raw, key: int, values: Element) -> None:
        """Adds an element to its group."""
        group = self._waiting.setdefault(key, [])
        if not group:
            size = self._sizes[key] = int(self._size_of(raw)[0])
            if size <= 0:
                raise invalid_argument(f"Window size must be greater than zero, but got {size}.")
        group.append(values)

    def opened(self, source: list[Any]) -> Opened:
        """What is made of a key and a group."""
        raw, elements = source
        dataset = BoundDataset(Listed(self._structure, elements), {})
        try:
            made = self._reduce(raw, dataset)[0]
            items = made.start(self._run)
        except Exception as error:
            raise self._node.reduce.internal_failure(error) from error
        return Opened(source, items, memory_of(made, self._run))


def _guarded(function: Traced, run: Run) -> Callable[..., Element]:
    """Calls a function of elements; its errors tell whose they are, and none looks like an end."""
    call, calls = function.caller(run), itertools.count()
    return lambda *values: function.called(call, values, next(calls))


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
        return _Reduced(self, run)


class _Reduced(Placed):
    """What is left of the elements of each key: all are gone through for the first."""

    __slots__ = ("calls", "items", "left", "states")
    position: ClassVar[tuple[str, ...]] = ("items", "left", "states")

    def __init__(self, node: GroupByReducer, run: Run) -> None:
        parts = (node.key, node.first, node.reduce, node.last)
        self.calls = [_guarded(each, run) for each in parts]
        self.items = node.input.start(run)
        self.states: dict[int, Element] = {}
        self.left: list[Element] | None = None  # the next one last

    def __next__(self) -> Element:
        key_of, first, reduce, last = self.calls
        if self.left is None:
            for values in self.items:
                raw = key_of(*values)[0]
                key = int(raw)
                if key not in self.states:
                    self.states[key] = first(raw)
                self.states[key] = reduce(*self.states[key], *values)
            ordered = sorted(self.states, reverse=True)  # the smallest key comes first
            self.left, self.states = [self.states[key] for key in ordered], {}
        if not self.left:
            raise StopIteration
        return last(*self.left.pop())
