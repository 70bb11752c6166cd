"""TFRecord files: byte strings, each with its length and checksums (CRC-32C, masked).

One record is its length (8 bytes, little-endian), the length's checksum (4 bytes), the bytes, and
their checksum. Whole files may be compressed with zlib or gzip.
"""

from __future__ import annotations

import itertools
import os
import struct
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

import google_crc32c

from ...base.errors import DataLossError, FailedPreconditionError
from .paths import as_text, local, system_errors

_LENGTH = struct.Struct("<QI")
_CHECK = struct.Struct("<I")
_CHUNK = 1 << 18


class TFRecordCompressionType:
    """The numbers of compressions in TF 1 (`tf.compat.v1.python_io.TFRecordCompressionType`)."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


_NAMES = {
    None: "", "": "", "ZLIB": "ZLIB", "GZIP": "GZIP", TFRecordCompressionType.NONE: "",
    TFRecordCompressionType.ZLIB: "ZLIB", TFRecordCompressionType.GZIP: "GZIP",
}  # fmt: skip
_WINDOWS = {"ZLIB": zlib.MAX_WBITS, "GZIP": zlib.MAX_WBITS + 16}


class TFRecordOptions:
    """How TFRecord files are compressed (`tf.io.TFRecordOptions`).

    Args:
        compression_type: "", "GZIP" or "ZLIB", or one of the numbers of TF 1.
        flush_mode: zlib's; without effect here, as the sizes of buffers are.
        input_buffer_size: without effect.
        output_buffer_size: without effect.
        window_bits: zlib's; without effect.
        compression_level: from 0, none, to 9, most.
        compression_method: zlib's; without effect.
        mem_level: zlib's; without effect.
        compression_strategy: zlib's; without effect.

    Raises:
        ValueError: there is no such compression.
    """

    compression_type_map = {0: "", 1: "ZLIB", 2: "GZIP"}  # noqa: RUF012  # TensorFlow's name

    def __init__(
        self,
        compression_type: str | None = None,
        flush_mode: Any = None,
        input_buffer_size: Any = None,
        output_buffer_size: Any = None,
        window_bits: Any = None,
        compression_level: Any = None,
        compression_method: Any = None,
        mem_level: Any = None,
        compression_strategy: Any = None,
    ) -> None:
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """The name of the compression that options, a name or a number of TF 1 ask for.

        Raises:
            ValueError: there is no such compression.
        """
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if isinstance(options, (str, int, type(None))) and options in _NAMES:
            return _NAMES[options]
        raise ValueError(f'Not a valid compression_type: "{options}"')


def masked_crc(data: bytes) -> int:
    """The checksum of bytes as the files have it."""
    crc: int = google_crc32c.value(data)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


class TFRecordWriter:
    """Writes records to a file (`tf.io.TFRecordWriter`); also a context that closes it.

    Args:
        path: the file, which is written anew.
        options: a `TFRecordOptions`, or the name of a compression.

    Raises:
        NotFoundError: its folder does not exist.
        ValueError: there is no such compression.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/a.tfrecord"
    >>> with TFRecordWriter(path) as writer:
    ...     writer.write(b"hello")
    >>> list(read_records(path))
    [b'hello']
    """

    def __init__(self, path: str, options: Any = None) -> None:
        kind = TFRecordOptions.get_compression_type_string(options)
        level = getattr(options, "compression_level", None)
        self._path = as_text(path)
        with system_errors(self._path):
            self._file: BinaryIO | None = open(local(path), "wb")  # noqa: SIM115  # closed later
        self._packer = (
            zlib.compressobj(-1 if level is None else level, zlib.DEFLATED, _WINDOWS[kind])
            if kind
            else None
        )

    def _opened(self) -> BinaryIO:
        if self._file is None:
            raise FailedPreconditionError(None, None, "Writer is closed.")
        return self._file

    def write(self, record: bytes | str) -> None:
        """Writes one record; text as UTF-8.

        Raises:
            FailedPreconditionError: the writer is closed.
            TypeError: it is neither bytes nor text.
        """
        file = self._opened()
        if isinstance(record, str):
            record = record.encode()
        if not isinstance(record, (bytes, bytearray, memoryview)):
            raise TypeError(f"[TFRecordWriter.write] a record is bytes or str, got {record!r}")
        data = bytes(record)
        length = struct.pack("<Q", len(data))
        packed = b"".join(
            (length, _CHECK.pack(masked_crc(length)), data, _CHECK.pack(masked_crc(data)))
        )
        with system_errors(self._path):
            file.write(packed if self._packer is None else self._packer.compress(packed))

    def flush(self) -> None:
        """Hands what was written to the system.

        Raises:
            FailedPreconditionError: the writer is closed.
        """
        file = self._opened()
        with system_errors(self._path):
            if self._packer is not None:
                file.write(self._packer.flush(zlib.Z_SYNC_FLUSH))
            file.flush()

    def close(self) -> None:
        """Writes the rest and closes the file."""
        file, self._file = self._file, None
        if file is None:
            return
        with system_errors(self._path), file:
            if self._packer is not None:
                file.write(self._packer.flush())

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def read_chunks(
    path: Any, compression: str = "", is_whole: bool = False, start: int = 0
) -> Iterator[bytes]:
    """The bytes of a file, unpacked, in pieces.

    Args:
        path: the file.
        compression: "", "GZIP" or "ZLIB".
        is_whole: refuse a compressed file that is cut off. TensorFlow's readers do not.
        start: the first byte that is read.

    Raises:
        NotFoundError: there is no such file.
        DataLossError: it is not compressed that way.
    """
    name = as_text(path)
    with system_errors(name), open(local(path), "rb") as file:
        stream = zlib.decompressobj(_WINDOWS[compression]) if compression else None
        file.seek(start)
        while data := file.read(_CHUNK):
            while stream is not None and data:
                try:
                    yield stream.decompress(data)
                except zlib.error as error:
                    why = str(error).rpartition(": ")[2]
                    text = f"inflate() failed with error -3: {why}"
                    raise DataLossError(None, None, text) from None
                data = stream.unused_data
                if stream.eof and data:
                    stream = zlib.decompressobj(_WINDOWS[compression])
                else:
                    break
            if stream is None:
                yield data
        if is_whole and stream is not None and not stream.eof and file.tell():
            raise _data_loss(f"truncated file {name}: its compressed data has no end")


class _Source:
    """Pieces of bytes, read in any lengths."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._data = b""
        self._place = 0

    def read(self, count: int) -> bytes:
        """The next `count` bytes; fewer at the end."""
        end = self._place + count
        if end > len(self._data):
            parts, have = [self._data[self._place :]], len(self._data) - self._place
            while have < count and (chunk := next(self._chunks, None)) is not None:
                parts.append(chunk)
                have += len(chunk)
            self._data, self._place, end = b"".join(parts), 0, count
        data = self._data[self._place : end]
        self._place += len(data)
        return data


def read_records(
    path: Any, compression: str = "", is_whole: bool = False, start: int = 0
) -> Iterator[bytes]:
    """The records of a file, in order, checked as they come.

    Args:
        path: the file.
        compression: "", "GZIP" or "ZLIB".
        is_whole: also refuse a file that is cut off where TensorFlow's readers take that for its
            end: in the length of a record, or behind one in a compressed file.
        start: where the first record begins.

    Raises:
        NotFoundError: there is no such file.
        DataLossError: a checksum is wrong, or the file is cut off inside of a record.
    """
    source, offset = _Source(read_chunks(path, compression, is_whole, start)), start
    while len(header := source.read(_LENGTH.size)) == _LENGTH.size:
        length, check = _LENGTH.unpack(header)
        if check != masked_crc(header[:8]):
            raise _data_loss(f"corrupted record at {offset} (Is this even a TFRecord file?)")
        data, tail = source.read(length), source.read(_CHECK.size)
        if len(data) < length or len(tail) < _CHECK.size:
            raise _data_loss(
                f"truncated record at {offset}' failed with Read less bytes than requested"
            )
        if _CHECK.unpack(tail)[0] != masked_crc(data):
            raise _data_loss(f"corrupted record at {offset + _LENGTH.size}")
        yield data
        offset += _LENGTH.size + length + _CHECK.size
    if header and is_whole:
        raise _data_loss(
            f"truncated record at {offset}' failed with Read less bytes than requested"
        )


def _data_loss(text: str) -> DataLossError:
    return DataLossError(None, None, text)


class _RecordIterator(Iterator[bytes]):
    """The records of a file. Who asks again behind the end gets what was written since."""

    def __init__(self, path: Any, compression: str) -> None:
        self._path = path
        self._compression = compression
        self._count = self._end = 0
        with system_errors(as_text(path)), open(local(path), "rb"):
            pass  # there is such a file
        self._records = self._rest()

    def _rest(self) -> Iterator[bytes]:
        if not self._compression:
            return read_records(self._path, start=self._end)
        return itertools.islice(read_records(self._path, self._compression), self._count, None)

    def __next__(self) -> bytes:
        try:
            record = next(self._records)
        except (StopIteration, DataLossError):
            self._records = self._rest()
            raise
        self._count += 1
        self._end += _LENGTH.size + len(record) + _CHECK.size
        return record


def tf_record_iterator(path: str | os.PathLike[str], options: Any = None) -> Iterator[bytes]:
    """The records of a file (`tf.compat.v1.io.tf_record_iterator`). At the end of a file that grows
    it may be asked again.

    Args:
        path: the file.
        options: a `TFRecordOptions`, or the name of a compression.

    Raises:
        NotFoundError: there is no such file.
        DataLossError: it is damaged.
    """
    return _RecordIterator(path, TFRecordOptions.get_compression_type_string(options))
