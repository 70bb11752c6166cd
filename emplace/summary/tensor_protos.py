"""Arrays as `TensorProto` messages, by TensorBoard's function, and back.

That function is loaded when it is first called: it brings much along.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from tensorboard.compat.proto.tensor_pb2 import TensorProto

from ..base import dtypes
from ..base.dimensions import Dimension
from ..base.dtypes import DType, as_dtype
from ..base.typing import DTypeLike, ShapeLike, TensorLike
from ..core.tensor import EagerTensor, torch_to_numpy
from ..ops.host_values import raw_of, to_array
from ..ops.io.tensor_proto import parsed_proto
from . import encoding

_NOT_TENSORBOARDS = (dtypes.bfloat16, *dtypes.FLOATS8)


def make_tensor_proto(
    values: TensorLike,
    dtype: DTypeLike | None = None,
    shape: ShapeLike | None = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> Any:
    """Packs numbers or texts into a `TensorProto` (`tf.make_tensor_proto`).

    Args:
        values: what a tensor can be made of.
        dtype: its dtype; that of the values if None.
        shape: its shape; that of the values if None. The last value is repeated to fill it.
        verify_shape: refuse values of another shape.
        allow_broadcast: not used.

    Raises:
        TypeError: `verify_shape`, and the values have another shape; or no tensor of `dtype` can be
            made of them.
        ValueError: there are more values than the shape takes.

    >>> make_ndarray(make_tensor_proto([1, 2])).tolist()
    [1, 2]
    """
    array = values.numpy() if isinstance(values, EagerTensor) else values
    own = getattr(array, "dtype", None) if dtype is None else dtype
    out_dtype = None if own is None else as_dtype(own)
    if isinstance(array, (list, tuple)) and any(isinstance(x, _TO_ARRAYS) for x in array):
        array, out_dtype = _of_mixed(array, out_dtype)
    if out_dtype in dtypes.NAMED:
        return _of_small(array, out_dtype)
    if out_dtype in _NOT_TENSORBOARDS:
        return _of_floats(array, out_dtype)
    if out_dtype is not None and out_dtype.is_quantized:
        array = _quantized(array, out_dtype)
    name = None if out_dtype is None else out_dtype.name
    tensor_util = importlib.import_module("tensorboard.util.tensor_util")
    with _in_tensorflows_words():
        message = tensor_util.make_tensor_proto(array, name, shape, verify_shape)
    count = len(message.half_val)
    if count > 1 and count == np.prod([dim.size for dim in message.tensor_shape.dim]):
        message.tensor_content = np.array(message.half_val, np.uint16).tobytes()
        message.ClearField("half_val")
    return message


# What may stand among plain numbers in a list.
_TO_ARRAYS = (np.ndarray, Dimension)


def _of_mixed(values: Any, dtype: DType | None) -> tuple[Any, DType]:
    if dtype is None:
        if any(isinstance(each, Dimension) for each in values):
            raise _not_elements(values)
        dtype = _natural(np.array([np.asarray(each) for each in values]).dtype, values)
    plain = [each.value if isinstance(each, Dimension) else each for each in values]
    return np.array(plain, dtype.as_numpy_dtype), dtype


def _natural(found: np.dtype[Any], values: Any) -> DType:
    """TF: Python's numbers among arrays make them float32 or int32."""
    if all(isinstance(each, np.ndarray) for each in values):
        return as_dtype(found)
    return {"f": dtypes.float32, "i": dtypes.int32}.get(found.kind) or as_dtype(found)


def _of_small(values: object, dtype: DType) -> Any:
    """Numbers of types that have no tensors here; TF: floats of these types have no field."""
    array = np.asarray(values, dtype.as_numpy_dtype)
    if dtype.is_floating and array.size < 2:
        raise TypeError(f"Element type not supported in TensorProto: {dtype.name}.")
    made = TensorProto(dtype=dtype.as_datatype_enum)
    made.tensor_shape.SetInParent()
    for size in array.shape:
        made.tensor_shape.dim.add(size=size)
    if dtype.is_floating:
        made.tensor_content = array.tobytes()
    else:
        made.int_val.extend(array.reshape(-1).astype(np.int32).tolist())
    return made


def _of_floats(values: object, dtype: DType) -> Any:
    made = encoding.tensor(raw_of(to_array(np.asarray(values), dtype)[0]))
    if dtype in dtypes.FLOATS8 and not made.tensor_shape.dim:
        made.float8_val = made.tensor_content
        made.ClearField("tensor_content")
    return made


def _quantized(values: object, dtype: DType) -> Any:
    if isinstance(values, np.ndarray):
        return values
    plain = next((x for x in np.ravel(np.array(values, object)) if type(x) is not tuple), None)
    rows = values if isinstance(values, (list, tuple)) else [values]
    if not all(isinstance(each, tuple) for each in rows):
        raise TypeError(
            f"Expected {dtype.name}, but got {plain!r} of type '{type(plain).__name__}'."
        )
    return np.array(values, dtype.as_numpy_dtype)


def _not_elements(values: object) -> TypeError:
    return TypeError(
        f"Failed to convert elements of {values} to Tensor. Consider casting elements to a "
        "supported type. See https://www.tensorflow.org/api_docs/python/tf/dtypes for supported TF "
        "dtypes."
    )


_ANOTHER = re.compile(r"Expected (\S+), got (.*) of type '(\w+)' instead\.", re.DOTALL)
_NO_TYPE = re.compile(r"Failed to convert object of type .* Contents: (.*)\. Consider ", re.DOTALL)
_TOO_MANY = re.compile(r"Too many elements provided\. Needed at most (\d+), but received (\d+)")


@contextmanager
def _in_tensorflows_words() -> Iterator[None]:
    """A block in which TensorBoard's errors become TensorFlow's."""
    try:
        yield
    except TypeError as error:
        if found := _ANOTHER.fullmatch(str(error)):
            text = f"Expected {found[1]}, but got {found[2]} of type '{found[3]}'."
            raise TypeError(text) from None
        if found := _NO_TYPE.match(str(error)):
            raise _not_elements(found[1]) from None
        raise
    except ValueError as error:
        if found := _TOO_MANY.fullmatch(str(error)):
            text = f"Too many elements provided. Takes at most {found[1]}, but got {found[2]}."
            raise ValueError(text) from None
        raise


_SMALL = {each.as_datatype_enum: each for each in dtypes.NAMED}


def make_ndarray(tensor: Any) -> Any:
    """The NumPy array of a `TensorProto` (`tf.make_ndarray`)."""
    if tensor.dtype in _SMALL:
        return _small_array(tensor, _SMALL[tensor.dtype])
    dtype = as_dtype(tensor.dtype)
    if dtype.is_quantized:  # its bytes are those of plain numbers
        dims = [dim.size for dim in tensor.tensor_shape.dim]
        return np.frombuffer(tensor.tensor_content, dtype.as_numpy_dtype).reshape(dims).copy()
    _, raw = parsed_proto(tensor.SerializeToString())
    return raw if isinstance(raw, np.ndarray) else torch_to_numpy(raw)


def _small_array(tensor: Any, dtype: DType) -> Any:
    dims = [dim.size for dim in tensor.tensor_shape.dim]
    if dtype.is_floating:
        return np.frombuffer(tensor.tensor_content, dtype.as_numpy_dtype).reshape(dims).copy()
    values = np.array(tensor.int_val, dtype.as_numpy_dtype)
    return np.broadcast_to(values, dims).copy() if len(values) == 1 else values.reshape(dims)
