"""Strings of bytes as numbers, in base 64, and compressed."""

from __future__ import annotations

import base64
import re
import string
import zlib
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType
from ...base.errors import DataLossError, UnimplementedError, invalid_argument
from ...base.typing import DTypeLike, TensorLike
from ...core.tensor import Tensor, numpy_to_torch
from .. import infer
from ..arguments import one_int, one_of
from ..infer import Spec
from ..op import CPU_ONLY, apply, op
from ..strings.basic import as_texts, changed

_PADDED_TYPES = (
    dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.uint16, dtypes.uint8,
    dtypes.int16, dtypes.int8, dtypes.int64, dtypes.bfloat16,
)  # fmt: skip
_RAW_TYPES = (*_PADDED_TYPES, dtypes.complex64, dtypes.complex128, dtypes.bool_)


def elements(data: bytes, dtype: DType, little_endian: bool = True) -> torch.Tensor:
    """The elements that bytes hold, as a vector."""
    if dtype is dtypes.bool_:
        return torch.from_numpy(np.frombuffer(data, np.uint8) != 0)
    unit = dtype.size // 2 if dtype.is_complex else dtype.size
    units = np.frombuffer(bytearray(data), f"u{unit}")
    units = units if little_endian else units.byteswap()
    return numpy_to_torch(units.view(dtype.as_numpy_dtype))


def decode_raw_kernel(
    bytes: np.ndarray[Any, Any], *, out_type: DType, little_endian: bool = True
) -> torch.Tensor:
    """The bytes of strings of one length as numbers."""
    dtype = one_of("out_type", out_type, _RAW_TYPES)
    texts = bytes.reshape(-1).tolist()
    size = len(texts[0]) if texts else 0
    for i, text in enumerate(texts):
        if len(text) != size:
            raise invalid_argument(
                "DecodeRaw requires input strings to all be the same size, but element "
                f"{i} has size {size} != {len(text)}"
            )
    if size % dtype.size:
        raise invalid_argument(
            f"Input to DecodeRaw has length {size} that is not a multiple of {dtype.size}, "
            f"the size of {dtypes.runtime_name(dtype)}"
        )
    numbers = elements(b"".join(texts), dtype, little_endian)
    return numbers.reshape(*bytes.shape, size // dtype.size)


DECODE_RAW = op(
    "DecodeRaw", "bytes: string -> output: out_type", decode_raw_kernel, None, device_types=CPU_ONLY
)


def decode_padded_raw_kernel(
    input_bytes: np.ndarray[Any, Any],
    *,
    fixed_length: int,
    out_type: DType,
    little_endian: bool = True,
) -> torch.Tensor:
    """The bytes of strings, cut or filled up with zeros to one length, as numbers."""
    spec = Spec(tuple(input_bytes.shape), dtypes.string)
    _padded_spec(spec, fixed_length=fixed_length, out_type=out_type)
    texts = input_bytes.reshape(-1).tolist()
    data = b"".join(text[:fixed_length].ljust(fixed_length, b"\0") for text in texts)
    numbers = elements(data, out_type, little_endian)
    return numbers.reshape(*input_bytes.shape, fixed_length // out_type.size)


def _padded_spec(
    input_bytes: Spec, *, fixed_length: int, out_type: DType, little_endian: bool = True
) -> Spec:
    dtype = one_of("out_type", out_type, _PADDED_TYPES)
    if fixed_length <= 0:
        raise invalid_argument(f"fixed_length ({fixed_length}) must be greater than zero.")
    if fixed_length % dtype.size:
        raise invalid_argument(
            f"fixed_length ({fixed_length}) must be a multiple of the size of out_type "
            f"({dtype.size})"
        )
    if input_bytes.dims is None:
        return Spec(None, dtype)
    return Spec((*input_bytes.dims, fixed_length // dtype.size), dtype)


DECODE_PADDED_RAW = op(
    "DecodePaddedRaw", "input_bytes: string, fixed_length: host -> output: out_type",
    decode_padded_raw_kernel, _padded_spec, device_types=CPU_ONLY,
)  # fmt: skip


def encode_base64_kernel(input: np.ndarray[Any, Any], *, pad: bool = False) -> Any:
    """Strings in base 64, in the alphabet for addresses of web pages."""

    def encode(text: bytes) -> bytes:
        encoded = base64.urlsafe_b64encode(text)
        return encoded if pad else encoded.rstrip(b"=")

    return changed(input, encode)


ENCODE_BASE64 = op(
    "EncodeBase64",
    "input: string -> output: string",
    encode_base64_kernel,
    infer.same,
    device_types=CPU_ONLY,
)
_BASE64 = (string.ascii_letters + string.digits + "-_").encode()


def decode_base64_kernel(input: np.ndarray[Any, Any]) -> Any:
    """The strings that were encoded, with or without `=` at their end."""
    return changed(input, _from_base64)


def _from_base64(text: bytes) -> bytes:
    if len(text) % 4 == 1:
        raise invalid_argument("Base64 string length cannot be 1 modulo 4.")
    if len(text) % 4 == 0:
        text = text.removesuffix(b"=").removesuffix(b"=")
    if text.translate(None, _BASE64):
        raise invalid_argument("Invalid character found in base64.")
    return base64.urlsafe_b64decode(text + b"=" * (-len(text) % 4))


DECODE_BASE64 = op(
    "DecodeBase64",
    "input: string -> output: string",
    decode_base64_kernel,
    infer.same,
    device_types=CPU_ONLY,
)

# How zlib calls the two formats.
_WINDOWS = {"ZLIB": zlib.MAX_WBITS, "GZIP": zlib.MAX_WBITS + 16}


def decode_compressed_kernel(bytes: np.ndarray[Any, Any], *, compression_type: str = "") -> Any:
    """Compressed strings as they were; of one that is cut off, as much as there is."""
    if not compression_type:
        return bytes
    if compression_type == "ZSTD":
        raise UnimplementedError(
            None, None, "[decode_compressed] ZSTD has no kernel here. Compress with ZLIB or GZIP."
        )
    if compression_type not in _WINDOWS:
        raise invalid_argument("Only ZLIB, ZSTD, GZIP or NONE are supported compressions")
    window = _WINDOWS[compression_type]
    return changed(bytes, lambda text: _inflated(text, window))


def _inflated(text: bytes, window: int) -> bytes:
    parts = []
    while text:
        stream = zlib.decompressobj(window)
        try:
            parts.append(stream.decompress(text))
        except zlib.error as error:
            raise DataLossError(None, None, _inflate_text(error)) from None
        # Only gzip's format holds several parts; behind zlib's, TensorFlow does not look.
        text = stream.unused_data if window > zlib.MAX_WBITS else b""
    return b"".join(parts)


def _inflate_text(error: zlib.error) -> str:
    """TensorFlow's text for zlib's "Error -3 while decompressing data: why"."""
    found = re.match(r"Error (-?\d+) while .*?: (.*)", str(error))
    return f"inflate() failed with error {found[1]}: {found[2]}" if found else str(error)


DECODE_COMPRESSED = op(
    "DecodeCompressed", "bytes: string -> output: string", decode_compressed_kernel, infer.same,
    device_types=CPU_ONLY,
)  # fmt: skip


def decode_raw(
    input_bytes: TensorLike,
    out_type: DTypeLike,
    little_endian: bool = True,
    fixed_length: Any = None,
    name: str | None = None,
) -> Tensor:
    """Returns the bytes of strings as numbers (`tf.io.decode_raw`).

    Args:
        input_bytes: strings, all of one length in bytes unless `fixed_length` is given.
        out_type: the dtype of the numbers.
        little_endian: whether their lowest byte comes first.
        fixed_length: bytes to take of each string; shorter ones are filled up with zeros.
        name: a name in graphs.

    Returns:
        A tensor of the shape of `input_bytes` with one more dimension.

    Raises:
        InvalidArgumentError: the lengths differ, or are no multiple of the size of `out_type`;
            or `out_type` is none of those that can be read.

    >>> decode_raw(b"\\x01\\x00\\x02\\x00", dtypes.int16).numpy().tolist()
    [1, 2]
    """
    attrs = {"out_type": dtypes.as_dtype(out_type), "little_endian": bool(little_endian)}
    texts = as_texts(input_bytes)
    if fixed_length is None:
        return apply(DECODE_RAW, (texts,), attrs)
    length = one_int(fixed_length, "k must be scalar, got shape {shape}")
    return apply(DECODE_PADDED_RAW, (texts,), {"fixed_length": length, **attrs})


def decode_raw_v1(
    input_bytes: TensorLike | None = None, out_type: Any = None, little_endian: bool = True,
    name: str | None = None, bytes: Any = None,
) -> Tensor:  # fmt: skip
    """Does as `decode_raw`, with the arguments of `tf.compat.v1.decode_raw`.

    Raises:
        ValueError: the strings are given twice or not at all, or `out_type` is missing.

    >>> decode_raw_v1(bytes="a", out_type=dtypes.uint8).numpy().tolist()
    [97]
    """
    if input_bytes is not None and bytes is not None:
        raise ValueError("Cannot specify both 'bytes' and 'input_bytes'.")
    given = bytes if input_bytes is None else input_bytes
    for what, value in (("out_type", out_type), ("input_bytes", given)):
        if value is None:
            raise ValueError(f"decode_raw_v1() missing 1 positional argument: '{what}'")
    return decode_raw(given, out_type, little_endian)


def encode_base64(input: TensorLike, pad: bool = False, name: str | None = None) -> Tensor:
    """Strings in base 64, with `-` and `_` for `+` and `/` (`tf.io.encode_base64`).

    Args:
        input: strings.
        pad: whether to fill up with `=` to a multiple of four.
        name: a name in graphs.

    >>> encode_base64("a", pad=True).numpy()
    b'YQ=='
    """
    return apply(ENCODE_BASE64, (as_texts(input),), {"pad": bool(pad)})


def decode_base64(input: TensorLike, name: str | None = None) -> Tensor:
    """What strings in base 64 stand for, padded or not (`tf.io.decode_base64`).

    Raises:
        InvalidArgumentError: a string is not in base 64 with `-` and `_`.

    >>> decode_base64("YQ").numpy()
    b'a'
    """
    return apply(DECODE_BASE64, (as_texts(input),))


def decode_compressed(bytes: Any, compression_type: str = "", name: str | None = None) -> Tensor:
    """Compressed strings as they were (`tf.io.decode_compressed`).

    Args:
        bytes: strings.
        compression_type: "ZLIB", "GZIP", or "" for what is not compressed.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: there is no such compression.
        UnimplementedError: "ZSTD", which has no kernel.
        DataLossError: a string is not in that format.

    >>> decode_compressed(zlib.compress(b"hello"), "ZLIB").numpy()
    b'hello'
    """
    return apply(DECODE_COMPRESSED, (as_texts(bytes),), {"compression_type": compression_type})
