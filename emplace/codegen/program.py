"""What a loop does in each iteration, for machine code: maps over rows of numbers, and products.

All numbers are float32. Sizes and steps are counted in numbers.
"""

from __future__ import annotations

from typing import NamedTuple


class Memory(NamedTuple):
    """Where numbers are: `kind` is "fixed", the same place in all iterations; "each", one place per
    iteration; or "scratch", `place` numbers into the memory that the loop itself needs.
    """

    kind: str
    place: int


class View(NamedTuple):
    """Rows of numbers in a memory. A step of 0 repeats a row, or a number along a row."""

    memory: Memory
    offset: int
    rows: int
    columns: int
    row_step: int
    column_step: int = 1

    @property
    def is_dense(self) -> bool:
        """Whether its numbers are one after the other."""
        return self.column_step == 1 and (self.rows == 1 or self.row_step == self.columns)

    @property
    def is_one(self) -> bool:
        """Whether it is one number, repeated."""
        return self.column_step == 0 and (self.rows == 1 or self.row_step == 0)

    def part(self, begin: int, size: int) -> View:
        """Some of its columns."""
        return self._replace(offset=self.offset + begin * self.column_step, columns=size)


class MapInstruction(NamedTuple):
    """The same steps for each place of equally large views.

    Values are numbered: those of `loads`, then `constants`, then what each step makes of earlier
    ones. `stores` are pairs of a value and where it goes; `sums` likewise, for the sums of a value
    along each column. `folds` say how a value is folded along each row, which value, and where the
    number of each row goes; there are no sums beside them. How is "sum", "maximum", or "largest",
    which passes over what is not a number.
    """

    rows: int
    columns: int
    loads: tuple[View, ...]
    constants: tuple[float, ...]
    steps: tuple[tuple[str, tuple[int, ...]], ...]
    stores: tuple[tuple[int, View], ...]
    sums: tuple[tuple[int, View], ...] = ()
    folds: tuple[tuple[str, int, View], ...] = ()


class ProductInstruction(NamedTuple):
    """c = a b, or c + a b if `adds`; `transpose_a` says that a is stored by columns."""

    a: View
    b: View
    c: View
    transpose_a: bool
    transpose_b: bool
    adds: bool


class Program(NamedTuple):
    """The instructions of an iteration, and the numbers of scratch memory that they need.

    `steps` are pairs per memory of the kind "each": so many numbers further, every so many
    iterations; sums in a memory that takes steps of 0 go on from iteration to iteration. Without
    steps a table says where the memory of each iteration is, or, if the program
    `has_starts`, where the first is and how far it is from one to the next.
    """

    instructions: tuple[MapInstruction | ProductInstruction, ...]
    fixed: int
    each: int
    scratch: int
    steps: tuple[tuple[int, int], ...] = ()
    has_starts: bool = False
