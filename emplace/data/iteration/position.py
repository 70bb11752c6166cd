"""The position of a pass: what its iterators say of themselves, and take back.

An iterator that knows its position is a `Placed`. It names the attributes that say how far it has
come; what they hold is walks again, plain values, or elements. A position is taken by the walk that
the same pipeline makes anew, before anybody asks it for an item.

Python's own iterators cannot say how far they have come, and are several times as fast as methods.
So an owner, which knows, hands out pieces of them, and `itertools.chain` goes through these.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import length_hint
from typing import Any, ClassVar, NamedTuple, Self

from ...base.errors import NotFoundError, UnimplementedError


class Position(NamedTuple):
    """The position of a walk.

    Fields:
        kind: the name of its class.
        parts: what it says of itself, by name.
    """

    kind: str
    parts: dict[str, Any]


class Placed:
    """An iterator that knows its position."""

    __slots__ = ()
    position: ClassVar[tuple[str, ...]] = ()

    def __iter__(self) -> Self:
        return self

    def save(self) -> dict[str, Any]:
        """Its position, by name."""
        return {name: saved(getattr(self, name)) for name in self.position}

    def restore(self, parts: dict[str, Any]) -> None:
        """Takes a position."""
        for name in self.position:
            setattr(self, name, restored(getattr(self, name), parts[name]))


class Ended(Placed):
    """No item."""

    __slots__ = ()

    def __next__(self) -> Any:
        raise StopIteration


def saved(value: Any) -> Any:
    """What is kept of a value: the position of a walk, and everything else as it is now.

    Raises:
        UnimplementedError: it is an iterator that does not know its position.
    """
    if hasattr(type(value), "save"):
        return Position(type(value).__name__, value.save())
    if isinstance(value, (list, deque)):
        return [saved(each) for each in value]
    if isinstance(value, dict):
        return {key: saved(each) for key, each in value.items()}
    if hasattr(type(value), "__next__"):
        raise not_saved(type(value).__name__)
    return value


def restored(now: Any, kept: Any) -> Any:
    """A value with what was kept of it: `now`, in its position, if that is a walk.

    Raises:
        NotFoundError: it is another walk than the one that was saved.
    """
    if isinstance(kept, list) and any(isinstance(each, Position) for each in kept):
        if not isinstance(now, list) or len(now) != len(kept):
            raise changed(f"{len(kept)} iterators side by side")
        return [restored(one, other) for one, other in zip(now, kept, strict=True)]
    if not isinstance(kept, Position):
        return kept
    if kept.kind == Ended.__name__:
        return Ended()
    if type(now).__name__ != kept.kind:
        raise changed(f"{kept.kind} where there is now {type(now).__name__}")
    now.restore(kept.parts)
    return now


def changed(what: str) -> NotFoundError:
    """The error for a position that is one of another pipeline."""
    return NotFoundError(
        None, None,
        f"Failed to restore dataset iterator from checkpoint: {what}. Make sure the dataset "
        "definition has not changed between the process that saved the checkpoint and the process "
        "that is restoring it.",
    )  # fmt: skip


def not_saved(who: str) -> UnimplementedError:
    """The error for what has no position that could be kept."""
    return UnimplementedError(None, None, f"{who} does not support checkpointing.")


# -- Python's own iterators ------------------------------------------------------------------------


class Calls(map):  # type: ignore[type-arg]
    """What a function makes of each item of a walk."""

    items: Iterator[Any]

    def __init__(self, function: Callable[[Any], Any], items: Iterator[Any]) -> None:
        self.items = items

    def save(self) -> dict[str, Any]:
        """Its position."""
        return {"items": saved(self.items)}

    def restore(self, parts: dict[str, Any]) -> None:
        """Takes a position."""
        restored(self.items, parts["items"])


class StarCalls(itertools.starmap):  # type: ignore[type-arg]
    """What a function makes of the parts of each item of a walk."""

    items: Iterator[Any]

    def __init__(self, function: Callable[..., Any], items: Iterator[Any]) -> None:
        self.items = items

    save, restore = Calls.save, Calls.restore


class Pieces(itertools.chain):  # type: ignore[type-arg]
    """The items of the pieces that an owner hands out."""

    owner: Any

    def save(self) -> dict[str, Any]:
        """The position of the owner."""
        return {"owner": saved(self.owner)}

    def restore(self, parts: dict[str, Any]) -> None:
        """Gives the owner its position."""
        restored(self.owner, parts["owner"])


def in_pieces(owner: Iterator[Iterable[Any]]) -> Pieces:
    """The items of an owner that knows its position."""
    made: Any = Pieces.from_iterable(owner)
    made.owner = owner
    return made  # type: ignore[no-any-return]


class OneByOne(Placed):
    """Hands out what is at hand in one piece.

    Args:
        items: a sequence, or a function that makes one when the first item is asked for.
    """

    __slots__ = ("_at", "_left", "_make")

    def __init__(self, items: Sequence[Any] | Callable[[], Sequence[Any]]) -> None:
        self._make = items if callable(items) else lambda: items
        self._at = 0
        self._left: Any = None

    def __next__(self) -> Iterator[Any]:
        if self._left is not None:
            raise StopIteration
        items = self._make()
        self._check(len(items))
        left: Iterator[Any] = iter(items)
        next(itertools.islice(left, self._at, self._at), None)
        self._at = len(items)
        self._left = left
        return left

    def _check(self, count: int) -> None:
        if self._at > count:
            raise changed(f"{self._at} elements where there are now {count}")

    def save(self) -> dict[str, Any]:
        """Its position."""
        return {"at": self._at if self._left is None else self._at - length_hint(self._left)}

    def restore(self, parts: dict[str, Any]) -> None:
        """Takes a position."""
        self._at = parts["at"]

    def rest(self) -> list[Any]:
        """What is left."""
        return list(self._make()[self.save()["at"] :])


class Blocks(Placed):
    """Hands out columns of rows in blocks, which are made when their first row is asked for.

    Args:
        count: how many rows there are.
        most: how many make a block.
        make: makes the columns of the block from one row to another, sequences each.
    """

    __slots__ = ("_at", "_count", "_first", "_make", "_most", "_size")

    def __init__(
        self, count: int, most: int, make: Callable[[int, int], Sequence[Sequence[Any]]]
    ) -> None:
        self._count, self._most, self._make = count, most, make
        self._at = self._size = 0
        self._first: Any = iter(())

    def __next__(self) -> Iterator[Any]:
        self._at, self._size = self._at + self._size, 0
        if self._at >= self._count:
            raise StopIteration
        end = min(self._at + self._most, self._count)
        first, *others = self._make(self._at, end)
        self._first, self._size = iter(first), end - self._at
        return zip(self._first, *others)  # noqa: B905  # the block has so many of each

    def save(self) -> dict[str, Any]:
        """Its position."""
        return {"at": self._at + self._size - length_hint(self._first)}

    def restore(self, parts: dict[str, Any]) -> None:
        """Takes a position."""
        if parts["at"] > self._count:
            raise changed(f"{parts['at']} elements where there are now {self._count}")
        self._at = parts["at"]


class Counting(Placed):
    """Items that can only be had from the first one: to take a position it passes over them.

    Args:
        begin: goes through the items, from the first one.
    """

    __slots__ = ("_begin", "_count", "_items")

    def __init__(self, begin: Callable[[], Iterator[Any]]) -> None:
        self._begin = begin
        self._items: Any = None
        self._count = 0

    def __next__(self) -> Any:
        if self._items is None:
            self._items = self._begun()
        item = next(self._items)
        self._count += 1
        return item

    def _begun(self) -> Iterator[Any]:
        items = self._begin()
        if sum(1 for _ in itertools.islice(items, self._count)) < self._count:
            raise changed(f"{self._count} elements where there are now fewer")
        return items

    def save(self) -> dict[str, Any]:
        """Its position."""
        return {"count": self._count}

    def restore(self, parts: dict[str, Any]) -> None:
        """Takes a position."""
        self._count, self._items = parts["count"], None


# -- iterators of iterators ------------------------------------------------------------------------


class Opened:
    """An iterator, and what it was made of.

    Fields:
        source: what the opener makes it of.
        items: the iterator.
        memory: tells what else has changed meanwhile, and takes it back.
    """

    __slots__ = ("items", "memory", "source")

    def __init__(self, source: Any, items: Iterator[Any], memory: Any = None) -> None:
        self.source, self.items, self.memory = source, items, memory

    def save(self) -> dict[str, Any]:
        """What it was made of, and its position."""
        memory = None if self.memory is None else saved(self.memory)
        return {"source": saved(self.source), "items": saved(self.items), "memory": memory}


class Opener(Placed):
    """Opens an iterator for each of a walk's items.

    Args:
        sources: the walk.
        make: makes an iterator of an item.
    """

    __slots__ = ("_make", "sources")
    position: ClassVar[tuple[str, ...]] = ("sources",)

    def __init__(self, sources: Iterator[Any], make: Callable[[Any], Iterator[Any]]) -> None:
        self.sources, self._make = sources, make

    def __next__(self) -> Opened:
        return self.opened(next(self.sources))

    def opened(self, source: Any) -> Opened:
        """The iterator of an item."""
        return Opened(source, self._make(source))

    def reopened(self, kept: Position) -> Opened:
        """The iterator of an item again, in its position."""
        made = self.opened(kept.parts["source"])
        made.items = restored(made.items, kept.parts["items"])
        if made.memory is not None:
            restored(made.memory, kept.parts["memory"])
        return made


class InARow(Placed):
    """Hands out what an opener opens. An error takes the place of one that cannot be had."""

    __slots__ = ("_again", "_now", "_opener")

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._now: Opened | None = None
        self._again = False

    def __next__(self) -> Iterator[Any]:
        if self._again and self._now is not None:
            self._again = False
            return self._now.items
        self._now = None
        try:
            self._now = next(self._opener)
        except StopIteration:
            raise
        except Exception as error:
            return _raising(error)
        return self._now.items

    def save(self) -> dict[str, Any]:
        """Its position."""
        return {"opener": saved(self._opener), "now": saved(self._now)}

    def restore(self, parts: dict[str, Any]) -> None:
        """Takes a position."""
        restored(self._opener, parts["opener"])
        if parts["now"] is not None:
            self._now, self._again = self._opener.reopened(parts["now"]), True


def _raising(error: Exception) -> Iterator[Any]:
    raise error
    yield


def flattened(opener: Opener) -> Pieces:
    """The items of what an opener opens, one after the other."""
    return in_pieces(InARow(opener))
