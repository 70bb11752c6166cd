"""Queues of tuples of raw values, safe for threads: what the queue ops work on.

Whoever puts or takes waits for its turn: putters and takers are served in the order in which they
came, each until it has all it asked for, so that many elements can pass through a small queue.
"""

from __future__ import annotations

import heapq
import itertools
import secrets
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch

from ...base.dtypes import DType, as_dtype, runtime_name, string
from ...base.errors import CancelledError, OutOfRangeError, invalid_argument
from ...base.shapes import TensorShape, runtime_text
from ...core.cancellation import Cancellation
from ..random.philox import BITS128, block, of_op_seeds
from ..strings.basic import text_array
from .turns import in_turn

Item = tuple[Any, ...]
_NUMBERS = itertools.count()


class HostQueue:
    """A queue that gives back what came first (`tf.queue.FIFOQueue`).

    Args:
        capacity: how many elements it holds; below 0 for any number.
        dtypes: the type of each component of an element.
        shapes: the shape of each, or () where they may differ between elements.
        name: how errors call it.
    """

    shape = ()
    kind = "FIFOQueue"
    rest = 0  # how many elements stay until the queue is closed

    def __init__(
        self, capacity: int, dtypes: Sequence[DType], shapes: Sequence[TensorShape], name: str = ""
    ) -> None:
        self.capacity = capacity if capacity >= 0 else 1 << 62
        self.dtypes, self.shapes = tuple(dtypes), tuple(shapes)
        self.name = name or str(next(_NUMBERS))
        self._changed = threading.Condition(threading.RLock())
        self._putters: deque[object] = deque()
        self._takers: deque[object] = deque()
        self._closing = False
        self._cancelling = False
        self._items: Any = deque()

    @property
    def waiting(self) -> int:
        """How many threads wait until they can put or take elements."""
        return len(self._putters) + len(self._takers)

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name!r} with {self.size()} elements>"

    # How a kind of queue keeps its elements; called with the lock held.

    def _put_one(self, item: Item) -> None:
        self._items.append(item)

    def _take_one(self) -> Item:
        return self._items.popleft()  # type: ignore[no-any-return]

    def _give_back(self, items: list[Item]) -> None:
        self._items.extendleft(reversed(items))

    # What everyone may call.

    def size(self) -> int:
        """How many elements it holds now."""
        with self._changed:
            return len(self._items)

    @property
    def is_closed(self) -> bool:
        """True once it is closed and everything that waited to be put is in it."""
        with self._changed:
            return self._closing and not self._putters

    def close(self, cancel_pending_enqueues: bool = False) -> None:
        """Refuses more elements; those inside can still be taken.

        Args:
            cancel_pending_enqueues: also give up what waits to be put.

        Raises:
            CancelledError: it is closed already.
        """
        with self._changed:
            if self._closing and not cancel_pending_enqueues:
                raise CancelledError(None, None, f"Queue '{self.name}' is already closed.")
            self._closing = True
            self._cancelling |= cancel_pending_enqueues
            self._changed.notify_all()

    def put(self, items: Sequence[Item], cancel: Cancellation | None = None) -> None:
        """Puts elements in, in order, and waits for room.

        Args:
            items: the elements.
            cancel: what may end the wait; None takes the thread's.

        Raises:
            CancelledError: the queue is closed, or the wait was cancelled.
        """
        with self._changed:
            if self._closing:
                raise CancelledError(None, None, f"{self.kind} '{self.name}' is closed.")
            left = deque(items)

            def step() -> bool:
                if self._cancelling:
                    raise CancelledError(None, None, "Enqueue operation was cancelled")
                while left and len(self._items) < self.capacity:
                    self._put_one(left.popleft())
                    self._changed.notify_all()
                return not left

            in_turn(self._changed, self._putters, step, cancel, "Enqueue operation was cancelled")

    def take(
        self, count: int, or_less: bool = False, cancel: Cancellation | None = None
    ) -> list[Item]:
        """Takes elements out, and waits until there are enough.

        Args:
            count: how many.
            or_less: take what is left, if it is anything, of a queue that is closed.
            cancel: what may end the wait; None takes the thread's.

        Raises:
            OutOfRangeError: the queue is closed and has fewer; they stay in it.
            CancelledError: the wait was cancelled.
        """
        taken: list[Item] = []

        def step() -> bool:
            rest = 0 if self.is_closed else self.rest
            while len(taken) < count and len(self._items) > rest:
                taken.append(self._take_one())
                self._changed.notify_all()
            if len(taken) == count:
                return True
            if not self.is_closed:
                return False
            if or_less and taken:
                return True
            raise OutOfRangeError(
                None, None,
                f"{self.kind} '{self.name}' is closed and has insufficient elements (requested "
                f"{count}, current size {len(taken)})",
            )  # fmt: skip

        with self._changed:
            try:
                in_turn(
                    self._changed, self._takers, step, cancel, "Dequeue operation was cancelled"
                )
            except BaseException:
                self._give_back(taken)
                self._changed.notify_all()
                raise
        return taken

    # Elements and tensors.

    def check(self, components: Sequence[Any], is_many: bool = False) -> None:
        """Raises InvalidArgumentError unless these raw values are an element, or many."""
        if len(components) != len(self.dtypes):
            raise invalid_argument(
                f"Wrong number of components in tuple. Expected {len(self.dtypes)}, got "
                f"{len(components)}"
            )
        for i, (value, dtype) in enumerate(zip(components, self.dtypes, strict=True)):
            found = string if isinstance(value, np.ndarray) else as_dtype(value.dtype)
            if found is not dtype:
                raise invalid_argument(
                    f"Type mismatch in tuple component {i}. Expected {runtime_name(dtype)}, got "
                    f"{runtime_name(found)}"
                )
            dims = tuple(value.shape)[1:] if is_many else tuple(value.shape)
            if self.shapes and not self.shapes[i].is_compatible_with(dims):
                raise invalid_argument(
                    f"Shape mismatch in tuple component {i}. Expected "
                    f"{runtime_text(tuple(self.shapes[i].as_list()))}, got {runtime_text(dims)}"
                )

    def joined(self, items: Sequence[Item]) -> tuple[Any, ...]:
        """Elements as one tensor for each component."""
        columns = list(zip(*items, strict=True)) or [()] * len(self.dtypes)
        return tuple(
            self._stack(list(column), dtype, shape)
            for column, dtype, shape in zip(columns, self.dtypes, self.shapes, strict=True)
        )

    def _stack(self, values: list[Any], dtype: DType, shape: TensorShape) -> Any:
        if not values:
            dims = (0, *(size or 0 for size in shape.as_list()))
            return text_array([], dims) if dtype is string else torch.zeros(dims, dtype=dtype.torch)
        return np.stack(values) if dtype is string else torch.stack(values)


class PaddingQueue(HostQueue):
    """A queue that fills elements up to the longest where they are taken together."""

    kind = "PaddingFIFOQueue"

    def _stack(self, values: list[Any], dtype: DType, shape: TensorShape) -> Any:
        if values:
            dims = tuple(max(sizes) for sizes in zip(*(v.shape for v in values), strict=True))
            values = [_filled(value, dtype, dims) for value in values]
        return super()._stack(values, dtype, shape)


def _filled(value: torch.Tensor, dtype: DType, dims: tuple[int, ...]) -> Any:
    """A raw value filled up with zeros or empty strings behind its own elements."""
    if tuple(value.shape) == dims:
        return value
    whole: Any = np.full(dims, b"", object) if dtype is string else value.new_zeros(dims)
    whole[tuple(slice(size) for size in value.shape)] = value
    return whole


def _words(key: int, counter: int) -> Iterator[int]:
    """The numbers of 32 bits of a generator."""
    while True:
        yield from block(key, counter)
        counter = counter + 1 & BITS128


class ShuffleQueue(HostQueue):
    """A queue that gives back any of its elements (`tf.queue.RandomShuffleQueue`), in TensorFlow's
    order for two seeds.
    """

    kind = "RandomShuffleQueue"

    def __init__(
        self, capacity: int, dtypes: Sequence[DType], shapes: Sequence[TensorShape],
        name: str = "", min_after_dequeue: int = 0, seeds: tuple[int, int] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(capacity, dtypes, shapes, name)
        if capacity >= 0 and min_after_dequeue >= capacity:
            raise invalid_argument(
                f"min_after_dequeue {min_after_dequeue} must be < capacity {capacity}"
            )
        self.rest = min_after_dequeue
        first, second = seeds or (secrets.randbits(64), secrets.randbits(64))
        self._words = _words(*of_op_seeds(first, second))
        self._items = []

    def _take_one(self) -> Item:
        place = next(self._words) % len(self._items)
        self._items[place], self._items[-1] = self._items[-1], self._items[place]
        return self._items.pop()  # type: ignore[no-any-return]

    def _give_back(self, items: list[Item]) -> None:
        self._items.extend(items)


class SortedQueue(HostQueue):
    """A queue that gives back the least first component (`tf.queue.PriorityQueue`)."""

    kind = "PriorityQueue"

    def __init__(
        self, capacity: int, dtypes: Sequence[DType], shapes: Sequence[TensorShape], name: str = ""
    ) -> None:
        super().__init__(capacity, dtypes, shapes, name)
        self._items = []
        self._order = itertools.count()

    def _put_one(self, item: Item) -> None:
        heapq.heappush(self._items, (int(item[0]), next(self._order), item))

    def _take_one(self) -> Item:
        return heapq.heappop(self._items)[2]  # type: ignore[no-any-return]

    def _give_back(self, items: list[Item]) -> None:
        for item in items:
            self._put_one(item)
