"""One dimension of a shape: an int, or None where it is unknown; and TF 1's objects for it.

Messages are TensorFlow's.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any


def as_dimension(value: Any) -> int | None:
    """`value` as a dimension: an int of at least 0, or None.

    Raises:
        TypeError: not an integer.
        ValueError: negative.
    """
    if value is None:
        return None
    if isinstance(value, Dimension):
        return value.value
    try:
        size = operator.index(value)
    except (TypeError, AttributeError):
        raise TypeError(
            "Dimension value must be integer or None or have an __index__ method, "
            f"got value '{value!r}' with type '{type(value)!r}'"
        ) from None
    if size < 0:
        raise ValueError(f"Dimension {size} must be >= 0")
    return size


class Dimension:
    """One dimension of a TF 1 shape (`tf.compat.v1.Dimension`); `value` is an int or None.

    Sums, differences, products, quotients and remainders with an unknown dimension are unknown;
    comparisons with one are None.

    Raises:
        TypeError: the value is not an integer.
        ValueError: it is negative.

    >>> Dimension(6) // 2, Dimension(6) + None, 7 - Dimension(6)
    (Dimension(3), Dimension(None), Dimension(1))
    """

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value: int | None = as_dimension(value)

    def __reduce__(self) -> tuple[Any, ...]:
        return Dimension, (self.value,)

    def __repr__(self) -> str:
        return f"Dimension({self.value})"

    def __str__(self) -> str:
        return "?" if self.value is None else str(self.value)

    def __index__(self) -> int:
        return operator.index(self.value)  # type: ignore[arg-type]  # None: a clear TypeError

    __int__ = __index__

    def __bool__(self) -> bool:
        return bool(self.value)

    def __hash__(self) -> int:
        return hash(self.value)

    def is_compatible_with(self, other: object) -> bool:
        """True if both are equal or one is unknown."""
        value = as_dimension(other)
        return self.value is None or value is None or self.value == value

    def assert_is_compatible_with(self, other: object) -> None:
        """Raises ValueError unless both are equal or one is unknown."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: object) -> Dimension:
        """What both know together.

        Raises:
            ValueError: they contradict each other.
        """
        self.assert_is_compatible_with(other)
        return Dimension(as_dimension(other) if self.value is None else self.value)

    def _compared(self, other: object, compare: Callable[[Any, Any], bool]) -> Any:
        try:
            value = as_dimension(other)
        except (TypeError, ValueError):
            return NotImplemented
        return None if self.value is None or value is None else compare(self.value, value)

    def __eq__(self, other: object) -> Any:
        return self._compared(other, operator.eq)

    def __ne__(self, other: object) -> Any:
        return self._compared(other, operator.ne)

    def __lt__(self, other: object) -> Any:
        return self._compared(other, operator.lt)

    def __le__(self, other: object) -> Any:
        return self._compared(other, operator.le)

    def __gt__(self, other: object) -> Any:
        return self._compared(other, operator.gt)

    def __ge__(self, other: object) -> Any:
        return self._compared(other, operator.ge)

    def _with(
        self, other: object, compute: Callable[[int, int], int], swapped: bool = False
    ) -> Any:
        try:
            value = as_dimension(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self.value is None or value is None:
            return Dimension(None)
        return Dimension(compute(value, self.value) if swapped else compute(self.value, value))

    def __add__(self, other: object) -> Any:
        return self._with(other, operator.add)

    def __sub__(self, other: object) -> Any:
        return self._with(other, operator.sub)

    def __rsub__(self, other: object) -> Any:
        return self._with(other, operator.sub, swapped=True)

    def __mul__(self, other: object) -> Any:
        return self._with(other, operator.mul)

    def __floordiv__(self, other: object) -> Any:
        return self._with(other, operator.floordiv)

    def __rfloordiv__(self, other: object) -> Any:
        return self._with(other, operator.floordiv, swapped=True)

    def __mod__(self, other: object) -> Any:
        return self._with(other, operator.mod)

    def __rmod__(self, other: object) -> Any:
        return self._with(other, operator.mod, swapped=True)

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other: object) -> Any:
        raise _no_quotient("Dimension", type(other).__name__)

    def __rtruediv__(self, other: object) -> Any:
        raise _no_quotient(type(other).__name__, "Dimension")


def _no_quotient(left: str, right: str) -> TypeError:
    return TypeError(
        f"unsupported operand type(s) for /: '{left}' and '{right}', please use // instead"
    )


class Size(int):
    """A known dimension of a TF 1 shape: an int that has `value`, as `Dimension` has."""

    __slots__ = ()

    @property
    def value(self) -> int:
        """The size."""
        return int(self)
