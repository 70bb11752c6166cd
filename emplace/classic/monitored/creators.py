"""What makes the session inside a monitored one."""

from __future__ import annotations

from typing import Any

from ...base.typing import PathLike
from ...graph.session.session import Session
from .scaffold import Scaffold
from .session_manager import SessionManager


class SessionCreator:
    """Makes sessions (`tf.compat.v1.train.SessionCreator`)."""

    def create_session(self) -> Session:
        """A session whose variables have values."""
        raise NotImplementedError("create_session is not implemented.")


class ChiefSessionCreator(SessionCreator):
    """Makes a session, restores or initialises its variables
    (`tf.compat.v1.train.ChiefSessionCreator`).

    Args:
        scaffold: the operations for that.
        master: "", for this process.
        config: the session's `ConfigProto`.
        checkpoint_dir: the folder whose latest checkpoint is restored,
        checkpoint_filename_with_path: or the checkpoint itself.
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: PathLike | None = None,
        checkpoint_filename_with_path: PathLike | None = None,
    ) -> None:
        self._scaffold = scaffold or Scaffold()
        self._master, self._config = master, config
        self._folder, self._path = checkpoint_dir, checkpoint_filename_with_path

    def create_session(self) -> Session:
        """A session whose variables have the values of the latest checkpoint, or their first."""
        scaffold = self._scaffold.finalize()
        return _manager(scaffold).prepare_session(
            self._master, scaffold.init_op, scaffold.saver, self._folder, self._path,
            config=self._config, init_feed_dict=scaffold.init_feed_dict, init_fn=scaffold.init_fn,
        )  # fmt: skip


class WorkerSessionCreator(SessionCreator):
    """Waits until variables have values (`tf.compat.v1.train.WorkerSessionCreator`).

    Args:
        scaffold: the operations that tell.
        master: "", for this process.
        config: the session's `ConfigProto`.
        max_wait_secs: for how many seconds it waits.
    """

    def __init__(
        self, scaffold: Scaffold | None = None, master: str = "", config: Any = None,
        max_wait_secs: float = 1800,
    ) -> None:  # fmt: skip
        self._scaffold = scaffold or Scaffold()
        self._master, self._config, self._most = master, config, max_wait_secs

    def create_session(self) -> Session:
        """A session, once its variables have values."""
        manager = _manager(self._scaffold.finalize())
        return manager.wait_for_session(self._master, self._config, self._most)


def _manager(scaffold: Scaffold) -> SessionManager:
    return SessionManager(
        scaffold.local_init_op, scaffold.ready_op, scaffold.ready_for_local_init_op,
        local_init_feed_dict=scaffold.local_init_feed_dict,
    )  # fmt: skip
