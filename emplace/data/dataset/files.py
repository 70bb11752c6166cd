"""The lines and records of files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...base import dtypes, nest
from ...base.dtypes import DType
from ...base.errors import DataLossError, invalid_argument
from ...base.typing import IntLike, TensorLike
from ...core.tensor_spec import TensorSpec
from ...ops.array.shaping import reshape
from ...ops.io.records import read_chunks, read_records
from ..elements.structure import Element, Raw, Structure, one_tensor
from ..iteration.node import AUTOTUNE, UNKNOWN, Node, Run
from ..iteration.position import Counting, Opener, flattened
from ..nodes.sources import Slices
from .base import DatasetBase
from .dataset import Dataset
from .nested import InTurns

_COMPRESSIONS = ("", "GZIP", "ZLIB")
_READ_AHEAD = 64
Reader = Callable[[bytes], Iterator[bytes]]


class Read(Node):
    """What a reader finds in files, whose names are the elements of the input."""

    def __init__(self, names: Node, read: Reader, parallel: int | None) -> None:
        super().__init__(names)
        self.read, self.parallel = read, parallel
        self.structure = Structure(TensorSpec((), dtypes.string))
        self.cardinality = UNKNOWN

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        opener = Opener(self.input.start(run), self._opened)
        if self.parallel is None:
            return flattened(opener)
        cycle = 4 if self.parallel == AUTOTUNE else self.parallel
        return InTurns(opener, cycle, 1, ahead=_READ_AHEAD)

    def _opened(self, name: Element) -> Iterator[Element]:
        file = bytes(name[0][()])
        return Counting(lambda: _texts(self.read(file)))


def _texts(records: Iterator[bytes]) -> Iterator[Element]:
    return ((_text(record),) for record in records)


def _text(record: bytes) -> Raw:
    made = np.empty((), object)
    made[()] = record
    return made


def names_of(filenames: TensorLike | DatasetBase) -> Node:
    """Names of files as a node.

    Raises:
        TypeError: they are no texts.
    """
    if not isinstance(filenames, DatasetBase):
        tensor = one_tensor(_as_texts(filenames))
        _check(tensor.dtype)
        return Slices(_flat(tensor))
    spec = filenames.element_spec
    if not isinstance(spec, TensorSpec) or spec.dtype is not dtypes.string:
        kinds = nest.map_structure(lambda each: getattr(each, "dtype", each), spec)
        raise TypeError(
            "The `filenames` argument must contain `tf.string` elements. Got a dataset of "
            f"`{kinds!r}` elements."
        )
    if spec.shape.rank not in (0, None):
        raise TypeError(
            "The `filenames` argument must contain `tf.string` elements of shape [] (i.e. "
            f"scalars). Got a dataset of element shape {spec.shape!r}."
        )
    return filenames.node


def _as_texts(filenames: TensorLike | DatasetBase) -> Any:
    """Names that may be paths, or an empty list, as what becomes texts."""
    if isinstance(filenames, os.PathLike):
        return os.fspath(filenames)
    if isinstance(filenames, (list, tuple)):
        if not filenames:
            return np.empty(0, object)
        return [_as_texts(each) for each in filenames]
    return filenames


def _check(dtype: DType) -> None:
    if dtype is not dtypes.string:
        raise TypeError(
            f"The `filenames` argument must contain `tf.string` elements. Got `{dtype!r}` elements."
        )


def _flat(tensor: Any) -> Any:
    return tensor if tensor.shape.rank == 1 else reshape(tensor, [-1])


def _checked(compression: object) -> str:
    kind = "" if compression is None else str(compression)
    if kind not in _COMPRESSIONS:
        raise invalid_argument("Unsupported compression_type.")
    return kind


class TextLineDataset(Dataset):
    """The lines of text files (`tf.data.TextLineDataset`), without what ends them.

    Args:
        filenames: a name, a tensor of names, or a dataset of names.
        compression_type: "GZIP", "ZLIB", or None.
        buffer_size: not needed.
        num_parallel_reads: how many files are read at a time, line by line in turns.
        name: not used.

    >>> import pathlib, tempfile
    >>> path = tempfile.mkdtemp() + "/lines.txt"
    >>> _ = pathlib.Path(path).write_text("one\\ntwo")
    >>> list(TextLineDataset(path).as_numpy_iterator())
    [b'one', b'two']
    """

    _shown = "TextLineDatasetV2"

    def __init__(
        self,
        filenames: TensorLike | DatasetBase,
        compression_type: str | None = None,
        buffer_size: IntLike | None = None,
        num_parallel_reads: int | None = None,
        name: str | None = None,
    ) -> None:
        kind = _checked(compression_type)
        self.node = Read(names_of(filenames), lambda path: _lines(path, kind), num_parallel_reads)


def _lines(path: bytes, compression: str) -> Iterator[bytes]:
    rest = b""
    for chunk in read_chunks(path, compression):
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line.removesuffix(b"\r")
    if rest:
        yield rest.removesuffix(b"\r")


class TFRecordDataset(Dataset):
    """The records of TFRecord files (`tf.data.TFRecordDataset`).

    Args:
        filenames: a name, a tensor of names, or a dataset of names.
        compression_type: "GZIP", "ZLIB", or None.
        buffer_size: not needed.
        num_parallel_reads: how many files are read at a time, record by record in turns.
        name: not used.
    """

    _shown = "TFRecordDatasetV2"

    def __init__(
        self,
        filenames: Any,
        compression_type: str | None = None,
        buffer_size: IntLike | None = None,
        num_parallel_reads: int | None = None,
        name: str | None = None,
    ) -> None:
        kind = _checked(compression_type)
        self.node = Read(
            names_of(filenames), lambda path: read_records(path, kind), num_parallel_reads
        )


class FixedLengthRecordDataset(Dataset):
    """The records of files in which all have one length (`tf.data.FixedLengthRecordDataset`).

    Args:
        filenames: a name, a tensor of names, or a dataset of names.
        record_bytes: how long a record is.
        header_bytes: how much to leave out at the beginning of a file.
        footer_bytes: how much to leave out at its end.
        buffer_size: not needed.
        compression_type: "GZIP", "ZLIB", or None.
        num_parallel_reads: how many files are read at a time, record by record in turns.
        name: not used.
    """

    _shown = "FixedLengthRecordDatasetV2"

    def __init__(
        self,
        filenames: TensorLike | DatasetBase,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        buffer_size: IntLike | None = None,
        compression_type: str | None = None,
        num_parallel_reads: int | None = None,
        name: str | None = None,
    ) -> None:
        kind = _checked(compression_type)
        head, foot = header_bytes or 0, footer_bytes or 0

        def read(path: bytes) -> Iterator[bytes]:
            return _fixed(path, kind, int(record_bytes), head, foot)

        self.node = Read(names_of(filenames), read, num_parallel_reads)


def _fixed(path: bytes, compression: str, length: int, head: int, foot: int) -> Iterator[bytes]:
    data = b"".join(read_chunks(path, compression))
    size = len(data) - head - foot
    text = (
        f"Excluding the header ({head} bytes) and footer ({foot} bytes), input file "
        f'"{os.fsdecode(path)}" has body length {size} bytes, which is not an exact multiple '
        f"of the record length ({length} bytes)."
    )
    is_wrong = size < 0 or size % length > 0
    if is_wrong and not compression:
        raise invalid_argument(text)
    for start in range(head, head + size - length + 1, length):
        yield data[start : start + length]
    if is_wrong:  # TF: it learns the size of a compressed file when it has read it
        raise DataLossError(None, None, text)
