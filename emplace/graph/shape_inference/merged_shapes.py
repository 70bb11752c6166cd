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
    known = [value.dims for value in values if value.dims is not None]
    dtype = values[0].dtype
    if not known:
        return Spec(None, dtype)
    rank = len(known[0])
    other = next((len(dims) for dims in known if len(dims) != rank), None)
    if other is not None:
        raise ValueError(f"Shape must be rank {rank} but is rank {other}")
    if rank == 0:
        raise ValueError("Can't concatenate scalars (use tf.stack instead)")
    if isinstance(axis, SymbolicValue):
        return Spec((None,) * rank, dtype)
    if not -rank <= axis < rank:
        least = axis + 1 if axis >= 0 else -axis
        raise ValueError(f"Shape must be at least rank {least} but is rank {rank}")
    axis %= rank
    before = _merged([dims[:axis] for dims in known]) or ()
    after = _merged([dims[axis + 1 :] for dims in known]) or ()
    sizes = [None if value.dims is None else value.dims[axis] for value in values]
    total = None if None in sizes else sum(size or 0 for size in sizes)
    return Spec((*before, total, *after), dtype)


def chosen(condition: Spec, x: Spec, y: Spec) -> Spec:
    """One of two tensors, or of each of their rows or elements."""
    dims, wanted = _merged([x.dims, y.dims]), condition.dims
    if dims is not None and wanted:
        if len(wanted) == 1 and dims:
            dims = (*(_merged([wanted, dims[:1]]) or ()), *dims[1:])
        else:
            dims = _merged([dims, wanted])
    return Spec(dims, x.dtype)


MERGED: dict[str, Any] = {
    "Pack": packed, "AddN": added, "ConcatV2": concatenated, "Select": chosen,
}  # fmt: skip
