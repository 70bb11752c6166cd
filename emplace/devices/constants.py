"""Numbers that kernels need on a device and that depend on plain arguments alone.

They are made on the host, brought to each device that asks, and kept there. A GPU takes them from
pinned memory, so that the host does not wait.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

import torch

from .strict import StrictBackend, StrictTensor

_MOST = 256
_MOST_BYTES = 32 << 20


def constants(make: Callable[..., Any]) -> Callable[..., Any]:
    """A function that gives what `make` makes on the device that it is told first.

    `make` makes a tensor in the host's memory, or a tuple of tensors, of arguments that can be
    keys of a dictionary. What comes back is kept and shared: nobody writes into it.
    """

    kept = _Kept()
    _ALL.append(kept)

    @functools.wraps(make)
    def on(device: torch.device, *args: Any) -> Any:
        key = (device, _queue(device), args)
        found = kept.get(key)
        if found is None:
            made = make(*args)
            is_one = isinstance(made, torch.Tensor)
            found = [bring(each, device) for each in ((made,) if is_one else made)]
            found = found[0] if is_one else tuple(found)
            kept.keep(key, found)
        if HOLDING.holder is not None:
            HOLDING.holder.append(found)
        return found

    return on


class Holding(threading.local):
    """Who holds, in this thread, all constants that are used: work that is recorded reads them
    whenever it is repeated. None mostly.
    """

    holder: list[Any] | None = None


HOLDING = Holding()


class _Kept(dict[Any, Any]):
    """What was made last, up to so many bytes."""

    def __init__(self) -> None:
        self.nbytes = 0
        self.lock = threading.Lock()

    def keep(self, key: Any, value: Any) -> None:
        """Keeps a value, and lets older ones go."""
        with self.lock:
            if _bytes(value) > _MOST_BYTES or key in self:
                return
            self[key] = value
            self.nbytes += _bytes(value)
            while self.nbytes > _MOST_BYTES or len(self) > _MOST:
                self.nbytes -= _bytes(self.pop(next(iter(self))))

    def forget(self) -> None:
        """Lets all of it go."""
        with self.lock:
            self.clear()
            self.nbytes = 0


_ALL: list[_Kept] = []


def forget_constants() -> None:
    """Gives back the memory of all constants; who needs one again makes it again."""
    for kept in _ALL:
        kept.forget()


def _bytes(value: Any) -> int:
    parts = (value,) if isinstance(value, torch.Tensor) else value
    return sum(each.nbytes for each in parts)


def _queue(device: torch.device) -> int:
    """Which queue of the device is filled now: what is copied in one may be late for another."""
    return torch.cuda.current_stream(device).cuda_stream if device.type == "cuda" else 0


def bring(value: torch.Tensor, device: torch.device) -> torch.Tensor:
    """A tensor of the host's memory on a device, without a wait. Nobody writes into it here."""
    if device.type == "cuda":
        return value.pin_memory().to(device, non_blocking=True)
    if device.type == StrictBackend.torch_type:
        return StrictTensor(value, device)
    return value.to(device)
