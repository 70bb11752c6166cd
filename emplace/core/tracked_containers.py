"""Lists and dictionaries that tell of what is put into them.

Lists of attributes stay plain lists until a restore waits for something in one of them: then its
owner keeps one of these instead. It reads and changes the plain list it was made of, so whoever
holds that one sees the same elements. Dictionaries likewise.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any

from ..base.typing import TensorLike
from .tracking import Trackable, arrived


class ListWrapper(list, Trackable):  # type: ignore[type-arg]
    """A list whose new elements get what a checkpoint has for them (TensorFlow's of that name).

    Args:
        elements: the list that it stands for.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, elements: Any = ()) -> None:
        super().__init__()
        self._storage: Any = elements if type(elements) is list else list(elements)

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

    def __radd__(self, other: TensorLike) -> Any:
        return other + self._storage

    def __iter__(self) -> Iterator[Any]:
        return iter(self._storage)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return list, (self._storage,)


class _DictWrapper(dict, Trackable):  # type: ignore[type-arg]
    """A dictionary whose new values get what a checkpoint has for their keys.

    Args:
        values: the dictionary that it stands for.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, values: Any = ()) -> None:
        super().__init__()
        self._storage: Any = values if isinstance(values, dict) else dict(values)

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
    "__repr__", "clear", "copy", "pop",
)  # fmt: skip
_OF_LISTS = (
    "__setitem__", "__lt__", "__le__", "__gt__", "__ge__", "__add__", "__mul__", "__rmul__",
    "__imul__", "count", "index", "insert", "remove", "reverse", "sort",
)  # fmt: skip
_OF_DICTS = ("__or__", "get", "items", "keys", "popitem", "values")

for _name in (*_SHARED, *_OF_LISTS):
    setattr(ListWrapper, _name, _asking(list, _name))
for _name in (*_SHARED, *_OF_DICTS):
    setattr(_DictWrapper, _name, _asking(dict, _name))
