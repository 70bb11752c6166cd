"""Gradients of `ops/space.py`: each op is undone by another one."""

from __future__ import annotations

from typing import Any

from ..ops import space
from ..ops.op import apply
from .rules import Recorded, gradient


@gradient(space.SPACE_TO_DEPTH)
def space_to_depth_grad(call: Recorded, dy: Any) -> Any:
    """The blocks go back."""
    return apply(space.DEPTH_TO_SPACE, (dy,), call.attrs)


@gradient(space.DEPTH_TO_SPACE)
def depth_to_space_grad(call: Recorded, dy: Any) -> Any:
    """The blocks go back."""
    return apply(space.SPACE_TO_DEPTH, (dy,), call.attrs)
