"""Numbers that kernels need on a device and that depend on plain arguments alone.

They are made on the host, brought to each device that asks, and kept there. A GPU takes them from
pinned memory, so that the host does not wait.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from .strict import StrictBackend, StrictTensor

_KEPT = 128


def constants(make: Callable[..., Any]) -> Callable[..., Any]:
    """A function that gives what `make` makes on the device that it is told first.

    `make` makes a tensor in the host's memory, or a tuple of tensors, of arguments that can be
    keys of a dictionary. What comes back is kept and shared: nobody writes into it.
    """

    @functools.lru_cache(_KEPT)
    def kept(device: torch.device, queue: int, *args: Any) -> Any:
        made = make(*args)
        if isinstance(made, torch.Tensor):
            return _brought(made, device)
        return tuple(_brought(each, device) for each in made)

    @functools.wraps(make)
    def on(device: torch.device, *args: Any) -> Any:
        return kept(device, _queue(device), *args)

    return on


def _queue(device: torch.device) -> int:
    """Which queue of the device is filled now: what is copied in one may be late for another."""
    return torch.cuda.current_stream(device).cuda_stream if device.type == "cuda" else 0


def _brought(value: torch.Tensor, device: torch.device) -> torch.Tensor:
    if device.type == "cuda":
        return value.pin_memory().to(device, non_blocking=True)
    if device.type == StrictBackend.torch_type:
        return StrictTensor(value, device)
    return value.to(device)
