"""Lines of LLVM with loops, addresses and whole numbers: what kernels of machine code are made of.

Whole numbers and addresses are written as LLVM names them, or as a Python number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .lines import Lines, constant

NAME = "loop"
_Number = str | int
# The bits of an x86 processor's MXCSR that make it take numbers below the smallest normal one for 0
# and give 0 in their place.
_WITHOUT_DENORMALS = 0x8040


class Turn:
    """A turn of a loop.

    Attributes:
        number: its number.
        given: the vectors that it was given by the turn before.
        handed: those that it hands on; what it was given, unless the turn says otherwise.
        ended: what the last turn has handed on, once the loop is over.
    """

    def __init__(self, number: str, given: list[str]) -> None:
        self.number = number
        self.given = given
        self.handed = given
        self.ended: list[str] = []


class KernelText(Lines):
    """The text of a function `loop(begin, fixed, sizes, scratch)`, line by line.

    `begin` is a whole number, `fixed` has addresses, `sizes` whole numbers of 64 bits, and
    `scratch` is memory. All other numbers are float32.
    """

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self._block = "entry"
        self._blocks = 0
        self._slots: list[str] = []

    def fixed(self, place: int) -> str:
        """An address that the call was given."""
        return self.add(f"load ptr, ptr {self.add(f'getelementptr ptr, ptr %fixed, i64 {place}')}")

    def size(self, place: int) -> str:
        """A size that the call was given."""
        return self.add(f"load i64, ptr {self.add(f'getelementptr i64, ptr %sizes, i64 {place}')}")

    def function_text(self) -> str:
        """The whole function."""
        head = f"define void @{NAME}(i64 %begin, ptr %fixed, ptr %sizes, ptr %scratch) {{\nentry:"
        return "\n".join(
            [*sorted(self.declared), head, *self._slots, *self.lines, "  ret void\n}\n"]
        )

    # -- whole numbers, conditions, addresses ---------------------------------------------------

    def times(self, *numbers: _Number) -> str:
        """Their product."""
        made = str(numbers[0])
        for number in numbers[1:]:
            made = self.add(f"mul i64 {made}, {number}")
        return made

    def plus(self, *numbers: _Number) -> str:
        """Their sum."""
        made = str(numbers[0])
        for number in numbers[1:]:
            made = self.add(f"add i64 {made}, {number}")
        return made

    def minus(self, x: _Number, y: _Number) -> str:
        """x - y."""
        return self.add(f"sub i64 {x}, {y}")

    def divided(self, x: _Number, y: _Number) -> tuple[str, str]:
        """How often y is in x, and what is left."""
        often = self.add(f"udiv i64 {x}, {y}")
        return often, self.minus(x, self.times(often, y))

    def least(self, x: _Number, y: _Number) -> str:
        """The smaller of two that are 0 or more."""
        return self.add(f"select i1 {self.is_below(x, y)}, i64 {x}, i64 {y}")

    def is_below(self, x: _Number, y: _Number) -> str:
        """Whether 0 <= x < y."""
        return self.add(f"icmp ult i64 {x}, {y}")

    def both(self, x: str, y: str) -> str:
        """Whether both conditions hold."""
        return self.add(f"and i1 {x}, {y}")

    def either(self, condition: str, x: str, y: str) -> str:
        """The first address if the condition holds, else the second."""
        return self.add(f"select i1 {condition}, ptr {x}, ptr {y}")

    def at(self, start: str, *numbers: _Number) -> str:
        """The address so many float32 numbers further, all together."""
        return self.add(f"getelementptr float, ptr {start}, i64 {self.plus(*numbers)}")

    # -- vectors --------------------------------------------------------------------------------

    def load(self, place: str) -> str:
        """The vector at an address."""
        return self.add(f"load {self.type}, ptr {place}, align 4")

    def same(self, place: str) -> str:
        """A vector of the number at an address."""
        one = self.add(f"load float, ptr {place}, align 4")
        return self.spread(self.add(f"insertelement {self.type} poison, float {one}, i32 0"))

    def literal(self, value: float) -> str:
        """A vector of the same number, as a constant."""
        return f"<{', '.join([f'float {constant(value)}'] * self.width)}>"

    def store(self, value: str, place: str) -> None:
        """Puts a vector at an address."""
        self.lines.append(f"  store {self.type} {value}, ptr {place}, align 4")

    def below(self, count: _Number) -> str:
        """Which places of a vector are among the first so many; none if it is negative."""
        places = ", ".join(f"i64 {i}" for i in range(self.width))
        type = f"<{self.width} x i64>"
        one = self.add(f"insertelement {type} poison, i64 {count}, i32 0")
        zeros = f"<{self.width} x i32> zeroinitializer"
        limit = self.add(f"shufflevector {type} {one}, {type} poison, {zeros}")
        return self.add(f"icmp slt {type} <{places}>, {limit}")

    def load_some(self, place: str, which: str) -> str:
        """The vector at an address, with zeros at other places than those of `below`, which need
        not be memory.
        """
        name, bits = f"@llvm.masked.load.v{self.width}f32.p0", f"<{self.width} x i1>"
        self.declared.add(f"declare {self.type} {name}(ptr, i32, {bits}, {self.type})")
        zeros = f"{self.type} zeroinitializer"
        return self.add(f"call {self.type} {name}(ptr {place}, i32 4, {bits} {which}, {zeros})")

    def store_some(self, value: str, place: str, which: str) -> None:
        """Puts the numbers at those places of a vector at an address."""
        name, bits = f"@llvm.masked.store.v{self.width}f32.p0", f"<{self.width} x i1>"
        self.declared.add(f"declare void {name}({self.type}, ptr, i32, {bits})")
        self.lines.append(
            f"  call void {name}({self.type} {value}, ptr {place}, i32 4, {bits} {which})"
        )

    def fetch(self, place: str) -> None:
        """Has a processor bring what is at an address into its second cache, in time for a load. It
        need not be memory.
        """
        self.declared.add("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        self.lines.append(f"  call void @llvm.prefetch.p0(ptr {place}, i32 0, i32 2, i32 1)")

    def turned(self, rows: Sequence[str]) -> list[str]:
        """The rows of a matrix with as many rows as a vector has numbers, transposed."""
        rows, apart = list(rows), 1
        while apart < self.width:
            for i in range(self.width):
                if not i & apart:
                    rows[i], rows[i | apart] = self._exchanged(rows[i], rows[i | apart], apart)
            apart *= 2
        return rows

    def _exchanged(self, x: str, y: str, apart: int) -> tuple[str, str]:
        """Two rows, of which every other `apart` numbers have changed places."""
        numbers = range(self.width)
        upper = [self.width + (i ^ apart) if i & apart else i for i in numbers]
        lower = [self.width + i if i & apart else i ^ apart for i in numbers]
        return self._chosen(x, y, upper), self._chosen(x, y, lower)

    def _chosen(self, x: str, y: str, places: Sequence[int]) -> str:
        mask = ", ".join(f"i32 {place}" for place in places)
        return self.add(
            f"shufflevector {self.type} {x}, {self.type} {y}, <{self.width} x i32> <{mask}>"
        )

    # -- flow -----------------------------------------------------------------------------------

    @contextmanager
    def without_denormals(self) -> Iterator[None]:
        """What takes numbers below the smallest normal one for 0, on x86 processors. Many take a
        hundred times as long for one of those.
        """
        for name in ("ld", "st"):
            self.declared.add(f"declare void @llvm.x86.sse.{name}mxcsr(ptr)")
        before, now = f"{self.name()}.slot", f"{self.name()}.slot"
        self._slots.extend(f"  {slot} = alloca i32" for slot in (before, now))
        self.lines.append(f"  call void @llvm.x86.sse.stmxcsr(ptr {before})")
        told = self.add(f"or i32 {self.add(f'load i32, ptr {before}')}, {_WITHOUT_DENORMALS}")
        self.lines.append(f"  store i32 {told}, ptr {now}")
        self.lines.append(f"  call void @llvm.x86.sse.ldmxcsr(ptr {now})")
        yield
        self.lines.append(f"  call void @llvm.x86.sse.ldmxcsr(ptr {before})")

    @contextmanager
    def loop(
        self, first: _Number, end: _Number, step: _Number = 1, sums: Sequence[str] = ()
    ) -> Iterator[Turn]:
        """A loop over the numbers from `first` to below `end`, of one turn at least, which hands
        vectors on from turn to turn; `sums` are the first ones.
        """
        self._blocks += 1
        name, before = f"b{self._blocks}", self._block
        turn = Turn(f"%{name}.i", [f"%{name}.g{i}" for i in range(len(sums))])
        # In memory, LLVM does not look for addresses that follow from a number, which would take it
        # as long as all else. In a loop with sums it should.
        if not sums:
            self._slots.append(f"  %{name}.slot = alloca i64")
            self.lines.append(f"  store i64 {first}, ptr %{name}.slot")
        self.lines.append(f"  br label %{name}\n{name}:")
        if not sums:
            self.lines.append(f"  {turn.number} = load i64, ptr %{name}.slot")
        else:
            self.lines.append(
                f"  {turn.number} = phi i64 [ {first}, %{before} ], [ %{name}.next, %{name}.last ]"
            )
        begin = len(self.lines)
        self._block = name
        yield turn
        self.lines[begin:begin] = [
            f"  {phi} = phi {self.type} [ {start}, %{before} ], [ {last}, %{name}.last ]"
            for phi, start, last in zip(turn.given, sums, turn.handed, strict=True)
        ]
        self.lines.append(
            f"  br label %{name}.last\n{name}.last:\n  %{name}.next = add i64 {turn.number}, {step}"
        )
        if not sums:
            self.lines.append(f"  store i64 %{name}.next, ptr %{name}.slot")
        self.lines.append(
            f"  %{name}.more = icmp ult i64 %{name}.next, {end}\n"
            f"  br i1 %{name}.more, label %{name}, label %{name}.done\n{name}.done:"
        )
        self._block = f"{name}.done"
        turn.ended = [
            self.add(f"phi {self.type} [ {value}, %{name}.last ]") for value in turn.handed
        ]

    @contextmanager
    def where(self, condition: str) -> Iterator[None]:
        """What is done only if a condition holds."""
        self._blocks += 1
        name = f"b{self._blocks}"
        self.lines.append(f"  br i1 {condition}, label %{name}, label %{name}.done\n{name}:")
        self._block = name
        yield
        self.lines.append(f"  br label %{name}.done\n{name}.done:")
        self._block = f"{name}.done"
