"""Monitored sessions: a session inside layers that call hooks, join threads and recover."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tensorboard.compat.proto.config_pb2 import RunMetadata, RunOptions

from ...base.errors import AbortedError, OutOfRangeError, UnavailableError
from ...base.typing import PathLike, Structure
from ...graph.representation.graph import Graph
from ...graph.session.session import BaseSession, Session
from ...state.coordinator import Coordinator
from ..scopes import messages as logging
from ..scopes.collections import GraphKeys, outer_graph
from .creators import ChiefSessionCreator, SessionCreator, WorkerSessionCreator
from .hooks import StepCounterHook
from .run_hooks import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from .saving_hooks import CheckpointSaverHook, SummarySaverHook
from .scaffold import Scaffold

# Errors after which a new session may do better.
_PASSING = (AbortedError, UnavailableError)


class HookedRun:
    """Runs a session, with its hooks around it."""

    def __init__(self, session: Session, hooks: Sequence[SessionRunHook]) -> None:
        self.session, self._hooks = session, hooks
        self.is_over = False

    def run(self, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any) -> Any:
        """See `Session.run`.

        Raises:
            RuntimeError: a hook has asked to stop, or two feed the same tensor.
        """
        if self.is_over:
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self.session)
        hook_fetches: dict[int, Any] = {}
        feeds: dict[Any, Any] = {}
        for i, hook in enumerate(self._hooks):
            run_args = hook.before_run(context)
            if run_args is None:
                continue
            if run_args.fetches is not None:
                hook_fetches[i] = run_args.fetches
            _add_feeds(feeds, run_args.feed_dict, "Same tensor is fed by two hooks.")
            options = _merged(options, run_args.options)
        _add_feeds(feeds, feed_dict, "Same tensor is fed by a SessionRunHook and user.")
        if run_metadata is None and options is not None:
            run_metadata = RunMetadata()
        result, *values = self.session.run(
            [fetches, *hook_fetches.values()], feeds or None, options, run_metadata
        )
        results = dict(zip(hook_fetches, values, strict=True))
        run_information = options or RunOptions(), run_metadata or RunMetadata()
        for i, hook in enumerate(self._hooks):
            hook.after_run(context, SessionRunValues(results.get(i), *run_information))
        self.is_over = self.is_over or context.stop_requested
        return result


def _add_feeds(feeds: dict[Any, Any], more: Any, refusal: str) -> None:
    more = more or {}
    conflicts = [key for key in more if key in feeds]
    if conflicts:
        raise RuntimeError(f"{refusal} Conflict(s): {conflicts}")
    feeds.update(more)


def _merged(options: Any, more: Any) -> Any:
    """The options of a run, and those that a hook wants besides."""
    if more is None:
        return options
    merged = RunOptions()
    merged.CopyFrom(options or RunOptions())
    merged.trace_level = max(merged.trace_level, more.trace_level)
    merged.timeout_in_ms = max(merged.timeout_in_ms, more.timeout_in_ms)
    merged.output_partition_graphs |= more.output_partition_graphs
    merged.report_tensor_allocations_upon_oom |= more.report_tensor_allocations_upon_oom
    merged.debug_options.debug_tensor_watch_opts.extend(more.debug_options.debug_tensor_watch_opts)
    return merged


class _Life:
    """One session with its threads: from its creation to its end, or to an error."""

    def __init__(
        self, creator: SessionCreator, hooks: Sequence[SessionRunHook], grace_seconds: float
    ) -> None:
        self.session = creator.create_session()
        self.coord = Coordinator(clean_stop_exception_types=[])
        self._grace = grace_seconds
        for each in self.session.graph.get_collection(GraphKeys.QUEUE_RUNNERS):
            each.create_threads(self.session, coord=self.coord, daemon=True, start=True)
        for hook in hooks:
            hook.after_create_session(self.session, self.coord)
        self._hooked = HookedRun(self.session, hooks)

    def should_stop(self) -> bool:
        """Whether a hook or a thread wants to stop."""
        self.coord.raise_requested_exception()
        return self.coord.should_stop() or self._hooked.is_over

    def run(self, *args: Any) -> Any:
        """See `Session.run`; an error of a thread that lets it recover counts more than its own."""
        try:
            return self._hooked.run(*args)
        except _PASSING:
            raise
        except Exception as error:
            try:
                self.coord.raise_requested_exception()
            except _PASSING:
                raise
            except Exception:
                raise error from None
            raise

    def close(self) -> None:
        """Stops its threads, ends the session, and raises what a thread raised."""
        self.coord.request_stop()
        try:
            self.coord.join(stop_grace_period_secs=self._grace, ignore_live_threads=True)
        except _PASSING as error:
            _tell(error, "A thread ended with an error that may pass.")
        finally:
            self.session.close()


class StepContext:
    """What `run_step_fn` hands to a function (`MonitoredSession.StepContext`)."""

    def __init__(self, session: Any, run_with_hooks: Callable[..., Any]) -> None:
        self._session, self._run = session, run_with_hooks

    @property
    def session(self) -> Any:
        """The session below all hooks."""
        return self._session

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        """Runs with hooks: see `MonitoredSession.run`."""
        return self._run(*args, **kwargs)

    def request_stop(self) -> None:
        """Ends the training.

        Raises:
            StopIteration: always.
        """
        raise StopIteration("step_fn has requested the iterations to stop.")


class _Monitored:
    """What `MonitoredSession` and `SingularMonitoredSession` share."""

    StepContext = StepContext
    _recovers = True

    def __init__(
        self, creator: SessionCreator, hooks: Sequence[SessionRunHook] | None, grace: float
    ) -> None:
        self._graph = outer_graph()
        self._was_finalized = self._graph.finalized
        self._hooks = list(hooks or ())
        for hook in self._hooks:
            hook.begin()
        self._creator, self._grace = creator, grace
        self._life: _Life | None = None
        self._closed = False
        self._life = self._start()

    def _start(self) -> _Life:
        while True:
            try:
                with self._graph.as_default():
                    return _Life(self._creator, self._hooks, self._grace)
            except _PASSING as error:
                if not self._recovers:
                    raise
                _tell(error, "An error was raised while a session was being created.")

    def _lost(self, error: Exception) -> None:
        """Gives up a session after an error that may pass."""
        _tell(error, "An error was raised. This may be due to a preemption.")
        life, self._life = self._life, None
        if life is not None:
            life.close()

    @property
    def graph(self) -> Graph | None:
        """The graph; None after the end."""
        return None if self._life is None else self._life.session.graph

    def _tf_sess(self) -> Session | None:
        """The session below all hooks; TensorFlow's name, which programs use to save by hand."""
        return None if self._life is None else self._life.session

    @property
    def _sess(self) -> Session | None:
        """The same: programs follow attributes of this name down to the session."""
        return self._tf_sess()

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Runs what `fetches` need, with hooks: see `Session.run`.

        Raises:
            RuntimeError: it is closed, or a hook has asked to stop.
        """
        return self._until_done(lambda life: life.run(fetches, feed_dict, options, run_metadata))

    def _until_done(self, step: Callable[[_Life], Any]) -> Any:
        """What a step returns: it is taken again, in a new session, after errors that may pass."""
        while True:
            if self._closed:
                raise RuntimeError("Attempted to use a closed Session.")
            if self._life is None:
                self._life = self._start()
            try:
                return step(self._life)
            except _PASSING as error:
                if not self._recovers:
                    raise
                self._lost(error)

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """Calls a function that runs several times as one step; again, in a new session, after
        errors that may pass.

        Args:
            step_fn: takes `step_context`: its `session` is the one below the hooks,
                `run_with_hooks` runs with them, `request_stop` ends the training.

        Returns:
            What the function returns; None if it has asked to stop.

        Raises:
            ValueError: the function takes something else.
        """
        names = step_fn.__code__.co_varnames[: step_fn.__code__.co_argcount]
        if [name for name in names if name != "self"] != ["step_context"]:
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or `self` and "
                f"`step_context` arguments if it's an instance method. Got {names} instead."
            )

        def run_with_hooks(
            fetches: Structure,
            feed_dict: Mapping[Any, Any] | None = None,
            options: object = None,
            run_metadata: object = None,
        ) -> Any:
            assert self._life is not None
            return self._life.run(fetches, feed_dict, options, run_metadata)

        return self._until_done(lambda life: step_fn(StepContext(life.session, run_with_hooks)))

    def should_stop(self) -> bool:
        """Whether the training is to end."""
        if self._closed:
            return True
        if self._life is None:
            return False
        try:
            return self._life.should_stop()
        except _PASSING as error:
            if not self._recovers:
                raise
            self._lost(error)
            self._life = self._start()  # TF: at once, so that hooks see it before the next run
            return False
        except Exception:
            return True

    def close(self) -> None:
        """Ends it: hooks first, then threads, then the session. What a thread raised is raised.

        Raises:
            RuntimeError: it is closed already.
        """
        self._close(is_good=True)

    def _close(self, is_good: bool) -> None:
        if self._closed:
            raise RuntimeError("Session is already closed.")
        try:
            if is_good:
                if self._life is None:
                    self._life = self._start()
                for hook in self._hooks:
                    hook.end(self._life.session)
        finally:
            self._closed = True
            life, self._life = self._life, None
            try:
                if life is not None:
                    life.close()
            finally:
                if not self._was_finalized:
                    self._graph._unsafe_unfinalize()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> bool:
        is_good = kind is None or kind in (OutOfRangeError, StopIteration)
        if not (kind is not None and self._closed):
            self._close(is_good)
        return is_good


def _tell(error: Exception, what: str) -> None:
    logging.info(f"{what} If need be a new session will be created. Error: {error}")


class MonitoredSession(_Monitored):
    """A session with hooks, which recovers from passing errors
    (`tf.compat.v1.train.MonitoredSession`).

    It is not closed by OutOfRangeError and StopIteration as by errors: they are the ordinary end
    of a `with` block. While it is open the graph cannot be changed.

    Args:
        session_creator: makes the session; a `ChiefSessionCreator` if None.
        hooks: `SessionRunHook`s.
        stop_grace_period_secs: how many seconds threads may take to stop.

    >>> import emplace.tensorflow.compat.v1 as tf1
    >>> with tf1.Graph().as_default():
    ...     v = tf1.get_variable("v", initializer=tf1.constant(3.0))
    ...     with MonitoredSession() as session:
    ...         print(session.run(v))
    3.0
    """

    def __init__(
        self, session_creator: SessionCreator | None = None,
        hooks: Sequence[SessionRunHook] | None = None, stop_grace_period_secs: float = 120,
    ) -> None:  # fmt: skip
        super().__init__(session_creator or ChiefSessionCreator(), hooks, stop_grace_period_secs)


class SingularMonitoredSession(_Monitored):
    """A session with hooks, which fails with the first error
    (`tf.compat.v1.train.SingularMonitoredSession`).

    Args:
        hooks: `SessionRunHook`s.
        scaffold: its `Scaffold`.
        master: "", for this process.
        config: the session's `ConfigProto`.
        checkpoint_dir: the folder whose latest checkpoint is restored,
        stop_grace_period_secs: how many seconds threads may take to stop.
        checkpoint_filename_with_path: or the checkpoint itself.
    """

    _recovers = False

    def __init__(
        self, hooks: Sequence[SessionRunHook] | None = None, scaffold: Scaffold | None = None,
        master: str = "", config: Any = None, checkpoint_dir: PathLike | None = None,
        stop_grace_period_secs: float = 120, checkpoint_filename_with_path: PathLike | None = None,
    ) -> None:  # fmt: skip
        creator = ChiefSessionCreator(
            scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path
        )
        super().__init__(creator, hooks, stop_grace_period_secs)

    def raw_session(self) -> BaseSession | None:
        """The session below all hooks; None after the end."""
        return None if self._life is None else self._life.session


USE_DEFAULT = object()


def MonitoredTrainingSession(  # noqa: N802  # TensorFlow's name
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: str | None = None,
    scaffold: Scaffold | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
    chief_only_hooks: Sequence[SessionRunHook] | None = None,
    save_checkpoint_secs: Any = USE_DEFAULT,
    save_summaries_steps: Any = USE_DEFAULT,
    save_summaries_secs: Any = USE_DEFAULT,
    config: Any = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = USE_DEFAULT,
    summary_dir: Any = None,
    save_graph_def: bool = True,
) -> MonitoredSession:
    """A `MonitoredSession` that saves and logs (`tf.compat.v1.train.MonitoredTrainingSession`).

    Args:
        master: "", for this process.
        is_chief: whether it initialises and saves, or waits for one that does.
        checkpoint_dir: the folder of checkpoints: the latest is restored, new ones are written.
        scaffold: its `Scaffold`.
        hooks: more hooks.
        chief_only_hooks: more hooks if it is the chief.
        save_checkpoint_secs: seconds between checkpoints; 600 unless this or the steps are given.
        save_summaries_steps: steps between summaries; 100 unless this or the seconds are given.
        save_summaries_secs: seconds between summaries.
        config: the session's `ConfigProto`.
        stop_grace_period_secs: how many seconds threads may take to stop.
        log_step_count_steps: steps between two measurements of steps per second; None for none.
        max_wait_secs: how long one that is not the chief waits.
        save_checkpoint_steps: steps between checkpoints.
        summary_dir: the folder of summaries; that of checkpoints if None.
        save_graph_def: not used: graphs are not written.

    Returns:
        The session, for a `with` block.
    """
    if save_summaries_steps is USE_DEFAULT and save_summaries_secs is USE_DEFAULT:
        save_summaries_steps = 100
    if save_checkpoint_secs is USE_DEFAULT and save_checkpoint_steps is USE_DEFAULT:
        save_checkpoint_secs = 600
    scaffold = scaffold or Scaffold()
    if not is_chief:
        waiting = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(waiting, hooks, stop_grace_period_secs)
    all_hooks = list(chief_only_hooks or ())
    folder = summary_dir or checkpoint_dir
    if folder:
        all_hooks += _summary_hooks(
            folder, scaffold, log_step_count_steps, _given(save_summaries_steps),
            _given(save_summaries_secs),
        )  # fmt: skip
    secs, steps = _given(save_checkpoint_secs), _given(save_checkpoint_steps)
    if checkpoint_dir and (secs or steps):
        all_hooks.append(CheckpointSaverHook(checkpoint_dir, secs, steps, scaffold=scaffold))
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    return MonitoredSession(creator, [*all_hooks, *(hooks or ())], stop_grace_period_secs)


def _given(value: Any) -> Any:
    return None if value is USE_DEFAULT or not value or value <= 0 else value


def _summary_hooks(
    folder: str, scaffold: Scaffold, log_steps: int | None, steps: Any, secs: Any
) -> list[SessionRunHook]:
    hooks: list[SessionRunHook] = []
    if log_steps and log_steps > 0:
        hooks.append(StepCounterHook(log_steps, output_dir=folder))
    if steps or secs:
        hooks.append(SummarySaverHook(steps, secs, folder, scaffold=scaffold))
    return hooks
