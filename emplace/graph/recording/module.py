"""Modules: named containers of variables and of other modules."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import Any

from ...core.tracking import AutoTrackable, walk
from ...eager.variable import Variable
from .scopes import name_scope

_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class Module(AutoTrackable):
    """A container that finds the variables and modules among its attributes (`tf.Module`).

    Args:
        name: its name, a valid Python identifier; the class's name in snake case if None.

    Raises:
        ValueError: the name is no valid identifier.

    >>> import emplace.tensorflow as tf
    >>> class Dense(tf.Module):
    ...     def __init__(self, size):
    ...         super().__init__()
    ...         self.w = tf.Variable(tf.ones([size, size]), name="w")
    >>> len(Dense(2).trainable_variables)
    1
    """

    _TF_MODULE_IGNORED_PROPERTIES: frozenset[str] = frozenset()

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = _WORDS.sub("_", type(self).__name__).lower()
        if not name.isidentifier():
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python "
                "identifiers (e.g. a valid class name)."
            )
        self._name = name
        with name_scope(name) as scope:
            self._scope_name = scope

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    @property
    def name_scope(self) -> Any:
        """A name scope for its variables and ops."""
        return name_scope(self._scope_name or f"{self._name}/")

    @property
    def variables(self) -> tuple[Any, ...]:
        """All its variables and those of its modules."""
        return tuple(self._flatten(lambda value: isinstance(value, Variable)))

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Its variables that are to be trained."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Any, ...]:
        """Its variables that are not to be trained."""
        return tuple(v for v in self.variables if not v.trainable)

    @property
    def submodules(self) -> tuple[Any, ...]:
        """All modules inside of it."""
        return tuple(self._flatten(lambda value: isinstance(value, Module)))

    def _flatten(self, predicate: Callable[[Any], bool]) -> Iterator[Any]:
        return walk(self, predicate)

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """A method that runs in the module's name scope."""

        @functools.wraps(method)
        def scoped(self: Any, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped
