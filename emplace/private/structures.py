"""What `tensorflow.python.util.nest` and its neighbours have beside the public names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..base import nest
from ..base.typing import Structure
from ..core.composite import CompositeTensor
from ..core.tensor import Tensor
from ..core.type_spec import TypeSpec
from ..eager.variable import Variable
from ..ops.convert import convert_to_tensor
from ..ops.debugging.assertions import assert_equal

_OTHER_SPLITS = "Inputs must have identical ragged splits"


def is_nested_or_composite(seq: object) -> bool:
    """Tells whether a value has parts: it is a structure, a composite tensor or a spec of one."""
    return nest.is_nested(seq) or isinstance(seq, (CompositeTensor, TypeSpec))


is_sequence_or_composite = is_nested_or_composite


def is_composite_or_composite_value(tensor: object) -> bool:
    """Tells whether a value is a composite tensor."""
    return isinstance(tensor, CompositeTensor)


def replace_composites_with_components(structure: Structure) -> Any:
    """Returns a structure with the parts of composite tensors in their places."""
    if isinstance(structure, CompositeTensor):
        return replace_composites_with_components(list(structure.components()))
    if not nest.is_nested(structure):
        return structure
    flat = nest.flatten(structure)
    return nest.pack_sequence_as(structure, [replace_composites_with_components(x) for x in flat])


def flatten_dict_items(dictionary: Mapping[Any, Any]) -> dict[Any, Any]:
    """Returns a dictionary whose keys, and values, that are structures are taken apart.

    Raises:
        TypeError: it is no dictionary.
        ValueError: a key comes twice, or a key and its value differ in structure.
    """
    if not isinstance(dictionary, Mapping):
        raise TypeError("input must be a dictionary")
    flat: dict[Any, Any] = {}
    for key, value in dictionary.items():
        pairs = [(key, value)]
        if nest.is_nested(key):
            nest.assert_same_structure(key, value)
            pairs = list(zip(nest.flatten(key), nest.flatten(value), strict=True))
        for each, found in pairs:
            if each in flat:
                raise ValueError(f"Cannot flatten dict because this key is not unique: {each}")
            flat[each] = found
    return flat


def flatten_with_tuple_paths(
    structure: Structure, expand_composites: bool = False
) -> list[tuple[tuple[Any, ...], Any]]:
    """Returns the leaves of a structure, each with the path to it."""
    paths = nest.yield_flat_paths(structure, expand_composites)
    return list(zip(paths, nest.flatten(structure, expand_composites), strict=True))


def flatten_with_joined_string_paths(
    structure: Structure, separator: str = "/", expand_composites: bool = False
) -> list[tuple[str, Any]]:
    """Returns the leaves of a structure, each with the path to it as a text.

    Args:
        structure: a nested structure.
        separator: what stands between the steps of a path.
        expand_composites: whether composite tensors have parts.
    """
    found = flatten_with_tuple_paths(structure, expand_composites)
    return [(separator.join(map(str, path)), leaf) for path, leaf in found]


def _mapped(
    paths: Iterator[Any], func: Callable[..., Any], structures: tuple[Any, ...], kwargs: Any
) -> Any:
    expand = kwargs.pop("expand_composites", False)
    if kwargs.pop("check_types", True):
        for other in structures[1:]:
            nest.assert_same_structure(structures[0], other, expand_composites=expand)
    flat = [nest.flatten(each, expand) for each in structures]
    results = [func(path, *leaves, **kwargs) for path, *leaves in zip(paths, *flat, strict=True)]
    return nest.pack_sequence_as(structures[0], results, expand)


def map_structure_with_tuple_paths(
    func: Callable[..., Any], *structure: object, **kwargs: Any
) -> Any:
    """Applies a function to the path and the leaves of each place."""
    return _mapped(nest.yield_flat_paths(structure[0]), func, structure, kwargs)


def map_structure_with_paths(func: Callable[..., Any], *structure: object, **kwargs: Any) -> Any:
    """Applies a function to the path, as a text, and the leaves of each place."""
    paths = ("/".join(map(str, path)) for path in nest.yield_flat_paths(structure[0]))
    return _mapped(paths, func, structure, kwargs)


def map_structure_with_tuple_paths_up_to(
    shallow_tree: Structure, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """Applies a function to the path and the parts at the leaves of a shallower structure."""
    kwargs.pop("check_types", None)
    kwargs.pop("expand_composites", None)
    paths = list(nest.yield_flat_paths(shallow_tree))
    flat = [nest.flatten_up_to(shallow_tree, each) for each in inputs]
    results = [func(path, *parts, **kwargs) for path, *parts in zip(paths, *flat, strict=True)]
    return nest.pack_sequence_as(shallow_tree, results)


def assert_shallow_structure(
    shallow_tree: Structure,
    input_tree: Structure,
    check_types: bool = True,
    expand_composites: bool = False,
) -> None:
    """Raises unless a structure is the upper part of another one.

    Args:
        shallow_tree: the upper part.
        input_tree: the structure.
        check_types: whether the types of sequences count.
        expand_composites: whether composite tensors have parts.
    """
    nest.flatten_up_to(shallow_tree, input_tree, check_types)


def convert_variables_to_tensors(values: Structure) -> Any:
    """Returns a structure with the values of variables in their places."""
    return nest.map_structure(
        lambda x: convert_to_tensor(x) if isinstance(x, Variable) else x, values
    )


def replace_variables_with_atoms(values: Structure) -> Any:
    """Returns a structure with the number 0 in the places of variables."""
    return nest.map_structure(lambda x: 0 if isinstance(x, Variable) else x, values)


def is_resource_variable(var: object) -> bool:
    """Tells whether a value is a variable: all of them are resources."""
    return isinstance(var, Variable)


def assert_splits_match(nested_splits_lists: Sequence[Sequence[Tensor]]) -> list[Any]:
    """Checks that ragged tensors have the same rows (`ops.ragged.ragged_util`).

    Args:
        nested_splits_lists: the `nested_row_splits` of each.

    Returns:
        What a graph has to wait for: the checks of each pair of splits.

    Raises:
        ValueError: they have different numbers of ragged dimensions.
        InvalidArgumentError: their splits differ; in a graph when the checks run.
    """
    first, *others = nested_splits_lists
    if any(len(each) != len(first) for each in others):
        raise ValueError(_OTHER_SPLITS)
    return [
        assert_equal(ours, theirs, message=_OTHER_SPLITS)
        for each in others
        for ours, theirs in zip(first, each, strict=True)
    ]
