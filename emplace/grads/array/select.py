"""Gradients of `ops/array/select.py`."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...ops.array.making import zeros_like
from ...ops.array.select import SELECT, SELECT_WHOLE, where
from ...ops.op import apply
from ..rules import Recorded, gradient, unbroadcast


@gradient(SELECT)
def select_grad(call: Recorded, dy: Tensor) -> Any:
    """Each side gets what was chosen from it."""
    condition, x, y = call.inputs
    nothing = zeros_like(dy)
    return (
        None,
        unbroadcast(where(condition, dy, nothing), x) if call.needs(1) else None,
        unbroadcast(where(condition, nothing, dy), y) if call.needs(2) else None,
    )


@gradient(SELECT_WHOLE)
def select_whole_grad(call: Recorded, dy: Tensor) -> Any:
    """The same where nothing stretches."""
    condition = call.inputs[0]
    nothing = zeros_like(dy)
    return (
        None,
        apply(SELECT_WHOLE, (condition, dy, nothing)) if call.needs(1) else None,
        apply(SELECT_WHOLE, (condition, nothing, dy)) if call.needs(2) else None,
    )
