"""Functions of sparse tensors as TF 1 calls them: other names, and arguments that were renamed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from numbers import Integral
from typing import Any

from ...base import dtypes
from ...base.typing import Axis, DTypeLike, ShapeLike, TensorLike
from ...core.tensor import Tensor
from ...ops.arguments import static_ints
from ...ops.array.joining import concat, unstack
from ...ops.array.shaping import expand_dims, reshape
from ...ops.convert import to_tensor
from ...ops.image.warp import extract_patches
from ...ops.io import sparse_texts
from ...ops.math.elementwise import cast
from ...ops.op import apply
from ...ops.sparse import math, parts, picked_segments, reduction
from ...ops.sparse.basic import SPARSE_TO_DENSE, reorder
from ...ops.sparse.places import as_sparse
from ...ops.sparse.tensor import SparseTensor, SparseTensorValue
from ..scopes.arguments import renamed


def sparse_to_dense(
    sparse_indices: Any,
    output_shape: ShapeLike | None,
    sparse_values: Any,
    default_value: TensorLike = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """A tensor of one value with others put into it (`tf.compat.v1.sparse_to_dense`).

    Args:
        sparse_indices: the places, (count, rank); (count) for a vector; a number for one of them.
        output_shape: the shape.
        sparse_values: (count), or one value for all places.
        default_value: what is elsewhere.
        validate_indices: refuse places that are out of order or repeated.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: a place is outside, out of order or repeated, or a shape does not fit.

    >>> sparse_to_dense([1, 3], [5], 1).numpy().tolist()
    [0, 1, 0, 1, 0]
    """
    values = to_tensor(sparse_values)
    default = to_tensor(default_value, hint=values.dtype)
    dims = static_ints(output_shape, "output_shape")
    places = cast(to_tensor(sparse_indices), dtypes.int64)
    if places.shape.rank is not None and places.shape.rank < 2:
        places = reshape(places, [-1, 1])
    attrs = {"output_shape": dims, "validate_indices": bool(validate_indices)}
    return apply(SPARSE_TO_DENSE, (places, values, default), attrs)


def sparse_merge(
    sp_ids: Any, sp_values: Any, vocab_size: Any, name: str | None = None,
    already_sorted: bool = False,
) -> SparseTensor:  # fmt: skip
    """Puts values into columns that ids name, instead of at places in rows
    (`tf.compat.v1.sparse_merge`).

    Args:
        sp_ids: a sparse tensor of ids, or a list of them, each of which becomes an axis.
        sp_values: a sparse tensor of the values at the same places.
        vocab_size: how many ids there are, or a list of that.
        name: a name in graphs.
        already_sorted: the places that come out are in order and need not be sorted.

    Raises:
        TypeError: an argument is of another kind.
        ValueError: there are not as many sizes as ids.

    >>> places = [[0, 0], [0, 1]]
    >>> ids, values = SparseTensor(places, [2, 0], [1, 2]), SparseTensor(places, [5, 6], [1, 2])
    >>> merged = sparse_merge(ids, values, 3)
    >>> merged.indices.numpy().tolist(), merged.values.numpy().tolist()
    ([[0, 0], [0, 2]], [6, 5])
    """
    sizes = vocab_size
    if isinstance(sp_ids, (SparseTensor, SparseTensorValue)):
        sp_ids, sizes = [sp_ids], [vocab_size]
        if not isinstance(vocab_size, (Tensor, Integral)):
            raise TypeError(
                f"vocab_size has to be a Tensor or Python int. Found {type(vocab_size)}"
            )
    elif not isinstance(vocab_size, (Tensor, Iterable)):
        raise TypeError(
            f"vocab_size has to be a list of Tensors or Python ints. Found {type(vocab_size)}"
        )
    sizes = sizes if isinstance(sizes, (list, tuple)) else unstack(to_tensor(sizes))
    for size in sizes:
        if not isinstance(size, (Tensor, Integral)):
            raise TypeError(
                f"vocab_size has to be a list of Tensors or Python ints. Found {type(size)}"
            )
    if len(sp_ids) != len(sizes):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    ids = [as_sparse(axis) for axis in sp_ids]
    values, first = as_sparse(sp_values), ids[0]
    columns = [expand_dims(cast(axis.values, dtypes.int64), 1) for axis in ids]
    places = concat([first.indices[:, :-1], *columns], 1)
    ends = [expand_dims(cast(to_tensor(size), dtypes.int64), 0) for size in sizes]
    merged = SparseTensor(places, values.values, concat([first.dense_shape[:-1], *ends], 0))
    return merged if already_sorted else reorder(merged)


def sparse_add(
    a: TensorLike, b: TensorLike, threshold: TensorLike | None = None, thresh: Any = None
) -> Any:
    """a + b, of which one may be dense (`tf.compat.v1.sparse_add`)."""
    threshold = renamed("threshold", threshold, "thresh", thresh)
    return math.add(a, b, 0 if threshold is None else threshold)


def sparse_concat(
    axis: Axis | None, sp_inputs: Any, name: str | None = None, expand_nonconcat_dim: bool = False,
    concat_dim: Axis | None = None, expand_nonconcat_dims: Any = None,
) -> Any:  # fmt: skip
    """Sparse tensors behind each other (`tf.compat.v1.sparse_concat`)."""
    axis = renamed("axis", axis, "concat_dim", concat_dim)
    expands = expand_nonconcat_dim if expand_nonconcat_dims is None else expand_nonconcat_dims
    return parts.concat(axis, sp_inputs, expands)


def _reduced(reduce: Callable[..., Any], is_sparse: bool, given: Sequence[Any]) -> Any:
    sp_input, axis, keepdims, reduction_axes, keep_dims = given
    axis = renamed("axis", axis, "reduction_axes", reduction_axes)
    return reduce(sp_input, axis, renamed("keepdims", keepdims, "keep_dims", keep_dims), is_sparse)


def sparse_reduce_sum(
    sp_input: TensorLike,
    axis: Axis | None = None,
    keepdims: bool | None = None,
    reduction_axes: Axis | None = None,
    keep_dims: bool | None = None,
) -> Any:
    """Sums over axes, dense (`tf.compat.v1.sparse_reduce_sum`)."""
    given = sp_input, axis, keepdims, reduction_axes, keep_dims
    return _reduced(reduction.reduce_sum, False, given)


def sparse_reduce_sum_sparse(
    sp_input: TensorLike,
    axis: Axis | None = None,
    keepdims: bool | None = None,
    reduction_axes: Axis | None = None,
    keep_dims: bool | None = None,
) -> Any:
    """Sums over axes, sparse (`tf.compat.v1.sparse_reduce_sum_sparse`)."""
    given = sp_input, axis, keepdims, reduction_axes, keep_dims
    return _reduced(reduction.reduce_sum, True, given)


def sparse_reduce_max(
    sp_input: TensorLike,
    axis: Axis | None = None,
    keepdims: bool | None = None,
    reduction_axes: Axis | None = None,
    keep_dims: bool | None = None,
) -> Any:
    """The largest over axes, dense (`tf.compat.v1.sparse_reduce_max`)."""
    given = sp_input, axis, keepdims, reduction_axes, keep_dims
    return _reduced(reduction.reduce_max, False, given)


def sparse_reduce_max_sparse(
    sp_input: TensorLike,
    axis: Axis | None = None,
    keepdims: bool | None = None,
    reduction_axes: Axis | None = None,
    keep_dims: bool | None = None,
) -> Any:
    """The largest over axes, sparse (`tf.compat.v1.sparse_reduce_max_sparse`)."""
    given = sp_input, axis, keepdims, reduction_axes, keep_dims
    return _reduced(reduction.reduce_max, True, given)


#: Stands where a first argument without a name would stand.
_BY_NAME: Any = object()


def sparse_split(
    keyword_required: object = _BY_NAME,
    sp_input: TensorLike | None = None,
    num_split: Any = None,
    axis: Axis | None = None,
    name: str | None = None,
    split_dim: Axis | None = None,
) -> Any:
    """A sparse tensor in parts, by keywords only (`tf.compat.v1.sparse_split`).

    Raises:
        ValueError: an argument is missing, or given without its name.
    """
    if keyword_required is not _BY_NAME:
        raise ValueError("Keyword arguments are required for this function.")
    return parts.split(sp_input, num_split, renamed("axis", axis, "split_dim", split_dim))


def sparse_segment_sum(
    data: Any,
    indices: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
    num_segments: TensorLike | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Sums of picked rows by segment (`tf.compat.v1.sparse_segment_sum`)."""
    return picked_segments.sparse_segment_sum(
        data, indices, segment_ids, num_segments, sparse_gradient=sparse_gradient
    )


def sparse_segment_mean(
    data: Any,
    indices: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
    num_segments: TensorLike | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Means of picked rows by segment (`tf.compat.v1.sparse_segment_mean`)."""
    return picked_segments.sparse_segment_mean(
        data, indices, segment_ids, num_segments, sparse_gradient=sparse_gradient
    )


def sparse_segment_sqrt_n(
    data: Any,
    indices: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
    num_segments: TensorLike | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Sums over the root of their number (`tf.compat.v1.sparse_segment_sqrt_n`)."""
    return picked_segments.sparse_segment_sqrt_n(
        data, indices, segment_ids, num_segments, sparse_gradient=sparse_gradient
    )


def extract_image_patches(
    images: Any, ksizes: Any = None, strides: Any = None, rates: Any = None, padding: Any = None,
    name: str | None = None, sizes: Any = None,
) -> Tensor:  # fmt: skip
    """Patches of images, laid flat (`tf.compat.v1.extract_image_patches`)."""
    return extract_patches(
        images, renamed("sizes", sizes, "ksizes", ksizes), strides, rates, padding
    )


def serialize_sparse(
    sp_input: Any, name: str | None = None, out_type: DTypeLike = dtypes.string
) -> Tensor:
    """A sparse tensor as three texts (`tf.compat.v1.serialize_sparse`)."""
    return sparse_texts.serialize_sparse(sp_input, out_type)


def serialize_many_sparse(
    sp_input: Any, name: str | None = None, out_type: DTypeLike = dtypes.string
) -> Tensor:
    """Each row of a sparse tensor as three texts (`tf.compat.v1.serialize_many_sparse`)."""
    return sparse_texts.serialize_many_sparse(sp_input, out_type)
