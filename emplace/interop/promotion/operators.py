"""Operators and methods of tensors and of weak tensors while types are promoted."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...base import dtypes
from ...core.tensor import EagerTensor, Tensor
from .functions import unary
from .values import NotPromotedError, as_kind, of_kind, result_kind
from .weak_tensor import WeakTensor, strong

_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
#: Operators that promote their operands.
PROMOTING = frozenset(
    {f"__{each}__" for each in (*_ARITHMETIC, "eq")} | {f"__r{each}__" for each in _ARITHMETIC}
)
COMPARING = ("__lt__", "__le__", "__gt__", "__ge__")
#: NumPy's methods whose result is as weak as the tensor.
_HAND_ON = ("T", "data", "reshape", "transpose", "ravel", "flatten", "max", "min", "mean")


def promoting(name: str, operator: Callable[..., Any]) -> Callable[..., Any]:
    """An operator that takes operands of two kinds."""
    is_comparing, is_reflected = name == "__eq__", name.startswith("__r")

    def promoted(self: Any, other: Any) -> Any:
        if type(self) is EagerTensor and type(other) is EagerTensor and self.dtype is other.dtype:
            return operator(self, other)
        if other is None or getattr(other, "__array_priority__", 0) > 100:
            return operator(strong(self), other)
        if name in ("__mul__", "__rmul__") and (_is_bool(self) or _is_bool(other)):
            return operator(strong(self), strong(other))
        try:
            dtype, is_weak = result_kind(*((other, self) if is_reflected else (self, other)))
        except NotPromotedError:
            return operator(strong(self), strong(other))
        answer = operator(as_kind(self, dtype), as_kind(other, dtype))
        return of_kind(answer, is_weak and not is_comparing)

    promoted.__name__ = name
    return promoted


def comparing(operator: Callable[..., Any]) -> Callable[..., Any]:
    """An operator that promotes nothing, and takes NumPy's values where the mode allows."""

    def compared(self: Any, other: Any) -> Any:
        if isinstance(other, (np.ndarray, np.generic)):
            with contextlib.suppress(NotPromotedError):
                result_kind(other, self.dtype)
        return operator(self, other)

    return compared


def _is_bool(value: Any) -> bool:
    return isinstance(value, Tensor) and value.dtype is dtypes.bool_


def bind_weak(methods: Mapping[str, Any]) -> None:
    """Gives weak tensors the operators that tensors have by now, and NumPy's methods."""
    for name in Tensor.OVERLOADABLE_OPERATORS:
        operator = getattr(Tensor, name)
        if name in ("__neg__", "__abs__", "__invert__"):
            operator = unary(operator)
        elif name not in PROMOTING:
            operator = _on_strong(operator)
        setattr(WeakTensor, name, operator)
    for name, method in methods.items():
        if isinstance(method, property):
            setattr(WeakTensor, name, property(_handing_on(name, method.fget)))
        elif name != "__getitem__":
            setattr(WeakTensor, name, _handing_on(name, method))


def _on_strong(operator: Callable[..., Any]) -> Callable[..., Any]:
    def applied(self: Any, *others: Any) -> Any:
        return operator(strong(self), *map(strong, others))

    return applied


def _handing_on(name: str, method: Any) -> Callable[..., Any]:
    is_weak = name in _HAND_ON or name.startswith("__")

    def applied(self: Any, *args: Any, **kwargs: Any) -> Any:
        return of_kind(method(strong(self), *args, **kwargs), is_weak)

    return applied
