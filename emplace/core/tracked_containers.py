"""Lists and dictionaries that tell of what is put into them.

Lists of attributes stay plain lists until a restore waits for something in one of them: then its
owner keeps one of these instead. It reads and changes the plain list it was made of, so whoever
holds that one sees the same elements. Dictionaries likewise.
"""

from __future__ import annotations

import copy
import sys
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, SupportsIndex

from ..base.nest import STANDS_FOR
from ..base.typing import TensorLike
from .tracking import Trackable, TrackableDataStructure, arrived


class ListWrapper(list, TrackableDataStructure):  # type: ignore[type-arg]
    """A list whose new elements get what a checkpoint has for them (TensorFlow's of that name).

    Args:
        elements: the list that it stands for.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, elements: Any = ()) -> None:
        super().__init__()
        self._storage: Any = elements if type(elements) is list else list(elements)

    @property
    def _values(self) -> Any:
        return self._storage

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """What is in it and may have variables, by its place."""
        return {str(i): each for i, each in enumerate(self._storage) if _may_hold(each)}

    def append(self, value: Any) -> None:
        """Adds an element, which gets what a checkpoint has for its place."""
        self._storage.append(arrived(self, str(len(self._storage)), value))

    def extend(self, values: Iterable[Any]) -> None:
        """Appends several."""
        for value in list(values):
            self.append(value)

    def __iadd__(self, values: Iterable[Any]) -> ListWrapper:  # type: ignore[misc]
        self.extend(values)
        return self

    def __add__(self, other: Any) -> Any:
        return self._storage + getattr(other, "_storage", other)

    def __radd__(self, other: TensorLike) -> Any:
        return other + self._storage

    def __imul__(self, times: SupportsIndex) -> ListWrapper:
        self._storage *= times
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(self._storage)

    def __repr__(self) -> str:
        return f"ListWrapper({self._storage!r})"

    def __sizeof__(self) -> int:
        return super().__sizeof__() + sys.getsizeof(self._storage)

    def copy(self) -> ListWrapper:
        """Another list of the same elements."""
        return type(self)(list(self._storage))

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, object]) -> ListWrapper:
        return type(self)(copy.deepcopy(self._storage, memo))

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self), (self._storage,)


class List(TrackableDataStructure, Sequence[Any]):
    """A list of objects that may have variables, to which others can be added (TensorFlow's of
    that name). It is another one than any other list, whatever is in it.

    Args:
        elements: the first ones.
    """

    __hash__ = object.__hash__

    def __init__(self, elements: Iterable[Any] = ()) -> None:
        self._self_elements: list[Any] = []
        self.extend(elements)

    @property
    def _storage(self) -> list[Any]:
        return self._self_elements

    @property
    def _values(self) -> list[Any]:
        return self._self_elements

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """Its elements, by their places."""
        return {str(i): each for i, each in enumerate(self._self_elements)}

    def append(self, value: object) -> None:
        """Adds an object, which gets what a checkpoint has for its place.

        Raises:
            ValueError: it has no variables, and nothing that may have some.
        """
        value = wrapped(value)
        if not _may_hold(value):
            raise ValueError(
                "Only trackable objects (such as Layers or Optimizers) may be stored in a List "
                f"object. Got {value}, which does not inherit from Trackable."
            )
        self._self_elements.append(arrived(self, str(len(self)), value))

    def extend(self, values: Iterable[Any]) -> None:
        """Appends several."""
        for value in list(values):
            self.append(value)

    def copy(self) -> List:
        """Another list of the same objects."""
        return type(self)(self._self_elements)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, object]) -> List:
        return type(self)(copy.deepcopy(self._self_elements, memo))

    def __iadd__(self, values: Iterable[Any]) -> List:  # type: ignore[misc]
        self.extend(values)
        return self

    def __imul__(self, times: int) -> List:
        if times <= 0:
            raise ValueError(
                f"List only supports append, multiplying in place by {times} removes elements."
            )
        self.extend(self._self_elements * (times - 1))
        return self

    def __add__(self, other: Any) -> Any:
        return self._self_elements + getattr(other, "_storage", other)

    def __radd__(self, other: Any) -> Any:
        return other + self._self_elements

    def __mul__(self, times: int) -> list[Any]:
        return self._self_elements * times

    __rmul__ = __mul__

    def __getitem__(self, place: Any) -> Any:
        return self._self_elements[place]

    def __len__(self) -> int:
        return len(self._self_elements)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __repr__(self) -> str:
        return f"List({self._self_elements!r})"


def _may_hold(value: object) -> bool:
    """Whether something may have variables."""
    return isinstance(value, (Trackable, list, dict, tuple))


class _DictWrapper(dict, TrackableDataStructure):  # type: ignore[type-arg]
    """A dictionary whose new values get what a checkpoint has for their keys.

    Args:
        values: the dictionary that it stands for.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, values: Any = ()) -> None:
        super().__init__()
        self._storage: Any = values if isinstance(values, dict) else dict(values)

    @property
    def _values(self) -> Any:
        return list(self._storage.values())

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """What is in it and may have variables, by its key."""
        return {str(key): each for key, each in self._storage.items() if _may_hold(each)}

    def __repr__(self) -> str:
        return f"DictWrapper({self._storage!r})"

    def __setitem__(self, key: object, value: TensorLike) -> None:
        self._storage[key] = arrived(self, str(key), value)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """The value of a key, which is added if there is none."""
        if key not in self._storage:
            self[key] = default
        return self._storage[key]

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Sets several values."""
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def __ior__(self, other: Any) -> _DictWrapper:  # type: ignore[misc]
        self.update(other)
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(self._storage)

    def __reduce_ex__(self, protocol: Any) -> Any:
        kind = OrderedDict if isinstance(self._storage, OrderedDict) else dict
        return kind, (self._storage,)


Wrapper = (ListWrapper, _DictWrapper)
STANDS_FOR.update({ListWrapper: list, _DictWrapper: dict})


def wrapped(value: Any) -> Any:
    """A list or dictionary that tells of what comes, in the place of a plain one; else `value`."""
    if type(value) is list:
        return ListWrapper(value)
    if type(value) in (dict, OrderedDict):
        return _DictWrapper(value)
    return value


def _asking(kind: object, name: str) -> Any:
    """A method of lists or dictionaries, as one of what a wrapper stands for."""

    def ask(self: Any, *args: Any, **kwargs: Any) -> Any:
        plain = [each._storage if isinstance(each, Wrapper) else each for each in args]
        return getattr(self._storage, name)(*plain, **kwargs)

    ask.__name__, ask.__doc__ = name, getattr(kind, name).__doc__
    return ask


_SHARED = (
    "__len__", "__getitem__", "__delitem__", "__contains__", "__reversed__", "__eq__", "__ne__",
    "clear", "pop",
)  # fmt: skip
_OF_LISTS = (
    "__setitem__", "__lt__", "__le__", "__gt__", "__ge__", "__mul__", "__rmul__", "count",
    "index", "insert", "remove", "reverse", "sort",
)  # fmt: skip
_OF_DICTS = ("__or__", "copy", "get", "items", "keys", "popitem", "values")

for _name in (*_SHARED, *_OF_LISTS):
    setattr(ListWrapper, _name, _asking(list, _name))
for _name in (*_SHARED, *_OF_DICTS):
    setattr(_DictWrapper, _name, _asking(dict, _name))
