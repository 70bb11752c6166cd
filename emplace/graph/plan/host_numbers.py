"""What a value depends on that a plan reads on the host: the same in each call, or not.

A read makes the host wait for a GPU, unless the host knows the value: a few integers that come from
the host, as counters of loops do (`devices/known.py`). Those that are made of constants alone are
the same in each call.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence

from ...devices.known import MOST, TYPES
from ...eager.keeping import keeps
from ..passes.constant_folding import raw_value
from ..recording.deferred import DEFERRED
from ..representation.graph import Operation, SymbolicTensor
from ..representation.ops import BODIED


class MadeOf(enum.IntEnum):
    """What a value is made of, the worse the greater."""

    CONSTANTS = 0
    """Constants alone, by what the host computes along: it knows the value, always the same."""
    NUMBERS = 1
    """Integers of arguments or variables too, which the host may know; in each call others."""
    THE_GPU = 2
    """What only the GPU knows."""


def made_of(x: SymbolicTensor) -> MadeOf:
    """What a value is made of, through the branches and loops around it."""
    worst, waiting, seen = MadeOf.CONSTANTS, [x], set()
    while waiting:
        y = waiting.pop()
        if id(y) in seen or raw_value(y) is not None:
            continue
        seen.add(id(y))
        if not _is_small(y):
            return MadeOf.THE_GPU
        before = _before(y)
        if before is None:
            return MadeOf.THE_GPU
        if not before:
            worst = MadeOf.NUMBERS
        waiting += before
    return worst


def _is_small(x: SymbolicTensor) -> bool:
    if x.dtype.torch not in TYPES:
        return False
    return x.dims is None or all(size is None or size <= MOST for size in x.dims)


def _before(x: SymbolicTensor) -> Sequence[SymbolicTensor] | None:
    """What a value is computed of; empty for an argument or a variable, None if the host computes
    nothing of the kind.
    """
    record = x.op.record
    if record.name in ("Placeholder", "_Arg"):
        return _around(x)
    if record.name == "ReadVariableOp":
        return ()
    if record is DEFERRED or record.name in BODIED or record.stateful or not keeps(record):
        return None
    return x.op.inputs


def _around(x: SymbolicTensor) -> Sequence[SymbolicTensor] | None:
    """What an argument of a body stands for; empty for one of the function itself."""
    owner = _owner(x)
    if owner is None:
        return ()
    bodies, reads = owner.attrs["bodies"], owner.attrs["reads"]
    count = {"If": 1, "While": owner.attrs.get("loops"), "Scan": None}[owner.record.name]
    if count is None:
        return None
    for body, taken in zip(bodies, reads, strict=True):
        for symbol, outer in zip(taken, owner.inputs[count:], strict=False):
            if symbol is x:
                return (outer,)
        if owner.record.name == "While":
            for i, symbol in enumerate(body.inputs[:count]):
                if symbol is x:
                    return owner.inputs[i], bodies[1].outputs[i]
    return None


def _owner(x: SymbolicTensor) -> Operation | None:
    """The branch or the loop in a body of which an argument is."""
    outer = getattr(x.graph, "outer", None)
    for operation in () if outer is None else outer.operations:
        if operation.record.name in BODIED and any(
            body is x.graph for body in operation.attrs["bodies"]
        ):
            return operation  # type: ignore[no-any-return]
    return None
