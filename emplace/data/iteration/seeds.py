"""The seeds of nodes, which pass of a node it is, and how far random numbers have come."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from ...ops.random.philox import key_and_counter
from .node import Node, Run

_LOW = (1 << 64) - 1
_LOCK = threading.Lock()


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
    if node.seeds:
        key, counter = node.seeds
        return key, counter
    memory = run.memory(node)
    with _LOCK:
        key, counter = memory.setdefault("seeds", fresh_seeds())
    return key, counter


def generator(seeds: tuple[int, int], number: int) -> np.random.Generator:
    """The random numbers of a pass."""
    key, counter = seeds
    return np.random.Generator(np.random.PCG64([key, counter >> 64, counter & _LOW, number]))


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
