"""Samples of the elementwise and special functions that random numbers do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from emplace.base import dtypes
from emplace.ops.op import REGISTRY

from .makers import Sample, pairs, positive, real


def inside(*shape: int) -> Any:
    """Numbers between -0.9 and 0.9."""
    return real(*shape) * 0.45


def above_one(*shape: int) -> Any:
    return positive(*shape) + 1.0


class _BySteps(torch.autograd.Function):
    """An elementwise function that torch cannot differentiate, differentiated by small steps."""

    @staticmethod
    def forward(ctx: Any, f: Any, places: tuple[int, ...], *inputs: Any) -> Any:
        ctx.f, ctx.places = f, places
        ctx.save_for_backward(*inputs)
        return f(*inputs)

    @staticmethod
    def backward(ctx: Any, dy: Any) -> Any:
        inputs = ctx.saved_tensors
        grads: list[Any] = [None] * len(inputs)
        for i in ctx.places:
            slope = _BySteps.apply(_slope(ctx.f, i), ctx.places, *inputs)
            grads[i] = (dy * slope).sum_to_size(inputs[i].shape)
        return None, None, *grads


def _slope(f: Any, i: int) -> Any:
    """The derivative of f by its argument i, exact to the eighth order of the step."""
    step = 0.02

    def slope(*inputs: Any) -> Any:
        total = 0.0
        for n, weight in enumerate((4 / 5, -1 / 5, 4 / 105, -1 / 280), start=1):
            for sign in (1, -1):
                moved = [x + sign * n * step if k == i else x for k, x in enumerate(inputs)]
                total = total + sign * weight * f(*moved)
        return total / step

    return slope


def by_steps(name: str, *places: int) -> Any:
    def kernel(*inputs: Any) -> Any:
        return _BySteps.apply(REGISTRY[name].kernel, places, *inputs)

    return kernel


def _one(make: Any) -> list[Sample]:
    return [Sample((make(3, 4),)), Sample((make(),))]


BESSEL = (
    "BesselJ0", "BesselJ1", "BesselK0", "BesselK0e", "BesselK1", "BesselK1e", "BesselY0",
    "BesselY1",
)  # fmt: skip

SAMPLES: dict[str, list[Sample]] = {
    **{name: _one(inside) for name in ("Asin", "Acos", "Atanh", "Erfinv")},
    **{
        name: _one(positive) for name in ("Rsqrt", "Log1p", "Lgamma", "Digamma", "Spence", "Expint")
    },
    "Acosh": _one(above_one),
    "Ndtri": [Sample((np.array([0.1, 0.4, 0.77]),))],
    "Xlogy": pairs(positive),
    "Xlog1py": pairs(positive),
    "CheckNumerics": [Sample((real(2, 3),), {"message": "x"})],
    "CheckNumericsV2": [Sample((real(2, 3),), {"message": "x"})],
    "Complex": [Sample((real(2, 3), real(3)), {"Tout": dtypes.complex128})],
    **{name: _one(above_one) for name in BESSEL},
    "Polygamma": [
        Sample((np.array([1.0, 2.0, 3.0]), above_one(2, 3))),
        Sample((np.array(2.0), above_one())),
    ],
    "Zeta": [Sample((above_one(3) + 1.0, above_one(2, 1))), Sample((above_one(3), above_one(3)))],
    "Igamma": pairs(above_one),
    "Igammac": pairs(above_one),
    "Betainc": [Sample((above_one(2, 3), above_one(2, 3), 0.5 + inside(2, 3) * 0.3))],
}

# Torch has no derivative of these, or not by all the arguments by which TensorFlow has one.
FOR_AUTOGRAD: dict[str, Any] = {
    **{name: by_steps(name, 0) for name in BESSEL},
    "Polygamma": by_steps("Polygamma", 1),
    "Zeta": by_steps("Zeta", 1),
    "Igamma": by_steps("Igamma", 0, 1),
    "Igammac": by_steps("Igammac", 0, 1),
    "Betainc": by_steps("Betainc", 2),
}

# Their derivative has arguments that TensorFlow differentiates the one by and not the other.
NO_SECOND_ORDER = {"Igamma", "Igammac", "Zeta", "Betainc"}
