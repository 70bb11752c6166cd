"""Ops that work element by element: arithmetic, comparison, logic, rounding, exponentials."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..base import dtypes
from ..base.dtypes import DType, as_dtype
from . import infer
from .convert import binary, own_tensor, pair, to_tensor, unary
from .op import Op, apply, op

_BINARY = "x: T, y: T -> z: T"
_UNARY = "x: T -> y: T"
_COMPARE = "x: T, y: T -> z: bool"


def _binary(name: str, kernel: Callable[..., Any], types: tuple[DType, ...]) -> Op:
    return op(name, _BINARY, kernel, infer.broadcast, T=types)


def _unary(name: str, kernel: Callable[..., Any], types: tuple[DType, ...]) -> Op:
    return op(name, _UNARY, kernel, infer.same, T=types)


def _compare(name: str, kernel: Callable[..., Any], types: tuple[DType, ...]) -> Op:
    return op(name, _COMPARE, kernel, infer.compare, T=types)


def floor_div_kernel(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Division rounded towards minus infinity."""
    return torch.div(x, y, rounding_mode="floor")


ADD = _binary("AddV2", torch.add, dtypes.NUMBERS)
SUB = _binary("Sub", torch.sub, dtypes.NUMBERS)
MUL = _binary("Mul", torch.mul, dtypes.NUMBERS)
REAL_DIV = _binary("RealDiv", torch.true_divide, dtypes.INEXACT)
FLOOR_DIV = _binary("FloorDiv", floor_div_kernel, dtypes.REALS)
FLOOR_MOD = _binary("FloorMod", torch.remainder, dtypes.REALS)
POW = _binary("Pow", torch.pow, dtypes.NUMBERS)
MAXIMUM = _binary("Maximum", torch.maximum, dtypes.REALS)
MINIMUM = _binary("Minimum", torch.minimum, dtypes.REALS)

NEG = _unary("Neg", torch.neg, (*dtypes.INEXACT, *dtypes.SIGNED))
ABS = _unary("Abs", torch.abs, (*dtypes.FLOATS, *dtypes.SIGNED))
EXP = _unary("Exp", torch.exp, dtypes.INEXACT)
LOG = _unary("Log", torch.log, dtypes.INEXACT)
SQRT = _unary("Sqrt", torch.sqrt, dtypes.INEXACT)
SQUARE = _unary("Square", torch.square, dtypes.NUMBERS)
TANH = _unary("Tanh", torch.tanh, dtypes.INEXACT)
SIGMOID = _unary("Sigmoid", torch.sigmoid, dtypes.INEXACT)
CONJ = op("Conj", "input: T -> output: T", torch.conj_physical, infer.same, T=dtypes.COMPLEX)
SIGN = _unary("Sign", torch.sgn, dtypes.NUMBERS)

EQUAL = _compare("Equal", torch.eq, dtypes.ANY_FIXED)
NOT_EQUAL = _compare("NotEqual", torch.ne, dtypes.ANY_FIXED)
LESS = _compare("Less", torch.lt, dtypes.REALS)
LESS_EQUAL = _compare("LessEqual", torch.le, dtypes.REALS)
GREATER = _compare("Greater", torch.gt, dtypes.REALS)
GREATER_EQUAL = _compare("GreaterEqual", torch.ge, dtypes.REALS)

_BOOLS = "x: bool, y: bool -> z: bool"
LOGICAL_AND = op("LogicalAnd", _BOOLS, torch.logical_and, infer.broadcast)
LOGICAL_OR = op("LogicalOr", _BOOLS, torch.logical_or, infer.broadcast)
LOGICAL_NOT = op("LogicalNot", "x: bool -> y: bool", torch.logical_not, infer.same)


def cast_kernel(x: torch.Tensor, *, DstT: DType) -> torch.Tensor:  # noqa: N803
    """The elements as another type; a complex number loses its imaginary part."""
    assert DstT.torch is not None
    if x.dtype.is_complex and not DstT.is_complex:
        x = x.real
    return x.to(DstT.torch)


CAST = op("Cast", "x: SrcT -> y: DstT", cast_kernel, infer.cast, SrcT=dtypes.ANY_FIXED)

_BOUND = "t: T, clip_value_min: T, clip_value_max: T -> output: T"
CLIP = op("ClipByValue", _BOUND, torch.clamp, infer.same, T=dtypes.REALS)


def add(x: Any, y: Any, name: str | None = None) -> Any:
    """x + y, element by element (`tf.add`).

    Args:
        x: a tensor of numbers.
        y: a tensor of the same dtype; shapes broadcast.
        name: a name in graphs.

    Returns:
        A tensor of the broadcast shape and x's dtype.

    Raises:
        InvalidArgumentError: dtypes differ or shapes do not broadcast.

    >>> add([1, 2], 3).numpy().tolist()
    [4, 5]
    """
    return binary(ADD, x, y)


def subtract(x: Any, y: Any, name: str | None = None) -> Any:
    """x - y, element by element (`tf.subtract`)."""
    return binary(SUB, x, y)


def multiply(x: Any, y: Any, name: str | None = None) -> Any:
    """x * y, element by element (`tf.multiply`)."""
    return binary(MUL, x, y)


_DIVIDES_AS = {
    dtypes.int8: dtypes.float32, dtypes.int16: dtypes.float32, dtypes.uint8: dtypes.float32,
    dtypes.uint16: dtypes.float32, dtypes.int32: dtypes.float64, dtypes.int64: dtypes.float64,
    dtypes.uint32: dtypes.float64, dtypes.uint64: dtypes.float64,
}  # fmt: skip


def truediv(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y; integers are divided as floats, 8 and 16 bits as float32, more as float64
    (`tf.math.truediv`).

    Raises:
        TypeError: dtypes differ.
    """
    x, y = pair(x, y)
    if x.dtype is not y.dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
    wider = _DIVIDES_AS.get(x.dtype)
    if wider is not None:
        x, y = cast(x, wider), cast(y, wider)
    return binary(REAL_DIV, x, y)


def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y as Python divides (`tf.divide`)."""
    return truediv(x, y)


def floordiv(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y rounded towards minus infinity (`tf.math.floordiv`)."""
    return binary(FLOOR_DIV, x, y)


def floormod(x: Any, y: Any, name: str | None = None) -> Any:
    """What `floordiv` leaves, with the sign of y (`tf.math.floormod`)."""
    return binary(FLOOR_MOD, x, y)


def pow(x: Any, y: Any, name: str | None = None) -> Any:
    """x to the power y (`tf.pow`)."""
    return binary(POW, x, y)


def maximum(x: Any, y: Any, name: str | None = None) -> Any:
    """The larger of x and y, element by element (`tf.maximum`)."""
    return binary(MAXIMUM, x, y)


def minimum(x: Any, y: Any, name: str | None = None) -> Any:
    """The smaller of x and y, element by element (`tf.minimum`)."""
    return binary(MINIMUM, x, y)


def negative(x: Any, name: str | None = None) -> Any:
    """-x (`tf.negative`)."""
    return unary(NEG, x)


def abs(x: Any, name: str | None = None) -> Any:
    """|x| (`tf.abs`)."""
    return unary(ABS, x)


def exp(x: Any, name: str | None = None) -> Any:
    """e to the power x (`tf.exp`)."""
    return unary(EXP, x)


def log(x: Any, name: str | None = None) -> Any:
    """The natural logarithm of x (`tf.math.log`)."""
    return unary(LOG, x)


def sqrt(x: Any, name: str | None = None) -> Any:
    """The square root of x (`tf.sqrt`)."""
    return unary(SQRT, x)


def square(x: Any, name: str | None = None) -> Any:
    """x * x (`tf.square`)."""
    return unary(SQUARE, x)


def tanh(x: Any, name: str | None = None) -> Any:
    """The hyperbolic tangent of x (`tf.tanh`)."""
    return unary(TANH, x)


def sigmoid(x: Any, name: str | None = None) -> Any:
    """1 / (1 + exp(-x)) (`tf.sigmoid`)."""
    return unary(SIGMOID, x)


def conj(x: Any, name: str | None = None) -> Any:
    """x with its imaginary part negated; x itself if it is real (`tf.math.conj`)."""
    tensor = to_tensor(x)
    return apply(CONJ, (tensor,)) if tensor.dtype.is_complex else own_tensor(x, tensor)


def sign(x: Any, name: str | None = None) -> Any:
    """-1, 0 or 1 (`tf.sign`)."""
    return unary(SIGN, x)


def equal(x: Any, y: Any, name: str | None = None) -> Any:
    """True where x and y are equal (`tf.equal`)."""
    return binary(EQUAL, x, y)


def not_equal(x: Any, y: Any, name: str | None = None) -> Any:
    """True where x and y differ (`tf.not_equal`)."""
    return binary(NOT_EQUAL, x, y)


def less(x: Any, y: Any, name: str | None = None) -> Any:
    """True where x < y (`tf.less`)."""
    return binary(LESS, x, y)


def less_equal(x: Any, y: Any, name: str | None = None) -> Any:
    """True where x <= y (`tf.less_equal`)."""
    return binary(LESS_EQUAL, x, y)


def greater(x: Any, y: Any, name: str | None = None) -> Any:
    """True where x > y (`tf.greater`)."""
    return binary(GREATER, x, y)


def greater_equal(x: Any, y: Any, name: str | None = None) -> Any:
    """True where x >= y (`tf.greater_equal`)."""
    return binary(GREATER_EQUAL, x, y)


def logical_and(x: Any, y: Any, name: str | None = None) -> Any:
    """True where both are (`tf.logical_and`)."""
    return binary(LOGICAL_AND, x, y)


def logical_or(x: Any, y: Any, name: str | None = None) -> Any:
    """True where one of both is (`tf.logical_or`)."""
    return binary(LOGICAL_OR, x, y)


def logical_not(x: Any, name: str | None = None) -> Any:
    """True where x is False (`tf.logical_not`)."""
    return unary(LOGICAL_NOT, x)


def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """The elements of x as another dtype (`tf.cast`).

    Floats lose their fraction, towards zero; complex numbers their imaginary part.

    Args:
        x: a tensor of numbers or bools.
        dtype: the dtype wanted.
        name: a name in graphs.

    Returns:
        A tensor of x's shape; x itself if it has that dtype.

    >>> cast([1.7, -1.7], "int32").numpy().tolist()
    [1, -1]
    """
    wanted = as_dtype(dtype)
    tensor = to_tensor(x)
    if tensor.dtype is wanted:
        return own_tensor(x, tensor)
    return apply(CAST, (tensor,), {"DstT": wanted})


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """t, bounded from below and above (`tf.clip_by_value`).

    Args:
        t: a tensor of real numbers.
        clip_value_min: the smallest value, of t's dtype; broadcasts.
        clip_value_max: the largest value, of t's dtype; broadcasts.
        name: a name in graphs.
    """
    t, least = pair(t, clip_value_min)
    return apply(CLIP, (t, least, to_tensor(clip_value_max, hint=t.dtype)))
