"""Kernels of functions that torch lacks: dilogarithm, Dawson's, Fresnel's and exponential
integrals, the incomplete beta function. They compute in float64 and return the input's type.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from ...devices.constants import constants

_EULER = 0.57721566490153286061
# B(2k) / (2k + 1)! of Bernoulli's numbers, the coefficients of the dilogarithm's fast series.
_BERNOULLI = (
    1 / 36, -1 / 3600, 1 / 211680, -1 / 10886400, 1 / 526901760,
    -691 / 16999766784000, 1 / 1120863744000, -3617 / 181400588328960000,
    43867 / 97072790126247936000, -174611 / 16860010916664115200000,
)  # fmt: skip


_FACTORIALS = tuple(float(math.factorial(n)) for n in range(38))
_EXPINT = (0.0, *[1 / (n * math.factorial(n)) for n in range(1, 140)])


def in_double(compute: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """A kernel that computes in float64."""

    def kernel(*values: torch.Tensor) -> torch.Tensor:
        return compute(*[value.to(torch.float64) for value in values]).to(values[0].dtype)

    return kernel


def _steps(first: int, end: int, x: torch.Tensor) -> range:
    """The numbers of steps that are alike, but three of them in a rehearsal, whose tensors have no
    values: more take no more memory, and seconds.
    """
    return range(first, first + 3 if x.is_meta else end)


@constants
def _downwards(coefficients: tuple[float, ...]) -> torch.Tensor:
    return torch.tensor(coefficients[::-1], dtype=torch.float64)


def _series(x: torch.Tensor, coefficients: Sequence[Any]) -> torch.Tensor:
    """A polynomial in x, the constant first."""
    first, *others = _downwards(x.device, tuple(coefficients)).unbind()
    total: torch.Tensor = first.expand_as(x)
    for each in others:
        total = torch.addcmul(each, total, x)
    return total


@in_double
def spence_kernel(x: torch.Tensor) -> torch.Tensor:
    """The dilogarithm of 1 - x: brought to 0.5 <= x <= 1.5 by its symmetries."""
    large, small = x > 1.5, x < 0.5
    y = torch.where(large, 1 / x, torch.where(small, 1 - x, x))
    y = torch.where(large & (y < 0.5), 1 - y, y)
    u = -torch.log(y)
    inner = u - u * u / 4 + u * u * u * _series(u * u, _BERNOULLI)
    logs = torch.log(torch.where(x > 0, x, 1.0))
    sixth = math.pi**2 / 6
    one_minus = torch.log1p(-torch.where(small, x, 0.5))
    reflected = sixth - logs * one_minus - inner
    inverted = 1 / x
    near = -inner - logs * logs / 2
    far = sixth - torch.log(inverted) * torch.log1p(-torch.where(large, inverted, 0.5)) - inner
    turned = torch.where(inverted < 0.5, -far - logs * logs / 2, near)
    result = torch.where(large, turned, torch.where(small, reflected, inner))
    result = torch.where(x == 0, sixth, result)
    return torch.where((x < 0) | torch.isinf(x), torch.nan, result)


@in_double
def dawsn_kernel(x: torch.Tensor) -> torch.Tensor:
    """exp(-x*x) times the integral of exp(t*t) from 0 to x, by Rybicki's sum of Gaussians."""
    step = 0.25
    size = torch.abs(x)
    near = 2 * torch.round(size / (2 * step))
    rest = size - near * step
    total = torch.zeros_like(x)
    for n in range(-27, 28, 2):
        total = total + torch.exp(-torch.square(rest - n * step)) / (near + n)
    total = total / math.sqrt(math.pi)
    square = size * size
    small = size * _series(
        square, [(-2.0) ** n / math.prod(range(1, 2 * n + 2, 2)) for n in range(10)]
    )
    large = _series(1 / square, (1.0, 0.5, 0.75, 1.875, 6.5625)) / (2 * size)
    result = torch.where(size < 0.25, small, torch.where(size > 1e3, large, total))
    return torch.sign(x) * torch.where(torch.isinf(size), 0.0, result)


@in_double
def expint_kernel(x: torch.Tensor) -> torch.Tensor:
    """The exponential integral Ei: a power series, beyond 40 the asymptotic one.

    NaN below 0, as in TensorFlow.
    """
    bounded = torch.clamp(x, 0.0, 40.0)
    series = _EULER + torch.log(bounded) + _series(bounded, _EXPINT)
    inverse = 1 / torch.clamp(x, min=40.0)
    asymptotic = torch.exp(1 / inverse) * inverse * _series(inverse, _FACTORIALS)
    result = torch.where(x > 40.0, asymptotic, series)
    return torch.where((x < 0) | torch.isinf(x), torch.nan, result)


_FRESNEL = tuple(
    [(-1) ** n / (math.factorial(2 * n + odd) * (4 * n + 2 * odd + 1)) for n in range(18)]
    for odd in (0, 1)
)


def _fresnel(x: torch.Tensor, sine: bool) -> torch.Tensor:
    """The integral of sin or cos of t*t*pi/2 from 0 to x."""
    size = torch.abs(x)
    angle = math.pi / 2 * torch.square(torch.clamp(size, max=1.5))
    first = torch.clamp(size, max=1.5) * (angle if sine else 1.0)
    total = first * _series(angle * angle, _FRESNEL[sine])
    large = torch.clamp(size, min=1.5)
    f, g = _auxiliary(large)
    far_away = size > 1e8  # squares there are known to no part of a turn, and soon overflow
    near = torch.where(far_away, 1.5, large)
    turned = math.pi / 2 * torch.remainder(near * near, 4.0)
    sin, cos = torch.sin(turned), torch.cos(turned)
    far = 0.5 - f * cos - g * sin if sine else 0.5 + f * sin - g * cos
    far = torch.where(far_away, 0.5, far)
    return torch.sign(x) * torch.where(size < 1.5, total, far)


def _auxiliary(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Fresnel's f and g, integrals of Gaussians over 1 + s**4, by the trapezoidal rule."""
    step = torch.clamp(0.4 / x, max=0.1)  # fine enough for the poles and for the Gaussian
    f, g = torch.full_like(x, 0.5), torch.zeros_like(x)
    squared = step * step
    gauss = torch.exp(-math.pi / 2 * x * x * squared)
    # The Gaussian at n steps is gauss**(n*n), which grows by gauss**(2n+1).
    weight, growth, twice = gauss, gauss * gauss * gauss, gauss * gauss
    for n in _steps(1, 45, x):
        s = squared * (n * n)
        part = weight / (1 + s * s)
        f, g = f + part, torch.addcmul(g, s, part)
        weight, growth = weight * growth, growth * twice
    far = x > 6
    inverse = 1 / (math.pi * x * x)
    square = inverse * inverse
    far_f = _series(square, (1.0, -3.0, 105.0, -10395.0, 2027025.0)) / (math.pi * x)
    far_g = _series(square, (1.0, -15.0, 945.0, -135135.0, 34459425.0)) * inverse / (math.pi * x)
    factor = math.sqrt(2) / math.pi * step
    return torch.where(far, far_f, f * factor), torch.where(far, far_g, g * factor)


@in_double
def fresnel_cos_kernel(x: torch.Tensor) -> torch.Tensor:
    """The integral of cos(t*t*pi/2) from 0 to x."""
    return _fresnel(x, sine=False)


@in_double
def fresnel_sin_kernel(x: torch.Tensor) -> torch.Tensor:
    """The integral of sin(t*t*pi/2) from 0 to x."""
    return _fresnel(x, sine=True)


@in_double
def betainc_kernel(a: torch.Tensor, b: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """The regularized incomplete beta function, by its continued fraction."""
    dims = torch.broadcast_shapes(a.shape, b.shape, x.shape)  # type: ignore[no-untyped-call]
    a, b, x = a.expand(dims), b.expand(dims), x.expand(dims)
    turned = x > (a + 1) / (a + b + 2)
    p, q = torch.where(turned, b, a), torch.where(turned, a, b)
    y = torch.where(turned, 1 - x, x)
    front = torch.lgamma(p + q) - torch.lgamma(p) - torch.lgamma(q)
    front = torch.exp(front + torch.special.xlogy(p, y) + torch.special.xlog1py(q, -y)) / p
    value = front * _beta_fraction(p, q, y)
    value = torch.where(turned, 1 - value, value)
    value = torch.where(x == 0, 0.0, torch.where(x == 1, 1.0, value))
    return torch.where((a > 0) & (b > 0) & (x >= 0) & (x <= 1), value, torch.nan)


def _beta_fraction(a: torch.Tensor, b: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Lentz's evaluation; enough steps for parameters up to some 10,000."""
    c = torch.ones_like(x)
    d = 1 / _not_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in _steps(1, 300, x):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d, c = 1 / _not_zero(1 + even * d), _not_zero(1 + even / c)
        value = value * d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d, c = 1 / _not_zero(1 + odd * d), _not_zero(1 + odd / c)
        value = value * d * c
        # On a GPU more steps are cheaper than to wait for what one has come to.
        if m % 6 == 0 and x.is_cpu and bool((torch.abs(d * c - 1) < 1e-15).all()):
            break
    return value


def _not_zero(x: torch.Tensor) -> torch.Tensor:
    return torch.where(torch.abs(x) < 1e-300, 1e-300, x)


@in_double
def igamma_grad_a_kernel(a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """The derivative of igamma by a: of its power series, far out by small steps."""
    dims = torch.broadcast_shapes(a.shape, x.shape)  # type: ignore[no-untyped-call]
    a, x = a.expand(dims), x.expand(dims)
    near = torch.clamp(x, max=40.0)
    logs = torch.log(near)
    term = torch.exp(a * logs - near - torch.lgamma(a + 1))
    psi = torch.digamma(a + 1)
    total = torch.zeros_like(near)
    for n in _steps(0, 200, near):
        total = total + term * (logs - psi)
        psi = psi + 1 / (a + n + 1)
        term = term * near / (a + n + 1)
    # Igamma rises around a over some sqrt(a).
    step = torch.minimum(1e-3 * torch.clamp(a, min=1e-3), 1e-2 * torch.sqrt(a))
    lower = _small_steps(torch.special.gammainc, a, x, step)
    upper = _small_steps(torch.special.gammaincc, a, x, step)
    result = torch.where(x > 40.0, torch.where(x > a, -upper, lower), total)
    result = torch.where((a > 0) & (x >= 0), result, torch.nan)
    return torch.where((x == 0) | (torch.isposinf(a) & (x > 0)), 0.0, result)


def _small_steps(
    f: Callable[..., torch.Tensor], a: torch.Tensor, x: torch.Tensor, step: torch.Tensor
) -> torch.Tensor:
    """The derivative of f by a, from four values around it."""
    near = f(a + step, x) - f(a - step, x)
    return (8 * near - (f(a + 2 * step, x) - f(a - 2 * step, x))) / (12 * step)
