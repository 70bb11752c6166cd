"""Philox 4x32-10, the counter-based generator behind TensorFlow's random numbers.

A 64-bit key and a 128-bit counter give four 32-bit numbers; the next counter gives the next four.
The numbers depend on nothing else, so every device makes the same. They are kept in int64
tensors, 32 bits in each, because torch multiplies and shifts only signed integers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

Array = np.ndarray[Any, Any]
Words = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]

_LOW = 0xFFFFFFFF
_FIRST, _SECOND = 0xD2511F53, 0xCD9E8D57
_WEYL = 0x9E3779B9, 0xBB67AE85
_ROUNDS = 10
_PIECE = 8192
_LOW64, _HALF = np.uint64(_LOW), np.uint64(32)
_SCRAMBLE = 0x3EC8F720 | 0x02461E29 << 32  # TensorFlow's key for turning seeds into keys
BITS64, BITS128 = (1 << 64) - 1, (1 << 128) - 1


def words(
    key: int | torch.Tensor, counter: int, count: int, device: Any = "cpu", step: int = 1
) -> Words:
    """The four numbers of each of `count` counters, from `counter` on by `step`. The key may be
    what `words_of_seed` returns.
    """
    if isinstance(key, torch.Tensor):
        return _of_words(key, counter, count, step)
    room = ((1 << 64) - (counter & BITS64) + step - 1) // step
    if room < count:  # the lower half of the counter runs over
        first = words(key, counter, room, device, step)
        rest = words(key, counter + room * step & BITS128, count - room, device, step)
        a, b, c, d = (torch.cat(both) for both in zip(first, rest, strict=True))
        return a, b, c, d
    if torch.device(device).type == "cpu":
        return _on_host(key, counter, count, step)
    places = torch.arange(count, dtype=torch.int64, device=device) * step + (counter & _LOW)
    high = (places >> 32) + (counter >> 32 & _LOW)
    upper = (torch.full_like(places, counter >> shift & _LOW) for shift in (64, 96))
    return _rounds(key, places & _LOW, high & _LOW, *upper)


def _rounds(
    key: int, x0: torch.Tensor, x1: torch.Tensor, x2: torch.Tensor, x3: torch.Tensor
) -> Words:
    """Ten rounds. Products wrap around in 64 bits, which keeps every bit of them."""
    k0, k1 = key & _LOW, key >> 32 & _LOW
    for _ in range(_ROUNDS):
        first, second = x0 * _FIRST, x2 * _SECOND
        x0 = (second >> 32).bitwise_and_(_LOW).bitwise_xor_(x1).bitwise_xor_(k0)
        x2 = (first >> 32).bitwise_and_(_LOW).bitwise_xor_(x3).bitwise_xor_(k1)
        x1, x3 = second.bitwise_and_(_LOW), first.bitwise_and_(_LOW)
        k0, k1 = k0 + _WEYL[0] & _LOW, k1 + _WEYL[1] & _LOW
    return x0, x1, x2, x3


def words_of_seed(seed: torch.Tensor) -> torch.Tensor:
    """What `key_and_counter` makes of a seed, on its device and without a look at it: the key's
    two words and the upper two of the counter, whose lower half is 0.
    """
    first = seed.to(torch.int64)
    numbers = torch.stack((first & _LOW, first >> 32 & _LOW))
    both = _SCRAMBLE & _LOW, _SCRAMBLE >> 32
    even, odd = _paired_rounds(numbers[0, :, None], numbers[1, :, None], torch.stack(
        [torch.full_like(first[0], k) for k in both]))  # fmt: skip
    return torch.stack((even[0, 0], odd[0, 0], even[1, 0], odd[1, 0]))


def _of_words(key: torch.Tensor, counter: int, count: int, step: int) -> Words:
    places = torch.arange(count, dtype=torch.int64, device=key.device) * step + counter
    upper = key[2:, None].expand(2, count)
    even, odd = _paired_rounds(
        torch.stack((places & _LOW, upper[0])), torch.stack((places >> 32, upper[1])), key[:2]
    )
    return even[0], odd[0], even[1], odd[1]


def _paired_rounds(
    even: torch.Tensor, odd: torch.Tensor, key: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Ten rounds of numbers 0 and 2, and 1 and 3, by a key that only the device knows: both halves
    of a round at once, which takes half as many kernels.
    """
    which = torch.arange(2, dtype=torch.int64, device=key.device)
    factors = (_FIRST + which * (_SECOND - _FIRST))[:, None]
    weyl = (_WEYL[0] + which * (_WEYL[1] - _WEYL[0]))[:, None]
    rounds = torch.arange(_ROUNDS, dtype=torch.int64, device=key.device)
    keys = (key[:, None] + rounds * weyl).bitwise_and_(_LOW)
    for i in range(_ROUNDS):
        products = (even * factors).flip(0)
        even = (products >> 32).bitwise_and_(_LOW).bitwise_xor_(odd)
        even = even.bitwise_xor_(keys[:, i, None])
        odd = products.bitwise_and_(_LOW)
    return even, odd


def _on_host(key: int, counter: int, count: int, step: int) -> Words:
    """The same by NumPy, three times faster on a CPU, in pieces that stay in its cache."""
    made = torch.empty((4, count), dtype=torch.int64).numpy().view(np.uint64)
    places = np.arange(min(count, _PIECE), dtype=np.uint64) * np.uint64(step)
    for start in range(0, count, _PIECE):
        piece = made[:, start : start + _PIECE]
        low = places[: piece.shape[1]] + np.uint64(counter + start * step & BITS64)
        piece[0], piece[1] = low & _LOW64, low >> _HALF
        piece[2], piece[3] = counter >> 64 & _LOW, counter >> 96 & _LOW
        _host_rounds(key, *piece)
    a, b, c, d = torch.from_numpy(made.view(np.int64)).unbind()
    return a, b, c, d


def _host_rounds(key: int, x0: Array, x1: Array, x2: Array, x3: Array) -> None:
    """Ten rounds in place."""
    first, second = np.empty_like(x0), np.empty_like(x0)
    k0, k1 = key & _LOW, key >> 32 & _LOW
    for _ in range(_ROUNDS):
        np.multiply(x0, np.uint64(_FIRST), out=first)
        np.multiply(x2, np.uint64(_SECOND), out=second)
        for x, product, other, k in ((x0, second, x1, k0), (x2, first, x3, k1)):
            np.right_shift(product, _HALF, out=x)
            np.bitwise_xor(x, other, out=x)
            np.bitwise_xor(x, np.uint64(k), out=x)
        np.bitwise_and(second, _LOW64, out=x1)
        np.bitwise_and(first, _LOW64, out=x3)
        k0, k1 = k0 + _WEYL[0] & _LOW, k1 + _WEYL[1] & _LOW


def words_at(key: int, counter: int, offsets: Array) -> tuple[Array, Array, Array, Array]:
    """The four numbers of each counter at some distance (of 64 bits without a sign) from one."""
    low = offsets + np.uint64(counter & BITS64)
    high = np.uint64(counter >> 64) + (low < offsets).astype(np.uint64)
    x0, x1, x2, x3 = low & _LOW64, low >> _HALF, high & _LOW64, high >> _HALF
    _host_rounds(key, x0, x1, x2, x3)
    return x0, x1, x2, x3


def block(key: int, counter: int) -> tuple[int, int, int, int]:
    """The four numbers of one counter, without tensors."""
    x0, x1, x2, x3 = (counter >> shift & _LOW for shift in (0, 32, 64, 96))
    k0, k1 = key & _LOW, key >> 32 & _LOW
    for _ in range(_ROUNDS):
        first, second = x0 * _FIRST, x2 * _SECOND
        x0, x2 = second >> 32 ^ x1 ^ k0, first >> 32 ^ x3 ^ k1
        x1, x3 = second & _LOW, first & _LOW
        k0, k1 = k0 + _WEYL[0] & _LOW, k1 + _WEYL[1] & _LOW
    return x0, x1, x2, x3


def key_and_counter(first: int, second: int) -> tuple[int, int]:
    """The key and counter that TensorFlow's stateless ops make of a seed of two integers."""
    a, b, c, d = block(_SCRAMBLE, first & BITS64 | (second & BITS64) << 64)
    return a | b << 32, (c | d << 32) << 64


def of_op_seeds(seed: int, seed2: int) -> tuple[int, int]:
    """The key and counter that TensorFlow's stateful ops make of their two seeds."""
    return seed & BITS64, (seed2 & BITS64) << 64
