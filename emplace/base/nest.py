"""Nested structures of lists, tuples, dicts and named tuples (`tf.nest`), on optree.

None is a leaf, dictionaries are walked in the order of their keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import optree


def flatten(structure: Any) -> list[Any]:
    """The leaves of a structure, in order (`tf.nest.flatten`).

    >>> flatten({"b": 2, "a": [1, (None,)]})
    [1, None, 2]
    """
    if not isinstance(structure, (list, tuple, dict)):
        return [structure]
    return optree.tree_leaves(_tree(structure), none_is_leaf=True)


def _tree(structure: Any) -> Any:
    # optree types its trees by their leaves, of which nothing is known here.
    return structure


def is_nested(structure: Any) -> bool:
    """True for something that has parts (`tf.nest.is_nested`)."""
    return not optree.tree_is_leaf(structure, none_is_leaf=True)


def pack_sequence_as(structure: Any, flat_sequence: Iterable[Any]) -> Any:
    """The leaves in the shape of a structure (`tf.nest.pack_sequence_as`).

    Raises:
        ValueError: there are more or fewer leaves than the structure has.
    """
    flat = list(flat_sequence)
    if not isinstance(structure, (list, tuple, dict)):
        if len(flat) != 1:
            raise ValueError(
                f"The target structure is of type `{type(structure)}`\nHowever the input is a "
                f"sequence ({type(flat)}) of length {len(flat)}."
            )
        return flat[0]
    spec = optree.tree_structure(_tree(structure), none_is_leaf=True)
    if spec.num_leaves != len(flat):
        raise ValueError(
            "Could not pack sequence. Structure had "
            f"{spec.num_leaves} atoms, but flat_sequence had {len(flat)} items.  "
            f"Structure: {structure}, flat_sequence: {flat}."
        )
    return spec.unflatten(flat)


def map_structure(func: Callable[..., Any], *structure: Any, **options: Any) -> Any:
    """Applies `func` to the leaves of structures of one shape (`tf.nest.map_structure`).

    Raises:
        ValueError: the structures differ.
    """
    for other in structure[1:]:
        assert_same_structure(structure[0], other)
    leaves = [flatten(each) for each in structure]
    return pack_sequence_as(structure[0], [func(*each) for each in zip(*leaves, strict=True)])


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Raises ValueError unless both have the same shape (`tf.nest.assert_same_structure`)."""
    first = optree.tree_structure(nest1, none_is_leaf=True)
    second = optree.tree_structure(nest2, none_is_leaf=True)
    if first != second:
        raise ValueError(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: {nest1}\n\nSecond structure: {nest2}"
        )
