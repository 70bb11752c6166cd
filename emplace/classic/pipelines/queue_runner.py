"""Threads that keep queues full while a program trains."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from ...base import log
from ...base.errors import OutOfRangeError
from ...core.context import LOCAL
from ...graph.session.session import BaseSession, get_default_session
from ...ops.data_flow.queue_classes import QueueBase
from ...state.coordinator import Coordinator
from ..scopes.collections import GraphKeys, add_to_collection
from ..scopes.op_names import named

_NO_EAGER = (
    "Queues are not compatible with eager execution. Instead, please use `tf.data` to get data "
    "into your model."
)


class QueueRunner:
    """Runs the operations that fill a queue, each in a thread (`tf.train.QueueRunner`).

    Args:
        queue: the queue.
        enqueue_ops: the operations; one that is listed twice runs in two threads.
        close_op: closes the queue once all threads have come to an end; made if None.
        cancel_op: closes it and wakes what waits to be put; made if None.
        queue_closed_exception_types: errors that mean that there is no more to put.
        queue_runner_def: not offered.
        import_scope: not offered.

    Raises:
        RuntimeError: eager mode.
        ValueError: there is no queue, or nothing to run.
    """

    def __init__(
        self, queue: QueueBase | None = None, enqueue_ops: Any = None, close_op: Any = None,
        cancel_op: Any = None, queue_closed_exception_types: Any = None,
        queue_runner_def: Any = None, import_scope: str | None = None,
    ) -> None:  # fmt: skip
        if LOCAL.state.target.is_eager:
            raise RuntimeError(_NO_EAGER)
        if queue_runner_def is not None:
            raise NotImplementedError(
                "[QueueRunner] queue_runner_def cannot be read here. Make the runner with its "
                "queue and enqueue_ops."
            )
        if queue is None or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        self._queue = queue
        self._enqueue_ops = list(enqueue_ops)
        name = queue.name.split("/")[-1]
        if close_op is None:
            with named(f"{name}_Close"):
                close_op = queue.close()
        if cancel_op is None:
            with named(f"{name}_Close"):
                cancel_op = queue.close(cancel_pending_enqueues=True)
        self._close_op, self._cancel_op = close_op, cancel_op
        self._closed_by = _checked_types(queue_closed_exception_types)
        self._lock = threading.Lock()
        self._running: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._raised: list[BaseException] = []

    @property
    def queue(self) -> Any:
        """The queue."""
        return self._queue

    @property
    def name(self) -> str:
        """The queue's name."""
        return str(self._queue.name)

    @property
    def enqueue_ops(self) -> list[Any]:
        """The operations that fill it."""
        return self._enqueue_ops

    @property
    def close_op(self) -> Any:
        """The operation that closes it."""
        return self._close_op

    @property
    def cancel_op(self) -> Any:
        """The operation that closes it and wakes what waits to be put."""
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> tuple[type[BaseException], ...]:
        """Errors that mean that there is no more to put."""
        return self._closed_by

    @property
    def exceptions_raised(self) -> list[BaseException]:
        """What threads raised that have no coordinator."""
        return self._raised

    def create_threads(
        self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """Threads that fill the queue in a session; none if some run there already.

        Args:
            sess: the session.
            coord: is told of errors, and tells the threads to stop.
            daemon: whether the program may end while they run.
            start: whether to start them.
        """
        with self._lock:
            if self._running.get(sess):
                return []
            self._running[sess] = len(self._enqueue_ops)
            self._raised = []
        threads = [
            self._thread(op.name, partial(self._fill, sess, op, coord), daemon)
            for op in self._enqueue_ops
        ]
        if coord is not None:
            threads.append(
                self._thread("close_on_stop", partial(self._close_on_stop, sess, coord), daemon)
            )
        for thread in threads:
            if coord is not None:
                coord.register_thread(thread)
            if start:
                thread.start()
        return threads

    def _thread(self, what: str, run: Callable[[], None], daemon: bool) -> threading.Thread:
        name = f"QueueRunnerThread-{self.name}-{what}"
        return threading.Thread(target=run, name=name, daemon=daemon)

    def _fill(self, session: BaseSession, op: object, coord: Coordinator) -> None:
        """What a thread does: runs `op` until somebody says stop, or there is no more to put."""
        is_counted = True
        try:
            while coord is None or not coord.should_stop():
                try:
                    session.run(op)
                except self._closed_by:
                    is_counted = False
                    self._leave(session, closes=True)
                    return
        except Exception as error:
            if coord is not None:
                coord.request_stop(error)
            else:
                log.error(f"Exception in QueueRunner: {error}")
                with self._lock:
                    self._raised.append(error)
        finally:
            if is_counted:
                self._leave(session, closes=False)

    def _leave(self, session: BaseSession, closes: bool) -> None:
        """One thread less; the last one closes the queue if there was no more to put."""
        with self._lock:
            left = self._running[session] = self._running.get(session, 1) - 1
        if closes and not left:
            with suppress(Exception):  # it may be closed already, or the session
                session.run(self._close_op)

    def _close_on_stop(self, session: BaseSession, coord: Coordinator) -> None:
        coord.wait_for_stop()
        with suppress(Exception):  # it may be closed already, or the session
            session.run(self._cancel_op)


def _checked_types(types: Any) -> tuple[type[BaseException], ...]:
    if types is None:
        return (OutOfRangeError,)
    is_good = isinstance(types, tuple) and types and all(
        isinstance(each, type) and issubclass(each, BaseException) for each in types
    )  # fmt: skip
    if not is_good:
        raise TypeError("queue_closed_exception_types, when provided, must be a tuple of OpErrors")
    found: tuple[type[BaseException], ...] = types
    return found


def add_queue_runner(qr: QueueRunner, collection: Any = GraphKeys.QUEUE_RUNNERS) -> None:
    """Adds a runner to a list of the graph (`tf.train.add_queue_runner`).

    Args:
        qr: the runner.
        collection: the list, that which `start_queue_runners` starts.
    """
    add_to_collection(collection, qr)


def start_queue_runners(
    sess: Any = None, coord: Coordinator | None = None, daemon: bool = True, start: bool = True,
    collection: Any = GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:  # fmt: skip
    """Starts what fills the queues of a session's graph (`tf.train.start_queue_runners`).

    Args:
        sess: the session, the default one if None.
        coord: is told of errors, and tells the threads to stop.
        daemon: whether the program may end while they run.
        start: whether to start the threads; else they are only made.
        collection: the list of the runners.

    Returns:
        The threads.

    Raises:
        RuntimeError: eager mode.
        TypeError: `sess` is no session.
        ValueError: there is no session.
    """
    if LOCAL.state.target.is_eager:
        raise RuntimeError(_NO_EAGER)
    session = _session(sess)
    with session.graph.as_default():
        runners: Sequence[QueueRunner] = session.graph.get_collection(collection)
        made = [runner.create_threads(session, coord, daemon, start) for runner in runners]
    return [thread for threads in made for thread in threads]


def _session(sess: BaseSession) -> Any:
    found = get_default_session() if sess is None else sess
    if found is None:
        raise ValueError(
            "Cannot start queue runners: No default session is registered. Use `with "
            "sess.as_default()` or pass an explicit session to tf.start_queue_runners(sess=sess)"
        )
    if not isinstance(found, BaseSession) and not hasattr(found, "run"):
        raise TypeError(f"sess must be a `tf.Session` object. Given class: {type(found)}")
    return found
