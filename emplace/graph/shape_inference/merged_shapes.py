"""Rules in graphs for ops whose inputs are of one shape: each tells what it knows of that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base.shapes import Dims, difference
from ...core.symbolic_value import SymbolicValue
from ...ops.infer import Spec


def _merged(shapes: Sequence[Dims | None]) -> Dims | None:
    """What is known of the shape that all of these are of.

    Raises:
        ValueError: they cannot be of one.
    """
    known = [dims for dims in shapes if dims is not None]
    if not known:
        return None
    merged = known[0]
    for dims in known[1:]:
        wrong = difference(merged, dims)
        if wrong is not None:
            raise ValueError(wrong)
        merged = tuple(b if a is None else a for a, b in zip(merged, dims, strict=True))
    return merged


def packed(*values: Spec, axis: int) -> Spec:
    """Tensors side by side along a new axis."""
    merged = _merged([value.dims for value in values])
    if merged is None:
        return Spec(None, values[0].dtype)
    rank = len(merged) + 1
    if not -rank <= axis < rank:
        raise ValueError(f"axis = {axis} not in [{-rank}, {rank})")
    axis %= rank
    return Spec((*merged[:axis], len(values), *merged[axis:]), values[0].dtype)


def added(*values: Spec) -> Spec:
    """A sum of tensors."""
    return Spec(_merged([value.dims for value in values]), values[0].dtype)


def concatenated(*values: Spec, axis: Any) -> Spec:
    """Tensors one after the other along an axis, in which alone they may differ."""
    shapes = [value.dims for value in values]
    dtype = values[0].dtype
    rank = next((len(dims) for dims in shapes if dims is not None), None)
    if rank is None:
        return Spec(None, dtype)
    if isinstance(axis, SymbolicValue):
        return Spec((None,) * rank, dtype)
    if not -rank <= axis < rank:
        raise ValueError(
            "ConcatOp : Expected concatenating dimensions in the range "
            f"[{-rank}, {rank}), but got {axis}"
        )
    axis %= rank
    open_there = [None if d is None else (*d[:axis], None, *d[axis + 1 :]) for d in shapes]
    merged = _merged(open_there) or ()
    sizes = [None if dims is None else dims[axis] for dims in shapes]
    total = None if None in sizes else sum(size or 0 for size in sizes)
    return Spec((*merged[:axis], total, *merged[axis + 1 :]), dtype)


MERGED: dict[str, Any] = {"Pack": packed, "AddN": added, "ConcatV2": concatenated}
