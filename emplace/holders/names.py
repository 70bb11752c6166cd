"""The names by which a program holds values: those of its functions and modules, and what their
lists, dictionaries and objects have in them.
"""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable, Iterable
from types import FrameType, FunctionType, ModuleType
from typing import NamedTuple

from ..base.lines import Line
from ..base.stacks import innermost_frames
from ..core.places import is_program_file
from .values import address, raw

_PARTS = str.maketrans({".": " ", "[": " "})
# How deep names go ("model.cache[3]"), and how many values are looked at.
_DEPTH = 3
_MOST_VALUES = 20_000
_PLAIN = (str, bytes, int, float, bool, type(None), type, ModuleType, FunctionType)


class ProgramName(NamedTuple):
    """A name of the program's, "cache[3]", and where its function is; None for a module's name."""

    name: str
    place: Line | None

    @property
    def root(self) -> str:
        """The variable that it begins with: "cache"."""
        return self.name.translate(_PARTS).split(" ", 1)[0]


class ProgramNames:
    """The program's names for values, by storage."""

    def __init__(self) -> None:
        self._by_storage: dict[int, ProgramName] = {}
        self._left = _MOST_VALUES
        self._seen: set[int] = set()
        #: What hold memory may be among them, such as tapes, by identity.
        self._objects: dict[int, tuple[ProgramName, object]] = {}
        self._place: Line | None = None
        each_frame(self._look_at_frame, own_thread=True)
        main = sys.modules.get("__main__")
        if main is not None and is_program_file(getattr(main, "__file__", None) or "<stdin>"):
            self._look(vars(main))

    def of(self, storage: int) -> ProgramName | None:
        """The name for what is in a storage, told by its address."""
        return self._by_storage.get(storage)

    def of_object(self, value: object) -> ProgramName | None:
        """The name for an object."""
        found = self._objects.get(id(value))
        return None if found is None else found[0]

    def objects(self) -> Iterable[object]:
        """The objects that have names."""
        return [value for _, value in self._objects.values()]

    def let_go(self) -> None:
        """Keeps the names alone."""
        self._objects.clear()

    def _look_at_frame(self, frame: FrameType) -> None:
        if is_program_file(frame.f_code.co_filename):
            local = locals_of(frame)
            if frame.f_globals is not local:
                code = frame.f_code
                self._place = Line(code.co_filename, frame.f_lineno, code.co_name)
                self._look(local)
                self._place = None
            self._look(frame.f_globals)

    def _look(self, named: dict[str, object]) -> None:
        if id(named) not in self._seen:
            self._seen.add(id(named))
            for name, value in list(named.items()):
                if not name.startswith("__"):
                    self._note(name, value, _DEPTH)

    def _note(self, name: str, value: object, depth: int) -> None:
        if isinstance(value, _PLAIN) or self._left <= 0:
            return
        self._left -= 1
        tensor = raw(value)
        if tensor is not None:
            self._by_storage.setdefault(address(tensor), ProgramName(name, self._place))
            return
        if id(value) in self._seen or not depth:
            return
        self._seen.add(id(value))
        if isinstance(value, dict):
            for key, each in list(value.items()):
                self._note(
                    f"{name}[{key!r}]" if isinstance(key, (str, int)) else name, each, depth - 1
                )
        elif isinstance(value, (list, tuple, set, frozenset)):
            is_row = isinstance(value, (list, tuple))
            for i, each in enumerate(list(value)):
                self._note(f"{name}[{i}]" if is_row else name, each, depth - 1)
        else:
            self._objects.setdefault(id(value), (ProgramName(name, self._place), value))
            attributes = getattr(value, "__dict__", None)
            if type(attributes) is dict and _is_of_program(type(value)):
                for key, each in list(attributes.items()):
                    self._note(f"{name}.{key}", each, depth - 1)


def each_frame(visit: Callable[[FrameType], None], own_thread: bool = False) -> None:
    """Shows `visit` all frames of all threads, or of this one, each from the inside out. No frame
    is kept: one of them is this function's own.
    """
    mine = threading.get_ident()
    stacks = innermost_frames()
    frame: FrameType | None = None
    try:
        for thread in [mine] if own_thread else list(stacks):
            frame = stacks[thread]
            while frame is not None:
                visit(frame)
                frame = frame.f_back
    finally:
        stacks.clear()
        frame = None


def _is_of_program(kind: type) -> bool:
    """Whether a class is the program's own: what others keep in objects has no names to show."""
    module = sys.modules.get(kind.__module__)
    return is_program_file(getattr(module, "__file__", None) or "<stdin>")


def locals_of(frame: FrameType) -> dict[str, object]:
    """The values of a frame's names. Before Python 3.13 the frame keeps a dictionary of them once
    somebody has asked, which would keep tensors alive that the program deletes later.
    """
    kept = frame.f_locals
    if not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        return kept  # a module's, or a class's: its own
    found = dict(kept)
    if type(kept) is dict and sys.getrefcount(kept) <= _LONELY_REFERENCES:
        kept.clear()
    return found


def _references_of_unshared() -> int:
    def inner() -> int:
        kept: object = sys._getframe().f_locals
        return int(sys.getrefcount(kept))

    return inner()


# What `sys.getrefcount` says of a dictionary that only its frame and one variable hold.
_LONELY_REFERENCES = _references_of_unshared()
