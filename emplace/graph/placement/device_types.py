"""Which types of devices have a kernel for an operation."""

from __future__ import annotations

from ...base import dtypes
from ...ops.op import kernel_types
from ..representation.graph import Operation


def device_types(operation: Operation) -> tuple[str, ...]:
    """The types of devices that have a kernel for an operation, the preferred one first."""
    given = [x.dtype for x in operation.given if x.dtype is not dtypes.resource]
    if operation.type in ("Const", "Placeholder", "_Arg"):
        given = [operation.outputs[0].dtype]
        if given[0] is dtypes.string:
            return ("CPU",)
    return kernel_types(operation.record, given)
