"""What exists before a plan runs: constants on their devices, and what a session keeps."""

from __future__ import annotations

from typing import Any

import torch

from ...base import dtypes
from ...core.tensor import make_tensor
from ...core.tensor_list import TensorList
from ...devices.device import Device
from ...devices.inventory import INVENTORY
from ...devices.memory import OutOfBudget
from ...eager.failure import refused_copy
from ..passes.constant_folding import raw_value
from ..passes.prune import always_holds
from ..representation.graph import Operation, SymbolicTensor
from .failures import located
from .liveness import Liveness
from .text import PlanText
from .values import Values


class Constants:
    """Gives names to values that need no line.

    Args:
        text: binds them.
        values: gets their names.
        liveness: keeps them.
        wishes: what the plan is made for.
        careful: whether values are tensors, and not raw.
    """

    __slots__ = ("_careful", "_liveness", "_text", "_values", "_wishes")

    def __init__(
        self, text: PlanText, values: Values, liveness: Liveness, wishes: Any, careful: bool
    ) -> None:
        self._text = text
        self._values = values
        self._liveness = liveness
        self._wishes = wishes
        self._careful = careful

    def cover(self, node: Operation, device: Device) -> bool:
        """True if all that an operation on a device makes has a value: it was fed, or it is
        constant, and then it gets its names here.
        """
        record, outputs, names = node.record, node.outputs, self._values.names
        if record.name == "NoOp" or always_holds(node):
            return True
        if not outputs:
            return False
        if id(outputs[0]) in names and all(id(y) in names for y in outputs):
            return True
        resources = self._wishes.resources
        if record.kept and resources is not None:
            self._enter(outputs[0], resources(node, device), device)
            return True
        if record.name in ("Placeholder", "_Arg"):
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

    def _enter(self, y: SymbolicTensor, raw: Any, home: Device) -> None:
        eager = y.op.attrs.get("eager") if y.op.type == "Const" else None
        if eager is not None:  # it is where it is
            home = eager._kind.device
        elif isinstance(raw, torch.Tensor) and home.type != "CPU":
            raw = self._on(home, raw, y)
        if self._careful:
            raw = make_tensor(raw, home.kind(y.dtype)) if eager is None else eager
        self._values.enter(y, self._text.bind(raw, "c"), home)
        self._liveness.keep.add(id(y))

    def _on(self, home: Device, raw: torch.Tensor, y: SymbolicTensor) -> torch.Tensor:
        """A constant on its device: the same one in the other form of the plan."""
        key = id(raw), id(home)
        kept = self._wishes.constants
        if key not in kept:
            kept[key] = raw, _placed(raw, y, home)
        return kept[key][1]  # type: ignore[no-any-return]

    def absent(self, x: SymbolicTensor) -> str:
        """What stands for a value that the other branch makes; gradients ask for zeros like it."""
        if x.dtype is dtypes.variant:
            raw: Any = TensorList([])
        else:
            raw = None if x.dtype.torch is None else torch.zeros((), dtype=x.dtype.torch)
        if self._careful and raw is not None:
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
    try:
        made: torch.Tensor = device.budget.allocate(raw, lambda: device.take(raw, source), "Const")
    except OutOfBudget as refusal:
        raise located(refused_copy(refusal, y.op.type), y.op) from None
    return made
