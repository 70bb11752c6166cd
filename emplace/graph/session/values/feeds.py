"""What programs feed to sessions, as raw values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....base import dtypes
from ....base.errors import InternalError
from ....base.shapes import TensorShape
from ....base.typing import TensorLike
from ....core.tensor import Tensor, numpy_to_torch
from ....ops.host_values import raw_of
from ...representation.graph import Graph, SymbolicTensor

# NumPy's types of arrays that are taken without a look at their numbers.
_NUMBERS = {dtype: dtype.as_numpy_dtype for dtype in dtypes.ALL if dtype.torch is not None}


def fed_tensor(graph: Graph, key: object) -> SymbolicTensor:
    """The tensor that a key of `feed_dict` means.

    Raises:
        TypeError: it means none of this graph.
        ValueError: it may not be fed.
    """
    try:
        found: SymbolicTensor = graph.as_graph_element(key, True, False)
    except (KeyError, ValueError, TypeError) as error:
        text = error.args[0] if error.args else error
        raise TypeError(f"Cannot interpret feed_dict key as Tensor: {text}") from None
    if not graph.is_feedable(found):
        raise ValueError(f"Tensor {found.name} may not be fed.")
    return found


def fed_value(tensor: SymbolicTensor, value: TensorLike) -> Any:
    """A fed value as a raw value of the tensor's dtype.

    Raises:
        TypeError: it is a tensor, or a number that the dtype cannot hold.
        InternalError: it is no text where one is needed.
        ValueError: it has another shape, or is no number where one is needed.
    """
    if type(value) is np.ndarray and value.flags.carray and tensor._dims == value.shape:
        dtype = value.dtype  # as most are: all other questions cost more than the arithmetic
        if dtype.type is _NUMBERS.get(tensor._dtype) and dtype.isnative:
            return numpy_to_torch(value)
    if isinstance(value, Tensor):
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include "
            "Python scalars, strings, lists, numpy ndarrays, or TensorHandles. For reference, the "
            f"tensor object was {value} which was passed to the argument `feed_dict` with key "
            f"{tensor}."
        )
    array: Any = value
    numpy_dtype, dims = tensor.dtype.as_numpy_dtype, tensor.dims
    if not _is_as_wanted(array, numpy_dtype):
        if isinstance(value, int):
            _check_int(value, numpy_dtype)
        # TF: numbers become an array of their own type first, which is then cast.
        array = _as_bytes(_texts(value)) if tensor.dtype is dtypes.string else np.asarray(value)
        if array.dtype != numpy_dtype:
            array = array.astype(numpy_dtype)
    if dims != array.shape and dims is not None and not _fits(dims, array.shape):
        raise ValueError(
            f"Cannot feed value of shape {array.shape} for Tensor {tensor.name}, which has shape "
            f"{TensorShape(dims)}"
        )
    if array.dtype.kind != "O" and not array.flags.c_contiguous:
        array = np.ascontiguousarray(array).reshape(array.shape)
    return raw_of(array if array.flags.writeable else array.copy())


def _is_as_wanted(value: TensorLike, numpy_dtype: Any) -> bool:
    """Whether it is an array of numbers of that type, as most are: other questions cost more."""
    if type(value) is not np.ndarray or numpy_dtype is np.object_:
        return False
    return value.dtype.type is numpy_dtype and value.dtype.isnative


def _texts(value: TensorLike) -> np.ndarray[Any, Any]:
    """Texts as objects. NumPy's own texts end before their last zeros, Python's do not."""
    if isinstance(value, np.ndarray):
        return value.astype(object)
    return np.asarray(value, object)


def _check_int(value: int, wanted: object) -> None:
    if not _holds(wanted, value):
        raise TypeError(
            f"Type of feed value {value} with type {type(value)} is not compatible with Tensor "
            f"type {wanted}. Try explicitly setting the type of the feed tensor to a larger type "
            "(e.g. int64)."
        )


def _holds(wanted: Any, value: int) -> bool:
    """Whether a dtype has a Python integer; those of fractions round it."""
    if wanted is np.object_:
        return False
    if wanted is np.bool_:
        return value in (0, 1)
    if not np.issubdtype(wanted, np.integer):
        return True
    return bool(np.iinfo(wanted).min <= value <= np.iinfo(wanted).max)


def _as_bytes(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    made = np.empty(array.shape, object)
    for place in np.ndindex(array.shape):
        made[place] = _as_text(array[place])
    return made


def _as_text(value: TensorLike) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return bytes(value)
    raise InternalError(
        None, None, f"Graph execution error:\n\nUnsupported object type {type(value).__name__}"
    )


def _fits(dims: Sequence[Any], shape: tuple[int, ...]) -> bool:
    return len(dims) == len(shape) and all(
        d is None or d == size for d, size in zip(dims, shape, strict=True)
    )
