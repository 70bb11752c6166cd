"""A group: operations that run on one device."""

from __future__ import annotations

from ...devices.device import Device
from ...devices.name import DeviceSpecV2
from ...eager.place import DeviceChoice, Placement
from ..representation.graph import Operation


class Group:
    """Operations that run on one device: members, what was asked for, what has kernels.

    Operations that are alike and have nobody to be with share one group, `is_shared`, whose only
    member is the first of them. `placement` is what was decided for all of these, `choice` which
    devices may run them, and what was asked for.
    """

    __slots__ = (
        "asked", "choice", "is_shared", "makes_resource", "members", "parent", "placement",
        "resource", "takes_resource", "types",
    )  # fmt: skip

    def __init__(
        self,
        operation: Operation,
        types: tuple[str, ...],
        asked: DeviceSpecV2,
        takes_resource: bool,
        is_shared: bool = False,
    ) -> None:
        self.parent: Group | None = None
        self.members = [operation]
        self.types = types
        self.asked = asked
        self.resource: Device | None = None
        self.is_shared = is_shared
        self.takes_resource = takes_resource
        #: Whether a variable, or a queue, comes from here; told of a shared group.
        self.makes_resource = False
        self.placement: Placement | None = None
        self.choice: tuple[DeviceChoice, DeviceSpecV2 | None] | None = None

    def root(self) -> Group:
        """The group this one has become part of."""
        group = self
        while group.parent is not None:
            group = group.parent
        return group
