"""Kernels of shape arithmetic on GPUs keep what the host knows of their results.

`tf.fill([tf.shape(x)[0]], 1)` asks for a number that comes from the host; on a GPU the host would
wait to get it back. So these kernels compute on the host as well, where it knows all their inputs.
Counters are such numbers too: `tf.cond(iterations % 4 == 0, ...)` asks for what the host counted.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch

from ..base.errors import OpError
from ..devices.device import Device, Kind
from ..devices.inventory import INVENTORY
from ..devices.known import TYPES, is_worth_it, known, remember
from ..devices.late import TELLS_LATER
from ..ops.op import Op
from ..ops.variables.resource import Storage

_SHAPE_ARITHMETIC = frozenset((
    "Abs", "AddV2", "All", "Any", "Cast", "ConcatV2", "Equal", "ExpandDims", "Fill", "FloorDiv",
    "FloorMod", "GatherV2", "Greater", "GreaterEqual", "Identity", "Less", "LessEqual",
    "LogicalAnd", "LogicalNot", "LogicalOr", "Max", "Maximum", "Min", "Minimum", "Mul", "Neg",
    "NotEqual", "OnesLike", "Pack", "Prod", "Range", "Reshape", "Select", "SelectV2", "Slice",
    "Squeeze", "StridedSlice", "Sub", "Sum", "Unpack", "ZerosLike",
))  # fmt: skip
# What the ops that change variables make of the elements before and those that are given.
_CHANGES: dict[str, Callable[[Any, Any], Any]] = {
    "AssignVariableOp": lambda before, given: given,
    "AssignAddVariableOp": lambda before, given: _if_known(torch.add, before, given),
    "AssignSubVariableOp": lambda before, given: _if_known(torch.sub, before, given),
}

Kernel = Callable[..., Any]


def keeping(op: Op, device: Device, kinds: Sequence[Kind], kernel: Kernel, there: Kernel) -> Kernel:
    """A kernel as it runs on a device.

    Args:
        op: its op.
        device: the device.
        kinds: those of its inputs.
        kernel: the kernel for any device.
        there: the same for this device; itself where nothing is kept.
    """
    if device.backend.on_host:
        return there
    if op.name in _CHANGES:
        return _keeping_variable(op, there) if kinds[1].dtype.torch in TYPES else there
    if op.name not in _SHAPE_ARITHMETIC or any(kind.dtype.torch not in TYPES for kind in kinds):
        return there
    here = functools.partial(kernel, device=INVENTORY.devices()[0]) if op.is_factory else kernel
    return _keeping_results(here, there)


def _keeping_results(here: Kernel, there: Kernel) -> Kernel:
    def run(*values: Any, **attrs: Any) -> Any:
        outputs = there(*values, **attrs)
        elements = [known(value) for value in values]
        results = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
        if all(x is not None for x in elements) and all(map(is_worth_it, results)):
            try:
                own = here(*elements, **attrs)
            except OpError:  # the device has noted it, and tells it later
                return outputs
            for result, its in zip(results, own if results is outputs else (own,), strict=True):
                remember(result, its)
        return outputs

    if hasattr(there, TELLS_LATER):
        setattr(run, TELLS_LATER, True)
    return run


def _keeping_variable(op: Op, there: Kernel) -> Kernel:
    change = _CHANGES[op.name]

    def run(resource: Any, value: torch.Tensor) -> None:
        if not isinstance(resource, Storage):  # of another process
            there(resource, value)
            return
        with resource.lock:
            before = known(resource.value)
            there(resource, value)
            elements = change(before, known(value))
            if elements is not None and is_worth_it(resource.value):
                remember(resource.value, elements)

    return run


def _if_known(change: Kernel, before: torch.Tensor | None, given: torch.Tensor | None) -> Any:
    return None if before is None or given is None else change(before, given)


def keeps(op: Op) -> bool:
    """Whether the host goes on knowing what an op makes on a GPU of integers that it knows."""
    return op.name in _SHAPE_ARITHMETIC
