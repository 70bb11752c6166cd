"""Gradients of `ops/math/segment.py`; segments of picked rows have the generic one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.tensor import Tensor
from ...ops.array.gathering import gather
from ...ops.array.making import ones, ones_like, zeros_like
from ...ops.array.select import where
from ...ops.array.shaping import reshape
from ...ops.math import segment as s
from ...ops.math.elementwise import (
    cast,
    divide,
    equal,
    greater,
    greater_equal,
    logical_and,
    maximum,
)
from ..rules import Recorded, gradient


def _of_rows(call: Recorded, value: Tensor) -> Tensor:
    """To each row what its segment got; what rows without a segment get does not matter."""
    ids = call.inputs[1]
    if "num_segments" in call.attrs:
        ids = maximum(ids, 0)
    return zeros_like(call.inputs[0]) if value.shape[0] == 0 else gather(value, ids)


def _in_a_segment(call: Recorded) -> Any:
    """Whether a row is in a segment, in a shape that stretches to the rows; None if all are."""
    x, ids = call.inputs
    if "num_segments" not in call.attrs:
        return None
    dims = [*ids.shape.as_list(), *[1] * (x.shape.rank - ids.shape.rank)]
    return greater_equal(reshape(ids, dims), 0)


def _where_in_a_segment(call: Recorded, value: Tensor) -> Tensor:
    inside = _in_a_segment(call)
    return value if inside is None else where(inside, value, zeros_like(value))


def _summed(call: Recorded, rows: Tensor) -> Any:
    """The sums of rows over the same segments."""
    if "num_segments" in call.attrs:
        return s.unsorted_segment_sum(rows, call.inputs[1], call.attrs["num_segments"])
    return s.segment_sum(rows, call.inputs[1])


@gradient(s.SEGMENT_SUM, s.UNSORTED_SUM)
def sum_grad(call: Recorded, dy: Tensor) -> Any:
    """Every row gets the gradient of its sum."""
    return _where_in_a_segment(call, _of_rows(call, dy)), None


@gradient(s.SEGMENT_MEAN)
def mean_grad(call: Recorded, dy: Tensor) -> Any:
    """Every row gets its share of the gradient of its mean."""
    x, ids = call.inputs
    sizes = maximum(s.segment_sum(ones([x.shape[0], *[1] * (x.shape.rank - 1)], x.dtype), ids), 1)
    return _of_rows(call, divide(dy, sizes)), None


@gradient(s.SEGMENT_MAX, s.SEGMENT_MIN, s.UNSORTED_MAX, s.UNSORTED_MIN)
def extreme_grad(call: Recorded, dy: Tensor) -> Any:
    """Rows that equal the extreme share its gradient."""
    x = call.inputs[0]
    is_chosen = equal(x, _of_rows(call, call.outputs[0]))
    inside = _in_a_segment(call)
    if inside is not None:
        is_chosen = logical_and(is_chosen, inside)
    count = maximum(_summed(call, cast(is_chosen, x.dtype)), 1)
    return where(is_chosen, _of_rows(call, divide(dy, count)), zeros_like(x)), None


@gradient(s.SEGMENT_PROD)
def prod_grad(call: Recorded, dy: Tensor) -> Any:
    """The product of the other rows."""
    return _prod_grad(call, dy, lambda rows: s.segment_prod(rows, call.inputs[1]))


@gradient(s.UNSORTED_PROD)
def unsorted_prod_grad(call: Recorded, dy: Tensor) -> Any:
    """The product of the other rows."""
    ids, count = call.inputs[1], call.attrs["num_segments"]
    return _prod_grad(call, dy, lambda rows: s.unsorted_segment_prod(rows, ids, count))


def _prod_grad(call: Recorded, dy: Tensor, product: Callable[[Any], Any]) -> Any:
    """A quotient where the row is not 0; else the product of what is not, if only one is 0."""
    x = call.inputs[0]
    is_zero = equal(x, zeros_like(x))
    zeros = _summed(call, cast(is_zero, x.dtype.real_dtype))
    dy = where(greater(zeros, 1.0), zeros_like(dy), dy)
    others = where(is_zero, ones_like(x), x)
    without_zeros = _of_rows(call, product(others))
    quotient = divide(_of_rows(call, call.outputs[0]), others)
    partial = where(is_zero, without_zeros, quotient)
    return _where_in_a_segment(call, partial * _of_rows(call, dy)), None
