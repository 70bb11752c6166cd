"""What a number can become on its own, as lines of LLVM for a vector of them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

from . import library

# LLVM may contract a product and a sum into one step; it may do nothing else to numbers.
_FLAGS = "contract"


class Lines:
    """Lines of LLVM that compute with vectors of `width` float32 numbers.

    Raises:
        LookupError: torch has no such function of a vector.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self.type = f"<{width} x float>"
        self.lines: list[str] = []
        self.declared: set[str] = set()
        self._count = 0

    def name(self) -> str:
        """A name that nothing has."""
        self._count += 1
        return f"%v{self._count}"

    def add(self, text: str) -> str:
        """A line that makes a value; returns the value's name."""
        name = self.name()
        self.lines.append(f"  {name} = {text}")
        return name

    def number(self, value: float) -> str:
        """A vector of the same number."""
        one = self.add(f"insertelement {self.type} poison, float {constant(value)}, i32 0")
        return self.spread(one)

    def spread(self, first: str) -> str:
        """A vector of the first number of another."""
        zeros = f"<{self.width} x i32> zeroinitializer"
        return self.add(f"shufflevector {self.type} {first}, {self.type} poison, {zeros}")

    def two(self, what: str, x: str, y: str) -> str:
        """`fadd`, `fsub`, `fmul` or `fdiv`."""
        return self.add(f"{what} {_FLAGS} {self.type} {x}, {y}")

    def intrinsic(self, what: str, *values: str) -> str:
        """A function that LLVM itself knows, such as `sqrt`."""
        whole = f"@llvm.{what}.v{self.width}f32"
        types = ", ".join([self.type] * len(values))
        self.declared.add(f"declare {self.type} {whole}({types})")
        return self.add(f"call {self.type} {whole}({self._given(values)})")

    def function(self, name: str, *values: str) -> str:
        """A function of torch's library, such as `tanh`."""
        address = library.function(name, self.width)
        if address is None:
            raise LookupError(f"torch has no {name} of {self.width} numbers")
        return self.add(f"call {self.type} inttoptr (i64 {address} to ptr)({self._given(values)})")

    def choose(self, condition: str, x: str, y: str, yes: str, no: str) -> str:
        """`yes` where a condition such as `ogt` holds of x and y, else `no`."""
        which = self.add(f"fcmp {condition} {self.type} {x}, {y}")
        return self.add(f"select <{self.width} x i1> {which}, {self.type} {yes}, {self.type} {no}")

    def _given(self, values: Sequence[str]) -> str:
        return ", ".join(f"{self.type} {value}" for value in values)


def constant(value: float) -> str:
    """A float32 number in LLVM's words, which are those of the float64 number that equals it."""
    rounded = struct.unpack("f", struct.pack("f", value))[0]
    return f"0x{struct.unpack('<Q', struct.pack('<d', rounded))[0]:016X}"


def _sigmoid(to: Lines, x: str) -> str:
    down = to.function("exp", to.add(f"fneg {to.type} {x}"))
    one = to.number(1.0)
    return to.two("fdiv", one, to.two("fadd", one, down))


def _sigmoid_grad(to: Lines, y: str, dy: str) -> str:
    rest = to.two("fsub", to.number(1.0), y)
    return to.two("fmul", to.two("fmul", dy, rest), y)


def _tanh_grad(to: Lines, y: str, dy: str) -> str:
    rest = to.two("fsub", to.number(1.0), to.two("fmul", y, y))
    return to.two("fmul", dy, rest)


def _relu_grad(to: Lines, dy: str, x: str) -> str:
    zero = to.number(0.0)
    return to.choose("ole", x, zero, zero, dy)


def _relu6(to: Lines, x: str) -> str:
    return to.intrinsic("minimum", to.intrinsic("maximum", x, to.number(0.0)), to.number(6.0))


def _relu6_grad(to: Lines, dy: str, x: str) -> str:
    zero = to.number(0.0)
    below = to.choose("olt", x, to.number(6.0), dy, zero)
    return to.choose("ogt", x, zero, below, zero)


def _squared_difference(to: Lines, x: str, y: str) -> str:
    gap = to.two("fsub", x, y)
    return to.two("fmul", gap, gap)


def _sum(to: Lines, first: str, *others: str) -> str:
    for each in others:
        first = to.two("fadd", first, each)
    return first


def _of_two(what: str) -> Callable[..., str]:
    return lambda to, x, y: to.two(what, x, y)


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
    "Exp": _of_library("exp"),
    "Log": _of_library("log"),
    "Tanh": _of_library("tanh"),
    "TanhGrad": _tanh_grad,
    "Sigmoid": _sigmoid,
    "SigmoidGrad": _sigmoid_grad,
    "ZerosLike": lambda to, x: to.number(0.0),
}
