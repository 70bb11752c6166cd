"""Gradients of `ops/signal/fourier.py`."""

from __future__ import annotations

import math

from ..core.tensor import Tensor
from ..ops.math.elementwise import cast, multiply
from ..ops.op import Op, apply
from ..ops.signal.fourier import FFT, IFFT
from .rules import Recorded, gradient


def _by_inverse(forward: Op, backward: Op, axes: int, inverse: bool) -> None:
    @gradient(forward)
    def rule(call: Recorded, dy: Tensor) -> Tensor:
        count = math.prod(dy.shape.as_list()[-axes:])
        scale = 1.0 / count if inverse and count else float(count)
        return multiply(apply(backward, (dy,)), cast(scale, dy.dtype))


for _axes in FFT:
    _by_inverse(FFT[_axes], IFFT[_axes], _axes, inverse=False)
    _by_inverse(IFFT[_axes], FFT[_axes], _axes, inverse=True)
