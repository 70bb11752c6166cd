"""Arguments that ops take as plain values: shapes, axes, counts, and one of a few types.

Programs pass them as Python numbers, sequences, arrays or tensors.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.dtypes import DType, as_dtype, runtime_name
from ..base.errors import invalid_argument
from ..base.shapes import TensorShape, runtime_text
from .convert import is_tensor_like, to_tensor
from .host_values import to_array


def static_ints(value: Any, what: str) -> tuple[int, ...]:
    """A shape or a list of axes as a tuple of ints, from ints, sequences, arrays or tensors.

    Raises:
        InvalidArgumentError: `value` holds other numbers, or is no vector.
        TypeError: it is a Python float.
        ValueError: it cannot be a tensor.
    """
    if isinstance(value, TensorShape):
        return tuple(value.as_list())  # type: ignore[arg-type]  # eager shapes are known
    if isinstance(value, (int, np.integer)):
        return (int(value),)
    if isinstance(value, (list, tuple)):
        try:
            return tuple(map(operator.index, value))
        except TypeError:  # something in it is no integer
            pass
    if isinstance(value, float):
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype int32")
    array = static_array(value, what)
    if array.ndim > 1:
        raise invalid_argument(f"{what} must be a vector, got shape {runtime_text(array.shape)}")
    return tuple(array.reshape(-1).tolist())


def static_axes(axis: Any) -> tuple[int, ...] | None:
    """The axes that an op reduces as a tuple of ints; None for all of them.

    Raises:
        InvalidArgumentError, TypeError, ValueError: as `static_ints`.
    """
    return None if axis is None else static_ints(axis, "axis")


def static_array(value: Any, what: str) -> np.ndarray[Any, Any]:
    """Host integers as a NumPy array, from whatever a tensor of integers can be made of.

    Raises:
        InvalidArgumentError: they are no integers.
        ValueError: they cannot be a tensor.
    """
    if isinstance(value, (list, tuple)):
        value = [_plain(each) for each in value]
    array = value.numpy() if hasattr(value, "numpy") else value
    if not isinstance(array, (np.ndarray, np.generic, int, float, str, bytes)):
        array, _ = to_array(array)
    array = np.asarray(array)
    if array.dtype.kind not in "iub" and array.size:
        dtype = runtime_name(as_dtype(array.dtype))
        raise invalid_argument(
            f"Value for attr 'Tidx' of {dtype} is not in the list of allowed values: int32, int64"
            f" ({what})"
        )
    return array.astype(np.int64)


def _plain(value: Any) -> Any:
    """A scalar that stands in a list, as a Python number where it is a tensor or an array."""
    if hasattr(value, "numpy"):
        return value.numpy().tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


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
