"""Values that may be missing: `tf.experimental.Optional`.

In graphs an optional is one scalar tensor of dtype variant, as a TensorArray is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.typing import TensorLike
from ...core.composite import CompositeTensor
from ...core.tensor import Tensor
from ...core.tensor_list import TensorList
from ...core.type_spec import TypeSpec
from ...ops.infer import Spec
from ...ops.op import CPU_ONLY, apply, op
from .structure import KINDS, SPECS, LeafKind, Structure, spec_of, with_tensors

_HERE = np.array(True)


def something(values: Sequence[Any]) -> TensorList:
    """An Optional's raw value: a list whose first item stands for "there is a value"."""
    return TensorList([_HERE, *values])


def from_value_kernel(*values: Any) -> TensorList:
    """One with a value."""
    return something(values)


def none_kernel() -> TensorList:
    """One without."""
    return TensorList([])


def has_value_kernel(optional: TensorList) -> torch.Tensor:
    """Whether there is one."""
    return torch.tensor(bool(optional.items))


def get_value_kernel(optional: TensorList, *, structure: Structure) -> list[Any]:
    """The value."""
    if not optional.items:
        raise invalid_argument("The given optional does not have a value.")
    return optional.items[1:]


def _variant(*inputs: Spec, **attrs: Any) -> Spec:
    return Spec((), dtypes.variant)


def _truth(*inputs: Spec, **attrs: Any) -> Spec:
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
    device_types=CPU_ONLY, peer_access="everything", is_listed=False,
)  # fmt: skip
GET_VALUE = op(
    "OptionalGetValue", "optional: variant -> components: N * any", get_value_kernel, _components,
    aliases=True, is_listed=False,
)  # fmt: skip


class _KeptStructure:
    """The structure of the last value; values that a function returns again and again share it."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: Structure | None = None

    def structure(self, spec: Any) -> Structure:
        """The structure of values of a spec."""
        last = self._last
        if last is None or last.spec is not spec:
            self._last = last = Structure(spec)
        return last


class Optional(CompositeTensor):
    """A value that may be missing (`tf.experimental.Optional`).

    >>> bool(Optional.from_value(3).has_value())
    True
    """

    def __init__(self, element_spec: TypeSpec, variant: Any) -> None:
        # Keras sets it where the spec of a missing value is learnt later.
        self._element_spec = element_spec
        self._variant = variant
        self._kept = _KeptStructure()

    @staticmethod
    def from_value(value: TensorLike) -> Optional:
        """One with a value."""
        element = with_tensors(value)
        spec = spec_of(element)
        return Optional(spec, apply(FROM_VALUE, tuple(Structure(spec).tensors(element))))

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """One without a value, whose value would be of `element_spec`."""
        return Optional(element_spec, apply(NONE, ()))

    @property
    def element_spec(self) -> Any:
        """The specs of what the value is made of."""
        return self._element_spec

    def has_value(self, name: str | None = None) -> Tensor:
        """Whether there is a value: a tensor."""
        return apply(HAS_VALUE, (self._variant,))

    def get_value(self, name: str | None = None) -> Any:
        """The value.

        Raises:
            InvalidArgumentError: there is none.
        """
        structure = self._kept.structure(self._element_spec)
        made = apply(GET_VALUE, (self._variant,), {"structure": structure})
        return structure.value(made if isinstance(made, list | tuple) else [made])

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self.element_spec)

    @property
    def outline(self) -> str:
        """What a trace depends on besides the tensor."""
        return f"optional of {self.element_spec!r}"

    def components(self) -> tuple[Any, ...]:
        """The tensor that it is in."""
        return (self._variant,)

    def with_components(self, components: Sequence[Any]) -> Optional:
        """The same kind of value in another tensor."""
        made = Optional(self._element_spec, components[0])
        made._kept = self._kept
        return made


class OptionalSpec(TypeSpec):
    """The type of values that may be missing (`tf.OptionalSpec`)."""

    value_type = Optional

    def __init__(self, element_spec: Any) -> None:
        self.element_spec = element_spec

    @classmethod
    def from_value(cls, value: Any) -> OptionalSpec:
        """The type of an Optional."""
        return cls(value.element_spec)

    def _serialize(self) -> tuple[Any, ...]:
        return (self.element_spec,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OptionalSpec) and self.element_spec == other.element_spec

    def __hash__(self) -> int:
        return hash(repr(self.element_spec))

    def __repr__(self) -> str:
        return f"OptionalSpec({self.element_spec!r},)"


class Optionals(LeafKind):
    """Values that may be missing as elements."""

    def components(self, spec: object) -> tuple[Spec, ...]:
        """The shapes and dtypes of the raw values."""
        return (Spec((), dtypes.variant),)

    def value(self, spec: Any, tensors: Sequence[Any]) -> Any:
        """The leaf that is made of tensors."""
        return Optional(spec.element_spec, tensors[0])

    def parts(self, value: Any) -> tuple[Any, ...]:
        """The tensors that a leaf is made of."""
        return (value._variant,)


KINDS[OptionalSpec] = Optionals()
SPECS[Optional] = OptionalSpec.from_value
