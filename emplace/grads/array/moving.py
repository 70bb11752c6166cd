"""Gradients of `ops/array/moving.py`: the way back."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...ops.array import moving as m
from ...ops.op import apply
from ..rules import Recorded, gradient


@gradient(m.REVERSE)
def reverse_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The other way round again."""
    return apply(m.REVERSE, (dy,), call.attrs)


@gradient(m.REVERSE_SEQUENCE)
def reverse_sequence_grad(call: Recorded, dy: Tensor) -> Any:
    """The other way round again."""
    return apply(m.REVERSE_SEQUENCE, (dy, call.inputs[1]), call.attrs), None


@gradient(m.ROLL)
def roll_grad(call: Recorded, dy: Tensor) -> Tensor:
    """As far in the other direction."""
    shift = tuple(-each for each in call.attrs["shift"])
    return apply(m.ROLL, (dy,), {"shift": shift, "axis": call.attrs["axis"]})
