"""Which operation makes a value, for passes that look at what a value was computed of."""

from __future__ import annotations

import functools
from collections.abc import Container, Sequence

from ..representation.graph import Operation, SymbolicTensor
from .chains import Roots


class Makers:
    """Finds what makes values.

    Args:
        operations: operations of a block.
        roots: tensors whose values others have, by the ids of those others.
        same: names of ops whose value is that of their first input to whoever asks, as those of
            views are.
    """

    def __init__(self, operations: Sequence[Operation], roots: Roots, same: Container[str]) -> None:
        self._operations = operations
        self._roots = roots
        self._same = same

    @functools.cached_property
    def _makers(self) -> dict[int, Operation]:
        # Made when it is first needed: most blocks have nothing that passes ask about.
        return {id(y): operation for operation in self._operations for y in operation.outputs}

    def root(self, x: SymbolicTensor) -> SymbolicTensor:
        """The tensor whose value a tensor has."""
        return self._roots.get(id(x), x)

    def of(self, x: SymbolicTensor) -> Operation | None:
        """What makes a value; None if that comes from elsewhere."""
        return self._makers.get(id(self.root(x)))

    def behind(self, x: SymbolicTensor) -> Operation | None:
        """What makes a value, or what it is the same as."""
        maker = self.of(x)
        while maker is not None and maker.record.name in self._same:
            maker = self.of(maker.given[0])
        return maker
