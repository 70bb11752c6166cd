"""The text of a product: c = a b, for any number of a, b and c.

A call computes one piece of one product: some rows times some columns, of which `begin` is the
number. `fixed`: a, b, c, a number for each column that is added to its sums, and two numbers that
whole sums are brought between. `sizes` are named below. All steps are counted in float32 numbers;
the numbers of a row of c lie one after the other, and those of a row or of a column of b.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

from ..kernel_text import KernelText

#: How many rows are summed at once: with `vectors_together`, their sums fill most of a processor's
#: registers, 32 of them where vectors have 16 numbers, else 16.
ROWS = 6
# Fewer rows that have a text of their own, where no more are left.
_FEWER = (2, 4)
#: How many rows of b are copied at once, at most.
MOST_DEEP = 256
#: How many rows of an a that lies column by column are copied at once: vectors, and times `ROWS`.
TOGETHER = 48
# How many rows ahead of its copy a panel is asked for.
_AHEAD = 8
BY_ROWS, BY_COLUMNS, COPIED = "by rows", "by columns", "copied"
_N = TypeVar("_N")
_Number = int | str


class ProductSizes(NamedTuple, Generic[_N]):
    """The sizes of a call.

    There are `inner` products along an axis, which lie `a_inner`, `b_inner` and `c_inner` apart;
    the next ones lie `a_outer`, `b_outer` and `c_outer` further. Of each, a is (rows, depth), b is
    (depth, columns). Then come the steps from a row, or column, of a and b to the next and from a
    row of c to the next. `strip` columns of b, a multiple of a panel, and `deep` of its rows, a
    multiple of a vector, are copied at once. A product is cut into `row_pieces` of `piece_rows`,
    and each of them into `column_pieces` of `piece_columns`. With each vector of numbers of rows
    that are summed, `fetched` rows of the next panel are asked for.
    """

    inner: _N
    a_outer: _N
    a_inner: _N
    b_outer: _N
    b_inner: _N
    c_outer: _N
    c_inner: _N
    rows: _N
    depth: _N
    columns: _N
    a_row: _N
    a_column: _N
    b_row: _N
    b_column: _N
    c_row: _N
    strip: _N
    deep: _N
    row_pieces: _N
    piece_rows: _N
    column_pieces: _N
    piece_columns: _N
    fetched: _N


class _Rows(NamedTuple):
    """Rows of a: where they lie, and the steps from one to the next and from column to column."""

    place: str
    row_step: _Number
    column_step: _Number


class _FactorBlock(NamedTuple):
    """A part of b: where it is, and the one after it, how many columns and rows it has, where their
    sums go, and what they are added to, with the step from a row of that to the next, and whether
    it is the last one of its columns, so that sums are whole.
    """

    place: str
    after: str
    columns: str
    deep: str
    result: str
    before: str
    before_step: str
    is_last: str


class _Panel(NamedTuple):
    """Columns of a block that are summed at once: where they are, and are copied, which places of
    their vectors there are, whether that is all of them, whether they are the block's first ones,
    and the rest as there.
    """

    place: str
    copied: str
    parts: list[str]
    is_whole: str
    is_first: str
    result: str
    before: str


class _RowsTogether(NamedTuple):
    """Rows, from one to below another, and what they are multiplied with."""

    rows: _Rows
    begin: str
    end: str
    block: _FactorBlock
    panel: _Panel


def vectors_together(lanes: int) -> int:
    """How many vectors of columns are summed at once."""
    return 4 if lanes == 16 else 2


def product_text(lanes: int, a_lies: str, b_by_columns: bool) -> str:
    """`loop(first product, fixed, sizes, scratch)`, for factors that lie row by row or column by
    column. `scratch`: strip * deep numbers, and `TOGETHER` * deep more if a lies by columns.
    """
    return _ProductText(lanes, a_lies, b_by_columns).function_text()


class _ProductText(KernelText):
    def __init__(self, lanes: int, a_lies: str, b_by_columns: bool) -> None:
        super().__init__(lanes)
        self.a_lies, self.b_by_columns = a_lies, b_by_columns
        self.vectors = vectors_together(lanes)
        self.panel = lanes * self.vectors
        a, b, c, added, self.limits = map(self.fixed, range(5))
        count = len(ProductSizes._fields)
        sizes = self.sizes = ProductSizes(*[self.size(i) for i in range(count)])
        self.copied_rows = self.at("%scratch", self.times(sizes.strip, sizes.deep))
        # The rows of a go through a panel before the next one is looked at, and the first of them
        # copy it on their way, unless something must be turned, or read many times, before.
        self.is_copied_before = b_by_columns or a_lies == COPIED
        rest, column_piece = self.divided("%begin", sizes.column_pieces)
        number, row_piece = self.divided(rest, sizes.row_pieces)
        outer, inner = self.divided(number, sizes.inner)
        row = self.times(row_piece, sizes.piece_rows)
        self.column = column = self.times(column_piece, sizes.piece_columns)
        self.added = self.at(added, column)
        self.rows = self.least(self.minus(sizes.rows, row), sizes.piece_rows)
        self.columns = self.least(self.minus(sizes.columns, column), sizes.piece_columns)
        places = [
            self.at(start, self.times(outer, outer_step), self.times(inner, inner_step))
            for start, outer_step, inner_step in (
                (a, sizes.a_outer, sizes.a_inner), (b, sizes.b_outer, sizes.b_inner),
                (c, sizes.c_outer, sizes.c_inner),
            )
        ]  # fmt: skip
        self._product(
            self.at(places[0], self.times(row, sizes.a_row)),
            self.at(places[1], self.times(column, sizes.b_column)),
            self.at(places[2], self.times(row, sizes.c_row), column),
        )

    def _product(self, a: str, b: str, c: str) -> None:
        sizes = self.sizes
        with (
            self.loop(0, self.columns, sizes.strip) as strip,
            self.loop(0, sizes.depth, sizes.deep) as part,
        ):
            begin, column = part.number, strip.number
            deep = self.least(self.minus(sizes.depth, begin), sizes.deep)
            columns = self.least(self.minus(self.columns, column), sizes.strip)
            place = self.at(b, self.times(begin, sizes.b_row), self.times(column, sizes.b_column))
            if self.is_copied_before:
                self._copy_panels(place, columns, deep)
            # Sums are added to those of the columns of a before.
            is_first = self.is_below(begin, 1)
            result = self.at(c, column)
            before = self.either(is_first, self.at(self.added, column), result)
            step = self.add(f"select i1 {is_first}, i64 0, i64 {sizes.c_row}")
            after = self._after(place, b, begin, self.plus(column, sizes.strip))
            is_last = self.is_below(sizes.depth, self.plus(begin, deep, 1))
            block = _FactorBlock(place, after, columns, deep, result, before, step, is_last)
            self._all_rows(self.at(a, self.times(begin, sizes.a_column)), block)

    def _after(self, place: str, b: str, begin: str, column: str) -> str:
        """Where the block is that comes after the one at `place`, which has rows from `begin` on:
        rows further down, or the first ones from a column on. The same where none comes.
        """
        sizes = self.sizes
        next_rows = self.at(place, self.times(sizes.deep, sizes.b_row))
        next_columns = self.either(
            self.is_below(self.plus(self.column, column), sizes.columns),
            self.at(b, self.times(column, sizes.b_column)), place,
        )  # fmt: skip
        is_below = self.is_below(self.plus(begin, sizes.deep), sizes.depth)
        return self.either(is_below, next_rows, next_columns)

    def _all_rows(self, a: str, block: _FactorBlock) -> None:
        """All rows of a times a block."""
        sizes = self.sizes
        if self.a_lies != COPIED:
            self._rows(_Rows(a, sizes.a_row, sizes.a_column), "0", self.rows, block)
            return
        with self.loop(0, self.rows, TOGETHER) as part:
            begin = part.number
            count = self.least(self.minus(self.rows, begin), TOGETHER)
            self._copy_columns(self.at(a, begin), count, block.deep)
            copied = _Rows(self.copied_rows, 1, TOGETHER)
            self._rows(copied, begin, self.plus(begin, count), block)

    def _rows(self, rows: _Rows, begin: str, end: str, block: _FactorBlock) -> None:
        """Some rows times a block."""
        with self.loop(0, block.columns, self.panel) as turn:
            number = turn.number
            panel = _Panel(
                place=self.at(block.place, number),
                copied=self.at("%scratch", self.times(number, self.sizes.deep)),
                parts=self._parts(self.minus(block.columns, number)),
                is_whole=self.is_below(self.plus(number, self.panel - 1), block.columns),
                is_first=self.is_below(number, 1),
                result=self.at(block.result, number),
                before=self.at(block.before, number),
            )
            together = _RowsTogether(rows, begin, end, block, panel)
            if self.is_copied_before:
                self._rest_of_rows(together, begin)
            else:
                self._rows_at(begin, together, ROWS, copies=True)
                self._rest_of_rows(together, self.plus(begin, ROWS))

    def _rest_of_rows(self, together: _RowsTogether, first: str) -> None:
        """The rows from one on: as many as are summed at once, time after time, then those that are
        left, which are fewer.
        """
        left = self.minus(together.end, self.least(first, together.end))
        whole = self.times(self.divided(self.plus(left, ROWS - 1 - _FEWER[-1]), ROWS)[0], ROWS)
        end = self.plus(first, whole)
        with self.where(self.is_below(first, end)), self.loop(first, end, ROWS) as row:
            self._rows_at(row.number, together, ROWS)
        for least, most in itertools.pairwise((0, *_FEWER)):
            beyond = self.minus(self.minus(left, whole), least + 1)
            with self.where(self.is_below(beyond, most - least)):
                self._rows_at(end, together, most)

    def _rows_at(self, row: str, together: _RowsTogether, count: int, copies: bool = False) -> None:
        """So many rows, from one on, times a panel, which they copy or find copied. Where there are
        fewer, the last one comes once more.
        """
        rows, begin, end, block, panel = together
        last = self.minus(end, 1)
        numbers = [self.least(self.plus(row, i), last) for i in range(count)]
        starts = [
            self.at(rows.place, self.times(self.minus(number, begin), rows.row_step))
            for number in numbers
        ]
        to = [self.at(panel.result, self.times(self.sizes.c_row, each)) for each in numbers]
        for place in to:
            for i in range(self.vectors):
                self.fetch(self.at(place, i * self.width))
        fetched = None if copies else self._fetched_before(self.minus(row, begin), block.deep)
        sums = self._sums(starts, rows.column_step, (block, panel), fetched)
        added = [self.at(panel.before, self.times(block.before_step, each)) for each in numbers]
        self._put(sums, together, added, to)

    def _fetched_before(self, row: str, deep: str) -> str:
        """How many rows of the next panel were asked for before a row's turn."""
        groups, _ = self.divided(row, ROWS)
        if not self.is_copied_before:
            groups = self.minus(groups, 1)
        vectors, _ = self.divided(self.plus(deep, self.width - 1), self.width)
        return self.times(groups, vectors, self.sizes.fetched)

    def _parts(self, columns: str) -> list[str]:
        """Which places of the vectors of a panel are columns."""
        return [self.below(self.minus(columns, i * self.width)) for i in range(self.vectors)]

    # -- copies ---------------------------------------------------------------------------------

    def _copy_panels(self, b: str, columns: str, deep: str) -> None:
        """Columns of b, panel after panel, in each of them row after row. Memory is read in the
        order in which it lies.
        """
        if self.b_by_columns:
            with self.loop(0, columns, self.panel) as panel:
                to = self.at("%scratch", self.times(panel.number, self.sizes.deep))
                start = self.at(b, self.times(panel.number, self.sizes.b_column))
                self._copy_turned(start, to, self.minus(columns, panel.number), deep)
            return
        with self.loop(0, deep) as row:
            start = self.at(b, self.times(row.number, self.sizes.b_row))
            to = self.at("%scratch", self.times(row.number, self.panel))
            with self.loop(0, columns, self.panel) as panel:
                place = self.at(to, self.times(panel.number, self.sizes.deep))
                parts = self._parts(self.minus(columns, panel.number))
                self._copy(self.at(start, panel.number), place, parts)

    def _copy_turned(self, b: str, to: str, left: str, deep: str) -> None:
        """A panel of columns that lie one after the other, with the last one once more where there
        are none.
        """
        last = self.minus(left, 1)
        with self.loop(0, deep, self.width) as row, self.loop(0, self.panel, self.width) as column:
            part = self.below(self.minus(deep, row.number))
            of_columns = []
            for i in range(self.width):
                number = self.least(self.plus(column.number, i), last)
                place = self.at(b, self.times(number, self.sizes.b_column), row.number)
                of_columns.append(self.load_some(place, part))
            for i, value in enumerate(self.turned(of_columns)):
                place = self.times(self.plus(row.number, i), self.panel)
                self.store(value, self.at(to, place, column.number))

    def _copy_columns(self, a: str, count: str, deep: str) -> None:
        """Some rows of an a that lies column by column: columns far apart share places in a
        processor's caches.
        """
        parts = [self.below(self.minus(count, i)) for i in range(0, TOGETHER, self.width)]
        with self.loop(0, deep) as column:
            place = self.at(a, self.times(column.number, self.sizes.a_column))
            made = self.at(self.copied_rows, self.times(column.number, TOGETHER))
            self._copy(place, made, parts)

    def _copy(self, place: str, to: str, parts: Sequence[str]) -> None:
        for i, part in enumerate(parts):
            value = self.load_some(self.at(place, i * self.width), part)
            self.store(value, self.at(to, i * self.width))

    # -- sums -----------------------------------------------------------------------------------

    def _sums(
        self, rows: Sequence[str], step: _Number, factor: tuple[_FactorBlock, _Panel],
        fetched: str | None,
    ) -> list[str]:  # fmt: skip
        """Some rows times a panel: for each row, a vector of sums after the other. They ask for
        some of the next panel if they are told how much came before, else they copy this one.
        """
        block, panel = factor
        nothing = ["zeroinitializer"] * (len(rows) * self.vectors)
        with self.loop(0, block.deep, self.width, sums=nothing) as part:
            first = part.number
            with self.where(panel.is_first):
                self._fetch_next(self.at(rows[0], self.times(first, step)), step)
            if fetched is not None:
                self._fetch_panel(block, first, fetched)
            end = self.least(self.minus(block.deep, first), self.width)
            left = [self.at(row, self.times(first, step)) for row in rows]
            right = self.at(panel.copied, self.times(first, self.panel))
            source = self.at(panel.place, self.times(first, self.sizes.b_row))
            with self.loop(0, end, sums=part.given) as column:
                place = self.at(right, self.times(column.number, self.panel))
                if fetched is None:
                    row = self.at(source, self.times(column.number, self.sizes.b_row))
                    factors = self._copied(row, place, panel.parts)
                else:
                    factors = [
                        self.load(self.at(place, i * self.width)) for i in range(self.vectors)
                    ]
                further = self.times(column.number, step)
                sums = iter(column.given)
                column.handed = []
                for row in left:
                    number = self.same(self.at(row, further))
                    column.handed += [
                        self.intrinsic("fma", number, factor, next(sums)) for factor in factors
                    ]
            part.handed = column.ended
        return part.ended

    def _fetch_panel(self, block: _FactorBlock, first: str, fetched: str) -> None:
        """Asks for some rows of the panel after a block, while a vector of its own rows is gone
        through: who copies the panel would wait for each of them.
        """
        count = self.sizes.fetched
        vectors, _ = self.divided(first, self.width)
        begin = self.plus(fetched, self.times(vectors, count))
        end = self.least(self.plus(begin, count), block.deep)
        with self.where(self.is_below(begin, end)), self.loop(begin, end) as row:
            further = self.times(row.number, self.sizes.b_row)
            if self.b_by_columns:  # as many numbers, of columns
                column, part = self.divided(row.number, MOST_DEEP // self.panel)
                further = self.plus(
                    self.times(column, self.sizes.b_column), self.times(part, self.panel)
                )
            for i in range(self.vectors):
                self.fetch(self.at(block.after, further, i * self.width))

    def _copied(self, row: str, to: str, parts: Sequence[str]) -> list[str]:
        """The vectors of a row of a panel, which are copied."""
        ahead = self.at(row, self.times(self.sizes.b_row, _AHEAD))
        factors = []
        for i, part in enumerate(parts):
            self.fetch(self.at(ahead, i * self.width))
            factors.append(self.load_some(self.at(row, i * self.width), part))
            self.store(factors[i], self.at(to, i * self.width))
        return factors

    def _fetch_next(self, row: str, step: _Number) -> None:
        """Asks for what the next rows have in some columns: a vector of them."""
        if self.a_lies == COPIED:
            return
        if self.a_lies == BY_COLUMNS:
            for i in range(self.width):
                self.fetch(self.at(row, self.times(step, i), 2 * ROWS - 1))
            return
        for i in range(ROWS, 2 * ROWS):
            self.fetch(self.at(row, self.times(self.sizes.a_row, i)))

    def _put(
        self, sums: Sequence[str], together: _RowsTogether, before: Sequence[str], to: Sequence[str]
    ) -> None:
        """Adds sums to what is there before, and brings them between limits where they are whole.
        All is read before anything is written, as a row may come more than once.
        """
        parts, is_last = together.panel.parts, together.block.is_last
        least, most = (
            self.add(f"select i1 {is_last}, {self.type} {limit}, {self.type} {self.literal(none)}")
            for limit, none in (
                (self.same(self.limits), -math.inf), (self.same(self.at(self.limits, 1)), math.inf)
            )
        )  # fmt: skip
        made = []
        for i, value in enumerate(sums):
            row, vector = divmod(i, self.vectors)
            place = self.at(before[row], vector * self.width)
            total = self.two("fadd", value, self.load_some(place, parts[vector]))
            made.append(self.between(total, least, most))
        self._write(made, to, together.panel)

    def _write(self, values: Sequence[str], to: Sequence[str], panel: _Panel) -> None:
        """Writes vectors of rows. AMD's processors without AVX-512 take 20 times as long for one of
        which some places are left out, so that is done only where there are such.
        """
        rows = [divmod(i, self.vectors) for i in range(len(values))]
        places = [self.at(to[row], vector * self.width) for row, vector in rows]
        with self.where(panel.is_whole):
            for value, place in zip(values, places, strict=True):
                self.store(value, place)
        with self.where(self.add(f"xor i1 {panel.is_whole}, true")):
            for value, place, (_, vector) in zip(values, places, rows, strict=True):
                self.store_some(value, place, panel.parts[vector])
