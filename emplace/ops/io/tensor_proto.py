"""Tensors as bytes: the protocol buffer `TensorProto`, as TensorFlow writes and reads it.

Written are its dtype (field 1), its shape (2), and its elements either as one block of bytes (4)
or, for strings, one by one (8). Other programs write numbers one by one in a field for each dtype,
and leave away what repeats the last one: that is read too.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType, as_dtype, runtime_name
from ...base.errors import InvalidArgumentError, invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import DTypeLike, TensorLike
from ...core.tensor import Tensor, numpy_to_torch, torch_to_numpy
from ..convert import to_tensor
from ..infer import Spec
from ..op import CPU_ONLY, apply, op
from ..strings.basic import as_texts, text_array
from .decoding import elements

DTYPE, SHAPE, CONTENT, STRINGS = 1, 2, 4, 8
_VARINT, _EIGHT, _BLOCK, _FOUR = 0, 1, 2, 5  # wire types

# The field that holds the elements of a dtype one by one, and NumPy's type of a value there;
# None for numbers of variable size.
_FIELDS: dict[DType, tuple[int, str | None]] = {
    dtypes.float32: (5, "<f4"),
    dtypes.float64: (6, "<f8"),
    **dict.fromkeys(
        (dtypes.int32, dtypes.int16, dtypes.int8, dtypes.uint16, dtypes.uint8), (7, None)
    ),
    dtypes.complex64: (9, "<f4"),
    dtypes.int64: (10, None),
    dtypes.bool_: (11, None),
    dtypes.complex128: (12, "<f8"),
    **dict.fromkeys((dtypes.float16, dtypes.bfloat16), (13, None)),
    dtypes.uint32: (16, None),
    dtypes.uint64: (17, None),
    **dict.fromkeys(dtypes.FLOATS8, (18, "u1")),
}


def _varint(number: int) -> bytes:
    """A number in groups of seven bits, the lowest first; all but the last have the top bit."""
    groups = []
    while number > 0x7F:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*groups, number])


def _block(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | _BLOCK) + _varint(len(content)) + content


def serialize_kernel(tensor: Any) -> Any:
    """A tensor as the bytes of a TensorProto."""
    is_text = isinstance(tensor, np.ndarray)
    dtype = dtypes.string if is_text else as_dtype(tensor.dtype)
    sizes = (_varint(1 << 3) + _varint(size) if size else b"" for size in tensor.shape)
    parts = [
        _varint(DTYPE << 3) + _varint(dtype.as_datatype_enum),
        _block(SHAPE, b"".join(_block(2, size) for size in sizes)),
    ]
    if is_text:
        parts += [_block(STRINGS, text) for text in tensor.reshape(-1).tolist()]
    elif tensor.numel():
        parts.append(_block(CONTENT, torch_to_numpy(tensor).tobytes()))
    return text_array([b"".join(parts)], ())


def _serialize_spec(tensor: Spec) -> Spec:
    return Spec((), dtypes.string)


SERIALIZE_TENSOR = op(
    "SerializeTensor", "tensor: T -> serialized: string", serialize_kernel, _serialize_spec,
    device_types=CPU_ONLY, T=dtypes.ANY,
)  # fmt: skip


class _MalformedError(ValueError):
    """Bytes that are no protocol buffer."""


def _read_varint(data: bytes, place: int) -> tuple[int, int]:
    """The number at a place, and the place behind it."""
    number = shift = 0
    while place < len(data) and shift < 70:
        byte = data[place]
        number |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return number & 0xFFFFFFFFFFFFFFFF, place
    raise _MalformedError


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The number and the value of each field: an int, or bytes of a known length."""
    place = 0
    while place < len(data):
        key, place = _read_varint(data, place)
        field, wire = key >> 3, key & 7
        if wire == _VARINT:
            number, place = _read_varint(data, place)
            yield field, number
            continue
        if wire not in (_EIGHT, _BLOCK, _FOUR) or field == 0:
            raise _MalformedError
        size = {_EIGHT: 8, _FOUR: 4}.get(wire, 0)
        if wire == _BLOCK:
            size, place = _read_varint(data, place)
        if place + size > len(data):
            raise _MalformedError
        yield field, data[place : place + size]
        place += size


def _grouped(data: bytes) -> dict[int, list[int | bytes]]:
    found: dict[int, list[int | bytes]] = {}
    for field, value in _fields(data):
        found.setdefault(field, []).append(value)
    return found


def _dims(shapes: Sequence[int | bytes]) -> list[int]:
    """The dimensions of a shape; several of them count as one after the other."""
    dims = []
    for shape in shapes:
        for dim in _grouped(_as_bytes(shape)).get(2, ()):
            size = _grouped(_as_bytes(dim)).get(1, [0])[-1]
            dims.append(_signed(_as_int(size)))
    return dims


def _as_bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise _MalformedError
    return value


def _as_int(value: int | bytes) -> int:
    if isinstance(value, bytes):
        raise _MalformedError
    return value


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


def parse_kernel(serialized: Any, *, out_type: DType) -> Any:
    """The tensor that the bytes of a TensorProto hold."""
    if serialized.ndim:
        raise invalid_argument(
            f"Expected `serialized` to be a scalar, got shape: {runtime_text(serialized.shape)}"
        )
    data: bytes = serialized[()]
    try:
        dtype, value = parsed_proto(data)
    except _MalformedError:
        shown = base64.b64encode(data).decode()
        raise invalid_argument(
            f"Could not parse `serialized` as TensorProto, base64: {shown}"
        ) from None
    if dtype is not out_type:
        raise invalid_argument(
            f"Type mismatch between parsed tensor ({runtime_name(dtype)}) and dtype "
            f"({runtime_name(out_type)})"
        )
    return value


def parsed_proto(data: bytes) -> tuple[DType, Any]:
    """The dtype and the raw value that the bytes of a TensorProto hold."""
    parts = _grouped(data)
    number = _as_int(parts.get(DTYPE, [0])[-1])
    dtype = next((each for each in dtypes.ANY if each.as_datatype_enum == number), None)
    if dtype is None:
        raise _no_tensor(f"there is no dtype of number {number}")
    return dtype, _tensor(dtype, _dims(parts.get(SHAPE, ())), parts)


def _no_tensor(why: str) -> InvalidArgumentError:
    return invalid_argument(f"Cannot parse tensor from proto: {why}")


def _tensor(dtype: DType, dims: Sequence[int], parts: dict[int, list[int | bytes]]) -> Any:
    count = math.prod(dims)
    if any(size < 0 for size in dims) or count >= 1 << 63:
        raise _no_tensor(f"it has the shape {runtime_text(dims)}")
    content = _as_bytes(parts.get(CONTENT, [b""])[-1])
    if dtype is dtypes.string:
        texts = [_as_bytes(each) for each in parts.get(STRINGS, ())]
        return text_array(_stretched(texts, count, b""), dims)
    if content:
        if len(content) != count * dtype.size:
            raise _no_tensor(
                f"{count} elements of {dtype.name} take {count * dtype.size} bytes, and it has "
                f"{len(content)}"
            )
        return elements(content, dtype).reshape(tuple(dims))
    field, size = _FIELDS[dtype]
    values = _numbers(dtype, parts.get(field, ()), size)
    return _repeated(values, count).reshape(tuple(dims))


def _stretched(values: list[Any], count: int, nothing: bytes) -> list[Any]:
    """`count` values: the last one again where there are fewer."""
    last = values[-1] if values else nothing
    return values[:count] + [last] * (count - len(values))


def _repeated(values: torch.Tensor, count: int) -> torch.Tensor:
    if not len(values):
        return values.new_zeros(count)
    return torch.cat([values[:count], values[-1:].expand(max(0, count - len(values)))])


def _numbers(dtype: DType, parts: Sequence[int | bytes], size: str | None) -> torch.Tensor:
    """The elements of a field: each by itself, or several in one block."""
    if size is not None:
        data = b"".join(_as_bytes(part) for part in parts)
        if len(data) % dtype.size:
            raise _no_tensor(f"its {len(data)} bytes are no elements of {dtype.name}")
        return elements(data, dtype)
    numbers: list[int] = []
    for part in parts:
        numbers += [part] if isinstance(part, int) else _unpacked(part)
    wide = np.array(numbers, np.uint64)
    if dtype is dtypes.bool_:
        return torch.from_numpy(wide != 0)
    bits = wide.astype(f"u{dtype.size}")
    return numpy_to_torch(bits.view(dtype.as_numpy_dtype))


def _unpacked(data: bytes) -> list[int]:
    numbers, place = [], 0
    while place < len(data):
        number, place = _read_varint(data, place)
        numbers.append(number)
    return numbers


PARSE_TENSOR = op(
    "ParseTensor",
    "serialized: string -> output: out_type",
    parse_kernel,
    None,
    device_types=CPU_ONLY,
)


def serialize_tensor(tensor: TensorLike, name: str | None = None) -> Tensor:
    """A tensor as the bytes of a TensorProto (`tf.io.serialize_tensor`).

    The bytes are those that TensorFlow makes; either reads the other's.

    Returns:
        A scalar string.

    >>> serialize_tensor([1, 2]).numpy()[:2]
    b'\\x08\\x03'
    """
    return apply(SERIALIZE_TENSOR, (to_tensor(tensor),))


def parse_tensor(serialized: TensorLike, out_type: DTypeLike, name: str | None = None) -> Tensor:
    """The tensor that the bytes of a TensorProto hold (`tf.io.parse_tensor`).

    Args:
        serialized: a scalar string.
        out_type: the dtype that the tensor has.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: the bytes are no TensorProto, or one of another dtype.

    >>> parse_tensor(serialize_tensor([1, 2]), dtypes.int32).numpy().tolist()
    [1, 2]
    """
    return apply(PARSE_TENSOR, (as_texts(serialized),), {"out_type": as_dtype(out_type)})
