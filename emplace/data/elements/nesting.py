"""Nested structures as `tf.data` sees them: tuples, dictionaries and dataclasses that can be taken
apart have parts, a list is a tensor.

Dictionaries are walked in the order of their keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...base.nest import is_flattened, like_mapping, put_together, taken_apart
from ...base.typing import Structure
from ...ops.sparse.tensor import SparseTensorValue


def is_nested(value: object) -> bool:
    """Whether a value has parts. A sparse tensor's plain value is no tuple of three."""
    if isinstance(value, (tuple, Mapping)):
        return not isinstance(value, SparseTensorValue)
    return is_flattened(value)


def flatten(value: Any) -> list[Any]:
    """The leaves of a value, in order."""
    if not is_nested(value):
        return [value]
    return [leaf for part in parts_of(value) for leaf in flatten(part)]


def parts_of(value: Any) -> list[Any]:
    """The parts of a value that has some."""
    if isinstance(value, Mapping):
        return [value[key] for key in sorted(value)]
    return list(taken_apart(value)[1] if is_flattened(value) else value)


def rebuilt(value: object, parts: Sequence[Any]) -> Any:
    """A structure of the same kind, made of other parts."""
    if isinstance(value, Mapping):
        return like_mapping(value, parts)
    if is_flattened(value):
        return put_together(value, parts)
    kind: Any = type(value)
    return kind(*parts) if hasattr(value, "_fields") else kind(parts)


def pack_as(value: object, leaves: Sequence[Any]) -> Any:
    """The leaves in the structure of `value`."""
    return _packed(value, iter(leaves))


def _packed(value: object, leaves: Iterator[Any]) -> Any:
    if not is_nested(value):
        return next(leaves)
    return rebuilt(value, [_packed(part, leaves) for part in parts_of(value)])


def map_leaves(function: Callable[[Any], Any], value: object) -> Any:
    """The same structure of what a function makes of the leaves."""
    if not is_nested(value):
        return function(value)
    return rebuilt(value, [map_leaves(function, part) for part in parts_of(value)])


def same_structure(one: object, other: Any) -> bool:
    """Whether two values have the same structure, of whatever kinds of tuples."""
    if is_nested(one) != is_nested(other):
        return False
    if not is_nested(one):
        return True
    if isinstance(one, Mapping) != isinstance(other, Mapping):
        return False
    if isinstance(one, Mapping) and set(one) != set(other):
        return False
    mine, theirs = parts_of(one), parts_of(other)
    return len(mine) == len(theirs) and all(map(same_structure, mine, theirs))


def leaves_up_to(shallow: Structure, deep: Any) -> list[Any]:
    """The parts of `deep` at the leaves of `shallow`.

    Raises:
        TypeError, ValueError: `shallow` does not fit.
    """
    if not is_nested(shallow):
        return [deep]
    if not is_nested(deep):
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. Input has type: "
            f"'{type(deep).__name__}'."
        )
    if isinstance(shallow, Mapping) != isinstance(deep, Mapping):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"'{type(deep).__name__}', while shallow structure has type '{type(shallow).__name__}'."
        )
    mine, theirs = parts_of(shallow), parts_of(deep)
    if isinstance(shallow, Mapping) and len(mine) == len(theirs) and set(shallow) != set(deep):
        raise ValueError(
            f"The two structures don't have the same keys. Input structure has keys {list(deep)}, "
            f"while shallow structure has keys {list(shallow)}."
        )
    if len(mine) != len(theirs):
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{len(theirs)}, while shallow structure has length {len(mine)}."
        )
    return [leaf for a, b in zip(mine, theirs, strict=True) for leaf in leaves_up_to(a, b)]
