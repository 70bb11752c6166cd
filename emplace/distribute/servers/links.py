"""Where the tasks of a cluster are: servers of this process, or other processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...graph.calling import ConcreteFunction
from ..cluster.spec import ClusterSpec
from .current import on_worker


class LocalWorker:
    """A worker that is a server of this process: a thread runs its functions.

    Args:
        number: which one.
    """

    def __init__(self, number: int) -> None:
        self.number = number

    def call(self, function: ConcreteFunction, tensors: Callable[[Any], Any]) -> Any:
        """Runs a traced function.

        Args:
            function: the function.
            tensors: what it takes, of what this worker has of values per worker.
        """
        with on_worker(self.number):
            return function.run(tensors(lambda each: each.of(self.number)))

    def make(self, function: Callable[[], Any]) -> Any:
        """What `function` makes, for later calls."""
        with on_worker(self.number):
            return function()


class Links:
    """The servers and workers of a cluster.

    Args:
        cluster: their addresses.
    """

    def __init__(self, cluster: ClusterSpec) -> None:
        self.workers = [LocalWorker(i) for i in cluster.task_indices("worker")]

    def serve(self, variable: Any, number: int) -> None:
        """Lets a server hold a variable: those of this process share its memory."""
