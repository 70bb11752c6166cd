"""What stands in x[...] where tensors behave like NumPy's arrays: arrays of places, and masks."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ...base import dtypes
from ...core.tensor import AnyTensor, Tensor
from ..array import gathering, making, shaping, slicing
from ..array.joining import concat, stack
from ..array.select import where
from ..deferred import deferrable
from ..math import elementwise
from ..math.elementwise import cast
from .arrays import nonzero
from .types import as_array

_WHOLE = slice(None)


def getitem(x: Any, key: Any) -> Any:
    """x[key], as NumPy indexes: sequences and arrays pick places, arrays of bools are masks.

    Raises:
        IndexError: something is no place, slice or mask.
        ValueError: a mask is a scalar.
        InvalidArgumentError: a place is out of range.
    """
    is_list = isinstance(key, list) and any(map(_is_structure, key))
    parts = tuple(key) if is_list or isinstance(key, tuple) else (key,)
    for each in parts:
        _check_part(each)
    if not any(_picks(each) for each in parts):
        return slicing.getitem(x, parts if is_list else key)
    return _picked(x, *parts)


def _is_structure(part: object) -> bool:
    """Whether a list with such a part is a key of several parts. TF: as NumPy had it once."""
    if part is None or part is Ellipsis or isinstance(part, (slice, list, tuple)):
        return True
    if isinstance(part, np.ndarray):
        return part.ndim > 0
    return isinstance(part, AnyTensor) and part.shape.rank != 0  # type: ignore[attr-defined]


def _refuse(part: object) -> None:
    raise IndexError(
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
        f"boolean arrays are valid indices, got {part!r}"
    )


def _check_part(part: Any) -> None:
    if isinstance(part, (np.ndarray, np.generic)):
        is_wrong = part.dtype.kind not in "iub"
    elif isinstance(part, AnyTensor):
        is_wrong = not _tells_places(part)
    else:
        is_wrong = isinstance(part, (float, complex, str, bytes))
    if is_wrong:
        _refuse(part)


def _tells_places(tensor: Any) -> bool:
    return bool(tensor.dtype.is_integer or tensor.dtype.is_bool)


def _picks(part: object) -> bool:
    """Whether a part of a key is an array, and no place, slice, None or `...`."""
    if isinstance(part, AnyTensor):  # variables too
        tensor: Any = part
        return bool(tensor.dtype.is_bool or tensor.shape.rank != 0)
    return isinstance(part, (list, tuple, bool, np.bool_)) or (
        isinstance(part, np.ndarray) and (part.ndim > 0 or part.dtype == bool)
    )


@deferrable
def _picked(x: Tensor, *parts: Any) -> Any:
    places = [part for each in parts for part in _as_places(each)]
    key = _spread(places, x.shape.rank)
    arrays = [i for i, part in enumerate(key) if _picks(part)]
    basic = tuple(_WHOLE if i in arrays else part for i, part in enumerate(key))
    rest = slicing.getitem(x, basic)
    # Numbers take their axis away before arrays pick places, which NumPy counts as arrays too.
    axes = [i - sum(map(_is_number, key[:i])) for i in arrays]
    return _gathered(rest, [key[i] for i in arrays], axes, _are_apart(places))


def _are_apart(places: list[Any]) -> bool:
    """Whether `...` stands between arrays: then they are apart even if it stands for no axis."""
    where_rest = next((i for i, part in enumerate(places) if part is Ellipsis), len(places))
    return any(map(_picks, places[:where_rest])) and any(map(_picks, places[where_rest:]))


def _as_places(part: object) -> Any:
    """Arrays as tensors of places, masks as those of their Trues: one per axis."""
    if not _picks(part):
        return [part]
    value = as_array(np.asarray(part) if isinstance(part, (list, tuple)) and not part else part)
    if not _tells_places(value) and value.shape.num_elements() != 0:
        _refuse(part)
    if value.dtype is not dtypes.bool_:
        return [cast(value, dtypes.int64)]
    if not value.shape.rank:
        raise ValueError("mask cannot be scalar.")
    return nonzero(value)


def _spread(places: list[Any], rank: int) -> list[Any]:
    """A part per axis of x, and the Nones between them."""
    key = list(places)
    axes = sum(part is not None and part is not Ellipsis for part in key)
    rest = [_WHOLE] * (rank - axes)
    where_rest = next((i for i, part in enumerate(key) if part is Ellipsis), len(key))
    key[where_rest : where_rest + 1] = rest
    return key


def _is_number(part: object) -> bool:
    return part is not None and not isinstance(part, slice) and not _picks(part)


def _gathered(value: Tensor, places: list[Tensor], axes: list[int], are_apart: bool) -> Any:
    """Elements by their places along some axes; new axes stand where those stood, or in front."""
    rank = value.shape.rank
    others = [i for i in range(rank) if i not in axes]
    moved = shaping.transpose(value, [*axes, *others])
    # Sums with zeros stretch all of them to one shape, known or not.
    zeros = functools.reduce(elementwise.add, [elementwise.subtract(p, p) for p in places])
    known = [
        elementwise.add(_from_start(each, value.shape[axis]), zeros)
        for each, axis in zip(places, axes, strict=True)
    ]
    made = _elements(moved, known, zeros)
    if are_apart or axes != list(range(axes[0], axes[0] + len(axes))) or axes[0] == 0:
        return made
    count, first = zeros.shape.rank, axes[0]
    order = [
        *range(count, count + first), *range(count), *range(count + first, count + len(others)),
    ]  # fmt: skip
    return shaping.transpose(made, order)


def _elements(moved: Tensor, places: list[Any], zeros: Tensor) -> Any:
    """Elements by their places along the first axes."""
    sizes = moved.shape.as_list()
    rest = sizes[len(places) :]
    if 0 in rest and 0 not in sizes[: len(places)]:  # which `gather_nd` refuses
        return making.zeros(concat([shaping.shape(zeros), as_array(rest, dtypes.int32)], 0),
                            moved.dtype)  # fmt: skip
    return gathering.gather_nd(moved, stack(places, -1))


def _from_start(places: Tensor, size: int) -> Any:
    zero = as_array(0, places.dtype)
    whole = as_array(size, places.dtype)
    return where(elementwise.less(places, zero), elementwise.add(places, whole), places)
