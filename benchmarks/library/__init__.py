"""Ops of every family in three sizes: nothing may be slower than TensorFlow's eager mode."""

from ..budgets import Budget
from .cases import statements

PEERS = ("emplace", "torch", "tensorflow")
ROWS = statements("tf")
STARTS: dict[str, dict[str, str]] = {}

# Rows that are slower than TensorFlow, and why. The list may only shrink.
SLOWER: dict[str, str] = {}

BUDGETS = tuple(Budget(row, of="tensorflow") for row in ROWS if row not in SLOWER)
