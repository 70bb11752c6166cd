"""What an iteration of a loop takes and leaves: *sources* and *results*, for which each run of the
loop finds memory.
"""

from __future__ import annotations

from dataclasses import dataclass

Shape = tuple[int, ...]

# -- what an iteration takes ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ArgumentSource:
    """Argument `place` of the loop, the same in all iterations."""

    place: int


@dataclass(frozen=True, slots=True)
class CarriedSource:
    """The loop variable that starts as argument `place`."""

    place: int


@dataclass(frozen=True, slots=True)
class ElementSource:
    """An element per iteration of the list that is argument `place`."""

    place: int


@dataclass(frozen=True, slots=True)
class CounterSource:
    """A number per iteration that is known with the plan: the `place`-th counter."""

    place: int


@dataclass(frozen=True, slots=True)
class NumberSource:
    """A plain number, the same in all iterations."""

    value: int


ListSource = ArgumentSource | CarriedSource
IndexSource = ElementSource | CounterSource | NumberSource


@dataclass(frozen=True, slots=True)
class ListItemSource:
    """An element per iteration of the list `source`; `at` tells its place. `is_gradient` says that
    what is not there is zeros; `once`, that what was read is not there any more.
    """

    source: ListSource
    at: IndexSource
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


Source = ListSource | IndexSource | ListItemSource | VariableSource | ConstantSource


# -- what an iteration leaves ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StoredResult:
    """A value of each iteration, in a memory per iteration. `slot` is the row of the table."""

    slot: int


@dataclass(frozen=True, slots=True)
class WrittenListResult:
    """A loop variable that is a list, with an element written per iteration."""

    source: CarriedSource
    at: IndexSource
    made: StoredResult


@dataclass(frozen=True, slots=True)
class ListGradientResult:
    """A loop variable that is the gradient of a list, to which each iteration adds an element."""

    source: CarriedSource
    at: IndexSource
    made: StoredResult


@dataclass(frozen=True, slots=True)
class EmptiedListResult:
    """A loop variable that is a list, without the element of each iteration."""

    source: CarriedSource
    at: IndexSource


@dataclass(frozen=True, slots=True)
class StateResult:
    """A loop variable, in the memory that is the fixed one number `slot`."""

    slot: int


ListResult = WrittenListResult | ListGradientResult | EmptiedListResult
Result = StoredResult | ListResult | StateResult | Source
