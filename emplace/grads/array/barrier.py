"""Gradients of `ops/array/barrier.py`: there are none, which is what it is for."""

from __future__ import annotations

from ...ops.array import barrier
from ..rules import not_differentiable

not_differentiable(barrier.STOP_GRADIENT)
