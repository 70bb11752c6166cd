"""Zeros and ones like a value of known shape are known before a plan runs, and so is what follows
from them alone: where the gradient of a loss begins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from ...core.symbolic_value import symbolic_values
from ...eager.place import Placement
from ...ops.infer import Spec
from ...ops.op import kernel_of
from ..representation.graph import Operation, SymbolicTensor
from ..representation.ops import CONST
from .chains import known
from .constant_folding import is_small, may_compute, raw_value
from .replacing import operation_like

#: Without one of these ops there is nothing to do.
LIKES = frozenset({"OnesLike", "ZerosLike"})


def known_likes(
    operations: Sequence[Operation],
    placed: dict[Operation, Placement],
    root: Callable[[SymbolicTensor], SymbolicTensor],
) -> dict[Operation, Operation]:
    """Operations of one small value on the host that is known, with a constant for each.

    Args:
        operations: operations in an order in which they can run.
        placed: where they run; the constants are entered.
        root: the tensor whose value a tensor has.
    """
    constants: dict[Operation, Operation] = {}
    values: dict[int, Any] = {}
    for operation in operations:
        if placed[operation].device.type != "CPU":
            continue
        raw = _value(operation, values, root)
        if raw is not None:
            (y,) = operation.outputs
            attrs, spec = {"value": raw, "dtype": y.dtype}, Spec(known(y.dims), y.dtype)
            constant = operation_like(CONST, (), attrs, operation, [spec])
            placed[constant] = placed[operation]
            constants[operation] = constant
            values[id(y)] = raw
    return constants


def _value(
    operation: Operation, values: Mapping[int, Any],
    root: Callable[[SymbolicTensor], SymbolicTensor],
) -> Any:  # fmt: skip
    """What an operation makes, if that is known: None if it is not, or was so without this."""
    if len(operation.outputs) != 1 or not is_small(operation.outputs[0]):
        return None
    (y,) = operation.outputs
    if operation.record.name in LIKES:
        if y.dtype.torch is None or raw_value(y) is not None:
            return None
        make = torch.ones if operation.record.name == "OnesLike" else torch.zeros
        return make(known(y.dims), dtype=y.dtype.torch, device="cpu")
    given = [root(x) for x in operation.inputs]
    if not any(id(x) in values for x in given) or not may_compute(operation):
        return None
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
