"""Files of elements: TFRecord files whose records are the components, each as a TensorProto.

The first record says what the file is and how many components an element has; the last one says how
many elements there are, so that a file that was cut off is told from a whole one. Files of older
versions have neither, and are read as far as they go. Each record has its checksum.
"""

from __future__ import annotations

import contextlib
import gc
import os
import struct
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ...base.errors import AlreadyExistsError, DataLossError, invalid_argument
from ...base.files import replacing
from ...ops.io.paths import system_errors
from ...ops.io.records import TFRecordWriter, read_records
from ...ops.io.tensor_proto import parse_kernel, serialize_kernel
from ..elements.structure import Element, Structure
from ..iteration.position import Counting, Placed, restored, saved

# No TensorProto begins so.
_FIRST = struct.Struct("<18sI")
_LAST = struct.Struct("<18sQ")
_LOCK, _WRITTEN_NOW = threading.Lock(), set[str]()
_BEGINS, _ENDS = b"\xffemplace elements\x01", b"\xffemplace elements\x02"


class ElementWriter:
    """Writes a file of elements. It is there, whole, when `finish` has been called; an old one
    stays until then.
    """

    def __init__(
        self, path: str, num_components: int, compression: str = "", is_alone: bool = False
    ) -> None:
        self._count = 0
        self._open = contextlib.ExitStack()
        if is_alone:
            self._open.enter_context(_claimed(os.path.abspath(path)))
        with system_errors(path):
            temporary = self._open.enter_context(replacing(path))
        self._writer = self._open.enter_context(TFRecordWriter(temporary, compression or None))
        self._writer.write(_FIRST.pack(_BEGINS, num_components))

    def add(self, values: Element) -> None:
        """Writes an element."""
        for value in values:
            self._writer.write(serialize_kernel(value)[()])
        self._count += 1

    def finish(self) -> None:
        """Gives the file its name."""
        self._writer.write(_LAST.pack(_ENDS, self._count))
        self._open.close()

    def discard(self) -> None:
        """Leaves the file unwritten."""
        error = GeneratorExit()
        self._open.__exit__(type(error), error, None)

    def __del__(self) -> None:
        if hasattr(self, "_writer"):
            with contextlib.suppress(BaseException):
                self.discard()


@contextlib.contextmanager
def _claimed(path: str) -> Iterator[None]:
    """While a pass of this process writes a file that no other one may write meanwhile."""
    if path in _WRITTEN_NOW:
        gc.collect()  # a pass that nobody asks any more may wait for it
    with _LOCK:
        if path in _WRITTEN_NOW:
            raise AlreadyExistsError(
                None, None,
                "There appears to be a concurrent caching iterator running - another iterator of "
                f"this program is writing {path}. Let it come to its end first, or give each cache "
                "a name of its own.",
            )  # fmt: skip
        _WRITTEN_NOW.add(path)
    try:
        yield
    finally:
        _WRITTEN_NOW.discard(path)


class WrittenElements(Placed):
    """Passes elements on and writes them to a file, which is there when all have passed.

    Of a pass that goes on elsewhere the first elements are not at hand, so it writes none; the
    next one does.

    Args:
        path: the file.
        elements: the elements.
        structure: of the elements.
        compression: of the file.
        is_alone: whether no other pass may write the file.

    Raises:
        AlreadyExistsError: it must be alone, and is not.
    """

    __slots__ = ("elements", "is_finished", "is_writing", "make", "writer")

    def __init__(
        self, path: str, elements: Iterator[Element], structure: Structure, compression: str = "",
        is_alone: bool = False,
    ) -> None:  # fmt: skip
        count = len(structure.components)
        self.make = partial(ElementWriter, path, count, compression, is_alone)
        self.elements, self.is_writing = elements, True
        self.writer: ElementWriter | None = None
        self.is_finished = False

    def __next__(self) -> Element:
        if self.is_finished:  # who joins elements to batches may ask again
            raise StopIteration
        if self.writer is None and self.is_writing:
            self.writer = self.make()
        try:
            values = next(self.elements)
        except StopIteration:
            self.is_finished = True
            if self.writer is not None:
                self.writer.finish()
            raise
        if self.writer is not None:
            try:
                self.writer.add(values)
            except Exception:
                self.writer, self.is_writing = None, False
                raise
        return values

    def save(self) -> dict[str, Any]:
        """Its position."""
        return {"has_begun": self.writer is not None, "elements": saved(self.elements)}

    def restore(self, parts: dict[str, Any]) -> None:
        """Takes a position."""
        self.elements = restored(self.elements, parts["elements"])
        self.is_writing = not parts["has_begun"]


class FileOrElements(Placed):
    """The elements in a file, once it is there; else those that are written to it.

    Args:
        is_there: tells whether the file is there.
        read: reads it.
        write: passes elements on and writes them.
    """

    __slots__ = ("_is_there", "_items", "_read", "_write")

    def __init__(
        self, is_there: Callable[[], bool], read: Callable[[], Iterator[Element]],
        write: Callable[[], Iterator[Element]],
    ) -> None:  # fmt: skip
        self._is_there, self._read, self._write = is_there, read, write
        self._items: Any = Counting(read) if is_there() else write()

    def __next__(self) -> Element:
        return next(self._items)

    def save(self) -> dict[str, Any]:
        """Its position."""
        return {"items": saved(self._items)}

    def restore(self, parts: dict[str, Any]) -> None:
        """Takes a position: in the file, or in what is written, whichever it was."""
        was_read = parts["items"].kind == Counting.__name__
        if was_read and not self._is_there():
            self._items = Counting(self._write)
        else:
            self._items = Counting(self._read) if was_read else self._write()
        restored(self._items, parts["items"])


def is_written(path: str) -> bool:
    """Whether there is a file of elements; an empty one holds nothing."""
    return os.path.exists(path) and os.path.getsize(path) > 0


def read_elements(
    path: str, structure: Structure, compression: str = "", count: int | None = None
) -> Iterator[Element]:
    """The elements in a file.

    Args:
        path: the file.
        structure: of the elements.
        compression: of the file.
        count: how many there must be, if that is known.

    Raises:
        DataLossError: the file is damaged.
        InvalidArgumentError: it holds other elements.
    """
    kinds = [component.dtype for component in structure.components]
    parts: list[bytes] = []
    count_read, is_marked, last = 0, False, None
    for record in read_records(path, compression, is_whole=True):
        if record.startswith(_BEGINS):
            is_marked = True
            _check_components(path, _FIRST.unpack(record)[1], len(kinds))
            continue
        if record.startswith(_ENDS):
            last = _LAST.unpack(record)[1]
            continue
        parts.append(record)
        if len(parts) == len(kinds):
            yield [
                parse_kernel(np.array(part, object), out_type=dtype)
                for part, dtype in zip(parts, kinds, strict=True)
            ]
            count_read, parts = count_read + 1, []
    count_noted = last if is_marked or last is not None else count_read
    if parts or count_noted != count_read or (count is not None and count != count_read):
        raise _cut_off(path, count_read, last if count is None else count)


def _check_components(path: str, there: int, wanted: int) -> None:
    if there != wanted:
        raise invalid_argument(
            f"{path} holds elements of {there} components, and elements of {wanted} are asked for. "
            "It was written by another pipeline: remove it, or use another name."
        )


def _cut_off(path: str, found: int, wanted: int | None) -> DataLossError:
    number = "an unknown number of" if wanted is None else str(wanted)
    return DataLossError(
        None, None, f"{path} is truncated: {found} of {number} elements can be read"
    )
