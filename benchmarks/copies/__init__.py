"""Copies between the host and GPUs, and between GPUs, by size.

On one card two virtual GPUs stand for two, so that a copy between them goes through the card's own
memory. Where there is no card, all memories are the host's, and the figures are of that alone.
"""

from .inputs import SIZES

PEERS = ("emplace", "torch")
# How many GPUs it takes.
GPUS = 2
_WAYS = {
    "to the GPU": "an array of the host becomes a tensor of GPU:0",
    "to the host": "a tensor of GPU:0 becomes an array",
    "between GPUs": "a tensor of GPU:0 becomes one of GPU:1; in torch a copy on the one card",
}
ROWS = {f"{way} {size}": what for way, what in _WAYS.items() for size in SIZES}
BYTES = {f"{way} {size}": nbytes for way in _WAYS for size, nbytes in SIZES.items()}
STARTS: dict[str, dict[str, str]] = {}
BUDGETS = ()
