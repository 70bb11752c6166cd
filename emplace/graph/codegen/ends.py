"""What a round of a loop takes and leaves: *sources* and *results*, for which each run of the loop
finds memory.
"""

from __future__ import annotations

from dataclasses import dataclass

Shape = tuple[int, ...]

# -- what a round takes ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Given:
    """Argument `place` of the loop, the same in all rounds."""

    place: int


@dataclass(frozen=True, slots=True)
class Carried:
    """The loop variable that starts as argument `place`."""

    place: int


@dataclass(frozen=True, slots=True)
class Element:
    """An element per round of the list that is argument `place`."""

    place: int


@dataclass(frozen=True, slots=True)
class Counter:
    """A number per round that is known with the plan: the `place`-th counter."""

    place: int


@dataclass(frozen=True, slots=True)
class Number:
    """A plain number, the same in all rounds."""

    value: int


@dataclass(frozen=True, slots=True)
class Item:
    """An element per round of the list `source`; `at` tells its place. `is_gradient` says that what
    is not there is zeros; `once`, that what was read is not there any more.
    """

    source: Given | Carried
    at: Element | Counter | Number
    is_gradient: bool
    once: bool


@dataclass(frozen=True, slots=True)
class Read:
    """The value of the variable that is argument `place`."""

    place: int


@dataclass(frozen=True, slots=True)
class Constant:
    """The value of a constant, as `id` of the tensor of the graph."""

    place: int


Source = Given | Carried | Element | Counter | Number | Item | Read | Constant


# -- what a round leaves --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Made:
    """A value of each round, in a memory per round. `slot` is the row of the table."""

    slot: int


@dataclass(frozen=True, slots=True)
class Written:
    """A loop variable that is a list, with an element written per round."""

    source: Carried
    at: Element | Counter | Number
    made: Made


@dataclass(frozen=True, slots=True)
class Added:
    """A loop variable that is the gradient of a list, to which each round adds an element."""

    source: Carried
    at: Element | Counter | Number
    made: Made


@dataclass(frozen=True, slots=True)
class Emptied:
    """A loop variable that is a list, without the element of each round."""

    source: Carried
    at: Element | Counter | Number


@dataclass(frozen=True, slots=True)
class State:
    """A loop variable, in the memory that is the fixed one number `slot`."""

    slot: int


Result = Made | Written | Added | Emptied | State | Source
