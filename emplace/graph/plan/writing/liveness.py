"""How long values are needed: until their last use in a block, or longer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from ...representation.graph import Operation, SymbolicTensor
from .values import Values


class Liveness:
    """Counts the uses of values in the block that is being written.

    `keep` are values that outlive it, by the ids of their tensors; `turning` the variables of the
    innermost loop that each iteration replaces.
    """

    __slots__ = ("_left", "_values", "keep", "turning")

    def __init__(self, values: Values) -> None:
        self._values = values
        self._left: dict[int, int] = {}
        self.keep: set[int] = set()
        self.turning: set[int] = set()

    @contextmanager
    def block(self, results: Sequence[SymbolicTensor]) -> Iterator[None]:
        """A scope for the lines of a block: what there is before it stays, and its results do."""
        left, keep = self._left, self.keep
        self.keep = keep | {id(x) for x in results} | set(self._values.names)
        try:
            yield
        finally:
            self._left, self.keep = left, keep

    @contextmanager
    def loop(
        self, turning: Iterable[SymbolicTensor], outputs: Iterable[SymbolicTensor | None]
    ) -> Iterator[None]:
        """A scope for the body of a loop, which replaces the variables `turning` in each iteration
        unless it returns them as they are.
        """
        before, self.turning = self.turning, {*map(id, turning)} - {*map(id, outputs)}
        try:
            yield
        finally:
            self.turning = before

    def count(self, operations: Iterable[Operation]) -> None:
        """Counts how often the operations of the block use each value."""
        roots = self._values.roots
        if roots:
            root = roots.get
            self._left = Counter(
                [id(root(id(x), x)) for operation in operations for x in operation.inputs]
            )
        else:
            self._left = Counter([id(x) for operation in operations for x in operation.inputs])

    def ended_by(self, operation: Operation) -> list[SymbolicTensor]:
        """The values that nobody will use after this operation; it is asked once per operation."""
        left, keep, names, roots = self._left, self.keep, self._values.names, self._values.roots
        ended = []
        for x in operation.inputs:
            key = id(x)
            if key in roots:
                x = roots[key]
                key = id(x)
            count = left[key] = left.get(key, 0) - 1
            if not count and key not in keep and key in names:
                ended.append(x)
        return ended

    def unused_of(self, operation: Operation) -> list[SymbolicTensor]:
        """What an operation makes and nobody wants."""
        left, keep, names = self._left, self.keep, self._values.names
        return [
            y
            for y in operation.outputs
            if not left.get(id(y)) and id(y) not in keep and id(y) in names
        ]

    def is_wanted(self, y: SymbolicTensor) -> bool:
        """Whether somebody uses a value later in this block, or it outlives that."""
        return bool(self._left.get(id(y))) or id(y) in self.keep

    def ends_at_next(self, x: SymbolicTensor) -> bool:
        """Whether nobody uses a value after the next use of it."""
        x = self._values.roots.get(id(x), x)
        return id(x) not in self.keep and self._left.get(id(x)) == 1

    def is_replaced_after(self, x: SymbolicTensor) -> bool:
        """Whether a loop variable gets another value after the next use of it, its last."""
        return id(x) in self.turning and self._left.get(id(x)) == 1
