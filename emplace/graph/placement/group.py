"""A group: operations that run on one device."""

from __future__ import annotations

from ...devices.device import Device
from ...devices.name import DeviceSpecV2
from ...eager.place import Placement
from ..representation.graph import Operation
from .operations import works_on_resource


class Group:
    """Operations that run on one device: members, what was asked for, what has kernels.

    Operations that are alike and have nobody to be with share one group, `is_shared`, whose only
    member is the first of them. `placement` is what was decided for all of these.
    """

    __slots__ = (
        "asked", "is_shared", "members", "parent", "placement", "resource", "takes_resource",
        "types",
    )  # fmt: skip

    def __init__(
        self,
        operation: Operation,
        types: tuple[str, ...],
        asked: DeviceSpecV2,
        is_shared: bool = False,
    ) -> None:
        self.parent: Group | None = None
        self.members = [operation]
        self.types = types
        self.asked = asked
        self.resource: Device | None = None
        self.is_shared = is_shared
        self.takes_resource = works_on_resource(operation)
        self.placement: Placement | None = None

    def root(self) -> Group:
        """The group this one has become part of."""
        group = self
        while group.parent is not None:
            group = group.parent
        return group
