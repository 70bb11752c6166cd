"""Binds Python's operators to tensors: the last file of the layer, because it uses all of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from ..base import dtypes
from ..base.dtypes import as_dtype
from ..base.errors import InvalidArgumentError
from ..base.shapes import broadcast
from ..base.typing import TensorLike
from ..core.composite import CompositeTensor
from ..core.context import LOCAL, device
from ..core.tensor import EagerTensor, Tensor
from ..devices.inventory import find_devices
from . import convert
from .array import shaping, slicing
from .linalg import products
from .math import bitwise, elementwise
from .op import Op

# Operators win over NumPy's when an array stands on the left.
Tensor.__array_priority__ = 100  # type: ignore[attr-defined]


def _both_ways(name: str, function: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    def operator(self: Any, other: object) -> Any:
        if type(other) is not EagerTensor and _is_foreign(other):
            return NotImplemented
        try:
            return function(self, other)
        except (TypeError, ValueError):
            answer = _answer_of_right(f"__r{name}__", self, other)
            if answer is NotImplemented:
                raise
            return answer

    def reflected(self: Any, other: Any) -> Any:
        if _is_foreign(other):
            return NotImplemented
        try:
            other = convert.to_tensor(other, dtype=_for_left(other, self))
        except TypeError:
            if not isinstance(self, CompositeTensor):
                raise
            other = convert.to_tensor(other)
        return function(other, self)

    return operator, reflected


def _answer_of_right(method: str, x: Tensor, other: object) -> Any:
    """What an object that cannot be a tensor says of one on its left; NotImplemented if nothing.

    TF: it is asked after a conversion has failed, and its error is that of the conversion.
    """
    plain = (bool, int, float, complex, str, bytes, list, tuple, np.ndarray, np.generic)
    if convert.is_tensor_like(other) or isinstance(other, (CompositeTensor, *plain)):
        return NotImplemented
    own = getattr(type(other), method, None)
    try:
        return NotImplemented if own is None else own(other, x)
    except (TypeError, ValueError):
        return NotImplemented


def _for_left(other: Any, right: Any) -> Any:
    """The dtype a left operand that is no tensor must take: the right one's."""
    return None if convert.is_tensor_like(other) else right.dtype


def _is_foreign(other: object) -> bool:
    """True for objects that know better what to do with a tensor on their left."""
    known = isinstance(other, (Tensor, torch.Tensor))
    return not known and getattr(other, "__array_priority__", 0) > 100


def _directly(name: str, op: Op, function: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    """The same for functions that are one op: of two eager tensors of a kind of number it needs no
    more.
    """
    with_care, reflected = _both_ways(name, function)

    def operator(self: Any, other: Any) -> Any:
        if type(other) is EagerTensor and type(self) is EagerTensor and self._kind is other._kind:
            dtype = self._kind.dtype
            if dtype is not dtypes.string and dtype is not dtypes.bool_:
                state = LOCAL.state
                return state.target.apply_few(state, op, self, other)
        return with_care(self, other)

    return operator, reflected


def _add(x: Tensor, y: TensorLike) -> Tensor:
    return elementwise.concatenate(x, y) if x.dtype is dtypes.string else elementwise.add(x, y)


def _multiply(x: Any, y: Any) -> Any:
    """x * y, where a tensor of bools among them makes the result one: TF's operator does so, its
    function does not.
    """
    try:
        return elementwise.multiply(x, y)
    except (InvalidArgumentError, TypeError, ValueError):
        if not _is_bool(x) and not _is_bool(y):
            raise
    product = elementwise.multiply(
        elementwise.cast(x, dtypes.int32), elementwise.cast(y, dtypes.int32)
    )
    return elementwise.cast(product, dtypes.bool_)


def _is_bool(value: object) -> bool:
    return isinstance(value, Tensor) and value.dtype is dtypes.bool_


def _logical(
    on_bools: Callable[[Any, Any], Any], on_bits: Callable[[Any, Any], Any]
) -> Callable[[Any, Any], Any]:
    def function(x: Any, y: Any) -> Any:
        return on_bools(x, y) if x.dtype is dtypes.bool_ else on_bits(x, y)

    return function


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "truediv": elementwise.truediv,
    "floordiv": elementwise.floordiv,
    "mod": elementwise.floormod,
    "pow": elementwise.pow,
    "matmul": products.matmul,
    "and": _logical(elementwise.logical_and, bitwise.bitwise_and),
    "or": _logical(elementwise.logical_or, bitwise.bitwise_or),
    "xor": _logical(elementwise.logical_xor, bitwise.bitwise_xor),
}


_DIRECT: dict[str, tuple[Op, Callable[[Any, Any], Any]]] = {
    "add": (elementwise.ADD, _add),
    "sub": (elementwise.SUB, elementwise.subtract),
    "mul": (elementwise.MUL, _multiply),
}


def _bind() -> None:
    pairs = {name: _both_ways(name, function) for name, function in _ARITHMETIC.items()}
    pairs |= {name: _directly(name, *each) for name, each in _DIRECT.items()}
    for name, (operator, reflected) in pairs.items():
        setattr(Tensor, f"__{name}__", operator)
        setattr(Tensor, f"__r{name}__", reflected)
    comparisons = {
        "lt": elementwise.less,
        "le": elementwise.less_equal,
        "gt": elementwise.greater,
        "ge": elementwise.greater_equal,
    }
    for name, function in comparisons.items():
        operator, _ = _both_ways(name, function)
        setattr(Tensor, f"__{name}__", operator)


def _neg(self: Tensor) -> Tensor:
    return elementwise.negative(self)


def _abs(self: Tensor) -> Any:
    return elementwise.abs(self)


def _invert(self: Tensor) -> Tensor:
    if self.dtype is dtypes.bool_:
        return elementwise.logical_not(self)
    return bitwise.invert(self)


def tensor_equals(self: Tensor, other: Any) -> Any:
    """x == y: element by element; False for None or where the shapes do not fit."""
    return _compare(self, other, elementwise.equal, unequal=False)


def tensor_not_equals(self: Tensor, other: Any) -> Any:
    """x != y: element by element; True for None or where the shapes do not fit."""
    return _compare(self, other, elementwise.not_equal, unequal=True)


def _compare(
    x: Tensor, y: TensorLike | None, function: Callable[[Any, Any], Any], unequal: bool
) -> Any:
    if y is None or _is_foreign(y):
        return unequal if y is None else NotImplemented
    x, y = convert.strict_pair(x, y)
    if x.shape and y.shape and broadcast(tuple(x.shape), tuple(y.shape)) is None:
        return convert.to_tensor(unequal)
    return function(x, y)


def _iterate(self: Tensor) -> Iterator[Any]:
    if self.shape.rank == 0:
        raise TypeError("Cannot iterate over a scalar tensor.")
    return (self[i] for i in range(len(self)))


def _cpu(self: Tensor) -> Tensor:
    """A copy on the CPU, or the tensor itself if it is there (deprecated: use tf.identity)."""
    return _on(self, "CPU", 0)


def _gpu(self: Tensor, gpu_index: int = 0) -> Tensor:
    """A copy on a GPU (deprecated: use tf.identity under tf.device)."""
    return _on(self, "GPU", gpu_index)


def _on(tensor: TensorLike, kind: str, index: int) -> Tensor:
    warnings.warn(
        f"Tensor.{kind.lower()}() is deprecated; use tf.identity under tf.device instead.",
        DeprecationWarning,
        stacklevel=3,
    )
    found = find_devices(short_name=f"{kind}:{index}")
    if not found:  # TF: whether soft placement is on or not
        raise RuntimeError(f"{kind}:{index} unknown device.")
    with device(found[0].name):
        return shaping.identity(tensor)


def _deepcopy(self: Any, memo: Any) -> Tensor:
    with device(self.device):
        copied = convert.to_tensor(self.numpy())
    memo[id(self)] = copied
    return copied


def _restore(value: TensorLike, dtype: str) -> Tensor:
    return convert.to_tensor(np.asarray(value), as_dtype(dtype))


def _reduce(self: Tensor) -> tuple[Any, ...]:
    return _restore, (self.numpy(), self.dtype.name)


_bind()
for _name, _function in {
    "__neg__": _neg,
    "__abs__": _abs,
    "__invert__": _invert,
    "__eq__": tensor_equals,
    "__ne__": tensor_not_equals,
    "__getitem__": slicing.getitem,
    "__iter__": _iterate,
    "__deepcopy__": _deepcopy,
    "__reduce__": _reduce,
    "cpu": _cpu,
    "gpu": _gpu,
}.items():
    setattr(Tensor, _name, _function)
# Setting __eq__ on a class does not touch its __hash__, which says how to hash tensors.
Tensor.OVERLOADABLE_OPERATORS = frozenset(
    {
        f"__{name}__"
        for name in (*_ARITHMETIC, *_DIRECT, "lt", "le", "gt", "ge", "eq", "ne", "getitem")
    }
    | {f"__r{name}__" for name in (*_ARITHMETIC, *_DIRECT)}
    | {"__neg__", "__abs__", "__invert__"}
)
