"""Ops on the shape of a tensor and the order of its axes; and `identity`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ..base import dtypes
from ..base.dtypes import as_dtype
from ..base.errors import invalid_argument
from ..base.shapes import broadcast, num_elements, runtime_text
from . import infer
from .convert import (
    convert_to_tensor,
    static_ints,
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


def identity(input: Any, name: str | None = None) -> Any:
    """The same values on the current device (`tf.identity`): TensorFlow's way to copy a tensor.

    >>> identity([1, 2]).numpy().tolist()
    [1, 2]
    """
    return unary(IDENTITY, input)


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
