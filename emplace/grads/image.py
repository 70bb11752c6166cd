"""Gradients of `ops/image`."""

from __future__ import annotations

from ..ops.image import boxes
from .rules import not_differentiable

not_differentiable(
    boxes.PLAIN, boxes.V2, boxes.V3, boxes.V4, boxes.V5, boxes.WITH_OVERLAPS, boxes.COMBINED
)
