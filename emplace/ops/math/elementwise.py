"""Ops that work element by element: arithmetic, comparison, logic, rounding, exponentials."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType, as_dtype, runtime_name
from ...base.errors import InvalidArgumentError, UnimplementedError, invalid_argument
from ...base.shapes import TensorShape, broadcast
from ...base.typing import DTypeLike, TensorLike
from ...core.composite import CompositeTensor
from ...core.context import LOCAL
from ...core.tensor import EagerTensor, Tensor, torch_to_numpy, unquantized
from ...devices.late import is_late, note
from .. import infer
from ..convert import (
    CASTING,
    binary,
    is_tensor_like,
    matched,
    operand,
    own_tensor,
    pair,
    strict_pair,
    to_tensor,
    unary,
)
from ..infer import Spec
from ..op import Op, apply, op
from ..waiting import HOST_TYPES
from . import unsigned

_BINARY = "x: T, y: T -> z: T"
_UNARY = "x: T -> y: T"
_COMPARE = "x: T, y: T -> z: bool"


def _binary(name: str, kernel: Callable[..., Any], types: tuple[DType, ...], **options: Any) -> Op:
    return op(name, _BINARY, kernel, infer.broadcast, T=types, **options)


def _unary(name: str, kernel: Callable[..., Any], types: tuple[DType, ...], **options: Any) -> Op:
    return op(name, _UNARY, kernel, infer.same, T=types, **options)


def _compare(name: str, kernel: Callable[..., Any], types: tuple[DType, ...]) -> Op:
    own = {dtypes.uint64: unsigned.compared(kernel)}
    return op(name, _COMPARE, kernel, infer.compare, T=types, kernel_for=own)


def _refuse_zero() -> None:
    raise invalid_argument("Integer division by zero")


def _divisor(y: torch.Tensor) -> torch.Tensor:
    """Integers to divide by: 1 in the place of 0, which is told later."""
    is_zero = y == 0
    note(is_zero.any(), _refuse_zero, ())
    return y.masked_fill(is_zero, 1)


def _integer(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that divides, with TensorFlow's words for integers divided by zero."""

    def guarded(x: torch.Tensor, y: torch.Tensor) -> Any:
        # As `is_late`, whose call is felt in small tensors.
        if not y.is_cpu and not (y.is_floating_point() or y.is_complex()):
            return kernel(x, _divisor(y))
        try:
            return kernel(x, y)
        except RuntimeError as error:
            if "ZeroDivisionError" in str(error):
                raise invalid_argument("Integer division by zero") from None
            raise

    return guarded


def _floor_div(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    if x.is_floating_point():
        return torch.floor(torch.true_divide(x, y))  # TF: rounds the quotient, not the exact ratio
    return torch.div(x, y, rounding_mode="floor")


def _truncate_div(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    if y.dtype not in _SIGNED:
        return torch.div(x, y, rounding_mode="trunc")
    # The lowest integer by -1 ends the process in torch's kernel.
    flips = y == -1
    return torch.where(flips, -x, torch.div(x, y.masked_fill(flips, 1), rounding_mode="trunc"))


floor_div_kernel = _integer(_floor_div)


def _refuse_negative() -> None:
    raise invalid_argument("Integers to negative integer powers are not allowed")


def pow_kernel(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Powers; integers have none with a negative exponent."""
    if y.dtype in _SIGNED:
        is_negative = (y < 0).any()
        if is_late(y):
            note(is_negative, _refuse_negative, ())
        elif is_negative:
            _refuse_negative()
    if y.ndim == 0 and y.is_cpu and not (y.requires_grad or torch.compiler.is_compiling()):
        return torch.pow(x, y.item())  # squares, roots and the like have ways of their own
    return torch.pow(x, y)


_SIGNED = frozenset(dtype.torch for dtype in dtypes.SIGNED)
_SIGNED_NUMBERS = (*dtypes.INEXACT, *dtypes.SIGNED)

ADD = _binary("AddV2", torch.add, dtypes.NUMBERS)
SUB = _binary("Sub", torch.sub, dtypes.NUMBERS)
MUL = _binary("Mul", torch.mul, dtypes.NUMBERS)
REAL_DIV = _binary("RealDiv", torch.true_divide, dtypes.NUMBERS, unsupported_types=dtypes.INTEGERS)
FLOOR_DIV = _binary(
    "FloorDiv", floor_div_kernel, dtypes.NUMBERS, checks=True, unsupported_types=dtypes.COMPLEX,
    kernel_for={dtypes.uint64: _integer(unsigned.divide)},
)  # fmt: skip
FLOOR_MOD = _binary(
    "FloorMod", _integer(torch.remainder), dtypes.REALS, checks=True,
    kernel_for={dtypes.uint64: _integer(unsigned.modulo)},
)  # fmt: skip
TRUNCATE_DIV = _binary(
    "TruncateDiv", _integer(_truncate_div), dtypes.NUMBERS, checks=True,
    unsupported_types=dtypes.COMPLEX,
    kernel_for={dtypes.uint64: _integer(unsigned.divide)},
)  # fmt: skip
TRUNCATE_MOD = _binary(
    "TruncateMod", _integer(torch.fmod), (dtypes.int32, dtypes.int64, *dtypes.FLOATS), checks=True,
    unsupported_types=dtypes.HALVES,
)  # fmt: skip
POW = _binary("Pow", pow_kernel, _SIGNED_NUMBERS, checks=True)
MAXIMUM = _binary(
    "Maximum", torch.maximum, dtypes.REALS,
    kernel_for={dtypes.uint64: unsigned.extreme(torch.maximum)},
)  # fmt: skip
MINIMUM = _binary(
    "Minimum", torch.minimum, dtypes.REALS,
    kernel_for={dtypes.uint64: unsigned.extreme(torch.minimum)},
)  # fmt: skip


def squared_difference_kernel(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """(x - y) times its conjugate."""
    difference = x - y
    if difference.is_complex():
        return difference * torch.conj_physical(difference)
    return difference * difference


SQUARED_DIFFERENCE = _binary(
    "SquaredDifference", squared_difference_kernel, (*dtypes.INEXACT, dtypes.int32, dtypes.int64)
)
NEXT_AFTER = op(
    "NextAfter", "x1: T, x2: T -> output: T", torch.nextafter, infer.broadcast,
    T=(dtypes.float64, dtypes.float32),
)  # fmt: skip

NEG = _unary("Neg", torch.neg, _SIGNED_NUMBERS)
ABS = _unary("Abs", torch.abs, (*dtypes.FLOATS, *dtypes.SIGNED))
EXP = _unary("Exp", torch.exp, dtypes.INEXACT)
EXPM1 = _unary("Expm1", torch.expm1, dtypes.INEXACT)
LOG = _unary("Log", torch.log, dtypes.INEXACT)
LOG1P = _unary("Log1p", torch.log1p, dtypes.INEXACT)
SQRT = _unary("Sqrt", torch.sqrt, dtypes.INEXACT)
RSQRT = _unary("Rsqrt", torch.rsqrt, dtypes.INEXACT)
SQUARE = _unary("Square", torch.square, dtypes.NUMBERS)
RECIPROCAL = _unary(
    "Reciprocal", torch.reciprocal, _SIGNED_NUMBERS, unsupported_types=dtypes.SIGNED
)
TANH = _unary("Tanh", torch.tanh, dtypes.INEXACT)


def _complex_sigmoid(x: torch.Tensor) -> torch.Tensor:
    """1 / (1 + exp(-x)) by the exponential that cannot overflow: torch's own gives NaN there."""
    is_left = x.real < 0
    small = torch.exp(torch.where(is_left, x, -x))
    return torch.where(is_left, small, 1) / (1 + small)


SIGMOID = _unary(
    "Sigmoid", torch.sigmoid, dtypes.INEXACT,
    kernel_for=dict.fromkeys(dtypes.COMPLEX, _complex_sigmoid),
)  # fmt: skip


# By overload: to choose one takes longer than the kernel on small values.
_SIGMOID_BACKWARD: Callable[..., Any] = torch.ops.aten.sigmoid_backward.default
_TANH_BACKWARD: Callable[..., Any] = torch.ops.aten.tanh_backward.default


def sigmoid_grad_kernel(y: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    """dy y (1 - y)."""
    return _SIGMOID_BACKWARD(dy, y)  # type: ignore[no-any-return]


def tanh_grad_kernel(y: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    """dy (1 - y^2)."""
    return _TANH_BACKWARD(dy, y)  # type: ignore[no-any-return]


# Gradients from results, in one step instead of three: recurrent networks are made of these.
SIGMOID_GRAD = op(
    "SigmoidGrad", "y: T, dy: T -> z: T", sigmoid_grad_kernel, infer.same, T=dtypes.WIDE,
    is_listed=False,
)  # fmt: skip
TANH_GRAD = op(
    "TanhGrad", "y: T, dy: T -> z: T", tanh_grad_kernel, infer.same, T=dtypes.WIDE,
    is_listed=False,
)  # fmt: skip
CONJ = op("Conj", "input: T -> output: T", torch.conj_physical, infer.same, T=dtypes.COMPLEX)


def sign_kernel(x: torch.Tensor) -> torch.Tensor:
    """-1, 0, 1, or NaN; complex numbers divided by their magnitude."""
    signs = torch.sgn(x)
    if x.is_floating_point():  # torch's sign of NaN is 0
        return torch.maximum(signs, torch.clamp(x, max=-1.0))
    return signs


SIGN = _unary("Sign", sign_kernel, _SIGNED_NUMBERS)
ROUND = _unary(
    "Round",
    torch.round,
    _SIGNED_NUMBERS,
    unsupported_types=(dtypes.int8, dtypes.int16, *dtypes.COMPLEX),
)
RINT = _unary("Rint", torch.round, dtypes.FLOATS, unsupported_types=dtypes.HALVES)
CEIL = _unary("Ceil", torch.ceil, dtypes.FLOATS)
FLOOR = _unary("Floor", torch.floor, dtypes.FLOATS)


def complex_abs_kernel(x: torch.Tensor, *, Tout: DType = dtypes.float32) -> torch.Tensor:  # noqa: N803
    """The magnitude of complex numbers."""
    return torch.abs(x).to(Tout.torch)


def _complex_abs_spec(x: Spec, *, Tout: DType = dtypes.float32) -> Spec:  # noqa: N803
    return Spec(x.dims, Tout)


COMPLEX_ABS = op(
    "ComplexAbs", "x: T -> y: Tout", complex_abs_kernel, _complex_abs_spec, T=dtypes.COMPLEX
)


def is_finite_kernel(x: torch.Tensor) -> torch.Tensor:
    """Neither infinite nor NaN; in two passes, where torch's own function takes four."""
    return torch.abs(x) < float("inf")


_TEST = "x: T -> y: bool"
_as_bool = infer.as_type(dtypes.bool_)
IS_NAN = op("IsNan", _TEST, torch.isnan, _as_bool, T=dtypes.FLOATS)
IS_INF = op("IsInf", _TEST, torch.isinf, _as_bool, T=dtypes.FLOATS)
IS_FINITE = op("IsFinite", _TEST, is_finite_kernel, _as_bool, T=dtypes.FLOATS)


def _texts(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], torch.Tensor]:
    """A comparison of strings, which are NumPy arrays of bytes."""

    def kernel(x: Any, y: Any) -> torch.Tensor:
        return torch.from_numpy(np.asarray(compare(x, y), bool))

    return kernel


def _plain(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], torch.Tensor]:
    """A comparison of quantized numbers."""

    def kernel(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> torch.Tensor:
        return torch.from_numpy(np.asarray(compare(unquantized(x), unquantized(y)), bool))

    return kernel


def string_add_kernel(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> Any:
    """x followed by y: NumPy adds objects as Python does."""
    return np.asarray(np.add(x, y), object)


_OLD_ADD_TYPES = (
    dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64, dtypes.uint8, *dtypes.SIGNED,
    *dtypes.COMPLEX,
)  # fmt: skip
# `tf.add` takes it for strings alone; `tf.raw_ops.Add` for numbers, too.
OLD_ADD = op(
    "Add", "x: T, y: T -> z: T", torch.add, infer.broadcast, T=(*_OLD_ADD_TYPES, dtypes.string),
    gpu_types=_OLD_ADD_TYPES, kernel_for={dtypes.string: string_add_kernel},
)  # fmt: skip


_EQUAL_TYPES = (*dtypes.ANY_FIXED, dtypes.string, *dtypes.QUANTIZED)
EQUAL = op(
    "Equal", _COMPARE, torch.eq, infer.compare, T=_EQUAL_TYPES, gpu_types=dtypes.ANY_FIXED,
    unsupported_types=dtypes.FLOATS8,
    kernel_for={
        dtypes.string: _texts(np.equal),
        **dict.fromkeys(dtypes.QUANTIZED, _plain(np.equal)),
    },
)  # fmt: skip
NOT_EQUAL = op(
    "NotEqual", _COMPARE, torch.ne, infer.compare, T=_EQUAL_TYPES, gpu_types=dtypes.ANY_FIXED,
    unsupported_types=dtypes.FLOATS8,
    kernel_for={
        dtypes.string: _texts(np.not_equal),
        **dict.fromkeys(dtypes.QUANTIZED, _plain(np.not_equal)),
    },
)  # fmt: skip
LESS = _compare("Less", torch.lt, dtypes.REALS)
LESS_EQUAL = _compare("LessEqual", torch.le, dtypes.REALS)
GREATER = _compare("Greater", torch.gt, dtypes.REALS)
GREATER_EQUAL = _compare("GreaterEqual", torch.ge, dtypes.REALS)


def approximate_equal_kernel(
    x: torch.Tensor, y: torch.Tensor, *, tolerance: float = 1e-5
) -> torch.Tensor:
    """True where the difference is smaller than the tolerance; shapes do not broadcast."""
    if x.shape != y.shape:
        raise invalid_argument("x and y must be of the same shape.")
    return torch.abs(x - y) < tolerance


def _approximate_spec(x: Spec, y: Spec, *, tolerance: float = 1e-5) -> Spec:
    if x.dims != y.dims:
        raise invalid_argument("x and y must be of the same shape.")
    return Spec(x.dims, dtypes.bool_)


APPROXIMATE_EQUAL = op(
    "ApproximateEqual", _COMPARE, approximate_equal_kernel, _approximate_spec, T=dtypes.NUMBERS,
    unsupported_types=(*dtypes.HALVES, *dtypes.INTEGERS, *dtypes.COMPLEX),
)  # fmt: skip

_BOOLS = "x: bool, y: bool -> z: bool"
LOGICAL_AND = op("LogicalAnd", _BOOLS, torch.logical_and, infer.broadcast)
LOGICAL_OR = op("LogicalOr", _BOOLS, torch.logical_or, infer.broadcast)
LOGICAL_NOT = op("LogicalNot", "x: bool -> y: bool", torch.logical_not, infer.same)


def cast_kernel(x: np.ndarray[Any, Any] | torch.Tensor, *, DstT: DType) -> Any:  # noqa: N803
    """The elements as another type; a complex number loses its imaginary part."""
    if DstT.torch is None or not isinstance(x, torch.Tensor):
        kinds = (as_dtype(x.dtype), DstT)
        if any(each.is_quantized for each in kinds) and dtypes.string not in kinds:
            return _cast_quantized(x, DstT)
        given = runtime_name(as_dtype(x.dtype)) if isinstance(x, torch.Tensor) else "string"
        raise UnimplementedError(
            None, None, f"Cast {given} to {runtime_name(DstT)} is not supported"
        )
    if x.dtype.is_complex and not DstT.is_complex:
        x = x.real
    if DstT is dtypes.uint64 and x.is_floating_point():
        return _as_uint64(x)
    return x.to(DstT.torch)


def _as_uint64(x: torch.Tensor) -> torch.Tensor:
    """TF: infinity and what is too large for the type become 2**63."""
    made = x.to(torch.uint64)
    made.view(torch.int64).masked_fill_(x >= 2.0**64, -(2**63))
    return made


def _cast_quantized(x: np.ndarray[Any, Any] | torch.Tensor, wanted: DType) -> Any:
    """Quantized numbers and plain ones into each other, without a scale."""
    if not isinstance(x, torch.Tensor):
        x = torch.from_numpy(unquantized(x).copy())
    if not wanted.is_quantized:
        return x.to(wanted.torch)
    return torch_to_numpy(x.cpu()).astype(wanted.as_numpy_dtype)


CAST = op(
    "Cast", "x: SrcT -> y: DstT", cast_kernel, infer.cast, SrcT=dtypes.ANY_HELD,
    gpu_types=dtypes.ANY_FIXED,
    wait_reason=HOST_TYPES,
)  # fmt: skip


def clip_kernel(
    t: torch.Tensor, clip_value_min: torch.Tensor, clip_value_max: torch.Tensor
) -> torch.Tensor:
    """Bounded from above, then from below; a NaN stays one, whoever brings it."""
    return torch.maximum(torch.minimum(t, clip_value_max), clip_value_min)


def clip_spec(t: Spec, clip_value_min: Spec, clip_value_max: Spec) -> Spec:
    """The shape that a tensor and its bounds stretch to, also where sizes are unknown."""
    return infer.broadcast(infer.broadcast(t, clip_value_max), clip_value_min)


def _clip_unsigned(t: TensorLike, clip_value_min: TensorLike, clip_value_max: TensorLike) -> Any:
    return unsigned.extreme(clip_kernel)(t, clip_value_min, clip_value_max)


_BOUND = "t: T, clip_value_min: T, clip_value_max: T -> output: T"
CLIP = op(
    "ClipByValue", _BOUND, clip_kernel, clip_spec, T=dtypes.REALS,
    kernel_for={dtypes.uint64: _clip_unsigned},
)  # fmt: skip


def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
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
    if type(x) is not EagerTensor or type(y) is not EagerTensor:
        if isinstance(x, (np.ndarray, np.generic)):
            x = to_tensor(x)  # TF: of all functions of two numbers only this keeps an array's dtype
        x, y = pair(x, y)
    try:
        state = LOCAL.state
        return state.target.apply_few(state, ADD, x, y)
    except (InvalidArgumentError, TypeError):  # the latter in graphs
        if x.dtype is not dtypes.string:
            raise
    return concatenate(x, y)


def concatenate(x: Any, y: Any) -> Tensor:
    """x + y for strings."""
    return apply(OLD_ADD, pair(x, y))


def subtract(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x - y, element by element (`tf.subtract`)."""
    return matched(SUB, x, y)


def multiply(x: TensorLike, y: Any, name: str | None = None) -> Tensor:
    """x * y, element by element (`tf.multiply`)."""
    return matched(MUL, x, y)


_DIVIDES_AS = {
    dtypes.int8: dtypes.float32, dtypes.int16: dtypes.float32, dtypes.uint8: dtypes.float32,
    dtypes.uint16: dtypes.float32, dtypes.int32: dtypes.float64, dtypes.int64: dtypes.float64,
    dtypes.uint32: dtypes.float64, dtypes.uint64: dtypes.float64,
}  # fmt: skip


def truediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y; integers are divided as floats, 8 and 16 bits as float32, more as float64
    (`tf.math.truediv`).

    Raises:
        TypeError: dtypes differ.
    """
    return binary(REAL_DIV, *dividable(x, y, "__truediv__"))


def as_divided(x: Any) -> Any:
    """Integers as the floats that they are divided as."""
    return cast(x, _DIVIDES_AS[x.dtype])


def dividable(x: TensorLike, y: TensorLike, function: str) -> tuple[Any, Any]:
    """Both as tensors of floats of one type, as they are divided.

    Raises:
        TypeError: dtypes differ, or they are no numbers.
    """
    x, y = pair(x, y)
    if x.dtype is not y.dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
    wider = _DIVIDES_AS.get(x.dtype)
    if wider is not None:
        return cast(x, wider), cast(y, wider)
    if x.dtype not in dtypes.INEXACT:
        raise TypeError(f"Invalid dtype {x.dtype!r} in {function}. Expected a dtype of numbers.")
    return x, y


def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y as Python divides (`tf.divide`)."""
    return truediv(x, y)


def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y rounded towards minus infinity (`tf.math.floordiv`)."""
    return matched(FLOOR_DIV, x, y)


def floormod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """What `floordiv` leaves, with the sign of y (`tf.math.floormod`)."""
    return matched(FLOOR_MOD, x, y)


def truncatediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y rounded towards zero (`tf.truncatediv`)."""
    return matched(TRUNCATE_DIV, x, y)


def truncatemod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """What `truncatediv` leaves, with the sign of x (`tf.truncatemod`)."""
    return matched(TRUNCATE_MOD, x, y)


def squared_difference(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """(x - y) squared; for complex numbers, times its conjugate (`tf.math.squared_difference`)."""
    return matched(SQUARED_DIFFERENCE, x, y)


def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> Tensor:
    """The number next to x1 in the direction of x2 (`tf.math.nextafter`).

    Where neither is a tensor, both are taken as float32.
    """
    if not (is_tensor_like(x1) or is_tensor_like(x2)):
        x1, x2 = to_tensor(x1, dtypes.float32), to_tensor(x2, dtypes.float32)
    return matched(NEXT_AFTER, x1, x2)


def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x to the power y (`tf.pow`)."""
    return matched(POW, x, y)


def maximum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The larger of x and y, element by element (`tf.maximum`)."""
    return matched(MAXIMUM, x, y)


def minimum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The smaller of x and y, element by element (`tf.minimum`)."""
    return matched(MINIMUM, x, y)


def negative(x: TensorLike, name: str | None = None) -> Tensor:
    """-x (`tf.negative`)."""
    return unary(NEG, x)


def abs(x: TensorLike, name: str | None = None) -> Tensor:
    """|x|; of complex numbers their magnitude, as floats (`tf.abs`)."""
    x = operand(x)
    if x.dtype.is_complex:
        return apply(COMPLEX_ABS, (x,), {"Tout": x.dtype.real_dtype})
    return unary(ABS, x)


def exp(x: TensorLike, name: str | None = None) -> Tensor:
    """e to the power x (`tf.exp`)."""
    return unary(EXP, x)


def expm1(x: TensorLike, name: str | None = None) -> Tensor:
    """exp(x) - 1, exact also near 0 (`tf.math.expm1`)."""
    return unary(EXPM1, x)


def log(x: TensorLike, name: str | None = None) -> Tensor:
    """The natural logarithm of x (`tf.math.log`)."""
    return unary(LOG, x)


def log1p(x: TensorLike, name: str | None = None) -> Tensor:
    """log(1 + x), exact also near 0 (`tf.math.log1p`)."""
    return unary(LOG1P, x)


def sqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """The square root of x (`tf.sqrt`)."""
    return unary(SQRT, x)


def rsqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / sqrt(x) (`tf.math.rsqrt`)."""
    return unary(RSQRT, x)


def reciprocal(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / x (`tf.math.reciprocal`)."""
    return unary(RECIPROCAL, x)


def square(x: TensorLike, name: str | None = None) -> Tensor:
    """x * x (`tf.square`)."""
    return unary(SQUARE, x)


def tanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic tangent of x (`tf.tanh`)."""
    return unary(TANH, x)


def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x)) (`tf.sigmoid`)."""
    return unary(SIGMOID, x)


def conj(x: TensorLike, name: str | None = None) -> Tensor:
    """x with its imaginary part negated; x itself if it is real (`tf.math.conj`)."""
    tensor = to_tensor(x)
    if tensor.dtype.is_complex:
        return apply(CONJ, (tensor,))
    if tensor.dtype not in dtypes.NUMBERS:
        raise TypeError(f"Expected numeric or variant tensor, got dtype {tensor.dtype!r}.")
    return own_tensor(x, tensor)


def sign(x: TensorLike, name: str | None = None) -> Tensor:
    """-1, 0 or 1 (`tf.sign`)."""
    return unary(SIGN, x)


def round(x: TensorLike, name: str | None = None) -> Tensor:
    """The nearest whole number, the even one of two as near; integers as they are (`tf.round`).

    >>> round([0.5, 1.5, -2.5]).numpy().tolist()
    [0.0, 2.0, -2.0]
    """
    tensor = to_tensor(x)
    return own_tensor(x, tensor) if tensor.dtype.is_integer else unary(ROUND, tensor)


def rint(x: TensorLike, name: str | None = None) -> Tensor:
    """The nearest whole number, the even one of two as near (`tf.math.rint`)."""
    return unary(RINT, x)


def ceil(x: TensorLike, name: str | None = None) -> Tensor:
    """The smallest whole number that is not less than x (`tf.math.ceil`)."""
    return unary(CEIL, x)


def floor(x: TensorLike, name: str | None = None) -> Tensor:
    """The largest whole number that is not more than x (`tf.floor`)."""
    return unary(FLOOR, x)


def is_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """True where x is not a number (`tf.math.is_nan`)."""
    return unary(IS_NAN, x)


def is_inf(x: TensorLike, name: str | None = None) -> Tensor:
    """True where x is infinite (`tf.math.is_inf`)."""
    return unary(IS_INF, x)


def is_finite(x: TensorLike, name: str | None = None) -> Tensor:
    """True where x is neither infinite nor NaN (`tf.math.is_finite`)."""
    return unary(IS_FINITE, x)


def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where x and y are equal (`tf.equal`)."""
    return matched(EQUAL, x, y)


def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where x and y differ (`tf.not_equal`)."""
    return matched(NOT_EQUAL, x, y)


def less(x: Any, y: Any, name: str | None = None) -> Tensor:
    """True where x < y (`tf.less`)."""
    return matched(LESS, x, y)


def less_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where x <= y (`tf.less_equal`)."""
    return matched(LESS_EQUAL, x, y)


def greater(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where x > y (`tf.greater`)."""
    return matched(GREATER, x, y)


def greater_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where x >= y (`tf.greater_equal`)."""
    return matched(GREATER_EQUAL, x, y)


def _on_bools(record: Op, *values: Any) -> Tensor:
    """Applies an op on bools; what is no tensor must be able to be bools."""
    return apply(record, tuple(map(_as_bools, values)))


def _as_bools(x: TensorLike) -> Tensor:
    return to_tensor(x, None if is_tensor_like(x) else dtypes.bool_)


def logical_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where both are (`tf.logical_and`)."""
    return _on_bools(LOGICAL_AND, x, y)


def logical_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where one of both is (`tf.logical_or`)."""
    return _on_bools(LOGICAL_OR, x, y)


def logical_not(x: TensorLike, name: str | None = None) -> Tensor:
    """True where x is False (`tf.logical_not`)."""
    return _on_bools(LOGICAL_NOT, x)


def logical_xor(x: TensorLike, y: TensorLike, name: str | None = "LogicalXor") -> Tensor:
    """True where exactly one of both is (`tf.math.logical_xor`)."""
    x, y = _as_bools(x), _as_bools(y)
    return logical_and(logical_or(x, y), logical_not(logical_and(x, y)))


def cast(x: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
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
    if isinstance(x, CompositeTensor) and hasattr(x, "indices"):  # sparse tensors, IndexedSlices
        composite: Tensor = with_values(x, lambda values: cast(values, wanted))
        return composite
    tensor = operand(x)
    if tensor.dtype is wanted:
        return own_tensor(x, tensor)
    return apply(CAST, (tensor,), {"DstT": wanted})


def with_values(x: CompositeTensor, change: Callable[[Any], Any]) -> Any:
    """The same places with other values."""
    values = x.values  # type: ignore[attr-defined]
    changed = change(values)
    return x.with_components([changed if part is values else part for part in x.components()])


CASTING.bind(cast)


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """Returns t, bounded from below and above (`tf.clip_by_value`).

    Args:
        t: a tensor of real numbers, or IndexedSlices.
        clip_value_min: the smallest value, of t's dtype; broadcasts to t's shape.
        clip_value_max: the largest value, of t's dtype; broadcasts to t's shape.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: dtypes differ or shapes do not broadcast.
        ValueError: a bound has more elements than t.

    >>> clip_by_value([1, 5, 9], 2, 6).numpy().tolist()
    [2, 5, 6]
    """
    if isinstance(t, CompositeTensor) and hasattr(t, "indices"):  # sparse tensors, IndexedSlices
        return with_values(t, lambda v: clip_by_value(v, clip_value_min, clip_value_max))
    t, most = strict_pair(t, clip_value_max)
    least = to_tensor(clip_value_min, None if is_tensor_like(clip_value_min) else t.dtype)
    for bound in () if isinstance(t, CompositeTensor) else (most, least):
        ranked = bound.shape.rank and t.shape.rank is not None
        together = broadcast(tuple(t.shape), tuple(bound.shape)) if ranked else None
        if together is not None and not t.shape.is_compatible_with(TensorShape(together)):
            raise ValueError(f"Shapes {t.shape} and {TensorShape(together)} are incompatible")
    return apply(CLIP, (t, least, most))
