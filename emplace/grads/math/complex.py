"""Gradients of `ops/math/complex.py`."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...ops.array.making import zeros_like
from ...ops.math import complex as c
from ...ops.math.elementwise import cast, divide, multiply, square
from ..rules import Recorded, gradient, unbroadcast


@gradient(c.COMPLEX)
def complex_grad(call: Recorded, dy: Tensor) -> Any:
    """Each part gets the gradient of its part."""
    real, imag = call.inputs
    return (
        unbroadcast(c.real(dy), real) if call.needs(0) else None,
        unbroadcast(c.imag(dy), imag) if call.needs(1) else None,
    )


@gradient(c.REAL)
def real_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The real part."""
    return c.complex(dy, zeros_like(dy))


@gradient(c.IMAG)
def imag_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The imaginary part."""
    return c.complex(zeros_like(dy), dy)


@gradient(c.ANGLE)
def angle_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The angle: at right angles to the number, and less the larger it is."""
    x = call.inputs[0]
    size = square(c.real(x)) + square(c.imag(x))
    turned = c.complex(-c.imag(x), c.real(x))
    return divide(multiply(cast(dy, x.dtype), turned), cast(size, x.dtype))
