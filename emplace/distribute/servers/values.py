"""What workers will have computed, and what each of them has one of."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from ...base import nest
from ...base.errors import CancelledError
from ...base.typing import TensorLike

_CANCELLED = "The corresponding function is cancelled. Please reschedule the function."


class RemoteValue:
    """What a scheduled function returns, once it has run
    (`tf.distribute.coordinator.RemoteValue`)."""

    def fetch(self) -> Any:
        """The value with NumPy arrays in the places of tensors; waits for it.

        Raises:
            Exception: what the function raised.
            CancelledError: another function failed before this one ran.
        """
        raise NotImplementedError

    def get(self) -> Any:
        """The value with tensors; waits for it. It raises what `fetch` raises."""
        raise NotImplementedError


class RemoteValueImpl(RemoteValue):
    """A value that comes, or an error."""

    def __init__(self) -> None:
        self._is_there = threading.Event()
        self._value: Any = None
        self._error: BaseException | None = None

    def put(self, value: TensorLike) -> None:
        """It has come."""
        self._value = value
        self._is_there.set()

    def fail(self, error: BaseException) -> None:
        """It will not come."""
        self._error = error
        self._is_there.set()

    def cancel(self) -> None:
        """It will not come, for another function failed."""
        self.fail(CancelledError(None, None, _CANCELLED))

    def get(self) -> Any:
        """See `RemoteValue`."""
        self._is_there.wait()
        if self._error is not None:
            raise self._error
        return self._value

    def fetch(self) -> Any:
        """See `RemoteValue`."""
        return nest.map_structure(_plain, self.get())


def _plain(value: TensorLike) -> Any:
    numpy = getattr(value, "numpy", None)
    return value if numpy is None else numpy()


class PerWorkerValues:
    """One value for each worker (`tf.distribute.coordinator.PerWorkerValue`). A scheduled function
    that is given it gets that of the worker it runs on.

    Args:
        values: a `RemoteValue` for each worker, in their order.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = tuple(values)

    def of(self, worker: int) -> Any:
        """That of a worker; waits for it."""
        return self._values[worker].get()

    @property
    def stand_in(self) -> Any:
        """What functions are traced with."""
        return self.of(0)


class PerWorkerDataset:
    """A dataset for each worker (what `ClusterCoordinator.create_per_worker_dataset` returns).
    `iter` makes an iterator for each, to be given to scheduled functions.

    Args:
        make: makes one, on a worker.
        spread: lets each worker do something, and returns the results.
    """

    def __init__(
        self, make: Callable[[], Any], spread: Callable[[Callable[[], Any]], Sequence[Any]]
    ) -> None:
        self._make, self._spread = make, spread
        self._sample = make()
        if not hasattr(self._sample, "element_spec"):
            raise TypeError(
                f"A dataset function must return a dataset, got {type(self._sample).__name__}."
            )

    @property
    def element_spec(self) -> Any:
        """The type of the elements."""
        return self._sample.element_spec

    def build(self) -> PerWorkerDataset:
        """Itself: what workers need is made with the iterators."""
        return self

    def __iter__(self) -> PerWorkerIterator:
        return PerWorkerIterator(self._spread(_Iterating(self._make)), iter(self._sample))


class _Iterating:
    """Makes an iterator."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make

    def __call__(self) -> Any:
        return iter(self.make())


class PerWorkerIterator(PerWorkerValues):
    """An iterator for each worker, whose elements only scheduled functions get."""

    def __init__(self, values: Sequence[Any], stand_in: Any) -> None:
        super().__init__(values)
        self._stand_in = stand_in

    @property
    def stand_in(self) -> Any:
        """What functions are traced with."""
        return self._stand_in

    def get_next(self) -> Any:
        """Refuses: there is one element for each worker."""
        raise NotImplementedError(
            "Iterating over an `AsyncDistributedIterator` is not supported right now."
        )

    __next__ = get_next
