"""Gradients of `ops/math/cumulative.py`; cumulative_logsumexp has the generic one."""

from __future__ import annotations

from ...core.tensor import Tensor
from ...ops.array.making import ones_like, zeros_like
from ...ops.array.select import where
from ...ops.math import cumulative as c
from ...ops.math.elementwise import divide, equal, multiply
from ..rules import Recorded, gradient


def _back(call: Recorded, value: Tensor) -> Tensor:
    """Sums in the other direction: of all places that an element went into."""
    attrs = call.attrs
    return c.cumsum(
        value, attrs["axis"], attrs.get("exclusive", False), not attrs.get("reverse", False)
    )


@gradient(c.CUMSUM)
def cumsum_grad(call: Recorded, dy: Tensor) -> Tensor:
    """Every element gets the gradients of all sums it is in."""
    return _back(call, dy)


@gradient(c.CUMPROD)
def cumprod_grad(call: Recorded, dy: Tensor) -> Tensor:
    """Products without one element, as quotients; TensorFlow says 0 where the element is 0."""
    x = call.inputs[0]
    is_zero = equal(x, zeros_like(x))
    total = _back(call, multiply(call.outputs[0], dy))
    quotient = divide(total, where(is_zero, ones_like(x), x))
    return where(is_zero, zeros_like(x), quotient)
