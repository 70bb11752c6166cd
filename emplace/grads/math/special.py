"""Gradients of `ops/math/special.py` and `ops/debugging/checks.py`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...core.tensor import Tensor
from ...ops.array.making import ones_like, zeros_like
from ...ops.array.select import where
from ...ops.debugging import checks
from ...ops.math import special as s
from ...ops.math.elementwise import (
    equal,
    exp,
    less,
    log,
    multiply,
    negative,
    reciprocal,
    sign,
    square,
    subtract,
)
from ...ops.math.guarded import xlog1py, xlogy
from ...ops.math.trigonometry import cos, sin
from ...ops.op import Op, apply
from ..rules import Recorded, gradient, not_differentiable, unbroadcast

not_differentiable(s.IGAMMA_GRAD_A)

_Derivative = Callable[[Any, Any], Any]


def _scaled(value: Tensor, factor: float) -> Tensor:
    """A tensor times a number."""
    return value * factor


def _at(mask: Tensor, value: float, other: Tensor) -> Tensor:
    """A number where the mask is True."""
    return where(mask, ones_like(other) * value, other)


def _safe_ratio(y: Tensor, x: Tensor) -> Tensor:
    """y / x, and y where x is 0: what is chosen away there must not be NaN."""
    return y / _at(equal(x, zeros_like(x)), 1.0, x)


# The derivative of each function of one argument, from x and y = f(x).
_DERIVATIVES: dict[Op, _Derivative] = {
    s.ERF: lambda x, y: _scaled(exp(negative(square(x))), 2 / math.sqrt(math.pi)),
    s.ERFC: lambda x, y: _scaled(exp(negative(square(x))), -2 / math.sqrt(math.pi)),
    s.ERFINV: lambda x, y: _scaled(exp(square(y)), math.sqrt(math.pi) / 2),
    s.NDTRI: lambda x, y: _scaled(exp(_scaled(square(y), 0.5)), math.sqrt(2 * math.pi)),
    s.LGAMMA: lambda x, y: s.digamma(x),
    s.DIGAMMA: lambda x, y: s.polygamma(ones_like(x), x),
    s.BESSEL_I0: lambda x, y: s.bessel_i1(x),
    s.BESSEL_I0E: lambda x, y: subtract(s.bessel_i1e(x), multiply(sign(x), y)),
    s.BESSEL_I1: lambda x, y: _at(
        equal(x, zeros_like(x)), 0.5, subtract(s.bessel_i0(x), _safe_ratio(y, x))
    ),
    s.BESSEL_I1E: lambda x, y: _at(
        equal(x, zeros_like(x)),
        0.5,
        subtract(s.bessel_i0e(x), multiply(y, sign(x) + _safe_ratio(ones_like(x), x))),
    ),
    s.BESSEL_J0: lambda x, y: negative(s.bessel_j1(x)),
    s.BESSEL_J1: lambda x, y: _at(
        equal(x, zeros_like(x)), 0.5, subtract(s.bessel_j0(x), _safe_ratio(y, x))
    ),
    s.BESSEL_K0: lambda x, y: negative(s.bessel_k1(x)),
    s.BESSEL_K0E: lambda x, y: subtract(y, s.bessel_k1e(x)),
    s.BESSEL_K1: lambda x, y: subtract(negative(s.bessel_k0(x)), y / x),
    s.BESSEL_K1E: lambda x, y: subtract(multiply(y, 1.0 - reciprocal(x)), s.bessel_k0e(x)),
    s.BESSEL_Y0: lambda x, y: negative(s.bessel_y1(x)),
    s.BESSEL_Y1: lambda x, y: subtract(s.bessel_y0(x), y / x),
    s.DAWSN: lambda x, y: 1.0 - _scaled(multiply(x, y), 2.0),
    s.EXPINT: lambda x, y: exp(x) / x,
    s.FRESNEL_COS: lambda x, y: cos(_scaled(square(x), math.pi / 2)),
    s.FRESNEL_SIN: lambda x, y: sin(_scaled(square(x), math.pi / 2)),
    s.SPENCE: lambda x, y: _at(
        equal(x, ones_like(x)), -1.0, log(x) / _at(equal(x, ones_like(x)), 1.0, 1.0 - x)
    ),
}


def _rule(derivative: _Derivative) -> Callable[..., Any]:
    def rule(call: Recorded, dy: Tensor) -> Tensor:
        return multiply(dy, derivative(call.inputs[0], call.outputs[0]))

    return rule


for _op, _derivative in _DERIVATIVES.items():
    gradient(_op)(_rule(_derivative))


@gradient(s.POLYGAMMA)
def polygamma_grad(call: Recorded, dy: Tensor) -> Any:
    """The next derivative; the order has none."""
    a, x = call.inputs
    if not call.needs(1):
        return None, None
    return None, unbroadcast(multiply(dy, s.polygamma(a + 1.0, x)), x)


@gradient(s.ZETA)
def zeta_grad(call: Recorded, dy: Tensor) -> Any:
    """The exponent has no gradient in TensorFlow."""
    x, q = call.inputs
    if not call.needs(1):
        return None, None
    return None, unbroadcast(multiply(dy, negative(x) * s.zeta(x + 1.0, q)), q)


def _gamma_density(a: Tensor, x: Tensor) -> Tensor:
    density = exp(subtract(subtract(xlogy(a - 1.0, x), x), s.lgamma(a)))
    return _at(less(x, zeros_like(x)), math.nan, density)


def _igamma_grads(call: Recorded, dy: Tensor) -> Any:
    a, x = call.inputs
    da = dx = None
    if call.needs(0):
        da = unbroadcast(multiply(dy, apply(s.IGAMMA_GRAD_A, (a, x))), a)
    if call.needs(1):
        dx = unbroadcast(multiply(dy, _gamma_density(a, x)), x)
    return da, dx


@gradient(s.IGAMMA)
def igamma_grad(call: Recorded, dy: Tensor) -> Any:
    """The lower incomplete gamma function."""
    return _igamma_grads(call, dy)


@gradient(s.IGAMMAC)
def igammac_grad(call: Recorded, dy: Tensor) -> Any:
    """1 - the lower one."""
    return _igamma_grads(call, negative(dy))


@gradient(s.BETAINC)
def betainc_grad(call: Recorded, dy: Tensor) -> Any:
    """By x alone, as in TensorFlow."""
    if not call.needs(2):
        return None, None, None
    a, b, x = call.inputs
    log_beta = s.lgamma(a) + s.lgamma(b) - s.lgamma(a + b)
    density = exp(xlog1py(b - 1.0, negative(x)) + xlogy(a - 1.0, x) - log_beta)
    return None, None, unbroadcast(multiply(dy, density), x)


@gradient(checks.CHECK_NUMERICS, checks.CHECK_NUMERICS_V2)
def check_numerics_grad(call: Recorded, dy: Tensor) -> Tensor:
    """Checked as well."""
    text = "Not a number (NaN) or infinity (Inf) values detected in gradient. "
    return checks.check_numerics(dy, text + call.attrs["message"])
