"""What may hold a device's memory, and how to ask it: a function per class.

Nothing is kept up to date while a program runs. When somebody asks, all objects that Python's
garbage collector knows are gone through once, those of the classes here are asked what they hold,
and what they say decides for the storages of these values. An error that follows another one soon
asks only those found before, and what the stack shows.
"""

from __future__ import annotations

import gc
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FrameType
from typing import NamedTuple, TypeVar

from ..devices.memory import Budget


class Held(NamedTuple):
    """A value on a device, what for, and under which name; "" leaves that to others. `owner` is
    what the program would have to let go.
    """

    kind: str
    name: str
    value: object
    owner: object = None


class Known(NamedTuple):
    """What the variables of a name are for, in sessions, whose values have no other object."""

    kind: str
    name: str


class SetAside(NamedTuple):
    """Bytes of a budget that are reserved and not charged to a value yet, and what for."""

    budget: Budget
    nbytes: int
    name: str
    op_name: str = ""


Found = Held | Known | SetAside
Walker = Callable[..., Iterable[Found]]
W = TypeVar("W", bound=Walker)

# By class, or by its full name where the class is a library's. Who stands further down knows
# better: a variable of Keras has a path beside the name of its storage.
_WALKERS: dict[type | str, tuple[int, Walker]] = {}
_SOURCES: list[Callable[[], Iterable[Found]]] = []
_FRAMES: dict[CodeType, Walker] = {}
# For so many times as long as a search took, errors do without another one: what was made meanwhile
# has no name then.
PAUSE = 4


def holds(kind: type | str, rank: int = 0) -> Callable[[W], W]:
    """Registers what tells the values that objects of a class hold; the highest rank decides."""

    def register(walker: W) -> W:
        _WALKERS[kind] = rank, walker
        return walker

    return register


def sets_aside(function: Callable[..., object]) -> Callable[[W], W]:
    """Registers what tells, from a frame of `function`, what that has set aside."""

    def register(walker: W) -> W:
        _FRAMES[function.__code__] = walker
        return walker

    return register


def always_asked(source: Callable[[], Iterable[Found]]) -> Callable[[], Iterable[Found]]:
    """Registers what tells of memory without being asked for an object."""
    _SOURCES.append(source)
    return source


def set_aside_by(frame: FrameType) -> Iterable[Found]:
    """What the function of a frame has set aside."""
    walker = _FRAMES.get(frame.f_code)
    return () if walker is None else walker(frame)


class Search:
    """The objects that may hold memory, in the order in which they are to be asked."""

    def __init__(self) -> None:
        self._known: list[weakref.ref[object]] = []
        self._ended = self._took = 0.0

    def found(self, thoroughly: bool, besides: Iterable[object] = ()) -> Iterator[Found]:
        """What all of them hold.

        Args:
            thoroughly: False makes do with those of the last search if that was just now.
            besides: objects that are asked, too.
        """
        now = time.monotonic()
        if thoroughly or now > self._ended + PAUSE * self._took:
            objects = _objects()
            self._known = list(filter(None, map(_reference, objects)))
            self._ended = time.monotonic()
            self._took = self._ended - now
        else:
            known = [each() for each in self._known]
            objects = list({id(x): x for x in (*known, *besides) if x is not None}.values())
        for source in _SOURCES:
            yield from source()
        asked = [(*found, x) for x in objects if (found := _walker(type(x))) is not None]
        for _, walker, each in sorted(asked, key=lambda row: row[0]):
            try:
                yield from list(walker(each))
            except Exception:  # half made, or changed by another thread meanwhile
                continue


SEARCH = Search()


def _objects() -> list[object]:
    """All objects of classes that have a walker."""
    walkers: dict[type, bool] = {}
    found: list[object] = []
    for each in gc.get_objects():
        kind = type(each)
        is_asked = walkers.get(kind)
        if is_asked is None:
            is_asked = walkers[kind] = _walker(kind) is not None
        if is_asked:
            found.append(each)
    return found


def _walker(kind: type) -> tuple[int, Walker] | None:
    for each in kind.__mro__:
        found = _WALKERS.get(each) or _WALKERS.get(f"{each.__module__}.{each.__qualname__}")
        if found is not None:
            return found
    return None


def _reference(value: object) -> weakref.ref[object] | None:
    try:
        return weakref.ref(value)
    except TypeError:
        return None
