"""`tf.train.SessionManager`: makes sessions whose variables have values."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ...base.errors import DeadlineExceededError, FailedPreconditionError
from ...graph.recording.default import get_default_graph
from ...graph.representation.graph import Graph
from ...graph.session.session import BaseSession, Session
from ...state.checkpoint_state import get_checkpoint_state
from ...state.saver import Saver
from ..scopes import messages as logging


class SessionManager:
    """Makes sessions, restores or initialises their variables
    (`tf.compat.v1.train.SessionManager`).

    Args:
        local_init_op: gives local variables and tables their values, after the others have theirs.
        ready_op: returns the names of variables without a value.
        ready_for_local_init_op: the same, of those that `local_init_op` needs.
        graph: the graph; the default one if None.
        recovery_wait_secs: seconds between looks whether others have initialised the variables.
        local_init_run_options: options of the run of `local_init_op`.
        local_init_feed_dict: what that run feeds.

    Raises:
        ValueError: there is a `ready_for_local_init_op` and no `local_init_op`.
    """

    def __init__(
        self, local_init_op: Any = None, ready_op: Any = None,
        ready_for_local_init_op: Any = None, graph: Graph | None = None,
        recovery_wait_secs: float = 30, local_init_run_options: Any = None,
        local_init_feed_dict: Any = None,
    ) -> None:  # fmt: skip
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError(
                "If you pass a ready_for_local_init_op you must also pass a local_init_op , "
                f"ready_for_local_init_op [{ready_for_local_init_op}]"
            )
        self._graph: Any = graph if graph is not None else get_default_graph()
        self._local_init_op = local_init_op
        self._ready_op, self._ready_for_local = ready_op, ready_for_local_init_op
        self._wait_secs = recovery_wait_secs
        self._local_options, self._local_feeds = local_init_run_options, local_init_feed_dict

    def prepare_session(
        self, master: str = "", init_op: Any = None, saver: Any = None, checkpoint_dir: Any = None,
        checkpoint_filename_with_path: Any = None, wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200, config: Any = None, init_feed_dict: Any = None,
        init_fn: Callable[[Any], Any] | None = None,
    ) -> Session:  # fmt: skip
        """A session whose variables have the values of the latest checkpoint, or their first ones.

        Args:
            master: "", for this process.
            init_op: gives variables their first values where there is no checkpoint.
            saver: restores them.
            checkpoint_dir: the folder of checkpoints,
            checkpoint_filename_with_path: or one checkpoint.
            wait_for_checkpoint: whether to wait until there is one.
            max_wait_secs: for how long.
            config: the session's `ConfigProto`.
            init_feed_dict: what the run of `init_op` feeds.
            init_fn: is called with the session after `init_op`.

        Raises:
            RuntimeError: there are variables without values then.
        """
        session, is_restored = self._restored(
            master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint,
            max_wait_secs, config,
        )  # fmt: skip
        if not is_restored:
            if init_op is None and init_fn is None and self._local_init_op is None:
                raise RuntimeError(
                    "Model is not initialized and no init_op or init_fn or local_init_op was given"
                )
            if init_op is not None:
                session.run(init_op, init_feed_dict)
            if init_fn is not None:
                init_fn(session)
        what = (
            f"Init op: {_name_of(init_op)}, init fn: {init_fn}, "
            f"local_init_op: {_name_of(self._local_init_op)}, error: "
        )
        self._finish(session, "Init operations did not make model ready", what)
        return session

    def recover_session(
        self, master: str = "", saver: Any = None, checkpoint_dir: Any = None,
        checkpoint_filename_with_path: Any = None, wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200, config: Any = None,
    ) -> tuple[Session, bool]:  # fmt: skip
        """A session whose variables have the values of the latest checkpoint, if there is one.
        Local variables get theirs in any case, if they can.

        Returns:
            The session, and whether its variables were restored and all have values.
        """
        session, is_restored = self._restored(
            master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint,
            max_wait_secs, config,
        )  # fmt: skip
        missing = self._start_locals(session)  # TF: whether or not there was a checkpoint
        if is_restored and missing:
            logging.info(f"Restored model is not ready for local_init.  {missing}")
        elif is_restored:
            missing = missing_in(session, self._ready_op)
            if missing:
                logging.info(f"Restored model is not ready.  {missing}")
        return session, is_restored and not missing

    def wait_for_session(
        self, master: str = "", config: Any = None, max_wait_secs: float = float("inf")
    ) -> Session:
        """A session, once its variables have values.

        Raises:
            DeadlineExceededError: they have none after `max_wait_secs`.
        """
        deadline = time.monotonic() + max_wait_secs
        while True:
            session = Session(master, self._graph, config)
            try:
                self._finish(session, "The model is not ready", "")
                return session
            except RuntimeError as error:
                logging.info(f"Waiting for model to be ready. {error}")
            session.close()
            if time.monotonic() + self._wait_secs > deadline:
                raise DeadlineExceededError(
                    None, None, "Session was not ready after waiting "
                    f"{max_wait_secs} secs. Variables live in the session that made them: "
                    "initialise them in this process, with prepare_session.",
                )  # fmt: skip
            time.sleep(self._wait_secs)

    def _restored(
        self, master: str, saver: Saver, folder: str, path: str, waits: bool, most: float,
        config: object,
    ) -> tuple[Session, bool]:  # fmt: skip
        """A session, and whether its variables were restored."""
        if folder and path:
            raise ValueError(
                "Can not provide both checkpoint_dir and checkpoint_filename_with_path."
            )
        session = Session(master, self._graph, config)
        if saver is None or not (folder or path):
            return session, False
        if path:
            saver.restore(session, path)
            return session, True
        state = get_checkpoint_state(os.fspath(folder))
        deadline = time.monotonic() + most
        while not (state and state.model_checkpoint_path):
            if not waits or time.monotonic() >= deadline:
                return session, False
            logging.info("Waiting for checkpoint to be available.")
            time.sleep(max(0.0, min(self._wait_secs, deadline - time.monotonic())))
            state = get_checkpoint_state(os.fspath(folder))
        saver.restore(session, state.model_checkpoint_path)
        saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return session, True

    def _finish(self, session: BaseSession, text: str, what: str) -> None:
        """Runs `local_init_op`, and raises RuntimeError unless all variables have values."""
        missing = self._start_locals(session)
        if missing:
            shown = what.replace(f"local_init_op: {_name_of(self._local_init_op)}, ", "")
            raise RuntimeError(f"{text} for local_init.  {shown}{missing}")
        missing = missing_in(session, self._ready_op)
        if missing:
            raise RuntimeError(f"{text}.  {what}{missing}")

    def _start_locals(self, session: BaseSession) -> str:
        """Runs `local_init_op` if what it needs is there; returns what is missing otherwise."""
        missing = missing_in(session, self._ready_for_local)
        if not missing and self._local_init_op is not None:
            logging.info("Running local_init_op.")
            session.run(self._local_init_op, self._local_feeds, self._local_options)
            logging.info("Done running local_init_op.")
        return missing


def _name_of(op: object) -> Any:
    return getattr(op, "name", op)


def missing_in(session: BaseSession, op: object) -> str:
    """Why a model is not ready; "" if it is."""
    if op is None:
        return ""
    try:
        found = session.run(op)
    except FailedPreconditionError as error:
        return str(error)
    if found is None or not isinstance(found, np.ndarray) or not found.size:
        return ""
    if found.dtype.kind not in "OSU":
        return ""
    names = (each.decode() if isinstance(each, bytes) else str(each) for each in found.tolist())
    return f"Variables not initialized: {', '.join(names)}"
