"""Partial runs: a graph run in several calls, each operation once.

Each call runs everything that what has been fed so far allows, and keeps the values that later
calls will read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base import dtypes
from ...base.errors import InvalidArgumentError
from ...core.tensor import kept
from ..passes.prune import needed
from ..representation.graph import Operation, SymbolicTensor


def refused(text: str) -> InvalidArgumentError:
    """TensorFlow's error for a partial run."""
    return InvalidArgumentError(None, None, f"Graph execution error:\n\n{text}")


class PartialRun:
    """What one handle stands for.

    Args:
        tensors: what will be fetched.
        operations: operations that will be run.
        feeds: what will be fed.
    """

    def __init__(
        self,
        tensors: Sequence[SymbolicTensor],
        operations: Sequence[Operation],
        feeds: Sequence[SymbolicTensor],
    ) -> None:
        self._fetches = dict.fromkeys((*tensors, *operations), False)
        self._feeds = dict.fromkeys(feeds, False)
        self._nodes = needed([*(x.op for x in tensors), *operations], feeds)
        self._done: set[Operation] = set()
        self.values: dict[SymbolicTensor, Any] = {}

    @property
    def is_over(self) -> bool:
        """True once everything has been fetched."""
        return all(self._fetches.values())

    def take(self, fed: dict[SymbolicTensor, Any], fetches: Sequence[Any]) -> None:
        """Takes what one call feeds and marks what it fetches.

        Raises:
            InvalidArgumentError: it was not announced, or came before.
        """
        _mark(self._feeds, fed, "feed", "fed")
        _mark(self._fetches, fetches, "fetch", "fetched")
        self.values.update((x, kept(value)) for x, value in fed.items())

    def next_nodes(self, fetches: Sequence[Any]) -> list[Operation]:
        """What can run now and has not.

        Raises:
            InvalidArgumentError: something that is fetched cannot be computed yet.
        """
        found = [*self._done]
        there = set(found)
        for operation in self._nodes:
            if operation not in there and self._can_run(operation, there):
                there.add(operation)
        for each in fetches:
            operation = each.op if isinstance(each, SymbolicTensor) else each
            if operation not in there and each not in self.values:
                raise refused(
                    f"Fetch {each.name} can't be computed from the feeds that have been fed so far."
                )
        return [
            operation
            for operation in self._nodes
            if operation in there and operation not in self._done
        ]

    def _can_run(self, operation: Operation, there: set[Operation]) -> bool:
        if operation.type == "Placeholder":  # one that no call will feed says so when it runs
            return operation.outputs[0] not in self._feeds
        return all(each in there for each in operation.control) and all(
            x in self.values or x.op in there for x in operation.inputs
        )

    def kept(self, operations: Sequence[Operation]) -> list[SymbolicTensor]:
        """The values of `operations`, which run now, that later calls need."""
        self._done.update(operations)
        later = {
            x for operation in self._nodes if operation not in self._done for x in operation.inputs
        }
        later |= {each for each in self._fetches if isinstance(each, SymbolicTensor)}
        return [
            y
            for operation in operations
            for y in operation.outputs
            if y in later and y not in self.values and y.dtype is not dtypes.resource
        ]


def _mark(announced: dict[Any, bool], given: Any, what: str, done: str) -> None:
    for each in given:
        if each not in announced:
            raise refused(f"The {what} {each.name} was not specified in partial_run_setup.")
        if announced[each]:
            raise refused(f"The {what} {each.name} has already been {done}.")
        announced[each] = True
