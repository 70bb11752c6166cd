"""Functions on tensors whose arguments have other names or another order in TF 1."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...base import dtypes
from ...base.dimensions import Dimension
from ...base.shapes import TensorShape
from ...base.typing import Axis, DTypeLike, IntLike, ShapeLike, TensorLike
from ...core.tensor import Tensor
from ...ops.array import gathering, making, moving, repeating, select, shaping, space
from ...ops.convert import convert_to_tensor as _convert, to_tensor
from ...ops.debugging.checks import check_numerics
from ...ops.linalg import norms
from ...ops.math import counting
from ...ops.math.elementwise import cast, floordiv, truediv
from ...ops.random import stateful
from ...ops.strings import basic, hashing, numbers
from ..scopes.arguments import renamed, required


def constant(
    value: TensorLike,
    dtype: DTypeLike | None = None,
    shape: ShapeLike | None = None,
    name: str | None = "Const",
    verify_shape: bool = False,
) -> Any:
    """A tensor of the given value (`tf.compat.v1.constant`); too few numbers for `shape` are
    followed by copies of the last one unless `verify_shape`.

    Raises:
        TypeError: `verify_shape`, and the value has another shape.
    """
    if shape is None or isinstance(value, Tensor):
        return making.constant(value, dtype, shape)
    given = np.asarray(value)
    sizes = [int(each or 0) for each in TensorShape(shape).as_list()]
    if verify_shape and list(given.shape) != sizes:
        raise TypeError(f"Expected Tensor's shape: {tuple(sizes)}, but got {given.shape}.")
    if 1 < given.size < math.prod(sizes):
        rest = np.repeat(given.reshape(-1)[-1:], math.prod(sizes) - given.size)
        value = np.concatenate([given.reshape(-1), rest]).reshape(sizes).tolist()
    return making.constant(value, dtype, shape)


def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    preferred_dtype: Any = None,
    dtype_hint: Any = None,
) -> Any:
    """`value` as a tensor (`tf.compat.v1.convert_to_tensor`)."""
    return _convert(value, dtype, renamed("dtype_hint", dtype_hint, "preferred_dtype",
                                          preferred_dtype))  # fmt: skip


def expand_dims(
    input: Any, axis: Axis | None = None, name: str | None = None, dim: Axis | None = None
) -> Any:
    """One more axis of size 1 (`tf.compat.v1.expand_dims`).

    Raises:
        ValueError: there is no axis.
    """
    axis = renamed("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return shaping.expand_dims(input, axis)


def squeeze(
    input: TensorLike, axis: Axis | None = None, name: str | None = None, squeeze_dims: Any = None
) -> Any:
    """Without axes of size 1 (`tf.compat.v1.squeeze`)."""
    return shaping.squeeze(input, renamed("axis", axis, "squeeze_dims", squeeze_dims))


def transpose(
    a: TensorLike,
    perm: TensorLike | None = None,
    name: str | None = "transpose",
    conjugate: bool = False,
) -> Any:
    """The axes in another order (`tf.compat.v1.transpose`)."""
    return shaping.transpose(a, perm, conjugate)


def shape(input: Any, name: str | None = None, out_type: Any = None) -> Any:
    """The shape of a tensor as a tensor (`tf.compat.v1.shape`)."""
    return shaping.shape(input, out_type)


def size(input: Any, name: str | None = None, out_type: Any = None) -> Any:
    """The number of elements as a tensor (`tf.compat.v1.size`)."""
    return shaping.size(input, out_type)


def zeros_like(
    tensor: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    optimize: bool = True,
) -> Any:
    """Zeros in the shape of another tensor (`tf.compat.v1.zeros_like`)."""
    return making.zeros_like(tensor, dtype)


def ones_like(
    tensor: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    optimize: bool = True,
) -> Any:
    """Ones in the shape of another tensor (`tf.compat.v1.ones_like`)."""
    return making.ones_like(tensor, dtype)


def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: TensorLike = 0,
) -> Any:
    """Numbers around a tensor (`tf.compat.v1.pad`)."""
    return repeating.pad(tensor, paddings, mode, constant_values)


def boolean_mask(
    tensor: TensorLike, mask: TensorLike, name: str | None = "boolean_mask", axis: int | None = None
) -> Any:
    """The elements where a mask is True (`tf.compat.v1.boolean_mask`)."""
    return gathering.boolean_mask(tensor, mask, axis)


def gather(
    params: TensorLike,
    indices: Any,
    validate_indices: object = None,
    name: str | None = None,
    axis: Axis | None = None,
    batch_dims: int = 0,
) -> Any:
    """Slices by number (`tf.compat.v1.gather`)."""
    return gathering.gather(params, indices, axis=axis, batch_dims=batch_dims)


def gather_nd(
    params: TensorLike, indices: TensorLike, name: str | None = None, batch_dims: int = 0
) -> Any:
    """Slices by rows of numbers (`tf.compat.v1.gather_nd`)."""
    return gathering.gather_nd(params, indices, batch_dims)


def batch_gather(params: TensorLike, indices: TensorLike, name: str | None = None) -> Any:
    """Slices by number, for each part of a batch (`tf.compat.v1.batch_gather`)."""
    rank = to_tensor(indices).shape.rank
    return gathering.gather(params, indices, axis=rank - 1, batch_dims=rank - 1)


def where(condition: TensorLike, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """x where the condition is True, y elsewhere; or the places that are True
    (`tf.compat.v1.where`). A vector as condition chooses among the rows of x and y.

    Raises:
        ValueError: only one of x and y is given, or their shapes differ.
    """
    if x is None and y is None:
        return select.where(condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    condition = to_tensor(condition)
    x = to_tensor(x)
    y = to_tensor(y, x.dtype) if not isinstance(y, Tensor) else y
    if not x.shape.is_compatible_with(y.shape):
        raise ValueError(
            f"Dimensions must be equal, but x has shape {x.shape} and y has shape {y.shape}."
        )
    rank, wanted = condition.shape.rank, x.shape.rank
    if rank == 1 and wanted is not None and wanted > 1:
        for _ in range(wanted - 1):
            condition = shaping.expand_dims(condition, -1)
    return select.where(condition, x, y)


def reverse_sequence(
    input: TensorLike,
    seq_lengths: Any,
    seq_axis: Axis | None = None,
    batch_axis: Axis | None = None,
    name: str | None = None,
    seq_dim: Any = None,
    batch_dim: Any = None,
) -> Any:
    """The first elements of each row, reversed (`tf.compat.v1.reverse_sequence`)."""
    seq_axis = renamed("seq_axis", seq_axis, "seq_dim", seq_dim)
    batch_axis = renamed("batch_axis", batch_axis, "batch_dim", batch_dim)
    return moving.reverse_sequence(input, seq_lengths, seq_axis, batch_axis)


def space_to_batch(
    input: Any,
    paddings: Any,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: TensorLike | None = None,
) -> Any:
    """Each place of a block of space as a batch of its own (`tf.compat.v1.space_to_batch`)."""
    blocks = [block_size, block_size] if block_size is not None else block_shape
    return space.space_to_batch(input, blocks, paddings)


def batch_to_space(
    input: Any,
    crops: Any,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: TensorLike | None = None,
) -> Any:
    """The inverse of `space_to_batch` (`tf.compat.v1.batch_to_space`)."""
    blocks = [block_size, block_size] if block_size is not None else block_shape
    return space.batch_to_space(input, blocks, crops)


def batch_to_space_nd(
    input: TensorLike, block_shape: TensorLike, crops: TensorLike, name: str | None = None
) -> Any:
    """The inverse of `space_to_batch_nd` (`tf.compat.v1.batch_to_space_nd`)."""
    return space.batch_to_space(input, block_shape, crops)


def space_to_depth(
    input: TensorLike, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> Any:
    """Blocks of pixels as channels (`tf.compat.v1.space_to_depth`)."""
    return space.space_to_depth(input, block_size, data_format)


def depth_to_space(
    input: TensorLike, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> Any:
    """Channels as blocks of pixels (`tf.compat.v1.depth_to_space`)."""
    return space.depth_to_space(input, block_size, data_format)


def dimension_value(dimension: Any) -> int | None:
    """The size that a dimension stands for (`tf.compat.v1.dimension_value`)."""
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: Any, index: int) -> Dimension:
    """One dimension of a shape (`tf.compat.v1.dimension_at_index`)."""
    return Dimension(None if shape.rank is None else shape.as_list()[index])


def norm(
    tensor: TensorLike,
    ord: Any = "euclidean",
    axis: Axis | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Any:
    """The norm of vectors or matrices (`tf.compat.v1.norm`)."""
    return norms.norm(tensor, ord, axis, bool(renamed("keepdims", keepdims, "keep_dims",
                                                      keep_dims)))  # fmt: skip


def bincount(
    arr: TensorLike,
    weights: TensorLike | None = None,
    minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
) -> Any:
    """How often each number occurs (`tf.compat.v1.bincount`)."""
    return counting.bincount(arr, weights, minlength, maxlength, dtype)


def confusion_matrix(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
    weights: TensorLike | None = None,
) -> Any:
    """How often each class is taken for each (`tf.compat.v1.confusion_matrix`)."""
    return counting.confusion_matrix(labels, predictions, num_classes, weights, dtype)


def div(x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
    """x / y; integers are divided without their rest (`tf.compat.v1.div`)."""
    x = to_tensor(x)
    y = to_tensor(y, x.dtype)
    return floordiv(x, y) if x.dtype.is_integer else truediv(x, y)


def to_float(x: TensorLike, name: str = "ToFloat") -> Any:
    """As float32 (`tf.compat.v1.to_float`)."""
    return cast(x, dtypes.float32)


def to_double(x: TensorLike, name: str = "ToDouble") -> Any:
    """As float64 (`tf.compat.v1.to_double`)."""
    return cast(x, dtypes.float64)


def to_int32(x: TensorLike, name: str = "ToInt32") -> Any:
    """As int32 (`tf.compat.v1.to_int32`)."""
    return cast(x, dtypes.int32)


def to_int64(x: TensorLike, name: str = "ToInt64") -> Any:
    """As int64 (`tf.compat.v1.to_int64`)."""
    return cast(x, dtypes.int64)


def to_bfloat16(x: TensorLike, name: str = "ToBFloat16") -> Any:
    """As bfloat16 (`tf.compat.v1.to_bfloat16`)."""
    return cast(x, dtypes.bfloat16)


def to_complex64(x: TensorLike, name: str = "ToComplex64") -> Any:
    """As complex64 (`tf.compat.v1.to_complex64`)."""
    return cast(x, dtypes.complex64)


def to_complex128(x: TensorLike, name: str = "ToComplex128") -> Any:
    """As complex128 (`tf.compat.v1.to_complex128`)."""
    return cast(x, dtypes.complex128)


def verify_tensor_all_finite(
    t: TensorLike | None = None,
    msg: str | None = None,
    name: str | None = None,
    x: TensorLike | None = None,
    message: str | None = None,
) -> Any:
    """A tensor, after a check that all of it is finite
    (`tf.compat.v1.verify_tensor_all_finite`).
    """
    value = required("x", renamed("x", x, "t", t))
    return check_numerics(value, renamed("message", message, "msg", msg) or "")


def multinomial(
    logits: TensorLike,
    num_samples: IntLike,
    seed: int | None = None,
    name: str | None = None,
    output_dtype: Any = None,
) -> Any:
    """Classes drawn at random (`tf.compat.v1.multinomial`)."""
    return stateful.categorical(logits, num_samples, output_dtype, seed)


def random_poisson(
    lam: Any,
    shape: ShapeLike,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Numbers of the Poisson distribution (`tf.compat.v1.random_poisson`)."""
    return stateful.poisson(shape, lam, dtype, seed)


def string_to_number(
    string_tensor: TensorLike | None = None,
    out_type: DTypeLike = dtypes.float32,
    name: str | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """The numbers that strings spell (`tf.compat.v1.string_to_number`)."""
    return numbers.to_number(renamed("input", input, "string_tensor", string_tensor), out_type)


def string_to_hash_bucket(
    string_tensor: TensorLike | None = None,
    num_buckets: Any = None,
    name: str | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """A bucket for each string (`tf.compat.v1.string_to_hash_bucket`)."""
    found = renamed("input", input, "string_tensor", string_tensor)
    return hashing.to_hash_bucket(found, num_buckets)


def substr(
    input: TensorLike, pos: Any, len: Any, name: str | None = None, unit: str = "BYTE"
) -> Tensor:
    """So many bytes or characters from a place on (`tf.compat.v1.substr`)."""
    return basic.substr(input, pos, len, unit)
