"""Gradients of `ops/variables/resource.py`: the gradient of a read is that of the variable."""

from __future__ import annotations

from ..core.tensor import Tensor
from ..ops.variables import resource
from .rules import Recorded, gradient


@gradient(resource.READ_VARIABLE, takes_slices=True)
def read_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The value as it was."""
    return dy
