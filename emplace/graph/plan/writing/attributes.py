"""Attributes of operations as expressions of a plan, with the numbers that they wait for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ....core.symbolic_value import BackedInt, SymbolicValue, symbolic_values, without_backed_ints
from ....core.tensor import EagerTensor
from ....devices.known import known
from ....devices.late import look
from ...representation.graph import Operation, SymbolicTensor
from ..text import PlanText
from .values import Values


class Attributes:
    """Writes attributes; a tensor that they wait for becomes Python numbers once.

    Args:
        text: gets the lines that make the numbers.
        values: the names of values.
    """

    __slots__ = ("_listed", "_operation", "_text", "_values")

    def __init__(self, text: PlanText, values: Values) -> None:
        self._text = text
        self._values = values
        self._operation: Operation | None = None
        # The names of tensors' values as Python numbers.
        self._listed: dict[int, str] = {}

    def written(
        self, attrs: Mapping[str, Any], operation: Operation | None = None
    ) -> dict[str, str]:
        """Attributes, those of `operation`, as expressions by their names."""
        self._operation = operation
        return {
            name: self.expression(value) for name, value in attrs.items() if name != "is_implicit"
        }

    def expression(self, value: Any) -> str:
        """One value as an expression."""
        if isinstance(value, SymbolicValue):
            return self._symbolic(value, self._numbers(value.tensor))
        if type(value) in (bool, int, type(None)):
            return repr(value)
        if type(value) is BackedInt:
            return repr(int(value))
        if type(value) in (tuple, list) and any(True for _ in symbolic_values(value)):
            inner = "".join(f"{self.expression(each)}, " for each in value)
            return f"({inner})" if type(value) is tuple else f"[{inner}]"
        return self._text.bind(without_backed_ints(value), "x")

    def _symbolic(self, value: SymbolicValue, listed: str) -> str:
        """A number of a tensor, or all of them, out of the name of its value."""
        dims = value.tensor.dims
        if value.place == "counter":
            return f"({listed}[0] | {listed}[1] << 64)"
        if dims is None and value.place in (None, "all"):  # one number or several
            return f"{self._text.bind(value.value, 'x')}({listed})"
        if value.place is None:
            return f"{listed}[0]" if dims else listed
        if value.place == "all":
            return f"tuple({listed})" if dims else f"({listed},)"
        return f"{listed}[{value.place}]"

    def _numbers(self, x: SymbolicTensor) -> str:
        """The name of a tensor's value as Python numbers."""
        root = self._values.root(x)
        found = self._listed.get(id(root))
        if found is None:
            found = self._text.fresh("n")
            self._text.write(f"{found} = numbers({self._values.name(root)})")
            self._listed[id(root)] = found
            if self._operation is not None:
                what = f"the value of `{x.name}`"
                self._text.note_read(self._operation, x, self._values.device(root), what)
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
    raw = value._value if isinstance(value, EagerTensor) else value
    elements = known(raw)
    if elements is not None:
        return elements.tolist()
    found = raw.tolist()
    if not getattr(raw, "is_cpu", True):
        look(raw.device)
    return found
