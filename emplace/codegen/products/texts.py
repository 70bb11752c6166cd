"""The text of a product: c = a b, for any number of a, b and c.

A call computes one piece of one product: some rows times some columns, of which `begin` is the
number. `fixed`: a, b, c, and a zero for each column of a strip. `sizes` are named below. All steps
are counted in float32 numbers; the numbers of a row of c lie one after the other, and those of a
row or of a column of b.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

from ..kernel_text import KernelText

#: How many rows are summed at once: with `vectors_together`, their sums fill most of a processor's
#: registers, 32 of them where vectors have 16 numbers, else 16.
ROWS = 6
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
    and each of them into `column_pieces` of `piece_columns`.
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


class _Rows(NamedTuple):
    """Rows of a: where they lie, and the steps from one to the next and from column to column."""

    place: str
    row_step: _Number
    column_step: _Number


class _FactorBlock(NamedTuple):
    """A part of b: where it is, how many columns and rows it has, where their sums go, and what
    they are added to, with the step from a row of that to the next.
    """

    place: str
    columns: str
    deep: str
    result: str
    before: str
    before_step: str


class _Panel(NamedTuple):
    """Columns of a block that are summed at once: where they are, and are copied, which places of
    their vectors there are, whether they are the block's first ones, and the rest as there.
    """

    place: str
    copied: str
    parts: list[str]
    is_first: str
    result: str
    before: str


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
        a, b, c, self.zeros = map(self.fixed, range(4))
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
        column = self.times(column_piece, sizes.piece_columns)
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
            # Sums are added to nothing, or to what there is of the columns of a before.
            is_first = self.is_below(begin, 1)
            result = self.at(c, column)
            before = self.either(is_first, self.zeros, result)
            step = self.add(f"select i1 {is_first}, i64 0, i64 {sizes.c_row}")
            block = _FactorBlock(place, columns, deep, result, before, step)
            self._all_rows(self.at(a, self.times(begin, sizes.a_column)), block)

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
        """Some rows times a block. Where fewer are left than are summed at once, the last one comes
        once more.
        """
        with self.loop(0, block.columns, self.panel) as turn:
            number = turn.number
            panel = _Panel(
                place=self.at(block.place, number),
                copied=self.at("%scratch", self.times(number, self.sizes.deep)),
                parts=self._parts(self.minus(block.columns, number)),
                is_first=self.is_below(number, 1),
                result=self.at(block.result, number),
                before=self.at(block.before, number),
            )
            if self.is_copied_before:
                with self.loop(begin, end, ROWS) as row:
                    self._rows_at(row.number, rows, (begin, end), block, panel)
            else:
                self._rows_at(begin, rows, (begin, end), block, panel, copies=True)
                rest = self.plus(begin, ROWS)
                with self.where(self.is_below(rest, end)), self.loop(rest, end, ROWS) as row:
                    self._rows_at(row.number, rows, (begin, end), block, panel)

    def _rows_at(
        self, row: str, rows: _Rows, ends: tuple[str, str], block: _FactorBlock, panel: _Panel,
        copies: bool = False,
    ) -> None:  # fmt: skip
        """The rows that are summed at once, from one on, times a panel, which they copy or find
        copied.
        """
        begin, end = ends
        last = self.minus(end, 1)
        numbers = [self.least(self.plus(row, i), last) for i in range(ROWS)]
        starts = [
            self.at(rows.place, self.times(self.minus(number, begin), rows.row_step))
            for number in numbers
        ]
        to = [self.at(panel.result, self.times(self.sizes.c_row, each)) for each in numbers]
        for place in to:
            for i in range(self.vectors):
                self.fetch(self.at(place, i * self.width))
        sums = self._sums(starts, rows.column_step, panel, block.deep, copies)
        added = [self.at(panel.before, self.times(block.before_step, each)) for each in numbers]
        self._put(sums, panel.parts, added, to)

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
        self, rows: Sequence[str], step: _Number, panel: _Panel, deep: str, copies: bool
    ) -> list[str]:
        """Some rows times a panel: for each row, a vector of sums after the other."""
        nothing = ["zeroinitializer"] * (len(rows) * self.vectors)
        with self.loop(0, deep, self.width, sums=nothing) as part:
            first = part.number
            with self.where(panel.is_first):
                self._fetch_next(self.at(rows[0], self.times(first, step)), step)
            end = self.least(self.minus(deep, first), self.width)
            left = [self.at(row, self.times(first, step)) for row in rows]
            right = self.at(panel.copied, self.times(first, self.panel))
            source = self.at(panel.place, self.times(first, self.sizes.b_row))
            with self.loop(0, end, sums=part.given) as column:
                place = self.at(right, self.times(column.number, self.panel))
                if copies:
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
        self, sums: Sequence[str], parts: Sequence[str], before: Sequence[str], to: Sequence[str]
    ) -> None:
        """Adds sums to what is there before. All is read before anything is written, as a row may
        come more than once.
        """
        made = []
        for i, value in enumerate(sums):
            row, vector = divmod(i, self.vectors)
            place = self.at(before[row], vector * self.width)
            made.append(self.two("fadd", value, self.load_some(place, parts[vector])))
        for i, value in enumerate(made):
            row, vector = divmod(i, self.vectors)
            self.store_some(value, self.at(to[row], vector * self.width), parts[vector])
