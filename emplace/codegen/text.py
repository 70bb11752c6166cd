"""A program as text of LLVM: one function that runs all iterations.

`loop(iterations, fixed, table, scratch)`: `fixed` are addresses, `table` says where each memory of
the kind "each" is. If the program has steps, that is where it begins; if it has starts, that and
how many bytes further each iteration's is, or `APART` and where in the table, counted in bytes,
there is an address per iteration; else an address per iteration.
"""

from __future__ import annotations

import math

from . import library
from .kernel_text import NAME
from .lines import Lines, constant
from .pointwise import POINTWISE
from .program import MapInstruction, Memory, ProductInstruction, Program, View

#: In the place of a step: the addresses of the iterations follow no rule.
APART = -(1 << 63)
# Torch has its functions for vectors of so many numbers and more.
_LEAST_HALF = 8
# What a fold begins with.
_BEFORE = {"sum": 0.0, "maximum": -math.inf, "largest": -math.inf}


def text(program: Program, width: int) -> str:
    """The text of a program for vectors of `width` numbers.

    Raises:
        LookupError: torch lends no function that the program needs.
    """
    writer = _Writer(width)
    writer.begin(program)
    for each in program.instructions:
        if isinstance(each, MapInstruction):
            writer.map(each)
        else:
            writer.product(each)
    return writer.end()


def best_width(program: Program, most: int) -> int:
    """How many numbers a vector should have, of `most` and half as many: what is left of a row
    beside whole vectors is computed number by number.
    """
    maps = [each for each in program.instructions if isinstance(each, MapInstruction)]
    maps = [each if each.sums or each.folds else _flat(each) for each in maps]

    def cost(width: int) -> int:
        return sum(each.rows * sum(divmod(each.columns, width)) for each in maps)

    half = most // 2
    return half if half >= _LEAST_HALF and cost(half) < cost(most) else most


class _Writer(Lines):
    def __init__(self, width: int) -> None:
        super().__init__(width)
        self._block = "iteration"
        self._blocks = 0
        self._globals: dict[str, str] = {}
        self._memory: dict[Memory, str] = {}
        # Loads of a map whose number is the same at every place.
        self._same: dict[int, str] = {}
        # What all iterations have at the same place: sums there go on from one to the next.
        self._staying: set[Memory] = set()

    # -- the function ---------------------------------------------------------------------------

    def begin(self, program: Program) -> None:
        """Addresses, and the head of the loop over iterations."""
        self.lines.append(
            f"define void @{NAME}(i64 %iterations, ptr %fixed, ptr %table, ptr %scratch) {{\nentry:"
        )
        self.lines.append("  %slot = alloca i64\n  store i64 0, ptr %slot")
        for i in range(program.fixed):
            place = self.add(f"getelementptr ptr, ptr %fixed, i64 {i}")
            self._memory[Memory("fixed", i)] = self.add(f"load ptr, ptr {place}")
        self.lines.append("  br label %iteration\niteration:\n  %t = load i64, ptr %slot")
        for i in range(program.each):
            if program.steps:
                found = self._step(i, *program.steps[i])
                if not program.steps[i][0]:
                    self._staying.add(Memory("each", i))
            else:
                found = self._start(i) if program.has_starts else self._entry(i)
            self._memory[Memory("each", i)] = found

    def _entry(self, i: int) -> str:
        """What the table says of this iteration."""
        row = self.add(f"mul i64 %iterations, {i}")
        place = self.add(f"getelementptr ptr, ptr %table, i64 {self.add(f'add i64 {row}, %t')}")
        return self.add(f"load ptr, ptr {place}")

    def _start(self, i: int) -> str:
        """Where the call says that this iteration's memory is."""
        start, step = [
            self.add(f"load i64, ptr {self.add(f'getelementptr i64, ptr %table, i64 {2 * i + j}')}")
            for j in range(2)
        ]
        before, apart, ready = self._block, f"apart{i}", f"ready{i}"
        further = self.add(f"add i64 {start}, {self.add(f'mul i64 %t, {step}')}")
        is_apart = self.add(f"icmp eq i64 {step}, {APART}")
        self.lines.append(f"  br i1 {is_apart}, label %{apart}, label %{ready}\n{apart}:")
        row = self.add(f"getelementptr i8, ptr %table, i64 {start}")
        own = self.add(f"load i64, ptr {self.add(f'getelementptr i64, ptr {row}, i64 %t')}")
        self.lines.append(f"  br label %{ready}\n{ready}:")
        self._block = ready
        address = self.add(f"phi i64 [ {further}, %{before} ], [ {own}, %{apart} ]")
        return self.add(f"inttoptr i64 {address} to ptr")

    def _step(self, i: int, numbers: int, every: int) -> str:
        """So many steps from what the table says of the first iteration."""
        place = self.add(f"getelementptr ptr, ptr %table, i64 {i}")
        start = self.add(f"load ptr, ptr {place}")
        steps = "%t" if every == 1 else self.add(f"udiv i64 %t, {every}")
        index = self.add(f"mul i64 {steps}, {numbers}")
        return self.add(f"getelementptr float, ptr {start}, i64 {index}")

    def end(self) -> str:
        """The end of the loop; returns the whole text."""
        self.lines.append(
            "  %next = add i64 %t, 1\n  store i64 %next, ptr %slot\n"
            "  %more = icmp ult i64 %next, %iterations\n"
            "  br i1 %more, label %iteration, label %done\ndone:\n  ret void\n}"
        )
        head = [f"{name} = private constant {value}" for value, name in self._globals.items()]
        return "\n".join([*head, *sorted(self.declared), *self.lines, ""])

    # -- addresses ------------------------------------------------------------------------------

    def _base(self, memory: Memory) -> str:
        if memory.kind == "scratch":
            return self.add(f"getelementptr float, ptr %scratch, i64 {memory.place}")
        return self._memory[memory]

    def _at(self, view: View, row: str, column: str) -> str:
        """The address of a place in a view."""
        index = f"{view.offset}"
        if row != "0" and view.row_step:
            index = self.add(f"add i64 {index}, {self.add(f'mul i64 {row}, {view.row_step}')}")
        if column != "0" and view.column_step:
            index = self.add(f"add i64 {index}, {column}")
        return self.add(f"getelementptr float, ptr {self._base(view.memory)}, i64 {index}")

    # -- maps -----------------------------------------------------------------------------------

    def map(self, each: MapInstruction) -> None:
        """Two loops around the steps of a map, the inner one over whole vectors and the rest."""
        self._same = {
            i: self._load(x, "0", "0", False) for i, x in enumerate(each.loads) if x.is_one
        }
        if each.sums:
            self._map_with_sums(each)
            return
        if each.folds:
            self._map_with_folds(each)
            return
        each = _flat(each)
        with_rows = each.rows > 1
        row = self._loop_begin() if with_rows else ("0", "")
        whole = each.columns - each.columns % self.width
        if whole:
            column = self._loop_begin()
            self._iteration(each, row[0], column[0], True)
            self._loop_end(column, whole, self.width)
        if whole < each.columns:
            column = self._loop_begin(whole)
            self._iteration(each, row[0], column[0], False)
            self._loop_end(column, each.columns, 1)
        if with_rows:
            self._loop_end(row, each.rows, 1)

    def _loop_begin(self, first: int = 0) -> tuple[str, str]:
        self._blocks += 1
        name, before = f"b{self._blocks}", self._block
        self.lines.append(f"  br label %{name}\n{name}:")
        counter = f"%{name}.i"
        self.lines.append(
            f"  {counter} = phi i64 [ {first}, %{before} ], [ %{name}.next, %{name}.last ]"
        )
        self._block = name
        return counter, name

    def _loop_end(self, loop: tuple[str, str], count: int, step: int) -> None:
        counter, name = loop
        self.lines.append(
            f"  br label %{name}.last\n{name}.last:\n  %{name}.next = add i64 {counter}, {step}\n"
            f"  %{name}.more = icmp ult i64 %{name}.next, {count}\n"
            f"  br i1 %{name}.more, label %{name}, label %{name}.done\n{name}.done:"
        )
        self._block = f"{name}.done"

    def _iteration(self, each: MapInstruction, row: str, column: str, is_whole: bool) -> None:
        values = self._values(each, row, column, is_whole, self._same)
        for i, view in each.stores:
            self._store(values[i], self._at(view, row, column), is_whole)

    def _values(
        self, each: MapInstruction, row: str, column: str, is_whole: bool, ready: dict[int, str]
    ) -> list[str]:
        """All values of a map at a place; those of some loads are ready."""
        values = [
            ready[i] if i in ready else self._load(view, row, column, is_whole)
            for i, view in enumerate(each.loads)
        ]
        values += [self.number(value) for value in each.constants]
        for name, given in each.steps:
            values.append(POINTWISE[name](self, *[values[i] for i in given]))
        return values

    def _map_with_sums(self, each: MapInstruction) -> None:
        """Sums of a single vector's columns, or of columns that fill no vector, stay in registers.
        Others lie in memory, so that every row is read in order: processors fetch ahead what is.
        """
        whole = each.columns - each.columns % self.width
        if whole > self.width:
            self._summed_rows(each, whole)
        elif whole:
            self._summed_columns(each, "0", True)
        if whole < each.columns:
            column = self._loop_begin(whole)
            self._summed_columns(each, column[0], False)
            self._loop_end(column, each.columns, 1)

    def _starts(self, each: MapInstruction, column: str, is_whole: bool) -> list[str]:
        """What sums are before an iteration: what they were, if they go on from one to the next."""
        if each.sums[0][1].memory not in self._staying:
            return ["zeroinitializer"] * len(each.sums)
        is_first = self.add("icmp eq i64 %t, 0")
        lying = [self._load(view, "0", column, is_whole) for _, view in each.sums]
        return [
            self.add(f"select i1 {is_first}, {self.type} zeroinitializer, {self.type} {x}")
            for x in lying
        ]

    def _summed_rows(self, each: MapInstruction, whole: int) -> None:
        column = self._loop_begin()
        starts = self._starts(each, column[0], True)
        for start, (_, view) in zip(starts, each.sums, strict=True):
            self._store(start, self._at(view, "0", column[0]), True)
        self._loop_end(column, whole, self.width)
        row = self._loop_begin()
        column = self._loop_begin()
        values = self._values(each, row[0], column[0], True, self._same)
        for i, view in each.stores:
            self._store(values[i], self._at(view, row[0], column[0]), True)
        for i, view in each.sums:
            place = self._at(view, "0", column[0])
            before = self.add(f"load {self.type}, ptr {place}, align 4")
            self._store(self.add(f"fadd {self.type} {before}, {values[i]}"), place, True)
        self._loop_end(column, whole, self.width)
        self._loop_end(row, each.rows, 1)

    def _summed_columns(self, each: MapInstruction, column: str, is_whole: bool) -> None:
        ready = {
            i: self._load(view, "0", column, is_whole)
            for i, view in enumerate(each.loads)
            if not view.row_step and i not in self._same
        }
        starts = self._starts(each, column, is_whole)
        before = self._block
        row = self._loop_begin()
        for i, start in enumerate(starts):
            self.lines.append(
                f"  %{row[1]}.s{i} = phi {self.type} [ {start}, %{before} ], "
                f"[ %{row[1]}.t{i}, %{row[1]}.last ]"
            )
        values = self._values(each, row[0], column, is_whole, self._same | ready)
        for i, view in each.stores:
            self._store(values[i], self._at(view, row[0], column), is_whole)
        for i, (value, _) in enumerate(each.sums):
            self.lines.append(
                f"  %{row[1]}.t{i} = fadd {self.type} %{row[1]}.s{i}, {values[value]}"
            )
        self._loop_end(row, each.rows, 1)
        for i, (_, view) in enumerate(each.sums):
            self._store(f"%{row[1]}.t{i}", self._at(view, "0", column), is_whole)

    def _map_with_folds(self, each: MapInstruction) -> None:
        """Row by row. What a row comes to stays in registers: a vector for whole ones, another one
        for what is left beside them.
        """
        whole = each.columns - each.columns % self.width
        row = self._loop_begin()
        of_row = {
            i: self._load(view, row[0], "0", False)
            for i, view in enumerate(each.loads)
            if not view.column_step and i not in self._same
        }
        parts = []
        if whole:
            vectors = self._folded(each, row[0], (0, whole), True, self._same | of_row)
            folds = zip(each.folds, vectors, strict=True)
            parts.append([self._across(how, vector) for (how, _, _), vector in folds])
        if whole < each.columns:
            rest = (whole, each.columns)
            parts.append(self._folded(each, row[0], rest, False, self._same | of_row))
        for (how, _, view), *numbers in zip(each.folds, *parts, strict=True):
            number = numbers[0] if len(numbers) == 1 else self._fold(how, *numbers)
            self._store(number, self._at(view, row[0], "0"), False)
        self._loop_end(row, each.rows, 1)

    def _folded(
        self, each: MapInstruction, row: str, columns: tuple[int, int], is_whole: bool,
        ready: dict[int, str],
    ) -> list[str]:  # fmt: skip
        """What some columns of a row come to, in each place of a vector."""
        first = [self.number(_BEFORE[how]) for how, _, _ in each.folds]
        before = self._block
        column, name = loop = self._loop_begin(columns[0])
        begin = len(self.lines)
        values = self._values(each, row, column, is_whole, ready)
        for i, view in each.stores:
            self._store(values[i], self._at(view, row, column), is_whole)
        given = [f"%{name}.s{i}" for i in range(len(first))]
        made = [
            self._fold(how, x, values[value])
            for x, (how, value, _) in zip(given, each.folds, strict=True)
        ]
        self.lines[begin:begin] = [
            f"  {x} = phi {self.type} [ {start}, %{before} ], [ {y}, %{name}.last ]"
            for x, start, y in zip(given, first, made, strict=True)
        ]
        self._loop_end(loop, columns[1], self.width if is_whole else 1)
        return made

    def _fold(self, how: str, x: str, y: str) -> str:
        if how == "sum":
            return self.two("fadd", x, y)
        return self.intrinsic(how, x, y) if how == "maximum" else self.choose("ogt", y, x, y, x)

    def _across(self, how: str, vector: str) -> str:
        """What the numbers of a vector come to, in each of its places."""
        apart = self.width // 2
        while apart:
            places = ", ".join(f"i32 {i ^ apart}" for i in range(self.width))
            other = self.add(
                f"shufflevector {self.type} {vector}, {self.type} poison, "
                f"<{self.width} x i32> <{places}>"
            )
            vector = self._fold(how, vector, other)
            apart //= 2
        return vector

    def _load(self, view: View, row: str, column: str, is_whole: bool) -> str:
        place = self._at(view, row, column)
        if is_whole and view.column_step:
            return self.add(f"load {self.type}, ptr {place}, align 4")
        one = self.add(f"load float, ptr {place}, align 4")
        return self.spread(self.add(f"insertelement {self.type} poison, float {one}, i32 0"))

    def _store(self, value: str, place: str, is_whole: bool) -> None:
        if is_whole:
            self.lines.append(f"  store {self.type} {value}, ptr {place}, align 4")
        else:
            one = self.add(f"extractelement {self.type} {value}, i32 0")
            self.lines.append(f"  store float {one}, ptr {place}, align 4")

    # -- products -------------------------------------------------------------------------------

    def product(self, each: ProductInstruction) -> None:
        """A call of BLAS, which stores by columns: for it, this is c' = b' a'."""
        m, n = each.c.rows, each.c.columns
        k = each.a.rows if each.transpose_a else each.a.columns
        given = [
            self._character(each.transpose_b), self._character(each.transpose_a),
            self._integer(n), self._integer(m), self._integer(k), self._real(1.0),
            self._at(each.b, "0", "0"), self._integer(each.b.row_step),
            self._at(each.a, "0", "0"), self._integer(each.a.row_step),
            self._real(1.0 if each.adds else 0.0),
            self._at(each.c, "0", "0"), self._integer(each.c.row_step),
        ]  # fmt: skip
        address = library.product()
        if address is None:
            raise LookupError("torch shares no product of matrices here")
        arguments = ", ".join(f"ptr {name}" for name in given)
        self.lines.append(f"  call void inttoptr (i64 {address} to ptr)({arguments})")

    def _global(self, value: str) -> str:
        return self._globals.setdefault(value, f"@g{len(self._globals)}")

    def _character(self, is_transposed: bool) -> str:
        return self._global(f"i8 {ord('T' if is_transposed else 'N')}")

    def _integer(self, value: int) -> str:
        return self._global(f"i32 {value}")

    def _real(self, value: float) -> str:
        return self._global(f"float {constant(value)}")


def _flat(each: MapInstruction) -> MapInstruction:
    """The same map with one long row, if its numbers are one after the other everywhere."""
    views = [*each.loads, *[view for _, view in each.stores]]
    if each.rows == 1 or not all(view.is_dense or view.is_one for view in views):
        return each
    count = each.rows * each.columns

    def flat(view: View) -> View:
        return view._replace(rows=1, columns=count, row_step=0)

    loads = tuple(flat(view) for view in each.loads)
    stores = tuple((i, flat(view)) for i, view in each.stores)
    return each._replace(rows=1, columns=count, loads=loads, stores=stores)
