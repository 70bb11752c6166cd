"""Transformations that choose among elements and never look at them: take, skip, shard, repeat,
shuffle.

They work on any iterator. Where the elements are rows of tensors it is one of row numbers, so that
a batch can be gathered in one go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from ...base.errors import invalid_argument
from ...base.typing import IntLike
from ...core.context import LOCAL
from ..elements.structure import Element
from ..iteration.node import INFINITE, UNKNOWN, Node, Numbers, Rows, Run, as_many, known
from ..iteration.position import Ended, OneByOne, Placed, changed, in_pieces, restored, saved
from ..iteration.resuming import Failure, Outcomes, Raised
from ..iteration.seeds import (
    Samples,
    fresh_seeds,
    needed_for,
    samples_at,
    samples_of_pass,
    seeds_of,
)
from .sources import elements_of, in_order

Begin = Callable[[], Iterator[Any]]
_DRAWS = 1024


class Selection(Node):
    """A transformation that chooses: `pick` says which."""

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self.structure = node.structure

    def pick(self, run: Run, begin: Begin) -> Iterator[Any]:
        """What it keeps of the items that `begin()` goes through from the first one."""
        raise NotImplementedError

    def whole(self, run: Run, rows: Rows) -> Rows | None:
        """What it keeps of rows in their order, if those are rows in their order again."""
        return None

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        rows = self.rows(run)
        if rows is None:
            return self.pick(run, lambda: self.input.start(run))
        return elements_of(rows)

    def rows(self, run: Run) -> Rows | None:
        """Its elements as rows of tensors, if that is what they are."""
        rows = self.input.rows(run)
        if rows is None:
            return None
        found = None if rows.whole is None else self.whole(run, rows)
        if found is not None:
            return found
        order = self.pick(run, _Begin(self.input, run, rows))
        return Rows(rows.columns, order, None, rows.steps)


class _Begin:
    """Begins the order of an input's rows: with what is there first, anew later."""

    def __init__(self, node: Node, run: Run, rows: Rows) -> None:
        self.node, self.run = node, run
        self.first: Rows | None = rows

    def __call__(self) -> Iterator[int]:
        rows, self.first = self.first, None
        rows = rows or self.node.rows(self.run)
        assert rows is not None
        return rows.order


def _part(rows: Rows, part: slice) -> Rows:
    """Some rows of `rows`."""
    columns = [column[part] for column in rows.columns]
    count = len(columns[0])
    return Rows(columns, in_order(count), count, rows.steps)


class Take(Selection):
    """The first elements; all for a number below 0."""

    label = "TakeDataset"

    def __init__(self, node: Node, count: IntLike) -> None:
        super().__init__(node)
        self.count = count
        self.cardinality = self.counted([node.cardinality], known)

    def counted(self, there: Sequence[int], number: Numbers) -> int:
        """How many it takes."""
        (count,), wanted = there, number(self.count)
        if wanted is None:
            return UNKNOWN
        if wanted < 0:
            return count
        if count == INFINITE or wanted == 0:
            return wanted
        return UNKNOWN if count == UNKNOWN else min(count, wanted)

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return [self.count]

    def pick(self, run: Run, begin: Begin) -> Iterator[Any]:
        """What it keeps."""
        count = run.number(self.count)
        return begin() if count < 0 else _Taken(begin, count)

    def whole(self, run: Run, rows: Rows) -> Rows | None:
        """The rows that it keeps, if they are in their order."""
        count = run.number(self.count)
        return rows if count < 0 else _part(rows, slice(count))


class _Taken(Placed):
    """The first items. An error counts as none of them."""

    __slots__ = ("items", "left")
    position: ClassVar[tuple[str, ...]] = ("items", "left")

    def __init__(self, begin: Begin, count: int) -> None:
        self.items = begin() if count else Ended()
        self.left = count

    def __next__(self) -> Any:
        if not self.left:
            self.items = Ended()
            raise StopIteration
        item = next(self.items)
        self.left -= 1
        return item


class Skip(Selection):
    """Without the first elements; nothing for a number below 0."""

    label = "SkipDataset"

    def __init__(self, node: Node, count: IntLike) -> None:
        super().__init__(node)
        self.count = count
        self.cardinality = self.counted([node.cardinality], known)

    def counted(self, there: Sequence[int], number: Numbers) -> int:
        """How many it leaves."""
        (count,), wanted = there, number(self.count)
        if wanted is None or count == UNKNOWN:
            return UNKNOWN
        if wanted < 0:
            return 0
        return INFINITE if count == INFINITE else max(count - wanted, 0)

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return [self.count]

    def pick(self, run: Run, begin: Begin) -> Iterator[Any]:
        """What it keeps."""
        count = run.number(self.count)
        if count < 0:
            return Ended()
        items = begin()
        return _Skipping(items, count) if count else items

    def whole(self, run: Run, rows: Rows) -> Rows | None:
        """The rows that it keeps, if they are in their order."""
        count = run.number(self.count)
        return _part(rows, slice(0, 0) if count < 0 else slice(count, None))


class _Skipping(Placed):
    """Items behind the first ones, which are passed over when the first is asked for."""

    __slots__ = ("count", "items")
    position: ClassVar[tuple[str, ...]] = ("count", "items")

    def __init__(self, items: Iterator[Any], count: int) -> None:
        self.items, self.count = items, count

    def __next__(self) -> Any:
        if self.count:
            for _ in range(self.count):  # TF: from the beginning, if one of them fails
                next(self.items)
            self.count = 0
        return next(self.items)


# What `shard` is given where a strategy is to say which elements it keeps.
SHARD_HINT = -1


class Shard(Selection):
    """Every so-manieth element."""

    label = "ShardDataset"

    def __init__(self, node: Node, num_shards: Any, index: Any) -> None:
        super().__init__(node)
        self.num_shards, self.index = num_shards, index
        shards, first = known(num_shards), known(index)
        self.is_hint = shards == SHARD_HINT and first == SHARD_HINT
        if self.is_hint:
            self.cardinality = UNKNOWN
            return
        if shards is not None and shards <= 0:
            raise invalid_argument(
                "Number of shards must be greater than zero (currently num_shards = "
                f"{shards}). [Op:ShardDataset] name: "
            )
        if shards is not None and first is not None and not 0 <= first < shards:
            raise invalid_argument(
                f"Index must be between 0 and {shards - 1} (currently index = {first}). "
                "[Op:ShardDataset] name: "
            )
        self.cardinality = self.counted([node.cardinality], known)

    def counted(self, there: Sequence[int], number: Numbers) -> int:
        """How many are in the shard."""
        (count,), shards, first = there, number(self.num_shards), number(self.index)
        if self.is_hint or count < 0 or shards is None or first is None:
            return count if count < 0 and not self.is_hint else UNKNOWN
        return len(range(first, count, shards))

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return [self.num_shards, self.index]

    def pick(self, run: Run, begin: Begin) -> Iterator[Any]:
        """What it keeps."""
        if self.is_hint:
            raise invalid_argument(
                "Nobody has said which elements `shard(SHARD_HINT, SHARD_HINT)` keeps. Distribute "
                "the dataset by a strategy of several workers, with AutoShardPolicy.HINT."
            )
        return _Every(begin(), run.number(self.num_shards), run.number(self.index))

    def whole(self, run: Run, rows: Rows) -> Rows | None:
        """The rows that it keeps, if they are in their order."""
        if self.is_hint:
            return None
        return _part(rows, slice(run.number(self.index), None, run.number(self.num_shards)))


class _Every(Placed):
    """Every so-manieth item."""

    __slots__ = ("index", "items", "place", "shards")
    position: ClassVar[tuple[str, ...]] = ("items", "place")

    def __init__(self, items: Iterator[Any], shards: int, index: int) -> None:
        self.items, self.shards, self.index, self.place = items, shards, index, 0

    def __next__(self) -> Any:
        wanted = (self.index - self.place) % self.shards
        for _ in range(wanted):  # TF: all of them again, if one fails
            next(self.items)
        self.place += wanted
        item = next(self.items)
        self.place += 1
        return item


class Repeat(Selection):
    """The elements again and again; without an end for None and numbers below 0."""

    label = "RepeatDataset"

    def __init__(self, node: Node, count: IntLike) -> None:
        super().__init__(node)
        self.count = count
        self.cardinality = self.counted([node.cardinality], known)

    def counted(self, there: Sequence[int], number: Numbers) -> int:
        """How many there are in all rounds."""
        (count,), times = there, number(self.count)
        if times is None or times == 0:
            return UNKNOWN if times is None else 0
        if times < 0:
            return 0 if count == 0 else INFINITE
        return count * times if count > 0 else count

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return [self.count]

    def pick(self, run: Run, begin: Begin) -> Iterator[Any]:
        """What it keeps."""
        # TF: a shuffled pass that is empty ends it only if it is the first one.
        return _Repeated(begin, run.number(self.count), isinstance(self.input, Shuffle))


class _Repeated(Placed):
    """The items of one pass after the other. Without an end, a pass that has none ends it; if it is
    `patient`, only where there has been none before.
    """

    __slots__ = ("begin", "begun", "found", "items", "left", "patient")

    def __init__(self, begin: Begin, count: int, patient: bool) -> None:
        self.begin, self.left, self.patient = begin, count, patient
        self.items: Iterator[Any] | None = None
        self.begun = self.found = False

    def __next__(self) -> Any:
        while True:
            if self.items is None:
                if self.left == 0 or (self.left < 0 and self.begun and not self.found):
                    raise StopIteration
                self.left -= 1
                self.items, self.begun = self.begin(), True
                self.found = self.found and self.patient
            try:
                item = next(self.items)
                self.found = True
                return item
            except StopIteration:
                self.items = None

    def save(self) -> dict[str, Any]:
        """Its position."""
        plain = {"left": self.left, "begun": self.begun, "found": self.found}
        return {**plain, "items": saved(self.items)}

    def restore(self, parts: dict[str, Any]) -> None:
        """Takes a position."""
        self.left, self.begun, self.found = parts["left"], parts["begun"], parts["found"]
        if parts["items"] is not None:
            self.items = restored(self.begin(), parts["items"])


class Shuffle(Selection):
    """The elements in another order: each is drawn from a buffer of those that come next.

    Args:
        node: the elements.
        buffer_size: of how many the next is drawn; -2 for all.
        seeds: what the order is a function of; None for orders that nobody can repeat.
        changes: whether each pass has another order.
    """

    label = "ShuffleDataset"
    counted = as_many

    def __init__(self, node: Node, buffer_size: IntLike, seeds: Any, changes: bool) -> None:
        super().__init__(node)
        self.buffer_size, self.changes = buffer_size, changes
        self.seeds = seeds
        if not seeds and not changes and LOCAL.state.target.is_eager:
            self.seeds = fresh_seeds()
        self.cardinality = node.cardinality

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return [self.buffer_size, *needed_for(self.seeds)]

    def order(self, run: Run) -> list[int]:
        """The numbers of all elements in a random order, always the same one; for those who ask
        for elements by their numbers.
        """
        memory = run.memory(self)
        if "order" not in memory:
            memory["order"] = exchanged(list(range(self.cardinality)), Samples(seeds_of(run, self)))
        found: list[int] = memory["order"]
        return found

    def settle(self, run: Run) -> None:
        """Draws the seeds."""
        seeds_of(run, self)

    def skip(self, run: Run) -> None:
        """Counts a pass that nobody goes through."""
        samples_of_pass(run, self, self.changes)

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        rows = self.rows(run)
        if rows is not None:
            return elements_of(rows)
        return Raised(self.pick(run, lambda: Outcomes(self.input.start(run))))

    def pick(self, run: Run, begin: Begin) -> Iterator[Any]:
        """What it keeps."""
        size = run.number(self.buffer_size)
        size_or_all = None if size == UNKNOWN else size
        return in_pieces(
            Shuffled(begin, size_or_all, lambda: samples_of_pass(run, self, self.changes))
        )

    def rows(self, run: Run) -> Rows | None:
        """Its elements as rows of tensors, if that is what they are."""
        found = super().rows(run)
        if found is not None:
            found.order.owner.count = len(found.columns[0])  # type: ignore[attr-defined]
        return found


def exchanged(items: list[Any], random: Samples) -> list[Any]:
    """Items in a random order: the next of those that are left changes places with the first."""
    count = len(items)
    further = random.take(count) % np.arange(count, 0, -1)
    for place, other in enumerate((further + np.arange(count)).tolist()):
        items[place], items[other] = items[other], items[place]
    return items


class Shuffled(Placed):
    """Hands out items, each drawn from a buffer of those that come next, in one piece; a `Failure`
    among them comes at once. Nothing begins before the first is asked for, so that a pass counts
    only if there is one.

    The buffer is a ring, as TensorFlow's is, so that the same numbers draw the same items: the item
    that is drawn leaves its place to the first of the ring, and a new one becomes the last.

    Args:
        begin: goes through the items.
        size: how many the buffer holds; None for all.
        begin_random: makes the random numbers of the pass.
    """

    __slots__ = (
        "_begin", "_begin_random", "_buffer", "_drawn", "_first", "_has_begun", "_items", "_left",
        "_random", "_size", "count",
    )  # fmt: skip

    def __init__(self, begin: Begin, size: int | None, begin_random: Callable[[], Samples]) -> None:
        self._begin, self._begin_random, self._size = begin, begin_random, size
        self._items: Iterator[Any] | None = None
        self._random: Samples | None = None
        self._buffer: list[Any] = []
        self._first = 0  # place in the buffer of the item that came first
        self._drawn: list[int] = []  # how far behind that one items are, the next one last
        self._left: Any = None  # when all items have come: what is left of the buffer
        self._has_begun = False
        self.count: int | None = None  # of rows, where items are numbers of rows

    def __next__(self) -> Iterator[Any]:
        if self._has_begun:
            raise StopIteration
        self._has_begun = True
        return self._passed()

    def _passed(self) -> Iterator[Any]:
        if self._left is None:
            if self._items is None or self._random is None:
                self._items, self._random = self._begin(), self._begin_random()
            buffer, size = self._buffer, self._size
            if size is None or len(buffer) < size:
                yield from self._filling()
            if size is not None and len(buffer) >= size:
                yield from self._exchanged(self._items, size)
            self._left = self._in_the_end()
        yield from self._left

    def _filling(self) -> Iterator[Any]:
        """Fills the buffer; failures come at once."""
        buffer, size = self._buffer, self._size
        for item in self._items or ():
            if type(item) is Failure:
                yield item
                continue
            buffer.append(item)
            if len(buffer) == size:
                break

    def _exchanged(self, items: Iterator[Any], size: int) -> Iterator[Any]:
        """Items of the buffer; others come behind its last one."""
        buffer, random, drawn = self._buffer, self._random, self._drawn
        assert random is not None
        for item in items:
            if type(item) is Failure:
                yield item
                continue
            if not drawn:
                drawn += (random.take(_DRAWS) % size).tolist()[::-1]
            first = self._first
            place = (first + drawn.pop()) % size
            found, buffer[place], buffer[first] = buffer[place], buffer[first], item
            self._first = first + 1 if first + 1 < size else 0
            yield found

    def _in_the_end(self) -> Iterator[Any]:
        """What is in the buffer, in a random order."""
        assert self._random is not None
        random = samples_at(self._random.save(len(self._drawn)))
        return in_pieces(OneByOne(exchanged(self._in_turn(), random)))

    def _in_turn(self) -> list[Any]:
        return self._buffer[self._first :] + self._buffer[: self._first]

    def save(self) -> dict[str, Any]:
        """Its position."""
        if self._items is None and self._left is None:
            return {"buffer": None}
        if self._left is not None:
            return {"buffer": [], "left": _rest(self._left)}
        assert self._random is not None
        return {
            "buffer": self._in_turn(), "left": None,
            "random": self._random.save(len(self._drawn)), "items": saved(self._items),
        }  # fmt: skip

    def restore(self, parts: dict[str, Any]) -> None:
        """Takes a position."""
        if parts["buffer"] is None:
            return
        self._check(parts["buffer"] + (parts["left"] or []))
        if parts["left"] is not None:
            self._left = in_pieces(OneByOne(parts["left"]))
            return
        self._buffer = parts["buffer"]
        self._random = samples_at(parts["random"])
        self._items = restored(self._begin(), parts["items"])

    def _check(self, items: list[Any]) -> None:
        count = self.count
        if count is not None and any(type(x) is int and x >= count for x in items):
            raise changed(f"a buffer of more elements than the {count} that there are now")


def _rest(left: Any) -> list[Any]:
    """The items that are left of a list."""
    owner: OneByOne = left.owner
    return owner.rest()
