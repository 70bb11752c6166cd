"""Elements that differ: unique, unique_with_counts, and what one vector has and another lacks."""

from __future__ import annotations

import array as arrays
import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType
from ...base.errors import invalid_argument
from ...base.typing import DTypeLike, TensorLike
from ..arguments import like, one_of
from ..convert import to_tensor
from ..counts import counts_of
from ..op import Op, apply, op
from ..waiting import RESULT_SIZE


class Unique(NamedTuple):
    """What `unique` returns."""

    y: Any
    idx: Any


class UniqueWithCounts(NamedTuple):
    """What `unique_with_counts` returns."""

    y: Any
    idx: Any
    count: Any


class ListDiff(NamedTuple):
    """What `setdiff1d` returns."""

    out: Any
    idx: Any


def _groups(x: torch.Tensor) -> torch.Tensor:
    """A number for each element that equal elements share; NaN equals nothing."""
    if x.is_cpu and x.dtype in _INTEGERS and len(x):
        least, most = (int(end) for end in x.aminmax())
        if most - least <= 2 * x.numel():
            return x.long() - least
    values, order = torch.sort(x, stable=True)
    is_new = torch.ones_like(values, dtype=torch.bool)
    is_new[1:] = values[1:] != values[:-1]
    return torch.empty_like(order).scatter_(0, order, is_new.cumsum(0) - 1)


_INTEGERS = (torch.int32, torch.int64, torch.int16, torch.int8, torch.uint8)


def _row_groups(rows: torch.Tensor) -> torch.Tensor:
    """A number for each row that equal rows share."""
    if rows.numel() == 0:
        return torch.zeros(len(rows), dtype=torch.int64, device=rows.device)
    groups = _groups(rows[:, 0])
    for column in rows.unbind(1)[1:]:
        inner = _groups(column)  # whose numbers may leave gaps, and be more than there are rows
        groups = _groups(groups * (inner.max() + 1) + inner)
    return groups


def _first_first(groups: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """(where each group is first met, in that order; the group of each element; their sizes)."""
    size = len(groups)
    count = int(groups.max()) + 1 if size else 0
    places = torch.arange(size, device=groups.device)
    firsts = places.new_full((count,), size).scatter_reduce_(0, groups, places, "amin")
    firsts, order = torch.sort(firsts)  # numbers that no element has come last
    numbers = torch.empty_like(order)
    numbers[order] = torch.arange(count, device=groups.device)
    idx = numbers[groups]
    # A sort numbers groups without gaps; the least and the largest integer may leave some.
    sizes = torch.bincount(idx) if idx.is_cpu else counts_of(idx, count)
    return firsts[: len(sizes)], idx, sizes


# Up to so many elements a dictionary is faster than a sort.
_FEW = 512


def _first_of_few(values: list[Any], dtype: Any) -> list[torch.Tensor]:
    """What `_first_first` says of the groups of some values."""
    known: dict[Any, int] = {}
    idx = [known.setdefault(value, len(known)) for value in values]
    places = dict(zip(reversed(idx), range(len(idx) - 1, -1, -1), strict=True))
    firsts = [places[group] for group in range(len(known))]
    sizes = list(Counter(idx).values())  # groups are met in the order of their numbers
    return [_vector(each, dtype) for each in (firsts, idx, sizes)]


def _vector(numbers: list[int], dtype: Any) -> torch.Tensor:
    """`torch.tensor`, at a third of its time."""
    code = "i" if dtype is torch.int32 else "q"
    held = arrays.array(code, numbers)
    return torch.frombuffer(held, dtype=dtype) if numbers else torch.empty(0, dtype=dtype)


def _unique_along(x: Any, axis: int, out_idx: DType) -> tuple[Any, Any, Any]:
    if isinstance(x, np.ndarray):
        rows = np.moveaxis(x, axis, 0).reshape(x.shape[axis], -1)
        found = _first_of_few(_hashed(rows), out_idx.torch)
        return x.take(found[0].numpy(), axis), found[1], found[2]
    if x.ndim == 1 and len(x) <= _FEW and x.is_cpu:
        firsts, idx, count = _first_of_few(x.tolist(), out_idx.torch)
        return x.index_select(0, firsts), idx, count
    rows = x.detach().movedim(axis, 0)
    flat = rows.reshape(len(rows), math.prod(rows.shape[1:]))
    firsts, idx, count = _first_first(_groups(rows) if rows.ndim == 1 else _row_groups(flat))
    return x.index_select(axis, firsts), idx.to(out_idx.torch), count.to(out_idx.torch)


def _hashed(rows: np.ndarray[Any, Any]) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in rows]


def _vector_kernel(outputs: int) -> Callable[..., Any]:
    def kernel(x: Any, *, out_idx: DType = dtypes.int32) -> Any:
        if x.ndim != 1:
            raise invalid_argument("unique expects a 1D vector.")
        return _unique_along(x, 0, out_idx)[:outputs]

    return kernel


def _axis_kernel(outputs: int) -> Callable[..., Any]:
    def kernel(x: Any, *, axis: Sequence[int], out_idx: DType = dtypes.int32) -> Any:
        return _unique_along(x, _one_axis(x, axis), out_idx)[:outputs]

    return kernel


def _one_axis(x: np.ndarray[Any, Any] | torch.Tensor, axis: Sequence[int]) -> int:
    if isinstance(axis, int):
        raise invalid_argument("axis expects a 1D vector.")
    if len(axis) > 1:
        raise invalid_argument("axis does not support input tensors larger than 1 elements")
    if len(axis) == 0:
        if x.ndim != 1:
            raise invalid_argument("unique expects a 1D vector.")
        return 0
    if not -x.ndim <= axis[0] < x.ndim:
        raise invalid_argument(f"axis has to be between [0, {x.ndim})")
    return int(axis[0])


# What there is no order of cannot be grouped: complex numbers.
_GROUPED = (*dtypes.REALS, dtypes.bool_, dtypes.string)


def _declare(name: str, inputs: str, kernel: Callable[..., Any], outputs: str) -> Op:
    return op(name, f"{inputs} -> {outputs}", kernel, None, wait_reason=RESULT_SIZE, T=_GROUPED)


_TWO, _THREE = "y: T, idx: out_idx", "y: T, idx: out_idx, count: out_idx"
UNIQUE = _declare("Unique", "x: T", _vector_kernel(2), _TWO)
UNIQUE_WITH_COUNTS = _declare("UniqueWithCounts", "x: T", _vector_kernel(3), _THREE)
UNIQUE_V2 = _declare("UniqueV2", "x: T, axis: host", _axis_kernel(2), _TWO)
UNIQUE_WITH_COUNTS_V2 = _declare("UniqueWithCountsV2", "x: T, axis: host", _axis_kernel(3), _THREE)


def unique(x: TensorLike, out_idx: DType = dtypes.int32, name: str | None = None) -> Unique:
    """The elements of a vector without repetitions, in the order they come (`tf.unique`).

    Args:
        x: a vector of numbers, bools or strings; NaN equals nothing.
        out_idx: the dtype of the places, int32 or int64.
        name: a name in graphs.

    Returns:
        (y, idx): the elements, and for each element of x its place in y.

    Raises:
        InvalidArgumentError: x is no vector.

    >>> unique([3, 1, 3]).y.numpy().tolist()
    [3, 1]
    """
    wanted = one_of("out_idx", out_idx, dtypes.INDICES)
    return Unique(*apply(UNIQUE, (to_tensor(x),), {"out_idx": wanted}))


def unique_with_counts(
    x: TensorLike, out_idx: DType = dtypes.int32, name: str | None = None
) -> UniqueWithCounts:
    """As `unique`, and how often each element is there (`tf.unique_with_counts`).

    >>> unique_with_counts([3, 1, 3]).count.numpy().tolist()
    [2, 1]
    """
    wanted = one_of("out_idx", out_idx, dtypes.INDICES)
    return UniqueWithCounts(*apply(UNIQUE_WITH_COUNTS, (to_tensor(x),), {"out_idx": wanted}))


def list_diff_kernel(x: Any, y: Any, *, out_idx: DType = dtypes.int32) -> tuple[Any, Any]:
    """The elements of x that y lacks, and where they are."""
    for name, value in (("x", x), ("y", y)):
        if value.ndim != 1:
            raise invalid_argument(f"{name} should be a 1D vector.")
    if isinstance(x, np.ndarray):
        known = set(y.tolist())
        places = torch.tensor([i for i, text in enumerate(x) if text not in known]).long()
        return x[places.numpy()], places.to(out_idx.torch)
    places = torch.isin(x.detach(), y.detach(), invert=True).nonzero().squeeze(1)
    return x.index_select(0, places), places.to(out_idx.torch)


LIST_DIFF = op(
    "ListDiff", "x: T, y: T -> out: T, idx: out_idx", list_diff_kernel, None,
    T=(*dtypes.REALS, dtypes.string),
    wait_reason=RESULT_SIZE,
)  # fmt: skip


def setdiff1d(
    x: TensorLike, y: TensorLike, index_dtype: DTypeLike = dtypes.int32, name: str | None = None
) -> ListDiff:
    """Returns the elements of a vector that another lacks (`tf.compat.v1.setdiff1d`).

    Args:
        x: a vector.
        y: a vector of the same dtype.
        index_dtype: the dtype of the places, int32 or int64.
        name: a name in graphs.

    Returns:
        (out, idx): those elements, in order and with repetitions, and where they are in x.

    >>> setdiff1d([1, 2, 3], [2]).out.numpy().tolist()
    [1, 3]
    """
    x = to_tensor(x)
    wanted = one_of("out_idx", index_dtype, dtypes.INDICES)
    return ListDiff(*apply(LIST_DIFF, (x, like(y, x.dtype)), {"out_idx": wanted}))
