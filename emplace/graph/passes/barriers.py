"""Where gradients stop there is nothing to do in a plan, whose gradients are there by now."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ...eager.place import Placement
from ..representation.graph import Operation, SymbolicTensor
from .chains import Roots

#: Ops without which there is nothing to do.
NEEDED = "StopGradient"


def idle_barriers(
    operations: Sequence[Operation],
    placed: Mapping[Operation, Placement],
    kept: Collection[int],
    roots: Roots,
) -> dict[Operation, SymbolicTensor]:
    """Barriers to gradients, with the values that they hand on: of what is made on their device.
    Those that must get a value, or that others wait for, stay.

    Args:
        operations: operations in an order in which they can run.
        placed: where they run.
        kept: ids of tensors that must get a value.
        roots: tensors whose values others have, by the ids of those others.
    """
    awaited = {each for operation in operations for each in operation.control}
    makers = {id(y): operation for operation in operations for y in operation.outputs}
    found: dict[Operation, SymbolicTensor] = {}
    for operation in operations:
        if operation.record.name != NEEDED or operation.control or operation in awaited:
            continue
        x, y = operation.given[0], operation.outputs[0]
        maker = makers.get(id(roots.get(id(x), x)))
        if maker is None or id(y) in kept or x.dims != y.dims:
            continue
        if placed[maker].device is placed[operation].device:
            found[operation] = x
    return found
