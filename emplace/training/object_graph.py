"""The variables that objects hold, by the path of attributes, keys and places to them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from ..core.tracking import Trackable
from ..eager.generator import Generator
from ..eager.variable import Variable
from .optimizer import Optimizer

SUFFIX = "/.ATTRIBUTES/VARIABLE_VALUE"


class Holder:
    """An object whose attributes are saved. Subclasses say which: all, if they say nothing."""

    def saved_attributes(self) -> dict[str, Any]:
        """Attributes by name."""
        return vars(self)


def is_saved(value: Any) -> bool:
    """Whether an object may hold variables."""
    kinds = (Variable, Holder, Trackable, Optimizer, Generator, dict, list, tuple)
    return isinstance(value, kinds)


def children(value: Any) -> Iterator[tuple[str, Any]]:
    """What an object holds, by name."""
    if isinstance(value, Holder):
        pairs = value.saved_attributes().items()
        yield from ((name, each) for name, each in pairs if is_saved(each))
    elif isinstance(value, dict):
        yield from ((str(name), each) for name, each in value.items() if is_saved(each))
    elif isinstance(value, (list, tuple)):
        yield from ((str(i), each) for i, each in enumerate(value) if is_saved(each))
    elif isinstance(value, Optimizer):
        yield from ((each.name.removesuffix(":0"), each) for each in value.variables())
    elif isinstance(value, Generator):
        yield "_state_var", value.state
    elif isinstance(value, Trackable):
        found = {**_attributes(value), **value._trackable_children()}
        yield from ((name, each) for name, each in found.items() if is_saved(each))


def _attributes(value: Trackable) -> dict[str, Any]:
    """The attributes of a module, without what it notes for itself."""
    return {name: each for name, each in vars(value).items() if not name.startswith("_self_")}


def paths(root: Any) -> tuple[dict[str, Variable], dict[str, str]]:
    """All variables below an object.

    Returns:
        Each variable by the key of the shortest path to it, and the keys of all other paths to it:
        other key -> key.
    """
    variables: dict[str, Variable] = {}
    keys: dict[int, str] = {}
    others: dict[str, str] = {}
    waiting = deque([("", root, frozenset({id(root)}))])
    while waiting:
        path, value, around = waiting.popleft()
        for name, each in sorted(children(value), key=lambda pair: pair[0]):
            inner = f"{path}/{escaped(name)}" if path else escaped(name)
            if not isinstance(each, Variable):
                if id(each) not in around:
                    waiting.append((inner, each, around | {id(each)}))
            elif id(each) in keys:
                others[inner + SUFFIX] = keys[id(each)]
            else:
                keys[id(each)] = inner + SUFFIX
                variables[inner + SUFFIX] = each
    return variables, others


def escaped(name: str) -> str:
    """A name as a part of a path."""
    return name.replace(".", "..").replace("/", ".S")
