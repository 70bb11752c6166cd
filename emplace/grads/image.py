"""Gradients of `ops/image`."""

from __future__ import annotations

from typing import Any, NoReturn

from ..ops.image import boxes
from .rules import RULES, Recorded, not_differentiable

not_differentiable(
    boxes.PLAIN, boxes.V2, boxes.V3, boxes.V4, boxes.V5, boxes.WITH_OVERLAPS, boxes.COMBINED
)


def drawn_box_grad(call: Recorded, *dy: Any) -> NoReturn:
    """A box that is drawn: TensorFlow refuses as well.

    Raises:
        LookupError: always.
    """
    raise LookupError(f"gradient registry has no entry for: {call.op.name}")


# By its name: it is declared when a program first asks for it.
RULES["StatelessSampleDistortedBoundingBox"] = drawn_box_grad
