"""Softmax over a last axis that is shorter than a vector of the processor.

There torch's kernels compute number by number. Turned over, the axis comes first and a vector goes
along the rows: for ten classes that takes a sixth of the time, both copies included.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

_FEWEST_ROWS = 64
_VECTOR_BYTES = 64 if "AVX512" in torch.backends.cpu.get_cpu_capability() else 32
Softmax = Callable[[torch.Tensor, int], torch.Tensor]


def softmax(logits: torch.Tensor) -> torch.Tensor:
    """exp(x) / sum(exp(x)) over the last axis."""
    return _turned(torch.softmax, logits) if is_short(logits) else torch.softmax(logits, -1)


def log_softmax(logits: torch.Tensor) -> torch.Tensor:
    """x - log(sum(exp(x))) over the last axis."""
    if is_short(logits):
        return _turned(torch.log_softmax, logits)
    return torch.log_softmax(logits, -1)


def is_short(logits: torch.Tensor) -> bool:
    """Whether the last axis is better turned over."""
    numbers = logits.numel()
    if numbers < 2 * _FEWEST_ROWS:
        return False
    size = logits.shape[-1]
    return (
        1 < size < _VECTOR_BYTES // logits.element_size()
        and numbers >= size * _FEWEST_ROWS
        and (logits.is_cpu or logits.is_meta)
    )


def _turned(function: Softmax, logits: torch.Tensor) -> torch.Tensor:
    turned = logits.reshape(-1, logits.shape[-1]).t().contiguous()
    return function(turned, 0).t().contiguous().view(logits.shape)
