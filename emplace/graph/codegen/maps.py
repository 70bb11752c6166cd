"""A map while it is being made, and how shapes are rows and columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...base.typing import TensorLike
from ...codegen.program import MapInstruction, Memory, View
from ..representation.graph import SymbolicTensor
from .loop_values import Shape, Source

# An iteration on more numbers than this is no small one; threads and torch's kernels do better. The
# weights of a recurrent layer of 256 units are as many.
_MOST_ELEMENTS = 1 << 18


class Unfit(Exception):  # noqa: N818  # it is caught, not shown
    """What machine code cannot run, or not as well."""


class LoweredTensor(NamedTuple):
    """A value with a memory, and its shape. `source` is where it comes from, if it was not made."""

    view: View
    shape: Shape
    source: Source | None = None


class OpenMap:
    """A map that is being made. Its values are numbered as they come."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        # What its steps made, and how often its steps and stores took tensors.
        self.made: dict[int, SymbolicTensor] = {}
        self.taken: dict[int, int] = {}
        self.stores: list[tuple[int, View]] = []
        self.changed: set[Memory] = set()
        self._values: list[Any] = []
        self._places: dict[Any, int] = {}

    def load(self, view: View) -> int:
        """The value that is in memory."""
        return self._once(view, view)

    def constant(self, value: float) -> int:
        """The same number everywhere."""
        return self._once(repr(value), value)  # zeros of both signs are equal

    def step(self, name: str, given: Sequence[int], y: SymbolicTensor) -> int:
        """A value made of others."""
        self._values.append((name, tuple(given)))
        self.made[len(self._values) - 1] = y
        return len(self._values) - 1

    def store(self, place: int, to: View) -> None:
        """Puts a value into memory."""
        self.stores.append((place, to))
        self.changed.add(to.memory)

    def takes(self, x: int) -> None:
        """Counts a use of a tensor, by its id."""
        self.taken[x] = self.taken.get(x, 0) + 1

    def finished(self, stores: Sequence[tuple[int, View]]) -> MapInstruction:
        """The map, with its values in the order of maps."""
        loads = [i for i, each in enumerate(self._values) if isinstance(each, View)]
        steps = list(self.made)
        rest = [i for i in range(len(self._values)) if i not in self.made]
        constants = [i for i in rest if i not in set(loads)]
        order = {i: place for place, i in enumerate([*loads, *constants, *steps])}
        made = [
            (name, tuple(order[i] for i in given))
            for name, given in (self._values[i] for i in steps)
        ]
        rows, columns = sides(self.shape)
        return MapInstruction(
            rows, columns, tuple(self._values[i] for i in loads),
            tuple(self._values[i] for i in constants), tuple(made),
            tuple((order[i], view) for i, view in stores),
        )  # fmt: skip

    def _once(self, key: object, value: TensorLike) -> int:
        found = self._places.get(key)
        if found is None:
            self._values.append(value)
            found = self._places[key] = len(self._values) - 1
        return found


# -- shapes ---------------------------------------------------------------------------------------


def count(shape: Shape) -> int:
    """How many numbers there are.

    Raises:
        Unfit: none, or too many for a small iteration.
    """
    size = math.prod(shape)
    if not 0 < size <= _MOST_ELEMENTS:
        raise Unfit(f"shape {shape}")
    return size


def sides(shape: Shape) -> tuple[int, int]:
    """A shape as rows and columns."""
    return (math.prod(shape[:-1]), shape[-1]) if shape else (1, 1)


def dense(memory: Memory, shape: Shape) -> View:
    """A view of numbers that are one after the other."""
    count(shape)
    rows, columns = sides(shape)
    return View(memory, 0, rows, columns, columns)


def broadcast(shapes: Sequence[Shape]) -> Shape:
    """The shape that these shapes have together.

    Raises:
        Unfit: they have none.
    """
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError as error:
        raise Unfit(str(error)) from None


def stretched(x: LoweredTensor, shape: Shape) -> View:
    """A view of a tensor with the rows and columns of a shape that it is broadcast to."""
    rows, columns = sides(shape)
    if x.shape == shape:
        return x.view
    if math.prod(x.shape) == 1:
        return x.view._replace(rows=rows, columns=columns, row_step=0, column_step=0)
    own = x.shape[next(i for i, size in enumerate(x.shape) if size != 1) :]
    if own == shape[-1:]:
        return x.view._replace(rows=rows, row_step=0)
    if x.shape == (*shape[:-1], 1):
        return x.view._replace(columns=columns, column_step=0)
    raise Unfit(f"{x.shape} along {shape}")
