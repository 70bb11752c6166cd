"""TF 1's readers: they take names of files out of a queue and give records, one or many at a time.

A reader lives in a session, like a queue. Several threads may read at once, in turn.
"""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType
from ...base.errors import UnimplementedError, invalid_argument
from ...base.typing import TensorLike
from ...core.context import LOCAL, DeviceScope
from ...core.tensor import Tensor
from ..convert import to_tensor
from ..data_flow.queue_classes import QueueBase
from ..data_flow.queues import HostQueue
from ..infer import Spec, nothing
from ..op import CPU_ONLY, Op, apply, op
from ..strings.basic import text_array
from .paths import as_text, local, system_errors
from .records import TFRecordOptions, read_records

Record = tuple[bytes, bytes]
_INFLATE = {"": None, "NONE": None, "ZLIB": 15, "GZIP": 31}


class HostReader:
    """What all readers have in common; `records` says what one file holds.

    `is_short` are readers whose unit of work is over with its only record.
    """

    is_short = False

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._current: Iterator[Record] | None = None
        self._work = b""
        self.produced = 0
        self._started = 0
        self.completed = 0

    def records(self, work: bytes) -> Iterator[Record]:
        """The records, with their keys, of one unit of work."""
        raise NotImplementedError

    def read(self, queue: HostQueue, most: int) -> list[Record]:
        """At least one record, at most so many, all of one unit of work.

        Args:
            queue: where names come from; it is waited at.
            most: how many.

        Raises:
            OutOfRangeError: the queue is closed and empty.
        """
        with self._lock:
            while True:
                current = self._begin(queue)
                found = self._some(current, most)
                if found:
                    return found

    def _begin(self, queue: HostQueue) -> Iterator[Record]:
        if self._current is None:
            if queue.dtypes != (dtypes.string,):
                raise invalid_argument("Reader expects a queue of one string component.")
            (item,) = queue.take(1)
            self._work = item[0].reshape(-1)[0]
            self._started += 1
            self._current = self.records(self._work)
        return self._current

    def _some(self, current: Iterator[Record], most: int) -> list[Record]:
        found: list[Record] = []
        try:
            while len(found) < most:
                record = next(current, None)
                if record is None:
                    self._finish()
                    break
                found.append(record)
        except BaseException:
            self._finish()
            raise
        if self.is_short and self._current is not None:
            self._finish()
        self.produced += len(found)
        return found

    def _finish(self) -> None:
        self._current = None
        self.completed += 1

    def reset(self) -> None:
        """Starts anew."""
        with self._lock:
            self._current = None
            self.produced = self._started = self.completed = 0

    def state(self) -> bytes:
        """How far it is.

        Raises:
            UnimplementedError: it is in the middle of files.
        """
        if not self.is_short:
            raise UnimplementedError(None, None, "Reader SerializeState")
        with self._lock:
            return json.dumps([self._started, self.completed, self.produced]).encode()

    def restore(self, state: bytes) -> None:
        """Goes on from a `state`.

        Raises:
            UnimplementedError: it is in the middle of files.
            InvalidArgumentError: that is no state.
        """
        if not self.is_short:
            raise UnimplementedError(None, None, "Reader RestoreState")
        try:
            started, completed, produced = (int(each) for each in json.loads(state))
        except (ValueError, TypeError):
            raise invalid_argument("Could not parse state for the reader.") from None
        with self._lock:
            self._current = None
            self._started, self.completed, self.produced = started, completed, produced


class LineReader(HostReader):
    """The lines of text files, without their ends."""

    def __init__(self, skip: int) -> None:
        super().__init__()
        self._skip = skip

    def records(self, work: bytes) -> Iterator[Record]:
        """Each line, under file:number, from 1."""
        path = as_text(work)
        with system_errors(path), open(local(path), "rb") as file:
            for number, line in enumerate(file, 1):
                if number > self._skip:
                    end = b"\r\n" if line.endswith(b"\r\n") else b"\n"
                    yield b"%b:%d" % (work, number), line.removesuffix(end)


class BlockReader(HostReader):
    """Records of one length, between a head and a foot."""

    def __init__(self, size: int, head: int, foot: int, hop: int, encoding: str) -> None:
        super().__init__()
        self._size, self._head, self._foot = size, head, foot
        self._hop = hop or size
        self._encoding = encoding

    def records(self, work: bytes) -> Iterator[Record]:
        """Each record, under file:number, from 0."""
        path = as_text(work)
        with system_errors(path), open(local(path), "rb") as file:
            if _INFLATE[self._encoding] is not None:
                yield from self._of_bytes(work, _inflated(file.read(), self._encoding))
                return
            end = file.seek(0, 2) - self._foot
            for number, start in enumerate(range(self._head, end - self._size + 1, self._hop)):
                file.seek(start)
                yield b"%b:%d" % (work, number), file.read(self._size)

    def _of_bytes(self, work: bytes, data: bytes) -> Iterator[Record]:
        last = len(data) - self._foot - self._size
        for number, start in enumerate(range(self._head, last + 1, self._hop)):
            yield b"%b:%d" % (work, number), data[start : start + self._size]


def _inflated(data: bytes, encoding: str) -> bytes:
    return zlib.decompress(data, _INFLATE[encoding] or 0)


class FileReader(HostReader):
    """Whole files."""

    is_short = True

    def records(self, work: bytes) -> Iterator[Record]:
        """The file, under its name."""
        path = as_text(work)
        with system_errors(path), open(local(path), "rb") as file:
            yield work, file.read()


class NameReader(HostReader):
    """The names themselves."""

    is_short = True

    def records(self, work: bytes) -> Iterator[Record]:
        """The name, under itself."""
        yield work, work


class TFRecordsReader(HostReader):
    """The records of TFRecord files."""

    def __init__(self, compression: str) -> None:
        super().__init__()
        self._compression = compression

    def records(self, work: bytes) -> Iterator[Record]:
        """Each record, under file:offset."""
        offset = 0
        for record in read_records(as_text(work), self._compression):
            yield b"%b:%d" % (work, offset), record
            offset += len(record) + 16


# -- ops ------------------------------------------------------------------------------------------


def fixed_length_kernel(
    *, record_bytes: int, header_bytes: int = 0, footer_bytes: int = 0, hop_bytes: int = 0,
    container: str = "", shared_name: str = "", encoding: str = "",
) -> HostReader:  # fmt: skip
    """A new reader of records of one length."""
    for name, value, least in (
        ("header_bytes", header_bytes, 0), ("record_bytes", record_bytes, 1),
        ("footer_bytes", footer_bytes, 0), ("hop_bytes", hop_bytes, 0),
    ):  # fmt: skip
        if value < least:
            raise invalid_argument(f"{name} must be >= {least} but is {value}")
    return BlockReader(record_bytes, header_bytes, footer_bytes, hop_bytes, encoding)


def text_line_kernel(
    *, skip_header_lines: int = 0, container: str = "", shared_name: str = ""
) -> HostReader:
    """A new reader of lines."""
    return LineReader(skip_header_lines)


def whole_file_kernel(*, container: str = "", shared_name: str = "") -> HostReader:
    """A new reader of files."""
    return FileReader()


def identity_kernel(*, container: str = "", shared_name: str = "") -> HostReader:
    """A new reader of names."""
    return NameReader()


def tf_record_kernel(
    *, container: str = "", shared_name: str = "", compression_type: str = ""
) -> HostReader:
    """A new reader of TFRecord files."""
    return TFRecordsReader(compression_type)


def _handle_spec(**attrs: Any) -> Spec:
    return Spec((), dtypes.resource)


def _reader(name: str, kernel: Callable[..., Any]) -> Op:
    return op(
        name, "-> reader_handle: resource", kernel, _handle_spec, device_types=CPU_ONLY,
        stateful=True,
        is_session_resource=True,
    )  # fmt: skip


FIXED_LENGTH = _reader("FixedLengthRecordReaderV2", fixed_length_kernel)
TEXT_LINE = _reader("TextLineReaderV2", text_line_kernel)
WHOLE_FILE = _reader("WholeFileReaderV2", whole_file_kernel)
IDENTITY_READER = _reader("IdentityReaderV2", identity_kernel)
TF_RECORD = _reader("TFRecordReaderV2", tf_record_kernel)


def read_kernel(reader_handle: HostReader, queue_handle: HostQueue) -> Any:
    """One record."""
    ((key, value),) = reader_handle.read(queue_handle, 1)
    return _text(key), _text(value)


def read_up_to_kernel(
    reader_handle: HostReader, queue_handle: HostQueue, num_records: torch.Tensor
) -> Any:
    """Some records."""
    found = reader_handle.read(queue_handle, int(num_records))
    keys, values = zip(*found, strict=True)
    return text_array(list(keys), (len(found),)), text_array(list(values), (len(found),))


def _text(value: bytes) -> Any:
    made = np.empty((), object)
    made[()] = value
    return made


def produced_kernel(reader_handle: HostReader) -> torch.Tensor:
    """How many records a reader has given."""
    return torch.tensor(reader_handle.produced)


def completed_kernel(reader_handle: HostReader) -> torch.Tensor:
    """How many units of work a reader has ended."""
    return torch.tensor(reader_handle.completed)


def reset_kernel(reader_handle: HostReader) -> None:
    """Lets a reader start anew."""
    reader_handle.reset()


def serialize_kernel(reader_handle: HostReader) -> Any:
    """How far a reader is."""
    return _text(reader_handle.state())


def restore_kernel(reader_handle: HostReader, state: Any) -> None:
    """Lets a reader go on."""
    reader_handle.restore(state.reshape(-1)[0])


def _pair(dims: tuple[int | None, ...]) -> Any:
    def rule(*inputs: Spec) -> tuple[Spec, Spec]:
        return Spec(dims, dtypes.string), Spec(dims, dtypes.string)

    return rule


def _scalar(dtype: DType) -> Any:
    def rule(reader: Spec) -> Spec:
        return Spec((), dtype)

    return rule


READ = op(
    "ReaderReadV2",
    "reader_handle: resource, queue_handle: resource -> key: string, value: string",
    read_kernel, _pair(()), device_types=CPU_ONLY, stateful=True, is_blocking=True,
)  # fmt: skip
READ_UP_TO = op(
    "ReaderReadUpToV2",
    "reader_handle: resource, queue_handle: resource, num_records: int64 "
    "-> keys: string, values: string",
    read_up_to_kernel, _pair((None,)), device_types=CPU_ONLY, stateful=True, is_blocking=True,
)  # fmt: skip
PRODUCED = op(
    "ReaderNumRecordsProducedV2", "reader_handle: resource -> records_produced: int64",
    produced_kernel, _scalar(dtypes.int64), device_types=CPU_ONLY, stateful=True,
)  # fmt: skip
COMPLETED = op(
    "ReaderNumWorkUnitsCompletedV2", "reader_handle: resource -> units_completed: int64",
    completed_kernel, _scalar(dtypes.int64), device_types=CPU_ONLY, stateful=True,
)  # fmt: skip
RESET = op(
    "ReaderResetV2", "reader_handle: resource ->", reset_kernel, nothing, device_types=CPU_ONLY,
    stateful=True,
)  # fmt: skip
SERIALIZE = op(
    "ReaderSerializeStateV2", "reader_handle: resource -> state: string", serialize_kernel,
    _scalar(dtypes.string), device_types=CPU_ONLY, stateful=True,
)  # fmt: skip
RESTORE = op(
    "ReaderRestoreStateV2", "reader_handle: resource, state: string ->", restore_kernel, nothing,
    device_types=CPU_ONLY, stateful=True,
)  # fmt: skip


# -- classes --------------------------------------------------------------------------------------


class OneRecord(NamedTuple):
    """What `read` returns."""

    key: Any
    value: Any


class SomeRecords(NamedTuple):
    """What `read_up_to` returns."""

    keys: Any
    values: Any


class ReaderBase:
    """What all readers of a program have in common (`tf.compat.v1.ReaderBase`).

    Args:
        reader_ref: the resource.
        supports_serialize: whether its state can be had.

    Raises:
        RuntimeError: eager mode.
    """

    def __init__(self, reader_ref: Any, supports_serialize: bool = False) -> None:
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize

    @property
    def reader_ref(self) -> Any:
        """The resource that is the reader."""
        return self._reader_ref

    @property
    def supports_serialize(self) -> bool:
        """Whether its state can be had."""
        return self._supports_serialize

    def read(self, queue: QueueBase, name: str | None = None) -> OneRecord:
        """The next record; waits for the queue of names where it needs one.

        Args:
            queue: the names of files, a queue of strings.
            name: a name in graphs.

        Returns:
            The record's key and value, string scalars.

        Raises:
            OutOfRangeError: when it runs: the queue is closed and empty.
        """
        found = apply(READ, (self._reader_ref, _queue_ref(queue)))
        return OneRecord(*found)

    def read_up_to(
        self, queue: QueueBase, num_records: Any, name: str | None = None
    ) -> SomeRecords:
        """The next records, at least one, at most `num_records`; see `read`.

        Returns:
            Their keys and values, string vectors.
        """
        most = to_tensor(num_records, dtypes.int64)
        found = apply(READ_UP_TO, (self._reader_ref, _queue_ref(queue), most))
        return SomeRecords(*found)

    def num_records_produced(self, name: str | None = None) -> Tensor:
        """How many records it has given, int64."""
        return apply(PRODUCED, (self._reader_ref,))

    def num_work_units_completed(self, name: str | None = None) -> Tensor:
        """How many files it has ended, int64."""
        return apply(COMPLETED, (self._reader_ref,))

    def serialize_state(self, name: str | None = None) -> Tensor:
        """How far it is, a string."""
        return apply(SERIALIZE, (self._reader_ref,))

    def restore_state(self, state: TensorLike, name: str | None = None) -> Tensor:
        """An operation that lets it go on from a state.

        Raises:
            ValueError: the state is no scalar.
        """
        state = to_tensor(state, dtypes.string)
        if state.shape.rank:
            raise ValueError(
                f"Shape must be rank 0 but is rank {state.shape.rank}: a reader has one state."
            )
        return apply(RESTORE, (self._reader_ref, state))

    def reset(self, name: str | None = None) -> Tensor:
        """An operation that lets it start anew."""
        return apply(RESET, (self._reader_ref,))


def _queue_ref(queue: object) -> Any:
    return getattr(queue, "queue_ref", queue)


def _made(record: Op, attrs: dict[str, Any]) -> Any:
    """A reader's handle; readers are on the host."""
    if LOCAL.state.target.is_eager:
        raise RuntimeError(
            "Readers are not supported when eager execution is enabled. Instead, please use "
            "tf.data to get data into your model."
        )
    with DeviceScope("/device:CPU:0"):
        return apply(record, (), {**attrs, "shared_name": ""})


class WholeFileReader(ReaderBase):
    """Gives whole files, under their names (`tf.compat.v1.WholeFileReader`)."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(_made(WHOLE_FILE, {}), supports_serialize=True)


class TextLineReader(ReaderBase):
    """Gives the lines of files, under file:number (`tf.compat.v1.TextLineReader`).

    Args:
        skip_header_lines: how many lines of each file to leave out.
        name: a name in graphs.
    """

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        super().__init__(_made(TEXT_LINE, {"skip_header_lines": skip_header_lines or 0}))


class FixedLengthRecordReader(ReaderBase):
    """Gives records of one length, under file:number (`tf.compat.v1.FixedLengthRecordReader`).

    Args:
        record_bytes: bytes in a record.
        header_bytes: bytes to leave out at the start of each file.
        footer_bytes: bytes to leave out at its end.
        hop_bytes: bytes from one record to the next, `record_bytes` if None or 0.
        name: a name in graphs.
        encoding: how files are compressed: "", "ZLIB" or "GZIP".
    """

    def __init__(
        self, record_bytes: int, header_bytes: int | None = None, footer_bytes: int | None = None,
        hop_bytes: int | None = None, name: str | None = None, encoding: str | None = None,
    ) -> None:  # fmt: skip
        attrs = {
            "record_bytes": record_bytes, "header_bytes": header_bytes or 0,
            "footer_bytes": footer_bytes or 0, "hop_bytes": hop_bytes or 0,
            "encoding": encoding or "",
        }  # fmt: skip
        super().__init__(_made(FIXED_LENGTH, attrs))


class TFRecordReader(ReaderBase):
    """Gives the records of TFRecord files, under file:offset (`tf.compat.v1.TFRecordReader`).

    Args:
        name: a name in graphs.
        options: a `TFRecordOptions`: how files are compressed.
    """

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        kind = TFRecordOptions.get_compression_type_string(options)
        super().__init__(_made(TF_RECORD, {"compression_type": kind}))


class IdentityReader(ReaderBase):
    """Gives what is in the queue (`tf.compat.v1.IdentityReader`)."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(_made(IDENTITY_READER, {}), supports_serialize=True)
