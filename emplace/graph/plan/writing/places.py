"""Where the operations of a plan run, and in which bodies they are."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ....devices.inventory import INVENTORY
from ....eager.place import Placement
from ...placement.placer import place_graph
from ...representation.graph import Operation
from .values import Values


class Places:
    """Asks the placer, block by block.

    `placed` has all operations so far; `paths` says in which body an operation is, as a path like
    TensorFlow's: operations outside have none.

    Args:
        options: what the plan is made for.
        values: knows where values are that come from outside of a block.
    """

    __slots__ = ("_bodies", "_options", "_path", "_values", "paths", "placed")

    def __init__(self, options: Any, values: Values) -> None:
        self._options = options
        self._values = values
        self.placed: dict[Operation, Placement] = {}
        self.paths: dict[Operation, str] = {}
        self._path = ""
        self._bodies = itertools.count()

    def decide(self, operations: Sequence[Operation]) -> None:
        """Decides where these operations run.

        Raises:
            InvalidArgumentError: one of them cannot be placed.
        """
        options = self._options
        if self._path:
            self.paths.update(dict.fromkeys(operations, self._path))
        decided = options.decided
        if decided and all(map(decided.__contains__, operations)):
            self.placed.update(zip(operations, map(decided.__getitem__, operations), strict=True))
            return
        # An operation that has been placed asks for its device, and gets it.
        self.placed |= place_graph(
            operations, INVENTORY.devices(), options.soft or bool(decided),
            options.strict and not decided, options.default, self._values.devices,
        )  # fmt: skip

    @contextmanager
    def body(self, part: str) -> Iterator[None]:
        """A scope for the operations of a body; `part` is which one of which operation:
        "cond/then".
        """
        around = self._path
        # TF: as its inlined functions are named.
        owner = part.rsplit("/", 1)[0]
        self._path = f"{around}{part}/_{next(self._bodies)}/{owner}/"
        try:
            yield
        finally:
            self._path = around
