"""Operators of variables: those of tensors, on the value; none changes a variable in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.tensor import Tensor

# What a program wrote, what changes the variable, and what makes a tensor.
_IN_PLACE = {
    "__iadd__": ("variable += value", "variable.assign_add(value)", "variable + value"),
    "__isub__": ("variable -= value", "variable.assign_sub(value)", "variable - value"),
    "__imul__": ("var *= value", "var.assign(var * value)", "var * value"),
    "__itruediv__": ("var /= value", "var.assign(var / value)", "var / value"),
    "__ipow__": ("var **= value", "var.assign(var ** value)", "var ** value"),
}


def bind_operators(kind: type) -> None:
    """Gives a class of variables the operators of tensors, which work on `value()`, and refusals of
    those in place.
    """
    own = {"__eq__", "__ne__", "__getitem__"}
    for name in Tensor.OVERLOADABLE_OPERATORS - own:
        setattr(kind, name, _operator(getattr(Tensor, name)))
    for name, texts in _IN_PLACE.items():
        setattr(kind, name, _refusal(*texts))
    # Libraries call this for classes of theirs that wrap a variable and have another `value()`.
    kind._OverloadAllOperators = classmethod(bind_operators)  # type: ignore[attr-defined]


def _refusal(wrong: str, change: str, compute: str) -> Callable[..., Any]:
    def operator(self: Any, value: Any) -> Any:
        raise RuntimeError(
            f"`{wrong}` with `tf.Variable`s is not supported. Use `{change}` to modify the "
            f"variable, or `out = {compute}` if you need to get a new output Tensor."
        )

    return operator


def _operator(on_tensors: Callable[..., Any]) -> Callable[..., Any]:
    def operator(self: Any, *others: Any) -> Any:
        return on_tensors(self.value(), *others)

    return operator
