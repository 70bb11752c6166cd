"""Elements on other devices than the host.

They go there through `run_kernel`, so that budgets are asked and observers told.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from ...core.places import program_line
from ...core.tensor import make_tensor
from ...devices.charges import DATASETS, Maker
from ...devices.device import Device
from ...devices.inventory import INVENTORY
from ...devices.name import DeviceSpec
from ...eager.kernel import run_kernel
from ...eager.place import Placement, Reason
from ...eager.route import Route
from ...ops.array.shaping import IDENTITY
from ..elements.structure import Element, Raw
from .node import Node, Run, as_many
from .position import Calls


class OnDevice(Node):
    """The elements of its input, copied to a device. What follows, other than `prefetch`, reads
    them on the host again.
    """

    label = "CopyToDeviceDataset"
    counted = as_many

    def __init__(self, node: Node, name: str | None) -> None:
        super().__init__(node)
        self.device = device_named(name)
        self._maker = Maker(IDENTITY.name, self.label, program_line(), DATASETS)
        self.structure = node.structure
        self.cardinality = node.cardinality

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        return Calls(Copies(self.device, self._maker), self.input.start(run))


class Copies:
    """Makes copies of elements of the host on a device; budgets are told of `maker`."""

    def __init__(self, device: Device, maker: Maker | None = None) -> None:
        self._host = INVENTORY.devices()[0]
        self._maker = maker or Maker(IDENTITY.name, kind=DATASETS)
        self._placement = Placement(device, Reason.ASKED)
        self._routes: dict[torch.dtype, Route] = {}

    def __call__(self, values: Element) -> Element:
        """The copies of an element's tensors."""
        return [self._copied(x) if isinstance(x, torch.Tensor) else x for x in values]

    def _copied(self, value: torch.Tensor) -> Raw:
        kind = self._host.kinds[value.dtype]
        route = self._routes.get(value.dtype)
        if route is None:
            route = Route(IDENTITY, self._placement, None, (kind,))
            route.maker = self._maker
            self._routes[value.dtype] = route
        return run_kernel(route, (make_tensor(value, kind),), None)._value


def device_named(name: str | None) -> Device:
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
