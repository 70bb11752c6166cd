"""Zeros and ones like a value of known shape are known before a plan runs, and so is what follows
from them alone: where the gradient of a loss begins.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

import torch

from ...codegen.pointwise import POINTWISE
from ...core.symbolic_value import symbolic_values
from ...eager.place import Placement
from ...ops.infer import Spec
from ...ops.math.map_steps import FOLDS, SUMS, VIEWS
from ...ops.op import kernel_of
from ..representation.graph import Operation, SymbolicTensor
from ..representation.ops import CONST
from .chains import known
from .constant_folding import is_small, may_compute, raw_value
from .replacing import operation_like

#: Without one of these ops there is nothing to do.
LIKES = frozenset({"OnesLike", "ZerosLike"})
# Ops that fail, or not, by shapes alone: nobody can tell whether they ran, but by their values.
_SILENT = frozenset({"Cast", "Identity", *POINTWISE, *SUMS, *FOLDS, *VIEWS})


def known_likes(
    operations: Sequence[Operation],
    placed: dict[Operation, Placement],
    roots: Mapping[int, SymbolicTensor],
) -> dict[Operation, Operation]:
    """Operations of one small value on the host that is known, with a constant for each.

    Args:
        operations: operations in an order in which they can run.
        placed: where they run; the constants are entered.
        roots: tensors whose values others have, by the ids of those others.
    """
    constants: dict[Operation, Operation] = {}
    values: dict[int, Any] = {}
    for operation in operations:
        is_like = operation.record.name in LIKES
        if not is_like and not (values and _follows(operation, values, roots)):
            continue
        if placed[operation].device.type != "CPU":
            continue
        raw = _like(operation) if is_like else _value(operation, values, roots)
        if raw is not None:
            (y,) = operation.outputs
            attrs, spec = {"value": raw, "dtype": y.dtype}, Spec(known(y.dims), y.dtype)
            constant = operation_like(CONST, (), attrs, operation, [spec])
            placed[constant] = placed[operation]
            constants[operation] = constant
            values[id(y)] = raw
    return constants


def _follows(
    operation: Operation, values: Mapping[int, Any], roots: Mapping[int, SymbolicTensor]
) -> bool:
    """Whether one of the values that an operation takes is among those that became known."""
    for x in operation.inputs:
        key = id(x)
        if key in values or (key in roots and id(roots[key]) in values):
            return True
    return False


def _like(operation: Operation) -> Any:
    """The zeros or ones that an operation makes; None if they are many, or known without this."""
    (y,) = operation.outputs
    if not is_small(y) or y.dtype.torch is None or raw_value(y) is not None:
        return None
    make = torch.ones if operation.record.name == "OnesLike" else torch.zeros
    return make(known(y.dims), dtype=y.dtype.torch, device="cpu")


def _value(
    operation: Operation, values: Mapping[int, Any], roots: Mapping[int, SymbolicTensor]
) -> Any:
    """What an operation makes of such values, None if that is not known."""
    if len(operation.outputs) != 1 or not may_compute(operation):
        return None
    (y,) = operation.outputs
    given = [roots.get(id(x), x) for x in operation.inputs]
    raws = [values[id(x)] if id(x) in values else raw_value(x) for x in given]
    if not all(type(raw) is torch.Tensor and raw.device.type == "cpu" for raw in raws):
        return None
    if any(True for value in operation.attrs.values() for _ in symbolic_values(value)):
        return None
    try:
        kernel = kernel_of(operation.record, [x.dtype for x in operation.inputs])
        made = kernel(*raws, **operation.attrs)
    except Exception:  # running the plan will say what is wrong
        return None
    is_whole = type(made) is torch.Tensor and tuple(made.shape) == tuple(known(y.dims))
    return made.contiguous() if is_whole and made.dtype is y.dtype.torch else None


def no_longer_taken(
    operations: Sequence[Operation],
    known: Container[Operation],
    results: Iterable[int],
    roots: Mapping[int, SymbolicTensor],
) -> list[Operation]:
    """Operations that were there only for others whose values are known by now: often a loss, of
    which the gradient needs the shape alone.

    Args:
        operations: operations in an order in which they can run.
        known: those whose values are known.
        results: ids of tensors that must get a value.
        roots: tensors whose values others have, by the ids of those others.
    """
    loose, taken, waited_for = set[int](), set(results), set[Operation]()
    taken.update([id(roots[key]) for key in taken if key in roots])
    dropped = []

    def enter(tensors: Iterable[SymbolicTensor], ids: set[int]) -> None:
        for x in tensors:
            ids.add(id(x))
            if id(x) in roots:
                ids.add(id(roots[id(x)]))

    for operation in operations:
        if operation in known:
            enter(operation.inputs, loose)
    for operation in reversed(operations):
        if operation in known:
            continue
        own = set(map(id, operation.outputs))
        is_free = not own.isdisjoint(loose) and own.isdisjoint(taken)
        if is_free and operation.record.name in _SILENT and operation not in waited_for:
            dropped.append(operation)
            enter(operation.inputs, loose)
        else:
            enter(operation.inputs, taken)
        waited_for.update(operation.control)
    return dropped
