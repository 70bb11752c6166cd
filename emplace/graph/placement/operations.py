"""What placement asks of one operation: where it can be, and whom it goes with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base import dtypes
from ...base.dtypes import DType
from ...devices.device import Device
from ...devices.phantom import standing_tensor
from ...ops.op import kernel_types
from ..representation.graph import Operation
from ..representation.ops import BODIED

# Ops that only look at the shape of their input: they go where it is. TensorFlow has kernels of
# them for GPUs, which answer in the host's memory, so asking for a GPU is no mistake.
LOOKS_AT_SHAPES = frozenset({"Shape", "Size", "Rank", "ShapeN"})
# Ops whose kernels TensorFlow has for GPUs, too, and which run on the host here.
ON_HOST_HERE = LOOKS_AT_SHAPES | frozenset({
    "EagerPyFunc", "EmptyTensorList", "TensorListConcat", "TensorListConcatLists",
    "TensorListConcatV2", "TensorListElementShape", "TensorListFromTensor", "TensorListGather",
    "TensorListGetItem", "TensorListLength", "TensorListPopBack", "TensorListPushBack",
    "TensorListPushBackBatch", "TensorListReserve", "TensorListResize", "TensorListScatter",
    "TensorListScatterIntoExistingList", "TensorListScatterV2", "TensorListSetItem",
    "TensorListSplit", "TensorListStack",
})  # fmt: skip
# These run ops of their own, each where it can.
_OPEN = BODIED | {"Deferred"}
# What has no place in a device's memory.
_ANYWHERE = (dtypes.resource, dtypes.variant)
# What only makes a value, of whichever type.
_MAKES_ANY = ("Const", "Placeholder", "_Arg")


def device_types(operation: Operation) -> tuple[str, ...]:
    """The types of devices that have a kernel for an operation, the preferred one first."""
    given = [x.dtype for x in operation.given if x.dtype is not dtypes.resource]
    if operation.record.name in _MAKES_ANY:
        given = [operation.outputs[0].dtype]
        if given[0] is dtypes.string:
            return ("CPU",)
    return kernel_types(operation.record, given)


def value_dtypes(operation: Operation) -> Sequence[DType]:
    """The types of the values that a device must be able to hold to run an operation."""
    if operation.record.name in _OPEN:
        return ()
    values = *operation.given, *operation.outputs
    return [x.dtype for x in values if x.dtype not in _ANYWHERE]


def likeness(operation: Operation) -> tuple[Any, ...]:
    """What operations have in common that go to the same device unless others are with them."""
    inputs, outputs = operation.inputs, operation.outputs
    record, device, given = operation.record, operation.device, len(operation.given)
    if len(outputs) == 1:  # most operations: this is asked of all
        made = outputs[0]._dtype._enum
        if len(inputs) == 2:
            one, other = inputs
            return record, device, given, one._dtype._enum, other._dtype._enum, 0, made
        if len(inputs) == 1:
            return record, device, given, inputs[0]._dtype._enum, 0, made
        if not inputs:
            return record, device, given, 0, made
    taken, results = [x._dtype._enum for x in inputs], [y._dtype._enum for y in outputs]
    return record, device, given, *taken, 0, *results


def makes_from_nothing(operation: Operation) -> bool:
    """Whether an operation is a constant, a placeholder or the like."""
    return not operation.inputs and len(operation.outputs) == 1


def works_on_resource(operation: Operation) -> bool:
    """Whether an operation must be where a variable, or a queue, is."""
    return operation.record.name not in BODIED and any(
        x.dtype is dtypes.resource for x in operation.inputs
    )


def resource_device(operation: Operation) -> Device | None:
    """The device of a variable that exists already."""
    eager = operation.attrs.get("eager") if operation.record.name == "Const" else None
    if eager is not None and eager.dtype is dtypes.resource:
        return standing_tensor(eager)._kind.device  # type: ignore[no-any-return]
    return None
