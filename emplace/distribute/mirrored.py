"""`tf.distribute.MirroredStrategy`, with one replica so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base import log
from ..devices.config import list_logical_devices
from .strategy import Strategy


class MirroredStrategy(Strategy):
    """The same model on several devices (`tf.distribute.MirroredStrategy`).

    So far there is one replica, on the first device; the others are left idle, and a warning says
    so.

    Args:
        devices: names or logical devices; all GPUs, or the CPU, if None.
        cross_device_ops: not used with one replica.

    Raises:
        InvalidArgumentError: a device does not exist.
    """

    def __init__(self, devices: Sequence[Any] | None = None, cross_device_ops: Any = None) -> None:
        names = [getattr(each, "name", each) for each in (devices or _all())]
        if len(names) > 1:
            log.warning(
                f"MirroredStrategy runs one replica so far, on {names[0]}. "
                f"Idle: {', '.join(names[1:])}."
            )
        super().__init__(names[0])


def _all() -> list[str]:
    """The GPUs; the CPU if there are none."""
    devices = list_logical_devices("GPU") or list_logical_devices("CPU")
    return [device.name for device in devices]
