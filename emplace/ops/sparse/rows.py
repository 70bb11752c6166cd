"""Rows of sparse tensors: empty ones filled, counted, and looked up in tables of embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ...devices.late import is_late, note, refuse
from ..array.gathering import gather
from ..array.joining import concat, stack
from ..array.making import range_, zeros_like
from ..array.select import where
from ..array.shaping import (
    axis_size,
    reshape,
    shape as shape_tensor,
    sizes_of,
)
from ..convert import to_tensor
from ..deferred import needs_rank
from ..math.clipping import clip_by_norm
from ..math.elementwise import (
    cast,
    greater,
    greater_equal,
    logical_and,
    multiply,
    sqrt,
    square,
)
from ..math.guarded import divide_no_nan
from ..math.segment import segment_sum
from ..op import apply, op
from ..variables.parts import TableInParts, are_variables, opened
from ..waiting import RESULT_SIZE
from .basic import reshape as reshape_sparse, retain
from .picked_segments import sparse_segment_mean, sparse_segment_sqrt_n, sparse_segment_sum
from .places import (
    Dims,
    as_sparse,
    ascending,
    dims_of,
    join,
    merged,
    take,
)
from .tensor import SparseTensor


def fill_empty_rows_kernel(
    indices: torch.Tensor,
    values: np.ndarray[Any, Any] | torch.Tensor,
    default_value: np.ndarray[Any, Any] | torch.Tensor,
    *,
    dense_shape: Dims,
) -> tuple[Any, ...]:
    """(places, values, which rows were empty, where each given element went)."""
    rows = dense_shape[0]
    is_empty = torch.ones(rows, dtype=torch.bool, device=indices.device)
    is_empty[_rows_inside(indices, rows)] = False
    missing = is_empty.nonzero()
    count = torch.arange(len(indices), device=indices.device)
    is_ascending = not is_late(indices) and ascending(indices[:, 0])
    if not len(missing) and is_ascending:
        return indices, values, is_empty, count
    added = torch.cat([missing, missing.new_zeros((len(missing), len(dense_shape) - 1))], 1)
    together = torch.cat([indices, added])
    if is_ascending:
        order = merged(indices[:, 0].contiguous(), missing[:, 0])
    else:
        order = torch.argsort(together[:, 0], stable=True)
    extra = _repeated(default_value, len(missing))
    back = torch.empty_like(order)
    back[order] = torch.arange(len(order), device=order.device)
    together = together.index_select(0, order)
    return together, take(join([values, extra]), order), is_empty, back[: len(indices)]


def _rows_inside(indices: torch.Tensor, rows: int) -> torch.Tensor:
    """The row of each place, after a check; where that is late, one that is there."""
    given = indices[:, 0]
    if not is_late(indices):
        _check_rows(given, rows)
        return given
    if not rows and len(given):
        refuse(_check_rows, (given,), rows)
    safe = given.clamp(0, max(rows - 1, 0))
    note((safe != given).any(), _check_rows, (given,), rows)
    return safe


def _check_rows(given: torch.Tensor, rows: int) -> None:
    wrong = (given < 0) | (given >= rows)
    if wrong.any():
        i = int(wrong.nonzero()[0])
        raise invalid_argument(f"indices({i}, 0) is invalid: {int(given[i])} >= {rows}")


def _repeated(value: np.ndarray[Any, Any] | torch.Tensor, count: int) -> Any:
    return (
        value.expand(count) if isinstance(value, torch.Tensor) else value.reshape(1).repeat(count)
    )


FILL_EMPTY_ROWS = op(
    "SparseFillEmptyRows",
    "indices: int64, values: T, dense_shape: host, default_value: T -> output_indices: int64, "
    "output_values: T, empty_row_indicator: bool, reverse_index_map: int64",
    fill_empty_rows_kernel, None, checks=True, T=dtypes.ANY,
    wait_reason=RESULT_SIZE,
)  # fmt: skip


def fill_empty_rows(
    sp_input: TensorLike, default_value: TensorLike, name: str | None = None
) -> tuple[SparseTensor, Any]:
    """Rows without elements get one, at their start (`tf.sparse.fill_empty_rows`).

    Returns:
        The sparse tensor, and a bool per row that is True where it was empty.

    Raises:
        InvalidArgumentError: a place is outside of the shape.
    """
    x = as_sparse(sp_input)
    default = to_tensor(default_value, x.dtype)
    if default.shape.rank:
        raise invalid_argument(
            f"default_value must be a scalar, saw: {runtime_text(default.shape)} "
            "[Op:SparseFillEmptyRows]"
        )
    attrs = {"dense_shape": dims_of(x)}
    indices, values, is_empty, _ = apply(FILL_EMPTY_ROWS, (x.indices, x.values, default), attrs)
    return SparseTensor.of(indices, values, x.dense_shape, x.shape), is_empty


_COMBINE = {
    "sum": sparse_segment_sum,
    "mean": sparse_segment_mean,
    "sqrtn": sparse_segment_sqrt_n,
}


@needs_rank
def embedding_lookup_sparse(
    params: TensorLike | None,
    sp_ids: TensorLike,
    sp_weights: Sequence[Any] | SparseTensor | None,
    combiner: str | None = None,
    max_norm: TensorLike | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Returns rows of a table, combined per row of ids (`tf.nn.embedding_lookup_sparse`).

    Args:
        params: a table of shape (rows, ...), in parts or not, or a list of its parts.
        sp_ids: (batch, any) sparse int32 or int64: which rows; no row may be empty.
        sp_weights: sparse, of the same places: what each of them weighs; None for 1.
        combiner: "sum", "mean" (the default) or "sqrtn".
        max_norm: rows with a larger l2 norm are scaled down to it; None for no bound.
        name: a name in graphs.
        allow_fast_lookup: taken and ignored.

    Returns:
        A tensor (batch, ...).

    Raises:
        TypeError: ids are not sparse, or ids and weights are not of one kind.
        ValueError: the combiner is none of the three.
    """
    combiner = combiner or "mean"
    if combiner not in _COMBINE:
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    table = _table(params)
    ids, rows = _ids_and_rows(sp_ids, "sp_ids")
    _check_kind(sp_ids, sp_weights)
    if sp_weights is None and max_norm is None and isinstance(table, Tensor):
        return _COMBINE[combiner](table, ids, rows)
    picked = _picked(table, ids, max_norm)
    if sp_weights is None:
        return _COMBINE[combiner](picked, range_(sizes_of(ids)[0]), rows)
    weights, _ = _ids_and_rows(sp_weights, "sp_weights")
    weights = weights if weights.dtype is picked.dtype else cast(weights, picked.dtype)
    stretched = reshape(weights, [-1, *[1] * (picked.shape.rank - 1)])
    total = segment_sum(multiply(picked, stretched), rows)
    if combiner == "sum":
        return total
    shares = stretched if combiner == "mean" else square(stretched)
    scale = segment_sum(shares, rows)
    # A row of a ragged tensor may have no ids, and weights may add up to 0.
    return divide_no_nan(total, scale if combiner == "mean" else sqrt(scale))


def _is_variable(table: object) -> bool:
    return hasattr(table, "handle")


def _table(params: TensorLike | None) -> Any:
    if params is None or (isinstance(params, (list, tuple)) and not params):
        raise ValueError("params must be specified")
    params = opened(params)
    if isinstance(params, TableInParts):
        return params
    if are_variables(params):
        return TableInParts(params)  # type: ignore[arg-type]
    if isinstance(params, (list, tuple)):
        if len(params) == 1 and _is_variable(params[0]):
            return params[0]
        parts = [to_tensor(each) for each in params]
        if parts[0].shape.rank:
            return parts[0] if len(parts) == 1 else concat(parts, 0)
    return params if _is_variable(params) else to_tensor(params)


def _ids_and_rows(given: Any, name: str) -> tuple[Any, Any]:
    """The elements of a matrix with rows of any length, and the row of each."""
    if isinstance(given, SparseTensor):
        return given.values, given.indices[:, 0]
    if hasattr(given, "value_rowids"):  # ragged
        return given.values, given.value_rowids()
    raise TypeError(f"{name} must be SparseTensor or RaggedTensor")


def _check_kind(ids: Any, weights: Any) -> None:
    """Raises TypeError if ids are sparse and weights ragged, or the other way around."""
    kind = SparseTensor if isinstance(ids, SparseTensor) else type(ids)
    if weights is not None and not isinstance(weights, kind):
        raise TypeError(f"sp_weights must be either None or {kind.__name__},got {type(weights)}")


def _of_dtype(table: Any, dtype: DType) -> Any:
    """A table, or a list of its parts, whose arrays have a dtype.

    Raises:
        ValueError: a tensor among them has another one.
    """
    if isinstance(table, (list, tuple)):
        return [_of_dtype(part, dtype) for part in table]
    if isinstance(table, Tensor) and table.dtype is not dtype:
        raise ValueError(
            f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
            f"{table.dtype.name}: {table!r}"
        )
    return to_tensor(table, dtype) if isinstance(table, np.ndarray) else table


def _picked(table: Any, ids: Tensor, max_norm: TensorLike | None) -> Any:
    """Rows of a table, those that are too long scaled down."""
    rows = table.rows(ids) if isinstance(table, TableInParts) else gather(table, ids)
    if max_norm is None:
        return rows
    return clip_by_norm(rows, max_norm, list(range(1, rows.shape.rank)))


@needs_rank
def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: SparseTensor,
    sparse_weights: SparseTensor | None = None,
    combiner: str = "mean",
    default_id: Any = None,
    max_norm: TensorLike | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Returns rows of a table, combined per row of ids, which may be empty or negative
    (`tf.nn.safe_embedding_lookup_sparse`).

    Args:
        embedding_weights: a table of shape (rows, ...), or a list of its parts.
        sparse_ids: sparse ids of rank 2 or more; negative ones are left out.
        sparse_weights: sparse, of the same places; those that are not positive are left out,
            unless `combiner` is "sum".
        combiner: "sum", "mean" or "sqrtn".
        default_id: the row that stands for no ids; zeros if None.
        max_norm: rows with a larger l2 norm are scaled down to it; None for no bound.
        name: a name in graphs.
        allow_fast_lookup: taken and ignored.

    Returns:
        A tensor of the shape of ids without its last axis, followed by that of a row.
    """
    if embedding_weights is None or (
        isinstance(embedding_weights, (list, tuple)) and not embedding_weights
    ):
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    sparse_ids, sparse_weights = _as_sparse_pair(sparse_ids, sparse_weights)
    if sparse_weights is not None:
        embedding_weights = _of_dtype(embedding_weights, sparse_weights.dtype)
    table = _table(embedding_weights)
    ids = _as_matrix(sparse_ids)
    weights = None if sparse_weights is None else ids.with_values(sparse_weights.values)
    ids, weights = _pruned(ids, weights, combiner)
    ids, is_empty = fill_empty_rows(ids, 0 if default_id is None else default_id)
    if weights is not None:
        weights, _ = fill_empty_rows(weights, 1.0)
    result = embedding_lookup_sparse(table, ids, weights, combiner, max_norm)
    if default_id is None:
        mask = reshape(is_empty, [-1, *[1] * (result.shape.rank - 1)])
        result = where(mask, zeros_like(result), result)
    if sparse_ids.shape.rank is None:
        row = cast(shape_tensor(result)[1:], dtypes.int64)
        return reshape(result, concat([sparse_ids.dense_shape[:-1], row], 0))
    inner = [axis_size(result, i) for i in range(1, result.shape.rank)]
    return reshape(result, [*dims_of(sparse_ids)[:-1], *inner])


def _as_matrix(ids: SparseTensor) -> SparseTensor:
    """All axes but the last as one."""
    rank = ids.shape.rank
    if rank is None:
        return reshape_sparse(ids, stack([to_tensor(-1, dtypes.int64), ids.dense_shape[-1]]))
    return ids if rank == 2 else reshape_sparse(ids, [-1, dims_of(ids)[-1]])


def _as_sparse_pair(ids: TensorLike, weights: Any) -> tuple[Any, Any]:
    if hasattr(ids, "to_sparse"):  # ragged
        ids = ids.to_sparse()
        weights = None if weights is None else weights.to_sparse()
    return as_sparse(ids, "sparse_ids"), weights


def _pruned(
    ids: SparseTensor, weights: SparseTensor | None, combiner: str
) -> tuple[SparseTensor, SparseTensor | None]:
    """Without negative ids, and without weights that are not positive."""
    valid = greater_equal(ids.values, 0)
    if weights is not None and combiner != "sum":
        valid = logical_and(valid, greater(weights.values, 0))
    return retain(ids, valid), None if weights is None else retain(weights, valid)
