"""Integers drawn from distributions over a range, the same as TensorFlow's for a seed.

TensorFlow takes the words of its generator one after the other, as many as a draw needs. A draw
here takes them in bulk; where a word is thrown away, what follows moves up.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...base.errors import invalid_argument
from ..io.paths import local, system_errors
from ..random.philox import BITS128, words

Array = np.ndarray[Any, Any]
_MOST = {32: 2**32 - 1, 64: 2**64 - 1}
_F32 = np.float32


class Stream:
    """The generator's words of 32 bits, in order, as unsigned numbers of 64."""

    def __init__(self, key: int, counter: int) -> None:
        self._key, self._counter = key, counter
        self._left = np.empty(0, np.uint64)

    def take(self, count: int) -> Array:
        """The next words."""
        missing = count - len(self._left)
        if missing > 0:
            blocks = -(-missing // 4)
            made = words(self._key, self._counter, blocks)
            fresh = np.stack([each.numpy() for each in made], 1).reshape(-1).astype(np.uint64)
            self._counter = self._counter + blocks & BITS128
            self._left = np.concatenate([self._left, fresh])
        taken, self._left = self._left[:count], self._left[count:]
        return taken

    def give_back(self, unused: Array) -> None:
        """Words that were taken too early."""
        self._left = np.concatenate([unused, self._left])


Draw = Callable[[Stream, int], Array]


class Sampler(NamedTuple):
    """A distribution over 0, 1 ... `size` - 1.

    `draw` gives so many numbers; `probability` their chances as float32; `possible` is how many
    numbers can come at all.
    """

    size: int
    draw: Draw
    probability: Callable[[Array], Array]
    possible: int


def _least(size: int, bits: int) -> int | None:
    """Words below this are thrown away, so that all remainders are alike; None for powers of 2."""
    return None if size & (size - 1) == 0 else _MOST[bits] % size + 1


def _below(size: int, bits: int, take: Callable[[int], Array], count: int) -> Array:
    """Words as numbers below `size`."""
    least = _least(size, bits)
    found = take(count)
    if least is None:
        found &= np.uint64(size - 1)
        return found
    found = found[found >= np.uint64(least)]
    while len(found) < count:
        fresh = take(count - len(found))
        found = np.concatenate([found, fresh[fresh >= np.uint64(least)]])
    remainders: Array = found % np.uint64(size)
    return remainders


def _pairs(stream: Stream, count: int) -> Array:
    """Words of 64 bits, the lower half first."""
    taken = stream.take(2 * count)
    pairs: Array = taken[0::2] | taken[1::2] << np.uint64(32)
    return pairs


def uniform(size: int) -> Sampler:
    """All numbers alike."""

    def draw(stream: Stream, count: int) -> Array:
        return _below(size, 64, functools.partial(_pairs, stream), count).astype(np.int64)

    def probability(values: Array) -> Array:
        return np.full(values.shape, 1.0 / size, _F32)

    return Sampler(size, draw, probability, size)


def log_uniform(size: int) -> Sampler:
    """Small numbers more often: as words of a language, sorted by how frequent they are."""
    span = np.log1p(size)

    def draw(stream: Stream, count: int) -> Array:
        taken = stream.take(2 * count)
        bits = (taken[0::2] & np.uint64(0xFFFFF)) << np.uint64(32) | taken[1::2]
        found: Array = (np.exp(bits * 2.0**-52 * span).astype(np.int64) - 1) % size
        return found

    def probability(values: Array) -> Array:
        found: Array = (np.log((values + 2.0) / (values + 1.0)) / span).astype(_F32)
        return found

    return Sampler(size, draw, probability, size)


def learned(weights: Array) -> Sampler:
    """As often as `weights`, counts of what was seen, say."""
    ends = np.cumsum(weights)
    total = int(ends[-1])

    def draw(stream: Stream, count: int) -> Array:
        return np.searchsorted(ends, _below(total, 32, stream.take, count), "right")

    def probability(values: Array) -> Array:
        return weights[values].astype(_F32) / _F32(total)

    return Sampler(len(weights), draw, probability, len(weights))


def fixed(weights: Array) -> Sampler:
    """As often as float32 weights, by the alias method: a place, and a coin that may say to take
    its neighbour instead.
    """
    stay, other = _aliases(weights)
    size = len(weights)
    total = _F32(0)
    for weight in weights:  # TF: a running sum of float32
        total += weight

    def draw(stream: Stream, count: int) -> Array:
        taken = stream.take(2 * count)
        coins, places = taken[0::2], taken[1::2]
        least = _least(size, 32)
        bad = np.flatnonzero(places < np.uint64(least or 0))
        if len(bad):  # the coin is kept, the next word is the place
            first = int(bad[0])
            stream.give_back(np.concatenate([coins[first : first + 1], taken[2 * first + 2 :]]))
            rest = draw(stream, count - first)
            return np.concatenate([_tossed(coins[:first], places[:first]), rest])
        return _tossed(coins, places)

    def _tossed(coins: Array, places: Array) -> Array:
        at = (places % np.uint64(size)).astype(np.int64)
        toss = (coins & np.uint64(0x7FFFFF)).astype(_F32) * _F32(2.0**-23)
        return np.where(toss < stay[at], at, other[at])

    def probability(values: Array) -> Array:
        return weights[values] / total

    return Sampler(size, draw, probability, int(np.count_nonzero(weights)))


def _aliases(weights: Array) -> tuple[Array, Array]:
    """The chance that each place stands for itself, and what it stands for otherwise."""
    chances = (weights * _F32(len(weights))).astype(np.float64)
    chances /= weights.astype(np.float64).sum()
    other = np.arange(len(weights))
    stay = chances.copy()
    low = [i for i, chance in enumerate(chances) if chance < 1.0]
    high = [i for i, chance in enumerate(chances) if chance >= 1.0]
    while low and high:
        small, large = low.pop(), high.pop()
        other[small] = large
        stay[large] -= 1.0 - stay[small]
        (low if stay[large] < 1.0 else high).append(large)
    stay[low + high] = 1.0
    return stay.astype(_F32), other


@functools.lru_cache(16)
def of_unigrams(
    size: int,
    unigrams: tuple[float, ...],
    distortion: float,
    reserved: int,
    shards: int,
    shard: int,
) -> Sampler:
    """The sampler of given weights.

    Raises:
        InvalidArgumentError: there are more or fewer than `size` of them.
    """
    free = [0.0 for i in range(reserved) if i % shards == shard]
    given = [w for i, w in enumerate(unigrams, len(free)) if i % shards == shard]
    raised = np.power(np.array(given, _F32), _F32(distortion))
    weights = np.concatenate([np.zeros(len(free), _F32), raised])
    if len(weights) != size:
        raise invalid_argument(f"range is {size} must be equal to weights size  {len(weights)}")
    return fixed(weights)


@functools.lru_cache(16)
def weights_of_file(path: str) -> tuple[float, ...]:
    """The last column of each line of a file.

    Raises:
        InvalidArgumentError: one is no number.
        NotFoundError: there is no such file.
    """
    with system_errors(path), open(local(path), encoding="utf-8") as file:
        return tuple(_weight(line.rstrip("\n")) for line in file)


def _weight(line: str) -> float:
    try:
        return float(line.rsplit(",", 1)[-1])
    except ValueError:
        raise invalid_argument(f"Wrong vocabulary format at line: {line}") from None


def distinct(draw: Draw, stream: Stream, count: int) -> tuple[Array, int]:
    """The first so many different numbers, and how many had to be drawn for them."""
    drawn = draw(stream, 2 * count)
    while True:
        places = np.sort(np.unique(drawn, return_index=True)[1])
        if len(places) >= count:
            return drawn[places[:count]], int(places[count - 1]) + 1
        drawn = np.concatenate([drawn, draw(stream, len(drawn))])


def expected(chances: Array, count: int, tries: int) -> Array:
    """How often numbers of these chances are expected, after so many draws of `count` numbers."""
    if tries == count:
        return chances * _F32(count)
    found: Array = -np.expm1(_F32(tries) * np.log1p(-chances))
    return found


def checked_unigrams(vocab_file: str, unigrams: Sequence[float]) -> tuple[float, ...]:
    """The weights, from wherever they come.

    Raises:
        InvalidArgumentError: from nowhere, or from both.
    """
    if not vocab_file and not unigrams:
        raise invalid_argument("Must provide either vocab_file or unigrams.")
    if vocab_file and unigrams:
        raise invalid_argument("Must only provide one of vocab_file and unigrams.")
    return weights_of_file(vocab_file) if vocab_file else tuple(unigrams)
