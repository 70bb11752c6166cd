"""Arrays as `TensorProto` messages, by TensorBoard's function, and back.

That function is loaded when it is first called: it brings much along.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.dtypes import as_dtype
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
        TypeError: `verify_shape`, and the values have another shape.

    >>> make_ndarray(make_tensor_proto([1, 2])).tolist()
    [1, 2]
    """
    array = values.numpy() if isinstance(values, EagerTensor) else values
    own = getattr(array, "dtype", None) if dtype is None else dtype
    out_dtype = None if own is None else as_dtype(own)
    if out_dtype in _NOT_TENSORBOARDS:
        return encoding.tensor(raw_of(to_array(np.asarray(array), out_dtype)[0]))
    name = None if out_dtype is None else out_dtype.name
    tensor_util = importlib.import_module("tensorboard.util.tensor_util")
    return tensor_util.make_tensor_proto(array, name, shape, verify_shape)


def make_ndarray(tensor: Any) -> Any:
    """The NumPy array of a `TensorProto` (`tf.make_ndarray`)."""
    _, raw = parsed_proto(tensor.SerializeToString())
    return raw if isinstance(raw, np.ndarray) else torch_to_numpy(raw)
