"""What stands for a private name of TensorFlow that has no counterpart here."""

from __future__ import annotations

import types
import unittest
from typing import Any


class NotPublic(AttributeError):
    """TensorFlow does not export this name."""


class MissingPublic(AttributeError):
    """TensorFlow exports this name and Emplace does not have it."""


class Uses:
    """What a process knows of the holes that are used in it."""

    def __init__(self) -> None:
        #: While a test file is imported holes may be passed around, called and looked into.
        self.importing = True
        #: Names of the holes that the running test has met.
        self.touched: list[str] = []


USES = Uses()


class Hole:
    """A name that nothing stands in for: a test that uses it ends with the error `kind`."""

    def __init__(self, name: str, kind: type[AttributeError] = NotPublic) -> None:
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_kind", kind)

    def _refuse(self, *_: Any, **__: Any) -> Any:
        USES.touched.append(self._name)
        raise self._kind(f"{self._kind.__name__}: {self._name}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not USES.importing:
            self._refuse()
        if len(args) == 1 and not kwargs and isinstance(args[0], (types.FunctionType, type)):
            return args[0]  # it decorates
        return Hole(self._name + "()", self._kind)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        if not USES.importing:
            self._refuse()
        return Hole(f"{self._name}.{name}", self._kind)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (_base_of(self._name, self._kind),)

    __enter__ = __getitem__ = __add__ = __or__ = __lt__ = __le__ = __len__ = _refuse
    __exit__ = __instancecheck__ = __index__ = __int__ = __float__ = __radd__ = _refuse
    __mul__ = __rmul__ = __array__ = _refuse
    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        return True if USES.importing else self._refuse()

    def __eq__(self, other: object) -> bool:
        return self is other if USES.importing else self._refuse()

    def __repr__(self) -> str:
        return f"<hole {self._name}>"


def _base_of(name: str, kind: type[AttributeError]) -> type:
    """A class to derive from in a hole's place; who makes an instance is refused."""

    def refuse(self: Any, *args: Any, **_: Any) -> Any:
        if USES.importing:
            return
        if args and isinstance(self, unittest.TestCase):
            # The loader makes a test: it is refused in its setUp.
            unittest.TestCase.__init__(self, *args)
            return
        USES.touched.append(name)
        raise kind(f"{kind.__name__}: {name}")

    return type("HoleBase", (), {"__init__": refuse, "setUp": refuse})
