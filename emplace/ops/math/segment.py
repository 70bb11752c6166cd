"""Sums, products and extremes of segments: rows that share an id.

Sorted segments (`segment_sum`) need ids in increasing order and say themselves how many there
are; unsorted ones are told, and drop rows with a negative id.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import torch

from ...base import dtypes
from ...base.dtypes import DType
from ...base.errors import InvalidArgumentError, invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.context import LOCAL
from ...core.tensor import Tensor
from ...devices.late import is_late, note
from ..arguments import one_int
from ..array.making import ones, ones_like
from ..array.shaping import reshape, sizes_of
from ..composite import holds_composite
from ..convert import to_tensor
from ..counts import counts_of
from ..deferred import needs_rank
from ..infer import Spec
from ..op import Op, apply, op
from ..order import in_order, ordered, restored
from ..waiting import RESULT_SIZE
from . import unsigned
from .elementwise import divide, maximum, sqrt

Reduce = Callable[[torch.Tensor, torch.Tensor, int], torch.Tensor]


def sums(rows: torch.Tensor, ids: torch.Tensor, count: int) -> torch.Tensor:
    """The sum of each segment."""
    return rows.new_zeros((count, *rows.shape[1:])).index_add(0, ids, rows)


def means(rows: torch.Tensor, ids: torch.Tensor, count: int) -> torch.Tensor:
    """The mean of each segment; integers lose their rest."""
    sizes = counts_of(ids, count).clamp_(min=1)
    sizes = sizes.reshape(-1, *[1] * (rows.ndim - 1))
    if rows.is_floating_point() or rows.is_complex():
        return sums(rows, ids, count) / sizes.to(rows.dtype)
    totals = sums(unsigned.signed_bits(rows), ids, count)
    return unsigned.by_count(totals.view(rows.dtype), sizes)


def _products(rows: torch.Tensor, ids: torch.Tensor, count: int) -> torch.Tensor:
    if rows.is_complex():
        return _complex_products(rows, ids, count)
    return _scattered(rows, ids, rows.new_ones((count, *rows.shape[1:])), "prod")


def _complex_products(rows: torch.Tensor, ids: torch.Tensor, count: int) -> torch.Tensor:
    """Torch scatters no complex products: rows are laid out in a table, one line per segment."""
    order = torch.argsort(ids, stable=True)
    ids, rows = ids[order], rows[order]
    if not ids.is_cpu:
        return _products_of_sorted(rows, ids, count)
    sizes = torch.bincount(ids, minlength=count)
    places = torch.arange(len(ids), device=ids.device) - (sizes.cumsum(0) - sizes)[ids]
    width = int(sizes.max()) if count else 0
    table = rows.new_ones((count * width, *rows.shape[1:])).index_copy(
        0, ids * width + places, rows
    )
    return table.reshape(count, width, *rows.shape[1:]).prod(1)


def _products_of_sorted(rows: torch.Tensor, ids: torch.Tensor, count: int) -> torch.Tensor:
    """Products in a fixed number of steps, whatever the longest segment is: each row meets that
    so many before it, in twice as many each time, as long as it is of its segment.
    """
    step = 1
    while step < len(ids):
        is_same = (ids[step:] == ids[:-step]).reshape(-1, *[1] * (rows.ndim - 1))
        before = torch.where(is_same, rows[:-step], torch.ones_like(rows[:-step]))
        rows = torch.cat([rows[:step], rows[step:] * before])
        step *= 2
    is_last = torch.ones_like(ids, dtype=torch.bool)
    is_last[:-1] = ids[1:] != ids[:-1]
    made = rows.new_ones((count + 1, *rows.shape[1:]))
    return made.index_copy(0, torch.where(is_last, ids, count), rows).narrow(0, 0, count)


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


def _extremes_or_zero(how: str) -> Reduce:
    """Sorted extremes are 0 where no row is, unsorted ones the end of the type's range."""

    def reduce(rows: torch.Tensor, ids: torch.Tensor, count: int) -> torch.Tensor:
        zeros = ordered(rows.new_zeros((count, *rows.shape[1:])))
        places = ids.reshape(-1, *[1] * (rows.ndim - 1)).expand(rows.shape)
        found = zeros.scatter_reduce(0, places, ordered(rows), how, include_self=False)
        return restored(found) if rows.dtype is torch.uint64 else found

    return reduce


# Sorted segments


def _sorted(reduce: Reduce) -> Callable[..., torch.Tensor]:
    def kernel(data: torch.Tensor, segment_ids: torch.Tensor) -> torch.Tensor:
        if data.ndim == 0:
            raise invalid_argument("input must be at least rank 1")
        if segment_ids.ndim != 1:
            raise invalid_argument("segment_ids should be a vector.")
        if len(segment_ids) != len(data):
            raise invalid_argument("segment_ids should be the same size as dimension 0 of input.")
        return reduce(data, segment_ids.long(), count_of(segment_ids))

    return kernel


def count_of(ids: torch.Tensor) -> int:
    """How many segments increasing ids name: with one look at the device's memory."""
    if len(ids) <= _FEW:
        return _count_of_few(ids.tolist())
    rises = (ids[1:] >= ids[:-1]).all()
    rising, first, last = (int(x) for x in torch.stack([rises.to(ids.dtype), ids[0], ids[-1]]))
    if not rising or first < 0:
        raise _refused_ids(ids.tolist())
    return last + 1


def _count_of_few(ids: list[int]) -> int:
    if not ids:
        return 0
    if ids[0] < 0 or any(left > right for left, right in itertools.pairwise(ids)):
        raise _refused_ids(ids)
    return ids[-1] + 1


def _refused_ids(ids: list[int]) -> InvalidArgumentError:
    """What is wrong first, in TensorFlow's words: the last id says how many segments there are."""
    last = ids[-1]
    if last < 0:
        return invalid_argument("segment ids must be >= 0")
    for each, after in itertools.pairwise(ids):
        if after < each:
            break
        if after > each and not 0 <= each <= last:
            return invalid_argument(
                f"Segment id {each} out of range [0, {last + 1}), possibly because 'segment_ids' "
                "input is not sorted."
            )
    return invalid_argument("segment ids are not increasing")


# Up to so many ids Python is faster than several ops of torch.
_FEW = 256


def _declare_sorted(name: str, reduce: Reduce, types: tuple[DType, ...]) -> Op:
    signature = "data: T, segment_ids: Tindices -> output: T"
    return op(
        name, signature, _sorted(reduce), None, wait_reason=RESULT_SIZE, T=types,
        Tindices=dtypes.INDICES,
    )  # fmt: skip


SEGMENT_SUM = _declare_sorted("SegmentSum", sums, dtypes.NUMBERS)
SEGMENT_MEAN = _declare_sorted("SegmentMean", means, dtypes.NUMBERS)
SEGMENT_PROD = _declare_sorted("SegmentProd", _products, dtypes.NUMBERS)
SEGMENT_MAX = _declare_sorted("SegmentMax", _extremes_or_zero("amax"), dtypes.REALS)
SEGMENT_MIN = _declare_sorted("SegmentMin", _extremes_or_zero("amin"), dtypes.REALS)


# Unsorted segments


def _unsorted(reduce: Reduce) -> Callable[..., torch.Tensor]:
    def kernel(data: torch.Tensor, segment_ids: torch.Tensor, *, num_segments: int) -> torch.Tensor:
        if num_segments < 0 or data.shape[: segment_ids.ndim] != segment_ids.shape:
            raise ValueError("the rule says why")
        ids, rows = segment_ids, data
        if ids.ndim != 1:
            ids = segment_ids.reshape(-1)
            rows = data.reshape(len(ids), *data.shape[segment_ids.ndim :])
        ids = ids.long()
        if is_late(ids):
            too_large = (ids >= num_segments).any()
            note(too_large, _check_ids, (ids,), segment_ids.shape, num_segments)
        elif _check_ids(ids, segment_ids.shape, num_segments):
            return reduce(rows, ids, num_segments)
        dropped = torch.where((ids < 0) | (ids >= num_segments), num_segments, ids)
        return reduce(rows, dropped, num_segments + 1).narrow(0, 0, num_segments)

    return kernel


def _check_ids(ids: torch.Tensor, dims: torch.Size, num_segments: int) -> bool:
    """Whether no id, of those that were in a shape, is negative.

    Raises:
        InvalidArgumentError: one is too large.
    """
    least, most = _ends(ids)
    if most >= num_segments:
        raise _out_of_range(ids, dims, num_segments)
    return least >= 0


def _ends(ids: torch.Tensor) -> tuple[int, int]:
    """The least and the largest id."""
    if len(ids) <= _FEW:
        few = ids.tolist()
        return (min(few), max(few)) if few else (0, -1)
    least, most = torch.stack(ids.aminmax()).tolist()
    return least, most


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
    name: str, reduce: Reduce, types: tuple[DType, ...], ids: tuple[DType, ...] = dtypes.INDICES
) -> Op:
    signature = "data: T, segment_ids: Tindices, num_segments: host -> output: T"
    return op(
        name, signature, _unsorted(reduce), _unsorted_spec, checks=True, T=types, Tindices=ids
    )


UNSORTED_SUM = _declare_unsorted("UnsortedSegmentSum", sums, dtypes.NUMBERS, dtypes.ANY_INDICES)
UNSORTED_PROD = _declare_unsorted("UnsortedSegmentProd", _products, dtypes.NUMBERS)
UNSORTED_MAX = _declare_unsorted("UnsortedSegmentMax", _extremes("amax"), dtypes.REALS)
UNSORTED_MIN = _declare_unsorted("UnsortedSegmentMin", _extremes("amin"), dtypes.REALS)


def check_ranks(data: Any, *vectors: Any) -> None:
    """Raises ValueError for what a graph knows to be no rows or no vectors of their numbers."""
    if data.shape.rank == 0:
        raise ValueError("Shape must be at least rank 1 but is rank 0: segments are of rows.")
    for each in vectors:
        if each.shape.rank not in (None, 1):
            raise ValueError(
                f"Shape must be rank 1 but is rank {each.shape.rank}: segment ids and indices are "
                "vectors."
            )


def _segments(record: Op, data: TensorLike, segment_ids: TensorLike) -> Tensor:
    data, ids = to_tensor(data), to_tensor(segment_ids)
    if not LOCAL.state.target.is_eager:
        check_ranks(data, ids)
    return apply(record, (data, ids))


def segment_sum(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
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


def segment_mean(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The mean of each segment of rows, 0 for an empty one (`tf.math.segment_mean`)."""
    return _segments(SEGMENT_MEAN, data, segment_ids)


def segment_prod(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The product of each segment of rows, 1 for an empty one (`tf.math.segment_prod`)."""
    return _segments(SEGMENT_PROD, data, segment_ids)


def segment_max(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The largest of each segment of rows, 0 for an empty one (`tf.math.segment_max`)."""
    return _segments(SEGMENT_MAX, data, segment_ids)


def segment_min(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The smallest of each segment of rows, 0 for an empty one (`tf.math.segment_min`)."""
    return _segments(SEGMENT_MIN, data, segment_ids)


def _unsorted_segments(
    record: Op, data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike
) -> Tensor:
    count = one_int(num_segments, "num_segments should be a scalar, not shape {shape}")
    return apply(record, (to_tensor(data), to_tensor(segment_ids)), {"num_segments": count})


def unsorted_segment_sum(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Returns the sum of each segment of rows in any order (`tf.math.unsorted_segment_sum`).

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
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Returns the product of each segment of rows, 1 for an empty one
    (`tf.math.unsorted_segment_prod`).

    Args:
        data: a tensor whose leading axes are those of `segment_ids`.
        segment_ids: integers in any order, which segment each row belongs to; rows with a
            negative one are left out.
        num_segments: how many segments there are.
        name: a name in graphs.
    """
    return _unsorted_segments(UNSORTED_PROD, data, segment_ids, num_segments)


def unsorted_segment_max(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Returns the largest of each segment of rows, the lowest number of the dtype for an empty one
    (`tf.math.unsorted_segment_max`).

    Args:
        data: a tensor whose leading axes are those of `segment_ids`.
        segment_ids: integers in any order, which segment each row belongs to; rows with a
            negative one are left out.
        num_segments: how many segments there are.
        name: a name in graphs.
    """
    return _unsorted_segments(UNSORTED_MAX, data, segment_ids, num_segments)


def unsorted_segment_min(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Returns the smallest of each segment of rows, the highest number of the dtype for an empty
    one (`tf.math.unsorted_segment_min`).

    Args:
        data: a tensor whose leading axes are those of `segment_ids`.
        segment_ids: integers in any order, which segment each row belongs to; rows with a
            negative one are left out.
        num_segments: how many segments there are.
        name: a name in graphs.
    """
    return _unsorted_segments(UNSORTED_MIN, data, segment_ids, num_segments)


@needs_rank
def _sizes(data: Any, segment_ids: Any, num_segments: Any) -> Any:
    """How many rows each segment has, at least 1, in a shape that stretches to its sums. TF: of
    ragged tensors 0 where there are none, so that their mean is no number.
    """
    if holds_composite([data]):  # rows of other lengths: how many values at each place
        return unsorted_segment_sum(ones_like(data), segment_ids, num_segments)
    each = ones(sizes_of(segment_ids), data.dtype)
    counted = unsorted_segment_sum(each, segment_ids, num_segments)
    inner = data.shape.rank - segment_ids.shape.rank
    return maximum(reshape(counted, [-1, *[1] * inner]), 1)


def unsorted_segment_mean(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Returns the mean of each segment of rows, 0 for an empty one
    (`tf.math.unsorted_segment_mean`).

    Args:
        data: a tensor whose leading axes are those of `segment_ids`.
        segment_ids: integers in any order, which segment each row belongs to; rows with a
            negative one are left out.
        num_segments: how many segments there are.
        name: a name in graphs.
    """
    data, ids = to_tensor(data), to_tensor(segment_ids)
    total = unsorted_segment_sum(data, ids, num_segments)
    return divide(total, _sizes(data, ids, num_segments))


def unsorted_segment_sqrt_n(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Returns the sum of each segment of rows, divided by the square root of their number
    (`tf.math.unsorted_segment_sqrt_n`).

    Args:
        data: a tensor whose leading axes are those of `segment_ids`.
        segment_ids: integers in any order, which segment each row belongs to; rows with a
            negative one are left out.
        num_segments: how many segments there are.
        name: a name in graphs.
    """
    data, ids = to_tensor(data), to_tensor(segment_ids)
    total = unsorted_segment_sum(data, ids, num_segments)
    return divide(total, sqrt(_sizes(data, ids, num_segments)))
