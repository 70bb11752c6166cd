"""`tf.train.Supervisor`: a session with threads that save and log, and loops around it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tensorboard.compat.proto.event_pb2 import SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary

from ...base.errors import AbortedError, UnavailableError
from ...base.typing import TensorLike
from ...graph.recording.default import get_default_graph
from ...graph.representation.graph import Graph
from ...graph.session.session import Session
from ...state.coordinator import Coordinator
from ...state.saver import Saver
from ...summary.file_writer import FileWriter
from ...summary.ops import merge_all
from ...training.global_step import get_global_step
from ..scopes import messages as logging
from ..scopes.collections import GraphKeys, global_variables
from ..scopes.readiness import global_variables_initializer, report_uninitialized_variables
from .looper import LooperThread
from .scaffold import Scaffold
from .session_manager import SessionManager

_DEFAULT = 0


class Supervisor:
    """Starts, saves, logs and stops a training (`tf.compat.v1.train.Supervisor`).

    `MonitoredTrainingSession` is newer. Every argument that is 0, the default, means "as the graph
    has it"; None means "none".

    Args:
        graph: the graph; the default one if None.
        ready_op: returns the names of variables without values.
        ready_for_local_init_op: the same, of those that `local_init_op` needs.
        is_chief: whether it initialises and saves.
        init_op: gives variables their first values.
        init_feed_dict: what its run feeds.
        local_init_op: gives local variables and tables their values.
        logdir: the folder of checkpoints and summaries; nothing is written if None.
        summary_op: all summaries.
        saver: the saver.
        global_step: the variable that counts steps.
        save_summaries_secs: seconds between summaries; 0 for none.
        save_model_secs: seconds between checkpoints; 0 for none.
        recovery_wait_secs: seconds between looks whether variables have values.
        stop_grace_secs: how many seconds threads may take to stop.
        checkpoint_basename: how the names of checkpoints begin.
        session_manager: makes the session.
        summary_writer: what writes summaries.
        init_fn: is called with the session after `init_op`.
        local_init_run_options: options of the run of `local_init_op`.
    """

    USE_DEFAULT = _DEFAULT

    def __init__(  # TensorFlow's signature
        self,
        graph: Graph | None = None,
        ready_op: Any = _DEFAULT,
        ready_for_local_init_op: Any = _DEFAULT,
        is_chief: bool = True,
        init_op: Any = _DEFAULT,
        init_feed_dict: Any = None,
        local_init_op: Any = _DEFAULT,
        logdir: str | None = None,
        summary_op: Any = _DEFAULT,
        saver: Any = _DEFAULT,
        global_step: TensorLike | None = _DEFAULT,
        save_summaries_secs: float = 120,
        save_model_secs: float = 600,
        recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120,
        checkpoint_basename: str = "model.ckpt",
        session_manager: SessionManager | None = None,
        summary_writer: Any = _DEFAULT,
        init_fn: Callable[[Any], Any] | None = None,
        local_init_run_options: Any = None,
    ) -> None:
        self._graph: Any = graph if graph is not None else get_default_graph()
        self._is_chief, self._init_fn, self._init_feeds = is_chief, init_fn, init_feed_dict
        with self._graph.as_default():
            self._init_op = _or_make(init_op, GraphKeys.INIT_OP, global_variables_initializer)
            self._ready_op = _or_make(ready_op, GraphKeys.READY_OP, report_uninitialized_variables)
            self._ready_for_local = _or_make(
                ready_for_local_init_op, GraphKeys.READY_FOR_LOCAL_INIT_OP,
                lambda: report_uninitialized_variables(global_variables()),
            )  # fmt: skip
            self._local_init_op = _or_make(
                local_init_op, GraphKeys.LOCAL_INIT_OP, Scaffold.default_local_init_op
            )
            self._summary_op = _or_make(summary_op, GraphKeys.SUMMARY_OP, merge_all)
            self._saver = _or_make(saver, GraphKeys.SAVERS, _saver_if_needed)
            self._global_step = get_global_step() if _is_default(global_step) else global_step
        self._logdir = None if logdir is None else os.fspath(logdir)
        self._save_path = os.path.join(self._logdir, checkpoint_basename) if self._logdir else None
        self._summary_secs, self._model_secs = save_summaries_secs, save_model_secs
        self._grace = stop_grace_secs
        if _is_default(summary_writer):
            is_written = is_chief and self._logdir
            summary_writer = FileWriter(self._logdir) if is_written else None
        self._writer = summary_writer
        self._coord = Coordinator()
        self._manager = session_manager or SessionManager(
            self._local_init_op, self._ready_op, self._ready_for_local, self._graph,
            recovery_wait_secs, local_init_run_options,
        )  # fmt: skip
        self._is_graph_written = False

    # -- what it has ------------------------------------------------------------------------------

    @property
    def is_chief(self) -> bool:
        """Whether it initialises and saves."""
        return self._is_chief

    @property
    def coord(self) -> Coordinator:
        """The coordinator of its threads."""
        return self._coord

    @property
    def session_manager(self) -> SessionManager:
        """What makes its session."""
        return self._manager

    @property
    def init_op(self) -> Any:
        """Gives variables their first values."""
        return self._init_op

    @property
    def init_feed_dict(self) -> Any:
        """What the run of `init_op` feeds."""
        return self._init_feeds

    @property
    def ready_op(self) -> Any:
        """Returns the names of variables without values."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """The same, of those that `local_init_op` needs."""
        return self._ready_for_local

    @property
    def summary_writer(self) -> Any:
        """What writes summaries; None without a folder."""
        return self._writer

    @property
    def summary_op(self) -> Any:
        """All summaries."""
        return self._summary_op

    @property
    def save_summaries_secs(self) -> float:
        """Seconds between summaries."""
        return self._summary_secs

    @property
    def global_step(self) -> Any:
        """The variable that counts steps; None if there is none."""
        return self._global_step

    @property
    def saver(self) -> Any:
        """The saver."""
        return self._saver

    @property
    def save_model_secs(self) -> float:
        """Seconds between checkpoints."""
        return self._model_secs

    @property
    def save_path(self) -> str | None:
        """How the paths of checkpoints begin."""
        return self._save_path

    # -- sessions ---------------------------------------------------------------------------------

    def prepare_or_wait_for_session(
        self, master: str = "", config: Any = None, wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200, start_standard_services: bool = True,
    ) -> Session:  # fmt: skip
        """A session whose variables have values, and its threads started.

        Args:
            master: "", for this process.
            config: the session's `ConfigProto`.
            wait_for_checkpoint: whether to wait until there is one.
            max_wait_secs: for how long.
            start_standard_services: whether the threads that save and log are started.
        """
        self._coord.clear_stop()
        if self._writer is not None:
            self._writer.reopen()
        if not self._is_chief:
            session = self._manager.wait_for_session(master, config, max_wait_secs)
            logging.info("Starting queue runners.")
            self.start_queue_runners(session)
            return session
        session = self._manager.prepare_session(
            master, self._init_op, self._saver, self._logdir,
            wait_for_checkpoint=wait_for_checkpoint, max_wait_secs=max_wait_secs, config=config,
            init_feed_dict=self._init_feeds, init_fn=self._init_fn,
        )  # fmt: skip
        if self._writer is not None and not self._is_graph_written:
            self._writer.add_graph(self._graph)
            self._is_graph_written = True
        if start_standard_services:
            logging.info("Starting standard services.")
            self.start_standard_services(session)
        logging.info("Starting queue runners.")
        self.start_queue_runners(session)
        return session

    PrepareSession = prepare_or_wait_for_session

    @contextmanager
    def managed_session(
        self, master: str = "", config: Any = None, start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Session]:  # fmt: skip
        """A scope with a session; at its end everything stops, and what a thread raised is raised.

        Args:
            master: "", for this process.
            config: the session's `ConfigProto`.
            start_standard_services: whether the threads that save and log are started.
            close_summary_writer: whether the writer is closed at the end.
        """
        try:
            session = self.prepare_or_wait_for_session(
                master, config, start_standard_services=start_standard_services
            )
            yield session
        except Exception as error:
            self.request_stop(error)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                if "session" in locals():
                    session.close()

    # -- threads ----------------------------------------------------------------------------------

    def start_standard_services(self, sess: Session) -> list[LooperThread] | None:
        """Starts the threads that save and log.

        Raises:
            RuntimeError: it is not the chief.
        """
        if not self._is_chief:
            raise RuntimeError(
                "Only chief supervisor can start standard services. Because only chief supervisors "
                "can write events."
            )
        if not self._logdir:
            logging.warning("Standard services need a 'logdir' passed to the SessionManager")
            return None
        step = self._global_step
        if step is not None and self._writer is not None:
            log = SessionLog(status=SessionLog.START)
            self._writer.add_session_log(log, int(sess.run(step)))
        wanted: list[tuple[float, Callable[[Session], None]]] = []
        if self._summary_secs and self._writer is not None:
            if self._summary_op is not None:
                wanted.append((self._summary_secs, self._write_summaries))
            if step is not None:
                wanted.append((self._summary_secs, _StepCounter(self)))
        if self._saver is not None and self._model_secs:
            wanted.append((self._model_secs, self._save))
        return [
            LooperThread.loop(self._coord, seconds, target, (sess,)) for seconds, target in wanted
        ]

    def _write_summaries(self, session: Session) -> None:
        if self._global_step is None:
            self.summary_computed(session, session.run(self._summary_op))
            return
        summaries, step = session.run([self._summary_op, self._global_step])
        logging.info(f"Recording summary at step {step}.")
        self._writer.add_summary(summaries, step)

    def _save(self, session: Session) -> None:
        logging.info(f"Saving checkpoint to path {self._save_path}")
        self._saver.save(session, self._save_path, global_step=self._global_step)
        if self._writer is not None and self._global_step is not None:
            log = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._save_path)
            self._writer.add_session_log(log, int(session.run(self._global_step)))

    def start_queue_runners(
        self, sess: Session, queue_runners: Sequence[Any] | None = None
    ) -> list[threading.Thread]:
        """Starts the threads that fill queues; those of the graph if none are given."""
        if queue_runners is None:
            queue_runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        threads: list[threading.Thread] = []
        for each in queue_runners:
            threads += each.create_threads(sess, coord=self._coord, daemon=True, start=True)
        return threads

    StartQueueRunners = start_queue_runners

    def loop(
        self,
        timer_interval_secs: float | None,
        target: Callable[..., Any],
        args: Sequence[Any] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> LooperThread:
        """Starts a thread that calls a function again and again until the training stops."""
        return LooperThread.loop(self._coord, timer_interval_secs, target, args, kwargs)

    Loop = loop

    def stop(
        self, threads: Sequence[threading.Thread] | None = None, close_summary_writer: bool = True,
        ignore_live_threads: bool = False,
    ) -> None:  # fmt: skip
        """Stops all threads, and raises what one of them raised.

        Args:
            threads: more threads to wait for.
            close_summary_writer: whether the writer is closed.
            ignore_live_threads: whether threads that do not stop in time are no error.
        """
        self._coord.request_stop()
        try:
            self._coord.join(threads, self._grace, ignore_live_threads)
        finally:
            if close_summary_writer and self._writer is not None:
                self._writer.add_session_log(SessionLog(status=SessionLog.STOP))
                self._writer.close()
                self._is_graph_written = False

    Stop = stop

    def request_stop(self, ex: Any = None) -> None:
        """Asks all threads to stop; see `Coordinator.request_stop`."""
        self._coord.request_stop(ex)

    RequestStop = request_stop

    def should_stop(self) -> bool:
        """Whether the training is to end."""
        return self._coord.should_stop()

    ShouldStop = should_stop

    def stop_on_exception(self) -> Any:
        """A scope whose errors ask all threads to stop."""
        return self._coord.stop_on_exception()

    StopOnException = stop_on_exception

    def wait_for_stop(self) -> None:
        """Waits until the training is to end."""
        self._coord.wait_for_stop()

    WaitForStop = wait_for_stop

    def summary_computed(
        self, sess: Session, summary: Any, global_step: TensorLike | None = None
    ) -> None:
        """Writes a summary.

        Args:
            sess: the session, which knows the step.
            summary: a `Summary`, or one as bytes.
            global_step: its step; the session's if None.

        Raises:
            RuntimeError: there is no writer.
        """
        if self._writer is None:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self._global_step is not None:
            global_step = int(sess.run(self._global_step))
        self._writer.add_summary(summary, global_step)

    SummaryComputed = summary_computed


class _StepCounter:
    """Tells how many steps there were per second since it was last called."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._step: Any = supervisor.global_step
        self._last: tuple[float, int] | None = None

    def __call__(self, session: Session) -> None:
        now, step = time.time(), int(session.run(self._step))
        before, last = self._last or (now, step)
        rate = (step - last) / (now - before) if now > before else 0.0
        tag = f"{self._step.op.name}/sec"
        value = Summary.Value(tag=tag, simple_value=rate)
        self._supervisor.summary_writer.add_summary(Summary(value=[value]), step)
        logging.info(f"{tag}: {rate:g}")
        self._last = now, step


def _is_default(value: object) -> bool:
    return isinstance(value, int) and value == _DEFAULT


def _or_make(value: object, key: str, make: Callable[[], Any]) -> Any:
    """What was given, or the first item of a list of the graph, or a new one."""
    if not _is_default(value):
        return value
    graph: Any = get_default_graph()
    found = graph.get_collection(key)
    if found:
        return found[0]
    made = make()
    if made is not None:
        graph.add_to_collection(key, made)
    return made


def _saver_if_needed() -> Saver | None:
    return Saver() if global_variables() else None


def basic_train_loop(
    supervisor: Supervisor,
    train_step_fn: Callable[..., Any],
    args: Sequence[Any] | None = None,
    kwargs: dict[str, Any] | None = None,
    master: str = "",
) -> None:
    """Calls a function with the session until the training stops
    (`tf.compat.v1.train.basic_train_loop`).

    A session that is lost by AbortedError or UnavailableError is made again.

    Args:
        supervisor: the `Supervisor`.
        train_step_fn: is called as `train_step_fn(session, *args, **kwargs)`.
        args: see there.
        kwargs: see there.
        master: "", for this process.
    """
    should_retry = True
    while should_retry:
        try:
            should_retry = False
            with supervisor.managed_session(master) as session:
                while not supervisor.should_stop():
                    train_step_fn(session, *(args or ()), **(kwargs or {}))
        except (AbortedError, UnavailableError):
            should_retry = True
