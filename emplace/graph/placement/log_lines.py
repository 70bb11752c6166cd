"""What sessions and functions that log placement tell: lines on two streams, as TensorFlow's, and
the operations of a function with their devices.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence

from ...base import log
from ...core.events import PlacedOperation
from ...devices.device import Device
from ...eager.place import Placement
from ..representation.graph import Operation, SymbolicTensor


def tell(text: str) -> None:
    """A line of a log: bare on standard output, and with a prefix on standard error, which a
    notebook does not show.
    """
    if not log.in_notebook():
        log.info(text)
    sys.stdout.write(f"{text}\n")


def tell_places(operations: Sequence[Operation], placed: Mapping[Operation, Placement]) -> None:
    """One line per operation."""
    for operation in _in_order(operations):
        tell(f"{operation.name}: ({operation.type}): {placed[operation].device.name}")


def _in_order(operations: Iterable[Operation]) -> list[Operation]:
    """TensorFlow's order: what makes values from nothing comes last."""
    operations = list(operations)
    first = [
        operation for operation in operations if operation.inputs or len(operation.outputs) != 1
    ]
    return first + [
        operation
        for operation in operations
        if not operation.inputs and len(operation.outputs) == 1
    ]


def placed_operations(
    arguments: Sequence[tuple[SymbolicTensor, Device]],
    placed: Mapping[Operation, Placement],
    paths: Mapping[Operation, str],
    results: Sequence[Device],
) -> list[PlacedOperation]:
    """What a function that has been placed tells: arguments, operations, results, and last what
    makes values from nothing.
    """
    given = {x.op for x, _ in arguments}
    held = _held_names(placed)
    told = [PlacedOperation(x.op.name, "_Arg", device) for x, device in arguments]
    told += [
        PlacedOperation(name, "_Arg", placed[operation].device) for operation, name in held.items()
    ]
    rest = _in_order(
        operation for operation in placed if operation not in held and operation not in given
    )
    operations = [
        PlacedOperation(paths.get(x, "") + x.name, x.type, placed[x].device) for x in rest
    ]
    count = sum(1 for x in rest if x.inputs or len(x.outputs) != 1)
    # TF: results leave a function through nodes named `identity`.
    names = [f"identity_{i}" if i else "identity" for i in range(len(results))]
    ends = [
        PlacedOperation(f"{name}_RetVal", "_Retval", device)
        for name, device in zip(names, results, strict=True)
    ]
    return [*told, *operations[:count], *ends, *operations[count:]]


def _held_names(operations: Iterable[Operation]) -> dict[Operation, str]:
    """What TensorFlow calls values from outside: after the first operation that takes each."""
    held = {operation: operation.name for operation in operations if "eager" in operation.attrs}
    unnamed = set(held)
    for operation in operations:
        for place, x in enumerate(operation.given):
            if x.op in unnamed:
                unnamed.discard(x.op)
                taken = operation.record.tensor_inputs
                arg = taken[min(place, len(taken) - 1)].logged_name
                held[x.op] = f"{operation.name}/{arg}".lower().replace("/", "_")
    return held
