"""Lines of LLVM that compute with vectors of numbers."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from . import library

# LLVM may contract a product and a sum into one step; it may do nothing else to numbers.
_FLAGS = "contract"

#: Vectors of so many numbers are those of AVX-512.
WIDEST = 16


class Lines:
    """Lines of LLVM that compute with vectors of `width` float32 numbers.

    Raises:
        LookupError: torch has no such function of a vector.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self.type = f"<{width} x float>"
        self.whole_type = f"<{width} x i32>"
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

    def whole(self, what: str, x: str, y: str) -> str:
        """`add`, `sub`, `shl` or `ashr` of whole numbers of 32 bits."""
        return self.add(f"{what} {self.whole_type} {x}, {y}")

    def whole_number(self, value: int) -> str:
        """A vector of the same whole number."""
        one = self.add(f"insertelement {self.whole_type} poison, i32 {value}, i32 0")
        zeros = f"<{self.width} x i32> zeroinitializer"
        return self.add(f"shufflevector {self.whole_type} {one}, {self.whole_type} poison, {zeros}")

    def bits(self, x: str) -> str:
        """The bits of float32 numbers as whole numbers."""
        return self.add(f"bitcast {self.type} {x} to {self.whole_type}")

    def from_bits(self, x: str) -> str:
        """The float32 numbers of such bits."""
        return self.add(f"bitcast {self.whole_type} {x} to {self.type}")

    def intrinsic(self, what: str, *values: str) -> str:
        """A function that LLVM itself knows, such as `sqrt`."""
        whole = f"@llvm.{what}.v{self.width}f32"
        types = ", ".join([self.type] * len(values))
        self.declared.add(f"declare {self.type} {whole}({types})")
        return self.add(f"call {self.type} {whole}({self._given(values)})")

    def scaled(self, x: str, steps: str) -> str:
        """x times 2 to the power of whole float32 numbers, in vectors of `WIDEST` numbers."""
        name = f"@llvm.x86.avx512.mask.scalef.ps.{32 * WIDEST}"
        given = [f"{self.type} {x}", f"{self.type} {steps}", f"{self.type} zeroinitializer"]
        self.declared.add(f"declare {self.type} {name}({', '.join([self.type] * 3)}, i16, i32)")
        # All places, rounded as all else.
        return self.add(f"call {self.type} {name}({', '.join(given)}, i16 -1, i32 4)")

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

    def between(self, x: str, least: str, most: str) -> str:
        """x, but no less and no more than that; what is not a number stays so."""
        x = self.choose("olt", x, least, least, x)
        return self.choose("ogt", x, most, most, x)

    def _given(self, values: Sequence[str]) -> str:
        return ", ".join(f"{self.type} {value}" for value in values)


def constant(value: float) -> str:
    """A float32 number in LLVM's words, which are those of the float64 number that equals it."""
    rounded = struct.unpack("f", struct.pack("f", value))[0]
    return f"0x{struct.unpack('<Q', struct.pack('<d', rounded))[0]:016X}"
