"""Ops that make tensors: constants, one value everywhere, ranges, one-hot rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType, as_dtype, runtime_name
from ...base.errors import InvalidArgumentError, NotFoundError, invalid_argument
from ...base.shapes import TensorShape, num_elements, runtime_text
from ...base.typing import DTypeLike, ShapeLike, TensorLike
from ...core.composite import CompositeTensor
from ...core.context import LOCAL
from ...core.symbolic_value import (
    BackedInt,
    SymbolicValue,
    backed_int,
    specialise_on,
    without_backed_ints,
)
from ...core.tensor import EagerTensor, Tensor
from ...devices.device import Device
from .. import infer
from ..arguments import is_symbolic, known_int, number_now, only_number, static_ints, wrong_argument
from ..convert import dense_tensor, own_tensor, scalar_dtype, to_tensor, unary
from ..host_values import MAY_BECOME, full_of, plain_number, raw_of, scalar_array, to_array
from ..infer import Spec
from ..op import apply, op
from .shaping import axis_size, broadcast_to, reshape, sizes_of


def fill_kernel(value: torch.Tensor, *, dims: Sequence[int]) -> torch.Tensor:
    """One value everywhere."""
    if not isinstance(value, torch.Tensor):
        return full_of(dims, value[()])
    return value.new_empty(dims).fill_(value)


FILL = op("Fill", "dims: host, value: T -> output: T", fill_kernel, infer.filled, T=dtypes.ANY)


ZEROS_LIKE = op("ZerosLike", "x: T -> y: T", torch.zeros_like, infer.same, T=dtypes.ANY_FIXED)


ONES_LIKE = op("OnesLike", "x: T -> y: T", torch.ones_like, infer.same, T=dtypes.ANY_FIXED)


_FEW = 4096


def one_hot_kernel(
    indices: torch.Tensor, on_value: Any, off_value: Any, *, depth: int, axis: int
) -> Any:
    """on_value where the index is, off_value elsewhere; nothing for an index out of range."""
    if depth < 0:  # of one that the graph has computed
        raise invalid_argument(f"depth must be non-negative, got: {depth}")
    axis = axis % (indices.ndim + 1)
    if not isinstance(on_value, torch.Tensor):
        return np.where(_hits(indices, depth, axis).numpy(), on_value, off_value)
    shape = (*indices.shape[:axis], depth, *indices.shape[axis:])
    if math.prod(shape) <= _FEW:  # a third of the time
        return torch.where(_hits(indices, depth, axis), on_value, off_value)
    result = off_value.expand(shape).clone(memory_format=torch.contiguous_format)
    if result.numel():
        # An index out of range writes off_value over off_value.
        indices = indices.long().unsqueeze(axis)
        there = (indices >= 0) & (indices < depth)
        result.scatter_(axis, indices.clamp(0, depth - 1), torch.where(there, on_value, off_value))
    return result


def _hits(indices: torch.Tensor, depth: int, axis: int) -> torch.Tensor:
    shape = [1] * (indices.ndim + 1)
    shape[axis] = depth
    return indices.unsqueeze(axis) == torch.arange(depth, device=indices.device).view(shape)


def _one_hot_spec(indices: Spec, on_value: Spec, off_value: Spec, *, depth: int, axis: int) -> Spec:
    dims = list(indices.dims or ())
    if not -1 <= axis <= len(dims):
        raise invalid_argument(
            f"Expected axis to be -1 or between [0, {len(dims) + 1}). But received: {axis}"
        )
    if depth < 0:
        raise invalid_argument(f"depth must be non-negative, got: {depth}")
    for name, value in (("on_value", on_value), ("off_value", off_value)):
        if value.dims:
            raise invalid_argument(f"{name} must be a scalar, but got: {runtime_text(value.dims)}")
    dims.insert(axis % (len(dims) + 1), depth)
    return Spec(tuple(dims), on_value.dtype)


ONE_HOT = op(
    "OneHot", "indices: TI, depth: host, on_value: T, off_value: T -> output: T",
    one_hot_kernel, _one_hot_spec, TI=(dtypes.uint8, dtypes.int8, *dtypes.INDICES), T=dtypes.ANY,
)  # fmt: skip


def range_kernel(
    *, start: float, limit: float, delta: float, dtype: DType, device: Device
) -> torch.Tensor:
    """start, start + delta ... up to limit, without it."""
    where = device.torch_device
    try:
        made = torch.arange(start, limit, delta, dtype=dtype.torch, device=where)
    except RuntimeError:  # graphs learn the numbers only now
        spec = _range_spec(start=start, limit=limit, delta=delta, dtype=dtype)
        if dtype.is_floating or spec.dims is None:
            raise
        # Torch adds a step to the last number, which may be more than the dtype holds.
        made = torch.arange(spec.dims[0] or 0, dtype=dtype.torch, device=where) * delta + start
    if dtype.is_floating:
        count = _range_length(start, limit, delta, dtype)
        if count != len(made):
            exact = torch.arange(count, dtype=torch.float64, device=where) * delta + start
            made = exact.to(made.dtype)
    return made


def _range_length(start: float, limit: float, delta: float, dtype: DType) -> int:
    """How many numbers there are; floats are counted in their own type, as in TensorFlow."""
    if not dtype.is_floating:
        return max(0, -int((start - limit) // delta))
    first, end, step = (dtype._numpy(each) for each in (start, limit, delta))
    return int(np.ceil(np.abs((end - first) / step)))


def _range_spec(*, start: float, limit: float, delta: float, dtype: DType) -> Spec:
    if delta == 0:
        raise invalid_argument("Requires delta != 0: 0")
    if not (start <= limit if delta > 0 else start >= limit):  # NaN is on no side
        side = "start <= limit when delta > 0" if delta > 0 else "start >= limit when delta < 0"
        raise invalid_argument(f"Requires {side}: {start}/{limit}")
    if not abs((limit - start) / delta) < 2**63:
        raise invalid_argument(f"Requires ((limit - start) / delta) <= {2**63 - 1}")
    return Spec((_range_length(start, limit, delta, dtype),), dtype)


RANGE = op(
    "Range", "start: host, limit: host, delta: host -> output: dtype", range_kernel, _range_spec,
    is_factory=True,
)  # fmt: skip


def constant(
    value: Any,
    dtype: DTypeLike | None = None,
    shape: ShapeLike | None = None,
    name: str | None = "Const",
) -> Tensor:
    """Returns a tensor of the given value (`tf.constant`).

    Args:
        value: a number, a string, a nested sequence of those, or a NumPy array.
        dtype: the dtype; float32, int32 or the array's own if None.
        shape: the shape the elements are laid out in; a single element fills it.
        name: a name in graphs.

    Raises:
        TypeError: the value cannot have that dtype or shape, or is a tensor of a graph.
        NotImplementedError: it is a variable, in a graph.
        ValueError: the value cannot be a tensor.

    >>> constant([1.0, 2.0, 3.0, 4.0], shape=[2, 2]).shape
    TensorShape([2, 2])
    """
    out_dtype = None if dtype is None else as_dtype(dtype)
    if isinstance(value, Tensor):
        _check_constant(value, out_dtype)
        if not LOCAL.state.target.is_eager:
            value = value.numpy()
    elif (out_dtype is not None or not LOCAL.state.target.is_eager) and hasattr(value, "handle"):
        value = value.numpy()
    if isinstance(value, TensorShape) and value.is_fully_defined():
        value = value.as_list()  # TF: here it is a list of numbers as any other
    if shape is None:
        return own_tensor(value, dense_tensor(value, out_dtype))
    return _shaped_constant(value, out_dtype, static_ints(shape, "a shape"))


def _check_constant(value: Tensor, dtype: DType | None) -> None:
    """Refuses tensors of graphs, and those that would have to be cast."""
    if not isinstance(value, EagerTensor):
        told = "any non-tensor type" if dtype is None else dtype.name
        raise TypeError(
            f"Expected {told}, but got {value} of type '{type(value).__name__}', whose value is "
            "known only when the graph runs: tf.constant takes plain values. Use tf.identity, "
            "tf.convert_to_tensor or tf.cast."
        )
    if dtype is not None and value.dtype is not dtype:
        raise TypeError(
            f"Expected tensor {value.numpy()} with dtype {dtype!r}, but got dtype {value.dtype!r}."
        )


def _shaped_constant(value: object, dtype: DType | None, dims: tuple[int, ...]) -> Tensor:
    given: Any = value
    number = plain_number(given)
    if type(number) in MAY_BECOME:
        array = scalar_array(number, scalar_dtype(number, dtype))
    elif isinstance(value, Tensor):
        array = value.numpy()
        if isinstance(array, bytes):  # of a string without axes
            array = scalar_array(array, dtypes.string)
    else:
        array, _ = to_array(value, dtype, in_graph=not LOCAL.state.target.is_eager)
    count = num_elements(dims)
    if array.size == 1 and count != 1:
        only = array.reshape(-1)[0]
        array = full_of(dims, only) if array.dtype == object else np.full(dims, only, array.dtype)
    elif array.size != count and not LOCAL.state.target.is_eager:
        raise TypeError(f"Expected Tensor's shape: {TensorShape(dims)}, but got {array.shape}.")
    elif array.size != count:
        raise TypeError(
            f"Eager execution of tf.constant with unsupported shape. Tensor {array} (converted "
            f"from {value}) has {array.size} elements, but got `shape` {TensorShape(dims)} with "
            f"{count} elements)."
        )
    state = LOCAL.state
    raw = raw_of(np.array(array.reshape(dims)))
    return state.target.constant(state, raw, as_dtype(array.dtype), False)


def fill(
    dims: ShapeLike | None, value: TensorLike, name: str | None = None, layout: object = None
) -> Tensor:
    """Returns a tensor of one value everywhere (`tf.fill`).

    Args:
        dims: the shape.
        value: a scalar.
        name: a name in graphs.
        layout: not used.

    Raises:
        InvalidArgumentError: a size is negative, or value is no scalar.

    >>> fill([2], 7).numpy().tolist()
    [7, 7]
    """
    if isinstance(dims, CompositeTensor):  # the shape of a ragged tensor: ops/ragged/shape.py
        return dims.filled(value)
    sizes = static_ints(dims, "dims")
    if type(sizes) is tuple and any(type(size) is int and size < 0 for size in sizes):
        raise wrong_argument(
            f"Dimension {min(sizes)} must be >= 0 [Op:Fill]",
            f"Fill dimensions must be >= 0, got {runtime_text(sizes)}",
        )
    value = to_tensor(value)
    if value.shape.rank not in (0, None):
        shape = runtime_text(value.shape)
        raise wrong_argument(
            f"value must represent a scalar, got shape {shape} [Op:Fill]",
            f"Shape must be rank 0 but is rank {value.shape.rank} for value",
        )
    return apply(FILL, (value,), {"dims": sizes})


def zeros(
    shape: ShapeLike,
    dtype: DTypeLike | None = dtypes.float32,
    name: str | None = None,
    layout: object = None,
) -> Tensor:
    """Returns a tensor of zeros, False or empty strings (`tf.zeros`).

    Args:
        shape: the shape.
        dtype: the dtype.
        name: a name in graphs.
        layout: not used.

    >>> zeros([2], dtypes.int32).numpy().tolist()
    [0, 0]
    """
    return _filled(shape, as_dtype(dtype), 0)


def ones(
    shape: ShapeLike,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    layout: object = None,
) -> Tensor:
    """Returns a tensor of ones or True (`tf.ones`).

    Args:
        shape: the shape.
        dtype: the dtype.
        name: a name in graphs.
        layout: not used.

    Raises:
        TypeError: the dtype is string.
    """
    return _filled(shape, as_dtype(dtype), 1)


def _filled(shape: ShapeLike, dtype: DType, number: int) -> Tensor:
    if dtype in dtypes.QUANTIZED_DTYPES:
        sizes = [*map(known_int, static_ints(shape, "dims"))]
        return constant(np.full(sizes, number, dtype.as_numpy_dtype), dtype)
    value: Any = bool(number) if dtype is dtypes.bool_ else number
    if dtype is dtypes.string and not number:
        value = ""
    try:
        return fill(shape, to_tensor(value, dtype))
    except InvalidArgumentError:
        if _holds_no_ints(shape):
            raise TypeError(f"Cannot convert {shape!r} to EagerTensor of dtype int32") from None
        raise


def _holds_no_ints(shape: ShapeLike) -> bool:
    parts = shape if isinstance(shape, (list, tuple)) else [shape]
    return any(isinstance(part, (float, str, bytes)) for part in parts)


def zeros_like(
    input: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    layout: object = None,
) -> Tensor:
    """Returns zeros in the shape of another tensor (`tf.zeros_like`).

    Args:
        input: the tensor whose shape and dtype are taken.
        dtype: another dtype.
        name: a name in graphs.
        layout: not used.
    """
    input = to_tensor(input)
    if input.dtype is dtypes.string or not (dtype is None or input.dtype == dtype):
        return zeros(sizes_of(input), dtype or input.dtype)
    return unary(ZEROS_LIKE, input)


def ones_like(
    input: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    layout: object = None,
) -> Tensor:
    """Returns ones in the shape of another tensor (`tf.ones_like`).

    Args:
        input: the tensor whose shape and dtype are taken.
        dtype: another dtype.
        name: a name in graphs.
        layout: not used.
    """
    input = to_tensor(input)
    if not (dtype is None or input.dtype == dtype):
        return ones(sizes_of(input), dtype)
    return unary(ONES_LIKE, input)


def range_(
    start: Any,
    limit: TensorLike | None = None,
    delta: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str | None = "range",
) -> Tensor:
    """Returns start, start + delta ... up to limit, without it (`tf.range`).

    Args:
        start: the first number, or the end if `limit` is None.
        limit: the end, which is left out.
        delta: from one number to the next.
        dtype: the dtype of the result; None chooses it by the numbers.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: delta is 0 or leads away from limit.

    >>> range_(3).numpy().tolist()
    [0, 1, 2]
    """
    if limit is None:
        start, limit = 0, start
    out_dtype = _range_dtype((start, limit, delta), dtype)
    start, limit, delta = (_range_end(end, out_dtype) for end in (start, limit, delta))
    if not any(type(end) is SymbolicValue for end in (start, limit, delta)):
        _range_spec(
            **without_backed_ints(
                {"start": start, "limit": limit, "delta": delta, "dtype": out_dtype}
            )
        )
    return apply(RANGE, (), {"start": start, "limit": limit, "delta": delta, "dtype": out_dtype})


# TF: the widest of these is the dtype of a range.
_RANGE_ORDER = (
    dtypes.int32, dtypes.int64, dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64,
)  # fmt: skip


def _range_dtype(ends: Sequence[Any], dtype: DTypeLike | None) -> DType:
    if dtype is not None:
        wanted = as_dtype(dtype)
        if wanted in (dtypes.int8, dtypes.int16):
            raise NotFoundError(
                None, None,
                f"Could not find device for node: Range has no kernel for {wanted.name}.",
            )  # fmt: skip
    elif all(type(end) is int and -(2**31) <= end < 2**31 for end in ends):
        return dtypes.int32
    else:
        given: list[DType] = [to_tensor(end).dtype for end in ends]
        wrong = [each.name for each in given if each not in _RANGE_ORDER]
        if wrong:
            raise AssertionError(  # TF's class
                f"[range] takes integers and floats, got {wrong[0]}. Cast it first."
            )
        wanted = max(given, key=_RANGE_ORDER.index)
    if wanted not in _RANGE_ORDER:
        names = ", ".join(map(runtime_name, _RANGE_ORDER))
        raise invalid_argument(
            f"Value for attr 'Tidx' of {runtime_name(wanted)} is not in the list of allowed "
            f"values: {names} [Op:Range]"
        )
    return wanted


def _range_end(end: TensorLike, dtype: DType) -> Any:
    if type(end) is int or type(end) is BackedInt:
        return end
    value = to_tensor(end, None if isinstance(end, Tensor) else dtype)
    if value.ndim:
        raise invalid_argument(
            f"limit must be a scalar, not shape {runtime_text(value.shape)} [Op:Range]"
        )
    known = value if type(value) is EagerTensor else value.static_value()
    if known is None:
        return SymbolicValue(value)
    number = known.item() if isinstance(known, np.ndarray) else known.numpy().item()
    if known is value:
        return int(number) if dtype.is_integer else number
    if dtype.is_integer and type(number) is int:
        return backed_int(number, value)
    specialise_on(value)
    return number


def one_hot(
    indices: TensorLike,
    depth: TensorLike,
    on_value: TensorLike | None = None,
    off_value: TensorLike | None = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns a new axis that is on_value at the index and off_value elsewhere (`tf.one_hot`).

    Args:
        indices: integers.
        depth: the size of the new axis.
        on_value: what stands at the index; 1 for None.
        off_value: what stands elsewhere; 0 for None.
        axis: where the new axis is; the last one for None.
        dtype: the dtype of the result; that of the values, else float32, for None.
        name: a name in graphs.

    >>> one_hot([1], 3).numpy().tolist()
    [[0.0, 1.0, 0.0]]
    """
    out_dtype = None if dtype is None else as_dtype(dtype)
    on = None if on_value is None else to_tensor(on_value, hint=out_dtype)
    off = None if off_value is None else to_tensor(off_value, hint=out_dtype)
    out_dtype = _one_hot_dtype(out_dtype, on, off)
    count = only_number(static_ints(depth, "depth"))
    if isinstance(depth, (list, tuple)) or isinstance(count, tuple):
        several = len(count) if isinstance(count, tuple) else 1
        raise wrong_argument(
            f"depth must be a scalar, but got: [{several}] [Op:OneHot]",
            "Input must be scalar but has rank 1",
        )
    indices = to_tensor(indices)
    place, rank = -1 if axis is None else number_now(axis), indices.ndim
    if is_symbolic(place):
        raise TypeError(f"Expected int for argument 'axis' not {axis!r}.")
    if rank is not None and not -1 <= place <= rank:
        raise invalid_argument(
            f"Expected axis to be -1 or between [0, {rank + 1}). But received: {place} [Op:OneHot]"
        )
    if not isinstance(count, SymbolicValue) and count < 0:
        raise wrong_argument(
            f"depth must be non-negative, got: {count} [Op:OneHot]",
            f"Dimension size, given by scalar input 1, must be non-negative but is {count}",
        )
    on = to_tensor(1, out_dtype) if on is None else on
    off = to_tensor(0, out_dtype) if off is None else off
    for which, value in (("on_value", on), ("off_value", off)):
        if value.ndim:
            raise invalid_argument(
                f"{which} must be a scalar, but got: {runtime_text(value.shape)} [Op:OneHot]"
            )
    return apply(ONE_HOT, (indices, on, off), {"depth": count, "axis": place})


def _one_hot_dtype(wanted: DType | None, on: Tensor | None, off: Tensor | None) -> DType:
    """The dtype of a one-hot tensor.

    Raises:
        TypeError: the values and the dtype asked for differ.
    """
    for name, value in (("on_value", on), ("off_value", off)):
        if value is not None and wanted is not None and value.dtype is not wanted:
            raise TypeError(
                f"dtype {value.dtype!r} of {name} does not match dtype parameter {wanted!r}"
            )
    if on is not None and off is not None and on.dtype is not off.dtype:
        raise TypeError(
            f"dtype {on.dtype!r} of on_value does not match dtype {off.dtype!r} of off_value"
        )
    given = next((value.dtype for value in (on, off) if value is not None), None)
    return wanted or given or dtypes.float32


def meshgrid(*args: Any, **kwargs: Any) -> list[Any]:
    """The coordinates of all points of a grid (`tf.meshgrid`).

    Args:
        args: the coordinates along each axis.
        kwargs: `indexing`: "xy" (the first two axes change places) or "ij"; `name`.

    Returns:
        For each of args a tensor of the shape of the grid.

    Raises:
        ValueError: there is no such indexing.

    >>> [x.numpy().tolist() for x in meshgrid([1, 2], [3])]
    [[[1, 2]], [[3, 3]]]
    """
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(
            f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'"
        )
    axes = [reshape(to_tensor(arg), (-1,)) for arg in args]
    for i, values in enumerate(axes):
        if values.dtype is not axes[0].dtype:
            raise invalid_argument(
                f"cannot compute Mul as input #1(zero-based) was expected to be a "
                f"{runtime_name(axes[i].dtype)} tensor but is a {runtime_name(axes[0].dtype)} "
                "tensor [Op:Mul] name: "
            )
    order = list(range(len(axes)))
    if indexing == "xy" and len(axes) > 1:
        order[:2] = [1, 0]
    sizes = [0] * len(axes)
    for axis, values in zip(order, axes, strict=True):
        sizes[axis] = axis_size(values, 0)
    grids = []
    for axis, values in zip(order, axes, strict=True):
        shape = tuple(-1 if i == axis else 1 for i in range(len(sizes)))
        grids.append(broadcast_to(reshape(values, shape), tuple(sizes)))
    return grids
