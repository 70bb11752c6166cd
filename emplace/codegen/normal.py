"""The normal distribution in machine code, for gelu and its gradient."""

from __future__ import annotations

from . import exponential
from .lines import Lines

# The part of the distribution beyond -a is exp(-a**2 / 2) t p(t) with t = 1 / (1 + _SCALE a). These
# are the coefficients of p, lowest first, fitted where the largest relative error between a = 0 and
# 14.5 is smallest: 1.4e-8. (torch's erfc costs ten times as much.)
_SCALE = 0.31819805153394637
_TAIL = (
    0.1269356762972381, 0.1270954458836308, 0.112712567990229, 0.09489063299209081,
    0.03736025637529786, 0.03351829172954836, 0.01488374939125044, -0.10649679669583764,
    0.07619825157461613, -0.017098082324199636,
)  # fmt: skip
# Farther away there is nothing left of the tail that float32 could hold.
_FARTHEST = 15.0
_DENSITY_AT_0 = 0.3989422804014327


def gelu(to: Lines, x: str) -> str:
    """x times the share of numbers below it."""
    return to.two("fmul", x, _below(to, x, _bell(to, x)))


def gelu_grad(to: Lines, dy: str, x: str) -> str:
    """The gradient of that with respect to x, times dy."""
    bell = _bell(to, x)
    density = to.two("fmul", bell, to.number(_DENSITY_AT_0))
    slope = to.two("fadd", _below(to, x, bell), to.two("fmul", x, density))
    return to.two("fmul", dy, slope)


def _distance(to: Lines, x: str) -> str:
    size, farthest = to.intrinsic("fabs", x), to.number(_FARTHEST)
    return to.choose("ogt", size, farthest, farthest, size)


def _bell(to: Lines, x: str) -> str:
    """exp(-x**2 / 2). The square has digits that float32 drops and the tail shows."""
    far = _distance(to, x)
    square = to.two("fmul", far, far)
    rest = to.intrinsic("fma", far, far, to.add(f"fneg {to.type} {square}"))
    half = to.number(-0.5)
    whole = exponential.exp(to, to.two("fmul", square, half))
    return to.intrinsic("fma", to.two("fmul", whole, rest), half, whole)


def _below(to: Lines, x: str, bell: str) -> str:
    """The share of numbers below x."""
    one = to.number(1.0)
    t = to.two("fdiv", one, to.intrinsic("fma", _distance(to, x), to.number(_SCALE), one))
    p = to.number(_TAIL[-1])
    for each in reversed(_TAIL[:-1]):
        p = to.intrinsic("fma", p, t, to.number(each))
    tail = to.two("fmul", bell, to.two("fmul", t, p))
    return to.choose("ogt", x, to.number(0.0), to.two("fsub", one, tail), tail)
