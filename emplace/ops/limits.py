"""What the numbers of a result are brought between, in the same memory: Relu and Relu6, where a
kernel has them on its way.
"""

from __future__ import annotations

import functools
import math

import torch

#: The least and the most that a number may be; what is not a number stays so.
Limits = tuple[float, float]
NO_LIMITS: Limits = (-math.inf, math.inf)
RELU: Limits = (0, math.inf)
RELU6: Limits = (0, 6)


def limited(y: torch.Tensor, limits: Limits) -> torch.Tensor:
    """y, brought between limits in its own memory."""
    if limits == NO_LIMITS:
        return y
    return torch.relu_(y) if limits == RELU else torch.clamp_(y, *limits)


@functools.cache
def limits_in_memory(limits: Limits) -> torch.Tensor:
    """The two as float32 numbers on the host, where machine code reads them."""
    return torch.tensor(limits, dtype=torch.float32, device="cpu")
