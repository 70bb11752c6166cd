"""Gradients of `ops/array/select.py`."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...ops.array.making import zeros_like
from ...ops.array.select import SELECT, where
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
