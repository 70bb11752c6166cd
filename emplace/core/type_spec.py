"""What is known of a value before it exists: the base of all specs."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from ..base.typing import Structure

Class = TypeVar("Class", bound=type)


class TypeSpec:
    """The type of a value: a tensor, a composite, a dataset, an iterator (`tf.TypeSpec`).

    Subclasses are equal where they mean the same, and say which values they are compatible with.
    """

    __slots__ = ()

    value_type: Any = None

    def _serialize(self) -> tuple[Any, ...]:
        """What `_deserialize` makes the spec of again."""
        raise NotImplementedError(f"{type(self).__name__}._serialize")

    @classmethod
    def _deserialize(cls, serialization: Any) -> Any:
        """The spec that `_serialize` told."""
        return cls(*serialization)

    @property
    def component_count(self) -> int:
        """How many tensors a value of it is made of."""
        return 1

    def is_compatible_with(self, spec_or_value: Structure) -> bool:
        """Whether a value, or the values of another spec, fit this one."""
        if isinstance(spec_or_value, TypeSpec):
            return self == spec_or_value
        return self.value_type is not None and isinstance(spec_or_value, self.value_type)

    def is_subtype_of(self, other: object) -> bool:
        """Whether all values of this spec are values of the other one."""
        return isinstance(other, TypeSpec) and other.is_compatible_with(self)

    def most_specific_compatible_type(self, other: Any) -> Any:
        """The narrowest spec that covers both.

        Raises:
            ValueError: there is none.
        """
        if self == other:
            return self
        raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")


_BY_NAME: dict[str, type] = {}
_NAME = re.compile(r"^(\w+\.)+\w+$")


def register(name: str) -> Callable[[Class], Class]:
    """Registers a class of specs under a name, by which files and JSON tell it.

    Raises:
        ValueError: the name is taken, or has no dot.
    """
    if not _NAME.match(name):
        raise ValueError(
            "Registered name must have the form '{project_name}.{type_name}' (e.g. "
            f"'my_project.MyTypeSpec'); got {name!r}."
        )

    def registered(cls: Class) -> Class:
        if name in _BY_NAME:
            taken = _BY_NAME[name]
            raise ValueError(
                f"Name {name} has already been registered for class {taken.__module__}."
                f"{taken.__name__}."
            )
        _BY_NAME[name] = cls
        return cls

    return registered


def lookup(name: str) -> type:
    """The class of specs that has a name.

    Raises:
        ValueError: there is none.
    """
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")
    if name not in _BY_NAME:
        raise ValueError(f"No TypeSpec has been registered with name {name!r}")
    return _BY_NAME[name]


def get_name(cls: type) -> str:
    """The name of a class of specs.

    Raises:
        ValueError: it has none.
    """
    if not (isinstance(cls, type) and issubclass(cls, TypeSpec)):
        raise TypeError(f"Expected `cls` to be a TypeSpec; got {cls!r}")
    for name, each in _BY_NAME.items():
        if each is cls:
            return name
    raise ValueError(f"TypeSpec {cls.__module__}.{cls.__qualname__} has not been registered.")
