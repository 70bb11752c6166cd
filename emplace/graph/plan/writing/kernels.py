"""Lines that call kernels: what most operations of a plan are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....base import dtypes
from ....eager.place import Placement, Reason
from ....eager.route import Route, checks_later, has_peer_access
from ...passes.prune import has_effect
from ...representation.graph import Operation, SymbolicTensor
from ..steps import Step
from ..text import PlanText
from .attributes import Attributes
from .liveness import Liveness
from .transfers import NEVER_COPIED, Transfers
from .values import Values

# Ops that may write into a list that nobody else will read.
_MAY_CHANGE = frozenset({"TensorListSetItem", "TensorListWithout_"})


# What may write into inputs that nobody uses afterwards, and is told which.
_MAY_SUM_IN_PLACE = frozenset({"CollectiveReduceV2"})


class KernelCalls:
    """Writes an operation as a call of its kernel, and lets go of what that used for the last time.

    An instrumented call goes through `run_kernel`, which copies inputs over itself. `undoes` says
    whether a run that is refused memory is undone: then lines note variables before they change,
    and `writes` says whether there is such a line.
    """

    __slots__ = (
        "_attributes", "_instrumented", "_kernels", "_liveness", "_text", "_transfers", "_undoes",
        "_values", "writes",
    )  # fmt: skip

    def __init__(
        self, text: PlanText, values: Values, liveness: Liveness, transfers: Transfers,
        attributes: Attributes, instrumented: bool, undoes: bool,
    ) -> None:  # fmt: skip
        self._text = text
        self._values = values
        self._liveness = liveness
        self._transfers = transfers
        self._attributes = attributes
        self._instrumented = instrumented
        self._undoes = undoes
        self.writes = False
        # The names of kernels, and whether they return lists, by op, device and types of inputs.
        self._kernels: dict[tuple[int, ...], tuple[str, bool]] = {}

    def write(self, operation: Operation, placement: Placement) -> None:
        """The lines of one operation."""
        text, device = self._text, placement.device
        step = Step(operation, placement, None, text.indent - 1)
        text.steps.append(step)
        names = self._instrumented_inputs(step) if self._instrumented else self._inputs(step)
        step.names = names
        attrs = self._attributes.written(operation.attrs, operation) if operation.attrs else {}
        if operation.record.name in _MAY_CHANGE and self._may_change(operation):
            attrs["is_last"] = "True"
        if operation.record.name in _MAY_SUM_IN_PLACE and not self._instrumented:
            attrs["dead"] = repr(self._ended(operation))
        if self._undoes:
            self._before_write(step)
        if self._instrumented:
            call, is_list = self._instrumented_call(step, attrs), _makes_list(operation)
        else:
            kernel, is_list = self._kernel(step)
            values = [*names, *[f"{k}={v}" for k, v in attrs.items()]] if attrs else names
            call = f"{kernel}({', '.join(values)})"
        dead = self.ended_by(operation)
        called, devices = self._values.names, self._values.devices
        results = []
        for y in operation.outputs:
            # A value whose last use this is makes place for a result: the line lets it go.
            name, key = dead.pop(0) if dead else text.fresh(), id(y)
            called[key], devices[key] = name, device
            results.append(name)
        text.call(results, call, step, is_list)
        self.drop(operation, dead)

    # -- inputs ---------------------------------------------------------------------------------

    def _inputs(self, step: Step) -> list[str]:
        """The names of the inputs on the device of an operation."""
        names, devices = self._values.names, self._values.devices
        device, record = step.placement.device, step.operation.record
        return [
            names[key] if (source := devices[key := id(x)]) is device or (
                record.peer_access and has_peer_access(record, device, source)
            ) else self._transfers.at(x, device, step)
            for x in step.operation.given
        ]  # fmt: skip

    def _instrumented_inputs(self, step: Step) -> list[str]:
        """The names of the inputs of an operation of an instrumented plan, which copies them
        itself.
        """
        device, given = step.placement.device, step.operation.given
        devices = [self._values.device(x) for x in given]
        names = [self._values.name(x) for x in given]
        elsewhere = {
            name: (self._values.root(x), source)
            for x, source, name in zip(given, devices, names, strict=True)
            if source is not device and x.dtype not in NEVER_COPIED
            and not has_peer_access(step.operation.record, device, source)
        }  # fmt: skip
        step.copies = list(elsewhere.values())  # what is taken twice is copied once
        kinds = tuple(source.kind(x.dtype) for x, source in zip(given, devices, strict=True))
        step.route = step.route_for(kinds)
        return names

    def _ended(self, operation: Operation) -> tuple[int, ...]:
        """The places of the inputs that nobody uses after an operation."""
        return tuple(i for i, x in enumerate(operation.given) if self._liveness.ends_at_next(x))

    def _may_change(self, operation: Operation) -> bool:
        """Whether an operation may write into its first input, a list that a loop replaces."""
        return not self._instrumented and self._liveness.is_replaced_after(operation.given[0])

    # -- calls ----------------------------------------------------------------------------------

    def _kernel(self, step: Step) -> tuple[str, bool]:
        """The name of a kernel, and whether it returns a list."""
        operation, device = step.operation, step.placement.device
        if operation.record.checks:
            sources = [self._values.devices[id(x)] for x in operation.given]
            if checks_later(operation.record, device, sources):
                given = zip(sources, operation.given, strict=True)
                # It tells which operation it is of.
                route = step.route_for(tuple([each.kind(x.dtype) for each, x in given]))
                return self._text.bind(route.kernel, "k"), _makes_list(operation)
        direct = _kernel_for_dims(operation)
        key = (
            id(operation.record),
            id(direct),
            id(device),
            len(operation.outputs),
            *[id(x._dtype) for x in operation.given],
        )
        found = self._kernels.get(key)
        if found is None:
            kinds = tuple(device.kind(x.dtype) for x in operation.given)
            kernel = Route(operation.record, Placement(device, Reason.ASKED), None, kinds).kernel
            if direct is not None and kernel is operation.record.kernel:
                kernel = direct
            found = self._kernels[key] = self._text.bind(kernel, "k"), _makes_list(operation)
        return found

    def _instrumented_call(self, step: Step, attrs: Mapping[str, str]) -> str:
        given = f"({''.join(f'{name}, ' for name in step.names or ())})"
        packed = f"{{{', '.join(f'{k!r}: {v}' for k, v in attrs.items())}}}" if attrs else None
        return f"run({self._text.bind(step.route, 'r')}, {given}, {packed})"

    def _before_write(self, step: Step) -> None:
        """A line that notes the variables which an operation may change."""
        operation, names = step.operation, step.names or ()
        pairs = zip(operation.given, names, strict=True)
        handles = [name for x, name in pairs if x.dtype is dtypes.resource]
        if handles and has_effect(operation):
            self.writes = True
            self._text.write(f"before_write({', '.join(handles)})")

    # -- letting go -----------------------------------------------------------------------------

    def ended_by(self, operation: Operation) -> list[str]:
        """The names of values that nobody will use after an operation; asked once for each."""
        return self._ended_names(self._liveness.ended_by(operation))

    def drop(self, operation: Operation, dead: Sequence[str]) -> None:
        """Lets go of values with these names, and of what nobody wanted of an operation's."""
        unused = self._liveness.unused_of(operation)
        if unused:
            dead = [*dead, *self._ended_names(unused)]
        if dead:
            self.let_go(dead)

    def let_go(self, dead: Sequence[str]) -> None:
        """Lets go of values with these names."""
        if dead:
            self._text.write(f"del {', '.join(dict.fromkeys(dead))}")

    def _ended_names(self, ended: Sequence[SymbolicTensor]) -> list[str]:
        """The names of values, and of their copies, that nobody will use, and that end here."""
        return [*self._values.end(ended), *self._transfers.end(ended)] if ended else []


def _kernel_for_dims(operation: Operation) -> Callable[..., Any] | None:
    """The kernel for inputs of the sizes that are known, if there is one."""
    asked = operation.record.kernel_for_dims
    if asked is None or operation.attrs or not all(x.is_fully_known for x in operation.given):
        return None
    return asked(*[x.dims for x in operation.given])


def _makes_list(operation: Operation) -> bool:
    return len(operation.outputs) > 1 or any(arg.is_list for arg in operation.record.outputs)
