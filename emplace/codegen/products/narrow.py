"""Products with few columns, or of few numbers each, as machine code: c = a b + row.

Libraries make blocks of both factors, most of which would be empty here. There are three texts:

- `ALONG`: a lies row by row, and b has few columns. These are copied, each in order; a vector goes
  along a row, and what its places sum up is added up in the end.
- `ACROSS`: a lies column by column, and b has few columns. A vector goes across rows.
- `SHORT`: a has few columns, which are unrolled; a vector goes along a row of the result.

`fixed`: a, b, c, row. `sizes`: the end of the rows of a, whose first one is `begin`; the others are
named below, all steps counted in float32 numbers. The numbers of a row of c lie together, and those
of a row or of a column of b. What a number of the result is the sum of is added up in the same
order whatever the other rows are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

from ..kernel_text import KernelText

ALONG, ACROSS, SHORT = "along", "across", "short"
#: How many columns, or numbers in a sum, are few.
FEW = range(2, 17)
#: So many numbers are added up before they are added to others; the last part may have more, so
#: that no part has fewer than one more than a vector.
DEEP = 512
# How many sums there are at once: most of a processor's registers, 32 where vectors have 16
# numbers, else 16.
_SUMS = {16: 24, 8: 12}
_MOST_ROWS = 8
# So many rows of `SHORT` share what they read of b, where it does not fit into registers.
_ROWS_AT_ONCE = {16: 1, 8: 4}
# So many rows of the result are written before the next columns are: they stay in a near cache.
_ROWS_OF_SHORT = 256
_ZEROS = "zeroinitializer"
_N = TypeVar("_N")


class NarrowSizes(NamedTuple, Generic[_N]):
    """The sizes of a call, behind the end of its rows: those of the factors, the steps from a row
    and a column of a and b to the next, from a row of c to the next, in how many parts sums are
    added up, and whether there is a row to add, 1 or 0.
    """

    depth: _N
    columns: _N
    a_row: _N
    a_column: _N
    b_row: _N
    b_column: _N
    c_row: _N
    parts: _N
    has_row: _N


class NarrowForm(NamedTuple):
    """Which text serves: a way, how many columns or numbers in a sum are unrolled, whether b lies
    column by column, and, where a has few columns, whether b has two vectors of them at least.
    """

    way: str
    few: int
    b_by_columns: bool
    is_wide: bool = False


def vectors_across(few: int) -> int:
    """How many vectors of rows are summed at once: enough for a processor to do while it waits."""
    return max(1, 8 // few)


def narrow_text(lanes: int, form: NarrowForm) -> str:
    """`loop(first row, fixed, sizes, scratch)`; no scratch is needed."""
    return {ALONG: _AlongText, ACROSS: _AcrossText, SHORT: _ShortText}[form.way](
        lanes, form
    ).function_text()


class _NarrowText(KernelText):
    """What all texts begin with."""

    def __init__(self, lanes: int, form: NarrowForm) -> None:
        super().__init__(lanes)
        self.few, self.b_by_columns, self.is_wide = form.few, form.b_by_columns, form.is_wide
        self.a, self.b, self.c, self.row = map(self.fixed, range(4))
        self.end = self.size(0)
        count = len(NarrowSizes._fields)
        self.sizes = NarrowSizes(*[self.size(i + 1) for i in range(count)])
        self.write()

    def write(self) -> None:
        """Writes the lines."""
        raise NotImplementedError

    def below(self, count: str | int) -> str:
        """Which places of a vector are among the first so many, of a number that is not negative:
        in fewer instructions, which take less to compile.
        """
        bits = f"i{self.width}"
        if isinstance(count, int):
            return self.add(f"bitcast {bits} {(1 << count) - 1} to <{self.width} x i1>")
        power = self.add(f"shl i64 1, {self.least(count, self.width)}")
        places = self.add(f"trunc i64 {self.minus(power, 1)} to {bits}")
        return self.add(f"bitcast {bits} {places} to <{self.width} x i1>")

    def at_most_zero(self, x: str, y: str | int) -> str:
        """x - y, or 0 where y is the larger one."""
        return self.many_if(self.is_below(y, x), self.minus(x, y))

    def columns(self, column: int, count: int, first: str, end: str) -> list[str]:
        """`count` vectors, no more than a vector has places: what columns of b, which lies row by
        row, have in the rows from `first` on; zeros from the row `end` on.
        """
        lines = []
        for i in range(self.width):
            row = self.plus(first, i)
            place = self.at(self.b, self.times(row, self.sizes.b_row), column)
            lines.append(
                self.load_some(place, self.below(self.many_if(self.is_below(row, end), count)))
            )
        return self.turned(lines)[:count]

    def deep_part(self, number: str) -> tuple[str, str, str]:
        """Where a part of the sums begins, how many numbers it has, and whether it is the first."""
        begin, sizes = self.times(number, DEEP), self.sizes
        is_before = self.is_below(self.plus(number, 1), sizes.parts)
        rest = self.minus(sizes.depth, begin)
        size = self.add(f"select i1 {is_before}, i64 {DEEP}, i64 {rest}")
        return begin, size, self.is_below(begin, 1)

    def before(self, is_first: str, row: str) -> tuple[str, str]:
        """Where what is added to sums of a row of the result is, and how many numbers it has."""
        place = self.either(is_first, self.row, self.at(self.c, self.times(row, self.sizes.c_row)))
        of_row = self.times(self.sizes.has_row, self.few)
        return place, self.add(f"select i1 {is_first}, i64 {of_row}, i64 {self.few}")

    def many_if(self, condition: str, count: str | int) -> str:
        """A number, or 0 unless a condition holds."""
        return self.add(f"select i1 {condition}, i64 {count}, i64 0")


class _AlongText(_NarrowText):
    def write(self) -> None:
        self.line = DEEP + self.width
        self._slots.append(
            f"  %copied = alloca [{self.few * self.line} x float], align {4 * self.width}"
        )
        self.together = max(1, min(_MOST_ROWS, _SUMS[self.width] // self.few))
        with self.loop(0, self.sizes.parts) as part:
            begin, size, is_first = self.deep_part(part.number)
            self._copy(begin, size)
            with self.loop("%begin", self.end, self.together) as row:
                self._rows(row.number, begin, size, is_first)

    def _copy(self, begin: str, size: str) -> None:
        """Copies a part of the columns of b, each in order, with zeros behind."""
        with self.loop(0, size, self.width) as place:
            number, values = self.plus(begin, place.number), []
            if self.b_by_columns:
                part = self.below(self.minus(size, place.number))
                for i in range(self.few):
                    start = self.at(self.b, self.times(self.sizes.b_column, i), number)
                    values.append(self.load_some(start, part))
            else:
                end = self.plus(begin, size)
                for column in range(0, self.few, self.width):
                    count = min(self.width, self.few - column)
                    values += self.columns(column, count, number, end)
            for i, value in enumerate(values):
                self.store(value, self.at("%copied", i * self.line, place.number))

    def _rows(self, row: str, begin: str, size: str, is_first: str) -> None:
        """Some rows; where fewer are left, the last one comes more than once."""
        last = self.minus(self.end, 1)
        rows = [self.least(self.plus(row, i), last) for i in range(self.together)]
        starts = [self.at(self.a, self.times(each, self.sizes.a_row), begin) for each in rows]
        whole = self.times(self.divided(self.minus(size, 1), self.width)[0], self.width)
        rest = self.below(self.minus(size, whole))
        left = [self.load_some(self.at(start, whole), rest) for start in starts]
        sums = self._added(left, whole, [_ZEROS] * (self.few * self.together))
        with self.loop(0, whole, self.width, sums=sums) as part:
            left = [self.load(self.at(start, part.number)) for start in starts]
            part.handed = self._added(left, part.number, part.given)
        made = [
            self._total(part.ended[i * self.few : (i + 1) * self.few], *self.before(is_first, each))
            for i, each in enumerate(rows)
        ]
        for each, totals in zip(rows, made, strict=True):
            place = self.at(self.c, self.times(each, self.sizes.c_row))
            for i, total in enumerate(totals):
                count = min(self.width, self.few - i * self.width)
                self.store_some(total, self.at(place, i * self.width), self.below(count))

    def _total(self, sums: Sequence[str], place: str, count: str) -> list[str]:
        """The numbers of a row of the result, to which `count` numbers at a place are added."""
        made = []
        for first in range(0, self.few, self.width):
            total = self._across(sums[first : first + self.width])
            left = self.at_most_zero(count, first) if first else count
            before = self.load_some(self.at(place, first), self.below(left))
            made.append(self.two("fadd", total, before))
        return made

    def _added(self, left: Sequence[str], place: str, sums: Sequence[str]) -> list[str]:
        made = list(sums)
        for i in range(self.few):
            right = self.load(self.at("%copied", i * self.line, place))
            for k, value in enumerate(left):
                number = k * self.few + i
                made[number] = self.intrinsic("fma", value, right, made[number])
        return made

    def _across(self, vectors: Sequence[str]) -> str:
        """The sum of the places of each vector, one behind the other."""
        parts: list[str | None] = [*vectors, *[None] * (self.width - len(vectors))]
        apart = self.width // 2
        while apart:
            pairs = zip(parts[:apart], parts[apart:], strict=True)
            parts = [None if x is None else self._halved(x, y or x, apart) for x, y in pairs]
            apart //= 2
        assert parts[0] is not None
        return parts[0]

    def _halved(self, x: str, y: str, apart: int) -> str:
        """In the first half of each group of places what those of x come to, then y's."""
        lower = [i if not i & apart else self.width + (i ^ apart) for i in range(self.width)]
        upper = [i | apart if not i & apart else self.width + i for i in range(self.width)]
        return self.two("fadd", self._chosen(x, y, lower), self._chosen(x, y, upper))


class _AcrossText(_NarrowText):
    def write(self) -> None:
        vectors = vectors_across(self.few)
        step = vectors * self.width
        with self.loop("%begin", self.end, step) as block, self.loop(0, self.sizes.parts) as part:
            # The last rows may come more than once, so that there are always as many.
            row = self.least(block.number, self.minus(self.end, step))
            begin, size, is_first = self.deep_part(part.number)
            first = self.at(self.a, self.times(begin, self.sizes.a_column), row)
            right = self.at(self.b, self.times(begin, self.sizes.b_row))
            with self.loop(0, size, sums=[_ZEROS] * (vectors * self.few)) as number:
                column = self.at(first, self.times(number.number, self.sizes.a_column))
                left = [self.load(self.at(column, i * self.width)) for i in range(vectors)]
                place = self.at(right, self.times(number.number, self.sizes.b_row))
                number.handed = self._added(left, place, number.given)
            for i in range(vectors):
                sums = number.ended[i * self.few : (i + 1) * self.few]
                self._put(sums, self.plus(row, i * self.width), is_first)

    def _added(self, left: Sequence[str], right: str, sums: Sequence[str]) -> list[str]:
        made = list(sums)
        for i in range(self.few):
            factor = self.same(self.at(right, self.times(self.sizes.b_column, i)))
            for k, value in enumerate(left):
                number = k * self.few + i
                made[number] = self.intrinsic("fma", value, factor, made[number])
        return made

    def _put(self, sums: Sequence[str], start: str, is_first: str) -> None:
        """Writes the rows of which each vector has one number each."""
        for first in range(0, self.few, self.width):
            some = list(sums[first : first + self.width])
            rows = self.turned(some + [_ZEROS] * (self.width - len(some)))
            for i, value in enumerate(rows):
                row = self.plus(start, i)
                place, count = self.before(is_first, row)
                left = self.at_most_zero(count, first) if first else count
                before = self.load_some(self.at(place, first), self.below(left))
                to = self.at(self.c, self.times(row, self.sizes.c_row), first)
                self.store_some(self.two("fadd", value, before), to, self.below(len(some)))


class _ShortText(_NarrowText):
    def write(self) -> None:
        sizes, self.together = self.sizes, _ROWS_AT_ONCE[self.width]
        # Two vectors of each row of b, if registers hold them or several rows of a share a reading.
        keeps_two = 2 * self.few <= _SUMS[self.width] or (self.is_wide and self.together > 1)
        vectors = 2 if keeps_two else 1
        step = vectors * self.width
        with (
            self.loop("%begin", self.end, _ROWS_OF_SHORT) as block,
            self.loop(0, sizes.columns, step) as column,
        ):
            end = self.least(self.plus(block.number, _ROWS_OF_SHORT), self.end)
            first = column.number
            if self.is_wide:  # the last columns may come more than once
                first = self.least(first, self.minus(sizes.columns, step))
            starts = [self.plus(first, i * self.width) for i in range(vectors)]
            left = [self._left(start) for start in starts]
            parts = [None if self.is_wide else self.below(count) for count in left]
            right = [self._columns(*where) for where in zip(starts, parts, strict=True)]
            before = [
                self.load_some(
                    self.at(self.row, start), self.below(self.times(sizes.has_row, count))
                )
                for start, count in zip(starts, left, strict=True)
            ]
            with self.loop(block.number, end, self.together) as first_row:
                # Where fewer are left, the last one comes more than once.
                rows = [
                    self.least(self.plus(first_row.number, i), self.minus(end, 1))
                    for i in range(self.together)
                ]
                for row, sums in zip(rows, self._rows(rows, right, before), strict=True):
                    to = self.at(self.c, self.times(row, sizes.c_row))
                    for start, value, part in zip(starts, sums, parts, strict=True):
                        self._put(value, self.at(to, start), part)

    def _left(self, start: str) -> str | int:
        """How many columns there are from one on, as far as a vector goes."""
        return self.width if self.is_wide else self.at_most_zero(self.sizes.columns, start)

    def _put(self, value: str, place: str, part: str | None) -> None:
        """Writes a vector, or a part of it: some processors take ten times as long for that."""
        if part is None:
            self.store(value, place)
        else:
            self.store_some(value, place, part)

    def _rows(
        self, rows: Sequence[str], right: Sequence[Sequence[str]], before: Sequence[str]
    ) -> list[list[str]]:
        """For each of some rows of a the vectors of the result: a sum waits for its last one, but
        not for those of other rows.
        """
        places = [self.at(self.a, self.times(each, self.sizes.a_row)) for each in rows]
        made = [list(before) for _ in rows]
        for k in range(self.few):
            for place, sums in zip(places, made, strict=True):
                factor = self.same(self.at(place, self.times(self.sizes.a_column, k)))
                for i, values in enumerate(right):
                    sums[i] = self.intrinsic("fma", factor, values[k], sums[i])
        return made

    def _columns(self, start: str, part: str | None) -> list[str]:
        """Some columns of b: a vector for each of its rows."""
        if not self.b_by_columns:
            lines = [self.at(self.b, self.times(self.sizes.b_row, k)) for k in range(self.few)]
            places = [self.at(line, start) for line in lines]
            return [
                self.load(place) if part is None else self.load_some(place, part)
                for place in places
            ]
        made: list[str] = []
        for first in range(0, self.few, self.width):
            made += self._turned_columns(start, first)
        return made[: self.few]

    def _turned_columns(self, start: str, first: int) -> list[str]:
        last, lines = self.minus(self.sizes.columns, 1), []
        which = self.below(min(self.width, self.few - first))
        for i in range(self.width):
            number = self.least(self.plus(start, i), last)
            place = self.at(self.b, self.times(number, self.sizes.b_column), first)
            lines.append(self.load_some(place, which))
        return self.turned(lines)
