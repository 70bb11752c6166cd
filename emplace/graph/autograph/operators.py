"""Operators of converted code, which see tensors: `and`, `or`, `not`, `==`, `!=`, `assert`; with
`Feature.LISTS` appending to arrays of tensors, and reading and assigning items.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from malt.operators import data_structures, slices

from ...base.dtypes import bool_
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ...ops.array.scattering import tensor_scatter_nd_update
from ...ops.array.tensor_array import TensorArray
from ...ops.convert import to_tensor
from ...ops.debugging.checks import Assert
from ...ops.math.elementwise import equal, logical_not, not_equal
from .branches import conditional
from .symbols import is_symbolic, is_tensor


def not_(a: TensorLike) -> Any:
    """`not a`."""
    if not is_tensor(a):
        return not a
    tensor = to_tensor(a)
    if tensor.dtype is not bool_:
        raise TypeError(
            f"Input 'x' of 'LogicalNot' Op has type {tensor.dtype.name} that does not match "
            "expected type of bool."
        )
    return logical_not(tensor)


def and_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a and b`; b is not computed where a does not hold."""
    first = a()
    if not is_symbolic(first):
        return first and b()
    return conditional(first, (lambda: [b()], lambda: [first]), ("and",))[0]


def or_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a or b`; b is not computed where a holds."""
    first = a()
    if not is_symbolic(first):
        return first or b()
    return conditional(first, (lambda: [first], lambda: [b()]), ("or",))[0]


def eq(a: TensorLike, b: TensorLike) -> Any:
    """`a == b`."""
    return equal(a, b) if is_symbolic(a) or is_symbolic(b) else a == b


def not_eq(a: TensorLike, b: TensorLike) -> Any:
    """`a != b`."""
    return not_equal(a, b) if is_symbolic(a) or is_symbolic(b) else a != b


def assert_stmt(expression1: Any, expression2: Callable[[], Any]) -> None:
    """`assert expression1, expression2()`."""
    if is_symbolic(expression1):
        Assert(expression1, [expression2()])
        return
    assert expression1, expression2()


def list_append(list_: Any, x: Any) -> Any:
    """`list.append(x)`; returns the list to go on with."""
    if isinstance(list_, TensorArray):
        return list_.write(list_.size(), x)
    return data_structures.list_append(list_, x)


def get_item(target: Any, i: Any, opts: Any) -> Any:
    """`target[i]`."""
    if isinstance(target, TensorArray):
        return target.read(i)
    return slices.get_item(target, i, opts)


def set_item(target: Any, i: Any, x: Any) -> Any:
    """`target[i] = x`; returns what to go on with."""
    if isinstance(target, TensorArray):
        return target.write(i, x)
    if isinstance(target, Tensor) and is_symbolic(target):
        return tensor_scatter_nd_update(target, [[i]], [x])
    return slices.set_item(target, i, x)
