"""Starting afresh: virtual GPUs, reset, giving memory back."""

from __future__ import annotations

import gc

from .base.sizes import MOST_GPUS, VirtualGpus, parse_bytes
from .core import context
from .devices import late
from .devices.constants import forget_constants
from .devices.inventory import INVENTORY
from .devices.released import Measured, Released


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


def immediate_checks(enabled: bool = True) -> None:
    """Makes ops on GPUs check indices, shapes and finite values at once, or later again.

    Such checks do not wait for a GPU: what they find is raised when the host waits for it anyway,
    because a value is read or a session's run returns one. At once they slow each of these ops
    down, and an error comes from the line that causes it, with the stack around it. On the CPU
    they are always made at once. The environment variable EMPLACE_IMMEDIATE_CHECKS=1 does the
    same; `emplace.reset()` goes back to what that says.

    Args:
        enabled: True for checks at once, False for checks that do not wait.

    >>> import emplace
    >>> emplace.immediate_checks(True)
    >>> emplace.immediate_checks(False)
    """
    late.SWITCH.wanted = bool(enabled)


def release() -> Released:
    """Gives memory that holds no tensor of the program's back to the system, on every device: what
    dead cycles hold, numbers that Emplace keeps on devices, and the caches of allocators.

    Returns:
        A row for each GPU with what it freed and gave back, and what holds the rest, in bytes.
        Prints as text; `to_dict()` makes plain dictionaries.

    >>> import emplace
    >>> emplace.reset()
    >>> emplace.virtual_gpus(1, memory="1GB")
    >>> import emplace.tensorflow as tf
    >>> x = tf.zeros([1024])
    >>> emplace.release()[0].in_use_bytes
    4096
    """
    before = Measured()
    context.PROCESS.scalars.clear()
    forget_constants()
    gc.collect()
    if INVENTORY.is_initialized:
        for device in INVENTORY.devices():
            if device.budget is not None:
                device.budget.unmap()
            device.backend.release()
    return before.released()
