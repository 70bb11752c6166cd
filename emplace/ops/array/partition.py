"""Ops that deal the slices of a tensor out to several, and put them together again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import difference, runtime_text
from ...base.typing import TensorLike
from ...core.composite import CompositeTensor
from ...core.context import LOCAL
from ...core.tensor import Tensor
from ..convert import tensors, to_tensor
from ..counts import counts_of
from ..op import apply, op
from ..waiting import RESULT_SIZE
from .movement import moves


@moves
def dynamic_partition_kernel(
    data: torch.Tensor, partitions: torch.Tensor, *, num_partitions: int
) -> list[torch.Tensor]:
    """The slices of data, dealt out to as many tensors as `num_partitions`."""
    if data.shape[: partitions.ndim] != partitions.shape:
        raise invalid_argument(
            "data.shape must start with partitions.shape, got data.shape = "
            f"{runtime_text(data.shape)}, partitions.shape = {runtime_text(partitions.shape)}"
        )
    flat = partitions.reshape(-1)
    slices = data.reshape((len(flat), *data.shape[partitions.ndim :]))
    counts = _part_sizes(partitions, num_partitions)
    order = flat.argsort(stable=True)
    return list(torch.split_with_sizes(slices.index_select(0, order), counts))


def _part_sizes(partitions: torch.Tensor, count: int) -> list[int]:
    """How many slices each part gets; of a GPU with a single wait, for the check as well."""
    flat = partitions.reshape(-1)
    if flat.is_cpu:
        _check_partitions(partitions, count)
        return flat.bincount(minlength=count).tolist()
    is_bad = (flat < 0) | (flat >= count)
    *sizes, bad = counts_of(torch.where(is_bad, count, flat), count + 1).tolist()
    if bad:
        _check_partitions(partitions, count)
    return sizes


def _check_partitions(partitions: torch.Tensor, num_partitions: int) -> None:
    if not partitions.numel():
        return
    low, high = (int(end) for end in partitions.aminmax())
    if low < 0 or high >= num_partitions:
        flat = partitions.reshape(-1)
        row = int(((flat < 0) | (flat >= num_partitions)).nonzero()[0])
        indices = np.unravel_index(row, tuple(partitions.shape)) if partitions.ndim else ()
        place = runtime_text([int(index) for index in indices]) if partitions.ndim else ""
        raise invalid_argument(
            f"partitions{place} = {int(flat[row])} is not in [0, {num_partitions})"
        )


DYNAMIC_PARTITION = op(
    "DynamicPartition", "data: T, partitions: int32 -> outputs: N * T",
    dynamic_partition_kernel, None, T=dtypes.ANY,
    wait_reason=RESULT_SIZE,
)  # fmt: skip


def dynamic_stitch_kernel(*values: Any) -> Any:
    """Slices put where their indices say; of several for one place the last stays.

    The first half of the values are the indices, the second half the data.
    """
    count = len(values) // 2
    indices, data = values[:count], values[count:]
    inner = data[0].shape[indices[0].ndim :]
    _check_stitch(indices, data)
    places = torch.cat([each.reshape(-1) for each in indices]).long()
    low, high = torch.stack(places.aminmax()).tolist() if len(places) else (0, -1)
    size = high + 1
    if low < 0:
        row = int((places < 0).nonzero()[0])
        raise invalid_argument(f"indices[{row}] is out of range")
    source = torch.full((size,), -1, dtype=torch.int64, device=places.device)
    order = torch.arange(len(places), device=places.device)
    source = source.scatter_reduce(0, places, order, "amax")
    flat = [each.reshape((-1, *inner)) for each in data]
    if not isinstance(flat[0], torch.Tensor):
        return _stitch_arrays(np.concatenate(flat), source, inner)
    found = torch.cat(flat).index_select(0, source.clamp(min=0)) if len(places) else flat[0][:0]
    holes = (source < 0).reshape((-1, *[1] * len(inner)))
    return found.masked_fill(holes, 0)


def _check_stitch(indices: Sequence[torch.Tensor], data: Sequence[Any]) -> None:
    first = data[0].shape[indices[0].ndim :]
    for i, (places, value) in enumerate(zip(indices, data, strict=True)):
        if value.shape[: places.ndim] != places.shape:
            raise invalid_argument(
                f"data[{i}].shape = {runtime_text(value.shape)} does not start with "
                f"indices[{i}].shape = {runtime_text(places.shape)}"
            )
        if value.shape[places.ndim :] != first:
            start = indices[0].ndim
            raise invalid_argument(
                f"Need data[0].shape[{start}:] = data[{i}].shape[{places.ndim}:], got "
                f"data[0].shape = {runtime_text(data[0].shape)}, data[{i}].shape = "
                f"{runtime_text(value.shape)}, indices[0].shape = "
                f"{runtime_text(indices[0].shape)}, indices[{i}].shape = "
                f"{runtime_text(places.shape)}"
            )


def _stitch_arrays(flat: np.ndarray[Any, Any], source: torch.Tensor, inner: Sequence[int]) -> Any:
    """The same of strings and quantized numbers, which NumPy holds."""
    dims = (len(source), *inner)
    result = np.full(dims, b"", object) if flat.dtype == object else np.zeros(dims, flat.dtype)
    there = (source >= 0).numpy()
    result[there] = flat[source.numpy()[there]]
    return result


DYNAMIC_STITCH = op(
    "DynamicStitch", "indices: N * int32, data: N * T -> merged: T",
    dynamic_stitch_kernel, None, T=dtypes.ANY_HELD,
    wait_reason=RESULT_SIZE,
)  # fmt: skip


def dynamic_partition(
    data: TensorLike, partitions: TensorLike, num_partitions: int, name: str | None = None
) -> Any:
    """Returns the slices of a tensor, dealt out to several (`tf.dynamic_partition`).

    Args:
        data: a tensor.
        partitions: int32; for each slice the number of the tensor it goes to.
        num_partitions: how many tensors there are.
        name: a name in graphs.

    Returns:
        A list of `num_partitions` tensors.

    Raises:
        InvalidArgumentError: a number is out of range, or shapes do not fit.

    >>> [x.numpy().tolist() for x in dynamic_partition([10, 20, 30], [1, 0, 1], 2)]
    [[20], [10, 30]]
    """
    if num_partitions < 1:
        raise invalid_argument(
            f"Value for attr 'num_partitions' of {num_partitions} must be at least minimum 1"
        )
    is_plain = not any(isinstance(each, CompositeTensor) for each in (data, partitions))
    places = to_tensor(partitions, dtypes.int32 if is_plain else None)
    attrs = {"num_partitions": int(num_partitions)}
    return apply(DYNAMIC_PARTITION, (to_tensor(data), places), attrs)


def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Any:
    """Slices of several tensors, put where their indices say (`tf.dynamic_stitch`).

    Args:
        indices: a list of int32 tensors.
        data: a list of tensors, each of the shape of its indices and then of a slice.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: an index is negative, or shapes do not fit.

    >>> dynamic_stitch([[0, 2], [1]], [[10, 30], [20]]).numpy().tolist()
    [10, 20, 30]
    """
    places = [to_tensor(each, dtypes.int32) for each in indices]
    values = tensors(data)
    if not LOCAL.state.target.is_eager:
        _check_stitched(places, values)
    return apply(DYNAMIC_STITCH, (*places, *values))


def _check_stitched(places: Sequence[Tensor], values: Sequence[Tensor]) -> None:
    """Raises ValueError for shapes of a graph that cannot fit."""
    inner = None
    for each, value in zip(places, values, strict=False):
        if each.shape.rank is None or value.shape.rank is None:
            continue
        outer, dims = each.shape.as_list(), value.shape.as_list()
        for one, other in zip(outer, dims, strict=False):
            if None not in (one, other) and one != other:
                raise ValueError(f"Dimensions must be equal, but are {other} and {one}")
        wrong = difference(inner, dims[len(outer) :]) if inner is not None else None
        if wrong:
            raise ValueError(wrong)
        inner = dims[len(outer) :]
