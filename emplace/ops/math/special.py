"""Special functions: error functions, gamma functions, Bessel functions and integrals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from .. import infer
from ..convert import matched, tensors, to_tensor, unary
from ..infer import Spec, shape_only
from ..op import Op, apply, op
from .elementwise import multiply, negative, subtract
from .integrals import (
    betainc_kernel,
    dawsn_kernel,
    expint_kernel,
    fresnel_cos_kernel,
    fresnel_sin_kernel,
    igamma_grad_a_kernel,
    spence_kernel,
)
from .reduction import reduce_sum


def _unary(name: str, kernel: Callable[..., Any], unsupported_types: tuple[Any, ...] = ()) -> Op:
    return op(
        name,
        "x: T -> y: T",
        kernel,
        infer.same,
        T=dtypes.FLOATS,
        unsupported_types=unsupported_types,
    )


def digamma_kernel(x: torch.Tensor) -> torch.Tensor:
    """Torch's, which has infinities at zeros, where it tells +0 from -0."""
    return torch.digamma(x).masked_fill_(x == 0, torch.nan)


def zeta_kernel(x: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    """Torch's, which has infinities for NaN and at poles whose sides differ in sign, and no zeros
    where x or q is infinite.
    """
    is_pole = (q <= 0) & (q == torch.floor(q))
    is_pole_of_two_signs = is_pole & (torch.remainder(x, 2) != 0) & (x != 1) & ~x.isinf()
    is_nothing = (torch.isposinf(q) & (x > 1)) | (torch.isposinf(x) & (q > 1))
    value = torch.where(is_nothing, 0.0, torch.special.zeta(x, q))
    return value.masked_fill(x.isnan() | is_pole_of_two_signs, torch.nan)


def polygamma_kernel(a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """The a-th derivative of digamma, by the zeta function."""
    whole = (a == torch.floor(a)) & (a >= 0)
    order = torch.where(whole, a, 1.0)
    sign = 1 - 2 * torch.remainder(order + 1, 2)
    value = sign * torch.exp(torch.lgamma(order + 1)) * zeta_kernel(order + 1, x)
    return torch.where(whole, torch.where(order == 0, digamma_kernel(x), value), torch.nan)


def _of_positive(name: str, kernel: Callable[..., torch.Tensor], elsewhere: float) -> Op:
    """A function of positive numbers, with TensorFlow's value for the others."""

    def whole(x: torch.Tensor) -> torch.Tensor:
        return kernel(x).masked_fill_(x <= 0, elsewhere)

    return _unary(name, whole, (dtypes.bfloat16,))


def _is_undefined(a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return ~((a > 0) & (x >= 0))  # so for NaN


def igamma_kernel(a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Torch's, which has numbers where a is NaN or at most 0, and none at two infinities."""
    found = torch.special.gammainc(a, x).masked_fill(_is_undefined(a, x), torch.nan)
    return torch.where((x == 0) | (torch.isposinf(a) & torch.isposinf(x)), 0.0, found)


def igammac_kernel(a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """As `igamma_kernel`; what is undefined is so at x = 0 too."""
    found = torch.special.gammaincc(a, x)
    found = torch.where(torch.isposinf(x), 0.0, found)
    return found.masked_fill(_is_undefined(a, x), torch.nan)


def _betainc_spec(a: Spec, b: Spec, x: Spec) -> Spec:
    shaped = [each for each in (a, b, x) if each.dims != ()]
    if any(each.dims != shaped[0].dims for each in shaped):
        first, other = shaped[0], next(s for s in shaped if s.dims != shaped[0].dims)
        raise invalid_argument(
            f"Shapes of a and b are inconsistent: {runtime_text(first.dims or ())} vs. "
            f"{runtime_text(other.dims or ())}"
        )
    return shaped[0] if shaped else a


def checked_betainc_kernel(a: torch.Tensor, b: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """The incomplete beta function; shapes are equal or scalar."""
    _betainc_spec(*map(shape_only, (a, b, x)))
    return betainc_kernel(a, b, x)


ERF = _unary("Erf", torch.erf)
ERFC = _unary("Erfc", torch.erfc)
ERFINV = _unary("Erfinv", torch.erfinv, dtypes.HALVES)
NDTRI = _unary("Ndtri", torch.special.ndtri, dtypes.HALVES)
LGAMMA = _unary("Lgamma", torch.lgamma, (dtypes.bfloat16,))
DIGAMMA = _unary("Digamma", digamma_kernel, (dtypes.bfloat16,))
POLYGAMMA = op("Polygamma", "a: T, x: T -> z: T", polygamma_kernel, infer.broadcast, T=dtypes.WIDE)
ZETA = op("Zeta", "x: T, q: T -> z: T", zeta_kernel, infer.broadcast, T=dtypes.WIDE)
IGAMMA = op(
    "Igamma", "a: T, x: T -> z: T", igamma_kernel, infer.broadcast, T=dtypes.FLOATS,
    unsupported_types=dtypes.HALVES,
)  # fmt: skip
IGAMMAC = op(
    "Igammac", "a: T, x: T -> z: T", igammac_kernel, infer.broadcast, T=dtypes.FLOATS,
    unsupported_types=dtypes.HALVES,
)  # fmt: skip
IGAMMA_GRAD_A = op(
    "IgammaGradA", "a: T, x: T -> z: T", igamma_grad_a_kernel, infer.broadcast, T=dtypes.WIDE
)
BETAINC = op(
    "Betainc", "a: T, b: T, x: T -> z: T", checked_betainc_kernel, _betainc_spec, T=dtypes.WIDE
)

BESSEL_I0 = _unary("BesselI0", torch.special.i0, (dtypes.bfloat16,))
BESSEL_I0E = _unary("BesselI0e", torch.special.i0e, (dtypes.bfloat16,))
BESSEL_I1 = _unary("BesselI1", torch.special.i1, (dtypes.bfloat16,))
BESSEL_I1E = _unary("BesselI1e", torch.special.i1e, (dtypes.bfloat16,))
BESSEL_J0 = _unary("BesselJ0", torch.special.bessel_j0, (dtypes.bfloat16,))
BESSEL_J1 = _unary("BesselJ1", torch.special.bessel_j1, (dtypes.bfloat16,))
BESSEL_K0 = _of_positive("BesselK0", torch.special.modified_bessel_k0, torch.inf)
BESSEL_K0E = _of_positive("BesselK0e", torch.special.scaled_modified_bessel_k0, torch.inf)
BESSEL_K1 = _of_positive("BesselK1", torch.special.modified_bessel_k1, torch.inf)
BESSEL_K1E = _of_positive("BesselK1e", torch.special.scaled_modified_bessel_k1, torch.inf)
BESSEL_Y0 = _of_positive("BesselY0", torch.special.bessel_y0, -torch.inf)
BESSEL_Y1 = _of_positive("BesselY1", torch.special.bessel_y1, -torch.inf)

DAWSN = _unary("Dawsn", dawsn_kernel, dtypes.HALVES)
EXPINT = _unary("Expint", expint_kernel, dtypes.HALVES)
FRESNEL_COS = _unary("FresnelCos", fresnel_cos_kernel, dtypes.HALVES)
FRESNEL_SIN = _unary("FresnelSin", fresnel_sin_kernel, dtypes.HALVES)
SPENCE = _unary("Spence", spence_kernel, dtypes.HALVES)


def erf(x: TensorLike, name: str | None = None) -> Tensor:
    """The error function (`tf.math.erf`)."""
    return unary(ERF, x)


def erfc(x: TensorLike, name: str | None = None) -> Tensor:
    """1 - erf(x), exact also for large x (`tf.math.erfc`)."""
    return unary(ERFC, x)


def erfinv(x: TensorLike, name: str | None = None) -> Tensor:
    """The number whose error function is x (`tf.math.erfinv`)."""
    return unary(ERFINV, x)


def ndtri(x: TensorLike, name: str | None = None) -> Tensor:
    """The quantile of the standard normal distribution (`tf.math.ndtri`)."""
    return unary(NDTRI, x)


def lgamma(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the magnitude of the gamma function (`tf.math.lgamma`)."""
    return unary(LGAMMA, x)


def digamma(x: TensorLike, name: str | None = None) -> Tensor:
    """The derivative of lgamma (`tf.math.digamma`)."""
    return unary(DIGAMMA, x)


def erfcinv(x: TensorLike, name: str | None = None) -> Tensor:
    """The number whose complementary error function is x (`tf.math.erfcinv`)."""
    x = to_tensor(x)
    half = multiply(to_tensor(0.5, x.dtype), x)
    return multiply(negative(ndtri(half)), to_tensor(math.sqrt(0.5), hint=x.dtype))


def polygamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The derivative of digamma of the order a (`tf.math.polygamma`)."""
    return matched(POLYGAMMA, a, x)


def zeta(x: TensorLike, q: TensorLike, name: str | None = None) -> Tensor:
    """Hurwitz's zeta function: the sum of (n + q) ** -x over all n from 0 (`tf.math.zeta`)."""
    return matched(ZETA, x, q)


def igamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The lower incomplete gamma function, divided by gamma(a) (`tf.math.igamma`)."""
    return matched(IGAMMA, a, x)


def igammac(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The upper incomplete gamma function, divided by gamma(a) (`tf.math.igammac`)."""
    return matched(IGAMMAC, a, x)


def betainc(a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the incomplete beta function from 0 to x, divided by the complete one
    (`tf.math.betainc`).

    Args:
        a: a tensor of float32 or float64, positive.
        b: the same.
        x: between 0 and 1. The shapes of all three are equal or scalar.
        name: a name in graphs.
    """
    return apply(BETAINC, tuple(tensors((a, b, x))))


def lbeta(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the beta function over the last axis (`tf.math.lbeta`).

    >>> lbeta([1.0, 2.0]).numpy().round(4)
    np.float32(-0.6931)
    """
    x = to_tensor(x)
    return subtract(reduce_sum(lgamma(x), [-1]), lgamma(reduce_sum(x, [-1])))


def bessel_i0(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind, of order 0
    (`tf.math.special.bessel_i0`).
    """
    return unary(BESSEL_I0, x)


def bessel_i0e(x: TensorLike, name: str | None = None) -> Tensor:
    """bessel_i0(x) times exp(-|x|)
    (`tf.math.special.bessel_i0e`).
    """
    return unary(BESSEL_I0E, x)


def bessel_i1(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind, of order 1
    (`tf.math.special.bessel_i1`).
    """
    return unary(BESSEL_I1, x)


def bessel_i1e(x: TensorLike, name: str | None = None) -> Tensor:
    """bessel_i1(x) times exp(-|x|)
    (`tf.math.special.bessel_i1e`).
    """
    return unary(BESSEL_I1E, x)


def bessel_j0(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind, of order 0
    (`tf.math.special.bessel_j0`).
    """
    return unary(BESSEL_J0, x)


def bessel_j1(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind, of order 1
    (`tf.math.special.bessel_j1`).
    """
    return unary(BESSEL_J1, x)


def bessel_k0(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind, of order 0
    (`tf.math.special.bessel_k0`).
    """
    return unary(BESSEL_K0, x)


def bessel_k0e(x: TensorLike, name: str | None = None) -> Tensor:
    """bessel_k0(x) times exp(x)
    (`tf.math.special.bessel_k0e`).
    """
    return unary(BESSEL_K0E, x)


def bessel_k1(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind, of order 1
    (`tf.math.special.bessel_k1`).
    """
    return unary(BESSEL_K1, x)


def bessel_k1e(x: TensorLike, name: str | None = None) -> Tensor:
    """bessel_k1(x) times exp(x)
    (`tf.math.special.bessel_k1e`).
    """
    return unary(BESSEL_K1E, x)


def bessel_y0(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind, of order 0
    (`tf.math.special.bessel_y0`).
    """
    return unary(BESSEL_Y0, x)


def bessel_y1(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind, of order 1
    (`tf.math.special.bessel_y1`).
    """
    return unary(BESSEL_Y1, x)


def dawsn(x: TensorLike, name: str | None = None) -> Tensor:
    """Dawson's integral: exp(-x * x) times the integral of exp(t * t) from 0 to x
    (`tf.math.special.dawsn`).
    """
    return unary(DAWSN, x)


def expint(x: TensorLike, name: str | None = None) -> Tensor:
    """The exponential integral Ei
    (`tf.math.special.expint`).
    """
    return unary(EXPINT, x)


def fresnel_cos(x: TensorLike, name: str | None = None) -> Tensor:
    """The integral of cos(pi * t * t / 2) from 0 to x
    (`tf.math.special.fresnel_cos`).
    """
    return unary(FRESNEL_COS, x)


def fresnel_sin(x: TensorLike, name: str | None = None) -> Tensor:
    """The integral of sin(pi * t * t / 2) from 0 to x
    (`tf.math.special.fresnel_sin`).
    """
    return unary(FRESNEL_SIN, x)


def spence(x: TensorLike, name: str | None = None) -> Tensor:
    """The dilogarithm of 1 - x
    (`tf.math.special.spence`).
    """
    return unary(SPENCE, x)
