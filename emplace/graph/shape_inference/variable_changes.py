"""Changes of variables that do not fit them, which a graph refuses where it is built."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base.dtypes import runtime_name
from ...base.shapes import Dims, difference, runtime_text

_WHOLE = frozenset(("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"))
_ROWS = "ResourceScatter"
_PLACES = "ResourceScatterNd"


def wrong_change(name: str, given: Sequence[Any]) -> str | None:
    """What TensorFlow says of a change that does not fit its variable; None if it may fit.

    Args:
        name: of the op.
        given: its symbolic inputs, the variable's handle first.
    """
    is_whole = name in _WHOLE
    if not is_whole and not name.startswith(_ROWS):
        return None
    known = given[0].handle_data
    shape = None if known is None else known.dims
    if is_whole:
        if known is not None and given[1].dtype is not known.dtype:
            return (
                f"Trying to read variable with wrong dtype. Expected {runtime_name(known.dtype)} "
                f"got {runtime_name(given[1].dtype)}"
            )
        value = given[1].dims
        return None if shape is None or value is None else difference(shape, value)
    indices, updates = given[1].dims, given[2].dims
    if indices is None or updates is None:
        return None
    check = _places if name.startswith(_PLACES) else _rows
    return check(shape, indices, updates)


def _rows(shape: Dims | None, indices: Dims, updates: Dims) -> str | None:
    if not updates or shape is None:
        return None
    return difference(updates, (*indices, *shape[1:]))


def _places(shape: Dims | None, indices: Dims, updates: Dims) -> str | None:
    if not updates or not indices:
        return "Shape must be at least rank 1 but is rank 0"
    outer, depth = len(indices) - 1, indices[-1]
    wrong = difference(indices[:-1], updates[:outer])
    if wrong:
        return (
            f"Dimensions [0,{outer}) of indices[shape={runtime_text(indices)}] = "
            f"{runtime_text(indices[:-1])} must match dimensions [0,{outer}) of "
            f"updates[shape={runtime_text(updates)}] = {runtime_text(updates[:outer])}: {wrong}"
        )
    if shape is None or depth is None:
        return None
    wrong = difference(shape[depth:], updates[outer:])
    if not wrong:
        return None
    return (
        f"Dimensions [{depth},{len(shape)}) of input[shape={runtime_text(shape)}] = "
        f"{runtime_text(shape[depth:])} must match dimensions [{outer},{len(updates)}) of "
        f"updates[shape={runtime_text(updates)}] = {runtime_text(updates[outer:])}: {wrong}"
    )
