"""How often numbers occur, and in which segment places are: without a wait on GPUs.

Torch's own kernels learn there from the numbers how large the result is; here it is known.
"""

from __future__ import annotations

import torch


def counts_of(ids: torch.Tensor, count: int) -> torch.Tensor:
    """How often each of 0 .. count - 1 is in a vector of ids, all of them among these; int64."""
    if ids.is_cpu:
        return torch.bincount(ids, minlength=count)
    ones = torch.ones((), dtype=torch.int64, device=ids.device)
    return ids.new_zeros(count, dtype=torch.int64).index_add_(0, ids, ones.expand(len(ids)))


def rows_of(splits: torch.Tensor, count: int) -> torch.Tensor:
    """The row of each of `count` values, which lie in rows between splits; of the splits' type."""
    rows = len(splits) - 1
    if splits.is_cpu:
        numbers = torch.arange(rows, dtype=splits.dtype)
        return torch.repeat_interleave(numbers, splits[1:] - splits[:-1])
    places = torch.arange(count, device=splits.device, dtype=splits.dtype)
    behind = torch.searchsorted(splits[1:].contiguous(), places, right=True)
    return behind.clamp_(max=max(rows - 1, 0)).to(splits.dtype)
