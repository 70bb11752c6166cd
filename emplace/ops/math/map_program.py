"""A map on some rows as a program of machine code.

What a row comes to is known when all of it was seen, so a map that goes on with that takes several
passes: those over all numbers have odd numbers, and those over a number for each row even ones.
Rows are so few at once that they stay in a processor's nearest cache, with all that one pass leaves
to later ones.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...codegen.program import MapInstruction, Memory, Program, View
from .map_steps import COLUMN, FOLD, FOLDS, TOTAL, WHOLE, Gives, StepOutline, is_fixed

_INPUT, _NUMBER = "input", "number"
_HOW = frozenset({*FOLDS.values(), "largest"})


class _Value(NamedTuple):
    """An input, a number, or what a step makes.

    Attributes:
        is_column: whether it is a number for each row.
        name: an op, how rows are folded, or "input" or "number".
        given: places of other values.
        when: the pass that makes it.
        number: the number.
    """

    is_column: bool
    name: str
    given: tuple[int, ...] = ()
    when: int = 0
    number: float = 0.0

    @property
    def is_fold(self) -> bool:
        """Whether it is what each row of another value comes to."""
        return self.name in _HOW

    def ready(self, for_column: bool) -> int:
        """The first pass that can read it, over all numbers or over a number for each row."""
        if self.name in (_INPUT, _NUMBER):
            return 0 if for_column else 1
        if self.is_fold:
            return self.when + (1 if for_column else 2)
        return self.when + (self.is_column and not for_column)


class _Stored(NamedTuple):
    """A value that is wanted: its place, what it is, and the pass that stores it."""

    place: int
    gives: Gives
    when: int

    @property
    def is_column(self) -> bool:
        """Whether a number for each row is stored."""
        return self.gives in (FOLD, COLUMN)


def _is_plain(step: StepOutline) -> bool:
    return step.gives in (WHOLE, TOTAL) and step.name != "Softmax"


@functools.lru_cache(1024)
def map_program(
    layouts: tuple[str, ...], steps: tuple[StepOutline, ...], outputs: tuple[int, ...], columns: int
) -> MapProgram:
    """The program of a map, made once: those of a network's layers are often the same. For the
    arguments see `MapProgram`.
    """
    return MapProgram(layouts, steps, outputs, columns)


class MapProgram:
    """The steps of a map in the order in which passes can do them.

    Args:
        layouts: how its inputs lie.
        steps: its ops.
        outputs: which values are wanted.
        columns: how many numbers a row has.
    """

    def __init__(
        self, layouts: Sequence[str], steps: Sequence[StepOutline], outputs: Sequence[int],
        columns: int,
    ) -> None:  # fmt: skip
        self.layouts = layouts
        self.columns = columns
        self.values = [_Value(kind == "column", _INPUT) for kind in layouts]
        # Without numbers of rows one pass does all. Most maps are so, and many are made.
        self.is_one_pass = all(map(_is_plain, steps))
        # By the numbers of the map's values, places among these; for a sum that of what is summed.
        places = list(range(len(layouts)))
        for step in steps:
            places.append(self._enter(step, [places[i] for i in step.given]))
        self.stored: list[_Stored] = []
        for i in outputs:
            self.stored.append(self._store(places[i], steps[i - len(layouts)].gives))

    def __call__(
        self, rows: int, are_fixed: bool = True, gaps: Mapping[int, int] | None = None
    ) -> Program:
        """What an iteration on so many rows does. Memories are numbered as the tensors come.

        Args:
            rows: how many rows there are.
            are_fixed: whether inputs smaller than the rest are the same in all iterations.
            gaps: how many numbers further a row begins, for inputs whose rows lie apart.
        """
        return _written(self, rows, are_fixed, tuple((gaps or {}).items()))

    def may_take(self, stored: int, input: int) -> bool:
        """Whether a wanted value may be written where an input is: nobody reads that later."""
        return self._last_reads.get(input, 0) <= self.stored[stored].when

    @functools.cached_property
    def _last_reads(self) -> dict[int, int]:
        """By input, the last pass that reads it."""
        found: dict[int, int] = {}
        reads = [(i, value.when) for value in self.values for i in value.given]
        # Sums wait for folds of the same pass to be done.
        reads += [
            (place, when + (gives is TOTAL and when in self.folding))
            for place, gives, when in self.stored
        ]
        for i, when in reads:
            if self.values[i].name == _INPUT:
                found[i] = max(found.get(i, 0), when)
        return found

    @functools.cached_property
    def folding(self) -> set[int]:
        """The passes that fold rows."""
        return {value.when for value in self.values if value.is_fold}

    # -- values ---------------------------------------------------------------------------------

    def _enter(self, step: StepOutline, given: Sequence[int]) -> int:
        """The place of what a step makes."""
        if step.is_view or step.gives is TOTAL:
            return given[0]
        if step.name == "Softmax":
            return self._enter_softmax(given[0])
        if step.gives is not FOLD:
            return self._add(step.gives is COLUMN, step.name, given)
        total = self._add(True, FOLDS[step.name], given)
        if step.name != "Mean":
            return total
        return self._add(True, "Mul", [total, self._number(1 / self.columns)])

    def _enter_softmax(self, x: int) -> int:
        # What is not a number makes the sum none, whatever is taken away.
        most = self._add(True, "largest", [x])
        powers = self._add(False, "Exp", [self._add(False, "Sub", [x, most])])
        part = self._add(True, "Reciprocal", [self._add(True, "sum", [powers])])
        return self._add(False, "Mul", [powers, part])

    def _add(self, is_column: bool, name: str, given: Sequence[int]) -> int:
        # A fold is made while all numbers are gone through.
        in_even = is_column and name not in _HOW
        when = 1
        if not self.is_one_pass:
            when = max([self.values[i].ready(in_even) for i in given])
        self.values.append(_Value(is_column, name, tuple(given), when))
        return len(self.values) - 1

    def _number(self, number: float) -> int:
        self.values.append(_Value(True, _NUMBER, number=number))
        return len(self.values) - 1

    def _store(self, place: int, gives: Gives) -> _Stored:
        value, stored = self.values[place], _Stored(place, gives, 1)
        if self.is_one_pass:
            return stored
        if value.is_fold and stored.is_column and all(x.place != place for x in self.stored):
            return stored._replace(when=value.when)  # it goes there at once
        return stored._replace(when=value.ready(stored.is_column))


@functools.lru_cache(1024)
def _written(
    map: MapProgram, rows: int, are_fixed: bool, gaps: tuple[tuple[int, int], ...]
) -> Program:
    return _ProgramWriter(map, rows, are_fixed, dict(gaps)).program()


class _ProgramWriter:
    """Writes a program for so many rows."""

    def __init__(
        self, map: MapProgram, rows: int, are_fixed: bool, gaps: Mapping[int, int]
    ) -> None:
        self._map, self._rows, self._columns = map, rows, map.columns
        fixed, moving = itertools.count(), itertools.count()
        self._inputs = []
        for i, kind in enumerate(map.layouts):
            stays = are_fixed and is_fixed(kind)
            memory = Memory("fixed", next(fixed)) if stays else Memory("each", next(moving))
            self._inputs.append((memory, kind, gaps.get(i, self._columns)))
        self._outputs = [Memory("each", next(moving)) for _ in map.stored]
        self._fixed, self._moving, self._scratch = next(fixed), next(moving), 0
        # Where values are that another pass reads, by their places.
        self._kept: dict[int, Memory] = {}

    def program(self) -> Program:
        """The program."""
        values, made = self._map.values, []
        if self._map.is_one_pass:
            steps = range(len(self._map.layouts), len(values))
            only = self._pass(1, steps, range(len(self._map.stored)))
            return Program((only,), self._fixed, self._moving, 0)
        self._keep()
        for when in sorted({x.when for x in self._map.stored} | {x.when for x in values}):
            here = [i for i, x in enumerate(values) if x.when == when and x.given]
            stored = [i for i, x in enumerate(self._map.stored) if x.when == when]
            if not here and not stored:
                continue
            totals = [i for i in stored if self._map.stored[i].gives is TOTAL]
            if totals and when in self._map.folding:
                made.append(self._pass(when, here, [i for i in stored if i not in totals]))
                made.append(self._pass(when, [], totals))
            else:
                made.append(self._pass(when, here, stored))
        return Program(tuple(made), self._fixed, self._moving, self._scratch)

    def _keep(self) -> None:
        """Finds memory for what is read in another pass than it is made in: that of a result, if it
        is one.
        """
        values = self._map.values
        readers = [(i, x.when) for x in values for i in x.given]
        readers += [(x.place, x.when) for x in self._map.stored]
        readers += [
            (place, -1)
            for place, gives, when in self._map.stored
            if gives is TOTAL and when in self._map.folding
        ]
        results = {}
        for memory, stored in zip(self._outputs, self._map.stored, strict=True):
            value = values[stored.place]
            is_whole = stored.gives is WHOLE and not value.is_column
            if stored.when == value.when and (is_whole or stored.is_column):
                results[stored.place] = memory
        for place, when in readers:
            value = values[place]
            if value.given and when != value.when and place not in self._kept:
                self._kept[place] = results.get(place) or self._new(value.is_column)

    def _new(self, is_column: bool) -> Memory:
        memory = Memory("scratch", self._scratch)
        self._scratch += self._rows * (1 if is_column else self._columns)
        return memory

    def _pass(self, when: int, here: Sequence[int], stored: Sequence[int]) -> MapInstruction:
        """One pass: what it makes, and which of the wanted values it stores."""
        values, is_even = self._map.values, when % 2 == 0
        computed = [i for i in here if not values[i].is_fold]
        direct = {
            self._map.stored[i].place: self._outputs[i]
            for i in stored
            if when in self._map.folding and self._is_direct(self._map.stored[i])
        }
        read = {i for x in here for i in values[x].given}
        read |= {self._map.stored[i].place for i in stored} - direct.keys()
        before = sorted(read - set(computed))
        loaded = [i for i in before if values[i].name != _NUMBER]
        constants = [i for i in before if values[i].name == _NUMBER]
        number = {place: i for i, place in enumerate([*loaded, *constants, *computed])}
        stores, sums, folds = [], [], []
        for i in computed:
            if i in self._kept and self._kept[i] not in self._outputs:
                stores.append((number[i], self._view(self._kept[i], values[i].is_column, is_even)))
        for i in stored:
            place, gives, _ = self._map.stored[i]
            memory = self._outputs[i]
            if gives is TOTAL:
                sums.append((number[place], View(memory, 0, 1, self._columns, 0)))
            elif place not in direct:
                view = self._view(memory, gives is not WHOLE, is_even)
                stores.append((number[place], view))
        for i in here:
            if values[i].is_fold:
                memory = direct.get(i) or self._kept[i]
                to = View(memory, 0, self._rows, 1, 1)
                folds.append((values[i].name, number[values[i].given[0]], to))
        sizes = (1, self._rows) if is_even else (self._rows, self._columns)
        return MapInstruction(
            *sizes, tuple(self._load(i, is_even) for i in loaded),
            tuple(values[i].number for i in constants),
            tuple((values[i].name, tuple(number[x] for x in values[i].given)) for i in computed),
            tuple(stores), tuple(sums), tuple(folds),
        )  # fmt: skip

    def _is_direct(self, stored: _Stored) -> bool:
        """Whether what rows come to goes to a result at once."""
        value = self._map.values[stored.place]
        return value.is_fold and stored.is_column and value.when == stored.when

    def _load(self, place: int, is_even: bool) -> View:
        """Where a value is that this pass does not make."""
        if place in self._kept:
            return self._view(self._kept[place], self._map.values[place].is_column, is_even)
        memory, kind, step = self._inputs[place]
        if kind == "column":
            return self._view(memory, True, is_even)
        if is_even:
            return View(memory, 0, 1, self._rows, 0, 0)
        row_step = step if kind == "full" else 0
        return View(memory, 0, self._rows, self._columns, row_step, 0 if kind == "one" else 1)

    def _view(self, memory: Memory, is_column: bool, is_even: bool) -> View:
        """All numbers in memory of its own, or a number for each row."""
        if is_even:
            return View(memory, 0, 1, self._rows, 0)
        if is_column:
            return View(memory, 0, self._rows, self._columns, 1, 0)
        return View(memory, 0, self._rows, self._columns, self._columns)
