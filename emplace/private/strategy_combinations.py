"""`tensorflow.python.distribute.strategy_combinations`: what tests of libraries ask for."""

from __future__ import annotations


def set_virtual_cpus_to_at_least(num_virtual_cpus: int) -> None:
    """Nothing: there is one CPU. A program that uses another one is told so then.

    Raises:
        ValueError: the number is below 1.
    """
    if num_virtual_cpus < 1:
        raise ValueError(f"`num_virtual_cpus` must be at least 1 not {num_virtual_cpus!r}")
