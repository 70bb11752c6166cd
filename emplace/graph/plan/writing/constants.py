"""What exists before a plan runs: constants on their devices, and what a session keeps."""

from __future__ import annotations

from typing import Any

import torch

from ....base import dtypes
from ....core.tensor import make_tensor
from ....core.tensor_list import TensorList
from ....devices.charges import Maker
from ....devices.device import Device
from ....devices.inventory import INVENTORY
from ....devices.memory import OutOfBudget
from ....eager.failure import refused_copy
from ...passes.constant_folding import may_be_known, raw_value
from ...passes.prune import always_holds
from ...representation.graph import Operation, SymbolicTensor
from ..failures import located
from ..text import PlanText
from .liveness import Liveness
from .values import Values


class Constants:
    """Gives names to values that need no line.

    Args:
        text: binds them.
        values: gets their names.
        liveness: keeps them.
        options: what the plan is made for.
        instrumented: whether values are tensors, and not raw.
    """

    __slots__ = ("_instrumented", "_liveness", "_options", "_text", "_values")

    def __init__(
        self, text: PlanText, values: Values, liveness: Liveness, options: Any, instrumented: bool
    ) -> None:
        self._text = text
        self._values = values
        self._liveness = liveness
        self._options = options
        self._instrumented = instrumented

    def cover(self, operation: Operation, device: Device) -> bool:
        """True if all that an operation on a device makes has a value: it was fed, or it is
        constant, and then it gets its names here.
        """
        record, outputs, names = operation.record, operation.outputs, self._values.names
        if not outputs:
            return record.name == "NoOp" or always_holds(operation)
        first = outputs[0]
        if id(first) in names and all(id(y) in names for y in outputs):
            return True
        resources = self._options.resources
        if record.is_session_resource and resources is not None:
            self._enter(first, resources(operation, device), device)
            return True
        if record.name in ("Placeholder", "_Arg") or not may_be_known(operation):
            return False
        raws = []
        for y in outputs:
            raw = raw_value(y)
            if raw is None:
                return False
            raws.append(raw)
        for y, raw in zip(outputs, raws, strict=True):
            self._enter(y, raw, device)
        return True

    def _enter(self, y: SymbolicTensor, raw: Any, device: Device) -> None:
        eager = y.op.attrs.get("eager") if y.op.record.name == "Const" else None
        if eager is not None:  # it is where it is
            stand_ins = self._options.stand_ins
            eager = eager if stand_ins is None else stand_ins.tensor(eager)
            raw, device = eager._value, eager._kind.device
        elif isinstance(raw, torch.Tensor) and device.type != "CPU":
            raw = self._on(device, raw, y)
        if self._instrumented:
            raw = make_tensor(raw, device.kind(y.dtype)) if eager is None else eager
        self._values.enter(y, self._text.bind(raw, "c"), device)
        self._liveness.keep.add(id(y))

    def _on(self, device: Device, raw: torch.Tensor, y: SymbolicTensor) -> torch.Tensor:
        """A constant on its device: the same one in the other form of the plan."""
        key = id(raw), id(device)
        kept = self._options.constants
        if key not in kept:
            kept[key] = raw, _placed(raw, y, device)
        return kept[key][1]  # type: ignore[no-any-return]

    def absent(self, x: SymbolicTensor) -> str:
        """What stands for a value that the other branch makes; gradients ask for zeros like it."""
        if x.dtype is dtypes.variant:
            raw: Any = TensorList([])
        else:
            raw = None if x.dtype.torch is None else torch.zeros((), dtype=x.dtype.torch)
        if self._instrumented and raw is not None:
            raw = make_tensor(raw, INVENTORY.devices()[0].kind(x.dtype))
        return self._text.bind(raw, "c")


def _placed(raw: torch.Tensor, y: SymbolicTensor, device: Device) -> torch.Tensor:
    """A constant on the device of its operation.

    Raises:
        ResourceExhaustedError: it is larger than what is left of the device's budget.
    """
    source = INVENTORY.devices()[0]
    if device.budget is None:
        return device.take(raw, source)
    maker = Maker("Const", y.op.name if y.op.is_named else "", y.op.place.program_line)
    try:
        made: torch.Tensor = device.budget.allocate(raw, lambda: device.take(raw, source), maker)
    except OutOfBudget as refusal:
        raise located(refused_copy(refusal, y.op.record.name, maker), y.op) from None
    return made
