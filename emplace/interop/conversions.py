"""Conversions of a program's own types to tensors (`tf.register_tensor_conversion_function`)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from ..base.dtypes import DType
from ..core.tensor import Tensor
from ..ops.convert import register_converter

# What has a conversion of the runtime's own.
_BUILT_IN = (int, float, np.generic, np.ndarray)

# Of each type, (priority, number, function), the first one to be asked first.
_FUNCTIONS: dict[type, list[tuple[int, int, Callable[..., Any]]]] = {}


def register_tensor_conversion_function(
    base_type: type | tuple[type, ...], conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Registers a function that makes tensors of objects of a type
    (`tf.register_tensor_conversion_function`). Every op takes such objects then.

    Args:
        base_type: the type, or several; types below it are converted too.
        conversion_func: called as `conversion_func(value, dtype=None, name=None, as_ref=False)`.
            It returns a tensor of `dtype` if that is not None, or NotImplemented to let the next
            function try.
        priority: functions of smaller numbers are asked first.

    Raises:
        TypeError: an argument is of another type, or has a conversion that cannot be replaced.
    """
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not types or not all(isinstance(kind, type) for kind in types):
        raise TypeError(
            f"Argument `base_type` must be a type or a tuple of types. Obtained: {base_type}"
        )
    if any(issubclass(kind, _BUILT_IN) for kind in types):
        raise TypeError(
            "Cannot register conversions for Python numeric types and NumPy scalars and arrays."
        )
    if not callable(conversion_func):
        raise TypeError(f"Argument `conversion_func` must be callable. Received {conversion_func}.")
    for kind in types:
        listed = _FUNCTIONS.setdefault(kind, [])
        listed.append((priority, len(listed), conversion_func))
        listed.sort(key=lambda item: item[:2])
        register_converter(kind, _converted, takes_hint=True)


def _converted(value: object, dtype: DType | None, hint: DType | None = None) -> Tensor:
    """A tensor by the first function that knows how, of the dtype of `hint` if one can make that.

    Raises:
        RuntimeError: a function returned something else.
        ValueError: none knows.
    """
    if dtype is None and hint is not None:
        with suppress(TypeError, ValueError):
            return _by_functions(value, hint)
    return _by_functions(value, dtype)


def _by_functions(value: object, dtype: DType | None) -> Tensor:
    kind = type(value)
    for base in kind.__mro__:
        for _, _, function in _FUNCTIONS.get(base, ()):
            found = function(value, dtype=dtype, name=None, as_ref=False)
            if found is not NotImplemented:
                return _checked(found, function, base, dtype)
    raise ValueError(
        f"Attempt to convert a value ({value!r}) with an unsupported type ({kind}) to a Tensor."
    )


def _checked(found: object, function: object, base: type, dtype: DType | None) -> Tensor:
    says = f"Conversion function {function!r} for type {base}"
    if not isinstance(found, Tensor):
        raise RuntimeError(f"{says} returned non-Tensor: {found!r}")
    if dtype is not None and found.dtype is not dtype:
        raise RuntimeError(
            f"{says} returned incompatible dtype: requested = {dtype.name}, actual = "
            f"{found.dtype.name}"
        )
    return found
