"""Copies of values between devices: a line for each, where it is first needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...base import dtypes
from ...core.tensor import EagerTensor, make_tensor
from ...core.tensor_list import taken_list
from ...devices.device import Device
from ...eager.place import Placement, Reason
from ...eager.route import Route
from ...ops.array.shaping import IDENTITY
from ..representation.graph import SymbolicTensor
from .steps import Step
from .text import PlanText
from .values import Values

#: What lives on the host, wherever it is used.
NEVER_COPIED = (dtypes.resource, dtypes.string, *dtypes.QUANTIZED)


class Transfers:
    """Knows which values have copies, and what those are called.

    Args:
        text: gets the lines.
        values: the names and devices of values.
        instrumented: whether copies are made by `run_kernel`, which counts and tells them.
    """

    __slots__ = ("_copied", "_instrumented", "_text", "_values")

    def __init__(self, text: PlanText, values: Values, instrumented: bool) -> None:
        self._text = text
        self._values = values
        self._instrumented = instrumented
        # The names of copies, by value and then by device.
        self._copied: dict[int, dict[int, str]] = {}

    def at(self, x: SymbolicTensor, device: Device, step: Step | None = None) -> str:
        """The name of a value on a device; a line that copies it there if it is elsewhere.

        Args:
            x: its tensor.
            device: where it is wanted.
            step: the operation that wants it; the copy is noted there.
        """
        values = self._values
        source, name = values.devices[id(x)], values.names[id(x)]
        if source is device or x.dtype in NEVER_COPIED:
            return name
        copies = self._copied.setdefault(id(values.root(x)), {})
        found = copies.get(id(device))
        if found is None:
            found = copies[id(device)] = self._copy(x, name, source, device)
            if step is not None:
                step.copies = [*step.copies, (x, source)]
        return found

    def _copy(self, x: SymbolicTensor, name: str, source: Device, device: Device) -> str:
        text = self._text
        made = text.fresh("w")
        if x.dtype is dtypes.variant:
            there, here = text.bind(device, "d"), text.bind(source, "d")
            text.write(f"{made} = taken({name}, {there}, {here})")
        elif self._instrumented:
            placement = Placement(device, Reason.FOLLOWS)
            route = Route(IDENTITY, placement, None, (source.kind(x.dtype),))
            route.operation = x.op
            text.write(f"{made} = run({text.bind(route, 'r')}, ({name},), None)")
        else:
            there = text.bind(device, "d")
            text.write(f"{made} = {there}.take({name}, {text.bind(source, 'd')})")
        return made

    def end(self, x: SymbolicTensor) -> dict[int, str] | None:
        """The names of the copies of a value that nobody needs any more; None if there are none."""
        return self._copied.pop(id(x), None)

    @contextmanager
    def inner(self) -> Iterator[None]:
        """A scope whose copies end with it."""
        before = {x: dict(names) for x, names in self._copied.items()}
        try:
            yield
        finally:
            self._copied = before


def taken(value: Any, device: Device, source: Device) -> Any:
    """A list on another device, raw or as a tensor."""
    if not isinstance(value, EagerTensor):
        return taken_list(value, device, source)
    made = taken_list(value._value, device, source)
    return make_tensor(made, device.kind(dtypes.variant))
