"""Reductions of ragged tensors: over rows, over columns, over rows of rows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...base import dtypes
from ...core.ragged import RaggedTensor
from ...core.symbolic_value import SymbolicValueError
from ...core.tensor import Tensor
from ..arguments import host_value
from ..array.shaping import reshape
from ..composite import composite_rule
from ..convert import to_tensor
from ..math.elementwise import cast, truediv
from ..op import REGISTRY, Op, apply
from .array import expanded
from .making import make_ragged
from .methods import positive_axis
from .pick import gather_rows
from .rows import REDUCE_ROWS

_REDUCTIONS = {
    "Sum": "sum", "Prod": "prod", "Max": "amax", "Min": "amin", "All": "amin", "Any": "amax",
}  # fmt: skip


@composite_rule(RaggedTensor, [*_REDUCTIONS, "ReduceJoin"])
def reduce_rule(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """`tf.reduce_sum` and its kin."""
    (value,) = inputs
    axes = _axes(value, attrs.get("axis", attrs.get("reduction_indices")))
    keep = attrs.get("keep_dims", False)
    rest = {k: v for k, v in attrs.items() if k not in ("axis", "reduction_indices", "keep_dims")}
    if len(axes) == value.shape.rank:
        return _whole(op, value, keep, rest)
    for axis in sorted(axes, reverse=True):
        value = _reduced(op, value, axis, keep, rest)
    return value


def _axes(value: RaggedTensor, axis: Sequence[Any] | None) -> list[int]:
    rank = value.shape.rank
    if rank is None:
        raise SymbolicValueError("which axes there are is known only when the graph runs")
    if axis is None:
        return list(range(rank))
    return sorted({positive_axis(each, rank) for each in axis})


def _whole(op: Op, value: RaggedTensor, keep: bool, rest: dict[str, Any]) -> Tensor:
    result = apply(op, (value.flat_values,), {"axis": None, "keep_dims": False, **rest})
    return reshape(result, [1] * (value.shape.rank or 0)) if keep else result


def _reduced(op: Op, value: object, axis: int, keep: bool, rest: dict[str, Any]) -> Any:
    if not isinstance(value, RaggedTensor):
        return apply(op, (value,), {"axis": (axis,), "keep_dims": keep, **rest})
    if axis == 0:
        columns = _columns(value)
        result = _reduced(op, columns, 1, False, rest)
        return expanded(result, 0) if keep else result
    if axis > 1:
        return value.rewrap(_reduced(op, value.values, axis - 1, keep, rest))
    if isinstance(value.values, RaggedTensor):
        # Turn every row's rows into columns, which are reduced then.
        result = _reduced_rows_of_rows(op, value, rest)
    else:
        result = _reduced_rows(op, value, rest)
    return expanded(result, 1) if keep else result


def _reduced_rows(op: Op, value: RaggedTensor, rest: dict[str, Any]) -> Tensor:
    """One value per row."""
    if op.name == "ReduceJoin" and value.dtype is dtypes.string:
        return _joined_texts(op, value, rest)
    data = value.values
    if op.name in ("All", "Any"):
        data = cast(data, dtypes.bool_)
    elif op.name == "ReduceJoin" or data.dtype in (dtypes.bool_, dtypes.string):
        return apply(op, (data,), {"axis": None, "keep_dims": False})  # says what is wrong
    return apply(REDUCE_ROWS, (data, value.row_splits), {"how": _REDUCTIONS[op.name]})


def _joined_texts(op: Op, value: RaggedTensor, rest: dict[str, Any]) -> Tensor:
    glue = rest.get("separator", "").encode()
    texts, splits = host_value(value.values), value.host_splits().tolist()
    inner = texts.shape[1:]
    columns = texts.reshape(len(texts), math.prod(inner)).T
    rows = [
        glue.join(column[start:end]) for start, end in itertools.pairwise(splits)
        for column in columns
    ]  # fmt: skip
    return to_tensor(np.array(rows, object).reshape(len(splits) - 1, *inner))


def _columns(value: RaggedTensor) -> Any:
    """Values by their place in their row instead of by row: row j holds every row's j-th value."""
    splits = value.host_splits()
    lengths = np.diff(splits)
    inside = np.arange(splits[-1]) - np.repeat(splits[:-1], lengths)
    order = np.argsort(inside, kind="stable")
    counts = np.bincount(inside, minlength=lengths.max(initial=0))
    new_splits = to_tensor(np.cumsum([0, *counts]).astype(splits.dtype))
    return make_ragged(gather_rows(value.values, to_tensor(order)), new_splits)


def _reduced_rows_of_rows(op: Op, value: RaggedTensor, rest: dict[str, Any]) -> Any:
    """For each row, its rows reduced to one: value by value, by place."""
    inner = value.values
    outer_splits, splits = value.host_splits(), inner.host_splits()
    lengths = np.diff(splits)
    owner = np.repeat(np.arange(len(outer_splits) - 1), np.diff(outer_splits))
    inside = np.arange(splits[-1]) - np.repeat(splits[:-1], lengths)
    rows = np.repeat(owner, lengths)
    order = np.lexsort((np.arange(len(rows)), inside, rows))
    keys = np.stack([rows[order], inside[order]], 1)
    first = np.ones(len(keys), bool)
    first[1:] = (keys[1:] != keys[:-1]).any(1)
    groups = np.append(np.flatnonzero(first), len(keys)).astype(splits.dtype)
    sorted_values = make_ragged(gather_rows(inner.values, to_tensor(order)), to_tensor(groups))
    reduced = _reduced(op, sorted_values, 1, False, rest)
    counts = np.bincount(keys[first, 0], minlength=len(outer_splits) - 1)
    new_splits = to_tensor(np.cumsum([0, *counts]).astype(splits.dtype))
    return make_ragged(reduced, new_splits)


@composite_rule(RaggedTensor, ["Size"])
def size_rule(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Tensor:
    """The number of values."""
    (value,) = inputs
    return apply(op, (value.flat_values,), attrs)


@composite_rule(RaggedTensor, ["Mean"])
def mean_rule(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Tensor:
    """`tf.reduce_mean`: the sum by the number of values; integers give float64."""
    (value,) = inputs
    add_up = REGISTRY["Sum"]
    count = value.with_flat(_ones(value.flat_values))
    total = reduce_rule(add_up, (value,), attrs)
    return truediv(total, reduce_rule(add_up, (count,), attrs))


def _ones(values: Tensor) -> Tensor:
    return to_tensor(np.ones(values.shape.as_list(), values.dtype.as_numpy_dtype))
