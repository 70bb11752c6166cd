"""Elements on other devices than the host."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from ..devices.device import Device
from ..devices.inventory import INVENTORY
from ..devices.name import DeviceSpec
from .node import Node, Run
from .structure import Element


class OnDevice(Node):
    """The elements of its input, copied to a device. It stands at the end of a pipeline."""

    label = "CopyToDeviceDataset"

    def __init__(self, node: Node, name: Any) -> None:
        super().__init__(node)
        self.home = device_named(name)
        self.structure = node.structure
        self.cardinality = node.cardinality

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        host, home = INVENTORY.devices()[0], self.home
        assert home is not None
        for values in self.input.start(run):
            yield [
                home.take(value, host) if isinstance(value, torch.Tensor) else value
                for value in values
            ]


def device_named(name: Any) -> Device:
    """The device of a name.

    Raises:
        ValueError: there is none.
    """
    wanted = DeviceSpec.from_string(str(name))
    devices = INVENTORY.devices()
    for each in devices:
        kind = wanted.device_type
        if kind in (None, each.type) and (wanted.device_index or 0) == each.index:
            return each
    raise ValueError(
        f"There is no device {name!r}. Devices here: "
        f"{', '.join(each.short_name for each in devices)}."
    )
