"""The kinds of values, the kind of what is computed of several, and the values as tensors of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import dtypes, nest
from ...base.dtypes import DType, as_dtype
from ...base.shapes import TensorShape
from ...core.composite import CompositeTensor
from ...ops.convert import is_tensor_like, to_tensor
from ...ops.math.elementwise import cast
from ...ops.numpy.types import BEHAVIOR
from ...ops.variables.indexed_slices import IndexedSlices
from .lattice import Kind, common
from .weak_tensor import WeakTensor, strong

#: By `is`: a dtype of NumPy equals Python's types.
_OF_CLASSES = ((bool, (dtypes.bool_, False)), (int, (dtypes.int32, True)),
               (float, (dtypes.float32, True)), (complex, (dtypes.complex128, True)))  # fmt: skip
_INT32 = np.iinfo(np.int32)


class NotPromotedError(NotImplementedError):
    """No rule says which type these values have in common: the function decides as ever."""


def kind_of(value: Any) -> Kind:
    """The dtype of a value or of a type, and whether it is weak.

    Raises:
        OverflowError: an int that int32 cannot hold.
        NotPromotedError: it is nothing that has a dtype.
    """
    if isinstance(value, WeakTensor):
        return value.dtype, True
    if isinstance(value, DType):
        return value.base_dtype, False
    dtype = getattr(value, "dtype", None)
    if isinstance(dtype, DType):
        return dtype.base_dtype, False
    if isinstance(value, (np.ndarray, np.generic)):
        return as_dtype(value.dtype), False
    if isinstance(value, (str, bytes)):
        return dtypes.string, False
    if isinstance(value, TensorShape):
        return dtypes.int32, False
    is_int = isinstance(value, int) and not isinstance(value, bool)
    if is_int and not _INT32.min <= value <= _INT32.max:
        raise OverflowError(f"Python int {value} too large to convert to np.int32")
    for python, kind in _OF_CLASSES:
        if value is python or isinstance(value, python):
            return kind
    return _of_other(value, dtype)


def _of_other(value: Any, dtype: Any) -> Kind:
    """Of types, and of other libraries' tensors."""
    try:
        return as_dtype(value if dtype is None or isinstance(value, type) else dtype), False
    except TypeError:
        raise NotPromotedError(
            f"Auto dtype conversion semantics does not support {type(value)} type."
        ) from None


def _is_promoted(value: Any) -> bool:
    allowed = (IndexedSlices, WeakTensor)
    return isinstance(value, allowed) or not isinstance(value, CompositeTensor)


def result_kind(*values: Any) -> Kind:
    """The kind of what is computed of values and types, which may stand in sequences.

    Raises:
        TypeError: the mode "safe" does not allow it.
        NotPromotedError: a value is of no type that is promoted.
    """
    given = [each for each in values if each is not None]
    for each in given:
        if not _is_promoted(each):
            raise NotPromotedError(
                f"Auto dtype conversion semantics does not support {type(each)} type."
            )
    kinds = [kind_of(each) for each in nest.flatten(given)] or [(dtypes.float32, True)]
    found = kinds[0]
    for other in kinds[1:]:
        found = _two(found, other)
    return found


def common_dtype(*values: object) -> DType:
    """The dtype of what is computed of values and types; whether it is weak is not told."""
    return result_kind(*values)[0]


def _two(a: Kind, b: Kind) -> Kind:
    told = common(a, b)
    if told is None:
        raise NotPromotedError(
            f"Implicit Conversion between {a[0]} and {b[0]} is not allowed. Please convert the "
            "input manually if you need to."
        )
    kind, is_safe = told
    if not is_safe and BEHAVIOR.mode == "safe":
        raise TypeError(
            "In promotion mode PromoMode.SAFE, implicit dtype promotion between "
            f"({a[0]}, weak={a[1]}) and ({b[0]}, weak={b[1]}) is disallowed. You need to "
            "explicitly specify the dtype in your op, or relax your dtype promotion rules (such "
            "as from SAFE mode to ALL mode)."
        )
    return kind


def as_kind(value: Any, dtype: DType) -> Any:
    """A value as a tensor of a dtype."""
    held: Any = strong(value)
    is_tensor = is_tensor_like(held) or isinstance(held, CompositeTensor)
    if is_tensor:
        return cast(held, dtype)
    kinds = set(map(type, nest.flatten(held)))
    if bool in kinds and kinds <= {bool, int, float, complex}:  # bools are numbers here
        return cast(to_tensor(np.asarray(held)), dtype)
    return to_tensor(held, dtype)


def of_kind(answer: Any, is_weak: bool) -> Any:
    """What a function answers, as a weak tensor where its arguments were weak."""
    return WeakTensor.from_tensor(answer) if is_weak else strong(answer)
