"""Modules: named containers of variables and of other modules."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ...base import nest
from ...core.tracking import CHILDREN, AutoTrackable
from ...eager.variable import Variable
from .scopes import name_scope

_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def _is_variable(value: object) -> bool:
    return isinstance(value, Variable)


class _Walk(NamedTuple):
    """How to go through modules. `seen` are the ids of what was met before; None to meet it again,
    of modules that are inside of themselves once, and to tell the paths to it.
    """

    is_recursive: bool
    wanted: Callable[[Any], bool]
    order: Callable[[str], Any] | None
    takes_composites_apart: bool
    seen: set[int] | None

    def inside(
        self, module: Module, path: tuple[Any, ...], around: tuple[Module, ...] = ()
    ) -> list[Any]:
        """What is wanted of a module; (path, value) pairs if paths are to be told."""
        found: list[Any] = []
        inner: list[tuple[tuple[Any, ...], Module]] = []
        attributes, ignored = vars(module), module._TF_MODULE_IGNORED_PROPERTIES
        for name in sorted(attributes, key=self.order):
            if not name.startswith("_self_") and name not in ignored:
                self._attribute(name, attributes[name], path, found, inner)
        around = (*around, module)
        for place, value in inner:
            is_round = any(value is each for each in around)
            walk = self._replace(is_recursive=False) if is_round else self
            found += walk.inside(value, place, around)
        return found

    def _attribute(
        self, name: str, value: Any, path: tuple[Any, ...], found: list[Any], inner: list[Any]
    ) -> None:
        seen, apart = self.seen, self.takes_composites_apart
        try:
            leaves = [value] if isinstance(value, _LEAVES) else nest.flatten(value, apart)
            places = () if seen is not None else list(nest.yield_flat_paths(value, apart))
            if apart and any(_is_sharded(leaf) for leaf in leaves):
                leaves, places = _with_shards(leaves, places)
        except Exception as error:
            raise ValueError(f"Error processing property {name!r} of {value!r}") from error
        for i, leaf in enumerate(leaves):
            if seen is not None:
                if id(leaf) in seen:
                    continue
                seen.add(id(leaf))
            place = () if seen is not None else (*path, name, *places[i])
            if self.wanted(leaf):
                found.append(leaf if seen is not None else (place, leaf))
            if isinstance(leaf, Module) and self.is_recursive:
                inner.append((place, leaf))


def _is_sharded(leaf: object) -> bool:
    """Whether it is a variable in shards, which to TensorFlow is a composite of these."""
    return bool(getattr(type(leaf), "is_sharded_variable", False))


def _with_shards(leaves: list[Any], places: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Leaves and their paths, if these are told, with shards in the places of the whole."""
    parts = [leaf.variables if _is_sharded(leaf) else [leaf] for leaf in leaves]
    paths = []
    for place, leaf, those in zip(places, leaves, parts, strict=bool(places)):
        paths += [(*place, i) for i in range(len(those))] if _is_sharded(leaf) else [place]
    return [each for those in parts for each in those], paths


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

    # GPflow goes through attributes by this.
    _TF_MODULE_IGNORED_PROPERTIES = frozenset(
        ("_self_unconditional_checkpoint_dependencies", CHILDREN)
    )

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
        """All its variables, in the order of its attributes' names, then those of its modules.

        Raises:
            ValueError: a dictionary has keys that have no order.
        """
        return tuple(self._flatten(predicate=_is_variable, expand_composites=True))

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Its variables that are to be trained."""
        found = self._flatten(
            predicate=lambda each: _is_variable(each) and each.trainable, expand_composites=True
        )
        return tuple(found)

    @property
    def non_trainable_variables(self) -> tuple[Any, ...]:
        """Its variables that are not to be trained."""
        found = self._flatten(
            predicate=lambda each: _is_variable(each) and not each.trainable,
            expand_composites=True,
        )
        return tuple(found)

    @property
    def submodules(self) -> tuple[Any, ...]:
        """All modules inside of it, those that are inside of these last."""
        return tuple(self._flatten(predicate=lambda each: isinstance(each, Module)))

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Callable[[str], Any] | None = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:
        """What is in the attributes, and in lists, tuples and dictionaries that are attributes.

        Args:
            recursive: go on with the modules among it, when all attributes have been looked at.
            predicate: whether something is wanted; all is if None.
            attribute_traversal_key: puts the names of attributes into another order than theirs.
            with_path: give (path, value) pairs, and what has several paths several times; else
                each once.
            expand_composites: look at the parts of composites, too.

        Raises:
            ValueError: an attribute cannot be taken apart.
        """
        wanted = predicate or (lambda each: True)
        seen = None if with_path else {id(self)}
        walk = _Walk(recursive, wanted, attribute_traversal_key, expand_composites, seen)
        return iter(walk.inside(self, ()))

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """A method that runs in the module's name scope."""

        @functools.wraps(method)
        def scoped(self: Any, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped


_LEAVES = (Variable, Module, str, int, float)
