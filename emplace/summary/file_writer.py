"""`tf.summary.FileWriter` of TF 1: writes what sessions return into event files."""

from __future__ import annotations

import threading
import time
import warnings
from typing import Any

from tensorboard.compat.proto.event_pb2 import Event, TaggedRunMetadata

from ..base.typing import TensorLike
from ..graph.representation.graph import Graph
from ..ops.io.paths import as_text
from .event_files import EventFile, event_of
from .graph_defs import graph_def_of


class FileWriter:
    """Writes summaries, graphs and traces for TensorBoard (`tf.compat.v1.summary.FileWriter`).

    Also a context that closes it.

    Args:
        logdir: the folder of its event file, which is made.
        graph: a graph to draw.
        max_queue: how many events may wait before they are handed to the system.
        flush_secs: how many seconds they may wait, seen when the next one comes.
        graph_def: a `GraphDef` to draw.
        filename_suffix: what the file's name ends with.
        session: not supported.

    Raises:
        PermissionDeniedError, ...: what the system says about the folder.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> import emplace.tensorflow.compat.v1 as tf1
    >>> summary = tf1.Summary(value=[tf1.Summary.Value(tag="loss", simple_value=0.5)])
    >>> with FileWriter(folder) as writer:
    ...     writer.add_summary(summary, 1)
    """

    def __init__(
        self, logdir: Any, graph: Graph | None = None, max_queue: int = 10,
        flush_secs: float = 120, graph_def: Any = None, filename_suffix: str | None = None,
        session: Any = None,
    ) -> None:  # fmt: skip
        self._logdir = as_text(logdir)
        self._wishes = max_queue - 1, flush_secs, filename_suffix or ""
        self._file = EventFile(self._logdir, *self._wishes)
        self._tags_described: set[str] = set()
        self._traced: set[str] = set()
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)

    def get_logdir(self) -> str:
        """Its folder."""
        return self._logdir

    def _warn_if_closed(self) -> None:
        if self._file.is_closed:
            warnings.warn(
                "Attempting to use a closed FileWriter. The operation will be a noop unless the "
                "FileWriter is explicitly reopened.",
                stacklevel=4,
            )

    def _add(self, event: Any, step: Any = None) -> None:
        self._warn_if_closed()
        if step is not None:
            event.step = int(step)
        self._file.add(event)

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Writes a summary.

        Args:
            summary: a `Summary`, or one as bytes, which a session returned.
            global_step: the step it is of.
        """
        event = event_of(summary)
        for value in event.summary.value:  # how to show a tag is told once
            if value.tag in self._tags_described:
                value.ClearField("metadata")
            elif value.HasField("metadata"):
                self._tags_described.add(value.tag)
        self._add(event, global_step)

    def add_event(self, event: Any) -> None:
        """Writes an `Event`."""
        self._add(event)

    def add_graph(
        self, graph: Any = None, global_step: TensorLike | None = None, graph_def: Any = None
    ) -> None:
        """Writes a graph, for TensorBoard to draw.

        Args:
            graph: a graph.
            global_step: the step that it is shown at.
            graph_def: the message of a graph, instead.

        Raises:
            ValueError: both are given.
            TypeError: what is given is no graph.
        """
        if graph is not None and graph_def is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
        if isinstance(graph, Graph):
            packed = graph_def_of(graph).SerializeToString()
        elif graph_def is not None or hasattr(graph, "SerializeToString"):
            packed = (graph if graph_def is None else graph_def).SerializeToString()
        else:
            raise TypeError("The passed graph must be an instance of `Graph` or the deprecated "
                             "`GraphDef`")  # fmt: skip
        self._add(Event(wall_time=time.time(), graph_def=packed), global_step)

    def add_meta_graph(self, meta_graph_def: Any, global_step: TensorLike | None = None) -> None:
        """Writes a `MetaGraphDef`.

        Raises:
            TypeError: it is none.
        """
        if not hasattr(meta_graph_def, "SerializeToString"):
            raise TypeError(
                f"meta_graph_def must be type MetaGraphDef, saw type: {type(meta_graph_def)}"
            )
        packed = meta_graph_def.SerializeToString()
        self._add(Event(wall_time=time.time(), meta_graph_def=packed), global_step)

    def add_session_log(self, session_log: Any, global_step: TensorLike | None = None) -> None:
        """Writes that a session started, stopped or saved a checkpoint: a `SessionLog`."""
        self._add(Event(wall_time=time.time(), session_log=session_log), global_step)

    def add_run_metadata(
        self, run_metadata: Any, tag: str, global_step: TensorLike | None = None
    ) -> None:
        """Writes what a run took: a `RunMetadata`, under a tag of its own.

        Args:
            run_metadata: what `Session.run` has filled in.
            tag: its name; each is used once.
            global_step: the step that it is shown at.

        Raises:
            ValueError: the tag has been used.
        """
        if tag in self._traced:
            raise ValueError("The provided tag was already used for this event type")
        self._traced.add(tag)
        tagged = TaggedRunMetadata(tag=tag, run_metadata=run_metadata.SerializeToString())
        self._add(Event(wall_time=time.time(), tagged_run_metadata=tagged), global_step)

    def flush(self) -> None:
        """Hands all events to the system."""
        self._warn_if_closed()
        self._file.flush()

    def close(self) -> None:
        """Writes what is left and closes the file."""
        self._file.close()

    def reopen(self) -> None:
        """Goes on in a new event file, after `close`."""
        if self._file.is_closed:
            self._file = EventFile(self._logdir, *self._wishes)

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class FileWriterCache:
    """One writer per folder (`tf.compat.v1.summary.FileWriterCache`)."""

    _cache: dict[str, FileWriter] = {}  # noqa: RUF012  # one for all, as in TensorFlow
    _lock = threading.RLock()

    @staticmethod
    def get(logdir: Any) -> FileWriter:
        """The writer of a folder."""
        folder = as_text(logdir)
        with FileWriterCache._lock:
            if folder not in FileWriterCache._cache:
                FileWriterCache._cache[folder] = FileWriter(folder)
            return FileWriterCache._cache[folder]

    @staticmethod
    def clear() -> None:
        """Closes and forgets all writers."""
        with FileWriterCache._lock:
            for each in FileWriterCache._cache.values():
                each.close()
            FileWriterCache._cache.clear()
