"""Ops on shape and order: reshape, transpose, slices, concat, stack, gather; and constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ..base import dtypes
from ..base.dtypes import DType, as_dtype
from ..base.errors import invalid_argument
from ..base.shapes import TensorShape, broadcast, num_elements, runtime_text
from ..core.context import LOCAL
from ..core.tensor import Tensor
from . import infer
from .convert import (
    convert_to_tensor,
    own_tensor,
    raw_of,
    register_stack,
    scalar_array,
    static_ints,
    tensors,
    to_array,
    to_tensor,
    unary,
)
from .infer import Spec
from .op import apply, op


def identity_kernel(x: Any) -> Any:
    """The value itself: tensors never change."""
    return x


# What constants are made with: its input is on the host, its output where it is wanted.
EAGER_CONST = op(
    "_EagerConst", "input: T -> output: T", identity_kernel, infer.same,
    moves=True, aliases=True, T=dtypes.ANY,
)  # fmt: skip
IDENTITY = op(
    "Identity", "input: T -> output: T", identity_kernel, infer.same,
    moves=True, aliases=True, T=dtypes.ANY,
)  # fmt: skip


def fill_kernel(value: torch.Tensor, *, dims: Sequence[int]) -> torch.Tensor:
    """One value everywhere."""
    return value.new_empty(dims).fill_(value)


FILL = op(
    "Fill", "dims: host, value: T -> output: T", fill_kernel, infer.filled, T=dtypes.ANY_FIXED
)

ZEROS_LIKE = op("ZerosLike", "x: T -> y: T", torch.zeros_like, infer.same, T=dtypes.ANY_FIXED)
ONES_LIKE = op("OnesLike", "x: T -> y: T", torch.ones_like, infer.same, T=dtypes.ANY_FIXED)


def _reshape_spec(tensor: Spec, *, shape: Sequence[int]) -> Spec:
    return Spec(reshaped(tensor.dims or (), shape), tensor.dtype)


def reshaped(dims: Sequence[int | None], shape: Sequence[int]) -> tuple[int, ...]:
    """`shape` with its -1 worked out.

    Raises:
        InvalidArgumentError: the sizes do not fit.
    """
    count = num_elements(tuple(dims))
    if any(size < -1 for size in shape):
        raise invalid_argument(
            f"Size {next(i for i, d in enumerate(shape) if d < -1)} must be non-negative, "
            f"not {min(shape)}"
        )
    if shape.count(-1) > 1:
        first, second = [i for i, size in enumerate(shape) if size == -1][:2]
        raise invalid_argument(f"Only one input size may be -1, not both {first} and {second}")
    known = num_elements(tuple(size for size in shape if size != -1))
    if -1 in shape:
        if known == 0:
            if count:
                raise invalid_argument(
                    "reshape cannot infer the missing input size for an empty tensor unless all "
                    "specified input sizes are non-zero"
                )
            return tuple(0 if size == -1 else size for size in shape)
        if count % known:
            raise invalid_argument(
                f"Input to reshape is a tensor with {count} values, but the requested shape "
                f"requires a multiple of {known}"
            )
        return tuple(count // known if size == -1 else size for size in shape)
    if known != count:
        raise invalid_argument(
            f"Input to reshape is a tensor with {count} values, but the requested shape has {known}"
        )
    return tuple(shape)


def reshape_kernel(tensor: Any, *, shape: Sequence[int]) -> Any:
    """The same elements in another shape."""
    return tensor.reshape(reshaped(tensor.shape, shape))


def _lies_in_order(tensor: torch.Tensor, **attrs: Any) -> bool:
    return tensor.is_contiguous()


RESHAPE = op(
    "Reshape", "tensor: T, shape: host -> output: T", reshape_kernel, _reshape_spec,
    aliases=_lies_in_order, T=dtypes.ANY,
)  # fmt: skip


def transpose_kernel(x: Any, *, perm: Sequence[int]) -> Any:
    """The axes in another order."""
    return x.permute(*perm) if isinstance(x, torch.Tensor) else x.transpose(perm)


def _transpose_spec(x: Spec, *, perm: Sequence[int]) -> Spec:
    dims = x.dims or ()
    if sorted(axis % len(dims) if dims else axis for axis in perm) != list(range(len(dims))):
        raise invalid_argument(
            f"transpose expects a vector of size {len(dims)}. But input(1) is a vector of size "
            f"{len(perm)}"
        )
    return Spec(tuple(dims[axis] for axis in perm), x.dtype)


TRANSPOSE = op(
    "Transpose", "x: T, perm: host -> y: T", transpose_kernel, _transpose_spec,
    aliases=True, T=dtypes.ANY,
)  # fmt: skip


def broadcast_to_kernel(input: Any, *, shape: Sequence[int]) -> Any:
    """The same elements stretched to a shape, without copying them."""
    stretch = torch.broadcast_to if isinstance(input, torch.Tensor) else np.broadcast_to
    return stretch(input, shape)


def _broadcast_to_spec(input: Spec, *, shape: Sequence[int]) -> Spec:
    dims = input.dims or ()
    if broadcast(dims, tuple(shape)) != tuple(shape):
        raise invalid_argument(
            f"Incompatible shapes: {runtime_text(dims)} vs. {runtime_text(shape)}"
        )
    return Spec(tuple(shape), input.dtype)


BROADCAST_TO = op(
    "BroadcastTo", "input: T, shape: host -> output: T", broadcast_to_kernel, _broadcast_to_spec,
    aliases=True, T=dtypes.ANY,
)  # fmt: skip


def expand_dims_kernel(input: Any, *, dim: int) -> Any:
    """One more axis of size 1."""
    return input.unsqueeze(dim) if isinstance(input, torch.Tensor) else np.expand_dims(input, dim)


def _expand_dims_spec(input: Spec, *, dim: int) -> Spec:
    dims = list(input.dims or ())
    if not -len(dims) - 1 <= dim <= len(dims):
        raise invalid_argument(
            f"Tried to expand dim index {dim} for tensor with {len(dims)} dimensions."
        )
    dims.insert(dim if dim >= 0 else dim + len(dims) + 1, 1)
    return Spec(tuple(dims), input.dtype)


EXPAND_DIMS = op(
    "ExpandDims", "input: T, dim: host -> output: T", expand_dims_kernel, _expand_dims_spec,
    aliases=True, T=dtypes.ANY,
)  # fmt: skip


def squeeze_kernel(input: Any, *, squeeze_dims: tuple[int, ...]) -> Any:
    """Without axes of size 1."""
    _squeeze_spec(Spec(tuple(input.shape), dtypes.float32), squeeze_dims=squeeze_dims)
    return input.squeeze(squeeze_dims) if squeeze_dims else input.squeeze()


def _squeeze_spec(input: Spec, *, squeeze_dims: tuple[int, ...]) -> Spec:
    dims = input.dims or ()
    axes = {axis % len(dims) for axis in squeeze_dims if -len(dims) <= axis < len(dims)}
    if len(axes) < len(set(squeeze_dims)):
        raise invalid_argument(
            f"Tried to squeeze dimensions {list(squeeze_dims)} of a tensor of rank {len(dims)}."
        )
    wrong = [axis for axis in sorted(axes) if dims[axis] != 1]
    if wrong:
        raise invalid_argument(
            f"Can not squeeze dim[{wrong[0]}], expected a dimension of 1, got {dims[wrong[0]]}"
        )
    if squeeze_dims:
        kept = tuple(size for i, size in enumerate(dims) if i not in axes)
    else:
        kept = tuple(size for size in dims if size != 1)
    return Spec(kept, input.dtype)


SQUEEZE = op(
    "Squeeze", "input: T -> output: T", squeeze_kernel, _squeeze_spec, aliases=True, T=dtypes.ANY
)


def concat_kernel(*values: Any, axis: int) -> Any:
    """One after the other along an axis."""
    if isinstance(values[0], torch.Tensor):
        _concat_spec(*[Spec(tuple(v.shape), dtypes.float32) for v in values], axis=axis)
        return torch.cat(values, axis)
    return np.concatenate(values, axis)


def _concat_spec(*values: Spec, axis: int) -> Spec:
    first = values[0].dims or ()
    rank = len(first)
    if rank == 0:
        raise invalid_argument("ConcatOp : Expected concatenating dimensions in the range [0, 0)")
    if not -rank <= axis < rank:
        raise invalid_argument(
            "ConcatOp : Expected concatenating dimensions in the range "
            f"[{-rank}, {rank}), but got {axis}"
        )
    axis %= rank
    total = 0
    for i, value in enumerate(values):
        dims = value.dims or ()
        if len(dims) != rank:
            raise invalid_argument(
                "ConcatOp : Ranks of all input tensors should match: "
                f"shape[0] = {runtime_text(first)} vs. shape[{i}] = {runtime_text(dims)}"
            )
        if any(d != f for j, (d, f) in enumerate(zip(dims, first, strict=True)) if j != axis):
            raise invalid_argument(
                f"ConcatOp : Dimension {axis} in both shapes must be equal: "
                f"shape[0] = {runtime_text(first)} vs. shape[{i}] = {runtime_text(dims)}"
            )
        total += dims[axis] or 0
    return Spec((*first[:axis], total, *first[axis + 1 :]), values[0].dtype)


CONCAT = op(
    "ConcatV2", "values: N * T, axis: host -> output: T", concat_kernel, _concat_spec, T=dtypes.ANY
)


def pack_kernel(*values: Any, axis: int) -> Any:
    """Side by side along a new axis."""
    return (
        torch.stack(values, axis) if isinstance(values[0], torch.Tensor) else np.stack(values, axis)
    )


def _pack_spec(*values: Spec, axis: int) -> Spec:
    first = values[0].dims or ()
    for i, value in enumerate(values):
        if value.dims != first:
            raise invalid_argument(
                "Shapes of all inputs must match: values[0].shape = "
                f"{runtime_text(first)} != values[{i}].shape = {runtime_text(value.dims or ())}"
            )
    rank = len(first) + 1
    if not -rank <= axis < rank:
        raise invalid_argument(f"axis = {axis} not in [{-rank}, {rank})")
    axis %= rank
    return Spec((*first[:axis], len(values), *first[axis:]), values[0].dtype)


PACK = op("Pack", "values: N * T -> output: T", pack_kernel, _pack_spec, T=dtypes.ANY)


def unpack_kernel(value: Any, *, axis: int) -> Any:
    """One tensor for each place along an axis."""
    if isinstance(value, torch.Tensor):
        return value.unbind(axis)
    return [value.take(i, axis) for i in range(value.shape[axis])]


def _unpack_spec(value: Spec, *, axis: int) -> tuple[Spec, ...]:
    dims = value.dims or ()
    if not -len(dims) <= axis < len(dims):
        raise invalid_argument(f"axis = {axis} not in [{-len(dims)}, {len(dims)})")
    axis %= len(dims)
    kept = (*dims[:axis], *dims[axis + 1 :])
    return (Spec(kept, value.dtype),) * (dims[axis] or 0)


UNPACK = op(
    "Unpack", "value: T -> output: N * T", unpack_kernel, _unpack_spec, aliases=True, T=dtypes.ANY
)


def gather_kernel(params: Any, indices: torch.Tensor, *, axis: int, batch_dims: int = 0) -> Any:
    """Slices of params along an axis, in the order of the indices."""
    size = params.shape[axis]
    if indices.numel():
        low, high = (int(end) for end in indices.aminmax())
        if low < 0 or high >= size:
            bad = low if low < 0 else high
            raise invalid_argument(f"indices[?] = {bad} is not in [0, {size})")
    if not isinstance(params, torch.Tensor):
        return params.take(indices.numpy(), axis)
    flat = params.index_select(axis, indices.reshape(-1).long())
    return flat.reshape((*params.shape[:axis], *indices.shape, *params.shape[axis + 1 :]))


def _gather_spec(params: Spec, indices: Spec, *, axis: int, batch_dims: int = 0) -> Spec:
    dims = params.dims or ()
    return Spec((*dims[:axis], *(indices.dims or ()), *dims[axis + 1 :]), params.dtype)


_INDICES = (dtypes.int32, dtypes.int64)
GATHER = op(
    "GatherV2", "params: Tparams, indices: Tindices, axis: host -> output: Tparams",
    gather_kernel, _gather_spec, Tparams=dtypes.ANY, Tindices=_INDICES,
)  # fmt: skip


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
    one_hot_kernel, _one_hot_spec, TI=(dtypes.uint8, dtypes.int8, *_INDICES), T=dtypes.ANY_FIXED,
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


def identity(input: Any, name: str | None = None) -> Any:
    """The same values on the current device (`tf.identity`): TensorFlow's way to copy a tensor.

    >>> identity([1, 2]).numpy().tolist()
    [1, 2]
    """
    return unary(IDENTITY, input)


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


def shape(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Any:
    """The shape of a tensor as a tensor (`tf.shape`); on the host, so nothing waits for a GPU."""
    sizes = to_tensor(input).shape.as_list()
    return convert_to_tensor(np.array(sizes, as_dtype(out_type).as_numpy_dtype))


def size(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Any:
    """The number of elements as a tensor (`tf.size`)."""
    return to_tensor(to_tensor(input).shape.num_elements(), as_dtype(out_type))


def rank(input: Any, name: str | None = None) -> Any:
    """The number of dimensions as a tensor (`tf.rank`)."""
    return to_tensor(to_tensor(input).shape.rank, dtypes.int32)


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Any:
    """The same elements in another shape (`tf.reshape`).

    Args:
        tensor: a tensor.
        shape: the sizes; one may be -1, which is worked out.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: the sizes do not fit.

    >>> reshape([1, 2, 3, 4], [2, -1]).shape
    TensorShape([2, 2])
    """
    return apply(RESHAPE, (to_tensor(tensor),), {"shape": static_ints(shape, "a shape")})


def transpose(
    a: Any, perm: Any = None, conjugate: bool = False, name: str | None = "transpose"
) -> Any:
    """The axes in another order, reversed by default (`tf.transpose`).

    >>> transpose([[1, 2, 3]]).shape
    TensorShape([3, 1])
    """
    a = to_tensor(a)
    rank = a.shape.rank
    order = tuple(reversed(range(rank))) if perm is None else static_ints(perm, "perm")
    _transpose_spec(Spec(tuple(a.shape), a.dtype), perm=order)
    return apply(TRANSPOSE, (a,), {"perm": tuple(axis % rank for axis in order)})


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Any:
    """The same elements stretched to a shape (`tf.broadcast_to`).

    Raises:
        InvalidArgumentError: the shapes do not fit.
    """
    return apply(BROADCAST_TO, (to_tensor(input),), {"shape": static_ints(shape, "a shape")})


def expand_dims(input: Any, axis: Any, name: str | None = None) -> Any:
    """One more axis of size 1 (`tf.expand_dims`)."""
    return apply(EXPAND_DIMS, (to_tensor(input),), {"dim": static_ints(axis, "axis")[0]})


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Any:
    """Without axes of size 1: all of them, or the given ones (`tf.squeeze`)."""
    axes = () if axis is None else static_ints(axis, "axis")
    return apply(SQUEEZE, (to_tensor(input),), {"squeeze_dims": axes})


def concat(values: Any, axis: Any, name: str | None = "concat") -> Any:
    """Tensors one after the other along an axis (`tf.concat`).

    Raises:
        InvalidArgumentError: dtypes differ, or shapes do outside the axis.

    >>> concat([[1, 2], [3]], 0).numpy().tolist()
    [1, 2, 3]
    """
    parts = tensors(values if isinstance(values, (list, tuple)) else [values])
    place = static_ints(axis, "axis")[0]
    if len(parts) == 1:
        return identity(parts[0])
    return apply(CONCAT, tuple(parts), {"axis": place})


def stack(values: Any, axis: int = 0, name: str | None = "stack") -> Any:
    """Tensors of one shape side by side along a new axis (`tf.stack`).

    >>> stack([[1, 2], [3, 4]]).shape
    TensorShape([2, 2])
    """
    return apply(PACK, tuple(tensors(values)), {"axis": axis})


register_stack(stack)


def unstack(value: Any, num: int | None = None, axis: int = 0, name: str | None = "unstack") -> Any:
    """One tensor for each place along an axis (`tf.unstack`)."""
    return apply(UNPACK, (to_tensor(value),), {"axis": axis})


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """Slices of params along an axis, in the order of the indices (`tf.gather`).

    Raises:
        InvalidArgumentError: an index is out of range.

    >>> gather([10, 20, 30], [2, 0]).numpy().tolist()
    [30, 10]
    """
    params = to_tensor(params)
    place = 0 if axis is None else static_ints(axis, "axis")[0]
    place %= max(1, params.shape.rank)
    return apply(GATHER, (params, to_tensor(indices)), {"axis": place})


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
