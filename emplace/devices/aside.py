"""Values set aside in host memory, to be put back if a step fails."""

from __future__ import annotations

import torch

from .strict import StrictTensor


def set_aside(value: torch.Tensor) -> torch.Tensor:
    """A copy of `value` in host memory. The host does not wait for it where hardware copies into
    pinned memory by itself: wait for the device before you read it.
    """
    if isinstance(value, StrictTensor):
        return value.elements.clone()
    if value.is_cuda:
        pinned = torch.empty(value.shape, dtype=value.dtype, pin_memory=True)
        return pinned.copy_(value, non_blocking=True)
    return value.to("cpu", copy=True)
