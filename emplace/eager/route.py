"""Routes: the decision how to run an op on inputs of certain kinds, made once and cached.

Everything that does not depend on values is settled here: the dtype check, the device and the
reason, whether inputs must be copied, and whether anybody counts memory or listens. A route is
*plain* if running it is nothing more than calling the kernel, which `EagerTarget.apply` then does.
It is *bounded* if there is a budget to ask and to tell, and nothing else.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ..base import dtypes
from ..base.dtypes import DType
from ..core.context import PROCESS, Scope, is_soft
from ..devices.charges import Maker
from ..devices.device import Device, Kind
from ..devices.inventory import INVENTORY
from ..devices.late import naming_kernel
from ..devices.strict import strict_kernel
from ..ops.op import FIXED_TYPES, Op, check_types, expanded_inputs, kernel_of, kernel_types
from ..ops.widen import widening
from .keeping import keeping
from .numerics import with_check
from .phantom_kernel import phantom_kernel
from .place import Placement, Reason, place
from .place_errors import variables_apart
from .scratch import is_rehearsed, may_take_scratch


class Route:
    """How to run one op on inputs of these kinds under this scope.

    Also the record of a tensor's origin while nobody listens: `op`, `device`, `reason`.
    `first`, `second`, `scope` and `table` tell which calls it is for: those with inputs of these
    kinds under this scope, until routes are dropped. `result_kind` is that of its only output,
    where inputs decide it.
    `operation` is that of a graph that it is for, None outside of plans; `maker` is what budgets
    are told of who makes its outputs.
    `is_sized` is True if shapes tell what it takes and outputs are not just views; `needs`
    remembers what they told, for shapes and attributes seen before, `steady` which of that needs no
    more questions, and `latest` the last of these for two inputs. `aliases` tells of values whether
    they are views after all, None if they never are. `is_stored` is True if they are what the
    program's state holds, which is charged there. `is_metered` is True if its calls of torch are
    counted instead. `takes_more` says that its kernel may take scratch; `bare_kernel` is that
    kernel without what devices add.
    """

    __slots__ = (
        "aliases", "bare_kernel", "budget", "device", "first", "in_kinds", "is_bounded",
        "is_metered", "is_plain", "is_sized", "is_stored", "kernel", "kinds", "latest",
        "maker", "needs", "op", "operation", "reason", "result_kind", "scope", "second", "steady",
        "table", "takes_more", "transfers",
    )  # fmt: skip

    line = None
    copies = ()

    def __init__(
        self, op: Op, placement: Placement, scope: Scope | None, in_kinds: tuple[Kind, ...]
    ) -> None:
        device = placement.device
        self.op = op
        self.operation: Any = None
        self.maker: Maker | str = op.name
        self.device: Device = device
        self.in_kinds = in_kinds
        self.first, self.second = (*in_kinds[:2], None, None)[:2]
        self.table: Any = None
        self.result_kind = _result_kind(op, device, in_kinds)
        self.kernel = self._kernel_on(device, in_kinds)
        self.budget = device.budget
        self.takes_more = device.budget is not None and may_take_scratch(op)
        self.is_metered = self.takes_more and not is_rehearsed(op)
        is_told = op.infer is not None or (self.takes_more and not self.is_metered)
        self.is_sized = is_told and op.aliases is not True
        self.is_stored = op.aliases is True and op.stateful
        self.aliases = op.aliases if callable(op.aliases) else None
        self.needs: dict[Any, Any] = {}
        self.steady: dict[Any, Any] = {}
        self.latest: Any = None, None, None
        self.reason: Reason = placement.reason
        self.scope = scope
        self.kinds = device.kinds
        self.transfers = tuple(
            i
            for i, kind in enumerate(in_kinds)
            if kind.device is not device and kind.dtype is not dtypes.resource
            and not (op.peer_access and has_peer_access(op, device, kind.device))
        )  # fmt: skip
        runs_alone = not (self.transfers or device.stream is not None or PROCESS.observers)
        self.is_plain = runs_alone and device.budget is None
        self.is_bounded = runs_alone and device.budget is not None

    def _kernel_on(self, device: Device, in_kinds: tuple[Kind, ...]) -> Any:
        op, in_types = self.op, [kind.dtype for kind in in_kinds]
        kernel = kernel_of(op, in_types)
        there = functools.partial(kernel, device=device) if op.is_factory else kernel
        self.bare_kernel = there = widening(op, there, in_types)
        there = with_check(op, there)
        if device.backend.is_phantom:
            return phantom_kernel(there, kernel, self)
        if device.backend.is_strict:
            there = strict_kernel(there, self)
        elif op.checks and checks_later(op, device, [kind.device for kind in in_kinds]):
            there = naming_kernel(there, self)
        return keeping(op, device, in_kinds, kernel, there)

    def stand_for(self, operation: Any) -> None:
        """Makes it the route of an operation of a graph."""
        self.operation = operation
        if self.budget is not None:
            self.maker = maker_of(operation, self.op.name)

    def copy_maker(self) -> Maker | str:
        """What makes the copies of inputs."""
        maker, op_name = self.maker, f"copy for {self.op.name}"
        if isinstance(maker, str):
            return op_name
        return Maker(op_name, maker.name, maker.line, maker.kind, maker.is_gradient)

    @property
    def route(self) -> Route:
        """Itself: a plain origin and a watched one answer alike."""
        return self


def _result_kind(op: Op, device: Device, in_kinds: tuple[Kind, ...]) -> Kind | None:
    """The kind of the only output of an op, if that is a torch tensor of a type that the signature
    tells, given those of the inputs.
    """
    if len(op.outputs) != 1 or op.outputs[0].is_list:
        return None
    wanted = op.outputs[0].type
    dtype = FIXED_TYPES.get(wanted)
    for (arg, _), kind in zip(expanded_inputs(op, len(in_kinds)), in_kinds, strict=False):
        if arg.type == wanted:
            dtype = kind.dtype
    found = None if dtype is None else device.kinds.get(dtype.torch)
    return found if found is not None and found.dtype is dtype else None


def maker_of(operation: Any, op_name: str) -> Maker:
    """What budgets are told of an operation of a graph. A name that nobody asks for stays open."""
    name = operation.name if operation.is_named else ""
    place = operation.place
    if place.scope and not name.startswith(place.scope):  # of a function that was called
        name = f"{place.scope}/{name.rpartition('/')[2]}"
    return Maker(op_name, name, place.program_line, is_gradient=place.is_gradient)


def checks_later(op: Op, device: Device, sources: Sequence[Device]) -> bool:
    """Whether an op that checks values does so where the host must not wait for them."""
    if device.backend.checks_late:
        return True
    return bool(op.peer_access) and any(each.backend.checks_late for each in sources)


def has_peer_access(op: Op, device: Device, source: Device) -> bool:
    """Whether an op on a device takes an input from another one without a copy."""
    return op.peer_access == "everything" or (
        op.peer_access == "memory" and device.shares_memory(source)
    )


def find_route(
    op: Op, scope: Scope | None, in_kinds: tuple[Kind, ...], made: DType | None
) -> Route:
    """Makes the route for a case that is not cached yet.

    Args:
        op: the op.
        scope: the device asked for, or None.
        in_kinds: the kinds of its inputs.
        made: for an op without inputs, the dtype it makes, if that is known.

    Raises:
        InvalidArgumentError: it works on variables of several devices.
        InvalidArgumentError, NotFoundError: see `check_types` and `place`.
    """
    given = [kind.dtype for kind in in_kinds]
    check_types(op, given)
    if made is not None:
        given.append(made)
    devices = INVENTORY.devices()
    placement = place(
        op.name, kernel_types(op, given), given, _resource(op, in_kinds), scope, devices,
        is_soft(),
    )  # fmt: skip
    return Route(op, placement, scope, in_kinds)


def _resource(op: Op, in_kinds: tuple[Kind, ...]) -> Device | None:
    """The device of the variables among the inputs, None if there are none."""
    devices = [kind.device for kind in in_kinds if kind.dtype is dtypes.resource]
    for other in devices[1:]:
        if other is not devices[0]:
            raise variables_apart(op.name, devices[0].name, other.name)
    return devices[0] if devices else None


class Origin:
    """How one tensor came to be, where somebody listened or inputs were copied."""

    __slots__ = ("copies", "line", "route")

    def __init__(self, route: Route, copies: tuple[Any, ...], line: Any) -> None:
        self.route = route
        self.copies = copies
        self.line = line
