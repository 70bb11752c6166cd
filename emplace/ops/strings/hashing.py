"""Hashes of strings, bit for bit those of TensorFlow: FarmHash, SipHash and MurmurHash.

All three are public algorithms. Models keep what their hashes said, so they may never change.
Strings of up to 64 bytes are hashed together with NumPy, whose uint64 wraps as C's does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.typing import TensorLike
from ...core.tensor import Tensor, torch_to_numpy
from .. import infer
from ..arguments import known_int
from ..convert import to_tensor
from ..infer import Spec, shape_only
from ..op import CPU_ONLY, apply, op
from .basic import as_texts

_ALL = 0xFFFFFFFFFFFFFFFF
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F

Words = Any  # np.ndarray of uint64


def _u(number: int) -> Any:
    return np.uint64(number & _ALL)


def _rotate(value: Words, count: int) -> Words:
    return (value >> _u(count)) | (value << _u(64 - count))


def _mix(value: Words) -> Words:
    return value ^ (value >> _u(47))


def _hash16(u: Words, v: Words, mul: Words) -> Words:
    a = _mix((u ^ v) * mul)
    return _mix((v ^ a) * mul) * mul


class _Texts:
    """Strings of one range of lengths, as rows of 64 bytes."""

    def __init__(self, texts: list[bytes], sizes: Any) -> None:
        padded = np.array(texts, "S64")
        self._bytes = padded.view(np.uint8).reshape(len(texts), 64)
        self._rows = np.arange(len(texts))[:, None]
        self._sizes = sizes
        self.size = sizes.astype(np.uint64)

    def word(self, start: int, from_end: bool = False, size: int = 8) -> Words:
        """The little-endian number of `size` bytes at a place."""
        begin = self._sizes + start if from_end else np.full(len(self._sizes), start)
        chosen = self._bytes[self._rows, begin[:, None] + np.arange(size)]
        kind = "<u8" if size == 8 else "<u4"
        return np.ascontiguousarray(chosen).view(kind).reshape(-1).astype(np.uint64)

    def byte(self, places: Any) -> Words:
        """One byte of each string."""
        return self._bytes[self._rows[:, 0], places].astype(np.uint64)


def _farm_1_to_3(texts: _Texts) -> Words:
    sizes = texts._sizes
    y = texts.byte(0 * sizes) + (texts.byte(sizes >> 1) << _u(8))
    z = texts.size + (texts.byte(sizes - 1) << _u(2))
    return _mix(y * _u(_K2) ^ z * _u(_K0)) * _u(_K2)


def _farm_4_to_7(texts: _Texts) -> Words:
    mul = _u(_K2) + texts.size * _u(2)
    a = texts.word(0, size=4)
    return _hash16(texts.size + (a << _u(3)), texts.word(-4, True, 4), mul)


def _farm_8_to_16(texts: _Texts) -> Words:
    mul = _u(_K2) + texts.size * _u(2)
    a = texts.word(0) + _u(_K2)
    b = texts.word(-8, True)
    return _hash16(_rotate(b, 37) * mul + a, (_rotate(a, 25) + b) * mul, mul)


def _farm_17_to_32(texts: _Texts) -> Words:
    mul = _u(_K2) + texts.size * _u(2)
    a, b = texts.word(0) * _u(_K1), texts.word(8)
    c, d = texts.word(-8, True) * mul, texts.word(-16, True) * _u(_K2)
    first = _rotate(a + b, 43) + _rotate(c, 30) + d
    return _hash16(first, a + _rotate(b + _u(_K2), 18) + c, mul)


def _farm_33_to_64(texts: _Texts) -> Words:
    mul = _u(_K2) + texts.size * _u(2)
    a, b = texts.word(0) * _u(_K2), texts.word(8)
    c, d = texts.word(-8, True) * mul, texts.word(-16, True) * _u(_K2)
    y = _rotate(a + b, 43) + _rotate(c, 30) + d
    z = _hash16(y, a + _rotate(b + _u(_K2), 18) + c, mul)
    e, f = texts.word(16) * mul, texts.word(24)
    g, h = (y + texts.word(-32, True)) * mul, (z + texts.word(-24, True)) * mul
    first = _rotate(e + f, 43) + _rotate(g, 30) + h
    return _hash16(first, e + _rotate(f + a, 18) + g, mul)


_CLASSES: tuple[tuple[int, int, Callable[[_Texts], Words]], ...] = (
    (1, 3, _farm_1_to_3),
    (4, 7, _farm_4_to_7),
    (8, 16, _farm_8_to_16),
    (17, 32, _farm_17_to_32),
    (33, 64, _farm_33_to_64),
)


def fingerprints(texts: list[bytes]) -> Words:
    """FarmHash Fingerprint64 of each string."""
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    result = np.full(len(texts), _K2, np.uint64)  # the hash of the empty string
    for low, high, hash_class in _CLASSES:
        places = np.flatnonzero((sizes >= low) & (sizes <= high))
        if places.size:
            result[places] = hash_class(_Texts([texts[i] for i in places], sizes[places]))
    for i in np.flatnonzero(sizes > 64):
        result[i] = _farm_long(texts[i])
    return result


def _ror(value: int, count: int) -> int:
    value &= _ALL
    return (value >> count | value << (64 - count)) & _ALL


def _int_hash16(u: int, v: int, mul: int) -> int:
    a = ((u ^ v) * mul) & _ALL
    a ^= a >> 47
    b = ((v ^ a) * mul) & _ALL
    return ((b ^ b >> 47) * mul) & _ALL


def _farm_long(text: bytes) -> int:
    """Fingerprint64 of a string of more than 64 bytes."""
    size = len(text)

    def word(place: int) -> int:
        return int.from_bytes(text[place : place + 8], "little")

    seed = 81
    y = (seed * _K1 + 113) & _ALL
    z = (y * _K2 + 113) & _ALL
    z = ((z ^ z >> 47) * _K2) & _ALL
    v, w = (0, 0), (0, 0)
    x = (seed * _K2 + word(0)) & _ALL

    def weak(place: int, a: int, b: int) -> tuple[int, int]:
        z = word(place + 24)
        a = (a + word(place)) & _ALL
        b = _ror(b + a + z, 21)
        c = a
        a = (a + word(place + 8) + word(place + 16)) & _ALL
        return (a + z) & _ALL, (b + _ror(a, 44) + c) & _ALL

    def step(place: int, mul: int, nine: int) -> None:
        nonlocal x, y, z, v, w
        x = _ror(x + y + v[0] + word(place + 8), 37) * mul & _ALL
        y = _ror(y + v[1] + word(place + 48), 42) * mul & _ALL
        x ^= w[1] * nine & _ALL
        y = (y + v[0] * nine + word(place + 40)) & _ALL
        z = _ror(z + w[0], 33) * mul & _ALL
        v = weak(place, v[1] * mul, x + w[0])
        w = weak(place + 32, z + w[1], y + word(place + 16))
        z, x = x, z

    end = (size - 1) // 64 * 64
    for place in range(0, end, 64):
        step(place, _K1, 1)
    mul = (_K1 + ((z & 0xFF) << 1)) & _ALL
    tail = (size - 1) & 63
    w = ((w[0] + tail) & _ALL, w[1])
    v = ((v[0] + w[0]) & _ALL, v[1])
    w = ((w[0] + v[0]) & _ALL, w[1])
    step(end + tail - 63, mul, 9)
    mixed = ((y ^ y >> 47) * _K0) & _ALL
    return _int_hash16(
        (_int_hash16(v[0], w[0], mul) + mixed + z) & _ALL,
        (_int_hash16(v[1], w[1], mul) + x) & _ALL,
        mul,
    )


def siphashes(texts: list[bytes], key: tuple[int, int]) -> Words:
    """SipHash-2-4 of each string with a key of two words; those of as many words at once."""
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    result = np.zeros(len(texts), np.uint64)
    for count in np.unique(sizes // 8):
        places = np.flatnonzero(sizes // 8 == count)
        width = int(count) * 8 + 8
        ends = [text.ljust(width - 1, b"\0") + bytes([len(text) & 255]) for text in
                (texts[i] for i in places)]  # fmt: skip
        words = np.frombuffer(b"".join(ends), "<u8").reshape(len(ends), -1).astype(np.uint64)
        result[places] = _sip(words, key)
    return result


def _sip(words: Words, key: tuple[int, int]) -> Words:
    rows = len(words)
    start = (key[0] ^ 0x736F6D6570736575, key[1] ^ 0x646F72616E646F6D,
             key[0] ^ 0x6C7967656E657261, key[1] ^ 0x7465646279746573)  # fmt: skip
    v0, v1, v2, v3 = (np.full(rows, _u(each), np.uint64) for each in start)
    for column in words.T:
        v0, v1, v2, v3 = _sip_rounds(v0, v1, v2, v3 ^ column, 2)
        v0 = v0 ^ column
    v0, v1, v2, v3 = _sip_rounds(v0, v1, v2 ^ _u(0xFF), v3, 4)
    return v0 ^ v1 ^ v2 ^ v3


def _sip_rounds(v0: Words, v1: Words, v2: Words, v3: Words, count: int) -> tuple[Words, ...]:
    for _ in range(count):
        v0, v2 = v0 + v1, v2 + v3
        v1, v3 = _rotate(v1, 51) ^ v0, _rotate(v3, 48) ^ v2
        v0 = _rotate(v0, 32)
        v2, v0 = v2 + v1, v0 + v3
        v1, v3 = _rotate(v1, 47) ^ v2, _rotate(v3, 43) ^ v0
        v2 = _rotate(v2, 32)
    return v0, v1, v2, v3


_MURMUR, _SEED = 0xC6A4A7935BD1E995, 0xDECAFCAFFE


def murmur(text: bytes) -> int:
    """MurmurHash64A with TensorFlow's seed: what `to_hash_bucket` uses."""
    size = len(text)
    result = _SEED ^ (size * _MURMUR & _ALL)
    whole = size - size % 8
    for place in range(0, whole, 8):
        word = int.from_bytes(text[place : place + 8], "little") * _MURMUR & _ALL
        word = (word ^ word >> 47) * _MURMUR & _ALL
        result = (result ^ word) * _MURMUR & _ALL
    if size % 8:
        result = (result ^ int.from_bytes(text[whole:], "little")) * _MURMUR & _ALL
    result = (result ^ result >> 47) * _MURMUR & _ALL
    return result ^ result >> 47


def _check_buckets(op_name: str, num_buckets: int) -> None:
    if num_buckets < 1:
        raise invalid_argument(
            f"Value for attr 'num_buckets' of {num_buckets} must be at least minimum 1\n\t; "
            f"NodeDef: {{{{node {op_name}}}}} [Op:{op_name}] name: "
        )


def _buckets(hashes: Words, num_buckets: int, shape: Sequence[Any]) -> torch.Tensor:
    return torch.from_numpy((hashes % _u(num_buckets)).astype(np.int64)).reshape(shape)


def fast_kernel(input: np.ndarray[Any, Any], *, num_buckets: int) -> torch.Tensor:
    """FarmHash modulo the number of buckets."""
    _check_buckets("StringToHashBucketFast", num_buckets)
    return _buckets(fingerprints(input.reshape(-1).tolist()), num_buckets, input.shape)


def strong_kernel(
    input: np.ndarray[Any, Any], *, num_buckets: int, key: tuple[int, ...]
) -> torch.Tensor:
    """SipHash modulo the number of buckets."""
    _check_buckets("StringToHashBucketStrong", num_buckets)
    if len(key) != 2:
        raise invalid_argument("Key must have 2 elements")
    hashes = siphashes(input.reshape(-1).tolist(), (key[0], key[1]))
    return _buckets(hashes, num_buckets, input.shape)


def plain_kernel(string_tensor: np.ndarray[Any, Any], *, num_buckets: int) -> torch.Tensor:
    """MurmurHash modulo the number of buckets."""
    _check_buckets("StringToHashBucket", num_buckets)
    hashes = np.array([murmur(text) for text in string_tensor.reshape(-1).tolist()], np.uint64)
    return _buckets(hashes, num_buckets, string_tensor.shape)


_INT64 = infer.as_type(dtypes.int64)
HASH_FAST = op(
    "StringToHashBucketFast",
    "input: string -> output: int64",
    fast_kernel,
    _INT64,
    device_types=CPU_ONLY,
)
HASH_STRONG = op(
    "StringToHashBucketStrong", "input: string -> output: int64", strong_kernel, _INT64,
    device_types=CPU_ONLY,
)  # fmt: skip
HASH = op(
    "StringToHashBucket", "string_tensor: string -> output: int64", plain_kernel, _INT64,
    device_types=CPU_ONLY,
)  # fmt: skip


def to_hash_bucket(input: TensorLike, num_buckets: int, name: str | None = None) -> Tensor:
    """A bucket for each string (`tf.strings.to_hash_bucket`).

    >>> int(to_hash_bucket("a", 10))
    8
    """
    return apply(HASH, (as_texts(input),), {"num_buckets": known_int(num_buckets)})


def to_hash_bucket_fast(input: TensorLike, num_buckets: int, name: str | None = None) -> Tensor:
    """A bucket for each string, the same everywhere (`tf.strings.to_hash_bucket_fast`).

    >>> int(to_hash_bucket_fast("a", 10))
    9
    """
    return apply(HASH_FAST, (as_texts(input),), {"num_buckets": known_int(num_buckets)})


def to_hash_bucket_strong(
    input: TensorLike, num_buckets: int, key: TensorLike, name: str | None = None
) -> Tensor:
    """Returns a bucket that nobody can foresee without the key
    (`tf.strings.to_hash_bucket_strong`).

    Args:
        input: strings.
        num_buckets: how many buckets, at least 1.
        key: two integers.
        name: a name in graphs.

    >>> int(to_hash_bucket_strong("a", 10, [1, 2]))
    6
    """
    if not isinstance(key, (list, tuple)):
        raise TypeError(
            f"Expected list for 'key' argument to 'string_to_hash_bucket_strong' Op, not {key!r}."
        )
    attrs = {"num_buckets": num_buckets, "key": tuple(int(each) for each in key)}
    return apply(HASH_STRONG, (as_texts(input),), attrs)


def fingerprint_kernel(data: Any, method: Any) -> torch.Tensor:
    """8 bytes of a hash per row, of its bytes; of strings, of the hashes of each."""
    name = np.asarray(method).item()
    if name != b"farmhash64":
        raise invalid_argument(f"Unsupported fingerprint method: {name.decode()}")
    _fingerprint_spec(shape_only(data), shape_only(method))
    if isinstance(data, torch.Tensor):
        rows = [np.ascontiguousarray(row).tobytes() for row in torch_to_numpy(data)]
        return _hash_bytes(rows)
    made = _hash_bytes(data.reshape(-1).tolist())
    if len(made) == len(data):
        return made
    row_bytes = made.reshape(len(data), -1).numpy()
    return _hash_bytes([row.tobytes() for row in row_bytes])


def _hash_bytes(texts: list[bytes]) -> torch.Tensor:
    found = fingerprints(texts).astype("<u8").view(np.uint8)
    return torch.from_numpy(found.reshape(len(texts), 8))


def _fingerprint_spec(data: Spec, method: Spec) -> Spec:
    if data.dims == ():
        raise invalid_argument("`data` should have at least one dimension: []")
    return Spec((None if data.dims is None else data.dims[0], 8), dtypes.uint8)


FINGERPRINT = op(
    "Fingerprint", "data: T, method: string -> fingerprint: uint8", fingerprint_kernel,
    _fingerprint_spec, device_types=CPU_ONLY, T=dtypes.ANY,
)  # fmt: skip


def fingerprint(
    data: TensorLike, method: TensorLike = "farmhash64", name: str | None = None
) -> Tensor:
    """Returns a hash of each row (`tf.fingerprint`).

    Args:
        data: a tensor of any type with at least one axis; its first axis counts rows.
        method: "farmhash64", the only one.
        name: a name in graphs.

    Returns:
        uint8, shape (rows, 8).

    Raises:
        InvalidArgumentError: the method is another, or `data` is a scalar.

    >>> fingerprint([[1, 2], [3, 4]]).shape
    TensorShape([2, 8])
    """
    return apply(FINGERPRINT, (to_tensor(data), to_tensor(method)))
