"""The ops of a map: what each gives, and what is known of them by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, NamedTuple

import numpy as np


class Gives(Enum):
    """What an op of a map gives."""

    WHOLE = "a number at every place"
    TOTAL = "a number for each column: the sum or mean of all rows"
    FOLD = "a number for each row: what it comes to"
    COLUMN = "a number for each row, from others"


WHOLE, TOTAL, FOLD, COLUMN = Gives.WHOLE, Gives.TOTAL, Gives.FOLD, Gives.COLUMN

#: Ops that only say that a value is meant at every place; they cost nothing here.
SPREADS = "BroadcastTo"
#: Ops that give the same numbers another shape.
VIEWS = frozenset({"ExpandDims", "Reshape", "Squeeze"})
#: Ops that add up all rows, if they leave the last axis alone.
SUMS = frozenset({"Sum", "Mean", "BiasAddGrad"})
#: How ops fold rows, if they take the last axis alone.
FOLDS = {"Sum": "sum", "Mean": "sum", "Max": "maximum"}


class StepOutline(NamedTuple):
    """What a program is made of: an op's name, the values that it is given (inputs of the map
    first, then what earlier steps made), and what it gives.
    """

    name: str
    given: tuple[int, ...]
    gives: Gives

    @property
    def is_view(self) -> bool:
        """Whether it gives the numbers that it is given."""
        return self.name == SPREADS or self.name in VIEWS


class MapStep(NamedTuple):
    """One op: its outline, and how torch runs it. `dims` is the shape of what it gives, for a
    number for each row.
    """

    name: str
    given: tuple[int, ...]
    kernel: Callable[..., Any]
    attrs: dict[str, Any]
    gives: Gives = WHOLE
    dims: tuple[int, ...] = ()

    @property
    def outline(self) -> StepOutline:
        """What a program needs of it."""
        return StepOutline(self.name, self.given, self.gives)


def is_fixed(layout: str) -> bool:
    """Whether an input that lies so is the same for all rows."""
    return layout in ("row", "one")


def axes_of(attrs: Mapping[str, Any], rank: int) -> set[int] | None:
    """The axes that a reduction goes over; None if that is not known."""
    axis = attrs.get("axis")
    if axis is None:
        return None
    axes = axis if type(axis) is tuple else np.ravel(axis)
    return {int(each) % rank for each in axes}


def is_fold(name: str, attrs: Mapping[str, Any], rank: int) -> bool:
    """Whether an op folds each row of something of this rank."""
    return name in FOLDS and rank > 1 and axes_of(attrs, rank) == {rank - 1}


def is_total(name: str, attrs: Mapping[str, Any], rank: int) -> bool:
    """Whether an op adds up all rows of something of this rank."""
    if name == "BiasAddGrad":
        return bool(attrs.get("data_format", "NHWC") == "NHWC")
    return name in SUMS and axes_of(attrs, rank) == set(range(rank - 1))
