"""Tensors made of tensors: sparse, ragged, slices by index.

A composite is a plain Python object that knows its parts. No kernel sees it: ops are applied to
the parts, by functions of its own or by the rules of `ops/composite.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from ..base import nest
from .type_spec import TypeSpec


class CompositeTensor:
    """Base of sparse and ragged tensors and of IndexedSlices, and of libraries' own classes.

    `base/nest.py` knows composites by `components` and `with_components`. A class of a library has
    TensorFlow's protocol instead: its property `_type_spec` is a spec that takes values apart and
    puts them together. What is a tensor to `tf.is_tensor` says so by `is_tensor`.
    """

    is_tensor: ClassVar[bool] = False
    #: Whether it is one resource, of which functions need to ask but once what it holds.
    is_handle: ClassVar[bool] = False
    #: What to say where an op is given one that has no rule for it; "" for the usual sentence.
    refusal: ClassVar[str] = ""

    _type_spec: Any  # of a library's class; not all of ours have one

    def components(self) -> tuple[Any, ...]:
        """The tensors it is made of, in a fixed order."""
        return tuple(nest.flatten(self._type_spec._to_components(self)))

    def with_components(self, components: Sequence[Any]) -> Any:
        """The same kind of composite, made of other tensors."""
        return made_of(self._type_spec, components)

    @property
    def outline(self) -> Any:
        """What a trace of a function depends on besides the tensors."""
        return self._type_spec

    def gradient_parts(self) -> tuple[Any, ...]:
        """The tensor that stands for it as a target or source of `GradientTape.gradient`.

        Raises:
            ValueError: it cannot be one.
        """
        raise ValueError(
            f"Type {type(self).__name__} is not supported as a gradient source or gradient target."
        )

    def with_gradient(self, gradient: Any) -> Any:
        """The gradient of its gradient part as a gradient of the whole."""
        raise NotImplementedError


class UnmadeComposite(CompositeTensor):
    """A composite of a library's class while other things than tensors stand in the places of its
    parts: the class, which may compute with them, is asked when all of them are tensors.

    Args:
        spec: of the composite.
        parts: what stands for its parts.
    """

    def __init__(self, spec: object, parts: Sequence[Any]) -> None:
        self._type_spec = spec
        self._parts = tuple(parts)

    def components(self) -> tuple[Any, ...]:
        """What stands for its parts."""
        return self._parts


def made_of(spec: Any, components: Sequence[Any]) -> Any:
    """The composite that a spec of a library's class makes of parts."""
    if not all(map(_is_value, components)):
        return UnmadeComposite(spec, components)
    return spec._from_components(nest.pack_sequence_as(spec._component_specs, components))


def _is_value(part: object) -> bool:
    if isinstance(part, CompositeTensor):
        return not isinstance(part, UnmadeComposite)
    is_number = isinstance(part, (int, float, complex))
    return is_number or (hasattr(part, "dtype") and not isinstance(part, TypeSpec))


def consumers_of(components: Sequence[Any]) -> list[Any]:
    """The operations of a graph that take one of some tensors, each once."""
    found: dict[int, Any] = {}
    for each in components:
        if getattr(each, "graph", None) is not None:
            found.update((id(operation), operation) for operation in each.consumers())
    return list(found.values())


#: Plain values that stand for composites, as sessions return them: their class, and what makes a
#: composite of one.
PLAIN_VALUES: dict[type, Callable[[Any], CompositeTensor]] = {}


def composite_of(value: Any) -> Any:
    """The composite that a plain value stands for; anything else as it is."""
    make = PLAIN_VALUES.get(type(value))
    return value if make is None else make(value)
