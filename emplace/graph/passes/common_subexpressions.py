"""Operations of a plan that compute again what an earlier one has computed.

An optimizer of Keras corrects its learning rate anew for every variable: the same ten small
operations. Only small values are shared; large ones would live longer for it.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Mapping, Sequence
from typing import Any

import torch

from ...base.dtypes import resource
from ...eager.place import Placement
from ..recording.deferred import DEFERRED
from ..representation.graph import Operation, SymbolicTensor
from ..representation.ops import BODIED
from .constant_folding import is_small, raw_value


def common_subexpressions(
    operations: Sequence[Operation],
    results: Sequence[SymbolicTensor],
    placed: Mapping[Operation, Placement],
) -> dict[Operation, Operation]:
    """The operations that need not run, with the earlier ones whose values are theirs."""
    result_ids = {id(y) for y in results}
    duplicates: dict[Operation, Operation] = {}
    first: dict[Hashable, Operation] = {}
    roots: dict[int, int] = {}
    versions: dict[int, int] = {}
    epoch = 0
    for operation in operations:
        is_read = operation.record.name == "ReadVariableOp"
        if _may_touch_anything(operation):
            epoch += 1
        elif not is_read:
            for x in operation.given:
                if x.dtype is resource:
                    versions[id(x)] = versions.get(id(x), 0) + 1
        if not _is_shareable(operation, result_ids):
            continue
        inputs = [
            _same(x, roots) if x.dims == () else roots.get(id(x), id(x)) for x in operation.given
        ]
        state = (epoch, versions.get(id(operation.given[0]), 0)) if is_read else None
        try:
            earlier = first.setdefault(_key(operation, inputs, state, placed), operation)
        except TypeError:  # an attribute that is a list, or an array
            continue
        if earlier is not operation:
            duplicates[operation] = earlier
            for y, z in zip(operation.outputs, earlier.outputs, strict=True):
                roots[id(y)] = id(z)
    return duplicates


def _may_touch_anything(operation: Operation) -> bool:
    """Whether variables may be others afterwards that are not among its inputs."""
    record = operation.record
    if record is DEFERRED or record.name in BODIED:
        return True
    return record.stateful and not any(x.dtype is resource for x in operation.given)


def _is_shareable(operation: Operation, wanted: Container[int]) -> bool:
    record = operation.record
    if record.stateful and operation.record.name != "ReadVariableOp":
        return False
    if (
        record is DEFERRED
        or record.is_factory
        or record.is_session_resource
        or record.is_blocking
        or record.name in BODIED
    ):
        return False
    if not len(operation.given) == len(operation.inputs) > 0 or not operation.outputs:
        return False
    for y in operation.outputs:
        if not is_small(y) or y.dtype is resource or id(y) in wanted:
            return False
    return True


def _same(x: SymbolicTensor, roots: Mapping[int, int]) -> Hashable:
    """What scalars with the same value have in common: a known number, or who computes it."""
    raw = raw_value(x) if x.dtype is not resource else None
    if isinstance(raw, torch.Tensor):
        # As text, because 0.0 and -0.0 are equal, and nan is not.
        return x.dtype.name, repr(raw.item())
    return roots.get(id(x), id(x))


def _key(
    operation: Operation,
    inputs: Sequence[Hashable],
    state: Any,
    placed: Mapping[Operation, Placement],
) -> Hashable:
    key = operation.record.name, state, id(placed[operation].device), *inputs
    if not operation.attrs:
        return key
    return *key, tuple(
        (name, type(value), _told_apart(value)) for name, value in sorted(operation.attrs.items())
    )


def _told_apart(value: Any) -> Hashable:
    """An attribute as a key: 0.0 and -0.0 are equal, too."""
    if type(value) in (float, complex):
        return repr(value)
    return tuple(map(_told_apart, value)) if type(value) is tuple else value
