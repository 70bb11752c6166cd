"""Parts of tensors and other shapes for them, without a copy."""

from __future__ import annotations

import math
from typing import Any

from ...base.typing import Axis
from ...ops.array.slicing import expanded_key
from .loop_values import Shape
from .maps import LoweredTensor, Unfit


def part(x: LoweredTensor, axis: Axis | None, begin: int, size: int) -> LoweredTensor:
    """Some places along the first or the last axis.

    Raises:
        Unfit: another axis, or no places.
    """
    rank = len(x.shape)
    if not isinstance(axis, int) or not rank or size <= 0:
        raise Unfit("a part")
    axis %= rank
    shape = (*x.shape[:axis], size, *x.shape[axis + 1 :])
    if axis == rank - 1:
        return LoweredTensor(x.view.part(begin, size), shape)
    if axis:
        raise Unfit("a part along an axis in the middle")
    rows = math.prod(x.shape[1:-1])  # per place
    offset = x.view.offset + begin * rows * x.view.row_step
    return LoweredTensor(x.view._replace(offset=offset, rows=size * rows), shape)


def sliced(x: LoweredTensor, key: Any) -> LoweredTensor:
    """What a key such as `[:, 2:4]` names.

    Raises:
        Unfit: it is not some places along the first and the last axis.
    """
    entries = expanded_key(key, len(x.shape))
    shape: list[int] = []
    for axis, entry in enumerate(entries):
        if entry[0] == "at" and axis == 0 and isinstance(entry[1], int):
            x = part(x, 0, entry[1] % x.shape[0], 1)
            continue
        if entry[0] != "slice" or not all(map(_is_plain, entry[1:])):
            raise Unfit("a slice")
        begin, end, step = slice(*entry[1:]).indices(x.shape[axis])
        if step != 1:
            raise Unfit("a slice with steps")
        if (begin, end) != (0, x.shape[axis]):
            x = part(x, axis, begin, end - begin)
        shape.append(x.shape[axis])
    wanted = (*shape, *x.shape[len(entries) :])
    return x if wanted == x.shape else reshaped(x, wanted)


def _is_plain(number: object) -> bool:
    return number is None or isinstance(number, int)


def reshaped(x: LoweredTensor, shape: Shape) -> LoweredTensor:
    """The same numbers in another shape.

    Raises:
        Unfit: they are not one after the other.
    """
    if not x.view.is_dense or math.prod(shape) != math.prod(x.shape):
        raise Unfit("a shape for parts")
    columns = shape[-1] if shape else 1
    rows = math.prod(shape[:-1])
    view = x.view._replace(rows=rows, columns=columns, row_step=columns)
    return LoweredTensor(view, shape)
