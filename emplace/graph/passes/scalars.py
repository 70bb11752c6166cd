"""Chains of operations on scalars become one operation each, whose call costs less than theirs: a
learning rate that follows from the number of a step, the mean of losses.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ...base import dtypes
from ...devices.device import HOST
from ...eager.place import Placement
from ...ops.math.fused_scalars import FUSED_SCALARS, SCALAR_STEPS, FusedScalars, computes
from ...ops.math.map_steps import MapStep
from ..representation.graph import Operation, SymbolicTensor
from .chains import Chain, ChainKind, Roots, Uses, made_of, with_chains
from .constant_folding import raw_value
from .replacing import operation_like

#: The one call costs as much as two or three of torch's.
LEAST_OPERATIONS = 3
# All have one shape; what is cast is an integer or float32 already.
_SHAPE = ()
_CAST_FROM = (dtypes.float32, dtypes.int32, dtypes.int64)


def with_fused_scalars(
    operations: list[Operation],
    placed: dict[Operation, Placement],
    results: Collection[int],
    roots: Roots,
) -> list[Operation]:
    """The same computation, with chains of operations on scalars as one operation each.

    Args:
        operations: operations in an order in which they can run.
        placed: where they run; new ones are entered.
        results: ids of tensors that must get a value.
        roots: tensors whose values others have, by the ids of those others.
    """
    kind = _SCALARS._replace(least=LEAST_OPERATIONS)
    return with_chains(operations, placed, results, roots, kind)


def _shape_of(
    operation: Operation, placed: Mapping[Operation, Placement]
) -> tuple[int, ...] | None:
    """The shape of scalars; None if it is no part of a chain."""
    y, given = operation.outputs[0], operation.given
    if y._dims != _SHAPE or y._dtype is not dtypes.float32 or len(given) != len(operation.inputs):
        return None
    types = _CAST_FROM if operation.record.name == "Cast" else (dtypes.float32,)
    if not all(x._dims == _SHAPE and x._dtype in types for x in given):
        return None
    return _SHAPE if placed[operation].device.torch_device == HOST else None


def _fused(chain: Chain, uses: Uses) -> Operation:
    """The operation that does what a chain does."""
    members = uses.members(chain)
    inputs, given, wanted, numbers = made_of(chain, members, uses)
    told = [i for i, x in enumerate(inputs) if raw_value(x) is None]
    known = [i for i, x in enumerate(inputs) if raw_value(x) is not None]
    # What is told comes first.
    moved = {before: now for now, before in enumerate([*told, *known])}
    steps = [
        MapStep(
            member.record.name, tuple([moved.get(i, i) for i in values]), member.record.kernel,
            member.attrs,
        )
        for member, values in zip(members, given, strict=True)
    ]  # fmt: skip
    scalars = FusedScalars(len(told), [raw_value(inputs[i]) for i in known], steps, numbers)
    taken: Sequence[SymbolicTensor] = [inputs[i] for i in told]
    return operation_like(FUSED_SCALARS, taken, {"scalars": scalars}, members[-1], wanted)


def _pays(members: Sequence[Operation]) -> bool:
    """Whether a chain has enough operations that compute something."""
    return len([1 for member in members if computes(member.record.name)]) >= LEAST_OPERATIONS


_SCALARS = ChainKind(frozenset(SCALAR_STEPS), _shape_of, _pays, _fused, LEAST_OPERATIONS)
