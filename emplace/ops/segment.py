"""Sums, products and extremes of segments: rows that share an id.

Sorted segments (`segment_sum`) need ids in increasing order and say themselves how many there
are; unsorted ones are told, and drop rows with a negative id. `tf.sparse.segment_sum` picks rows
first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..base import dtypes
from ..base.dtypes import DType
from ..base.errors import invalid_argument
from ..base.shapes import runtime_text
from .convert import to_tensor
from .elementwise import divide, maximum, sqrt
from .infer import Spec
from .making import ones
from .op import Op, apply, op
from .order import in_order
from .scalars import one_int
from .shaping import reshape

Reduce = Callable[[torch.Tensor, torch.Tensor, int], torch.Tensor]


def _sums(rows: torch.Tensor, ids: torch.Tensor, count: int) -> torch.Tensor:
    return rows.new_zeros((count, *rows.shape[1:])).index_add(0, ids, rows)


def _means(rows: torch.Tensor, ids: torch.Tensor, count: int) -> torch.Tensor:
    sizes = torch.bincount(ids, minlength=count).clamp_(min=1)
    sizes = sizes.reshape(-1, *[1] * (rows.ndim - 1))
    if rows.is_floating_point() or rows.is_complex():
        return _sums(rows, ids, count) / sizes.to(rows.dtype)
    return torch.div(_sums(rows, ids, count), sizes, rounding_mode="trunc").to(rows.dtype)


def _roots(rows: torch.Tensor, ids: torch.Tensor, count: int) -> torch.Tensor:
    """Sums divided by the square root of the number of rows."""
    sizes = torch.bincount(ids, minlength=count).clamp_(min=1)
    sizes = sizes.to(rows.dtype).sqrt().reshape(-1, *[1] * (rows.ndim - 1))
    return _sums(rows, ids, count) / sizes


def _products(rows: torch.Tensor, ids: torch.Tensor, count: int) -> torch.Tensor:
    if rows.is_complex():
        return _complex_products(rows, ids, count)
    return _scattered(rows, ids, rows.new_ones((count, *rows.shape[1:])), "prod")


def _complex_products(rows: torch.Tensor, ids: torch.Tensor, count: int) -> torch.Tensor:
    """Torch scatters no complex products: rows are laid out in a table, one line per segment."""
    order = torch.argsort(ids, stable=True)
    ids, rows = ids[order], rows[order]
    sizes = torch.bincount(ids, minlength=count)
    places = torch.arange(len(ids), device=ids.device) - (sizes.cumsum(0) - sizes)[ids]
    width = int(sizes.max()) if count else 0
    table = rows.new_ones((count * width, *rows.shape[1:])).index_copy(
        0, ids * width + places, rows
    )
    return table.reshape(count, width, *rows.shape[1:]).prod(1)


def _scattered(
    rows: torch.Tensor, ids: torch.Tensor, start: torch.Tensor, how: str
) -> torch.Tensor:
    places = ids.reshape(-1, *[1] * (rows.ndim - 1)).expand(rows.shape)
    return start.scatter_reduce(0, places, rows, how)


def _extremes(how: str) -> Reduce:
    @in_order
    def reduce(rows: torch.Tensor, ids: torch.Tensor, count: int) -> torch.Tensor:
        info: Any = torch.finfo if rows.is_floating_point() else torch.iinfo
        end = info(rows.dtype).min if how == "amax" else info(rows.dtype).max
        return _scattered(rows, ids, rows.new_full((count, *rows.shape[1:]), end), how)

    return reduce


def _zero_where_empty(reduce: Reduce) -> Reduce:
    """Sorted extremes are 0 where no row is, unsorted ones the end of the type's range."""

    def run(rows: torch.Tensor, ids: torch.Tensor, count: int) -> torch.Tensor:
        is_empty = torch.bincount(ids, minlength=count) == 0
        is_empty = is_empty.reshape(-1, *[1] * (rows.ndim - 1))
        found = reduce(rows, ids, count)
        return torch.where(is_empty, torch.zeros_like(found), found)

    return run


# Sorted segments


def _sorted(reduce: Reduce) -> Callable[..., torch.Tensor]:
    def kernel(data: torch.Tensor, segment_ids: torch.Tensor) -> torch.Tensor:
        if data.ndim == 0:
            raise invalid_argument("input must be at least rank 1")
        if segment_ids.ndim != 1:
            raise invalid_argument("segment_ids should be a vector.")
        if len(segment_ids) != len(data):
            raise invalid_argument("segment_ids should be the same size as dimension 0 of input.")
        return reduce(data, segment_ids.long(), _count_of(segment_ids))

    return kernel


def _count_of(ids: torch.Tensor) -> int:
    """How many segments increasing ids name: with one look at the device's memory."""
    if len(ids) == 0:
        return 0
    rises = (ids[1:] >= ids[:-1]).all()
    rising, first, last = (int(x) for x in torch.stack([rises.to(ids.dtype), ids[0], ids[-1]]))
    if not rising:
        raise invalid_argument("segment ids are not increasing")
    if first < 0:
        raise invalid_argument(
            f"Segment id {first} out of range [0, {last + 1}), possibly because 'segment_ids' "
            "input is not sorted."
        )
    return last + 1


def _declare_sorted(name: str, reduce: Reduce, types: tuple[DType, ...]) -> Op:
    signature = "data: T, segment_ids: Tindices -> output: T"
    return op(name, signature, _sorted(reduce), None, T=types, Tindices=_IDS)


_IDS = (dtypes.int32, dtypes.int64)
SEGMENT_SUM = _declare_sorted("SegmentSum", _sums, dtypes.NUMBERS)
SEGMENT_MEAN = _declare_sorted("SegmentMean", _means, dtypes.NUMBERS)
SEGMENT_PROD = _declare_sorted("SegmentProd", _products, dtypes.NUMBERS)
SEGMENT_MAX = _declare_sorted("SegmentMax", _zero_where_empty(_extremes("amax")), dtypes.REALS)
SEGMENT_MIN = _declare_sorted("SegmentMin", _zero_where_empty(_extremes("amin")), dtypes.REALS)


# Unsorted segments


def _unsorted(reduce: Reduce) -> Callable[..., torch.Tensor]:
    def kernel(data: torch.Tensor, segment_ids: torch.Tensor, *, num_segments: int) -> torch.Tensor:
        _unsorted_spec(
            Spec(tuple(data.shape), dtypes.float32), Spec(tuple(segment_ids.shape), dtypes.int32),
            num_segments=num_segments,
        )  # fmt: skip
        inner = data.shape[segment_ids.ndim :]
        ids = segment_ids.reshape(-1).long()
        rows = data.reshape(len(ids), *inner)
        least, most = ids.aminmax() if len(ids) else (0, -1)
        if most >= num_segments:
            raise _out_of_range(ids, segment_ids.shape, num_segments)
        if least >= 0:
            return reduce(rows, ids, num_segments)
        dropped = torch.where(ids < 0, num_segments, ids)
        return reduce(rows, dropped, num_segments + 1).narrow(0, 0, num_segments)

    return kernel


def _out_of_range(ids: torch.Tensor, dims: torch.Size, count: int) -> Exception:
    place = int((ids >= count).nonzero()[0])
    index = [int(i) for i in torch.unravel_index(torch.tensor(place), dims)]
    where = ",".join(map(str, index))
    bad = int(ids[place])
    return invalid_argument(f"segment_ids[{where}] = {bad} is out of range [0, {count})")


def _unsorted_spec(data: Spec, segment_ids: Spec, *, num_segments: int) -> Spec:
    if num_segments < 0:
        raise invalid_argument(f"Input num_segments == {num_segments} must not be negative.")
    if data.dims is None or segment_ids.dims is None:
        return Spec(None, data.dtype)
    outer = len(segment_ids.dims)
    if data.dims[:outer] != segment_ids.dims:
        raise invalid_argument(
            f"data.shape = {runtime_text(data.dims)} does not start with segment_ids.shape = "
            f"{runtime_text(segment_ids.dims)}"
        )
    return Spec((num_segments, *data.dims[outer:]), data.dtype)


def _declare_unsorted(
    name: str, reduce: Reduce, types: tuple[DType, ...], ids: tuple[DType, ...] = _IDS
) -> Op:
    signature = "data: T, segment_ids: Tindices, num_segments: host -> output: T"
    return op(name, signature, _unsorted(reduce), _unsorted_spec, T=types, Tindices=ids)


UNSORTED_SUM = _declare_unsorted("UnsortedSegmentSum", _sums, dtypes.NUMBERS, (dtypes.int16, *_IDS))
UNSORTED_PROD = _declare_unsorted("UnsortedSegmentProd", _products, dtypes.NUMBERS)
UNSORTED_MAX = _declare_unsorted("UnsortedSegmentMax", _extremes("amax"), dtypes.REALS)
UNSORTED_MIN = _declare_unsorted("UnsortedSegmentMin", _extremes("amin"), dtypes.REALS)


# Segments of picked rows


def _picked(reduce: Reduce) -> Callable[..., torch.Tensor]:
    def kernel(
        data: torch.Tensor,
        indices: torch.Tensor,
        segment_ids: torch.Tensor,
        *,
        sparse_gradient: bool = False,
    ) -> torch.Tensor:
        _check_picks(data, indices, segment_ids)
        rows = data.index_select(0, indices.long())
        return reduce(rows, segment_ids.long(), _count_of(segment_ids))

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
        _check_picks(data, indices, segment_ids)
        if _count_of(segment_ids) > num_segments:
            raise invalid_argument("segment ids must be < num_segments")
        return reduce(data.index_select(0, indices.long()), segment_ids.long(), num_segments)

    return kernel


def _check_picks(data: torch.Tensor, indices: torch.Tensor, segment_ids: torch.Tensor) -> None:
    if data.ndim == 0:
        raise invalid_argument("Shape must be at least rank 1")
    for name, value in (("indices", indices), ("segment_ids", segment_ids)):
        if value.ndim != 1:
            raise invalid_argument(f"{name} should be a vector.")
    if len(indices) != len(segment_ids):
        raise invalid_argument("segment_ids and indices should have same size.")
    is_bad = (indices < 0) | (indices >= len(data))
    if is_bad.any():
        place = int(is_bad.nonzero()[0])
        raise invalid_argument(
            f"Bad: indices[{place}] == {int(indices[place])} out of range [0, {len(data)})"
        )


def _declare_picked(name: str, reduce: Reduce, types: tuple[DType, ...]) -> tuple[Op, Op]:
    """The op that counts the segments itself, and the one that is told their number."""
    inputs = "data: T, indices: Tidx, segment_ids: Tsegmentids"
    told = f"{inputs}, num_segments: host -> output: T"
    counts = op(
        name, f"{inputs} -> output: T", _picked(reduce), None,
        T=types, Tidx=_IDS, Tsegmentids=_IDS,
    )  # fmt: skip
    is_told = op(
        f"{name}WithNumSegments", told, _picked_into(reduce), _picked_spec,
        T=types, Tidx=_IDS, Tsegmentids=_IDS,
    )  # fmt: skip
    return counts, is_told


def _picked_spec(
    data: Spec, indices: Spec, segment_ids: Spec, *, num_segments: int, **attrs: Any
) -> Spec:
    return Spec(None if data.dims is None else (num_segments, *data.dims[1:]), data.dtype)


SPARSE_SUM = _declare_picked("SparseSegmentSum", _sums, dtypes.REALS)
SPARSE_MEAN = _declare_picked("SparseSegmentMean", _means, dtypes.FLOATS)
SPARSE_SQRT_N = _declare_picked("SparseSegmentSqrtN", _roots, dtypes.FLOATS)


def _segments(record: Op, data: Any, segment_ids: Any) -> Any:
    return apply(record, (to_tensor(data), to_tensor(segment_ids)))


def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """The sum of each segment of rows (`tf.math.segment_sum`).

    Args:
        data: a tensor of numbers with at least one axis.
        segment_ids: an int32 or int64 per row of data, in increasing order.
        name: a name in graphs.

    Returns:
        A tensor with one row per id from 0 to the largest; 0 where no row has that id.

    Raises:
        InvalidArgumentError: ids are negative, not increasing, or not as many as rows.

    >>> segment_sum([1, 2, 3], [0, 0, 2]).numpy().tolist()
    [3, 0, 3]
    """
    return _segments(SEGMENT_SUM, data, segment_ids)


def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """The mean of each segment of rows, 0 for an empty one (`tf.math.segment_mean`)."""
    return _segments(SEGMENT_MEAN, data, segment_ids)


def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """The product of each segment of rows, 1 for an empty one (`tf.math.segment_prod`)."""
    return _segments(SEGMENT_PROD, data, segment_ids)


def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """The largest of each segment of rows, 0 for an empty one (`tf.math.segment_max`)."""
    return _segments(SEGMENT_MAX, data, segment_ids)


def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """The smallest of each segment of rows, 0 for an empty one (`tf.math.segment_min`)."""
    return _segments(SEGMENT_MIN, data, segment_ids)


def _unsorted_segments(record: Op, data: Any, segment_ids: Any, num_segments: Any) -> Any:
    count = one_int(num_segments, "num_segments should be a scalar, not shape {shape}")
    return apply(record, (to_tensor(data), to_tensor(segment_ids)), {"num_segments": count})


def unsorted_segment_sum(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Any:
    """The sum of each segment of rows in any order (`tf.math.unsorted_segment_sum`).

    Args:
        data: a tensor of numbers.
        segment_ids: integers in the shape of data's first axes; rows with a negative one are left
            out.
        num_segments: the number of segments, an int.
        name: a name in graphs.

    Returns:
        A tensor with num_segments rows; 0 where no row has that id.

    Raises:
        InvalidArgumentError: an id is too large, shapes do not fit, num_segments is negative.

    >>> unsorted_segment_sum([1, 2, 3], [2, 0, 2], 3).numpy().tolist()
    [2, 0, 4]
    """
    return _unsorted_segments(UNSORTED_SUM, data, segment_ids, num_segments)


def unsorted_segment_prod(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Any:
    """The product of each segment of rows, 1 for an empty one
    (`tf.math.unsorted_segment_prod`).
    """
    return _unsorted_segments(UNSORTED_PROD, data, segment_ids, num_segments)


def unsorted_segment_max(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Any:
    """The largest of each segment of rows, the lowest number of the dtype for an empty one
    (`tf.math.unsorted_segment_max`).
    """
    return _unsorted_segments(UNSORTED_MAX, data, segment_ids, num_segments)


def unsorted_segment_min(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Any:
    """The smallest of each segment of rows, the highest number of the dtype for an empty one
    (`tf.math.unsorted_segment_min`).
    """
    return _unsorted_segments(UNSORTED_MIN, data, segment_ids, num_segments)


def _sizes(data: Any, segment_ids: Any, num_segments: Any) -> Any:
    """How many rows each segment has, at least 1, in a shape that stretches to its sums."""
    counted = unsorted_segment_sum(ones(segment_ids.shape, data.dtype), segment_ids, num_segments)
    inner = data.shape.rank - segment_ids.shape.rank
    return maximum(reshape(counted, [-1, *[1] * inner]), 1)


def unsorted_segment_mean(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Any:
    """The mean of each segment of rows, 0 for an empty one (`tf.math.unsorted_segment_mean`)."""
    data, ids = to_tensor(data), to_tensor(segment_ids)
    total = unsorted_segment_sum(data, ids, num_segments)
    return divide(total, _sizes(data, ids, num_segments))


def unsorted_segment_sqrt_n(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Any:
    """The sum of each segment of rows, divided by the square root of their number
    (`tf.math.unsorted_segment_sqrt_n`).
    """
    data, ids = to_tensor(data), to_tensor(segment_ids)
    total = unsorted_segment_sum(data, ids, num_segments)
    return divide(total, sqrt(_sizes(data, ids, num_segments)))


def _picked_segments(
    ops: tuple[Op, Op], data: Any, indices: Any, segment_ids: Any, num_segments: Any
) -> Any:
    picks = to_tensor(indices, hint=dtypes.int32), to_tensor(segment_ids, hint=dtypes.int32)
    inputs = (to_tensor(data), *picks)
    if num_segments is None:
        return apply(ops[0], inputs)
    count = one_int(num_segments, "num_segments should be a scalar, not shape {shape}")
    return apply(ops[1], inputs, {"num_segments": count})


def sparse_segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """The sums of segments of picked rows (`tf.sparse.segment_sum`).

    Args:
        data: a tensor of numbers with at least one axis.
        indices: which rows of data to take, a vector of int32 or int64.
        segment_ids: the segment of each taken row, in increasing order.
        num_segments: the number of segments; the largest id and one if None.
        name: a name in graphs.
        sparse_gradient: taken for TensorFlow's sake; gradients are dense.

    Raises:
        InvalidArgumentError: indices or ids are out of range, or shapes do not fit.

    >>> sparse_segment_sum([1, 2, 3], [0, 2], [0, 0]).numpy().tolist()
    [4]
    """
    return _picked_segments(SPARSE_SUM, data, indices, segment_ids, num_segments)


def sparse_segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """The means of segments of picked rows (`tf.sparse.segment_mean`)."""
    return _picked_segments(SPARSE_MEAN, data, indices, segment_ids, num_segments)


def sparse_segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """The sums of segments of picked rows, divided by the square root of their number
    (`tf.sparse.segment_sqrt_n`).
    """
    return _picked_segments(SPARSE_SQRT_N, data, indices, segment_ids, num_segments)
