"""What libraries ask of structures beside `tf.nest` (`tf.__internal__.nest`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..base import nest
from ..base.typing import Structure


def is_attrs(obj: object) -> bool:
    """Tells whether a value is an object of a class of `attrs`."""
    return hasattr(type(obj), "__attrs_attrs__")


def sequence_like(instance: Any, args: Sequence[Any]) -> Any:
    """Returns a structure of one level like `instance`, with other parts; those of a dictionary are
    in the order of its sorted keys.
    """
    if isinstance(instance, Mapping):
        named = dict(zip(sorted(instance), args, strict=True))
        found = {key: named[key] for key in instance}
        return found if type(instance) is dict else type(instance)(found)  # type: ignore[call-arg]
    if isinstance(instance, tuple) and hasattr(instance, "_fields"):
        return type(instance)(*args)
    return type(instance)(args)


def get_traverse_shallow_structure(
    traverse_fn: Callable[[Any], Any], structure: Structure, expand_composites: bool = False
) -> Any:
    """Returns the shallow structure of True and False that a function chooses.

    Args:
        traverse_fn: tells of a structure whether to go into it: a bool, or a structure of bools for
            its parts.
        structure: a nested structure.
        expand_composites: whether composite tensors have parts.

    Raises:
        TypeError: the function returned something else.
    """
    goes = traverse_fn(structure)
    if not nest.is_nested(structure):
        if not isinstance(goes, bool):
            raise TypeError(
                f"traverse_fn returned structure: {goes} for non-structure: {structure}"
            )
        return goes
    if isinstance(goes, bool):
        if not goes:
            return False
        parts = [
            get_traverse_shallow_structure(traverse_fn, part, expand_composites)
            for part in _parts(structure)
        ]
        return sequence_like(structure, parts)
    if not nest.is_nested(goes):
        raise TypeError(f"traverse_fn returned a non-bool scalar: {goes} for input: {structure}")
    parts = [
        get_traverse_shallow_structure(traverse_fn, part, expand_composites) if into else False
        for into, part in zip(_parts(goes), _parts(structure), strict=True)
    ]
    return sequence_like(structure, parts)


def _parts(structure: Any) -> list[Any]:
    if isinstance(structure, Mapping):
        return [structure[key] for key in sorted(structure)]
    return list(structure)
