"""Checkpoints as files: named arrays, written at once or not at all, and read one by one.

A checkpoint with the prefix `model-1` is the file `model-1.safetensors`, which every library that
reads safetensors can open. Types that safetensors or NumPy lack (strings, complex128, 8-bit
floats) are kept as vectors of bytes; the key `emplace` of the file's metadata says, as JSON, what
they are: name -> [dtype, shape]. A string tensor is its lengths as unsigned 64-bit little-endian
numbers, then its bytes. The key `crc32c` says what the values' checksums were: name -> CRC-32C of
"dtype[shape]" and the bytes as they are in the file, so that no bit changes unnoticed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import google_crc32c
import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from ..base import dtypes
from ..base.dtypes import DType, as_dtype
from ..base.errors import DataLossError, NotFoundError, OpError
from ..base.files import replacing
from ..base.typing import TensorLike
from ..ops.io.paths import as_text, local, system_errors
from ..ops.strings.basic import text_array

SUFFIX = ".safetensors"
_METADATA, _CHECKSUMS = "emplace", "crc32c"
_TAGS = {
    "BOOL": dtypes.bool_, "U8": dtypes.uint8, "I8": dtypes.int8, "I16": dtypes.int16,
    "U16": dtypes.uint16, "I32": dtypes.int32, "U32": dtypes.uint32, "I64": dtypes.int64,
    "U64": dtypes.uint64, "F16": dtypes.float16, "BF16": dtypes.bfloat16, "F32": dtypes.float32,
    "F64": dtypes.float64, "C64": dtypes.complex64,
}  # fmt: skip
_PLAIN = frozenset(_TAGS.values())

Array = np.ndarray[Any, Any]


def write_checkpoint(prefix: str, values: Mapping[str, Any]) -> str:
    """Writes named arrays as one checkpoint; an older one of that prefix stays until it is done.

    Args:
        prefix: the path without `.safetensors`; folders on the way are made.
        values: what NumPy makes arrays of, by name; bytes and text are strings.

    Returns:
        The prefix.

    Raises:
        PermissionDeniedError, ResourceExhaustedError, ...: what the system says.
        TypeError: a value is of a type that no tensor has.
    """
    place = file_of(prefix)
    arrays: dict[str, Array] = {}
    encoded: dict[str, Any] = {}
    checksums: dict[str, int] = {}
    for name, value in values.items():
        array, dtype = _array_of(value)
        shape = list(array.shape)
        if dtype not in _PLAIN:
            encoded[name] = [dtype.name, shape]
            array = _as_bytes(array, dtype)
        arrays[name] = array if array.flags.c_contiguous else array.copy("C")
        checksums[name] = _checksum(arrays[name], dtype, shape)
    metadata = {_METADATA: json.dumps(encoded), _CHECKSUMS: json.dumps(checksums)}
    with system_errors(prefix):
        os.makedirs(os.path.dirname(place) or ".", exist_ok=True)
        try:
            with replacing(place) as temporary:
                save_file(arrays, temporary, metadata)
        except SafetensorError as error:
            raise DataLossError(
                None, None,
                f"[write_checkpoint] {prefix} could not be written: {error}. A checkpoint that "
                "was there before is as it was; look at the free space and the permissions.",
            ) from error  # fmt: skip
    return prefix


def _checksum(array: Array, dtype: DType, shape: list[int]) -> int:
    """The CRC-32C of a value whose bytes are those of `array`."""
    kind: int = google_crc32c.value(f"{dtype.name}{shape}".encode())
    data = np.frombuffer(array.reshape(-1).view(np.uint8), np.uint8) if array.size else b""
    found: int = google_crc32c.extend(kind, data)
    return found


def _array_of(value: TensorLike) -> tuple[Array, DType]:
    array = np.asarray(value)
    if array.dtype.kind == "S":  # NumPy drops zeros at the end of such elements
        array = np.array(value, dtype=object)
    dtype = as_dtype(array.dtype if array.dtype.kind not in "OU" else object)
    return array, dtype


def _as_bytes(array: Array, dtype: DType) -> Array:
    if dtype is not dtypes.string:
        return np.frombuffer(array.tobytes(), np.uint8)
    flat = array.reshape(-1).tolist()
    texts = [each if isinstance(each, bytes) else str(each).encode() for each in flat]
    lengths = np.array([len(each) for each in texts], "<u8").tobytes()
    return np.frombuffer(lengths + b"".join(texts), np.uint8)


def _from_bytes(data: Array, dtype: DType, shape: list[int]) -> Array:
    if dtype is not dtypes.string:
        whole: Array = data.view(dtype.as_numpy_dtype).reshape(shape)
        return whole
    count = int(np.prod(shape, dtype=np.int64))
    lengths = data[: 8 * count].view("<u8").tolist()
    raw, start, texts = data.tobytes(), 8 * count, []
    for length in lengths:
        texts.append(raw[start : start + length])
        start += length
    if start != len(raw):
        raise ValueError("the lengths of its strings do not fit its bytes")
    strings: Array = text_array(texts, shape)
    return strings


def file_of(prefix: Any) -> str:
    """The file that holds the checkpoint of this prefix."""
    place = local(prefix)
    return place if place.endswith(SUFFIX) else place + SUFFIX


class CheckpointReader:
    """Reads the values of one checkpoint (`tf.compat.v1.train.NewCheckpointReader`).

    Args:
        filepattern: the prefix of the checkpoint.

    Raises:
        NotFoundError: there is none of that prefix.
        DataLossError: the file is cut off, or is no checkpoint of Emplace.
    """

    def __init__(self, filepattern: Any) -> None:
        self.prefix = as_text(filepattern)
        self._file = _open(self.prefix)
        self._kinds: dict[str, tuple[DType, list[int]]] = {}
        try:
            self._read_header(self._file.metadata() or {})
        except (SafetensorError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise self._damaged(f"its header cannot be read ({error!r})") from None

    def _read_header(self, metadata: dict[str, str]) -> None:
        """Notes what values there are, of what kinds, and their checksums."""
        known = json.loads(metadata.get(_METADATA, "{}"))
        self._encoded = frozenset(known)
        for name in self._file.keys():  # noqa: SIM118  # no dictionary
            if name in known:
                self._kinds[name] = as_dtype(known[name][0]), [int(each) for each in known[name][1]]
            else:
                part = self._file.get_slice(name)
                self._kinds[name] = self._dtype_of(name, part.get_dtype()), part.get_shape()
        self._checksums: dict[str, int] | None = (
            None  # of files that others or older versions wrote
        )
        if _CHECKSUMS in metadata:
            self._checksums = dict(json.loads(metadata[_CHECKSUMS]))
        is_ours = self._checksums is not None or (_METADATA in metadata and len(metadata) > 1)
        if is_ours and (self._checksums or {}).keys() != self._kinds.keys():
            raise self._damaged("its checksums are not those of its values")

    def _dtype_of(self, name: str, tag: str) -> DType:
        if tag not in _TAGS:
            raise self._damaged(f"{name} has the type {tag}, which cannot be read")
        return _TAGS[tag]

    def _damaged(self, why: str) -> OpError:
        return damaged(self.prefix, why)

    def has_tensor(self, tensor_str: str) -> bool:
        """True if the checkpoint has a value of that name."""
        return as_text(tensor_str) in self._kinds

    def get_tensor(self, tensor_str: str) -> Any:
        """The value of that name: an array, or a NumPy scalar (bytes for a string) of shape ().

        Raises:
            NotFoundError: there is none.
            DataLossError: it is not what was written.
        """
        name = as_text(tensor_str)
        if name not in self._kinds:
            raise NotFoundError(None, None, f"Key {name} not found in checkpoint")
        dtype, shape = self._kinds[name]
        try:
            array = self._file.get_tensor(name)
        except (SafetensorError, ValueError) as error:
            raise self._damaged(f"{name} cannot be read ({error})") from None
        self._check(name, array)
        if name in self._encoded:
            try:
                array = _from_bytes(array, dtype, shape)
            except ValueError as error:
                raise self._damaged(f"{name}: {error}") from None
        return array if array.ndim else array[()]

    def _check(self, name: str, array: Array) -> None:
        """Raises DataLossError unless a value is as it was written."""
        if self._checksums is None:
            return
        stored, found = self._checksums[name], _checksum(array, *self._kinds[name])
        if stored != found:
            raise DataLossError(
                None, None,
                f"TensorBundle at {self.prefix}: Checksum does not match: stored "
                f"{stored} vs. calculated on the restored bytes {found}: the value of {name!r} in "
                f"{file_of(self.prefix)} is not what was written. Take an older checkpoint.",
            )  # fmt: skip

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shape of each value, as a list of ints."""
        return {name: list(shape) for name, (_, shape) in self._kinds.items()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """The dtype of each value."""
        return {name: dtype for name, (dtype, _) in self._kinds.items()}

    def debug_string(self) -> bytes:
        """A line for each value: its name, type and shape."""
        lines = [
            f"{name} (DT_{dtypes.runtime_name(dtype).upper()}) {json.dumps(shape)}\n"
            for name, (dtype, shape) in sorted(self._kinds.items())
        ]
        return "".join(lines).replace(", ", ",").encode()


def _open(prefix: str) -> Any:
    place = file_of(prefix)
    if not os.path.isfile(place):
        raise _missing(prefix, place)
    try:
        with system_errors(prefix):
            return safe_open(place, framework="np")
    except SafetensorError as error:
        raise damaged(prefix, str(error)) from None


def damaged(prefix: str, why: str) -> DataLossError:
    """The error about a file that cannot be read as a checkpoint."""
    return DataLossError(
        None, None,
        f"Unable to open table file {file_of(prefix)}: {why}: perhaps your file is in a different "
        "file format and you need to use a different restore operator? Emplace reads whole "
        "safetensors files; take an older checkpoint, or write this one again.",
    )  # fmt: skip


def _missing(prefix: str, place: str) -> OpError:
    if os.path.isfile(f"{local(prefix)}.index"):
        return DataLossError(
            None, None,
            f"Unable to open table file {prefix}.index: it is a checkpoint that TensorFlow wrote, "
            f"and Emplace reads {place}. Read its values with TensorFlow's "
            "tf.train.load_checkpoint, and write them with safetensors.numpy.save_file.",
        )  # fmt: skip
    return NotFoundError(
        None, None,
        "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for "
        f"{prefix}",
    )  # fmt: skip
