"""How often integers occur, as sparse tensors (`tf.sparse.bincount`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.ragged import RaggedTensor
from ...core.symbolic_value import SymbolicValue
from ...core.tensor import Tensor
from ...devices.late import is_late, note
from ..arguments import (
    check_that,
    host_value,
    is_symbolic,
    known_int,
    one_number,
    wrong_argument,
)
from ..array.making import range_, zeros_like
from ..array.shaping import broadcast_to, expand_dims, reshape, sizes_of
from ..convert import to_tensor
from ..infer import Spec
from ..math.counting import check_modes
from ..math.elementwise import cast, equal, not_equal
from ..math.reduction import reduce_max
from ..op import apply, op
from ..waiting import RESULT_SIZE
from .places import (
    Dims,
    Place,
    check_inside,
    dims_of,
    dims_of_dense,
    made,
    places_of,
    wrong_axis,
)
from .tensor import SparseTensor

_TYPES = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


def count_kernel(
    rows: torch.Tensor,
    values: torch.Tensor,
    weights: torch.Tensor,
    *,
    minlength: int,
    maxlength: int,
    binary_output: bool,
    shape: Dims | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """(rows and values that occur, their counts or sums of weights, one more than the largest).

    With a shape the rows are those of places in it.
    """
    if shape is not None:
        check_inside(rows, shape, _outside)
        rows = rows[:, 0]
    if len(weights) not in (0, len(values)):
        raise invalid_argument(
            "Weights and values must have the same shape. Weight shape: "
            f"{runtime_text(weights.shape)}; values shape: {runtime_text(values.shape)}"
        )
    if len(values) and int(values.min()) < 0:
        raise invalid_argument("Input values must all be non-negative")
    size = max(int(values.max()) + 1 if len(values) else 1, minlength)
    if maxlength >= 0:
        size = maxlength
        small = (values < maxlength).nonzero().reshape(-1)
        rows, values = rows.index_select(0, small), values.index_select(0, small)
        weights = weights.index_select(0, small) if len(weights) else weights
    present, where_ = torch.unique(rows * max(1, size) + values, return_inverse=True)
    if binary_output:
        counts = weights.new_ones(len(present))
    else:
        summed = weights if len(weights) else weights.new_ones(len(values))
        counts = weights.new_zeros(len(present)).index_add(0, where_, summed)
    return places_of(present, (2**40, max(1, size))), counts, values.new_tensor(size)


def _outside(row: int, place: Place, shape: Dims) -> str:
    axis = wrong_axis(place, shape)
    sizes = " ".join(map(str, shape))
    return (
        f"Invalid index value at {row}: dimension {axis} has value {place[axis]} which is not in "
        f"[0, {shape[axis]}) (as given by dense shape Tensor<type: int64 shape: [{len(shape)}] "
        f"values: {sizes}>"
    )


SPARSE_COUNT = op(
    "_SparseCount",
    "rows: int64, values: int64, weights: T -> indices: int64, counts: T, size: int64",
    count_kernel, None, T=_TYPES,
    wait_reason=RESULT_SIZE,
)  # fmt: skip


def weights_kernel(
    indices: torch.Tensor,
    dense_shape: torch.Tensor,
    weight_indices: torch.Tensor,
    weight_shape: torch.Tensor,
    weights: torch.Tensor,
) -> torch.Tensor:
    """The weights of the elements of a sparse tensor, which are at the same places."""
    parts = (("dense shape", weight_shape, dense_shape), ("indices", weight_indices, indices))
    for what, other, own in parts:
        if other.shape != own.shape:
            raise invalid_argument(
                f"Incompatible shapes: 'weights' and 'values' must have the same {what}, got "
                f"{runtime_text(other.shape)} and {runtime_text(own.shape)}."
            )
        if is_late(own):
            note((other != own).any(), _check_alike, (other, own), what)
        else:
            _check_alike(other, own, what)
    return weights


def _check_alike(other: torch.Tensor, own: torch.Tensor, what: str) -> None:
    if (other != own).any():
        raise invalid_argument(f"'weights' and 'values' must have the same {what}.")


def _weights_spec(indices: Spec, dense_shape: Spec, *of_weights: Spec) -> Spec:
    for own, other in ((indices, of_weights[0]), (dense_shape, of_weights[1])):
        mine, theirs = own.dims or (), other.dims or ()
        pairs = zip(mine, theirs, strict=False)
        if any(a is not None and b is not None and a != b for a, b in pairs):
            raise invalid_argument(
                "Dimensions must be equal: 'weights' and 'values' must have the same dense shape "
                f"and indices, got {runtime_text(theirs)} and {runtime_text(mine)}."
            )
    return of_weights[2]


SPARSE_WEIGHTS = op(
    "_SparseWeights",
    "at: int64, shape: int64, weights_at: int64, weights_shape: int64, weights: T -> output: T",
    weights_kernel, _weights_spec, checks=True, T=_TYPES,
)  # fmt: skip


def sparse_weights(values: SparseTensor, weights: TensorLike | None) -> Any:
    """The weights of a sparse tensor's elements; None for none.

    Raises:
        ValueError: they are not sparse.
        InvalidArgumentError: they are at other places.
    """
    if weights is None:
        return None
    if not isinstance(weights, SparseTensor):
        raise ValueError(
            "Argument `weights` must be a SparseTensor if `values` is a SparseTensor. Received "
            f"weights={weights!r} of type: {type(weights).__name__}"
        )
    parts = values.indices, values.dense_shape, weights.indices, weights.dense_shape
    return apply(SPARSE_WEIGHTS, (*parts, weights.values))


def bincount(
    values: TensorLike,
    weights: TensorLike | None = None,
    axis: int | None = 0,
    minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Returns how often each integer occurs, as a sparse tensor (`tf.sparse.bincount`).

    Args:
        values: integers from 0: a vector, a matrix, or a sparse or ragged tensor of those.
        weights: what each of them counts, in the same form; 1 if None.
        axis: 0 or None to count all of them (of ragged tensors with more than one ragged axis:
            those of each row of the second), -1 to count each row.
        minlength: the least size of the last axis.
        maxlength: its greatest size; larger integers are left out.
        binary_output: 1 for what occurs, however often.
        name: a name in graphs.

    Raises:
        ValueError: the axis is none of 0, -1 and None, the weights have another form, or there
            are weights where the output is binary.
        InvalidArgumentError: an integer is negative, or the weights have another shape.

    >>> bincount([1, 1, 3]).values.numpy().tolist()
    [2, 1]
    """
    check_modes(weights, axis, binary_output)
    rows, numbers, count, value_weights = _counted(values, weights, axis)
    low = 0 if minlength is None else one_number(minlength, "minlength")
    high = -1 if maxlength is None else one_number(maxlength, "maxlength")
    attrs: dict[str, Any] = {
        "minlength": low,
        "maxlength": high,
        "binary_output": bool(binary_output),
    }
    if count is not None and isinstance(values, SparseTensor):
        rows, attrs["shape"] = values.indices, dims_of(values)
    places, counts, size = apply(
        SPARSE_COUNT, (rows, cast(numbers, dtypes.int64), value_weights), attrs
    )
    length = known_int(size)
    if count is None:
        return made(reshape(places[:, 1], [-1, 1]), counts, (length,))
    return made(places, counts, (count, length))


def _counted(
    values: TensorLike, weights: TensorLike | None, axis: int | None
) -> tuple[Any, Any, Any, Any]:
    """(row of each value, the values, number of rows or None for one, their weights)."""
    if isinstance(values, SparseTensor):
        rows, numbers, dims = values.indices[:, 0], values.values, dims_of(values)
        # A graph that does not know the rank takes it for a matrix. Rows are those of the first
        # axis, however many follow.
        rank = 1 if values.shape.rank == 1 else 2
        count = SymbolicValue(values.dense_shape, 0) if isinstance(dims, SymbolicValue) else dims[0]
        counting = sparse_weights(values, weights)
    elif isinstance(values, RaggedTensor):
        if weights is not None and not isinstance(weights, RaggedTensor):
            raise ValueError(
                "`weights` must be a RaggedTensor if `values` is a RaggedTensor. Received argument "
                f"weights={weights!r} of type: {type(weights).__name__}."
            )
        if axis != -1 and isinstance(values.values, RaggedTensor):  # TF: one axis is laid flat
            inner = None if weights is None else weights.values
            return _counted(values.values, inner, -1)
        if isinstance(values.values, RaggedTensor):
            raise ValueError(f"Only a matrix has rows to count, got {values!r}.")
        rows, numbers, rank = _row_ids(values), values.flat_values, 2
        count = known_int(sizes_of(values.row_splits)[0] - 1)
        counting = None if weights is None else _weights_of_rows(values, weights)
    else:
        values, weights = to_tensor(values), _dense_weights(weights)
        numbers, rank = reshape(values, [-1]), len(values.shape)
        if axis == -1:
            _check_rows(values, weights)
        rows = reshape(_rows_of(values) if rank == 2 else values, [-1])
        count = dims_of_dense(values)[0] if rank else 1
        counting = None if weights is None else reshape(weights, [-1])
    by_row = axis == -1 and rank == 2
    if not by_row:
        rows = zeros_like(rows)
    empty = zeros_like(numbers)[:0] if counting is None else to_tensor(counting)
    return cast(rows, dtypes.int64), numbers, count if by_row else None, empty


def _weights_of_rows(values: RaggedTensor, weights: RaggedTensor) -> Any:
    """The weights of ragged rows, which are as long as those of the values."""
    own, other = values.row_splits, weights.row_splits
    text = "'weights' and 'values' must have the same row splits"
    if own is other:
        return weights.flat_values
    if is_symbolic(own) or is_symbolic(other):
        differ = cast(not_equal(own, cast(other, own.dtype)), dtypes.int32)
        return check_that(weights.flat_values, equal(reduce_max(differ), 0), text)
    if not np.array_equal(host_value(own), host_value(other)):
        raise invalid_argument(text)
    return weights.flat_values


def _dense_weights(weights: TensorLike | None) -> Tensor | None:
    if isinstance(weights, (RaggedTensor, SparseTensor)):
        raise ValueError(
            "Argument `weights` must be a tf.Tensor if `values` is a tf.Tensor. Received "
            f"weights={weights!r} of type: {type(weights).__name__}"
        )
    return None if weights is None else to_tensor(weights)


def _check_rows(values: Tensor, weights: Tensor | None) -> None:
    """Raises unless a dense tensor has rows that can be counted, and weights of its shape."""
    if values.shape.rank not in (1, 2):
        raise invalid_argument(
            f"Input must be a 1 or 2-dimensional tensor. Got: {runtime_text(values.shape)}"
        )
    if weights is not None and not weights.shape.is_compatible_with(values.shape):
        own, other = runtime_text(values.shape), runtime_text(weights.shape)
        raise wrong_argument(
            "Weights and data must have the same shape. Weight shape: "
            f"{other}; data shape: {own} [Op:DenseCountSparseOutput] name: ",
            "Weights and data must have the same shape: both shapes must be equal, but are "
            f"{other} and {own}",
        )


def _row_ids(values: Any) -> Any:
    return values.value_rowids()


def _rows_of(matrix: TensorLike) -> Tensor:
    """The row of each element."""
    rows = range_(sizes_of(matrix)[0], dtype=dtypes.int64)
    return broadcast_to(expand_dims(rows, 1), sizes_of(matrix))
