"""Functions on tensors whose arguments have other names or another order in TF 1."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...base import dtypes
from ...base.dimensions import Dimension
from ...base.errors import invalid_argument
from ...base.shapes import TensorShape
from ...base.typing import Axis, DTypeLike, IntLike, ShapeLike, TensorLike
from ...core.context import LOCAL
from ...core.ragged import RaggedTensor
from ...core.tensor import Tensor
from ...ops.array import gathering, joining, making, moving, repeating, select, shaping, space
from ...ops.convert import convert_to_tensor as _convert, to_tensor
from ...ops.debugging.checks import check_numerics
from ...ops.linalg import norms
from ...ops.math import counting
from ...ops.math.elementwise import cast, floordiv, truediv
from ...ops.op import apply
from ...ops.ragged.array import map_flat_values
from ...ops.ragged.methods import nrows
from ...ops.random import stateful, stateless
from ...ops.sparse import dense_counts
from ...ops.strings import basic, hashing, numbers
from ..scopes.arguments import renamed, required


def constant(
    value: TensorLike,
    dtype: DTypeLike | None = None,
    shape: ShapeLike | None = None,
    name: str | None = "Const",
    verify_shape: bool = False,
) -> Any:
    """Returns a tensor of the given value (`tf.compat.v1.constant`); too few numbers for `shape`
    are followed by copies of the last one unless `verify_shape`.

    Args:
        value: a number, an array, or nested lists of numbers.
        dtype: the dtype; that of the value for None.
        shape: the shape; that of the value for None.
        name: a name in graphs.
        verify_shape: True refuses a value of another shape.

    Raises:
        TypeError: `verify_shape`, and the value has another shape; or there are too few numbers,
            in eager mode.
        ValueError: there are too many, in a graph.
    """
    if shape is None or isinstance(value, Tensor):
        return making.constant(value, dtype, shape)
    array = np.asarray(value)
    sizes = [int(dim or 0) for dim in TensorShape(shape).as_list()]
    if verify_shape and list(array.shape) != sizes:
        raise TypeError(f"Expected Tensor's shape: {tuple(sizes)}, but got {array.shape}.")
    is_eager, count = LOCAL.state.target.is_eager, math.prod(sizes)
    if array.size > count and not is_eager:
        raise ValueError(
            f"Too many elements provided. Takes at most {count}, but got {array.size}."
        )
    if 1 < array.size < count and not is_eager:
        rest = np.repeat(array.reshape(-1)[-1:], math.prod(sizes) - array.size)
        value = np.concatenate([array.reshape(-1), rest]).reshape(sizes).tolist()
    return making.constant(value, dtype, shape)


def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    preferred_dtype: Any = None,
    dtype_hint: Any = None,
) -> Any:
    """Returns `value` as a tensor (`tf.compat.v1.convert_to_tensor`).

    Args:
        value: anything that becomes a tensor.
        dtype: the dtype that it must have.
        name: a name in graphs.
        preferred_dtype: the old name of `dtype_hint`.
        dtype_hint: the dtype that it gets where it has none of its own.
    """
    return _convert(value, dtype, renamed("dtype_hint", dtype_hint, "preferred_dtype",
                                          preferred_dtype))  # fmt: skip


def expand_dims(
    input: Any, axis: Axis | None = None, name: str | None = None, dim: Axis | None = None
) -> Any:
    """Adds an axis of size 1 (`tf.compat.v1.expand_dims`).

    Args:
        input: a tensor.
        axis: where the new axis stands.
        name: a name in graphs.
        dim: the old name of `axis`.

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
    """Removes axes of size 1 (`tf.compat.v1.squeeze`).

    Args:
        input: a tensor.
        axis: the axes that go; all of size 1 for None.
        name: a name in graphs.
        squeeze_dims: the old name of `axis`.
    """
    return shaping.squeeze(input, renamed("axis", axis, "squeeze_dims", squeeze_dims))


def transpose(
    a: TensorLike,
    perm: TensorLike | None = None,
    name: str | None = "transpose",
    conjugate: bool = False,
) -> Any:
    """Puts the axes in another order (`tf.compat.v1.transpose`).

    Args:
        a: a tensor.
        perm: the axes in their new order; the reverse for None.
        name: a name in graphs.
        conjugate: True conjugates complex numbers.
    """
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
    """Returns zeros in the shape of another tensor (`tf.compat.v1.zeros_like`).

    Args:
        tensor: a tensor.
        dtype: another dtype.
        name: a name in graphs.
        optimize: not used.
    """
    return making.zeros_like(tensor, dtype)


def ones_like(
    tensor: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    optimize: bool = True,
) -> Any:
    """Returns ones in the shape of another tensor (`tf.compat.v1.ones_like`).

    Args:
        tensor: a tensor.
        dtype: another dtype.
        name: a name in graphs.
        optimize: not used.
    """
    return making.ones_like(tensor, dtype)


def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: TensorLike = 0,
) -> Any:
    """Puts numbers around a tensor (`tf.compat.v1.pad`).

    Args:
        tensor: a tensor.
        paddings: shape (rank, 2): how many come before and after, along each axis.
        mode: "CONSTANT", "REFLECT" or "SYMMETRIC".
        name: a name in graphs.
        constant_values: the number that is put there, for "CONSTANT".
    """
    return repeating.pad(tensor, paddings, mode, constant_values)


def boolean_mask(
    tensor: TensorLike, mask: TensorLike, name: str | None = "boolean_mask", axis: int | None = None
) -> Any:
    """Returns the elements where a mask is True (`tf.compat.v1.boolean_mask`).

    Args:
        tensor: a tensor.
        mask: bools, of the shape of some axes of the tensor.
        name: a name in graphs.
        axis: the first of those axes; 0 for None.
    """
    return gathering.boolean_mask(tensor, mask, axis)


def gather(
    params: TensorLike,
    indices: Any,
    validate_indices: object = None,
    name: str | None = None,
    axis: Axis | None = None,
    batch_dims: int = 0,
) -> Any:
    """Gathers slices by number (`tf.compat.v1.gather`).

    Args:
        params: a tensor.
        indices: the numbers of the slices.
        validate_indices: not used.
        name: a name in graphs.
        axis: the axis; `batch_dims` for None.
        batch_dims: how many axes are those of a batch.
    """
    return gathering.gather(params, indices, axis=axis, batch_dims=batch_dims)


def gather_nd(
    params: TensorLike,
    indices: TensorLike,
    name: str | None = None,
    batch_dims: int = 0,
    bad_indices_policy: str = "",
) -> Any:
    """Gathers slices by rows of numbers (`tf.compat.v1.gather_nd`).

    Args:
        params: a tensor.
        indices: shape (..., depth): each row names a slice.
        name: a name in graphs.
        batch_dims: how many axes are those of a batch.
        bad_indices_policy: "IGNORE" gives zeros for rows that are out of range.
    """
    return gathering.gather_nd(params, indices, batch_dims, bad_indices_policy=bad_indices_policy)


def batch_gather(params: TensorLike, indices: TensorLike, name: str | None = None) -> Any:
    """Slices by number, for each part of a batch (`tf.compat.v1.batch_gather`)."""
    rank = to_tensor(indices).shape.rank
    return gathering.gather(params, indices, axis=rank - 1, batch_dims=rank - 1)


def where(condition: TensorLike, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """x where the condition is True, y elsewhere; or the places that are True
    (`tf.compat.v1.where`). A vector as condition chooses among the rows of x and y, which may have
    other lengths where they are ragged; a ragged condition chooses among values. Nothing else
    stretches.

    Raises:
        InvalidArgumentError: shapes do not fit.
        ValueError: only one of x and y is given, or a graph knows that shapes do not fit.
    """
    if x is None and y is None:
        return select.where(condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    condition = to_tensor(condition)
    x = to_tensor(x)
    y = to_tensor(y, x.dtype) if not isinstance(y, Tensor) else y
    if any(isinstance(each, RaggedTensor) for each in (condition, x, y)):
        return _where_ragged(condition, x, y)
    return apply(select.SELECT_WHOLE, (condition, x, y))


def _where_ragged(condition: Any, x: Any, y: Any) -> Any:
    """`where` with ragged tensors, values or rows of which are chosen."""
    if isinstance(condition, RaggedTensor):
        if not isinstance(x, RaggedTensor) or not isinstance(y, RaggedTensor):
            raise ValueError("Input shapes do not match.")
        return map_flat_values(select.where, condition, x, y)
    if condition.shape.rank not in (None, 1):
        raise ValueError(f"Shape {condition.shape} must have rank 1")
    for each in (x, y):
        if not condition.shape.is_compatible_with(each.shape[:1]):
            raise invalid_argument(
                f"The condition has shape {condition.shape} and chooses among the rows of "
                f"{each.shape}: there must be as many."
            )
    condition = shaping.ensure_shape(condition, x.shape[:1] if x.shape.rank else [None])
    rows = nrows(x) if isinstance(x, RaggedTensor) else shaping.shape(x, dtypes.int64)[0]
    mine = making.range_(cast(rows, dtypes.int64))
    places = select.where(condition, mine, mine + cast(rows, dtypes.int64))
    return gathering.gather(joining.concat([x, y], 0), places)


def reverse_sequence(
    input: TensorLike,
    seq_lengths: Any,
    seq_axis: Axis | None = None,
    batch_axis: Axis | None = None,
    name: str | None = None,
    seq_dim: Any = None,
    batch_dim: Any = None,
) -> Any:
    """Reverses the first elements of each row (`tf.compat.v1.reverse_sequence`).

    Args:
        input: a tensor.
        seq_lengths: how many elements of each row are reversed.
        seq_axis: the axis of the rows' elements.
        batch_axis: the axis of the rows.
        name: a name in graphs.
        seq_dim: the old name of `seq_axis`.
        batch_dim: the old name of `batch_axis`.
    """
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
    """Makes each place of a block of space a batch (`tf.compat.v1.space_to_batch`).

    Args:
        input: a batch of images.
        paddings: zeros before and after, along each axis of space.
        block_size: the sides of a block.
        name: a name in graphs.
        block_shape: the sides of a block along each axis, instead of `block_size`.
    """
    if block_size is None:
        return space.space_to_batch(input, block_shape, paddings)
    return space.space_to_batch(_images(input), [block_size, block_size], paddings)


def batch_to_space(
    input: Any,
    crops: Any,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: TensorLike | None = None,
) -> Any:
    """Does the inverse of `space_to_batch` (`tf.compat.v1.batch_to_space`).

    Args:
        input: what `space_to_batch` returned.
        crops: how much goes before and after, along each axis of space.
        block_size: the sides of a block.
        name: a name in graphs.
        block_shape: the sides of a block along each axis, instead of `block_size`.
    """
    if block_size is None:
        return space.batch_to_space(input, block_shape, crops)
    return space.batch_to_space(_images(input), [block_size, block_size], crops)


def _images(input: Any) -> Any:
    """What is cut into blocks of two axes has four, whether or not a graph knows that."""
    images = to_tensor(input)
    return images if images.shape.rank is not None else shaping.ensure_shape(images, [None] * 4)


def batch_to_space_nd(
    input: TensorLike, block_shape: TensorLike, crops: TensorLike, name: str | None = None
) -> Any:
    """Does the inverse of `space_to_batch_nd` (`tf.compat.v1.batch_to_space_nd`).

    Args:
        input: what `space_to_batch_nd` returned.
        block_shape: the sides of a block.
        crops: how much goes before and after, along each axis of space.
        name: a name in graphs.
    """
    return space.batch_to_space(input, block_shape, crops)


def space_to_depth(
    input: TensorLike, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> Any:
    """Makes blocks of pixels channels (`tf.compat.v1.space_to_depth`).

    Args:
        input: a batch of images.
        block_size: the sides of a block.
        name: a name in graphs.
        data_format: the order of the axes.
    """
    return space.space_to_depth(input, block_size, data_format)


def depth_to_space(
    input: TensorLike, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> Any:
    """Makes channels blocks of pixels (`tf.compat.v1.depth_to_space`).

    Args:
        input: a batch of images.
        block_size: the sides of a block.
        name: a name in graphs.
        data_format: the order of the axes.
    """
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
    """Returns the norm of vectors or matrices (`tf.compat.v1.norm`).

    Args:
        tensor: a tensor.
        ord: "euclidean", a positive number or infinity; see `tf.norm`.
        axis: the axis of vectors, both axes of matrices; all for None.
        keepdims: True keeps the axes that go, with size 1.
        name: a name in graphs.
        keep_dims: the old name of `keepdims`.
    """
    return norms.norm(tensor, ord, axis, bool(renamed("keepdims", keepdims, "keep_dims",
                                                      keep_dims)))  # fmt: skip


def bincount(
    arr: TensorLike,
    weights: TensorLike | None = None,
    minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
) -> Any:
    """Counts how often each number occurs (`tf.compat.v1.bincount`).

    Args:
        arr: integers that are not negative.
        weights: what each counts for; 1 for None.
        minlength: the fewest numbers that are counted.
        maxlength: the most of them: larger ones are left out.
        dtype: the dtype of the counts.
    """
    return dense_counts.bincount(arr, weights, minlength, maxlength, dtype)


def confusion_matrix(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
    weights: TensorLike | None = None,
) -> Any:
    """Counts how often each class is taken for each (`tf.compat.v1.confusion_matrix`).

    Args:
        labels: the true classes, numbers.
        predictions: the classes that were taken for them.
        num_classes: how many there are; one more than the largest for None.
        dtype: the dtype of the counts.
        name: a name in graphs.
        weights: what each counts for; 1 for None.
    """
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
    """Returns a tensor, after a check that all of it is finite
    (`tf.compat.v1.verify_tensor_all_finite`).

    Args:
        t: the old name of `x`.
        msg: the old name of `message`.
        name: a name in graphs.
        x: floating numbers.
        message: what the error begins with.
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
    """Draws classes at random (`tf.compat.v1.multinomial`).

    Args:
        logits: shape (batch, classes): logarithms of probabilities.
        num_samples: how many are drawn per row.
        seed: a seed of the op.
        name: a name in graphs.
        output_dtype: int32 or int64.
    """
    return stateful.categorical(logits, num_samples, output_dtype, seed)


def stateless_multinomial(
    logits: TensorLike,
    num_samples: IntLike,
    seed: TensorLike,
    output_dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Any:
    """Draws classes at random, the same ones for the same seed
    (`tf.compat.v1.random.stateless_multinomial`).

    Args:
        logits: shape (batch, classes): logarithms of probabilities.
        num_samples: how many are drawn per row.
        seed: two integers.
        output_dtype: int32 or int64.
        name: a name in graphs.
    """
    return stateless.stateless_categorical(logits, num_samples, seed, output_dtype)


def random_poisson(
    lam: Any,
    shape: ShapeLike,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Draws numbers of the Poisson distribution (`tf.compat.v1.random_poisson`).

    Args:
        lam: the means.
        shape: how many are drawn for each mean.
        dtype: a floating dtype.
        seed: a seed of the op.
        name: a name in graphs.
    """
    return stateful.poisson(shape, lam, dtype, seed)


def string_to_number(
    string_tensor: TensorLike | None = None,
    out_type: DTypeLike = dtypes.float32,
    name: str | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """Returns the numbers that strings spell (`tf.compat.v1.string_to_number`).

    Args:
        string_tensor: the strings.
        out_type: the dtype of the numbers.
        name: a name in graphs.
        input: another name of `string_tensor`.
    """
    return numbers.to_number(renamed("input", input, "string_tensor", string_tensor), out_type)


def string_to_hash_bucket(
    string_tensor: TensorLike | None = None,
    num_buckets: Any = None,
    name: str | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """Returns a bucket for each string (`tf.compat.v1.string_to_hash_bucket`).

    Args:
        string_tensor: the strings.
        num_buckets: how many buckets there are.
        name: a name in graphs.
        input: another name of `string_tensor`.
    """
    found = renamed("input", input, "string_tensor", string_tensor)
    return hashing.to_hash_bucket(found, num_buckets)


def substr(
    input: TensorLike, pos: Any, len: Any, name: str | None = None, unit: str = "BYTE"
) -> Tensor:
    """Returns so many bytes or characters from a place on (`tf.compat.v1.substr`).

    Args:
        input: strings.
        pos: the places, from 0; from the end if negative.
        len: how many.
        name: a name in graphs.
        unit: "BYTE" or "UTF8_CHAR".
    """
    return basic.substr(input, pos, len, unit)
