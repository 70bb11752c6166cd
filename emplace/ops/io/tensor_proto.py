"""Tensors as bytes: the protocol buffer `TensorProto`, as TensorFlow writes and reads it.

Written are its dtype, its shape, and its elements, as one block of bytes or, for strings, one by
one. Other programs write numbers one by one in a field for each dtype, and leave away what repeats
the last one: that is read too.
"""

from __future__ import annotations

import base64
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from google.protobuf.message import DecodeError

from ...base import dtypes
from ...base.dtypes import DType, as_dtype, runtime_name
from ...base.errors import InvalidArgumentError, invalid_argument
from ...base.protos import declare
from ...base.shapes import runtime_text
from ...base.typing import DTypeLike, TensorLike
from ...core.tensor import Tensor, numpy_to_torch, torch_to_numpy
from ..convert import to_tensor
from ..infer import Spec
from ..op import CPU_ONLY, apply, op
from ..strings.basic import as_texts, text_array
from .decoding import elements

TensorProto = declare(
    __name__,
    {
        "TensorShapeDim": ["int64 size = 1"],
        "TensorShapeProto": ["repeated TensorShapeDim dim = 2", "bool unknown_rank = 3"],
        "TensorProto": [
            "int32 dtype = 1", "TensorShapeProto tensor_shape = 2", "int32 version_number = 3",
            "bytes tensor_content = 4", "repeated float float_val = 5",
            "repeated double double_val = 6", "repeated int32 int_val = 7",
            "repeated bytes string_val = 8", "repeated float scomplex_val = 9",
            "repeated int64 int64_val = 10", "repeated bool bool_val = 11",
            "repeated double dcomplex_val = 12", "repeated int32 half_val = 13",
            "repeated uint32 uint32_val = 16", "repeated uint64 uint64_val = 17",
            "bytes float8_val = 18",
        ],
    },
)["TensorProto"]  # fmt: skip

# The field that holds the elements of a dtype one by one.
_FIELDS: dict[DType, str] = {
    dtypes.float32: "float_val",
    dtypes.float64: "double_val",
    **dict.fromkeys(
        (dtypes.int32, dtypes.int16, dtypes.int8, dtypes.uint16, dtypes.uint8), "int_val"
    ),
    dtypes.complex64: "scomplex_val",
    dtypes.int64: "int64_val",
    dtypes.bool_: "bool_val",
    dtypes.complex128: "dcomplex_val",
    **dict.fromkeys((dtypes.float16, dtypes.bfloat16), "half_val"),
    dtypes.uint32: "uint32_val",
    dtypes.uint64: "uint64_val",
    **dict.fromkeys(dtypes.FLOATS8, "float8_val"),
}


def serialize_kernel(tensor: Any) -> Any:
    """A tensor as the bytes of a TensorProto."""
    return text_array([message_bytes(tensor)], ())


def message_bytes(tensor: Any, in_one_piece: bool = False) -> bytes:
    """The same of strings one by one, or in one piece after their lengths."""
    is_text = isinstance(tensor, np.ndarray)
    dtype = dtypes.string if is_text else as_dtype(tensor.dtype)
    message = TensorProto(dtype=dtype.as_datatype_enum)
    message.tensor_shape.SetInParent()  # written for scalars too, as TensorFlow does
    for size in tensor.shape:
        message.tensor_shape.dim.add(size=size)
    if is_text and in_one_piece:
        texts = tensor.reshape(-1).tolist()
        message.tensor_content = b"".join([_varint(len(text)) for text in texts] + texts)
    elif is_text:
        message.string_val.extend(tensor.reshape(-1).tolist())
    elif tensor.numel():
        message.tensor_content = torch_to_numpy(tensor).tobytes()
    made: bytes = message.SerializeToString()
    return made


def _serialize_spec(tensor: Spec) -> Spec:
    return Spec((), dtypes.string)


SERIALIZE_TENSOR = op(
    "SerializeTensor", "tensor: T -> serialized: string", serialize_kernel, _serialize_spec,
    device_types=CPU_ONLY, T=dtypes.ANY,
)  # fmt: skip


def parse_kernel(serialized: Any, *, out_type: DType) -> Any:
    """The tensor that the bytes of a TensorProto hold."""
    if serialized.ndim:
        raise invalid_argument(
            f"Expected `serialized` to be a scalar, got shape: {runtime_text(serialized.shape)}"
        )
    data: bytes = serialized[()]
    try:
        dtype, value = parsed_proto(data)
    except DecodeError:
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
    """The dtype and the raw value that the bytes of a TensorProto hold.

    Raises:
        DecodeError: they are no message.
        InvalidArgumentError: the message is no tensor.
    """
    message = TensorProto.FromString(data)
    dtype = next((each for each in dtypes.ANY if each.as_datatype_enum == message.dtype), None)
    if dtype is None:
        raise _no_tensor(f"there is no dtype of number {message.dtype}")
    return dtype, _tensor(dtype, [dim.size for dim in message.tensor_shape.dim], message)


def _no_tensor(why: str) -> InvalidArgumentError:
    return invalid_argument(f"Cannot parse tensor from proto: {why}")


def _tensor(dtype: DType, dims: Sequence[int], message: Any) -> Any:
    count = math.prod(dims)
    if any(size < 0 for size in dims) or count >= 1 << 63:
        raise _no_tensor(f"it has the shape {runtime_text(dims)}")
    content = message.tensor_content
    if dtype is dtypes.string:
        texts = _texts(content, count) if content else list(message.string_val)
        return text_array(_stretched(texts, count, b""), dims)
    if content:
        if len(content) != count * dtype.size:
            raise _no_tensor(
                f"{count} elements of {dtype.name} take {count * dtype.size} bytes, and it has "
                f"{len(content)}"
            )
        return elements(content, dtype).reshape(tuple(dims))
    values = _one_by_one(dtype, getattr(message, _FIELDS[dtype]))
    return _repeated(values, count).reshape(tuple(dims))


def _varint(number: int) -> bytes:
    """A length in groups of seven bits, the lowest first."""
    groups = bytearray()
    while number > 127:
        groups.append(number & 127 | 128)
        number >>= 7
    return bytes([*groups, number])


def _texts(content: bytes, count: int) -> list[bytes]:
    """The strings of one piece: all lengths, then all strings."""
    place, lengths = 0, []
    for _ in range(count):
        length = shift = 0
        while True:
            if place == len(content):
                raise _no_tensor(f"it ends before the lengths of its {count} strings")
            group = content[place]
            place += 1
            length |= (group & 127) << shift
            shift += 7
            if group < 128:
                break
        lengths.append(length)
    if place + sum(lengths) != len(content):
        raise _no_tensor(
            f"its {count} strings take {sum(lengths)} bytes, and it has {len(content) - place}"
        )
    ends = itertools.accumulate(lengths, initial=place)
    return [content[begin:end] for begin, end in itertools.pairwise(ends)]


def _stretched(values: list[Any], count: int, nothing: bytes) -> list[Any]:
    """`count` values: the last one again where there are fewer."""
    last = values[-1] if values else nothing
    return values[:count] + [last] * (count - len(values))


def _repeated(values: torch.Tensor, count: int) -> torch.Tensor:
    if not len(values):
        return values.new_zeros(count)
    return torch.cat([values[:count], values[-1:].expand(max(0, count - len(values)))])


def _one_by_one(dtype: DType, values: Any) -> torch.Tensor:
    """The elements of the field that has them one by one; halves are there as their bits, parts of
    complex numbers behind each other.
    """
    if isinstance(values, bytes):
        return elements(values, dtype)
    if dtype.is_complex:
        if len(values) % 2:
            raise _no_tensor(f"its {len(values)} parts are no elements of {dtype.name}")
        return elements(np.array(values, f"f{dtype.size // 2}").tobytes(), dtype)
    if dtype is dtypes.bool_ or (dtype.is_floating and dtype.size > 2) or dtype.size == 8:
        return numpy_to_torch(np.array(values, dtype.as_numpy_dtype))
    bits = np.array(values, np.int64).astype(f"u{dtype.size}")
    return numpy_to_torch(bits.view(dtype.as_numpy_dtype))


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
