"""exp and tanh in machine code. A call of torch's functions on vectors costs two to three times as
much: all registers are written to memory around it.
"""

from __future__ import annotations

from . import lines
from .lines import Lines

# exp(x) is 2**n exp(r) with r = x - n log(2), where |r| is at most half of log(2). These are the
# coefficients of (exp(r) - 1 - r) / r**2, lowest first, fitted where the largest relative error of
# exp(r) is smallest: 3e-9.
_POWERS = (
    0.4999999344777931, 0.1666652063162789, 0.04166838804877916, 0.008368716887280372,
    0.001381459847737702,
)  # fmt: skip
_STEPS_IN_ONE = 1.4426950408889634
# log(2) in two parts: the first has so few digits that its products with n are exact.
_STEP, _STEP_REST = 0.693359375, -0.00021219444005469057
# Beyond these, float32 has 0 and infinity.
_LOWEST, _HIGHEST = -104.0, 89.0
# What is added to this has no digits after the point, and lies in the lowest bits.
_ROUNDING = 12582912.0
_ROUNDING_BITS = 0x4B400000
_BIAS, _DIGITS = 127, 23

# The coefficients of (tanh(x) / x - 1) / x**2 in powers of x**2, for x up to _SMALL; error 4e-9.
_TANH = (
    -0.33333283926450935, 0.133314913108909, -0.05374349971220847, 0.020650591849825373,
    -0.00571704953657749,
)  # fmt: skip
_SMALL = 0.625

# Twice sqrt(2 / pi), and that times 0.044715: what TensorFlow's approximation of gelu is made of.
_GELU_LINEAR = 1.5957691216057308
_GELU_CUBIC = 0.044715 * _GELU_LINEAR


def exp(to: Lines, x: str) -> str:
    """e to the power of x, within one unit in the last place."""
    x = to.choose("olt", x, to.number(_LOWEST), to.number(_LOWEST), x)
    x = to.choose("ogt", x, to.number(_HIGHEST), to.number(_HIGHEST), x)
    rounding = to.number(_ROUNDING)
    shifted = to.intrinsic("fma", x, to.number(_STEPS_IN_ONE), rounding)
    steps = to.two("fsub", shifted, rounding)
    rest = to.intrinsic("fma", steps, to.number(-_STEP), x)
    rest = to.intrinsic("fma", steps, to.number(-_STEP_REST), rest)
    tail = _polynomial(to, _POWERS, rest)
    power = to.intrinsic("fma", to.two("fmul", rest, rest), tail, rest)
    power = to.two("fadd", power, to.number(1.0))
    if to.width == lines.WIDEST:
        return to.scaled(power, steps)
    # In two steps, since 2**n alone may be too large, or too small.
    count = to.whole("sub", to.bits(shifted), to.whole_number(_ROUNDING_BITS))
    half = to.whole("ashr", count, to.whole_number(1))
    for part in (half, to.whole("sub", count, half)):
        power = to.two("fmul", power, _power_of_two(to, part))
    return power


def sigmoid(to: Lines, x: str) -> str:
    """1 / (1 + exp(-x))."""
    return to.two("fdiv", to.number(1.0), _one_and_exp(to, to.add(f"fneg {to.type} {x}")))


def silu(to: Lines, x: str) -> str:
    """x sigmoid(x)."""
    return _times_sigmoid(to, x, x)


def silu_grad(to: Lines, dy: str, x: str) -> str:
    """The gradient of silu with respect to x, times dy."""
    return _times_sigmoid_grad(to, dy, x, x)


def gelu_by_tanh(to: Lines, x: str) -> str:
    """x (1 + tanh(u / 2)) / 2, where u = x (a + b x**2): x sigmoid(u)."""
    slope, _ = _of_gelu(to, x)
    return _times_sigmoid(to, x, to.two("fmul", x, slope))


def gelu_by_tanh_grad(to: Lines, dy: str, x: str) -> str:
    """The gradient of that with respect to x, times dy: s + x s (1 - s) (a + 3 b x**2)."""
    slope, steeper = _of_gelu(to, x)
    return _times_sigmoid_grad(to, dy, to.two("fmul", x, slope), to.two("fmul", x, steeper))


def _times_sigmoid(to: Lines, x: str, u: str) -> str:
    """x sigmoid(u)."""
    return to.two("fdiv", x, _one_and_exp(to, to.add(f"fneg {to.type} {u}")))


def _times_sigmoid_grad(to: Lines, dy: str, u: str, change: str) -> str:
    """The gradient of that with respect to x, times dy, where `change` is x du / dx."""
    share, one = sigmoid(to, u), to.number(1.0)
    rest = to.two("fmul", change, to.two("fsub", one, share))
    return to.two("fmul", to.two("fmul", dy, share), to.two("fadd", one, rest))


def _of_gelu(to: Lines, x: str) -> tuple[str, str]:
    """a + b x**2, and a + 3 b x**2."""
    square, linear = to.two("fmul", x, x), to.number(_GELU_LINEAR)
    slope = to.intrinsic("fma", square, to.number(_GELU_CUBIC), linear)
    return slope, to.intrinsic("fma", square, to.number(3 * _GELU_CUBIC), linear)


def tanh(to: Lines, x: str) -> str:
    """The hyperbolic tangent: 1 - 2 / (1 + exp(2 |x|)) with the sign of x, but for small x."""
    size, one = to.intrinsic("fabs", x), to.number(1.0)
    below = _one_and_exp(to, to.two("fadd", size, size))
    far = to.two("fsub", one, to.two("fdiv", to.number(2.0), below))
    square = to.two("fmul", x, x)
    near = to.two("fmul", to.two("fmul", size, square), _polynomial(to, _TANH, square))
    made = to.choose("olt", size, to.number(_SMALL), to.two("fadd", size, near), far)
    return to.intrinsic("copysign", made, x)


def _one_and_exp(to: Lines, x: str) -> str:
    return to.two("fadd", to.number(1.0), exp(to, x))


def _polynomial(to: Lines, coefficients: tuple[float, ...], x: str) -> str:
    total = to.number(coefficients[-1])
    for each in reversed(coefficients[:-1]):
        total = to.intrinsic("fma", total, x, to.number(each))
    return total


def _power_of_two(to: Lines, count: str) -> str:
    biased = to.whole("add", count, to.whole_number(_BIAS))
    return to.from_bits(to.whole("shl", biased, to.whole_number(_DIGITS)))
