"""Optionals: an element, or the knowledge that there is none.

In graphs an optional is one scalar tensor of dtype variant, as a TensorArray is: its raw value is
a list whose first item stands for "there is a value", and the components after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ..base import dtypes
from ..base.errors import invalid_argument
from ..core.composite import CompositeTensor
from ..core.tensor_list import TensorList
from ..core.type_spec import TypeSpec
from ..ops.infer import Spec
from ..ops.op import CPU_ONLY, apply, op
from .iterator import Iterator, IteratorState
from .structure import Structure, spec_of, to_element

_HERE = np.array(True)


def from_value_kernel(*components: Any) -> TensorList:
    """An optional that holds components."""
    return TensorList([_HERE, *components])


def none_kernel() -> TensorList:
    """An optional that holds nothing."""
    return TensorList([])


def has_value_kernel(optional: TensorList) -> torch.Tensor:
    """Whether it holds something."""
    return torch.tensor(bool(optional.items))


def get_value_kernel(optional: TensorList, *, structure: Structure) -> list[Any]:
    """What it holds."""
    if not optional.items:
        raise invalid_argument("The given optional does not have a value.")
    return optional.items[1:]


def next_optional_kernel(iterator: IteratorState) -> TensorList:
    """The next element of an iterator, if there is one."""
    try:
        return TensorList([_HERE, *iterator.next()])
    except StopIteration:
        return TensorList([])


def _variant(*inputs: Spec, **attrs: Any) -> Spec:
    return Spec((), dtypes.variant)


def _truth(*inputs: Spec) -> Spec:
    return Spec((), dtypes.bool_)


def _components(*inputs: Spec, structure: Structure) -> tuple[Spec, ...]:
    return structure.components


FROM_VALUE = op(
    "OptionalFromValue", "components: N * any -> optional: variant", from_value_kernel, _variant,
    aliases=True, is_listed=False,
)  # fmt: skip
NONE = op("OptionalNone", "-> optional: variant", none_kernel, _variant, is_listed=False)
HAS_VALUE = op(
    "OptionalHasValue", "optional: variant -> has_value: bool", has_value_kernel, _truth,
    on=CPU_ONLY, is_listed=False,
)  # fmt: skip
GET_VALUE = op(
    "OptionalGetValue", "optional: variant -> components: N * any", get_value_kernel, _components,
    aliases=True, is_listed=False,
)  # fmt: skip
NEXT_OPTIONAL = op(
    "IteratorGetNextAsOptional", "iterator: resource -> optional: variant",
    next_optional_kernel, _variant, on=CPU_ONLY, stateful=True, is_listed=False,
)  # fmt: skip


class Optional(CompositeTensor):
    """A value that may be missing (`tf.experimental.Optional`).

    >>> import emplace.tensorflow as tf
    >>> some = tf.experimental.Optional.from_value([1.0, 2.0])
    >>> bool(some.has_value()), some.get_value().numpy().tolist()
    (True, [1.0, 2.0])
    """

    def __init__(self, variant: Any, element_spec: Any) -> None:
        self._variant = variant
        # Keras sets it, where the spec of a missing value is learnt later.
        self._element_spec = element_spec

    @staticmethod
    def from_value(value: Any) -> Optional:
        """An optional that holds a value: tensors, or a nested structure of them."""
        value = to_element(value)
        spec = spec_of(value)
        return Optional(apply(FROM_VALUE, tuple(Structure(spec).tensors(value))), spec)

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """An optional that holds nothing, of the type of those that hold values of a spec."""
        return Optional(apply(NONE, ()), element_spec)

    @property
    def element_spec(self) -> Any:
        """The spec of the value."""
        return self._element_spec

    def has_value(self, name: str | None = None) -> Any:
        """Whether there is a value: a bool scalar."""
        return apply(HAS_VALUE, (self._variant,))

    def get_value(self, name: str | None = None) -> Any:
        """The value.

        Raises:
            InvalidArgumentError: there is none.
        """
        structure = Structure(self._element_spec)
        made = apply(GET_VALUE, (self._variant,), {"structure": structure})
        return structure.value(made if isinstance(made, list) else [made])

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self._element_spec)

    @property
    def outline(self) -> str:
        """What a trace depends on besides the value."""
        return f"optional of {self._element_spec!r}"

    def components(self) -> tuple[Any, ...]:
        """The variant."""
        return (self._variant,)

    def with_components(self, components: Sequence[Any]) -> Optional:
        """An optional of the same type."""
        return Optional(components[0], self._element_spec)

    def __repr__(self) -> str:
        return f"<Optional element_spec={self._element_spec!r}>"


class OptionalSpec(TypeSpec):
    """The type of optionals (`tf.OptionalSpec`).

    Args:
        element_spec: the spec of the value.
    """

    __slots__ = ("_element_spec",)

    value_type = Optional

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @staticmethod
    def from_value(value: Optional) -> OptionalSpec:
        """The type of an optional."""
        return OptionalSpec(value.element_spec)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a spec or an optional is of this type."""
        return bool(self == getattr(spec_or_value, "_type_spec", spec_or_value))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OptionalSpec) and self._element_spec == other._element_spec

    def __hash__(self) -> int:
        return hash(repr(self._element_spec))

    def __repr__(self) -> str:
        return f"OptionalSpec({self._element_spec!r})"


def get_next_as_optional(iterator: Iterator) -> Optional:
    """The next element of an iterator as an optional, empty at its end
    (`tf.data.experimental.get_next_as_optional`)."""
    return Optional(apply(NEXT_OPTIONAL, (iterator._handle,)), iterator.element_spec)


Iterator.get_next_as_optional = get_next_as_optional  # type: ignore[attr-defined]
