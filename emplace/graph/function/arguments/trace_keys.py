"""What a trace of a function depends on besides the values of tensors.

A key has the structure of the arguments, what is known of each tensor, and plain values; keys are
equal where one trace serves both calls.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from ....base import nest
from ....base.shapes import TensorShape, covers
from ....base.typing import TensorLike
from ....core.composite import CompositeTensor
from ....core.ragged import outline_of_rows
from ....core.tensor_spec import TensorSpec
from ....core.type_spec import TypeSpec
from ....eager.variable import Variable
from ....ops.array.tensor_array import TensorArray
from ....ops.ragged.spec import RaggedTensorSpec
from ....ops.sparse.tensor import SparseTensorSpec
from ...recording.sparse_arguments import (
    sparse_parts,
)
from .argument_checks import check_hashable


class IdentityKey:
    """An argument that is no tensor and no plain value, as a key: the same object again."""

    __slots__ = ("_number", "_ref")

    def __init__(self, value: TensorLike) -> None:
        self._number = id(value)
        try:
            self._ref: Any = weakref.ref(value)
        except TypeError:
            self._ref = lambda: value

    def __hash__(self) -> int:
        return self._number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IdentityKey) and self._ref() is other._ref() is not None


def outline_of(structure: Any, composites: list[Any] | None = None) -> Any:
    """The structure of arguments as a key; notes the composites in it."""
    if isinstance(structure, dict):
        return dict, tuple(
            [(name, outline_of(structure[name], composites)) for name in sorted(structure)]
        )
    if isinstance(structure, (list, tuple)):
        parts = tuple([outline_of(each, composites) for each in structure])
        return nest.kind_of(structure), parts
    if isinstance(structure, TensorArray):
        return structure.outline
    if isinstance(structure, CompositeTensor):
        if composites is not None:
            composites.append(structure)
        return structure.outline
    if isinstance(structure, RaggedTensorSpec) and structure.ragged_rank:
        return outline_of_rows(structure.row_lengths())
    if nest.is_flattened(structure):
        metadata, inner = nest.taken_apart(structure)
        kind = type(structure), _plain_key(metadata)
        return kind, tuple([outline_of(each, composites) for each in inner])
    return None


def _plain_key(value: Any) -> Any:
    """What a dataclass says of itself, as a key; lists and dictionaries may be among it."""
    if isinstance(value, dict):
        return dict, tuple([(name, _plain_key(value[name])) for name in sorted(value)])
    if isinstance(value, (list, tuple)):
        return type(value), tuple(map(_plain_key, value))
    check_hashable(value)
    return type(value), value


def leaf_names(parameters: Sequence[str], outline: Any) -> list[str]:
    """The names of the leaves of arguments, such as "x", "batch.images" and "states[1]"."""
    parts = zip(parameters, outline[1], strict=True)
    return [leaf for name, part in parts for leaf in _names_below(name, part)]


def _names_below(around: str, outline: Any) -> list[str]:
    if not isinstance(outline, tuple):
        return [around]
    kind, parts = outline
    if kind is dict:
        return [leaf for key, part in parts for leaf in _names_below(f"{around}.{key}", part)]
    return [leaf for i, part in enumerate(parts) for leaf in _names_below(f"{around}[{i}]", part)]


def part_text(part: Any) -> str:
    """A part of a key for people."""
    kind, value = part
    if kind is Variable or isinstance(value, IdentityKey):
        return "another object"
    if isinstance(kind, type):
        return repr(value)
    return f"{kind.name} of shape {TensorShape(value)}"


def is_spec_part(part: Any) -> bool:
    """Whether a part of a key is what is known of a tensor: its dtype and dimensions."""
    return not isinstance(part[0], type)


def key_with_specs(key: Any, specs: list[Any]) -> Any:
    """The key with other specs of tensors."""
    remaining = iter(specs)
    parts = tuple(next(remaining) if is_spec_part(part) else part for part in key[1])
    return key[0], parts, key[2]


def is_wider(wider: Sequence[Any], parts: Sequence[Any]) -> bool:
    """Whether the trace for the parts `wider` serves a call with these parts."""
    return len(wider) == len(parts) and all(
        a == b if not (is_spec_part(a) and is_spec_part(b)) else a[0] is b[0] and covers(a[1], b[1])
        for a, b in zip(wider, parts, strict=True)
    )


def key_by_signature(key: list[Any], signature: Any) -> list[Any]:
    """A key in which tensors count as what the signature says of them."""
    wanted: list[Any] = []
    for spec in nest.flatten(signature):
        if isinstance(spec, TensorSpec):
            wanted.append((spec.dtype, spec.shape._dims))
        elif isinstance(spec, SparseTensorSpec):
            wanted += sparse_parts(spec.dtype, spec.shape)
        elif hasattr(spec, "components"):
            below = nest.flatten(spec, expand_composites=True)
            wanted += [(each.dtype, each.shape._dims) for each in below]
        elif isinstance(spec, TypeSpec):  # of a composite, which the key tells by its tensors
            wanted += [None] * spec.component_count
    remaining = iter(wanted)
    return [(next(remaining, None) or part) if is_spec_part(part) else part for part in key]
