"""Ops that make tensors: constants, one value everywhere, ranges, one-hot rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ..base import dtypes
from ..base.dtypes import DType, as_dtype
from ..base.errors import invalid_argument
from ..base.shapes import TensorShape, num_elements, runtime_text
from ..core.context import LOCAL
from ..core.tensor import Tensor
from . import infer
from .convert import (
    own_tensor,
    raw_of,
    scalar_array,
    static_ints,
    to_array,
    to_tensor,
    unary,
)
from .infer import Spec
from .op import apply, op


def fill_kernel(value: torch.Tensor, *, dims: Sequence[int]) -> torch.Tensor:
    """One value everywhere."""
    return value.new_empty(dims).fill_(value)


FILL = op(
    "Fill", "dims: host, value: T -> output: T", fill_kernel, infer.filled, T=dtypes.ANY_FIXED
)


ZEROS_LIKE = op("ZerosLike", "x: T -> y: T", torch.zeros_like, infer.same, T=dtypes.ANY_FIXED)


ONES_LIKE = op("OnesLike", "x: T -> y: T", torch.ones_like, infer.same, T=dtypes.ANY_FIXED)


INDICES = (dtypes.int32, dtypes.int64)


def one_hot_kernel(
    indices: torch.Tensor, on_value: torch.Tensor, off_value: torch.Tensor, *, depth: int, axis: int
) -> torch.Tensor:
    """on_value where the index is, off_value elsewhere; nothing for an index out of range."""
    places = torch.arange(depth, device=indices.device)
    axis = axis % (indices.ndim + 1)
    shape = [1] * (indices.ndim + 1)
    shape[axis] = depth
    return torch.where(indices.unsqueeze(axis) == places.view(shape), on_value, off_value)


def _one_hot_spec(indices: Spec, on_value: Spec, off_value: Spec, *, depth: int, axis: int) -> Spec:
    dims = list(indices.dims or ())
    dims.insert(axis % (len(dims) + 1), depth)
    return Spec(tuple(dims), on_value.dtype)


ONE_HOT = op(
    "OneHot", "indices: TI, depth: host, on_value: T, off_value: T -> output: T",
    one_hot_kernel, _one_hot_spec, TI=(dtypes.uint8, dtypes.int8, *INDICES), T=dtypes.ANY_FIXED,
)  # fmt: skip


def range_kernel(*, start: Any, limit: Any, delta: Any, dtype: DType, device: Any) -> torch.Tensor:
    """start, start + delta ... up to limit, without it."""
    return torch.arange(start, limit, delta, dtype=dtype.torch, device=device.torch_device)


def _range_spec(*, start: Any, limit: Any, delta: Any, dtype: DType) -> Spec:
    if delta == 0:
        raise invalid_argument("Requires delta != 0: 0")
    if (limit - start) * delta < 0:
        side = "start <= limit when delta > 0" if delta > 0 else "start >= limit when delta < 0"
        raise invalid_argument(f"Requires {side}: {start}/{limit}")
    return Spec((max(0, -int((start - limit) // delta)),), dtype)


RANGE = op(
    "Range", "start: host, limit: host, delta: host -> output: dtype", range_kernel, _range_spec,
    makes=True,
)  # fmt: skip


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = "Const") -> Any:
    """A tensor of the given value (`tf.constant`).

    Args:
        value: a number, a string, a nested sequence of those, or a NumPy array.
        dtype: the dtype; float32, int32 or the array's own if None.
        shape: the shape the elements are laid out in; a single element fills it.
        name: a name in graphs.

    Raises:
        TypeError: the value cannot have that dtype or shape.
        ValueError: the value cannot be a tensor.

    >>> constant([1.0, 2.0, 3.0, 4.0], shape=[2, 2]).shape
    TensorShape([2, 2])
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, Tensor) and wanted is not None and value.dtype is not wanted:
        raise TypeError(
            f"Expected tensor {value.numpy()} with dtype {wanted!r}, "  # type: ignore[attr-defined]
            f"but got dtype {value.dtype!r}."
        )
    if shape is None:
        return own_tensor(value, to_tensor(value, wanted))
    return _shaped_constant(value, wanted, static_ints(shape, "a shape"))


def _shaped_constant(value: Any, dtype: DType | None, dims: tuple[int, ...]) -> Any:
    if isinstance(value, (int, float, bool, complex, str, bytes)):
        one = to_tensor(value, dtype)
        array = scalar_array(value, one.dtype)
    elif isinstance(value, Tensor):
        array = value.numpy()  # type: ignore[attr-defined]
    else:
        array, _ = to_array(value, dtype)
    count = num_elements(dims)
    if array.size == 1 and count != 1:
        array = np.full(dims, array.reshape(-1)[0], array.dtype)
    elif array.size != count:
        raise TypeError(
            f"Eager execution of tf.constant with unsupported shape. Tensor {array} (converted "
            f"from {value}) has {array.size} elements, but got `shape` {TensorShape(dims)} with "
            f"{count} elements)."
        )
    state = LOCAL.state
    raw = raw_of(np.array(array.reshape(dims)))
    return state.target.constant(state, raw, as_dtype(array.dtype), False)


def fill(dims: Any, value: Any, name: str | None = None) -> Any:
    """A tensor of one value everywhere (`tf.fill`).

    Args:
        dims: the shape.
        value: a scalar.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: a size is negative, or value is no scalar.
    """
    sizes = static_ints(dims, "dims")
    if sizes and min(sizes) < 0:
        raise invalid_argument(f"Dimension {min(sizes)} must be >= 0 [Op:Fill]")
    value = to_tensor(value)
    if value.ndim != 0:
        shape = runtime_text(value.shape)
        raise invalid_argument(f"value must represent a scalar, got shape {shape} [Op:Fill]")
    return apply(FILL, (value,), {"dims": sizes})


def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Any:
    """A tensor of zeros, False or empty strings (`tf.zeros`)."""
    return _filled(shape, as_dtype(dtype), 0)


def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Any:
    """A tensor of ones or True (`tf.ones`)."""
    return _filled(shape, as_dtype(dtype), 1)


def _filled(shape: Any, dtype: DType, number: int) -> Any:
    if dtype is dtypes.string:
        return constant(b"", shape=shape)
    value: Any = bool(number) if dtype is dtypes.bool_ else number
    return fill(shape, to_tensor(value, dtype))


def zeros_like(input: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Zeros in the shape of another tensor (`tf.zeros_like`)."""
    input = to_tensor(input)
    if input.dtype is dtypes.string or not (dtype is None or input.dtype == dtype):
        return zeros(input.shape, dtype or input.dtype)
    return unary(ZEROS_LIKE, input)


def ones_like(input: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Ones in the shape of another tensor (`tf.ones_like`)."""
    input = to_tensor(input)
    if not (dtype is None or input.dtype == dtype):
        return ones(input.shape, dtype)
    return unary(ONES_LIKE, input)


def range_(
    start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str | None = "range"
) -> Any:
    """start, start + delta ... up to limit, without it (`tf.range`).

    Raises:
        InvalidArgumentError: delta is 0 or leads away from limit.

    >>> range_(3).numpy().tolist()
    [0, 1, 2]
    """
    if limit is None:
        start, limit = 0, start
    given = [start, limit, delta]
    known = [v.dtype for v in given if isinstance(v, Tensor)]
    if dtype is not None:
        wanted = as_dtype(dtype)
    elif known:
        wanted = max(known, key=_RANGE_ORDER.index)
    else:
        wanted = to_tensor(sum(given)).dtype
    numbers = [v.numpy().item() if isinstance(v, Tensor) else v for v in given]  # type: ignore[attr-defined]
    start, limit, delta = numbers
    _range_spec(start=start, limit=limit, delta=delta, dtype=wanted)
    return apply(RANGE, (), {"start": start, "limit": limit, "delta": delta, "dtype": wanted})


_RANGE_ORDER = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64]


def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Any:
    """A new axis that is on_value at the index and off_value elsewhere (`tf.one_hot`).

    >>> one_hot([1], 3).numpy().tolist()
    [[0.0, 1.0, 0.0]]
    """
    if dtype is None and on_value is None and off_value is None:
        dtype = dtypes.float32
    wanted = None if dtype is None else as_dtype(dtype)
    on = to_tensor(1 if on_value is None else on_value, wanted)
    off = to_tensor(0 if off_value is None else off_value, wanted, hint=on.dtype)
    return apply(
        ONE_HOT,
        (to_tensor(indices), on, off),
        {"depth": static_ints(depth, "depth")[0], "axis": -1 if axis is None else axis},
    )
