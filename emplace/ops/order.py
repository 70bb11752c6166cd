"""Order where torch has none: uint64, whose upper half torch would take for negative numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

#: What 0 of uint64 is, ordered.
LEAST = torch.iinfo(torch.int64).min


def ordered(x: torch.Tensor) -> torch.Tensor:
    """uint64 as the int64 numbers that are ordered alike; anything else as it is."""
    return x.view(torch.int64) ^ LEAST if x.dtype is torch.uint64 else x


def in_order(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that compares the elements of its first input, made right for uint64.

    Its (first) output holds elements of the input.
    """

    @functools.wraps(kernel)
    def run(x: torch.Tensor, *others: Any, **attrs: Any) -> Any:
        if x.dtype is not torch.uint64:
            return kernel(x, *others, **attrs)
        made = kernel(ordered(x), *others, **attrs)
        if isinstance(made, torch.Tensor):
            return restored(made)
        return (restored(made[0]), *made[1:])

    return run


def restored(x: torch.Tensor) -> torch.Tensor:
    """The uint64 behind what `ordered` made of them."""
    return (x ^ LEAST).view(torch.uint64)
