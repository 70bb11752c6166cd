"""`tensorflow.python.util.object_identity`: dictionaries and sets whose keys are objects, not what
they equal.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, MutableMapping, MutableSet
from typing import Any

from ..core.tensor import Reference as Reference


class ObjectIdentityDictionary(MutableMapping[Any, Any]):
    """A dictionary by identity."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._items: dict[int, tuple[Any, Any]] = {}
        self.update(*args, **kwargs)

    def __getitem__(self, key: object) -> Any:
        found = self._items.get(id(key))
        if found is None:
            raise KeyError(key)
        return found[1]

    def __setitem__(self, key: object, value: object) -> None:
        self._items[id(key)] = (key, value)

    def __delitem__(self, key: object) -> None:
        if id(key) not in self._items:
            raise KeyError(key)
        del self._items[id(key)]

    def __iter__(self) -> Iterator[Any]:
        return iter([key for key, _ in self._items.values()])

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self.items())!r})"


class ObjectIdentityWeakKeyDictionary(ObjectIdentityDictionary):
    """A dictionary by identity that does not keep its keys alive."""

    def __getitem__(self, key: object) -> Any:
        found = self._items.get(id(key))
        if found is None or found[0]() is not key:
            raise KeyError(key)
        return found[1]

    def __setitem__(self, key: object, value: object) -> None:
        number, items = id(key), self._items
        items[number] = (weakref.ref(key, lambda _: items.pop(number, None)), value)

    def __iter__(self) -> Iterator[Any]:
        return iter([key for ref, _ in self._items.values() if (key := ref()) is not None])


class ObjectIdentitySet(MutableSet[Any]):
    """A set by identity."""

    def __init__(self, *args: Iterable[Any]) -> None:
        self._items: Any = ObjectIdentityDictionary()
        for each in args[0] if args else ():
            self.add(each)

    def __contains__(self, item: object) -> bool:
        return item in self._items

    def add(self, value: object) -> None:
        """Adds an object."""
        self._items[value] = None

    def discard(self, value: object) -> None:
        """Removes an object, if it is there."""
        self._items.pop(value, None)

    def update(self, items: Iterable[Any]) -> None:
        """Adds several objects."""
        for each in items:
            self.add(each)

    def union(self, items: Iterable[Any]) -> ObjectIdentitySet:
        """Returns a set of the objects of both."""
        made = type(self)(self)
        made.update(items)
        return made

    def intersection(self, items: Iterable[Any]) -> ObjectIdentitySet:
        """Returns a set of the objects that both have."""
        return type(self)([each for each in items if each in self])

    def difference(self, items: Iterable[Any]) -> ObjectIdentitySet:
        """Returns a set of the objects that `items` lacks."""
        others = ObjectIdentitySet(items)
        return type(self)([each for each in self if each not in others])

    def clear(self) -> None:
        """Removes all."""
        self._items.clear()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)


class ObjectIdentityWeakSet(ObjectIdentitySet):
    """A set by identity that does not keep its objects alive."""

    def __init__(self, *args: Iterable[Any]) -> None:
        super().__init__()
        self._items = ObjectIdentityWeakKeyDictionary()
        for each in args[0] if args else ():
            self.add(each)

    def __len__(self) -> int:
        return sum(1 for _ in self)
