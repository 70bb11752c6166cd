"""Gradients of `ops/moving.py`: the way back."""

from __future__ import annotations

from typing import Any

from ..ops import moving as m
from ..ops.op import apply
from .rules import Recorded, gradient


@gradient(m.REVERSE)
def reverse_grad(call: Recorded, dy: Any) -> Any:
    """The other way round again."""
    return apply(m.REVERSE, (dy,), call.attrs)


@gradient(m.REVERSE_SEQUENCE)
def reverse_sequence_grad(call: Recorded, dy: Any) -> Any:
    """The other way round again."""
    return apply(m.REVERSE_SEQUENCE, (dy, call.inputs[1]), call.attrs), None


@gradient(m.ROLL)
def roll_grad(call: Recorded, dy: Any) -> Any:
    """As far in the other direction."""
    shift = tuple(-each for each in call.attrs["shift"])
    return apply(m.ROLL, (dy,), {"shift": shift, "axis": call.attrs["axis"]})


@gradient(m.SPACE_TO_BATCH)
def space_to_batch_grad(call: Recorded, dy: Any) -> Any:
    """Back into space, without the padding."""
    attrs = {"block_shape": call.attrs["block_shape"], "crops": call.attrs["paddings"]}
    return apply(m.BATCH_TO_SPACE, (dy,), attrs)


@gradient(m.BATCH_TO_SPACE)
def batch_to_space_grad(call: Recorded, dy: Any) -> Any:
    """Back into the batch, with zeros where it was cropped."""
    attrs = {"block_shape": call.attrs["block_shape"], "paddings": call.attrs["crops"]}
    return apply(m.SPACE_TO_BATCH, (dy,), attrs)
