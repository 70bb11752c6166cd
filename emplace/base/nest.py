"""Nested structures of lists, tuples, dicts and named tuples (`tf.nest`).

Other sequences and mappings are structures too, and so are dataclasses that say how they are taken
apart and put together (`__tf_flatten__`, `__tf_unflatten__`); strings, sets, arrays and None are
leaves. Dictionaries are walked in the order of their keys. Composite tensors are leaves unless they
are to be expanded into the tensors they are made of.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, MappingView, Sequence
from typing import Any

from .typing import Structure


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves of a structure, in order (`tf.nest.flatten`).

    >>> flatten({"b": 2, "a": [1, (None,)]})
    [1, None, 2]
    """
    if not _has_parts(structure, expand_composites):
        return [structure]
    leaves: list[Any] = []
    _collect(structure, expand_composites, leaves)
    return leaves


def _collect(structure: Structure, expand_composites: bool, leaves: list[Any]) -> None:
    for part in _parts(structure):
        if _has_parts(part, expand_composites):
            _collect(part, expand_composites, leaves)
        else:
            leaves.append(part)


def is_nested(seq: object) -> bool:
    """True for something that has parts (`tf.nest.is_nested`).

    >>> is_nested([]), is_nested("ab")
    (True, False)
    """
    return _has_parts(seq, False)


# What instances of a type are, remembered: abstract base classes are slow to ask.
_LEAF, _NEST, _DATACLASS, _COMPOSITE = range(4)
_ROLES: dict[type, int] = {}


def _has_parts(structure: Structure | None, expand_composites: bool) -> bool:
    kind = type(structure)
    role = _ROLES.get(kind)
    if role is None:
        role = _ROLES[kind] = _role(kind)
    return _LEAF < role < _COMPOSITE or (expand_composites and role == _COMPOSITE)


def _role(kind: type) -> int:
    if hasattr(kind, "with_components"):
        return _COMPOSITE
    if dataclasses.is_dataclass(kind) and hasattr(kind, "__tf_flatten__"):
        return _DATACLASS if hasattr(kind, "__tf_unflatten__") else _LEAF
    if issubclass(kind, (str, bytes, bytearray, memoryview)):
        return _LEAF
    return _NEST if issubclass(kind, (Mapping, MappingView, Sequence)) else _LEAF


#: What stands for a plain list or dictionary, and which of them.
STANDS_FOR: dict[type, type] = {}


def kind_of(structure: object) -> type:
    """The type of a structure: that of what it stands for."""
    kind = type(structure)
    return STANDS_FOR.get(kind, kind)


def as_plain(structure: Structure) -> Any:
    """A structure with plain lists and dictionaries where others stand for them."""
    if not _has_parts(structure, False):
        return structure
    parts = [as_plain(part) for part in _parts(structure)]
    kind = STANDS_FOR.get(type(structure))
    if kind is None:
        return _like(structure, parts)
    return parts if kind is list else dict(zip(sorted(structure), parts, strict=True))  # type: ignore[call-overload]


def is_flattened(value: object) -> bool:
    """True for a dataclass that says how it is taken apart."""
    kind = type(value)
    role = _ROLES.get(kind)
    if role is None:
        role = _ROLES[kind] = _role(kind)
    return role == _DATACLASS


def taken_apart(value: Any) -> tuple[Any, tuple[Any, ...]]:
    """What a dataclass says of itself besides its parts, and its parts."""
    metadata, parts = value.__tf_flatten__()
    return metadata, tuple(parts)


def put_together(value: Any, parts: Sequence[Any]) -> Any:
    """A dataclass of the same kind, made of other parts."""
    return value.__tf_unflatten__(value.__tf_flatten__()[0], tuple(parts))


def _parts(structure: Any) -> Iterable[Any]:
    """What a structure is made of, in order."""
    if type(structure) is list:
        return structure
    if isinstance(structure, Mapping):
        return [structure[key] for key in sorted(structure)]
    role = _ROLES.get(type(structure))
    if role == _DATACLASS:
        return taken_apart(structure)[1]
    return structure.components() if role == _COMPOSITE else structure  # type: ignore[no-any-return]


def like_mapping(structure: Mapping[Any, Any], parts: Sequence[Any]) -> Any:
    """A mapping of the same kind, of parts in the order of the sorted keys."""
    kind: Any = type(structure)
    found = dict(zip(sorted(structure), parts, strict=True))
    ordered = [(key, found[key]) for key in structure]
    if hasattr(structure, "default_factory"):
        return kind(structure.default_factory, ordered)
    return kind(ordered)


def _like(structure: Any, parts: list[Any]) -> Any:
    """A structure of the same kind, made of other parts."""
    kind: Any = type(structure)
    if isinstance(structure, Mapping):
        return like_mapping(structure, parts)
    role = _ROLES.get(kind)
    if role == _COMPOSITE:
        return structure.with_components(parts)
    if role == _DATACLASS:
        return put_together(structure, parts)
    if hasattr(structure, "_fields"):
        return kind(*parts)
    return parts if isinstance(structure, (range, MappingView)) else kind(parts)


def pack_sequence_as(
    structure: Structure | None, flat_sequence: Any, expand_composites: bool = False
) -> Any:
    """Packs leaves into the shape of a structure (`tf.nest.pack_sequence_as`).

    Args:
        structure: the shape to give them.
        flat_sequence: the leaves, in order.
        expand_composites: composite tensors in `structure` stand for their parts.

    Raises:
        TypeError: `flat_sequence` is no sequence.
        ValueError: there are more or fewer leaves than the structure has.

    >>> pack_sequence_as({"a": 0, "b": [0]}, [1, 2])
    {'a': 1, 'b': [2]}
    """
    if not _has_parts(flat_sequence, False):
        raise TypeError(
            f"Attempted to pack value:\n  {flat_sequence}\ninto a structure, but found "
            f"incompatible type `{type(flat_sequence)}` instead."
        )
    flat = list(flat_sequence)
    if not _has_parts(structure, expand_composites):
        if len(flat) != 1:
            raise ValueError(
                f"The target structure is of type `{type(structure)}`\n  {structure}\nHowever the "
                f"input is a sequence ({type(flat_sequence)}) of length {len(flat)}.\n  {flat}"
            )
        return flat[0]
    leaves = iter(flat)
    try:
        packed = _packed(structure, leaves, expand_composites)
        if next(leaves, _NOTHING) is _NOTHING:
            return packed
    except StopIteration:
        pass
    count = len(flatten(structure, expand_composites))
    raise ValueError(
        f"Could not pack sequence. Structure had {count} atoms, but flat_sequence had "
        f"{len(flat)} items.  Structure: {structure}, flat_sequence: {flat}."
    )


_NOTHING = object()


def _packed(structure: Structure, leaves: Iterator[Any], expand_composites: bool) -> Any:
    if not _has_parts(structure, expand_composites):
        return next(leaves)
    parts = [
        _packed(part, leaves, expand_composites)
        if _has_parts(part, expand_composites)
        else next(leaves)
        for part in _parts(structure)
    ]
    return parts if type(structure) is list else _like(structure, parts)


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Applies `func` to the leaves of structures of one shape (`tf.nest.map_structure`).

    Args:
        func: takes a leaf of each structure.
        structure: the structures.
        kwargs: `check_types` and `expand_composites`, as in `assert_same_structure`.

    Raises:
        ValueError, TypeError: the structures differ; see `assert_same_structure`.

    >>> map_structure(lambda x, y: x + y, [1, {"a": 2}], [10, {"a": 20}])
    [11, {'a': 22}]
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = kwargs.pop("check_types", True)
    expand_composites = kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            "Only valid keyword arguments are `check_types` and `expand_composites`, not: "
            f"`{'`, `'.join(kwargs)}`"
        )
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand_composites)
    leaves = [flatten(part, expand_composites) for part in structure]
    results = [func(*row) for row in zip(*leaves, strict=True)]
    return pack_sequence_as(structure[0], results, expand_composites)


def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Checks that both have the same shape (`tf.nest.assert_same_structure`).

    Args:
        nest1: a structure.
        nest2: another one.
        check_types: a list is no tuple, and one kind of named tuple is not another.
        expand_composites: composite tensors are compared part by part; one may stand opposite to
            a spec of it.

    Raises:
        ValueError: they differ in shape.
        TypeError: they differ in the type of a sequence.
    """
    wrong = _difference(nest1, nest2, bool(check_types), bool(expand_composites))
    if wrong is not None:
        raise type(wrong)(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: {_named(nest1)}\n\nSecond structure: {_named(nest2)}\n\n"
            f"More specifically: {wrong}"
        )


def _difference(
    one: object, other: object, check_types: bool, expand_composites: bool
) -> Exception | None:
    """What is the first difference between two structures, if there is one."""
    nested = [_has_parts(structure, expand_composites) for structure in (one, other)]
    if not any(nested):
        return None
    if expand_composites and (_is_of(one, other) or _is_of(other, one)):
        return None
    if not all(nested):
        whole, leaf = (one, other) if nested[0] else (other, one)
        return ValueError(
            f'Substructure "{_named(whole)}" is a sequence, while substructure "{_named(leaf)}" '
            "is not"
        )
    if check_types and not _same_type(one, other):
        return TypeError(
            "The two namedtuples don't have the same sequence type. First structure "
            f"{_named(one)} has type {type(one).__name__}, while second structure "
            f"{_named(other)} has type {type(other).__name__}"
        )
    if isinstance(one, Mapping) and isinstance(other, Mapping) and set(one) != set(other):
        return ValueError(
            "The two dictionaries don't have the same set of keys. First structure "
            f"{_named(one)} has keys {sorted(one)}, while second structure {_named(other)} has "
            f"keys {sorted(other)}"
        )
    parts, others = list(_parts(one)), list(_parts(other))
    if len(parts) != len(others):
        return ValueError(
            "The two structures don't have the same number of elements. First structure: "
            f"{_named(one)}. Second structure: {_named(other)}"
        )
    for part, another in zip(parts, others, strict=True):
        wrong = _difference(part, another, check_types, expand_composites)
        if wrong is not None:
            return wrong
    return None


def _is_of(value: Any, spec: Any) -> bool:
    """Whether a composite is one of those that a spec describes, of the same dtype and rank."""
    kind = getattr(spec, "value_type", None)
    if not isinstance(kind, type) or not hasattr(spec, "is_compatible_with"):
        return False
    facts = zip(_facts_of(value), _facts_of(spec), strict=True)
    return isinstance(value, kind) and all(a is None or b is None or a == b for a, b in facts)


def _facts_of(composite: Any) -> tuple[Any, ...]:
    """What may not differ between a composite and its spec, where both tell it."""
    rank = getattr(getattr(composite, "shape", None), "rank", None)
    return getattr(composite, "dtype", None), rank, getattr(composite, "ragged_rank", None)


def _same_type(one: object, other: object) -> bool:
    if kind_of(one) is kind_of(other):
        return True
    if hasattr(one, "_fields") and hasattr(other, "_fields"):  # TF: of one name and fields
        return type(one).__name__ == type(other).__name__ and one._fields == other._fields
    return isinstance(one, Mapping) and isinstance(other, Mapping)


def _named(structure: Structure) -> str:
    return f"type={type(structure).__name__} str={structure}"


def flatten_up_to(
    shallow_tree: Structure,
    input_tree: Any,
    check_types: bool = True,
    expand_composites: bool = False,
) -> list[Any]:
    """Returns the parts of a structure at the leaves of a shallower one.

    Args:
        shallow_tree: the shallower structure.
        input_tree: the structure whose parts are asked for.
        check_types: refuse sequences of different types.
        expand_composites: composite tensors count as structures of their parts.

    Raises:
        ValueError, TypeError: the shallow structure does not fit.

    >>> flatten_up_to([0, 0], [1, [2, 3]])
    [1, [2, 3]]
    """
    if not _has_parts(shallow_tree, expand_composites):
        return [input_tree]
    _check_shallow(shallow_tree, input_tree, check_types, expand_composites)
    if isinstance(shallow_tree, Mapping):
        pairs = [(shallow_tree[key], input_tree[key]) for key in sorted(shallow_tree)]
    else:
        pairs = list(zip(_parts(shallow_tree), _parts(input_tree), strict=True))
    return [
        leaf
        for shallow, deep in pairs
        for leaf in flatten_up_to(shallow, deep, check_types, expand_composites)
    ]


def _check_shallow(
    shallow: Structure, deep: Any, check_types: bool, expand_composites: bool
) -> None:
    if not _has_parts(deep, expand_composites):
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. Input has type: "
            f"{type(deep)}."
        )
    if check_types and not _same_type(shallow, deep):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"{type(deep)}, while shallow structure has type {type(shallow)}."
        )
    if isinstance(shallow, Mapping):
        missing = sorted(set(shallow) - set(deep))
        if missing:
            raise ValueError(
                "The shallow_tree's keys are not a subset of the input_tree's keys. The "
                "shallow_tree has the following keys that are not in the input_tree: "
                f"{missing}."
            )
        return
    lengths = [len(list(_parts(each))) for each in (deep, shallow)]
    if lengths[0] != lengths[1]:
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{lengths[0]}, while shallow structure has length {lengths[1]}."
        )


def map_structure_up_to(
    shallow_tree: Structure, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """Applies `func` to the parts of structures at the leaves of a shallower one.

    Args:
        shallow_tree: the shallower structure.
        func: takes a part of each structure.
        inputs: structures that are as deep or deeper.
        kwargs: `check_types` and `expand_composites`, see `flatten_up_to`.

    Raises:
        ValueError, TypeError: there is no structure, or the shallow one does not fit.
    """
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    check_types = kwargs.get("check_types", True)
    expand_composites = kwargs.get("expand_composites", False)
    leaves = [flatten_up_to(shallow_tree, each, check_types, expand_composites) for each in inputs]
    results = [func(*each) for each in zip(*leaves, strict=True)]
    return pack_sequence_as(shallow_tree, results, expand_composites)


def yield_flat_paths(nest: Structure, expand_composites: bool = False) -> Iterator[tuple[Any, ...]]:
    """The keys, fields and places that lead to each leaf, in the order of `flatten`."""
    if not _has_parts(nest, expand_composites):
        yield ()
        return
    keys = sorted(nest) if isinstance(nest, Mapping) else getattr(nest, "_fields", None)
    parts = list(_parts(nest))
    for key, part in zip(keys or range(len(parts)), parts, strict=True):
        for rest in yield_flat_paths(part, expand_composites):
            yield (key, *rest)


def is_mapping(obj: Structure) -> bool:
    """True for dictionaries and their like."""
    return isinstance(obj, Mapping)


def list_to_tuple(structure: Structure) -> Any:
    """The same structure with tuples in place of lists."""
    if not _has_parts(structure, False):
        return structure
    parts = [list_to_tuple(part) for part in _parts(structure)]
    return tuple(parts) if isinstance(structure, list) else _like(structure, parts)
