"""Nested structures of lists, tuples, dicts and named tuples (`tf.nest`), on optree.

None is a leaf, dictionaries are walked in the order of their keys. Composite tensors are leaves
unless `expand_composites` asks for the tensors they are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import optree


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves of a structure, in order (`tf.nest.flatten`).

    >>> flatten({"b": 2, "a": [1, (None,)]})
    [1, None, 2]
    """
    if expand_composites:
        return [part for leaf in flatten(structure) for part in _parts(leaf)]
    if not isinstance(structure, (list, tuple, dict)):
        return [structure]
    return optree.tree_leaves(_tree(structure), none_is_leaf=True)


def _tree(structure: Any) -> Any:
    # optree types its trees by their leaves, of which nothing is known here.
    return structure


def _is_composite(leaf: Any) -> bool:
    return hasattr(leaf, "with_components")


def _parts(leaf: Any) -> list[Any]:
    """The tensors a leaf is made of, composites in composites taken apart too."""
    return flatten(leaf.components(), True) if _is_composite(leaf) else [leaf]


def is_nested(structure: Any) -> bool:
    """True for something that has parts (`tf.nest.is_nested`)."""
    return not optree.tree_is_leaf(structure, none_is_leaf=True)


def pack_sequence_as(
    structure: Any, flat_sequence: Iterable[Any], expand_composites: bool = False
) -> Any:
    """The leaves in the shape of a structure (`tf.nest.pack_sequence_as`).

    Raises:
        ValueError: there are more or fewer leaves than the structure has.
    """
    flat = list(flat_sequence)
    if expand_composites:
        return _pack_parts(structure, flat)
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


def _pack_parts(structure: Any, flat: list[Any]) -> Any:
    leaves = flatten(structure)
    counts = [len(_parts(leaf)) for leaf in leaves]
    if sum(counts) != len(flat):
        raise ValueError(
            "Could not pack sequence. Structure had "
            f"{sum(counts)} atoms, but flat_sequence had {len(flat)} items.  "
            f"Structure: {structure}, flat_sequence: {flat}."
        )
    rest = iter(flat)
    packed = [
        _of_parts(leaf, [next(rest) for _ in range(count)])
        for leaf, count in zip(leaves, counts, strict=True)
    ]
    return pack_sequence_as(structure, packed)


def _of_parts(leaf: Any, parts: list[Any]) -> Any:
    """A leaf like this one, made of other tensors."""
    if not _is_composite(leaf):
        return parts[0]
    return leaf.with_components(_pack_parts(leaf.components(), parts))


def map_structure(
    func: Callable[..., Any], *structure: Any, expand_composites: bool = False, **options: Any
) -> Any:
    """Applies `func` to the leaves of structures of one shape (`tf.nest.map_structure`).

    Raises:
        ValueError: the structures differ.
    """
    for other in structure[1:]:
        assert_same_structure(structure[0], other, expand_composites=expand_composites)
    leaves = [flatten(each, expand_composites) for each in structure]
    mapped = [func(*each) for each in zip(*leaves, strict=True)]
    return pack_sequence_as(structure[0], mapped, expand_composites)


def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raises ValueError unless both have the same shape (`tf.nest.assert_same_structure`)."""
    first = optree.tree_structure(nest1, none_is_leaf=True)
    second = optree.tree_structure(nest2, none_is_leaf=True)
    if first != second or (expand_composites and _composites(nest1) != _composites(nest2)):
        raise ValueError(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: {nest1}\n\nSecond structure: {nest2}"
        )


def _composites(structure: Any) -> list[type | None]:
    """The class of each leaf that is a composite, None for the others."""
    return [type(leaf) if _is_composite(leaf) else None for leaf in flatten(structure)]
