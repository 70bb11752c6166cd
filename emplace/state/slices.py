"""Tensors of checkpoints that are written and read in parts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.errors import OpError, invalid_argument
from ..ops.variables.slice_info import SaveSliceInfo

Array = np.ndarray[Any, Any]


def joined(names: Sequence[str], specs: Sequence[str], arrays: Sequence[Array]) -> dict[str, Array]:
    """Whole tensors by name, made of parts.

    Args:
        names: the name of each array; parts of a tensor have one name.
        specs: which part each is, as `SaveSliceInfo.spec` says, or ""; empty if all are whole.
        arrays: the values.

    Raises:
        InvalidArgumentError: parts lie in each other, do not fit, or do not make up the whole.
    """
    if not specs:
        return dict(zip(names, arrays, strict=True))
    found: dict[str, Array] = {}
    parts: dict[str, list[tuple[SaveSliceInfo, Array]]] = {}
    for name, spec, array in zip(names, specs, arrays, strict=True):
        if spec:
            parts.setdefault(name, []).append((_info(name, spec), array))
        elif name in found or name in parts:
            raise invalid_argument(f"{name} is there twice: once as a whole tensor.")
        else:
            found[name] = array
    for name, listed in parts.items():
        if name in found:
            raise invalid_argument(f"{name} is there twice: once as a whole tensor.")
        found[name] = _whole(name, listed)
    return found


def _whole(name: str, parts: Sequence[tuple[SaveSliceInfo, Array]]) -> Array:
    full: Any = parts[0][0].full_shape
    whole: Array = np.empty(full, parts[0][1].dtype)
    places: list[tuple[slice, ...]] = []
    for info, array in parts:
        if info.full_shape != full:
            raise invalid_argument(
                f"The parts of {name} are of shapes {full} and {info.full_shape}. All must be "
                "parts of one tensor."
            )
        place = _place(name, info)
        if list(array.shape) != info.var_shape:
            raise invalid_argument(
                f"The part {info.spec} of {name} has the shape {list(array.shape)}."
            )
        if any(_meet(place, other) for other in places):
            raise invalid_argument(f"The part {info.spec} of {name} lies in another part.")
        places.append(place)
        whole[place] = array
    count = sum(array.size for _, array in parts)
    if count != whole.size:
        raise invalid_argument(
            f"Does not have sufficient slices for partitioned tensor {name}: its parts have "
            f"{count} of {math.prod(full)} elements. Save all parts of a variable together."
        )
    return whole


def part_of(name: str, array: Array, spec: str) -> Array:
    """A part of a whole tensor, as `SaveSliceInfo.spec` says.

    Raises:
        InvalidArgumentError: it is one of a tensor of another shape.
    """
    info = _info(name, spec)
    if info.full_shape != list(array.shape):
        raise invalid_argument(
            f"tensor_name = {name}; shape in shape_and_slice spec {_text(info.full_shape)} does "
            f"not match the shape stored in checkpoint: {_text(list(array.shape))}"
        )
    return array[_place(name, info)].copy()


def _info(name: str, spec: str) -> Any:
    """What a spec says; a length of "-" is up to the end, a pair of "-" the whole axis."""
    sizes, _, parts = spec.rpartition(" ")
    pairs = parts.split(":")
    if len(pairs) == len(sizes.split()):
        pairs = [
            f"0,{size}" if pair == "-" else pair
            for pair, size in zip(pairs, sizes.split(), strict=True)
        ]
    try:
        return SaveSliceInfo.from_spec(f"{sizes} {':'.join(pairs)}")
    except ValueError as error:
        raise _no_spec(name, spec, str(error)) from None


def _no_spec(name: str, spec: str, why: str) -> OpError:
    return invalid_argument(
        f"tensor_name = {name}; shape_and_slice spec {spec!r} says no part of a tensor: {why}"
    )


def _place(name: str, info: SaveSliceInfo) -> tuple[slice, ...]:
    full: Any = info.full_shape
    begins: Any = info.var_offset
    lengths: Any = info.var_shape
    if not len(full) == len(begins) == len(lengths):
        raise _no_spec(name, info.spec, "its shape and its part differ in rank")
    for size, begin, length in zip(full, begins, lengths, strict=True):
        if begin < 0 or length < 0 or begin + length > size:
            raise _no_spec(name, info.spec, "the part is outside of the tensor")
    return tuple(slice(b, b + n) for b, n in zip(begins, lengths, strict=True))


def _meet(a: tuple[slice, ...], b: tuple[slice, ...]) -> bool:
    return all(x.start < y.stop and y.start < x.stop for x, y in zip(a, b, strict=True))


def _text(shape: Sequence[int]) -> str:
    return f"[{','.join(map(str, shape))}]"
