"""Gradients of `ops/gathering.py`."""

from __future__ import annotations

from ..ops.gathering import WHERE
from .rules import not_differentiable

not_differentiable(WHERE)
