"""What memory costs, as written for torch."""

import torch

from ..device import TORCH
from .inputs import SIZES

ones = {size: torch.ones(count) for size, count in SIZES.items()}


def chain(size):
    x = one = ones[size]
    for _ in range(10):
        x = x + one
    return x


def hold():
    return [torch.zeros(1024) for _ in range(1000)]


ROWS = {
    **{f"zeros {size}": f"torch.zeros({count})" for size, count in SIZES.items()},
    **{f"chain {size}": f"chain({size!r})" for size in SIZES},
    "hold 1000": "hold()",
}
if TORCH == "cuda":
    ROWS["memory info"] = "torch.cuda.memory_allocated(), torch.cuda.max_memory_allocated()"
