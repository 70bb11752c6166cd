"""What autograd cannot follow in `ops/math/reduction.py`; its samples are in `basic.py`."""

from __future__ import annotations

import torch


def add_n(*inputs: torch.Tensor) -> torch.Tensor:
    """The kernel, without changes in place."""
    return torch.stack(inputs).sum(0)


FOR_AUTOGRAD = {"AddN": add_n}
