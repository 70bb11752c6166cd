"""Distributions made of Philox's numbers, the same numbers as TensorFlow's CPU kernels make."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from ...base import dtypes
from ...base.dtypes import DType
from ...codegen.philox import uniforms
from .philox import Words, block, words

_TINY = 1e-7
_TRUNCATED_AT = 2.0
_MANY = 24  # candidates of which four are not near enough once in 10 ** 25 times
_RESERVED = 256  # numbers set aside for each output of a distribution that may reject some
_MANTISSA = {dtypes.float16: 10, dtypes.bfloat16: 7, dtypes.float32: 23}


def _groups(count: int, each: int) -> int:
    return -(-count // each)


def _flat(parts: tuple[torch.Tensor, ...], count: int) -> torch.Tensor:
    return torch.stack(parts, -1).reshape(-1)[:count]


def _unit(word: torch.Tensor, dtype: DType) -> torch.Tensor:
    """A 32-bit number as a float from 0 up to 1, of its low bits."""
    bits = _MANTISSA[dtype]
    kept = (word & (1 << bits) - 1).to(torch.float32)
    return kept.mul_(2.0**-bits)


def _unit_double(high: torch.Tensor, low: torch.Tensor) -> torch.Tensor:
    return ((high & 0xFFFFF) << 32 | low).to(torch.float64).mul_(2.0**-52)


def _joined(w: Words) -> tuple[torch.Tensor, torch.Tensor]:
    """Two 64-bit numbers, as signed ones of the same bits."""
    return w[1] << 32 | w[0], w[3] << 32 | w[2]


def uniform(key: int, counter: int, count: int, dtype: DType, device: Any) -> torch.Tensor:
    """Floats from 0 up to, not including, 1."""
    if dtype is dtypes.float64:
        w = words(key, counter, _groups(count, 2), device)
        return _flat((_unit_double(w[0], w[1]), _unit_double(w[2], w[3])), count)
    if dtype is dtypes.float32 and torch.device(device).type == "cpu" and isinstance(key, int):
        made = uniforms(key, counter, count)
        if made is not None:
            return made
    w = words(key, counter, _groups(count, 4), device)
    return _flat(tuple(_unit(word, dtype) for word in w), count).to(dtype.torch)


def full_int(key: int, counter: int, count: int, dtype: DType, device: Any) -> torch.Tensor:
    """Integers of all bits."""
    if dtype.size == 8:
        w = words(key, counter, _groups(count, 2), device)
        return _flat(_joined(w), count).view(dtype.torch or torch.int64)
    flat = _flat(words(key, counter, _groups(count, 4), device), count)
    return flat.to(torch.int32).view(dtype.torch or torch.int64)


def uniform_int(
    key: int, counter: int, count: int, dtype: DType, device: Any, low: int, high: int
) -> torch.Tensor:
    """Integers from low up to, not including, high: the rest of a division, as in TensorFlow."""
    if not count:  # the ends may be anything
        return torch.empty(0, dtype=dtype.torch, device=device)
    span = high - low
    if dtype.size == 8:
        numbers = full_int(key, counter, count, dtypes.int64, device)
        return (_unsigned_rest(numbers, span) + low).to(dtype.torch)
    w = words(key, counter, _groups(count, 4), device)
    return (_flat(w, count) % span + low).to(dtype.torch)


def _unsigned_rest(numbers: torch.Tensor, span: int) -> torch.Tensor:
    """The rest of dividing 64 bits, read without a sign, by `span`."""
    if span >= 1 << 63:
        wrapped = span - (1 << 64)
        above = (numbers < 0) & (numbers >= wrapped)
        return torch.where(above, numbers - wrapped, numbers)
    half = numbers >> 1 & (1 << 63) - 1
    rest = half % span
    # number = 2 half + bit; its rest is found without a number above 63 bits.
    doubled = torch.where(rest >= span - rest, rest - (span - rest), rest + rest)
    last = doubled + (numbers & 1)
    return torch.where(last >= span, last - span, last)


def _pair(u: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Two normal numbers of two uniform ones (Box and Muller)."""
    size = u.clamp(min=_TINY).log_().mul_(-2.0).sqrt_()
    angle = v * (2.0 * math.pi)
    return angle.sin() * size, angle.cos() * size


def _normals(w: Words, dtype: DType) -> tuple[torch.Tensor, ...]:
    """The normal numbers of each group: two of float64, four of the others, as float32."""
    if dtype is dtypes.float64:
        return _pair(_unit_double(w[0], w[1]), _unit_double(w[2], w[3]))
    units = [_unit(word, dtypes.float32) for word in w]
    return (*_pair(units[0], units[1]), *_pair(units[2], units[3]))


def normal(key: int, counter: int, count: int, dtype: DType, device: Any) -> torch.Tensor:
    """Floats with mean 0 and deviation 1."""
    each = 2 if dtype is dtypes.float64 else 4
    w = words(key, counter, _groups(count, each), device)
    return _flat(_normals(w, dtype), count).to(dtype.torch)


def truncated_normal(key: int, counter: int, count: int, dtype: DType, device: Any) -> torch.Tensor:
    """The same, where those that are 2 or farther from 0 are drawn again.

    Each group of results has counters of its own, in which it takes what is near enough.
    """
    each = 2 if dtype is dtypes.float64 else 4
    step = each * _RESERVED // 4
    groups = _groups(count, each)

    def candidates(place: int) -> torch.Tensor:
        w = words(key, counter + place, groups, device, step)
        return torch.stack(_normals(w, dtype), -1)

    near = _near(candidates, each, groups, torch.device(device))
    return near.reshape(-1)[:count].to(dtype.torch)


def _near(
    candidates: Callable[[int], torch.Tensor], each: int, groups: int, device: torch.device
) -> torch.Tensor:
    """The first `each` candidates of every group that are near enough. A GPU makes so many of
    them at once that nobody need look whether they are enough.
    """
    tried, place = [], 0
    if device.type != "cpu":
        return _first_near(torch.cat([candidates(i) for i in range(_MANY // each)], -1), each)
    while True:
        tried += [candidates(place), candidates(place + 1)]
        place += 2
        numbers = torch.cat(tried, -1)
        near = numbers.abs() < _TRUNCATED_AT
        if groups == 0 or bool((near.sum(-1) >= each).all()):
            return _first_near(numbers, each)


def _first_near(numbers: torch.Tensor, each: int) -> torch.Tensor:
    near = numbers.abs() < _TRUNCATED_AT
    order = torch.argsort((~near).to(torch.int8), dim=-1, stable=True)[..., :each]
    return torch.take_along_dim(numbers, order, -1)


def order(key: int, counter: int, count: int) -> list[int]:
    """A random order of `count` places: each place is swapped with one behind it or itself."""
    flat = _flat(words(key, counter, _groups(count, 4)), max(count - 1, 0)).tolist()
    places = list(range(count))
    for i, number in enumerate(flat):
        other = i + number % (count - i)
        places[i], places[other] = places[other], places[i]
    return places


def generator(key: int, counter: int) -> torch.Generator:
    """A generator of torch's on the host, for distributions that are not TensorFlow's."""
    a, b, _, _ = block(key, counter)
    return torch.Generator().manual_seed(a | (b & 0x7FFFFFFF) << 32)
