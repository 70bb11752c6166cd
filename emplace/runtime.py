"""Starting afresh: virtual GPUs, reset, giving memory back."""

from __future__ import annotations

import gc

from .base.sizes import MOST_GPUS, VirtualGpus, parse_bytes
from .core import context
from .devices.inventory import INVENTORY


def virtual_gpus(count: int, memory: str | int | None = None, strict: bool = False) -> None:
    """Makes the program see `count` virtual GPUs instead of the machine's own.

    On a machine without GPUs they live in host memory; with real ones they are spread over
    those. Each has its own name, budget and statistics. `emplace.reset()` keeps them;
    `virtual_gpus(0)` then goes back to a machine without GPUs.

    Args:
        count: how many; `GPU:0` to `GPU:count-1`.
        memory: what each may hold: a text such as "1GB" or a number of bytes. None shares the
            memory of the machine equally.
        strict: True gives each a memory that only copies reach, in host memory: a kernel that
            mixes two, or NumPy on one, is refused as hardware would, and whatever makes the
            host wait for a GPU is counted (`emplace.watch`, `emplace.testing.assert_no_waits`).

    Raises:
        RuntimeError: devices are in use already.
        ValueError: `count` or `memory` means nothing.

    >>> import emplace
    >>> emplace.reset()
    >>> emplace.virtual_gpus(4, memory="1GB")
    """
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MOST_GPUS:
        raise ValueError(
            f"[virtual_gpus] count must be a number of GPUs from 0 to {MOST_GPUS}, got {count!r}."
        )
    size = None if memory is None else parse_bytes(memory)
    INVENTORY.request_virtual(VirtualGpus((size,) * count, strict))


def reset(virtual: bool = False) -> None:
    """Starts the runtime afresh: devices, settings, scopes' policies, seeds, observers of logs.

    Everything that TensorFlow allows only before the first use of a device is allowed again.
    Tensors and variables made before stay readable.

    Args:
        virtual: forget also the virtual GPUs asked for by `virtual_gpus`.
    """
    context.reset()
    if virtual:
        INVENTORY.reset_virtual()


def release() -> None:
    """Gives memory that holds no tensor back to the system, on every device."""
    gc.collect()
    if INVENTORY.is_initialized:
        for device in INVENTORY.devices():
            device.backend.release()
