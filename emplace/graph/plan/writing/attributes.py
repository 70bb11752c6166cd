"""Attributes of operations as expressions of a plan, with the numbers that they wait for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ....core.symbolic_value import BackedInt, SymbolicValue, symbolic_values, without_backed_ints
from ....core.tensor import EagerTensor
from ...representation.graph import SymbolicTensor
from ..text import PlanText
from .values import Values


class Attributes:
    """Writes attributes; a tensor that they wait for becomes Python numbers once.

    Args:
        text: gets the lines that make the numbers.
        values: the names of values.
    """

    __slots__ = ("_listed", "_text", "_values")

    def __init__(self, text: PlanText, values: Values) -> None:
        self._text = text
        self._values = values
        # The names of tensors' values as Python numbers.
        self._listed: dict[int, str] = {}

    def written(self, attrs: Mapping[str, Any]) -> dict[str, str]:
        """Attributes as expressions, by their names."""
        return {
            name: self.expression(value) for name, value in attrs.items() if name != "is_implicit"
        }

    def expression(self, value: Any) -> str:
        """One value as an expression."""
        if isinstance(value, SymbolicValue):
            listed = self._numbers(value.tensor)
            if value.place is None:
                return listed
            if value.place == "counter":
                return f"({listed}[0] | {listed}[1] << 64)"
            return f"tuple({listed})" if value.place == "all" else f"{listed}[{value.place}]"
        if type(value) in (bool, int, type(None)):
            return repr(value)
        if type(value) is BackedInt:
            return repr(int(value))
        if type(value) in (tuple, list) and any(True for _ in symbolic_values(value)):
            inner = "".join(f"{self.expression(each)}, " for each in value)
            return f"({inner})" if type(value) is tuple else f"[{inner}]"
        return self._text.bind(without_backed_ints(value), "x")

    def _numbers(self, x: SymbolicTensor) -> str:
        """The name of a tensor's value as Python numbers."""
        root = self._values.root(x)
        found = self._listed.get(id(root))
        if found is None:
            found = self._text.fresh("n")
            self._text.write(f"{found} = numbers({self._values.name(root)})")
            self._listed[id(root)] = found
        return found

    @contextmanager
    def inner(self) -> Iterator[None]:
        """A scope whose numbers end with it."""
        before = dict(self._listed)
        try:
            yield
        finally:
            self._listed = before


def numbers(value: Any) -> Any:
    """A value as Python numbers, while a plan runs."""
    return value._value.tolist() if isinstance(value, EagerTensor) else value.tolist()
