"""The seeds of nodes, which pass of a node it is, and how far random numbers have come."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import torch

from ...core.tensor import Tensor
from ...ops.random.philox import BITS128, block, key_and_counter, of_op_seeds, words
from ...ops.random.stateful import both_seeds, get_seed, host_seeds
from .node import Node, Run, parameter

_LOW = (1 << 64) - 1
_WORDS = 4  # that one counter gives
_CHANCES = 128  # made at once
_HIGH_BITS = (1 << 20) - 1  # of a double's fraction
# Python may collect an unused pass while it is held, which counts then (`IteratorState.__del__`).
_LOCK = threading.RLock()


class LaterSeeds:
    """Seeds of which a graph tells the second one when it runs.

    Args:
        first: that of the graph or the program.
        second: the dataset's own, a scalar tensor of integers.
    """

    __slots__ = ("first", "second")

    def __init__(self, first: int, second: Tensor) -> None:
        self.first, self.second = first, second

    def known(self, run: Run) -> tuple[int, int]:
        """What they are in a run."""
        return of_op_seeds(*both_seeds(self.first, run.number(self.second)))


def given_seeds(seed: Any) -> Any:
    """The seeds of a dataset whose program gave one: a number, or a tensor that tells it now or
    later; None where nobody asked for the same order again.
    """
    own = None if seed is None else parameter(seed)
    if not isinstance(own, Tensor):
        return host_seeds(own)
    return LaterSeeds(get_seed(1)[0] or 0, own)


def needed_for(seeds: Any) -> list[Any]:
    """The tensors that tell the seeds of a node."""
    return [seeds.second] if isinstance(seeds, LaterSeeds) else []


def next_pass(run: Run, node: Node) -> int:
    """The number of a pass, from 0."""
    memory = run.memory(node)
    with _LOCK:
        number: int = memory.get("passes", 0)
        memory["passes"] = number + 1
    return number


def fresh_seeds() -> tuple[int, int]:
    """Seeds that nobody can repeat."""
    first, second = np.random.SeedSequence().generate_state(2)
    return key_and_counter(int(first), int(second))


def seeds_of(run: Run, node: Any) -> tuple[int, int]:
    """The seeds of a node; those of one that has none are drawn for its first pass and stay, so
    that a saved position holds those of later passes too.
    """
    if isinstance(node.seeds, LaterSeeds):
        return node.seeds.known(run)
    if node.seeds:
        key, counter = node.seeds
        return key, counter
    memory = run.memory(node)
    with _LOCK:
        key, counter = memory.setdefault("seeds", fresh_seeds())
    return key, counter


def generator(seeds: tuple[int, int], number: int) -> np.random.Generator:
    """The random numbers of a pass, where TensorFlow's are not known."""
    key, counter = seeds
    return np.random.Generator(np.random.PCG64([key, counter >> 64, counter & _LOW, number]))


def seeds_of_pass(seeds: tuple[int, int], number: int) -> tuple[int, int]:
    """The seeds of a pass where each has other ones: two numbers that those of the node give."""
    first, second = Samples(seeds, 2 * number).take(2).tolist()
    return of_op_seeds(first, second)


class Samples:
    """The 32-bit numbers that TensorFlow's datasets draw, one after the other.

    Args:
        seeds: what they are a function of.
        drawn: how many have been drawn already.
    """

    __slots__ = ("drawn", "seeds")

    def __init__(self, seeds: tuple[int, int], drawn: int = 0) -> None:
        self.seeds, self.drawn = seeds, drawn

    def take(self, count: int) -> np.ndarray[Any, Any]:
        """The next ones, as int64."""
        key, counter = self.seeds
        first, over = divmod(self.drawn, _WORDS)
        made = words(key, counter + first & BITS128, -(-(over + count) // _WORDS))
        self.drawn += count
        return torch.stack(made, 1).reshape(-1).numpy()[over : over + count]

    def save(self, undrawn: int = 0) -> list[int]:
        """How far they have come, without the last `undrawn` ones."""
        return [*self.seeds, self.drawn - undrawn]


def samples_at(place: list[int]) -> Samples:
    """Numbers that have come so far."""
    key, counter, drawn = place
    return Samples((key, counter), drawn)


class Chances:
    """Numbers from 0 to 1, each of which TensorFlow draws by a seed of the next two samples.

    Args:
        samples: the samples.
    """

    __slots__ = ("_made", "_samples")

    def __init__(self, samples: Samples) -> None:
        self._samples = samples
        self._made: list[float] = []  # the next one last

    def next(self) -> float:
        """The next one."""
        if not self._made:
            pairs = self._samples.take(2 * _CHANCES).reshape(-1, 2)[::-1].tolist()
            self._made = [_chance(first, second) for first, second in pairs]
        return self._made.pop()

    def save(self) -> list[int]:
        """How far they have come."""
        return self._samples.save(2 * len(self._made))


def _chance(first: int, second: int) -> float:
    high, low, _, _ = block(*key_and_counter(first, second))
    return ((high & _HIGH_BITS) << 32 | low) / (1 << 52)


def samples_of_pass(run: Run, node: Any, changes: bool) -> Samples:
    """What the next pass of a node draws; the same in each, unless it `changes`."""
    seeds = seeds_of(run, node)
    return Samples(seeds_of_pass(seeds, next_pass(run, node)) if changes else seeds)


def state_of(random: np.random.Generator | None) -> Any:
    """How far random numbers have come, as plain values."""
    return None if random is None else random.bit_generator.state


def generator_at(state: Any) -> np.random.Generator | None:
    """Random numbers that have come so far."""
    if state is None:
        return None
    bits = np.random.PCG64()
    bits.state = state
    return np.random.Generator(bits)
