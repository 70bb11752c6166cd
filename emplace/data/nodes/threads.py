"""Elements made by other threads: prefetching, and functions called in parallel.

A thread knows the state that it shares with its iterator, never the iterator: when the program
drops the iterator, the state is told to stop and the thread ends.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

import torch

from ...base.errors import FailedPreconditionError
from ...base.typing import TensorLike
from ...core.ending import Here
from ..elements.structure import Element
from ..functions.traced import Call, Traced
from ..iteration.devices import Copies
from ..iteration.node import AUTOTUNE, Node, Run, as_many, on_host
from ..iteration.position import Ended, Placed, restored, saved
from ..iteration.resuming import Failure
from .transforms import Map, Mapped

_AUTO_SIZE = 8
_AUTO_SIZE_ON_DEVICE = 2  # whose memory is scarcer
_PATIENCE_S = 2.0


class _Worker(threading.local):
    """Whether this thread works for a pipeline."""

    is_one = False
    here: Here | None = None


_WORKER = _Worker()
_IS_CHANGED = [False]


def work_alone() -> None:
    """Makes the kernels of this thread run in it alone, as torch's DataLoader does: several teams
    of threads on the same cores wait for each other more than they work.
    """
    _WORKER.is_one = True
    _WORKER.here = Here()
    torch.set_num_threads(1)
    _IS_CHANGED[0] = True


def before_threads() -> None:
    """Makes torch settle the number of this thread before workers change that of later ones."""
    if not _WORKER.is_one:
        torch.get_num_threads()


def restore_threads() -> None:
    """Gives threads that start later the usual number again: torch keeps it for all of them, and
    the thread of the program has not changed its own.
    """
    if not _WORKER.is_one:
        _IS_CHANGED[0] = False
        torch.set_num_threads(torch.get_num_threads())


# How many forks lie between this process and the one that loaded this module.
_FORKS = [0]


def _left_behind() -> FailedPreconditionError:
    """What a child process is told of an iterator whose threads stayed in its parent."""
    return FailedPreconditionError(
        None, None,
        "This iterator over a dataset works with threads, which stayed in the process that "
        "os.fork() copied. Make the iterator in the child process.",
    )  # fmt: skip


_PAUSE = 0.05  # seconds until a buffer that is not half empty is filled up again


class _Buffer:
    """What a thread has made and nobody has taken yet."""

    def __init__(self, items: Iterator[Element], size: int) -> None:
        self.items = items
        self.size = size
        self.ready: deque[Any] = deque()
        self.lock = threading.Lock()
        self.filled = threading.Condition(self.lock)
        self.emptied = threading.Condition(self.lock)
        self.is_waiting = False  # the one who takes
        self.is_full = False  # the thread waits for room
        self.is_stopped = False
        self.turn = threading.Lock()  # of who makes an item, or asks how far that has come

    def stop(self) -> None:
        """Makes the thread end."""
        with self.lock:
            self.is_stopped = True
            self.ready.clear()
            self.emptied.notify_all()
            self.filled.notify_all()

    def fill(self) -> None:
        """What the thread does."""
        work_alone()
        items = self.items
        while not self.is_stopped:
            with self.turn:
                try:
                    made: Any = next(items), None
                except StopIteration:
                    made = None
                except BaseException as error:
                    made = None, error
                self.ready.append(made)
            self._tell()
            if made is None:
                break
        del items
        self.items = Ended()

    def _tell(self) -> None:
        """Says that there is one more, and waits while there are enough."""
        if self.is_waiting:
            with self.lock:
                self.filled.notify()
        if len(self.ready) >= self.size:
            with self.lock:
                self.is_full = True  # before looking again: who takes looks the other way round
                while len(self.ready) >= self.size and not self.is_stopped:
                    self.emptied.wait()
                if len(self.ready) > self.size // 2 and not self.is_stopped:
                    self.emptied.wait(_PAUSE)  # more may be taken, and is made in one go then
                self.is_full = False

    def leave_behind(self) -> None:
        """In a child process: there is no thread any more, and it may have held the lock."""
        self.lock = threading.Lock()
        self.filled, self.emptied = threading.Condition(self.lock), threading.Condition(self.lock)
        self.turn = threading.Lock()
        self.is_full = False
        if not self.is_stopped:
            self.size = sys.maxsize
            self.ready.append((None, _left_behind()))
            self.ready.append(None)

    def take(self) -> Element:
        """The next element."""
        ready = self.ready
        if not ready:
            with self.lock:
                self.is_waiting = True
                while not ready:
                    if self.is_stopped:
                        raise StopIteration
                    self.filled.wait()
                self.is_waiting = False
        if _IS_CHANGED[0]:
            restore_threads()
        made = ready.popleft()
        if self.is_full and (len(ready) <= self.size // 2 or len(ready) == self.size - 1):
            with self.lock:
                self.emptied.notify()
        if made is None:
            self.is_stopped = True
            raise StopIteration
        values, error = made
        if error is None:
            return values  # type: ignore[no-any-return]
        try:
            raise error
        finally:  # what it was raised from must not hold it: the iterator would outlive its use
            del made, error


class _Pool:
    """Threads that call functions. Python's own pool makes the end of a program wait for them, this
    one only for a while, as for other threads.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._threads = 0
        self._tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()
        before_threads()
        _RUNNING.add(self)

    def submit(self, function: Callable[..., Element], *arguments: Any) -> Future[Element]:
        """Has a function called by the next thread that is free."""
        future: Future[Element] = Future()
        self._tasks.put((future, function, arguments))
        if self._threads < self._size:
            self._threads += 1
            _started(_work_off, self._tasks, name=f"tf_data_map_{self._threads}")
        return future

    def stop(self) -> None:
        """Makes the threads end; calls that have not begun are left out."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._tasks.get_nowait()
        for _ in range(self._threads):
            self._tasks.put(None)

    def leave_behind(self) -> None:
        """In a child process: there is no thread any more, and one may have held the lock."""
        self._threads, self._tasks = 0, queue.SimpleQueue()


def _work_off(tasks: queue.SimpleQueue[Any]) -> None:
    """What a thread of a pool does."""
    work_alone()
    while True:
        task = tasks.get()
        if task is None:
            return
        future, function, arguments = task
        try:
            future.set_result(function(*arguments))
        except BaseException as error:
            future.set_exception(error)
        del task, future, function, arguments


def _started(function: Callable[..., None], *arguments: Any, name: str) -> None:
    """Starts a thread that the end of the program waits for, but not for long."""
    thread = threading.Thread(target=function, args=arguments, name=name, daemon=True)
    _THREADS.add(thread)
    thread.start()


_RUNNING: weakref.WeakSet[_Buffer | _Pool] = weakref.WeakSet()
_THREADS: weakref.WeakSet[threading.Thread] = weakref.WeakSet()


@atexit.register
def _stop_all() -> None:
    """Ends the threads while what they use is still there."""
    for each in list(_RUNNING):
        each.stop()
    end = time.monotonic() + _PATIENCE_S
    for thread in list(_THREADS):
        thread.join(max(0.0, end - time.monotonic()))


def _after_fork() -> None:
    _FORKS[0] += 1
    for each in list(_RUNNING):
        each.leave_behind()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class Prefetched(Placed):
    """Items that a thread makes in advance; on `device`, if that is not the host."""

    __slots__ = ("__weakref__", "_buffer", "_device", "_has_begun")

    def __init__(self, items: Iterator[Element], size: int, device: Any = None) -> None:
        self._buffer = _Buffer(items, size)
        self._device = device
        self._has_begun = False

    def __next__(self) -> Element:
        if not self._has_begun:
            self.begin()
        return self._buffer.take()

    def begin(self) -> None:
        """Starts the thread."""
        self._has_begun = True
        before_threads()
        _RUNNING.add(self._buffer)
        _started(self._buffer.fill, name="tf_data_prefetch")

    def save(self) -> dict[str, Any]:
        """Its position, between two items of the thread: what is ready belongs to it."""
        buffer, device = self._buffer, self._device
        with buffer.turn:
            ready = [_outcome(made) for made in list(buffer.ready) if made is not None]
            if device is not None:
                ready = [x if type(x) is Failure else on_host(x, device) for x in ready]
            return {"items": saved(buffer.items), "ready": ready}

    def restore(self, parts: dict[str, Any]) -> None:
        """Takes a position, before the thread begins."""
        buffer, device = self._buffer, self._device
        buffer.items = restored(buffer.items, parts["items"])
        copied = (lambda x: x) if device is None else Copies(device)
        buffer.ready.extend(
            (None, x.error) if type(x) is Failure else (copied(x), None) for x in parts["ready"]
        )

    def __del__(self) -> None:
        if self._has_begun:
            self._buffer.stop()


def _outcome(made: Any) -> Any:
    values, error = made
    return values if error is None else Failure(error)


class Prefetch(Node):
    """The elements of its input, made in advance by a thread."""

    label = "PrefetchDataset"
    counted = as_many
    follows = True

    def __init__(self, node: Node, size: TensorLike) -> None:
        super().__init__(node)
        self.size = size
        self.structure = node.structure
        self.device = node.device
        self.cardinality = node.cardinality

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return [self.size]

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        size = run.number(self.size)
        items = self.input.start(run)
        if size == 0:
            return items
        if size == AUTOTUNE:
            size = _AUTO_SIZE if self.device is None else _AUTO_SIZE_ON_DEVICE
        return Prefetched(items, size, self.device)


class ParallelMap(Map):
    """What a function makes of each element, several at a time, in their order.

    Threads help only where a call takes longer than handing it to one, so calls begin in the
    thread that asks and move to others once they are found to be slow.
    """

    label = "ParallelMapDataset"

    def __init__(self, node: Node, function: Traced, calls: Any) -> None:
        super().__init__(node, function)
        self.calls = calls

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return [self.calls, *super().needs()]

    def mapped(self, items: Iterator[Element], run: Run) -> Iterator[Element]:
        """What the function makes of items."""
        calls, call = run.number(self.calls), self.function.caller(run)
        workers = _WORKERS if calls == AUTOTUNE else calls
        if workers < 2:
            return Mapped(items, self.function, call)
        at_once = calls != AUTOTUNE and self.function.calls_python
        return ParallelMapped(items, self.function, call, workers, at_once)


_WORKERS = max(2, os.cpu_count() or 1)
_SLOW_S = 100e-6
_TRIALS = 4


class ParallelMapped(Placed):
    """What a function makes of each item, called in this thread or, if it is slow, in others."""

    __slots__ = (
        "_call", "_forks", "_function", "_has_ended", "_index", "_items", "_pending", "_pool",
        "_trials", "_workers",
    )  # fmt: skip

    def __init__(
        self, items: Iterator[Element], function: Traced, call: Call, workers: int, at_once: bool
    ) -> None:
        self._items, self._function, self._call = items, function, call
        self._workers = workers
        self._forks = _FORKS[0]
        self._index = -1
        self._trials = 0 if at_once else _TRIALS
        self._pool = _Pool(workers) if at_once else None
        self._pending: deque[Future[Element]] = deque()
        self._has_ended = False

    def save(self) -> dict[str, Any]:
        """Its position, when all calls that have begun have returned."""
        plain = {"index": self._index, "has_ended": self._has_ended}
        ready = [_awaited(future) for future in self._pending]
        return {**plain, "items": saved(self._items), "ready": ready}

    def restore(self, parts: dict[str, Any]) -> None:
        """Takes a position."""
        self._index, self._has_ended = parts["index"], parts["has_ended"]
        self._items = restored(self._items, parts["items"])
        self._pending.extend(map(_finished, parts["ready"]))
        if self._pool is None and (self._pending or self._has_ended):
            self._pool = _Pool(self._workers)

    def __next__(self) -> Element:
        if self._pool is not None:
            return self._from_pool()
        if self._trials:
            return self._tried()
        values = next(self._items)
        self._index += 1
        return self._function.called(self._call, values, self._index)

    def _tried(self) -> Element:
        """One of the calls that tell how long they take; the first one also makes the plan."""
        values = next(self._items)
        self._index += 1
        self._trials -= 1
        start = time.perf_counter()
        try:
            return self._function.called(self._call, values, self._index)
        finally:
            if not self._trials and time.perf_counter() - start > _SLOW_S:
                self._forks = _FORKS[0]
                self._pool = _Pool(self._workers)

    def _from_pool(self) -> Element:
        if self._forks != _FORKS[0]:
            raise _left_behind()
        pool, pending = self._pool, self._pending
        assert pool is not None
        while not self._has_ended and len(pending) < self._workers:
            try:
                values = next(self._items)
            except StopIteration:
                self._has_ended = True
                break
            except Exception as error:
                pending.append(_finished(Failure(error)))
                break
            index = self._index + 1 + len(pending)
            pending.append(pool.submit(self._function.called, self._call, values, index))
        if not pending:
            pool.stop()
            raise StopIteration
        self._index += 1
        made = pending.popleft().result()
        if _IS_CHANGED[0]:
            restore_threads()
        return made

    def __del__(self) -> None:
        if self._pool is not None:
            self._pool.stop()


def _finished(made: Any) -> Future[Element]:
    """A call that has returned, or failed."""
    future: Future[Element] = Future()
    if type(made) is Failure:
        future.set_exception(made.error)
    else:
        future.set_result(made)
    return future


def _awaited(future: Future[Element]) -> Any:
    """What a call returned, or how it failed."""
    try:
        return future.result()
    except Exception as error:
        return Failure(error)
