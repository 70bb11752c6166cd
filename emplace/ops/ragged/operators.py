"""Binds Python's operators to ragged tensors: those of tensors, which reach the parts by ops."""

from __future__ import annotations

from typing import Any

from ...core.ragged import RaggedTensor
from ...core.tensor import Tensor
from ..math import elementwise


def ragged_equals(self: Any, other: Any) -> Any:
    """x == y: value by value; False for None."""
    return False if other is None else elementwise.equal(self, other)


def ragged_not_equals(self: Any, other: Any) -> Any:
    """x != y: value by value; True for None."""
    return True if other is None else elementwise.not_equal(self, other)


_OWN = {"__getitem__", "__eq__", "__ne__", "__matmul__", "__rmatmul__"}
for _name in sorted(Tensor.OVERLOADABLE_OPERATORS - _OWN):
    setattr(RaggedTensor, _name, getattr(Tensor, _name))
RaggedTensor.__eq__ = ragged_equals  # type: ignore[method-assign]
RaggedTensor.__ne__ = ragged_not_equals  # type: ignore[method-assign]
RaggedTensor.__array_priority__ = 100  # type: ignore[attr-defined]
