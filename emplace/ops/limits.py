"""What the numbers of a result are brought between, in the same memory: Relu and Relu6, where a
kernel has them on its way.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
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
def address_of_limits(limits: Limits) -> int:
    """Where the two are as float32 numbers, for machine code."""
    return int(_in_memory(limits).ctypes.data)


@functools.cache
def _in_memory(limits: Limits) -> np.ndarray[Any, Any]:
    # No tensor, which who meters a kernel would take for memory that it needs.
    return np.array(limits, np.float32)
