"""What a hook is, what it may ask for before a run, and what it is told after it."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...state.coordinator import Coordinator


class SessionRunArgs(NamedTuple):
    """What to run (`tf.compat.v1.train.SessionRunArgs`): see `Session.run`."""

    fetches: Any
    feed_dict: Any = None
    options: Any = None


class SessionRunValues(NamedTuple):
    """What a run returned (`tf.compat.v1.train.SessionRunValues`).

    `results` are the values of what the hook asked for, None if it asked for nothing.
    """

    results: Any
    options: Any
    run_metadata: Any


class SessionRunContext:
    """A run, as its hooks see it (`tf.compat.v1.train.SessionRunContext`).

    Args:
        original_args: what the program asked for: `SessionRunArgs`.
        session: the session below all hooks.
    """

    def __init__(self, original_args: SessionRunArgs, session: Any) -> None:
        self._original_args = original_args
        self._session = session
        self._stop_requested = False

    @property
    def original_args(self) -> SessionRunArgs:
        """What the program asked for."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The session below all hooks."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """Whether a hook wants no further run."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Lets this run be the last one."""
        self._stop_requested = True


class SessionRunHook:
    """Takes part in the life of a monitored session (`tf.compat.v1.train.SessionRunHook`)."""

    def begin(self) -> None:
        """Called once, before the session is made; the graph can still be changed."""

    def after_create_session(self, session: Any, coord: Coordinator) -> None:
        """Called when a session was made, also after each recovery.

        Args:
            session: the session.
            coord: the coordinator of its threads.
        """

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Called before each run.

        Returns:
            What to run besides; None for nothing.
        """

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Called after each run that did not fail."""

    def end(self, session: Any) -> None:
        """Called once, at the end, unless an error ended it."""
