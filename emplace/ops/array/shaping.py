"""Ops on the shape of a tensor and the order of its axes; and `identity`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType, as_dtype, runtime_name
from ...base.errors import InvalidArgumentError, invalid_argument
from ...base.shapes import TensorShape, broadcast, num_elements, runtime_text
from ...base.typing import Axis, DTypeLike, ShapeLike, TensorLike
from ...core.composite import CompositeTensor
from ...core.ragged import RaggedTensor
from ...core.symbolic_value import SymbolicValue, specialise_on, symbolic_values
from ...core.tensor import (
    EagerTensor,
    Tensor,
    numpy_to_torch,
    torch_to_numpy,
    unquantized,
)
from .. import infer
from ..arguments import (
    given_shape,
    one_of,
    only_number,
    read_now,
    static_ints,
    told_here,
    wrong_argument,
)
from ..convert import convert_to_tensor, is_tensor, operand, pair, to_tensor, unary
from ..infer import Spec, known_dims, shape_only
from ..op import CPU_ONLY, apply, op
from ..waiting import HOST_TYPES


def identity_kernel(x: np.ndarray[Any, Any] | torch.Tensor) -> Any:
    """The value itself: tensors never change."""
    return x


# What constants are made with: its input is on the host, its output where it is wanted.
EAGER_CONST = op(
    "_EagerConst", "input: T -> output: T", identity_kernel, infer.same,
    is_transfer=True, aliases=True, T=dtypes.ANY_HELD,
)  # fmt: skip


IDENTITY = op(
    "Identity", "input: T -> output: T", identity_kernel, infer.same,
    is_transfer=True, aliases=True, T=(*dtypes.ANY_HELD, dtypes.variant),
)  # fmt: skip


# As many axes as TensorFlow's tensors never have.
_MOST_AXES = 254


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
    if -1 in shape:
        return _filled_in(dims, shape)
    known = num_elements(tuple(shape))
    if known >= 2**63:
        raise invalid_argument(f"Shape {list(shape)} has too many elements")
    if known != count:
        raise invalid_argument(
            f"Input to reshape is a tensor with {count} values, but the requested shape has {known}"
        )
    return tuple(shape)


def _filled_in(dims: Sequence[int | None], shape: Sequence[int]) -> tuple[int, ...]:
    """`shape` with the size that its -1 stands for. TF: a 0 on both sides is left out of it."""
    known = num_elements(tuple(size for size in shape if size > 0))
    has_zero = 0 in shape
    count = num_elements(tuple(size for size in dims if size or not has_zero))
    if count % known and not (has_zero and 0 in dims):
        raise invalid_argument(
            f"Input to reshape is a tensor with {count} values, but the requested shape "
            f"requires a multiple of {known}"
        )
    if has_zero and 0 not in dims:
        raise invalid_argument(
            f"Input to reshape is a tensor with {count} values, but the requested shape has 0"
        )
    return tuple(count // known if size == -1 else size for size in shape)


def reshape_kernel(tensor: torch.Tensor, *, shape: Sequence[int]) -> torch.Tensor:
    """The same elements in another shape."""
    if len(shape) >= _MOST_AXES:
        raise invalid_argument(
            f"too many dimensions: must be < {_MOST_AXES}, but received {len(shape)}"
        )
    if isinstance(tensor, torch.Tensor):
        try:
            return tensor.reshape(shape)
        except RuntimeError:  # the rule below says why, in TensorFlow's words
            pass
    return tensor.reshape(reshaped(tensor.shape, shape))


def _lies_in_order(tensor: torch.Tensor, **attrs: Any) -> bool:
    return tensor.is_contiguous()


RESHAPE = op(
    "Reshape", "tensor: T, shape: host -> output: T", reshape_kernel, _reshape_spec,
    aliases=_lies_in_order, T=dtypes.ANY_HELD,
)  # fmt: skip


def transpose_kernel(x: np.ndarray[Any, Any] | torch.Tensor, *, perm: Sequence[int] | None) -> Any:
    """The axes in another order; None for the other way round."""
    if perm is None:
        perm = range(x.ndim - 1, -1, -1)
    try:
        return x.permute(tuple(perm)) if isinstance(x, torch.Tensor) else x.transpose(perm)
    except (RuntimeError, ValueError, IndexError):  # which only running the graph has told
        transpose_spec(Spec(tuple(x.shape), dtypes.float32), perm=perm)
        raise


def transpose_spec(x: Spec, *, perm: Sequence[int] | None) -> Spec:
    """The shape of a transposed tensor."""
    dims = x.dims or ()
    rank = len(dims)
    if perm is None:
        return Spec(dims[::-1], x.dtype)
    if len(perm) != rank:
        raise invalid_argument(
            f"transpose expects a vector of size {rank}. But input(1) is a vector of size "
            f"{len(perm)}"
        )
    for axis in perm:
        if not -rank <= axis < rank:
            raise invalid_argument(f"{axis} is out of range [0 .. {rank})")
    missing = set(range(rank)).difference(axis % rank for axis in perm)
    if missing:
        raise invalid_argument(f"{min(missing)} is missing from {{{','.join(map(str, perm))}}}.")
    return Spec(tuple(dims[axis] for axis in perm), x.dtype)


TRANSPOSE = op(
    "Transpose", "x: T, perm: host -> y: T", transpose_kernel, transpose_spec,
    aliases=True, T=dtypes.ANY,
)  # fmt: skip


def conjugate_transpose_kernel(x: torch.Tensor, *, perm: Sequence[int] | None) -> torch.Tensor:
    """The axes in another order, and every number's conjugate."""
    return torch.conj_physical(transpose_kernel(x, perm=perm))


CONJUGATE_TRANSPOSE = op(
    "ConjugateTranspose", "x: T, perm: host -> y: T", conjugate_transpose_kernel, transpose_spec,
    T=dtypes.COMPLEX,
)  # fmt: skip


def broadcast_to_kernel(input: torch.Tensor, *, shape: Sequence[int]) -> torch.Tensor:
    """The same elements stretched to a shape, without copying them."""
    stretch = torch.broadcast_to if isinstance(input, torch.Tensor) else np.broadcast_to
    try:
        return stretch(input, shape)
    except (RuntimeError, ValueError):  # which only running the graph has told
        _broadcast_to_spec(Spec(tuple(input.shape), dtypes.float32), shape=shape)
        raise


def _broadcast_to_spec(input: Spec, *, shape: Sequence[int]) -> Spec:
    dims = input.dims or ()
    if len(dims) > len(shape):
        raise invalid_argument(
            f"Rank of input ({len(dims)}) must be no greater than rank of output shape "
            f"({len(shape)})."
        )
    made = broadcast(dims, tuple(shape))
    if made is None:
        raise invalid_argument(
            f"Incompatible shapes: {runtime_text(dims)} vs. {runtime_text(shape)}"
        )
    if made != tuple(shape):
        raise invalid_argument(
            f"Unable to broadcast tensor of shape {runtime_text(dims)} to tensor of shape "
            f"{runtime_text(shape)}"
        )
    return Spec(tuple(shape), input.dtype)


BROADCAST_TO = op(
    "BroadcastTo", "input: T, shape: host -> output: T", broadcast_to_kernel, _broadcast_to_spec,
    aliases=True, T=dtypes.ANY,
)  # fmt: skip


def expand_dims_kernel(input: np.ndarray[Any, Any] | torch.Tensor, *, dim: int) -> Any:
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
    aliases=True, T=dtypes.ANY_HELD,
)  # fmt: skip


def squeeze_kernel(input: Any, *, squeeze_dims: tuple[int, ...]) -> Any:
    """Without axes of size 1."""
    _squeeze_spec(shape_only(input), squeeze_dims=squeeze_dims)
    if not squeeze_dims:
        return input.squeeze()
    return input.squeeze(tuple({axis % input.ndim for axis in squeeze_dims}))


def _squeeze_spec(input: Spec, *, squeeze_dims: tuple[int, ...]) -> Spec:
    dims = input.dims or ()
    for axis in squeeze_dims:
        if not -len(dims) <= axis < len(dims):
            raise invalid_argument(
                f"Tried to squeeze dim index {axis} for tensor with {len(dims)} dimensions."
            )
    axes = {axis % len(dims) for axis in squeeze_dims}
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
    "Squeeze",
    "input: T -> output: T",
    squeeze_kernel,
    _squeeze_spec,
    aliases=True,
    T=dtypes.ANY_HELD,
)


def ensure_shape_kernel(input: torch.Tensor, *, shape: TensorShape) -> torch.Tensor:
    """The value itself, if it has the shape."""
    if not shape.is_compatible_with(tuple(input.shape)):
        raise _wrong_shape(tuple(input.shape), shape)
    return input


def _wrong_shape(dims: Sequence[int | None], shape: TensorShape) -> Exception:
    return invalid_argument(
        f"Shape of tensor input {runtime_text(dims)} is not compatible with expected shape "
        f"{runtime_text(shape)}."
    )


def _ensure_shape_spec(input: Spec, *, shape: TensorShape) -> Spec:
    if input.dims is not None and not shape.is_compatible_with(input.dims):
        raise _wrong_shape(input.dims, shape)
    return input


ENSURE_SHAPE = op(
    "EnsureShape", "input: T -> output: T", ensure_shape_kernel, _ensure_shape_spec,
    aliases=True, T=dtypes.ANY,
)  # fmt: skip


def bitcast_kernel(input: np.ndarray[Any, Any] | torch.Tensor, *, type: DType) -> Any:
    """The same bytes read as elements of another type."""
    if type.torch is None or not isinstance(input, torch.Tensor):
        return _bitcast_quantized(input, type)
    made = _bitcast_spec(Spec(tuple(input.shape), as_dtype(input.dtype)), type=type)
    target = type.torch
    if input.element_size() > type.size:
        input = input.unsqueeze(-1)
    elif input.element_size() < type.size and input.storage_offset():
        input = input.clone(memory_format=torch.contiguous_format)
    return input.contiguous().view(target).reshape(known_dims(made))


def _bitcast_quantized(input: np.ndarray[Any, Any] | torch.Tensor, type: DType) -> Any:
    """The same between quantized and plain types: by the plain ones below."""
    _bitcast_spec(Spec(tuple(input.shape), as_dtype(input.dtype)), type=type)
    if isinstance(input, np.ndarray):
        plain = numpy_to_torch(unquantized(input).copy())
    else:
        plain = input.cpu()
    below = np.dtype(type.as_numpy_dtype)
    made = bitcast_kernel(plain, type=as_dtype(below[0] if type.is_quantized else below))
    if not type.is_quantized:
        return made
    return torch_to_numpy(made).copy().view(below).reshape(tuple(made.shape))


def _bitcast_spec(input: Spec, *, type: DType) -> Spec:
    dims, size = input.dims or (), input.dtype.size
    if size == type.size:
        return Spec(dims, type)
    if size > type.size:
        return Spec((*dims, size // type.size), type)
    if not dims or dims[-1] != type.size // size:
        raise invalid_argument(
            f"Cannot bitcast from {input.dtype.as_datatype_enum} to {type.as_datatype_enum}, "
            f"because the last dimension of shape {runtime_text(dims)} is not {type.size // size}"
        )
    return Spec(dims[:-1], type)


BITCAST = op(
    "Bitcast", "input: T -> output: type", bitcast_kernel, _bitcast_spec,
    T=(*dtypes.NUMBERS, *dtypes.QUANTIZED), gpu_types=dtypes.NUMBERS,
    wait_reason=HOST_TYPES,
)  # fmt: skip


def shape_kernel(
    input: np.ndarray[Any, Any] | torch.Tensor, *, out_type: DType = dtypes.int32
) -> torch.Tensor:
    """The sizes of a tensor, on the host."""
    return torch.tensor(tuple(input.shape), dtype=out_type.torch)


def _shape_spec(input: Spec, *, out_type: DType = dtypes.int32) -> Spec:
    return Spec((None if input.dims is None else len(input.dims),), out_type)


def size_kernel(input: torch.Tensor, *, out_type: DType = dtypes.int32) -> torch.Tensor:
    """The number of elements, on the host."""
    return torch.tensor(num_elements(tuple(input.shape)), dtype=out_type.torch)


def rank_kernel(input: torch.Tensor) -> torch.Tensor:
    """The number of dimensions, on the host."""
    return torch.tensor(input.ndim, dtype=torch.int32)


# Eager execution knows shapes; graphs ask for them with these. Nothing is copied for that: they
# look at no element.
SHAPE = op("Shape", "input: T -> output: out_type", shape_kernel, _shape_spec,
           device_types=CPU_ONLY, peer_access="everything", T=dtypes.ANY_HELD)  # fmt: skip
SIZE = op(
    "Size", "input: T -> output: out_type", size_kernel,
    lambda input, *, out_type=dtypes.int32: Spec((), out_type), device_types=CPU_ONLY,
    peer_access="everything", T=dtypes.ANY_HELD,
)  # fmt: skip
RANK = op(
    "Rank", "input: T -> output: int32", rank_kernel, lambda input: Spec((), dtypes.int32),
    device_types=CPU_ONLY, peer_access="everything", T=dtypes.ANY_HELD,
)  # fmt: skip


def broadcast_args_kernel(s0: torch.Tensor, s1: torch.Tensor) -> torch.Tensor:
    """The shape that two shapes are stretched to."""
    x, y = (tuple(each.tolist()) for each in (s0, s1))
    made = broadcast(x, y)
    if made is None:
        raise invalid_argument(f"incompatible shapes: {runtime_text(x)} vs. {runtime_text(y)}")
    return torch.tensor(made, dtype=s0.dtype, device=s0.device)


def _broadcast_args_spec(s0: Spec, s1: Spec) -> Spec:
    counts = [None if each.dims is None or not each.dims else each.dims[0] for each in (s0, s1)]
    return Spec((None if None in counts else max(counts),), s0.dtype)  # type: ignore[type-var]


BROADCAST_ARGS = op(
    "BroadcastArgs", "s0: T, s1: T -> r0: T", broadcast_args_kernel, _broadcast_args_spec,
    device_types=CPU_ONLY, T=dtypes.INDICES,
)  # fmt: skip


def identity_n_kernel(*input: Any) -> tuple[Any, ...]:
    """The values themselves."""
    return input


def _identity_n_spec(*input: Spec) -> tuple[Spec, ...]:
    return input


IDENTITY_N = op(
    "IdentityN", "input: N * any -> output: N * any", identity_n_kernel, _identity_n_spec,
    is_transfer=True, aliases=True,
)  # fmt: skip
GUARANTEE_CONST = op(
    "GuaranteeConst", "input: T -> output: T", identity_kernel, infer.same, aliases=True,
    T=dtypes.ANY,
)  # fmt: skip


def identity(input: Any, name: str | None = None) -> Tensor:
    """The same values on the current device (`tf.identity`): TensorFlow's way to copy a tensor.

    >>> identity([1, 2]).numpy().tolist()
    [1, 2]
    """
    return unary(IDENTITY, input)


def identity_n(input: Any, name: str | None = None) -> Any:
    """The same values, several tensors at once (`tf.identity_n`)."""
    return apply(IDENTITY_N, tuple(to_tensor(each) for each in input))


def guarantee_const(input: TensorLike, name: str | None = None) -> Tensor:
    """The same value, said never to change (`tf.guarantee_const`)."""
    return unary(GUARANTEE_CONST, input)


def shape(input: TensorLike, out_type: DTypeLike | None = None, name: str | None = None) -> Any:
    """The shape of a tensor as a tensor (`tf.shape`); on the host, so nothing waits for a GPU.

    Raises:
        InvalidArgumentError: `out_type` is neither int32 nor int64.

    >>> shape([[1, 2]]).numpy().tolist()
    [1, 2]
    """
    dtype = dtypes.int32 if out_type is None else one_of("out_type", out_type, dtypes.INDICES)
    tensor = operand(input)
    if isinstance(tensor, RaggedTensor):
        return tensor.dynamic_shape(dtype)  # type: ignore[attr-defined]  # ops/ragged/shape.py
    if not tensor.shape.is_fully_defined():
        return apply(SHAPE, (tensor,), {"out_type": dtype})
    return convert_to_tensor(np.array(tensor.shape.as_list(), dtype.as_numpy_dtype))


def sizes_of(tensor: Any, end: int | None = None) -> Any:
    """The shape of a tensor, or its sizes before the axis `end`, for an op that takes sizes:
    numbers, or a tensor where only running the graph tells them all.
    """
    known = tensor.shape if end is None else tensor.shape[:end]
    if known.is_fully_defined():
        return known.as_list()
    return shape(tensor) if end is None else shape(tensor)[:end]


def axis_size(tensor: Any, axis: int) -> Any:
    """The size of an axis for an op that takes sizes: a number, or a `SymbolicValue` where only
    running the graph tells it.
    """
    dims = tensor.shape.sizes
    known = None if dims is None else dims[axis]
    return SymbolicValue(shape(tensor), axis) if known is None else known


def shape_n(input: Any, out_type: DTypeLike | None = dtypes.int32, name: str | None = None) -> Any:
    """The shapes of several tensors (`tf.shape_n`)."""
    return [shape(each, out_type) for each in input]


def size(input: TensorLike, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """The number of elements as a tensor (`tf.size`)."""
    dtype = dtypes.int32 if out_type is None else as_dtype(out_type)
    tensor = operand(input)
    count = tensor.shape.num_elements()
    if count is None and isinstance(tensor, RaggedTensor):
        count = tensor.flat_values.shape.num_elements()
    if count is None:
        return apply(SIZE, (tensor,), {"out_type": dtype})
    return to_tensor(count, dtype)


def rank(input: TensorLike, name: str | None = None) -> Tensor:
    """The number of dimensions as a tensor (`tf.rank`)."""
    tensor = operand(input)
    if tensor.shape.rank is None:
        return apply(RANK, (tensor,))
    return to_tensor(tensor.shape.rank, dtypes.int32)


def ensure_shape(x: TensorLike, shape: ShapeLike | None, name: str | None = None) -> Tensor:
    """The tensor itself, if it has the shape (`tf.ensure_shape`).

    Args:
        x: a tensor.
        shape: the shape it must have; None stands for any size.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: it has another shape.
    """
    return apply(ENSURE_SHAPE, (to_tensor(x),), {"shape": TensorShape(shape)})


def get_static_value(tensor: TensorLike, partial: bool = False) -> Any:
    """The value of a tensor as NumPy, where it is known before a graph runs
    (`tf.get_static_value`): in eager mode always.

    Args:
        tensor: a tensor; of variables and composites nothing is known, what is no tensor is itself.
        partial: of tensors that are put together of others along the first axis, tell an array of
            the values that are known, with None for the others.
    """
    if isinstance(tensor, EagerTensor):
        return tensor.numpy()
    if not isinstance(tensor, Tensor):
        return None if is_tensor(tensor) else tensor
    known = tensor.static_value()
    if known is None and partial:
        return _partly_known(tensor)
    if known is not None:
        specialise_on(tensor)  # TF: it can then no more be fed
    return known


def _partly_known(tensor: Any) -> Any:
    operation = tensor.op
    if operation.type not in ("Pack", "Unpack", "Split") or operation.attrs.get("axis") != 0:
        return None
    values = [get_static_value(each, partial=True) for each in operation.inputs]
    if operation.type == "Pack":
        return np.array(values, object)
    if values[0] is None:
        return None
    parts = values[0]
    if operation.type == "Split":
        parts = np.split(parts, len(operation.outputs))
    return parts[tensor.value_index]


def bitcast(input: TensorLike, type: DType, name: str | None = None) -> Tensor:
    """The same bytes read as elements of another type (`tf.bitcast`).

    Args:
        input: numbers.
        type: the type; a smaller one adds an axis, a larger one takes the last axis away.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: the bytes of the last axis do not make up an element.

    >>> bitcast([1.0], dtypes.int32).numpy().tolist()
    [1065353216]
    """
    wanted = as_dtype(type)
    if wanted not in (*dtypes.NUMBERS, *dtypes.QUANTIZED):
        names = ", ".join(map(runtime_name, (*dtypes.NUMBERS, *dtypes.QUANTIZED)))
        raise invalid_argument(
            f"Value for attr 'type' of {runtime_name(wanted)} is not in the list of allowed "
            f"values: {names} [Op:Bitcast]"
        )
    return apply(BITCAST, (to_tensor(input),), {"type": wanted})


def broadcast_dynamic_shape(shape_x: TensorLike, shape_y: TensorLike) -> Tensor:
    """The shape that two shapes, given as tensors, broadcast to (`tf.broadcast_dynamic_shape`).

    Raises:
        InvalidArgumentError: they do not fit each other.
    """
    x, y = static_ints(shape_x, "shape_x"), static_ints(shape_y, "shape_y")
    if any(True for _ in symbolic_values((x, y))):
        return apply(BROADCAST_ARGS, pair(shape_x, shape_y))
    dims = broadcast(x, y)
    if dims is None:
        raise invalid_argument(
            f"Incompatible shapes: {runtime_text(x)} vs. {runtime_text(y)} [Op:BroadcastArgs]"
        )
    given = next((s.dtype for s in (shape_x, shape_y) if hasattr(s, "dtype")), dtypes.int32)
    return convert_to_tensor(np.array(dims, as_dtype(given).as_numpy_dtype))


def reshape(tensor: Any, shape: ShapeLike | None, name: str | None = None) -> Tensor:
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
    if isinstance(shape, CompositeTensor):  # that of a ragged tensor: ops/ragged/shape.py
        return shape.reshaped(tensor)
    return apply(RESHAPE, (to_tensor(tensor),), {"shape": static_ints(shape, "a shape")})


def transpose(
    a: TensorLike,
    perm: TensorLike | None = None,
    conjugate: bool = False,
    name: str | None = "transpose",
) -> Tensor:
    """Returns the axes in another order, reversed by default (`tf.transpose`).

    Args:
        a: a tensor.
        perm: for each axis of the result the axis of `a` it is.
        conjugate: takes the conjugate of complex numbers too.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: `perm` does not name each axis once; a ValueError in a graph.

    >>> transpose([[1, 2, 3]]).shape
    TensorShape([3, 1])
    """
    a = to_tensor(a)
    order = _order(a, perm)
    if conjugate and a.dtype.is_complex:
        return apply(CONJUGATE_TRANSPOSE, (a,), {"perm": order})
    return apply(TRANSPOSE, (a,), {"perm": order})


def _order(a: Tensor, perm: TensorLike | None) -> Any:
    """The axes of `a` as a transpose wants them: a `SymbolicValue` of all of them where only
    running the graph tells one, None for all the other way round where nobody knows how many.
    """
    if perm is None:
        rank = a.ndim
        return None if rank is None else tuple(range(rank - 1, -1, -1))
    dims = a.shape.sizes
    shape = given_shape(read_now(perm))
    if shape is not None and len(shape) > 1:
        raise wrong_argument(
            f"perm must be rank 1, got shape {runtime_text(shape)}",
            f"Shape must be rank 1 but is rank {len(shape)} for perm",
        )
    order = static_ints(perm, "perm")
    if isinstance(order, SymbolicValue):
        return order
    if any(isinstance(axis, SymbolicValue) for axis in order):
        return SymbolicValue(to_tensor(perm), "all")
    if dims is None:
        return order
    try:
        transpose_spec(Spec(dims, a.dtype), perm=order)
    except InvalidArgumentError as error:
        raise told_here(error) from None
    return tuple(axis % len(dims) for axis in order)


def broadcast_to(input: TensorLike, shape: ShapeLike | None, name: str | None = None) -> Tensor:
    """The same elements stretched to a shape (`tf.broadcast_to`).

    Raises:
        InvalidArgumentError: the shapes do not fit.
    """
    sizes = static_ints(shape, "a shape")
    known = [] if isinstance(sizes, SymbolicValue) else [x for x in sizes if type(x) is int]
    if known and min(known) < 0:
        raise invalid_argument(f"Dimension {min(known)} must be >= 0 [Op:BroadcastTo]")
    return apply(BROADCAST_TO, (to_tensor(input),), {"shape": sizes})


def expand_dims(input: Any, axis: Axis | None, name: str | None = None) -> Tensor:
    """One more axis of size 1 (`tf.expand_dims`)."""
    place = axis if type(axis) is int else only_number(static_ints(axis, "axis"))
    if isinstance(place, tuple):
        raise invalid_argument("'dim' must be a tensor with a single value [Op:ExpandDims]")
    return apply(EXPAND_DIMS, (to_tensor(input),), {"dim": place})


def squeeze(input: TensorLike, axis: Axis | None = None, name: str | None = None) -> Tensor:
    """Without axes of size 1: all of them, or the given ones (`tf.squeeze`)."""
    axes = () if axis is None else static_ints(axis, "axis")
    return apply(SQUEEZE, (to_tensor(input),), {"squeeze_dims": axes})
