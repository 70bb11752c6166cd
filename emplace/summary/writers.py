"""TF 2's writers of summaries, the scopes that say where, when and at which step to write."""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn

from google.protobuf.message import DecodeError
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary

from ..base import dtypes
from ..base.errors import DataLossError, NotFoundError, invalid_argument
from ..base.typing import IntLike, TensorLike
from ..classic.scopes.collections import replica_number
from ..core.context import LOCAL
from ..core.summaries import STATE
from ..graph.control_flow.branches import smart_cond
from ..graph.recording.grouping import no_op
from ..graph.recording.scopes import current_graph, name_scope
from ..graph.representation.graph import Graph
from ..ops import infer
from ..ops.array.making import constant
from ..ops.convert import is_tensor_like, to_tensor
from ..ops.infer import Spec
from ..ops.math.elementwise import cast
from ..ops.op import CPU_ONLY, apply, op
from . import encoding
from .event_files import EventFile, event_of
from .graph_defs import graph_def_of

ALL_OPS = "_SUMMARY_V2"


class SummaryWriter:
    """Writes summaries (`tf.summary.SummaryWriter`); `create_file_writer` makes one.

    Args:
        make: opens its file; a writer of a graph asks when the graph runs, once after each `close`.
    """

    def __init__(self, make: Callable[[], EventFile]) -> None:
        self._make = make
        self._file: EventFile | None = None
        self._is_closed = False
        if not _is_in_session_graph():
            self.open()

    @contextmanager
    def as_default(self, step: IntLike | None = None) -> Iterator[SummaryWriter]:
        """A scope in which summaries go to this writer.

        Args:
            step: the step of summaries that say none.

        Raises:
            RuntimeError: it is closed.
        """
        self._check_open()
        before = STATE.writer, STATE.step
        STATE.writer = self
        if step is not None:
            STATE.step = _kept_step(step)
        try:
            yield self
            # A session runs only what it is asked for, so there nobody would run it.
            if not _is_in_session_graph():
                self.flush()
        finally:
            STATE.writer = before[0]
            if step is not None:
                STATE.step = before[1]

    def set_as_default(self, step: IntLike | None = None) -> None:
        """Lets summaries of this thread go to this writer from now on."""
        self._check_open()
        STATE.writer = self
        if step is not None:
            STATE.step = _kept_step(step)

    def _check_open(self) -> None:
        if self._is_closed and current_graph() is None:
            raise RuntimeError(f"SummaryWriter {self!r} is already closed")

    def open(self) -> None:
        """Opens its file, now, if it is not open."""
        self._is_closed = False
        if self._file is None:
            self._file = self._make()

    def add(self, event: Any) -> None:
        """Writes an event.

        Raises:
            NotFoundError: the writer is closed.
        """
        if self._is_closed:
            raise NotFoundError(
                None, None,
                f"Resource of {self!r} does not exist: it is closed. Make another one by "
                "tf.summary.create_file_writer; in a session, run its init() again.",
            )  # fmt: skip
        self.open()
        if self._file is not None:
            self._file.add(event)

    def init(self) -> Any:
        """Opens the file of a writer of a graph, as an operation; nothing is left to do for others.

        Raises:
            RuntimeError: it is closed.
        """
        self._check_open()
        return apply(OPEN, (), {"writer": self})

    def flush(self) -> Any:
        """Hands what was written to the system: now, or as an operation of a graph."""
        return apply(FLUSH, (), {"writer": self})

    def close(self) -> Any:
        """Writes what is left and closes the file: now, or as an operation of a graph."""
        if current_graph() is None:
            return self.finish()
        return apply(CLOSE, (), {"writer": self})

    def sync(self) -> None:
        """Hands what was written to the system, now."""
        if self._file is not None:
            self._file.flush()

    def finish(self) -> None:
        """Writes what is left and closes the file, now."""
        self._is_closed = True
        if self._file is not None:
            self._file.close()
            self._file = None


class NoopWriter(SummaryWriter):
    """A writer that changes nothing: as if the program had not made it the default one."""

    def __init__(self) -> None:
        self._is_closed = False
        self._file = None

    @contextmanager
    def as_default(self, step: IntLike | None = None) -> Iterator[SummaryWriter]:
        """A scope in which the default writer stays the one that it is."""
        yield self

    def set_as_default(self, step: IntLike | None = None) -> None:
        """Lets the default writer be the one that it is."""

    def init(self) -> Any:
        """Nothing is left to be made."""
        return no_op()

    def flush(self) -> Any:
        """Nothing was written."""
        return no_op()

    def close(self) -> Any:
        """Nothing is left to be closed."""
        return no_op()


def _is_in_session_graph() -> bool:
    """Whether a graph is built for a session, neither eager mode nor a function's trace."""
    graph = current_graph()
    return graph is not None and not graph.is_function


def _open_kernel(*, writer: SummaryWriter) -> None:
    writer.open()


def _nothing_kernel(*, writer: SummaryWriter) -> None:
    writer.sync()


def _close_kernel(*, writer: SummaryWriter) -> None:
    writer.finish()


OPEN = op("CreateSummaryFileWriter", "->", _open_kernel, infer.nothing, device_types=CPU_ONLY,
          stateful=True, is_listed=False)  # fmt: skip
FLUSH = op("FlushSummaryWriter", "->", _nothing_kernel, infer.nothing, device_types=CPU_ONLY,
           stateful=True, is_listed=False)  # fmt: skip
CLOSE = op("CloseSummaryWriter", "->", _close_kernel, infer.nothing, device_types=CPU_ONLY,
           stateful=True, is_listed=False)  # fmt: skip


def _scalar(value: Any, default: Any, what: str) -> Any:
    """An option of a writer, or its default.

    Raises:
        InvalidArgumentError: it is a list.
    """
    if isinstance(value, (list, tuple)) or getattr(value, "shape", ()) != ():
        raise invalid_argument(f"{what} must be a scalar, got {value!r}")
    return default if value is None else value


def create_file_writer(
    logdir: str, max_queue: int | None = None, flush_millis: int | None = None,
    filename_suffix: str | None = None, name: str | None = None,
    experimental_trackable: bool = False, experimental_mesh: object = None,
) -> SummaryWriter:  # fmt: skip
    """Makes a writer of an event file for TensorBoard (`tf.summary.create_file_writer`).

    Args:
        logdir: its folder, which is made.
        max_queue: how many events may wait before they are handed to the system; 10 if None.
        flush_millis: how many milliseconds they may wait; two minutes if None.
        filename_suffix: what its name ends with; ".v2" if None.
        name: not used.
        experimental_trackable: not used.
        experimental_mesh: not used.

    Raises:
        InvalidArgumentError: `max_queue`, `flush_millis` or `filename_suffix` is a list.
        ValueError: `logdir` is None, or a tensor of a graph.

    >>> import tempfile
    >>> writer = create_file_writer(tempfile.mkdtemp())
    >>> with writer.as_default(step=1):
    ...     written = write("loss", 0.5)
    """
    if logdir is None:
        raise ValueError("Argument `logdir` cannot be None")
    if is_tensor_like(logdir) and not hasattr(logdir, "numpy"):
        raise ValueError(
            f"Invalid graph Tensor argument 'logdir={logdir}' to create_file_writer(): a file's "
            "folder must be known when the writer is made. Hand it over as a string."
        )
    folder = logdir.numpy() if is_tensor_like(logdir) else logdir
    seconds = _scalar(flush_millis, 120_000, "flush_millis") / 1000
    suffix = _scalar(filename_suffix, ".v2", "filename_suffix")
    most = _scalar(max_queue, 10, "max_queue")
    return SummaryWriter(functools.partial(EventFile, folder, most, seconds, suffix))


def create_noop_writer() -> SummaryWriter:
    """A writer that writes nothing (`tf.summary.create_noop_writer`).

    Its scopes are as if they were not there: summaries inside go where those around them go.
    """
    return NoopWriter()


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> Any:
    """Hands what was written to the system (`tf.summary.flush`).

    Args:
        writer: whose; the default writer's if None.
        name: a name in graphs.

    Raises:
        ValueError: `writer` is something else.
    """
    writer = STATE.writer if writer is None else writer
    if writer is None:
        return no_op()
    if not isinstance(writer, SummaryWriter):
        raise ValueError(f"Invalid argument to flush(): {writer!r}")
    return writer.flush()


# -- steps and conditions --------------------------------------------------------------------------


def get_step() -> Any:
    """The step of summaries that say none (`tf.summary.experimental.get_step`); None if unset."""
    step = STATE.step
    return step.usable() if isinstance(step, _StepArgument) else step


class _StepArgument(NamedTuple):
    """A step that is a variable among a function's arguments.

    Its trace reads the argument, whichever variable that is in a call; the rest of the program
    reads the variable that the function was traced with.
    """

    argument: Any
    variable: Any

    def usable(self) -> Any:
        """What may be read here."""
        graph: Any = current_graph()
        while graph is not None:
            if graph is self.argument.handle.graph:
                return self.argument
            graph = getattr(graph, "outer", None)
        outer = self.variable
        return outer.usable() if isinstance(outer, _StepArgument) else outer


def _kept_step(step: Any) -> Any:
    """What is kept of a step, so that a variable outlives the trace it is an argument of."""
    stands_for = getattr(step, "_stands_for", None)
    return step if stands_for is None else _StepArgument(step, _kept_step(stands_for()))


def set_step(step: IntLike) -> None:
    """Says the step of summaries that say none (`tf.summary.experimental.set_step`).

    A variable is read when a summary is written; a number is part of functions traced now.
    """
    STATE.step = _kept_step(step)


@contextmanager
def record_if(condition: TensorLike) -> Iterator[None]:
    """A scope in which summaries are written only if a condition holds (`tf.summary.record_if`).

    Args:
        condition: a bool, a tensor, or a function that returns one.
    """
    before, STATE.condition = STATE.condition, condition
    try:
        yield
    finally:
        STATE.condition = before


def should_record_summaries() -> Any:
    """Whether summaries are written now, as a tensor (`tf.summary.should_record_summaries`)."""
    if STATE.writer is None or replica_number():  # TF: the first replica alone tells
        return constant(False)
    condition = STATE.condition() if callable(STATE.condition) else STATE.condition
    return to_tensor(condition, dtypes.bool_)


# -- writing ---------------------------------------------------------------------------------------


def write_kernel(step: Any, *values: Any, writer: SummaryWriter, encode: Callable[..., Any]) -> Any:
    """Writes the summary that `encode` makes of raw values; says that it was written."""
    writer.add(event_of(encode(*values), int(step)))
    return step.new_ones((), dtype=dtypes.bool_.torch)


def _write_spec(step: Spec, *values: Spec, **attrs: Any) -> Spec:
    return Spec((), dtypes.bool_)


WRITE = op(
    "WriteSummary", "step: int64, values: N * any -> written: bool", write_kernel, _write_spec,
    device_types=CPU_ONLY, stateful=True, is_listed=False,
)  # fmt: skip


def write_with(
    encode: Callable[..., Any], tensor: Any, step: IntLike | None, *more: TensorLike
) -> Any:
    """Lets the default writer write what `encode` makes of a tensor's value.

    Args:
        encode: takes raw values of the CPU, returns a `Summary`.
        tensor: the tensor, or a function that returns it, called only where it is written.
        step: its step, the default one if None.
        more: other tensors that `encode` takes.

    Returns:
        Whether it was written, as a tensor.

    Raises:
        ValueError: there is no step, or it is no scalar.
    """
    if step is not None:
        _check_step(step)
    writer = STATE.writer
    if writer is None or replica_number():
        return constant(False)
    step = get_step() if step is None else step

    def record() -> Any:
        if step is None:
            raise ValueError(
                "No step set. Please specify one either through the `step` argument or through "
                "tf.summary.experimental.set_step()"
            )
        number = cast(step, dtypes.int64) if is_tensor_like(step) else to_tensor(step, dtypes.int64)
        values = [tensor() if callable(tensor) else tensor, *more]
        inputs = (number, *map(to_tensor, values))
        return apply(WRITE, inputs, {"writer": writer, "encode": encode})

    if STATE.condition is True:
        written = record()
    else:  # the condition comes first: it may be what counts the steps
        written = smart_cond(should_record_summaries(), record, lambda: constant(False))
    graph = current_graph()
    if graph is not None and not graph.is_function:
        graph.add_to_collection(ALL_OPS, written)
    return written


def _check_step(step: Any) -> None:
    """Raises ValueError unless a step is one number; a variable is not read."""
    if type(step) is int:
        return
    if not is_tensor_like(step):
        step = to_tensor(step, dtypes.int64)
    if step.shape.num_elements() != 1:
        raise ValueError(
            f"Argument `step` must be a scalar. Received step with shape {step.shape}."
        )


def write(
    tag: str,
    tensor: Any,
    step: IntLike | None = None,
    metadata: Any = None,
    name: str | None = None,
) -> Any:
    """Writes a tensor as it is (`tf.summary.write`).

    Args:
        tag: its name; a string, or a tensor of one.
        tensor: any tensor, or a function that returns one, called only where it is written.
        step: its step, the default one if None.
        metadata: a `SummaryMetadata`: which plugin of TensorBoard shows it; or one as bytes, or a
            tensor of them.
        name: a name in graphs.

    Returns:
        Whether it was written, as a tensor.

    Raises:
        ValueError: there is no step, or it is no scalar.
        TypeError: the tag is no string.
    """
    if step is not None:
        _check_step(step)
    if STATE.writer is None:
        return constant(False)
    if tag is None:
        raise ValueError(
            "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a "
            "Tensor."
        )
    packed = b"" if metadata is None else metadata
    if hasattr(packed, "SerializeToString"):
        packed = packed.SerializeToString()
    texts = to_tensor(tag, dtypes.string), to_tensor(packed, dtypes.string)
    return write_with(_named_summary, tensor, step, *texts)


def _named_summary(raw: Any, tag: Any, metadata: Any) -> Any:
    return tensor_summary(tag[()].decode(), metadata[()], raw)


def tensor_summary(tag: str, metadata: bytes, raw: Any) -> Any:
    """A summary of a raw value as it is."""
    value = Summary.Value(tag=tag, tensor=encoding.tensor(raw))
    if metadata:
        value.metadata.MergeFromString(metadata)
    return Summary(value=[value])


def write_raw_pb(tensor: TensorLike, step: IntLike | None = None, name: str | None = None) -> Any:
    """Writes summaries that are packed already (`tf.summary.experimental.write_raw_pb`).

    Args:
        tensor: `Summary`s as strings, of any shape; their values become one event.
        step: its step, the default one if None.
        name: a name in graphs.
    """
    return write_with(_unpacked, tensor, step)


def _unpacked(raw: Any) -> Any:
    whole = Summary()
    for place, packed in enumerate(raw.reshape(-1)):
        try:
            whole.MergeFromString(packed)
        except DecodeError:
            raise DataLossError(
                None, None,
                f"Bad tf.compat.v1.Summary binary proto tensor string at index {place}",
            ) from None  # fmt: skip
    return whole


@contextmanager
def summary_scope(
    name: str, default_name: str = "summary", values: object = None
) -> Iterator[tuple[str, str]]:
    """A name scope for a summary (`tf.summary.experimental.summary_scope`).

    Gives the tag, which is the name below the open name scope, and the scope.
    """
    name = name or default_name
    graph = current_graph()
    around = (LOCAL.state.names if graph is None else graph.get_name_scope()).rstrip("/")
    tag = f"{around}/{name}" if around else name
    cleaned = re.sub(r"[^A-Za-z0-9_.\\\-/]", "", name).strip("/") or default_name
    with name_scope(cleaned) as scope:
        yield tag, scope


def all_v2_summary_ops() -> Any:
    """The operations of a graph that write (`tf.compat.v1.summary.all_v2_summary_ops`); None in
    eager mode.
    """
    graph = current_graph()
    return None if graph is None else graph.get_collection(ALL_OPS)


def initialize(graph: Graph | None = None, session: object = None) -> None:
    """Writes the graph with the default writer (`tf.compat.v1.summary.initialize`).

    Args:
        graph: the graph to draw; none if None.
        session: not used: writers need no operation to start.
    """
    if graph is not None and STATE.writer is not None:
        write_graph(graph)


def write_graph(graph_data: Any) -> Any:
    """Writes a graph, for TensorBoard to draw (`tf.summary.graph`).

    Args:
        graph_data: a `tf.Graph` or a `GraphDef`.

    Raises:
        ValueError: it is something else.
    """
    if isinstance(graph_data, Graph):
        graph_data = graph_def_of(graph_data)
    if not hasattr(graph_data, "SerializeToString"):
        raise ValueError(
            "Argument 'graph_data' is not tf.Graph or tf.compat.v1.GraphDef. Received "
            f"graph_data={graph_data} of type {type(graph_data).__name__}."
        )
    if STATE.writer is None:
        return constant(False)
    packed = graph_data.SerializeToString()
    STATE.writer.add(Event(wall_time=time.time(), graph_def=packed))
    return constant(True)


# -- traces ----------------------------------------------------------------------------------------

_NO_TRACES = (
    "Emplace shows what ran where in other ways: `with emplace.watch() as report:` counts ops, "
    "copies, seconds and bytes per device, and emplace.explain(function, ...) shows a plan."
)


def trace_on(
    graph: bool = True, profiler: bool = False, profiler_outdir: object = None
) -> NoReturn:
    """Raises an error: it is not supported (`tf.summary.trace_on`).

    Args:
        graph: not used.
        profiler: not used.
        profiler_outdir: not used.

    Raises:
        NotImplementedError: always; it says what to use.
    """
    raise NotImplementedError(f"[tf.summary.trace_on] {_NO_TRACES}")


def trace_export(name: str, step: object = None, profiler_outdir: object = None) -> NoReturn:
    """Not supported (`tf.summary.trace_export`).

    Raises:
        NotImplementedError: always; it says what to use.
    """
    raise NotImplementedError(f"[tf.summary.trace_export] {_NO_TRACES}")


def trace_off() -> None:
    """Does nothing: there is no trace (`tf.summary.trace_off`)."""
