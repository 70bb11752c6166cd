"""Row partitions: ops between row splits, lengths and ids, and ops over the rows they describe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import DTypeLike, TensorLike
from ...core.tensor import Tensor
from ...devices.late import is_late
from ..arguments import one_number
from ..array.joining import concat
from ..convert import to_tensor
from ..counts import counts_of, rows_of
from ..infer import Spec
from ..math import unsigned
from ..math.reduction import reduce_max
from ..op import apply, op
from ..order import ordered, restored
from ..waiting import RESULT_SIZE


def splits_of(lengths: torch.Tensor) -> torch.Tensor:
    """Row splits of row lengths."""
    splits = lengths.new_zeros(len(lengths) + 1)
    torch.cumsum(lengths, 0, dtype=lengths.dtype, out=splits[1:])
    return splits


def row_splits_kernel(lengths: torch.Tensor) -> torch.Tensor:
    """Row splits of row lengths."""
    return splits_of(lengths)


def _row_splits_spec(lengths: Spec) -> Spec:
    count = (lengths.dims or (None,))[0]
    return Spec((None if count is None else count + 1,), lengths.dtype)


ROW_SPLITS = op(
    "_RowSplits", "lengths: T -> splits: T", row_splits_kernel, _row_splits_spec, T=dtypes.INDICES
)


def row_ids_kernel(splits: torch.Tensor, *, count: int | None = None) -> torch.Tensor:
    """The row of each of `count` values, of as many as the splits say for None."""
    if count is None:
        count = int(splits[-1]) if is_late(splits) else 0
    return rows_of(splits, count)


def _row_ids_spec(splits: Spec, *, count: int | None = None) -> Spec:
    return Spec((count,), splits.dtype)


ROW_IDS = op(
    "_RowIds", "splits: T, count: host -> ids: T", row_ids_kernel, _row_ids_spec, T=dtypes.INDICES,
    wait_reason=RESULT_SIZE,
)  # fmt: skip


def count_ids_kernel(ids: torch.Tensor, *, rows: int) -> torch.Tensor:
    """Row lengths: how often each row is named."""
    if not ids.is_cpu:
        ids = torch.where((ids < 0) | (ids > rows), rows, ids)
        return counts_of(ids, rows + 1)[:rows].to(ids.dtype)
    if bool((ids < 0).any()):
        raise invalid_argument("Input arr must be non-negative!")
    return torch.bincount(ids, minlength=rows)[:rows].to(ids.dtype)


def _count_ids_spec(ids: Spec, *, rows: int) -> Spec:
    return Spec((rows,), ids.dtype)


COUNT_IDS = op(
    "_RowLengthsOfIds", "ids: T -> lengths: T", count_ids_kernel, _count_ids_spec, T=dtypes.INDICES
)


def ragged_range_kernel(
    starts: torch.Tensor,
    limits: torch.Tensor,
    deltas: torch.Tensor,
    *,
    Tsplits: DType,  # noqa: N803
) -> tuple[torch.Tensor, torch.Tensor]:
    """One range per row, as row splits and values."""
    dims = _count_of_ranges(starts, limits, deltas)
    starts, limits, deltas = (each.expand(dims) for each in (starts, limits, deltas))
    _check_steps(deltas)
    if starts.is_floating_point():
        counts = torch.ceil((limits - starts) / deltas)
        if bool((counts >= 2.0**63).any()):
            raise invalid_argument(f"Requires ((limit - start) / delta) <= {2**63 - 1}")
    else:
        wide = deltas.long()  # what lies between two int32 may be none
        rounded = limits.long() - starts + wide - torch.sign(wide)
        counts = torch.div(rounded, wide, rounding_mode="floor")
    splits = splits_of(counts.clamp(min=0).to(torch.int64))
    ids = rows_of(splits, int(splits[-1]) if is_late(splits) else 0)
    places = torch.arange(len(ids), device=starts.device) - splits[ids]
    values = starts[ids] + places.to(starts.dtype) * deltas[ids]
    return splits.to(Tsplits.torch), values


def _count_of_ranges(*bounds: torch.Tensor) -> tuple[int]:
    """How many ranges there are, of which some bounds may be one number for all."""
    for name, bound in zip(("starts", "limits", "deltas"), bounds, strict=True):
        if bound.ndim > 1:
            raise invalid_argument(f"{name} must be a scalar or vector")
    counts = {len(bound) for bound in bounds if bound.ndim}
    if len(counts) > 1:
        raise invalid_argument("starts, limits, and deltas must have the same shape")
    return (counts.pop() if counts else 1,)


def _check_steps(deltas: torch.Tensor) -> None:
    if bool((deltas == 0).any()):
        raise invalid_argument("Requires delta != 0")


RAGGED_RANGE = op(
    "RaggedRange",
    "starts: T, limits: T, deltas: T -> rt_nested_splits: Tsplits, rt_dense_values: T",
    ragged_range_kernel, None, wait_reason=RESULT_SIZE,
    T=(dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64),
)  # fmt: skip


_START = {"sum": 0, "prod": 1}


def reduce_rows_kernel(data: torch.Tensor, splits: torch.Tensor, *, how: str) -> torch.Tensor:
    """One value per row: the sum, product, largest or smallest of its values."""
    ids = rows_of(splits, len(data)).to(torch.int64)
    is_bool = data.dtype is torch.bool
    values = data.to(torch.uint8) if is_bool else data
    start = values.new_full((len(splits) - 1, *data.shape[1:]), _first(values.dtype, how, is_bool))
    if how == "sum":
        result = start.index_add(0, ids, values)
    else:
        places = ids.reshape(-1, *[1] * (values.ndim - 1)).expand_as(values)
        result = start.scatter_reduce(0, places, values, how)
    return result.bool() if is_bool else result


def _reduce_unsigned_rows(data: torch.Tensor, splits: torch.Tensor, *, how: str) -> torch.Tensor:
    """The same of uint64, whose sums and products are those of the same bits."""
    if how in _START:
        made = reduce_rows_kernel(unsigned.as_signed(data), splits, how=how)
        return unsigned.as_unsigned(made)
    return restored(reduce_rows_kernel(ordered(data), splits, how=how))


def _first(dtype: torch.dtype, how: str, is_bool: bool) -> Any:
    """What a row without values gives."""
    if how in _START:
        return _START[how]
    if is_bool:
        return int(how == "amin")
    info = torch.finfo(dtype) if dtype.is_floating_point else torch.iinfo(dtype)
    return info.min if how == "amax" else info.max


def _reduce_rows_spec(data: Spec, splits: Spec, *, how: str) -> Spec:
    count = (splits.dims or (None,))[0]
    return Spec((None if count is None else count - 1, *(data.dims or ())[1:]), data.dtype)


REDUCE_ROWS = op(
    "_ReduceRows", "data: T, splits: Tindex -> output: T", reduce_rows_kernel, _reduce_rows_spec,
    kernel_for={dtypes.uint64: _reduce_unsigned_rows}, T=(*dtypes.NUMBERS, dtypes.bool_),
    Tindex=dtypes.INDICES,
)  # fmt: skip


def ragged_to_tensor_kernel(
    values: Any, default_value: Any, *splits: torch.Tensor, shape: Sequence[int | None]
) -> Any:
    """Rows side by side, filled up with the default value."""
    check_default(np.shape(default_value), tuple(values.shape))
    dims = _dense_dims(values.shape, splits, shape)
    places, fits = _dense_places(splits, len(values), dims)
    count = int(np.prod(dims))
    inner = tuple(values.shape[1:])
    if isinstance(values, np.ndarray):
        result = np.empty((count, *inner), object)
        result[...] = default_value
        result[places[fits].numpy()] = values[fits.numpy()]
        return result.reshape(*dims, *inner)
    if values.is_cpu:
        result = default_value.expand(count, *inner).index_put((places[fits],), values[fits])
    else:  # What does not fit goes behind the end, so that nobody counts what does.
        filled = default_value.expand(count + 1, *inner)
        places = torch.where(fits, places, count)
        result = filled.index_copy(0, places, values).narrow(0, 0, count)
    return result.reshape(*dims, *inner)


def check_default(default: Sequence[int | None], values: Sequence[int | None]) -> None:
    """Raises InvalidArgumentError unless a default of one shape stretches to a value of flat
    values of another.
    """
    text = (
        f"default_value.shape={runtime_text(default)} and rt_input.flat_values.shape="
        f"{runtime_text(values)} are incompatible: "
    )
    if default and len(default) >= len(values):
        raise invalid_argument(
            f"{text}default_value.rank = {len(default)}  must be less than "
            f"rt_input.flat_values.rank = {len(values)}"
        )
    for i, (mine, own) in enumerate(zip(reversed(default), reversed(values), strict=False), 1):
        if None not in (mine, own) and mine not in (1, own):
            raise invalid_argument(
                f"{text}default_value.shape[-{i}] = {mine} but rt_input.flat_values.shape[-{i}] = "
                f"{own}"
            )


def _dense_dims(
    values: Sequence[int], splits: Sequence[torch.Tensor], shape: Sequence[int | None]
) -> list[int]:
    outer = 1 + len(splits)
    rank = outer + len(values) - 1
    wanted = [None if size == -1 else size for size in shape] or [None] * rank
    text = runtime_text(wanted)
    if len(wanted) != rank:
        raise invalid_argument(
            f"rt_input.shape and shape={text} are incompatible: rt_input.rank = {rank} "
            f"but shape.rank = {len(wanted)}"
        )
    for i, (size, own) in enumerate(zip(wanted[outer:], values[1:], strict=True)):
        if size not in (None, own):
            axis = i + outer
            raise invalid_argument(
                f"rt_input.shape and shape={text} are incompatible: rt_input.shape[{axis}] = "
                f"{own} but shape[{axis}] = {size}"
            )
    return [_bound(splits, i) if size is None else size for i, size in enumerate(wanted[:outer])]


def _bound(splits: Sequence[torch.Tensor], axis: int) -> int:
    """How many rows there are, or how long the longest of an inner axis is."""
    if axis == 0:
        return len(splits[0]) - 1
    lengths = splits[axis - 1][1:] - splits[axis - 1][:-1]
    return int(lengths.max()) if len(lengths) else 0


def _dense_places(
    splits: Sequence[torch.Tensor], count: int, dims: Sequence[int]
) -> tuple[torch.Tensor, torch.Tensor]:
    """Where each value goes in the flat result, and whether it is inside of it."""
    rows = torch.arange(len(splits[0]) - 1, device=splits[0].device, dtype=torch.int64)
    places, fits = rows, rows < dims[0]
    counts = [*(len(each) - 1 for each in splits[1:]), count]
    for each, size, count in zip(splits, dims[1:], counts, strict=True):
        ids = rows_of(each, count).to(torch.int64)
        inside = torch.arange(len(ids), device=each.device) - each[ids]
        fits = fits[ids] & (inside < size)
        places = places[ids] * size + inside
    return places, fits


RAGGED_TO_TENSOR = op(
    "RaggedTensorToTensor",
    "shape: host, values: T, default_value: T, row_partition_tensors: N * Tindex -> result: T",
    ragged_to_tensor_kernel, None, T=dtypes.ANY, Tindex=dtypes.INDICES,
    wait_reason=RESULT_SIZE,
)  # fmt: skip


def row_splits_to_segment_ids(
    splits: Any, name: str | None = None, out_type: DTypeLike | None = None
) -> Tensor:
    """The row of each value (`tf.ragged.row_splits_to_segment_ids`).

    >>> row_splits_to_segment_ids([0, 2, 2, 3]).numpy().tolist()
    [0, 0, 2]
    """
    is_plain = out_type is None and not isinstance(splits, Tensor)
    splits = as_index(splits, dtypes.int64 if is_plain else out_type)
    if splits.dtype not in dtypes.INDICES:
        raise ValueError("splits must have dtype int32 or int64")
    if splits.shape.rank != 1:
        raise ValueError(f"Shape {splits.shape} must have rank 1")
    if splits.shape[0] == 0:
        raise ValueError("Invalid row_splits: []")
    return apply(ROW_IDS, (splits,))


def segment_ids_to_row_splits(
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    out_type: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns row splits of sorted row numbers (`tf.ragged.segment_ids_to_row_splits`). Numbers in
    another order are counted all the same.

    Args:
        segment_ids: row numbers in ascending order.
        num_segments: how many rows there are; one more than the largest number for None.
        out_type: int32 or int64; for None that of a tensor, and int64 for what is none.
        name: a name in graphs.

    >>> segment_ids_to_row_splits([0, 0, 2]).numpy().tolist()
    [0, 2, 2, 3]
    """
    tensors = [x for x in (segment_ids, num_segments) if isinstance(x, Tensor)]
    ids = as_index(segment_ids, out_type or (tensors[0].dtype if tensors else dtypes.int64))
    if ids.dtype not in dtypes.INDICES:
        raise ValueError("segment_ids must have dtype int32 or int64")
    _check_rank(ids, 1)
    if num_segments is None:
        none = to_tensor([-1], ids.dtype)
        num_segments = reduce_max(concat([ids, none], 0)) + 1
    else:
        num_segments = as_index(num_segments, ids.dtype)
        _check_rank(num_segments, 0)
    rows = one_number(num_segments, "num_segments")
    return apply(ROW_SPLITS, (apply(COUNT_IDS, (ids,), {"rows": rows}),))


def _check_rank(x: Tensor, rank: int) -> None:
    if x.shape.rank not in (None, rank):
        raise ValueError(f"Shape {x.shape} must have rank {rank}")


def as_index(value: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Row numbers as a tensor: Python numbers as int64, what has a type with that type."""
    wanted = None if dtype is None else as_dtype(dtype)
    return to_tensor(value, wanted, dtypes.int64) if _is_plain(value) else to_tensor(value, wanted)


def _is_plain(value: object) -> bool:
    return isinstance(value, (int, list, tuple, range))
