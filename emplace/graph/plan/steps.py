"""One operation in a plan, and what a plan reads on the host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...core.context import intern_scope
from ...devices.charges import Maker
from ...devices.device import Device, Kind
from ...eager.place import Placement
from ...eager.route import Route
from ..representation.graph import Operation, SymbolicTensor


class HostRead(NamedTuple):
    """A place where a plan reads a value as it runs, for a branch, a loop or an attribute of
    `operation`: which tensor, called `what`, of which device. `place` is how many steps are before.
    """

    operation: Operation
    tensor: SymbolicTensor
    device: Device
    what: str
    place: int


class Step:
    """One operation in a plan: where it runs, why, and by which route.

    `depth` is how many bodies of branches and loops are around it; `copies` are the inputs that
    come from other devices, with those. `names` are the inputs of its kernel in the plan, None
    where it is more than a call of a kernel. `varies` says that values tell whether, or how often,
    it runs.
    """

    __slots__ = ("_route", "copies", "depth", "names", "operation", "placement", "varies")

    def __init__(
        self, operation: Operation, placement: Placement, route: Route | None, depth: int
    ) -> None:
        self.operation = operation
        self.placement = placement
        self._route = route
        self.depth = depth
        self.varies = False
        self.names: list[str] | None = None
        self.copies: Sequence[tuple[SymbolicTensor, Device]] = ()

    @property
    def route(self) -> Route | None:
        """How its kernel runs; None where it is more than that. A plain plan calls the kernel
        itself, so the route is made when somebody asks.
        """
        if self._route is None and self.names is not None:
            kind = self.placement.device.kind
            self._route = self.route_for(tuple([kind(x.dtype) for x in self.operation.given]))
        return self._route

    @route.setter
    def route(self, route: Route) -> None:
        self._route = route

    def route_for(self, kinds: tuple[Kind, ...]) -> Route:
        """How its kernel runs on inputs of these kinds."""
        operation, placement = self.operation, self.placement
        scope = None if placement.asked is None else intern_scope(placement.asked)
        route = Route(operation.record, placement, scope, kinds)
        route.stand_for(operation)
        return route


def note_kept(steps: Sequence[Step]) -> None:
    """Tells the makers of values that a way back uses that these are kept for it."""
    wanted = {
        id(x) for step in steps if step.operation.place.is_gradient for x in step.operation.inputs
    }
    for step in steps:
        operation = step.operation
        is_kept = not operation.place.is_gradient and any(
            id(y) in wanted for y in operation.outputs
        )
        if is_kept and step.route is not None and isinstance(step.route.maker, Maker):
            step.route.maker.is_kept = True
