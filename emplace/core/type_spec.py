"""What is known of a value before it exists: the base of all specs."""

from __future__ import annotations

from typing import Any


class TypeSpec:
    """The type of a value: a tensor, a composite, a dataset, an iterator (`tf.TypeSpec`).

    Subclasses are equal where they mean the same, and say which values they are compatible with.
    """

    __slots__ = ()

    value_type: Any = None

    @property
    def component_count(self) -> int:
        """How many tensors a value of it is made of."""
        return 1

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value, or the values of another spec, fit this one."""
        if isinstance(spec_or_value, TypeSpec):
            return self == spec_or_value
        return self.value_type is not None and isinstance(spec_or_value, self.value_type)

    def is_subtype_of(self, other: Any) -> bool:
        """Whether all values of this spec are values of the other one."""
        return isinstance(other, TypeSpec) and other.is_compatible_with(self)

    def most_specific_compatible_type(self, other: Any) -> Any:
        """The narrowest spec that covers both.

        Raises:
            ValueError: there is none.
        """
        if self == other:
            return self
        raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
