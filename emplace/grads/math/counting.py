"""Gradients of `ops/math/counting.py`: bincount has the generic one, counts of floats have none."""

from __future__ import annotations

from ...ops.math import counting
from ..rules import not_differentiable

not_differentiable(counting.HISTOGRAM)
