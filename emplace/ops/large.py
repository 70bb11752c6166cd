"""Kernels for large tensors in host memory, where torch's own are several times slower.

Torch chooses between two values element by element, and keeps the place of an extreme beside it
while it walks; both keep its loops from being vectorised. Below some thousand elements that does
not matter, and torch's kernels are the quicker ones to call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

_MANY = 1 << 13
_BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
_COUNTED = (torch.float32, torch.float64, torch.int32, torch.int64, torch.int16, torch.uint8)


def is_large_on_host(x: torch.Tensor) -> bool:
    """True where these kernels pay; also of what stands for such a tensor, without memory."""
    return (x.is_cpu or x.is_meta) and x.numel() >= _MANY


def select(condition: torch.Tensor, t: torch.Tensor, e: torch.Tensor) -> torch.Tensor:
    """t where the condition is True, e elsewhere: e with the bits flipped in which t differs."""
    bits = None if t.is_complex() or t.dtype is torch.bool else _BITS.get(t.element_size())
    if bits is None:
        return torch.where(condition, t, e)
    ours, others = t.view(bits), e.view(bits)
    differing = torch.bitwise_xor(ours, others)
    if differing.shape == condition.shape:
        chosen = differing.mul_(condition)
    else:
        chosen = differing * condition
    return chosen.bitwise_xor_(others).view(t.dtype)


def place(x: torch.Tensor, dimension: int, find: Callable[..., Any]) -> torch.Tensor | None:
    """The place of an extreme by `np.argmax` or `np.argmin`; None if there is a NaN, which NumPy
    takes for one, or no such kernel.
    """
    if x.dtype not in _COUNTED:
        return None
    dims = list(x.shape)
    del dims[dimension]
    places = torch.empty(dims, dtype=torch.int64)
    find(x.numpy(), dimension, out=places.numpy())
    if x.is_floating_point():
        best = x.gather(dimension, places.unsqueeze(dimension))
        if best.isnan().any():
            return None
    return places
