"""What a number can become on its own, as lines of LLVM for a vector of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import exponential, normal
from .lines import Lines


def _sigmoid_grad(to: Lines, y: str, dy: str) -> str:
    rest = to.two("fsub", to.number(1.0), y)
    return to.two("fmul", to.two("fmul", dy, rest), y)


def _tanh_grad(to: Lines, y: str, dy: str) -> str:
    rest = to.two("fsub", to.number(1.0), to.two("fmul", y, y))
    return to.two("fmul", dy, rest)


def _mul_no_nan(to: Lines, x: str, y: str) -> str:
    zero = to.number(0.0)
    return to.choose("oeq", y, zero, zero, to.two("fmul", x, y))


def _relu_grad(to: Lines, dy: str, x: str) -> str:
    zero, one = to.number(0.0), to.number(1.0)
    return to.two("fmul", dy, to.choose("ogt", x, zero, one, zero))


def _relu6(to: Lines, x: str) -> str:
    return to.intrinsic("minimum", to.intrinsic("maximum", x, to.number(0.0)), to.number(6.0))


def _relu6_grad(to: Lines, dy: str, x: str) -> str:
    zero, one = to.number(0.0), to.number(1.0)
    below = to.choose("olt", x, to.number(6.0), one, zero)
    return to.two("fmul", dy, to.choose("ogt", x, zero, below, zero))


def _squared_difference(to: Lines, x: str, y: str) -> str:
    gap = to.two("fsub", x, y)
    return to.two("fmul", gap, gap)


def _sum(to: Lines, first: str, *others: str) -> str:
    for each in others:
        first = to.two("fadd", first, each)
    return first


def _of_two(what: str) -> Callable[..., str]:
    return lambda to, x, y: to.two(what, x, y)


def _where(condition: str) -> Callable[..., str]:
    return lambda to, a, b, x, y: to.choose(condition, a, b, x, y)


def _of_library(name: str) -> Callable[..., str]:
    return lambda to, x: to.function(name, x)


def _of_llvm(what: str) -> Callable[..., str]:
    return lambda to, *values: to.intrinsic(what, *values)


# By the names of TensorFlow's ops.
POINTWISE: dict[str, Callable[..., Any]] = {
    "AddN": _sum,
    "Add": _of_two("fadd"),
    "AddV2": _of_two("fadd"),
    "BiasAdd": _of_two("fadd"),
    "Sub": _of_two("fsub"),
    "Mul": _of_two("fmul"),
    "MulNoNan": _mul_no_nan,
    "RealDiv": _of_two("fdiv"),
    "Neg": lambda to, x: to.add(f"fneg {to.type} {x}"),
    "Square": lambda to, x: to.two("fmul", x, x),
    "SquaredDifference": _squared_difference,
    "Reciprocal": lambda to, x: to.two("fdiv", to.number(1.0), x),
    "Abs": _of_llvm("fabs"),
    "Sqrt": _of_llvm("sqrt"),
    "Maximum": _of_llvm("maximum"),
    "Minimum": _of_llvm("minimum"),
    "Rsqrt": lambda to, x: to.two("fdiv", to.number(1.0), to.intrinsic("sqrt", x)),
    "Relu": lambda to, x: to.intrinsic("maximum", x, to.number(0.0)),
    "ReluGrad": _relu_grad,
    "Relu6": _relu6,
    "Relu6Grad": _relu6_grad,
    "Exp": exponential.exp,
    "Log": _of_library("log"),
    "Tanh": exponential.tanh,
    "TanhGrad": _tanh_grad,
    "Sigmoid": exponential.sigmoid,
    "SigmoidGrad": _sigmoid_grad,
    "ZerosLike": lambda to, x: to.number(0.0),
    "OnesLike": lambda to, x: to.number(1.0),
    "_WhereGreater": _where("ogt"),
    "_WhereGreaterEqual": _where("oge"),
    "_WhereLess": _where("olt"),
    "_WhereLessEqual": _where("ole"),
    "_Gelu": normal.gelu,
    "_GeluGrad": normal.gelu_grad,
    "_GeluByTanh": exponential.gelu_by_tanh,
    "_GeluByTanhGrad": exponential.gelu_by_tanh_grad,
    "_Silu": exponential.silu,
    "_SiluGrad": exponential.silu_grad,
}

# What the lines above mean, where an op has attributes.
_ATTRS: dict[str, tuple[str, object]] = {
    "BiasAdd": ("data_format", "NHWC"),
    "_Silu": ("beta", 1.0),
    "_SiluGrad": ("beta", 1.0),
}


def is_pointwise(name: str, attrs: Mapping[str, Any]) -> bool:
    """Whether an op with these attributes does what the lines of its name do."""
    if name not in _ATTRS:
        return name in POINTWISE
    key, meant = _ATTRS[name]
    return bool(attrs.get(key, meant) == meant)
