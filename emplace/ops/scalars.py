"""Arguments that are one integer (an axis, a number of things) or one of a few names or types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.dtypes import DType, as_dtype, runtime_name
from ..base.errors import invalid_argument
from ..base.shapes import runtime_text
from .convert import is_tensor_like, static_ints, to_tensor


def one_int(value: Any, refusal: str) -> int:
    """`value`, a number or a scalar tensor, as an int.

    Args:
        value: the argument.
        refusal: TensorFlow's text for an argument of another shape, with {shape} in it.

    Raises:
        ValueError: it is None.
        TypeError: it is no integer.
        InvalidArgumentError: it has a shape.
    """
    if type(value) is int:
        return value
    if value is None:
        raise ValueError(
            "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a "
            "Tensor."
        )
    if isinstance(value, float):
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype int32")
    numbers = static_ints(value, "an index")
    shape = tuple(value.shape) if hasattr(value, "shape") else np.shape(value)
    if shape:
        raise invalid_argument(refusal.format(shape=runtime_text(shape)))
    return numbers[0]


def one_of(attribute: str, dtype: Any, allowed: Sequence[DType]) -> DType:
    """The dtype of an attribute.

    Raises:
        InvalidArgumentError: it is not one of `allowed`.
    """
    found = as_dtype(dtype)
    if found not in allowed:
        names = ", ".join(runtime_name(each) for each in allowed)
        raise invalid_argument(
            f"Value for attr '{attribute}' of {runtime_name(found)} is not in the list of allowed "
            f"values: {names}"
        )
    return found


def like(value: Any, dtype: DType) -> Any:
    """`value` as a tensor that shares a type variable with one of `dtype`.

    Raises:
        TypeError: it is a Python value that cannot have that dtype.
    """
    if is_tensor_like(value):
        return to_tensor(value)
    return to_tensor(value, dtype)
