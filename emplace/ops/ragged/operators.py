"""Binds Python's operators to ragged tensors: those of tensors, which reach the parts by ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base.errors import InvalidArgumentError
from ...base.typing import TensorLike
from ...core.context import LOCAL
from ...core.ragged import RaggedTensor
from ...core.tensor import Tensor
from ..math import elementwise


def ragged_equals(self: Any, other: Any) -> Any:
    """x == y: value by value; False for None, for another dtype or for rows that do not fit."""
    return _compare(self, other, elementwise.equal, unequal=False)


def ragged_not_equals(self: Any, other: Any) -> Any:
    """x != y: value by value; True for None, for another dtype or for rows that do not fit."""
    return _compare(self, other, elementwise.not_equal, unequal=True)


def _compare(
    x: RaggedTensor, y: TensorLike | None, function: Callable[[Any, Any], Any], unequal: bool
) -> Any:
    if y is None:
        return unequal
    if not _compares_elements():  # TF: as tensors of a graph that a session runs
        return (x is y) is not unequal
    try:
        return function(x, y)
    except InvalidArgumentError:
        return unequal


def _compares_elements() -> bool:
    """Whether eager mode is around what runs or is traced."""
    target: Any = LOCAL.state.target
    return bool(target.is_eager or target.graph.is_below_eager)


_OWN = {"__getitem__", "__eq__", "__ne__", "__matmul__", "__rmatmul__"}
for _name in sorted(Tensor.OVERLOADABLE_OPERATORS - _OWN):
    setattr(RaggedTensor, _name, getattr(Tensor, _name))
RaggedTensor.__eq__ = ragged_equals  # type: ignore[method-assign]
RaggedTensor.__ne__ = ragged_not_equals  # type: ignore[method-assign]
RaggedTensor.__array_priority__ = 100  # type: ignore[attr-defined]
