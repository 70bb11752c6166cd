"""Where one index stands in a permutation that nobody writes down:
`tf.random.experimental.index_shuffle`.

The index is encrypted by SIMON, a block cipher of the NSA ("The SIMON and SPECK Families of
Lightweight Block Ciphers", 2013): of blocks as narrow as the largest index allows, 16 bits at
least, again and again until the result is no larger than that. The numbers are TensorFlow's.
"""

from __future__ import annotations

import functools
import math
from array import array
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ..array.repeating import pad
from ..convert import pair, to_tensor
from ..infer import Spec
from ..op import CPU_ONLY, apply, op

_SEQUENCE = 0x7369F885192C0EF5  # SIMON's constants for the keys of the rounds
_MASK = 0xFFFFFFFC
_LEAST_BITS = 16
_ROUNDS = 4
_MOST_TABLES = 16
_FIRST_SEED = 498247692  # the op wants three numbers, programs give two
_TYPES = (dtypes.int32, dtypes.uint32, dtypes.int64, dtypes.uint64)

Words = Any  # np.ndarray of uint64


def _rotated(x: Words, by: int, bits: Words) -> Words:
    """The lowest `bits` bits of x, turned left by as many."""
    by_left = np.uint64(by)
    full = (np.uint64(1) << bits) - np.uint64(1)
    return ((x << by_left) | (x >> (bits - by_left))) & full


def _mixed(x: Words, bits: Words) -> Words:
    """What a round adds of one half to the other."""
    return (_rotated(x, 1, bits) & _rotated(x, 8, bits)) ^ _rotated(x, 2, bits)


def _round_keys(seed: Words, bits: Words, rounds: int) -> list[Words]:
    """A key per round. `seed` is of shape (n, 3), `bits` of a half block of shape (n,)."""
    full = (np.uint64(1) << bits) - np.uint64(1)
    keys = [seed[:, i] & full for i in range(3)]
    right = {by: bits - np.uint64(by) for by in (3, 4)}
    for i in range(3, rounds):
        bit = np.uint64(_SEQUENCE >> (i - 3) & 1)
        last = keys[-1]
        turned = [((last >> np.uint64(by)) | (last << left)) & full for by, left in right.items()]
        # Beyond 64 rounds the sequence is over, and within narrow halves after as many bits.
        bits_of_sequence = np.where(np.uint64(i - 3) < bits, bit, np.uint64(0))
        keys.append(
            (np.uint64(_MASK) & full) ^ bits_of_sequence ^ keys[i - 3] ^ turned[0] ^ turned[1]
        )
    return keys


def _encrypted(values: Words, keys: list[Words], bits: Words) -> Words:
    full = (np.uint64(1) << bits) - np.uint64(1)
    left, right = (values >> bits) & full, values & full
    for first, second in zip(keys[::2], keys[1::2], strict=True):
        left = left ^ _mixed(right, bits) ^ first
        right = right ^ _mixed(left, bits) ^ second
    return (left << bits) | right


@functools.lru_cache(maxsize=_MOST_TABLES)
def _permutation(first: int, second: int, third: int, rounds: int) -> array[int]:
    """Where a key sends each block of 16 bits. A small largest index is met about every
    65536 / index steps, which are many for encrypting one block at a time.
    """
    bits = np.full(2**_LEAST_BITS, _LEAST_BITS // 2, np.uint64)
    seed = np.broadcast_to(np.array([first, second, third], np.uint64), (len(bits), 3))
    blocks = np.arange(len(bits), dtype=np.uint64)
    encrypted = _encrypted(blocks, _round_keys(seed, bits, rounds), bits)
    return array("H", encrypted.astype(np.uint16).tobytes())


def _walked(table: array[int], index: int, largest: int) -> int:
    index = table[index]
    while index > largest:
        index = table[index]
    return index


def _half_bits(largest: int) -> int:
    """Half the bits of a block that holds `largest`.

    TF: a power of two gets one bit less than it needs, so from 65536 on such a largest index goes
    where 0 goes.
    """
    bits = math.ceil(math.log2(largest)) if largest else 0
    return max(bits + bits % 2, _LEAST_BITS) // 2


def _check(index: Any, seed: Any, max_index: Any, rounds: int) -> None:
    if index.ndim > 1 or max_index.ndim > 1:
        raise invalid_argument("Index bust be a scalar or vector. [Op:RandomIndexShuffle] name: ")
    rows = [value.shape[0] for value in (index, max_index) if value.ndim]
    if len(set(rows)) > 1:
        raise invalid_argument("Index bust be a scalar or vector. [Op:RandomIndexShuffle] name: ")
    many = rows[0] if rows else seed.shape[0] if seed.ndim == 2 else 1
    if 0 in rows:
        raise invalid_argument("Index bust be a scalar or vector. [Op:RandomIndexShuffle] name: ")
    if tuple(seed.shape) not in ((3,), (many, 3)):
        raise invalid_argument(
            f"Seed must be a vector of size [3] or a matrix of size [{many}, 3] but got "
            f"{runtime_text(seed.shape)}. [Op:RandomIndexShuffle] name: "
        )
    if rounds < _ROUNDS or rounds % 2:
        raise invalid_argument(
            f"rounds must be an even number of at least {_ROUNDS}, not {rounds}. "
            "[Op:RandomIndexShuffle] name: "
        )


def _check_values(index: Any, max_index: Any) -> None:
    for at, largest in zip(index.tolist(), max_index.tolist(), strict=True):
        if at < 0:
            raise invalid_argument(f"index must be >= 0 but was {at} [Op:RandomIndexShuffle]")
        if largest < 0:
            raise invalid_argument(
                f"max_index must be >= 0 but was {largest} [Op:RandomIndexShuffle]"
            )
        if largest < at:
            raise invalid_argument(
                f"max_index must be >= index, but {largest} < {at} [Op:RandomIndexShuffle]"
            )


def index_shuffle_kernel(
    index: torch.Tensor, seed: torch.Tensor, max_index: torch.Tensor, *, rounds: int = _ROUNDS
) -> torch.Tensor:
    """The new position of each index."""
    _check(index, seed, max_index, rounds)
    is_scalar = not index.ndim and not max_index.ndim and seed.ndim == 1
    seeds = seed.numpy().astype(np.uint64).reshape(-1, 3)
    many = max(index.ndim and index.shape[0], max_index.ndim and max_index.shape[0], len(seeds))
    places, largest = (np.broadcast_to(t.numpy(), (many,)) for t in (index, max_index))
    _check_values(places, largest)
    seeds = np.broadcast_to(seeds, (many, 3)) & np.uint64(0xFFFFFFFF)
    if many and largest.max() < 2**_LEAST_BITS and len(np.unique(seeds, axis=0)) <= _MOST_TABLES:
        tables = [_permutation(*map(int, key), rounds) for key in seeds]
        found = map(_walked, tables, places.tolist(), largest.tolist())
        made = torch.from_numpy(np.array(list(found), index.numpy().dtype))
        return made[0] if is_scalar else made
    largest = largest.astype(np.uint64)
    sizes, which = np.unique(largest, return_inverse=True)
    bits = np.array([_half_bits(int(size)) for size in sizes], np.uint64)[which]
    values = places.astype(np.uint64)
    keys = _round_keys(seeds, bits, rounds)
    outside = np.arange(many)
    while outside.size:
        values[outside] = _encrypted(values[outside], [k[outside] for k in keys], bits[outside])
        outside = outside[values[outside] > largest[outside]]
    made = torch.from_numpy(values.astype(index.numpy().dtype))
    return made[0] if is_scalar else made


def _spec(index: Spec, seed: Spec, max_index: Spec, *, rounds: int = _ROUNDS) -> Spec:
    for spec in (index, max_index):
        if spec.dims is not None and len(spec.dims) > 1:
            raise ValueError(f"Shape must be at most rank 1 but is rank {len(spec.dims)}")
    if seed.dims is not None and (not 1 <= len(seed.dims) <= 2 or seed.dims[-1] not in (3, None)):
        raise ValueError(f"Seed must have shape [3] or [n, 3] but got {runtime_text(seed.dims)}.")
    if any(spec.dims is None for spec in (index, seed, max_index)):
        return Spec(None, index.dtype)
    rows = [
        dims[0]
        for dims, rank in ((index.dims, 1), (seed.dims, 2), (max_index.dims, 1))
        if dims is not None and len(dims) == rank
    ]
    known = {row for row in rows if row is not None}
    if len(known) > 1:
        raise ValueError(f"Index, seeds and largest index have different lengths: {sorted(known)}")
    if not rows:
        return Spec((), index.dtype)
    return Spec((next(iter(known), None),), index.dtype)


INDEX_SHUFFLE = op(
    "RandomIndexShuffle", "index: T, seed: S, max_index: T -> output: T",
    index_shuffle_kernel, _spec, device_types=CPU_ONLY, T=_TYPES, S=_TYPES,
)  # fmt: skip


def index_shuffle(index: TensorLike, seed: TensorLike, max_index: TensorLike) -> Tensor:
    """Returns the position of an index in a permutation of 0 to max_index
    (`tf.random.experimental.index_shuffle`).

    Args:
        index: integers from 0 to `max_index`: one, or a vector.
        seed: two integers, which choose the permutation, or a row of two for each index.
        max_index: the largest index: one, or a vector.

    Returns:
        Integers of the index's dtype and shape, TensorFlow's own. A row for each where one of the
        arguments has rows.

    Raises:
        InvalidArgumentError: an index is negative or larger than `max_index`.

    >>> index_shuffle([0, 1, 2, 3], seed=[5, 9], max_index=3).numpy().tolist()
    [2, 0, 1, 3]
    """
    places, largest = pair(index, max_index)
    seeds = to_tensor(seed)
    rank = seeds.shape.rank
    edges = [[1, 0]] + [[0, 0]] * ((rank or 1) - 1)
    seeds = pad(seeds, edges, constant_values=_FIRST_SEED)
    return apply(INDEX_SHUFFLE, (places, seeds, largest), {})
