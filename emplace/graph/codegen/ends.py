"""What an iteration of a loop takes and leaves: *sources* and *results*, for which each run of the
loop finds memory.
"""

from __future__ import annotations

from dataclasses import dataclass

Shape = tuple[int, ...]

# -- what an iteration takes ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Given:
    """Argument `place` of the loop, the same in all iterations."""

    place: int


@dataclass(frozen=True, slots=True)
class Carried:
    """The loop variable that starts as argument `place`."""

    place: int


@dataclass(frozen=True, slots=True)
class Element:
    """An element per iteration of the list that is argument `place`."""

    place: int


@dataclass(frozen=True, slots=True)
class CounterSource:
    """A number per iteration that is known with the plan: the `place`-th counter."""

    place: int


@dataclass(frozen=True, slots=True)
class Number:
    """A plain number, the same in all iterations."""

    value: int


@dataclass(frozen=True, slots=True)
class Item:
    """An element per iteration of the list `source`; `at` tells its place. `is_gradient` says that
    what is not there is zeros; `once`, that what was read is not there any more.
    """

    source: Given | Carried
    at: Element | CounterSource | Number
    is_gradient: bool
    once: bool


@dataclass(frozen=True, slots=True)
class VariableSource:
    """The value of the variable that is argument `place`."""

    place: int


@dataclass(frozen=True, slots=True)
class ConstantSource:
    """The value of a constant, as `id` of the tensor of the graph."""

    place: int


Source = Given | Carried | Element | CounterSource | Number | Item | VariableSource | ConstantSource


# -- what an iteration leaves ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StoredResult:
    """A value of each iteration, in a memory per iteration. `slot` is the row of the table."""

    slot: int


@dataclass(frozen=True, slots=True)
class Written:
    """A loop variable that is a list, with an element written per iteration."""

    source: Carried
    at: Element | CounterSource | Number
    made: StoredResult


@dataclass(frozen=True, slots=True)
class Added:
    """A loop variable that is the gradient of a list, to which each iteration adds an element."""

    source: Carried
    at: Element | CounterSource | Number
    made: StoredResult


@dataclass(frozen=True, slots=True)
class Emptied:
    """A loop variable that is a list, without the element of each iteration."""

    source: Carried
    at: Element | CounterSource | Number


@dataclass(frozen=True, slots=True)
class State:
    """A loop variable, in the memory that is the fixed one number `slot`."""

    slot: int


Result = StoredResult | Written | Added | Emptied | State | Source
