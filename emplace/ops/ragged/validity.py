"""Whether a partition describes values: in eager mode at once, in graphs by an operation that hands
the partition on when they run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import TensorShape
from ...base.typing import IntLike, TensorLike
from ...core.tensor import EagerTensor, Tensor, to_numpy
from .. import infer
from ..op import apply, op

Array = np.ndarray[Any, Any]
_UNTOLD = -1


def checked(partition: Any, kind: str, count: IntLike, nrows: TensorLike | None = None) -> Tensor:
    """A partition, after a check that it describes `count` values.

    Args:
        partition: int32 or int64 (...).
        kind: what it is made of: "row_splits", "row_lengths", "value_rowids", "row_starts",
            "row_limits".
        count: how many values there are: a number or a `SymbolicValue`.
        nrows: how many rows there are, if that is told: a number or a `SymbolicValue`.

    Raises:
        InvalidArgumentError: it does not.
    """
    rows = _UNTOLD if nrows is None else nrows
    if isinstance(partition, EagerTensor) and isinstance(count, int) and isinstance(rows, int):
        _CHECKS[kind](to_numpy(partition), count, rows)
        return partition
    return apply(CHECK, (partition,), {"kind": kind, "count": count, "nrows": rows})


def check_kernel(partition: torch.Tensor, *, kind: str, count: int, nrows: int) -> torch.Tensor:
    """The partition, after the check."""
    if partition.ndim != 1:
        raise invalid_argument(f"Shape {TensorShape(tuple(partition.shape))} must have rank 1")
    _CHECKS[kind](partition.numpy(force=True), count, nrows)
    return partition


CHECK = op(
    "_CheckRowPartition", "partition: T -> output: T", check_kernel, infer.same, aliases=True,
    T=dtypes.INDICES,
)  # fmt: skip


def _row_splits(splits: Array, count: int, nrows: int) -> None:
    if not splits.size:
        raise invalid_argument("slice index 0 of dimension 0 out of bounds.")
    _same(int(splits[0]), 0, "from_row_splits", ":zero")
    _not_negative(np.diff(splits), "from_row_splits", ":monotonic", "RaggedTensor")
    _same(int(splits[-1]), count)


def _row_lengths(lengths: Array, count: int, nrows: int) -> None:
    _not_negative(lengths, "from_row_lengths")
    _same(int(lengths.sum()), count)


def _value_rowids(ids: Array, count: int, nrows: int) -> None:
    _same(ids.size, count)
    _not_negative(np.diff(ids), "from_value_rowids")
    _not_negative(ids[:1], "from_value_rowids")
    if nrows != _UNTOLD and ids.size and int(ids[-1]) >= nrows:
        raise _refused("from_value_rowids", "", "RowPartition", "x < y", int(ids[-1]), nrows)


def _row_starts(starts: Array, count: int, nrows: int) -> None:
    if starts.size:
        _same(int(starts[0]), 0, "from_row_starts")
        _not_negative(np.diff(starts), "from_row_starts", "", "RaggedTensor")
        if int(starts[-1]) > count:
            last = int(starts[-1])
            raise _refused("from_row_starts", "", "RaggedTensor", "x <= y", last, count)


def _row_limits(limits: Array, count: int, nrows: int) -> None:
    _not_negative(np.diff(limits, prepend=limits.dtype.type(0)), "from_row_limits", "",
                  "RaggedTensor")  # fmt: skip
    _same(int(limits[-1]) if limits.size else 0, count)


_CHECKS: dict[str, Callable[[Array, int, int], None]] = {
    "row_splits": _row_splits, "row_lengths": _row_lengths, "value_rowids": _value_rowids,
    "row_starts": _row_starts, "row_limits": _row_limits,
}  # fmt: skip


def _not_negative(steps: Array, who: str, what: str = "", why: str = "RowPartition") -> None:
    if (steps < 0).any():
        listed = [str(each) for each in steps.tolist()]
        raise invalid_argument(
            f"Arguments to {who} do not form a valid {why}{what}.  \nCondition x >= 0 did not "
            f"hold element-wise:\nx (shape=({len(listed)},) dtype={steps.dtype}) = \n{listed}"
        )


def _same(x: int, y: int, who: str = "_from_row_partition", what: str = "") -> None:
    if x != y:
        raise _refused(who, what, "RaggedTensor", "x == y", x, y)


def _refused(who: str, what: str, why: str, condition: str, x: int, y: int) -> Exception:
    return invalid_argument(
        f"Arguments to {who} do not form a valid {why}{what}\nCondition {condition} did not hold.\n"
        f"First 1 elements of x:\n[{x}]\nFirst 1 elements of y:\n[{y}]"
    )


def same_rows_kernel(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The row splits x, after a check that y says the same."""
    check_same_splits(x.numpy(force=True), y.numpy(force=True))
    return x


def check_same_splits(x: Array, y: Array) -> None:
    """Raises InvalidArgumentError unless the row splits of values that belong together agree."""
    if not np.array_equal(x, y):
        raise invalid_argument(
            "partitions have incompatible row_splits\nCondition x == y did not hold.\n"
            f"x = {x.tolist()}\ny = {y.tolist()}"
        )


CHECK_SAME_ROWS = op(
    "_CheckSameRows", "x: T, y: T -> output: T", same_rows_kernel, lambda x, y: x, aliases=True,
    T=dtypes.INDICES,
)  # fmt: skip


def uniform_kernel(splits: torch.Tensor, *, length: int, nrows: int, count: int) -> torch.Tensor:
    """The row splits of rows of one length, after a check that they describe the values."""
    check_uniform(length, nrows, count)
    return splits


def check_uniform(length: int, nrows: int, count: int) -> None:
    """Raises InvalidArgumentError unless so many rows of one length hold all values."""
    if length < 0:
        raise invalid_argument(f"uniform_row_length must be >= 0. Got {length}.")
    if length * nrows != count:
        raise invalid_argument(
            f"uniform_row_length {length} times nrows {nrows} must equal nvals {count}"
        )


CHECK_UNIFORM = op(
    "_CheckUniformRows", "splits: T -> output: T", uniform_kernel, infer.same, aliases=True,
    T=dtypes.INDICES,
)  # fmt: skip
