"""The variables that a program works on, found by watching it, and their values for later."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...core.events import Call, Line, Observer
from ...core.tensor import make_tensor
from ...devices.inventory import INVENTORY
from ...ops.random.stateful import as_if_nothing_was_drawn
from ...ops.variables.resource import Storage

_KEYS = ("StatelessRandomGet", "RngSkip", "RngRead")
Values = dict[Storage, Any]

_GENERATOR = "StateVar"  # what a tf.random.Generator calls its state

_DRAWS = ("Random", "StatelessRandom", "ParameterizedTruncated", "Multinomial", "Stateful", "Rng")


class Touched(Observer):
    """Notes every variable that ops work on, with the value that it had first.

    Attributes:
        first: the values before anything was done, in the order in which variables were met.
        draws: the lines of the program that drew random numbers, with the op.
        generators: variables that are the state of random generators.
        made: variables that were made meanwhile.
    """

    wants_lines = True

    def __init__(self) -> None:
        self.first: Values = {}
        self.draws: dict[tuple[str, Line | None], None] = {}
        self.generators: set[Storage] = set()
        self.made: list[Storage] = []
        self._new: set[Storage] = set()

    def placed(self, call: Call) -> None:
        """Notes the variables of an op that is about to run."""
        name = call.op.name
        if name.startswith(_DRAWS) and not name.startswith(_KEYS):
            self.draws[name, call.line] = None
        for storage in _storages(call):
            if name.startswith(("Rng", "Stateful")) or storage.name.startswith(_GENERATOR):
                self.generators.add(storage)
            if storage not in self.first:
                self.first[storage] = storage.kept()
                if storage.value is None:
                    self._new.add(storage)
                    self.made.append(storage)

    def executed(self, call: Call) -> None:
        """Notes the first values of variables that are made meanwhile."""
        if self._new:
            for storage in _storages(call):
                if storage in self._new and storage.value is not None:
                    self._new.discard(storage)
                    self.first[storage] = storage.kept()

    def values(self) -> Values:
        """The values now of all variables that were met."""
        return {storage: storage.kept() for storage in self.first}

    def put(self, values: Values) -> None:
        """Gives variables values that they had; those of which none is given their first one."""
        for storage, first in self.first.items():
            storage.put_back(values.get(storage, first))


def _storages(call: Call) -> list[Storage]:
    return [x._value for x in call.inputs if type(getattr(x, "_value", None)) is Storage]


def array_of(storage: Storage, value: object) -> Any:
    """A value that was kept, as a NumPy array."""
    return make_tensor(value, INVENTORY.devices()[0].kind(storage.dtype)).numpy()


@contextmanager
def random_numbers_kept() -> Iterator[None]:
    """A block after which random numbers go on as if nothing had been drawn: those of ops, of
    Python and of NumPy.
    """
    python, numpy = random.getstate(), np.random.get_state()
    try:
        with as_if_nothing_was_drawn():
            yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)
