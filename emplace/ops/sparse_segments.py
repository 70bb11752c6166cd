"""Sums, means and scaled sums of rows that are named by index: the ops below embeddings."""

from __future__ import annotations

from typing import Any

import torch

from ..base import dtypes
from ..base.errors import invalid_argument
from .convert import static_ints, to_tensor
from .infer import Spec
from .making import INDICES
from .op import Op, apply, op


def _check(data: torch.Tensor, indices: torch.Tensor, ids: torch.Tensor, rows: int) -> None:
    if len(ids) != len(indices):
        raise invalid_argument("segment_ids and indices should have same size.")
    wrong = (indices < 0) | (indices >= len(data))
    if wrong.any():
        i = int(wrong.nonzero()[0])
        raise invalid_argument(
            f"Bad: indices[{i}] == {int(indices[i])} out of range [0, {len(data)})"
        )
    if (ids[1:] < ids[:-1]).any():
        raise invalid_argument("segment ids are not increasing")
    if len(ids) and (int(ids[0]) < 0 or int(ids[-1]) >= rows):
        bad = int(ids[0]) if int(ids[0]) < 0 else int(ids[-1])
        raise invalid_argument(
            f"Segment id {bad} out of range [0, {rows}), possibly because segment_ids input is not "
            "sorted."
        )


def _combined(kind: str, data: torch.Tensor, indices: Any, ids: Any, rows: int) -> torch.Tensor:
    indices, ids = indices.long(), ids.long()
    _check(data, indices, ids, rows)
    chosen = data.index_select(0, indices)
    total = data.new_zeros((rows, *data.shape[1:])).index_add(0, ids, chosen)
    if kind == "sum":
        return total
    counts = torch.zeros(rows, dtype=data.dtype, device=data.device)
    counts = counts.index_add(0, ids, torch.ones_like(ids, dtype=data.dtype)).clamp(min=1)
    scale = counts if kind == "mean" else counts.sqrt()
    return total / scale.reshape(-1, *[1] * (data.ndim - 1))


def _kernel(kind: str) -> Any:
    def kernel(
        data: torch.Tensor, indices: torch.Tensor, segment_ids: torch.Tensor
    ) -> torch.Tensor:
        rows = max(0, int(segment_ids[-1]) + 1) if len(segment_ids) else 0
        return _combined(kind, data, indices, segment_ids, rows)

    return kernel


def _counted_kernel(kind: str) -> Any:
    def kernel(
        data: torch.Tensor, indices: torch.Tensor, segment_ids: torch.Tensor, *, num_segments: int
    ) -> torch.Tensor:
        return _combined(kind, data, indices, segment_ids, num_segments)

    return kernel


def _counted_spec(data: Spec, indices: Spec, segment_ids: Spec, *, num_segments: int) -> Spec:
    if num_segments < 0:
        raise invalid_argument("Number of segments must not be negative.")
    return Spec((num_segments, *(data.dims or (None,))[1:]), data.dtype)


def _pair(name: str, kind: str, types: Any) -> tuple[Op, Op]:
    inputs = "data: T, indices: Tidx, segment_ids: Tsegmentids"
    letters = {"T": types, "Tidx": INDICES, "Tsegmentids": INDICES}
    plain = op(name, f"{inputs} -> output: T", _kernel(kind), None, **letters)
    counted = op(
        f"{name}WithNumSegments",
        f"{inputs}, num_segments: host -> output: T",
        _counted_kernel(kind),
        _counted_spec,
        **letters,
    )
    return plain, counted


SEGMENT_SUM = _pair("SparseSegmentSum", "sum", dtypes.REALS)
SEGMENT_MEAN = _pair("SparseSegmentMean", "mean", dtypes.FLOATS)
SEGMENT_SQRT_N = _pair("SparseSegmentSqrtN", "sqrt_n", dtypes.FLOATS)


def _by_segment(pair: tuple[Op, Op], data: Any, indices: Any, ids: Any, count: Any) -> Any:
    inputs = (to_tensor(data), _as_places(indices), _as_places(ids))
    if inputs[1].shape.rank != 1 or inputs[2].shape.rank != 1:
        raise invalid_argument(f"indices and segment_ids should be vectors. [Op:{pair[0].name}]")
    if count is None:
        return apply(pair[0], inputs)
    return apply(pair[1], inputs, {"num_segments": static_ints(count, "num_segments")[0]})


def _as_places(value: Any) -> Any:
    """Indices as a tensor; an empty list of them has no type of its own."""
    return to_tensor(value, hint=dtypes.int32)


def segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Sums of rows (`tf.sparse.segment_sum`).

    Args:
        data: rows of numbers.
        indices: (N,): which rows.
        segment_ids: (N,): into which sum each of them goes, ascending.
        num_segments: how many sums; the last segment's id and one if None.
        name: a name in graphs.
        sparse_gradient: taken and ignored: the gradient is dense.

    Raises:
        InvalidArgumentError: a row or a segment is out of range, or segments do not ascend.

    >>> segment_sum([1, 2, 3], [0, 2, 2], [0, 0, 1]).numpy().tolist()
    [4, 3]
    """
    return _by_segment(SEGMENT_SUM, data, indices, segment_ids, num_segments)


def segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Means of rows, see `segment_sum` (`tf.sparse.segment_mean`)."""
    return _by_segment(SEGMENT_MEAN, data, indices, segment_ids, num_segments)


def segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Sums of rows over the root of their number, see `segment_sum`
    (`tf.sparse.segment_sqrt_n`).
    """
    return _by_segment(SEGMENT_SQRT_N, data, indices, segment_ids, num_segments)
