"""`tf.distribute.coordinator.ClusterCoordinator`: gives functions to workers, and does not wait."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ...base import nest
from ...base.errors import UnavailableError
from ...base.logger import get_logger
from ...base.typing import Structure
from ...data.dataset.dataset import Dataset
from ...graph.function.calling import ConcreteFunction
from ...graph.function.function import Function
from ..strategies.strategy import Strategy
from .queue import Work, WorkQueue
from .remote.rpc import LostError
from .strategy import ParameterServerStrategy
from .values import PerWorkerDataset, PerWorkerValues, RemoteValue, RemoteValueImpl


class ClusterCoordinator:
    """Gives functions to the workers of a strategy
    (`tf.distribute.coordinator.ClusterCoordinator`). There is one for a strategy.

    Args:
        strategy: a `tf.distribute.ParameterServerStrategy`.

    Raises:
        ValueError: it is another one.

    A scheduled function runs once, on some worker; if the worker is lost meanwhile, again on
    another one. The first error that one raises cancels those that have not begun, and comes out
    of the next `schedule`, `join` or `done`.
    """

    def __new__(cls, strategy: Strategy) -> ClusterCoordinator:
        """The strategy's coordinator."""
        if not isinstance(strategy, ParameterServerStrategy):
            raise ValueError(
                "Only `tf.distribute.ParameterServerStrategy` works with ClusterCoordinator, got "
                f"{type(strategy).__name__}."
            )
        if strategy._coordinator is None:
            strategy._coordinator = super().__new__(cls)
            strategy._coordinator._begin(strategy)
        made: ClusterCoordinator = strategy._coordinator
        return made

    def _begin(self, strategy: ParameterServerStrategy) -> None:
        self._strategy = strategy
        self._queue = WorkQueue()
        self._workers = strategy._links.workers
        crew = _Crew(self._queue, len(self._workers))
        for worker in self._workers:
            _WorkerThread(crew, worker).start()
        weakref.finalize(self, self._queue.end)

    @property
    def strategy(self) -> ParameterServerStrategy:
        """The strategy."""
        return self._strategy

    def schedule(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> RemoteValue:
        """Lets a worker run a function some time. Variables it uses are read and changed where
        their servers are.

        Args:
            fn: a `tf.function`, or a concrete function.
            args: its arguments; values per worker are replaced by those of the worker.
            kwargs: its arguments by name.

        Returns:
            What it will return.

        Raises:
            TypeError: `fn` is something else.
            ValueError: a `RemoteValue` is among the arguments.
            Exception: what an earlier function raised.
        """
        if not isinstance(fn, (Function, ConcreteFunction)):
            raise TypeError(
                "`tf.distribute.experimental.coordinator.ClusterCoordinator.schedule` only accepts "
                "a `tf.function` or a concrete function."
            )
        args, kwargs = tuple(args or ()), dict(kwargs or {})
        _refuse_remote((args, kwargs))
        call = _ScheduledCall(fn, args, kwargs)
        with self._strategy.scope():
            function = call.traced()
        work = Work(lambda worker: worker.call(function, call.tensors))
        self._queue.put(work)
        return work.result

    def join(self) -> None:
        """Waits until all scheduled functions have run.

        Raises:
            Exception: the first one that a function raised.
        """
        self._queue.wait()

    def done(self) -> bool:
        """Whether all scheduled functions have run.

        Raises:
            Exception: the first one that a function raised.
        """
        return self._queue.is_done()

    def fetch(self, val: Any) -> Any:
        """NumPy values in the places of the remote values in a structure; waits for them.

        Raises:
            Exception: what a function raised.
        """
        return nest.map_structure(_fetched, val)

    def create_per_worker_dataset(self, dataset_fn: Callable[..., Any]) -> PerWorkerDataset:
        """A dataset for each worker.

        Args:
            dataset_fn: a function that makes one, called on every worker, and here for the type of
                the elements; or a dataset, which every worker goes through by itself.

        Raises:
            ValueError: it is something else.
        """
        if isinstance(dataset_fn, Dataset):
            return PerWorkerDataset(lambda: dataset_fn, self._spread)
        if isinstance(dataset_fn, Function):
            dataset_fn = dataset_fn.python_function
        if not callable(dataset_fn):
            raise ValueError("Unexpected dataset type!")
        return PerWorkerDataset(_Scoped(self._strategy, dataset_fn), self._spread)

    def _create_per_worker_resources(self, fn: Callable[[], Any]) -> PerWorkerValues:
        """What a function makes on each worker."""
        return PerWorkerValues(self._spread(fn))

    def _spread(self, fn: Callable[[], Any]) -> Sequence[RemoteValueImpl]:
        made = []
        for worker in self._workers:
            value = RemoteValueImpl()
            try:
                value.put(worker.make(fn))
            except LostError as error:  # it will never be asked for
                value.fail(error)
            made.append(value)
        return made


class _Scoped:
    """A function that is called in the scope of a strategy, here or on a worker."""

    def __init__(self, strategy: Strategy, function: Callable[[], Any]) -> None:
        self.strategy, self.function = strategy, function

    def __call__(self) -> Any:
        with self.strategy.scope():
            return self.function()


class _ScheduledCall:
    """A function and its arguments."""

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.function, self.args, self.kwargs = function, args, kwargs

    def _given(self, choose: Callable[[PerWorkerValues], Any]) -> tuple[Any, Any]:
        def chosen(each: object) -> Any:
            return choose(each) if isinstance(each, PerWorkerValues) else each

        return nest.map_structure(chosen, (self.args, self.kwargs))  # type: ignore[no-any-return]

    def traced(self) -> ConcreteFunction:
        """The trace for the arguments."""
        if isinstance(self.function, ConcreteFunction):
            return self.function
        args, kwargs = self._given(lambda each: each.stand_in)
        found: ConcreteFunction = self.function.get_concrete_function(*args, **kwargs)
        return found

    def tensors(self, choose: Callable[[PerWorkerValues], Any]) -> Any:
        """The tensors among the arguments, with those of one worker in the places of values per
        worker."""
        args, kwargs = self._given(choose)
        if isinstance(self.function, ConcreteFunction):
            return self.function.tensors_of(*args, **kwargs)
        return self.function.tensors_of(*args, **kwargs)


class _Crew:
    """What the threads do, one for each worker. They keep no coordinator alive."""

    def __init__(self, queue: WorkQueue, count: int) -> None:
        self._queue = queue
        self._left = count
        self._lock = threading.Lock()

    def work(self, worker: Any) -> None:
        """Lets a worker run functions until there will be none, or it is lost."""
        while (work := self._queue.take()) is not None:
            try:
                value = work.run(worker)
            except LostError as error:
                self._queue.put_back(work)
                return self._without(worker, error)
            except BaseException as error:
                _tell(worker, error)
                self._queue.fail(work, error)
            else:
                self._queue.finish(work, value)
            work = value = None

    def _without(self, worker: Any, error: LostError) -> None:
        get_logger().error(
            f"Worker /job:worker/task:{worker.number} has been lost: {error} What it had begun is "
            "run by another worker."
        )
        with self._lock:
            self._left -= 1
            if not self._left:
                text = "All workers have been lost. Start the job again from its last checkpoint."
                self._queue.end(UnavailableError(None, None, text))


class _WorkerThread(threading.Thread):
    """The thread of a worker."""

    def __init__(self, crew: _Crew, worker: Any) -> None:
        super().__init__(name=f"emplace-worker-{worker.number}", daemon=True)
        self.queue = crew._queue
        self._crew, self._worker = crew, worker

    def run(self) -> None:
        """Lets the worker run functions."""
        self._crew.work(self._worker)


def _tell(worker: Any, error: BaseException) -> None:
    get_logger().error(
        f" /job:worker/task:{worker.number} encountered the following error when processing "
        f"closure: {type(error).__name__}: {error}"
    )


def _refuse_remote(structure: Structure) -> None:
    if any(isinstance(each, RemoteValue) for each in nest.flatten(structure)):
        raise ValueError(
            "`tf.distribute.experimental.coordinator.RemoteValue` used as an input to scheduled "
            "function is not yet supported."
        )


def _fetched(each: object) -> Any:
    return each.fetch() if isinstance(each, RemoteValue) else each
