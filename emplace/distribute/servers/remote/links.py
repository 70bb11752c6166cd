"""Where the tasks of a cluster are: servers of this process, or other processes."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from typing import Any

from ....graph.function.calling import ConcreteFunction
from ...cluster.spec import ClusterSpec
from . import rpc
from .current import on_worker
from .remote_variables import hold, send_ops
from .remote_workers import FarWorker, FunctionsSent
from .tasks import server_at


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
    """The servers and workers of a cluster, all in this process or all in others.

    Args:
        cluster: their addresses.

    Raises:
        ValueError: some are here and some are not.
        DeadlineExceededError: one of the others does not come.
    """

    def __init__(self, cluster: ClusterSpec) -> None:
        tasks = [(job, i) for job in ("ps", "worker") for i in cluster.task_indices(job)]
        here = [server_at(cluster.task_address(*task)) is not None for task in tasks]
        numbers = cluster.task_indices("worker")
        self.is_far = not any(here)
        if all(here):
            self.workers: list[Any] = [LocalWorker(i) for i in numbers]
        elif self.is_far:
            rpc.connect(cluster, rpc.CHIEF)
            send_ops()
            functions = FunctionsSent()
            self.workers = [FarWorker(i, functions) for i in numbers]
            atexit.register(rpc.tell_all, rpc.task_names(cluster))
        else:
            pairs = zip(tasks, here, strict=True)
            other = [rpc.label(rpc.task_name(*task)) for task, is_here in pairs if not is_here]
            raise ValueError(
                "Servers are either all in this process or all in others. These are not in this "
                f"process: {', '.join(other)}."
            )

    def serve(self, variable: Any, number: int) -> None:
        """Lets a server hold a variable. Servers of this process share its memory."""
        if self.is_far:
            handle = variable._handle
            handle._value = hold(handle._value, rpc.task_name("ps", number))
