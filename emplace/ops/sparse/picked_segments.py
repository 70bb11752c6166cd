"""Sums of segments of picked rows (`tf.sparse.segment_sum`): rows are taken, then summed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ...base import dtypes
from ...base.dtypes import DType
from ...base.errors import invalid_argument
from ...base.typing import TensorLike
from ...core.context import LOCAL
from ...core.tensor import Tensor
from ...devices.late import is_late, note
from ..arguments import one_int
from ..convert import to_tensor
from ..counts import counts_of
from ..infer import Spec
from ..math.segment import Reduce, check_ranks, count_of, means, sums
from ..op import Op, apply, op
from ..waiting import RESULT_SIZE


def _roots(rows: torch.Tensor, ids: torch.Tensor, count: int) -> torch.Tensor:
    """Sums divided by the square root of the number of rows."""
    sizes = counts_of(ids, count).clamp_(min=1)
    sizes = sizes.to(rows.dtype).sqrt().reshape(-1, *[1] * (rows.ndim - 1))
    return sums(rows, ids, count) / sizes


def _picked(reduce: Reduce) -> Callable[..., torch.Tensor]:
    def kernel(
        data: torch.Tensor,
        indices: torch.Tensor,
        segment_ids: torch.Tensor,
        *,
        sparse_gradient: bool = False,
    ) -> torch.Tensor:
        rows = _picked_rows(data, indices, segment_ids)
        return reduce(rows, segment_ids.long(), count_of(segment_ids))

    return kernel


def _picked_into(reduce: Reduce) -> Callable[..., torch.Tensor]:
    def kernel(
        data: torch.Tensor,
        indices: torch.Tensor,
        segment_ids: torch.Tensor,
        *,
        num_segments: int,
        sparse_gradient: bool = False,
    ) -> torch.Tensor:
        rows = _picked_rows(data, indices, segment_ids)
        if num_segments < 0:
            raise invalid_argument("segment ids must be >= 0")
        ids = segment_ids.long()
        if not is_late(ids):
            _check_count(segment_ids, num_segments)
            return reduce(rows, ids, num_segments)
        wrong = (ids < 0) | (ids >= num_segments)
        falls = (ids[1:] < ids[:-1]).any()
        note(wrong.any() | falls, _check_count, (segment_ids,), num_segments)
        return reduce(rows, ids.masked_fill(wrong, num_segments), num_segments + 1)[:num_segments]

    return kernel


def _check_count(segment_ids: torch.Tensor, num_segments: int) -> None:
    if count_of(segment_ids) > num_segments:
        raise invalid_argument("segment ids must be < num_segments")


def _picked_rows(
    data: torch.Tensor, indices: torch.Tensor, segment_ids: torch.Tensor
) -> torch.Tensor:
    """The rows of data that are picked.

    Raises:
        InvalidArgumentError: shapes do not fit, or an index is out of range; that maybe later.
    """
    if data.ndim == 0:
        raise invalid_argument("Shape must be at least rank 1")
    for name, value in (("indices", indices), ("segment_ids", segment_ids)):
        if value.ndim != 1:
            raise invalid_argument(f"{name} should be a vector.")
    if len(indices) != len(segment_ids):
        raise invalid_argument("segment_ids and indices should have same size.")
    if is_late(indices) and len(data):
        safe = indices.clamp(0, len(data) - 1)
        note((safe != indices).any(), _check_picks, (indices,), len(data))
        return data.index_select(0, safe.long())
    _check_picks(indices, len(data))
    return data.index_select(0, indices.long())


def _check_picks(indices: torch.Tensor, count: int) -> None:
    is_bad = (indices < 0) | (indices >= count)
    if is_bad.any():
        place = int(is_bad.nonzero()[0])
        raise invalid_argument(
            f"Bad: indices[{place}] == {int(indices[place])} out of range [0, {count})"
        )


def _declare_picked(name: str, reduce: Reduce, types: tuple[DType, ...]) -> tuple[Op, Op]:
    """The op that counts the segments itself, and the one that is told their number."""
    inputs = "data: T, indices: Tidx, segment_ids: Tsegmentids"
    with_count = f"{inputs}, num_segments: host -> output: T"
    counts = op(
        name, f"{inputs} -> output: T", _picked(reduce), None, checks=True,
        wait_reason=RESULT_SIZE,
        T=types, Tidx=dtypes.INDICES, Tsegmentids=dtypes.INDICES,
    )  # fmt: skip
    sized = op(
        f"{name}WithNumSegments", with_count, _picked_into(reduce), _picked_spec, checks=True,
        T=types, Tidx=dtypes.INDICES, Tsegmentids=dtypes.INDICES,
    )  # fmt: skip
    return counts, sized


def _picked_spec(
    data: Spec, indices: Spec, segment_ids: Spec, *, num_segments: int, **attrs: Any
) -> Spec:
    if num_segments < 0:
        raise invalid_argument("Cannot specify a negative value for num_segments")
    return Spec(None if data.dims is None else (num_segments, *data.dims[1:]), data.dtype)


SPARSE_SUM = _declare_picked("SparseSegmentSum", sums, dtypes.REALS)
SPARSE_MEAN = _declare_picked("SparseSegmentMean", means, dtypes.FLOATS)
SPARSE_SQRT_N = _declare_picked("SparseSegmentSqrtN", _roots, dtypes.FLOATS)


def _places(value: TensorLike) -> Tensor:
    """Row numbers or segments: int32, as far as they fit, an empty list too."""
    made = to_tensor(value)
    return made if made.shape.num_elements() != 0 else to_tensor(value, hint=dtypes.int32)


def _picked_segments(
    ops: tuple[Op, Op],
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike | None,
    sparse_gradient: bool,
) -> Tensor:
    inputs = (to_tensor(data), *map(_places, (indices, segment_ids)))
    in_graph = not LOCAL.state.target.is_eager
    if in_graph:
        check_ranks(*inputs)
    attrs: dict[str, Any] = {"sparse_gradient": True} if sparse_gradient else {}
    if num_segments is None:
        return apply(ops[0], inputs, attrs or None)
    count = one_int(num_segments, "num_segments should be a scalar, not shape {shape}")
    return apply(ops[1], inputs, {"num_segments": count, **attrs})


def sparse_segment_sum(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Returns the sums of segments of picked rows (`tf.sparse.segment_sum`).

    Args:
        data: a tensor of numbers with at least one axis.
        indices: which rows of data to take, a vector of int32 or int64.
        segment_ids: the segment of each taken row, in increasing order.
        num_segments: the number of segments; the largest id and one if None.
        name: a name in graphs.
        sparse_gradient: whether the gradient of data is `tf.IndexedSlices` of the rows taken.

    Raises:
        InvalidArgumentError: indices or ids are out of range, or shapes do not fit.

    >>> sparse_segment_sum([1, 2, 3], [0, 2], [0, 0]).numpy().tolist()
    [4]
    """
    return _picked_segments(SPARSE_SUM, data, indices, segment_ids, num_segments, sparse_gradient)


def sparse_segment_mean(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Returns the means of segments of picked rows (`tf.sparse.segment_mean`).

    Args:
        data: the rows.
        indices: which rows are picked, int32 or int64.
        segment_ids: the segment of each picked row, in ascending order.
        num_segments: how many segments there are; one more than the last id for None.
        name: a name in graphs.
        sparse_gradient: True makes the gradient IndexedSlices.
    """
    return _picked_segments(SPARSE_MEAN, data, indices, segment_ids, num_segments, sparse_gradient)


def sparse_segment_sqrt_n(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Returns the sums of segments of picked rows, divided by the square root of their number
    (`tf.sparse.segment_sqrt_n`).

    Args:
        data: the rows.
        indices: which rows are picked, int32 or int64.
        segment_ids: the segment of each picked row, in ascending order.
        num_segments: how many segments there are; one more than the last id for None.
        name: a name in graphs.
        sparse_gradient: True makes the gradient IndexedSlices.
    """
    return _picked_segments(
        SPARSE_SQRT_N, data, indices, segment_ids, num_segments, sparse_gradient
    )
