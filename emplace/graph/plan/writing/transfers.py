"""Copies of values between devices: a line for each, where it is first needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from ....base import dtypes
from ....devices.device import Device, copy_in_memory
from ....eager.place import Placement, Reason
from ....eager.route import Route
from ....ops.array.shaping import IDENTITY
from ...representation.graph import Operation, SymbolicTensor
from ..steps import Step
from ..text import PlanText
from .values import Values

#: What lives on the host, wherever it is used.
NEVER_COPIED = frozenset({dtypes.resource, dtypes.string, *dtypes.QUANTIZED})


class Transfers:
    """Knows which values have copies, and what those are called.

    Args:
        text: gets the lines.
        values: the names and devices of values.
        instrumented: whether copies are made by `run_kernel`, which counts and tells them.

    `lent` are the values that a plain plan may read where they are, by the ids of their tensors,
    if the device shares their memory: a session's feeds, which nothing keeps that comes of a run.
    """

    __slots__ = ("_copied", "_instrumented", "_text", "_values", "lent")

    def __init__(self, text: PlanText, values: Values, instrumented: bool) -> None:
        self._text = text
        self._values = values
        self._instrumented = instrumented
        self.lent: set[int] = set()
        # The names of copies, by value and then by device.
        self._copied: dict[int, dict[int, str]] = {}

    def at(self, x: SymbolicTensor, device: Device, step: Step | None = None) -> str:
        """The name of a value on a device; a line that copies it there if it is elsewhere.

        Args:
            x: its tensor.
            device: where it is wanted.
            step: the operation that wants it; the copy is noted there. None where the value of a
                branch or of an iteration is handed on: then the copy is a step of its own.
        """
        values = self._values
        source, name = values.devices[id(x)], values.names[id(x)]
        if source is device or x._dtype in NEVER_COPIED:
            return name
        root = values.root(x)
        copies = self._copied.setdefault(id(root), {})
        found = copies.get(id(device))
        if found is None:
            step = step or self._handed_on(x, source, device)
            step.copies = [*step.copies, (root, source)]
            is_lent = id(root) in self.lent and device.shares_memory(source)
            found = name if is_lent else self._copy(x, name, source, step)
            copies[id(device)] = found
        return found

    def _copy(self, x: SymbolicTensor, name: str, source: Device, step: Step) -> str:
        text, device = self._text, step.placement.device
        made = text.fresh("w")
        if self._instrumented:
            text.write(f"{made} = run({text.bind(step.route, 'r')}, ({name},), None)")
            return made
        is_list = x.dtype is dtypes.variant
        if device.is_in_host_memory and device.shares_memory(source) and not is_list:
            text.write(f"{made} = {text.bind(copy_in_memory, 'k')}({name})")  # nobody waits for it
            return made
        there, here = text.bind(device, "d"), text.bind(source, "d")
        take = f"taken({name}, {there}" if is_list else f"{there}.take({name}"
        text.write(f"{made} = {take}, {here})")
        return made

    def _handed_on(self, x: SymbolicTensor, source: Device, device: Device) -> Step:
        """What copies the value of a branch or of an iteration to where the value has to be."""
        operation = Operation(x.graph, IDENTITY, (x,), {}, (x.spec,), "", 0)
        operation.name, operation.place = f"{x.op.name}/copy", x.op.place
        placement = Placement(device, Reason.HANDED_ON)
        route = Route(IDENTITY, placement, None, (source.kind(x.dtype),))
        route.stand_for(x.op)
        step = Step(operation, placement, route, self._text.indent - 1)
        self._text.steps.append(step)
        return step

    def end(self, values: Iterable[SymbolicTensor]) -> list[str]:
        """The names of the copies of values that nobody needs any more."""
        copied = self._copied
        if not copied:
            return []
        keys = [id(x) for x in values]
        return [name for key in keys if key in copied for name in copied.pop(key).values()]

    @contextmanager
    def inner(self) -> Iterator[None]:
        """A scope whose copies end with it."""
        before = {x: dict(names) for x, names in self._copied.items()}
        try:
            yield
        finally:
            self._copied = before
