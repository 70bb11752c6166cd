"""Jacobians: one walk backwards per element of the target, stacked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..base.dtypes import DType
from ..base.late_binding import LateBinding
from ..base.typing import TensorLike
from ..core.tensor import Tensor
from ..ops.array.joining import concat, stack
from ..ops.array.making import range_, zeros_like
from ..ops.array.shaping import reshape, shape, transpose
from ..ops.convert import to_tensor
from ..ops.math.elementwise import cast, equal

Walk = Callable[[Any], Sequence[Any]]


def jacobian(walk: Walk, target: Tensor, sources: Sequence[Any]) -> list[Any]:
    """The derivative of each element of `target` for each element of each source.

    Args:
        walk: the gradients of the sources for a gradient of `target`.
        target: a tensor.
        sources: tensors or variables.

    Returns:
        Per source a tensor of the target's shape and then the source's, or None.
    """
    size = target.shape.num_elements()
    count = shape(reshape(target, [-1]))[0] if size is None else size

    def row(i: int) -> Sequence[Any]:
        return walk(reshape(_one_at(i, count, target.dtype), shape(target)))

    return [_shaped(rows, [target, x]) for rows, x in zip(_rows(row, count), sources, strict=True)]


def batch_jacobian(walk: Walk, target: Any, source: Any) -> Any:
    """The jacobian of each part of a batch; parts must not depend on each other.

    Returns:
        A tensor of shape (batch, *target's rest, *source's rest), or None.
    """
    size = target.shape[1:].num_elements()
    batch = shape(target)[:1]
    flat = reshape(target, concat([batch, [-1 if size is None else size]], 0))
    count = shape(flat)[1] if size is None else size

    def row(i: int) -> Sequence[Any]:
        # One column of every part at once.
        seed = _one_at(i, count, target.dtype) + zeros_like(flat)
        return walk(reshape(seed, shape(target)))

    (rows,) = _rows(row, count)
    if rows is None:
        return None
    rest = [shape(target)[1:], shape(source)[1:]]
    columns = reshape(rows, concat([shape(rows)[:2], [-1]], 0))  # column, part, source
    return reshape(transpose(columns, [1, 0, 2]), concat([batch, *rest], 0))


def _one_at(i: int, count: TensorLike, dtype: DType) -> Any:
    """A vector of zeros with a one in one place."""
    return cast(equal(range_(count), i), dtype)


def _shaped(rows: object, parts: Sequence[Any]) -> Any:
    return None if rows is None else reshape(rows, concat([shape(part) for part in parts], 0))


def _rows(row: Callable[[Any], Sequence[Any]], count: object) -> list[Any]:
    """What `row` makes of each number below `count`, stacked."""
    if not isinstance(count, int):
        return OPEN_ROWS.call(row, count)
    made = [row(i) for i in range(count)]
    if not made:
        return [None if each is None else stack([to_tensor(each)])[:0] for each in row(0)]
    return [
        None if parts[0] is None else stack([to_tensor(part) for part in parts])
        for parts in zip(*made, strict=True)
    ]


#: Rows of which only a graph knows how many there are: what makes one, and their number.
OPEN_ROWS: LateBinding[[Callable[[Any], Sequence[Any]], Any], list[Any]] = LateBinding(
    "make rows whose number only a graph knows", "graph/control_flow/gradients/hessians.py"
)
