"""`tf.experimental.numpy`: functions of single elements that programs ask for less often."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.typing import Axis, DTypeLike, TensorLike
from ...core.tensor import Tensor
from .. import infer
from ..array.making import zeros_like
from ..array.select import where
from ..math import complex as complex_, elementwise, trigonometry
from ..math.bitwise import invert
from ..math.elementwise import cast
from ..op import apply, op
from .math import binary, floor_divide, max_, min_, mod, prod, sum_, unary
from .types import BEHAVIOR, as_array, inexact, one_by_one, promoted

Function = Callable[..., Any]


def _scaled(function: Function, factor: float) -> Function:
    return lambda x: elementwise.multiply(function(x), _like(factor, x))


def _like(number: float, x: Tensor) -> Any:
    return as_array(number, x.dtype)


def _same(x: Tensor) -> Tensor:
    return x


def _logarithm(base: float) -> Function:
    """Logarithms to a base. TF: a quotient by a float64 of NumPy's, so that they have 64 bits
    where operators promote types.
    """
    by_one = _scaled(elementwise.log, 1 / np.log(base))

    def function(x: Tensor) -> Any:
        if not BEHAVIOR.is_on:
            return by_one(x)
        found = elementwise.log(x)
        wide = cast(found, dtypes.complex128 if x.dtype.is_complex else dtypes.float64)
        return elementwise.truediv(wide, _like(np.log(base), wide))

    return function


def _degrees(x: Tensor) -> Any:
    by = 180.0 / np.pi
    return x * by if BEHAVIOR.promotes else elementwise.multiply(x, _like(by, x))


def _or_promoted(x: TensorLike) -> list[Any]:
    """TF: with weak types it is the operator that finds the type of an integer's degrees."""
    return promoted(x) if BEHAVIOR.promotes else inexact(x)


arcsinh = unary("arcsinh", trigonometry.asinh, inexact)
arccosh = unary("arccosh", trigonometry.acosh, inexact)
arctanh = unary("arctanh", trigonometry.atanh, inexact)
deg2rad = unary("deg2rad", _scaled(_same, np.pi / 180.0), inexact)
rad2deg = unary("rad2deg", _degrees, _or_promoted)
log10 = unary("log10", _logarithm(10.0), inexact)
log2 = unary("log2", _logarithm(2.0), inexact)
exp2 = unary("exp2", lambda x: elementwise.pow(_like(2.0, x), x), inexact)
positive = unary("positive", _same)
reciprocal = unary("reciprocal", elementwise.reciprocal)
fabs = unary("fabs", elementwise.abs)
conj = unary("conj", elementwise.conj)
conjugate = unary("conjugate", elementwise.conj)
float_power = binary("float_power", elementwise.pow)
nextafter = binary("nextafter", elementwise.nextafter)


def _cube_root(x: Tensor) -> Any:
    size = elementwise.pow(elementwise.abs(x), _like(1 / 3, x))
    return elementwise.multiply(elementwise.sign(x), size)


def _toward_zero(x: Tensor) -> Any:
    return where(elementwise.less(x, _like(0, x)), elementwise.ceil(x), elementwise.floor(x))


def _sinc(x: Tensor) -> Any:
    turned = elementwise.multiply(x, _like(np.pi, x))
    is_zero = elementwise.equal(turned, _like(0, x))
    safe = where(is_zero, _like(1, x), turned)
    return where(is_zero, _like(1, x), elementwise.truediv(trigonometry.sin(safe), safe))


def _inverted(x: Tensor) -> Any:
    return elementwise.logical_not(x) if x.dtype is dtypes.bool_ else invert(x)


def _is_negative(x: Tensor) -> Any:
    if x.dtype is dtypes.bool_:
        return as_array(zeros_like(x))
    return elementwise.less(x, _like(0, x))


cbrt = unary("cbrt", _cube_root, inexact)
fix = unary("fix", _toward_zero, inexact)
sinc = unary("sinc", _sinc, inexact)
bitwise_not = unary("bitwise_not", _inverted)
signbit = unary("signbit", _is_negative)
isneginf = unary("isneginf", lambda x: elementwise.equal(x, _like(-np.inf, x)), inexact)
isposinf = unary("isposinf", lambda x: elementwise.equal(x, _like(np.inf, x)), inexact)


def _hypotenuse(x: Tensor, y: Tensor) -> Any:
    return elementwise.sqrt(elementwise.add(elementwise.square(x), elementwise.square(y)))


def _log_sum(by: float) -> Function:
    """log(b^x + b^y), with the larger one taken out so that nothing overflows; `by` is log(b)."""

    def function(x: Tensor, y: Tensor) -> Any:
        larger = elementwise.maximum(x, y)
        apart = elementwise.subtract(x, y)
        smaller = elementwise.exp(elementwise.multiply(elementwise.abs(apart), _like(-by, x)))
        rest = elementwise.multiply(elementwise.log1p(smaller), _like(1 / by, x))
        # Two equal infinities have no difference.
        return where(
            elementwise.is_nan(apart), elementwise.add(x, y), elementwise.add(larger, rest)
        )

    return function


def _for_logarithms(x1: TensorLike, x2: TensorLike) -> list[Any]:
    """TF: in float64 where operators promote types, as its logarithms are."""
    tensors = inexact(x1, x2)
    is_real = BEHAVIOR.is_on and not tensors[0].dtype.is_complex
    return [cast(each, dtypes.float64) for each in tensors] if is_real else tensors


def _step(x: Tensor, at_zero: Tensor) -> Any:
    one, zero = _like(1, x), _like(0, x)
    after = where(
        elementwise.less(x, zero), zero, where(elementwise.greater(x, zero), one, at_zero)
    )
    return where(elementwise.not_equal(x, x), x, after)


hypot = binary("hypot", _hypotenuse, lambda x1, x2: inexact(*one_by_one(x1, x2)))
logaddexp = binary("logaddexp", _log_sum(1.0), inexact)
logaddexp2 = binary("logaddexp2", _log_sum(float(np.log(2.0))), _for_logarithms)
heaviside = binary("heaviside", _step, inexact)


def divmod(x1: TensorLike, x2: TensorLike) -> tuple[Any, Any]:
    """Quotients that are rounded down, and what is left (`tf.experimental.numpy.divmod`)."""
    return floor_divide(x1, x2), mod(x1, x2)


def gcd_kernel(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The greatest number that divides both."""
    return torch.gcd(x, y)


GCD = op(
    "_Gcd", "x: T, y: T -> z: T", gcd_kernel, infer.broadcast,
    T=(dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64),
)  # fmt: skip


def _divisor(x: Tensor, y: Tensor) -> Any:
    return apply(GCD, (x, y))


def _multiple(x: Tensor, y: Tensor) -> Any:
    divisor = _divisor(x, y)
    safe = elementwise.maximum(divisor, _like(1, x))
    return elementwise.abs(elementwise.multiply(elementwise.floordiv(x, safe), y))


gcd = binary("gcd", _divisor)
lcm = binary("lcm", _multiple)


def real(val: TensorLike) -> Any:
    """The real parts (`tf.experimental.numpy.real`)."""
    return complex_.real(as_array(val))


def imag(val: TensorLike) -> Any:
    """The imaginary parts; zeros for real numbers (`tf.experimental.numpy.imag`)."""
    value = as_array(val)
    if value.dtype.is_complex:
        return complex_.imag(value)
    return as_array(zeros_like(value))


def angle(z: TensorLike, deg: bool = False) -> Any:
    """The angles of complex numbers (`tf.experimental.numpy.angle`).

    Args:
        z: the numbers.
        deg: True tells them in degrees, else they are in radians.
    """
    value = inexact(z)[0]
    if not value.dtype.is_complex:  # TF: 0 or pi as a float32, whatever the dtype
        value = cast(value, dtypes.float32)
    made = complex_.angle(value)
    return rad2deg(made) if deg else made


def iscomplex(x: TensorLike) -> Any:
    """Where the imaginary part is not zero (`tf.experimental.numpy.iscomplex`)."""
    part = imag(x)
    return elementwise.not_equal(part, _like(0, part))


def isreal(x: TensorLike) -> Any:
    """Where the imaginary part is zero (`tf.experimental.numpy.isreal`)."""
    part = imag(x)
    return elementwise.equal(part, _like(0, part))


def iscomplexobj(x: TensorLike) -> bool:
    """Whether the dtype is complex (`tf.experimental.numpy.iscomplexobj`)."""
    return bool(as_array(x).dtype.is_complex)


def isrealobj(x: TensorLike) -> bool:
    """Whether the dtype is not complex (`tf.experimental.numpy.isrealobj`)."""
    return not iscomplexobj(x)


def around(a: TensorLike, decimals: int = 0) -> Any:
    """Returns numbers rounded, halves to the even one (`tf.experimental.numpy.around`).

    Args:
        a: the array; integers stay integers.
        decimals: how many decimals stay; negative ones round tens, hundreds ...
    """
    value = as_array(a)
    if not decimals and not (value.dtype.is_integer or value.dtype is dtypes.bool_):
        return elementwise.round(value)
    number = inexact(value)[0]
    factor = as_array(10.0**decimals, number.dtype)
    rounded = elementwise.round(elementwise.multiply(number, factor))
    return cast(elementwise.truediv(rounded, factor), value.dtype)


round_ = around


def _without_nans(a: TensorLike, neutral: float) -> tuple[Tensor, Tensor]:
    """The array with another number for its NaNs, and where they were."""
    value = as_array(a)
    is_nan = elementwise.not_equal(value, value)
    return where(is_nan, _like(neutral, value), value), is_nan


def nansum(
    a: TensorLike,
    axis: Axis | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool | None = False,
) -> Any:
    """Sums over axes as if NaNs were 0 (`tf.experimental.numpy.nansum`).

    Args:
        a: the array.
        axis: the axis or axes that go; all of them for None.
        dtype: the dtype to compute in; None takes that of the array.
        keepdims: True keeps the axes that go, with size 1.
    """
    return sum_(_without_nans(a, 0)[0], axis, dtype, keepdims)


def nanprod(
    a: TensorLike,
    axis: Axis | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool | None = False,
) -> Any:
    """Multiplies over axes as if NaNs were 1 (`tf.experimental.numpy.nanprod`).

    Args:
        a: the array.
        axis: the axis or axes that go; all of them for None.
        dtype: the dtype to compute in; None takes that of the array.
        keepdims: True keeps the axes that go, with size 1.
    """
    return prod(_without_nans(a, 1)[0], axis, dtype, keepdims)


def nanmean(
    a: TensorLike,
    axis: Axis | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool | None = None,
) -> Any:
    """Returns means over axes of what is not NaN (`tf.experimental.numpy.nanmean`).

    Args:
        a: the array.
        axis: the axis or axes that go; all of them for None.
        dtype: the dtype to compute in; None takes float64 for integers.
        keepdims: True keeps the axes that go, with size 1.
    """
    value = as_array(a, dtype)
    if dtype is None and not value.dtype.is_floating:
        value = inexact(value)[0]
    numbers, is_nan = _without_nans(value, 0)
    count = sum_(cast(elementwise.logical_not(is_nan), value.dtype), axis, None, keepdims)
    return elementwise.truediv(sum_(numbers, axis, None, keepdims), count)


def ptp(a: TensorLike, axis: Axis | None = None, keepdims: bool | None = None) -> Any:
    """Returns the largest elements less the smallest ones over axes (`tf.experimental.numpy.ptp`).

    Args:
        a: the array.
        axis: the axis or axes that go; all of them for None.
        keepdims: True keeps the axes that go, with size 1.
    """
    return elementwise.subtract(max_(a, axis, keepdims), min_(a, axis, keepdims))
