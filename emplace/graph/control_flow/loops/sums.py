"""Sums that a loop adds up iteration by iteration, and that are one product afterwards.

The gradient of a weight that every iteration of a loop multiplies with is a sum of products, `a'b`
of each iteration. Laid below each other, all iterations are one product: it takes one call, not one
per iteration.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from ....base import dtypes
from ...recording.func_graph import FuncGraph
from ...representation.graph import Operation, SymbolicTensor

# Where an iteration's values are larger than this, a product per iteration costs little more, and
# to keep them all would cost memory.
_MOST_ELEMENTS = 1 << 16


class Sum(NamedTuple):
    """A loop variable to which each iteration adds `left' right`, or the rows of `right` alone."""

    operation: Operation
    left: SymbolicTensor | None
    right: SymbolicTensor

    @property
    def parts(self) -> list[SymbolicTensor]:
        """What has to be kept of each iteration."""
        return [self.right] if self.left is None else [self.left, self.right]


def sums(body: FuncGraph, variables: Sequence[SymbolicTensor]) -> dict[int, Sum]:
    """Those of a loop's variables that are such sums, by their places."""
    uses: dict[int, int] = {}
    for operation in body.operations:
        for x in operation.inputs:
            uses[id(x)] = uses.get(id(x), 0) + 1
    for y in body.outputs:
        uses[id(y)] = uses.get(id(y), 0) + 1
    found: dict[int, Sum] = {}
    for i, x in enumerate(variables):
        y = body.outputs[i]
        if y is None or y.op.record.name != "AddV2" or uses.get(id(x)) != 1 or uses[id(y)] != 1:
            continue
        before, added = y.op.given
        if before is x and uses[id(added)] == 1 and added.dims == x.dims and x.is_fully_known:
            part = _summand(added.op)
            if part is not None:
                found[i] = part
    return found


def _summand(operation: Operation) -> Sum | None:
    if not all(_is_small_matrix(x) for x in operation.given):
        return None
    if operation.record.name == "MatMul":
        is_by_rows = operation.attrs.get("transpose_a") and not operation.attrs.get("transpose_b")
        return Sum(operation, *operation.given) if is_by_rows else None
    if (
        operation.record.name == "BiasAddGrad"
        and operation.attrs.get("data_format", "NHWC") == "NHWC"
    ):
        return Sum(operation, None, operation.given[0])
    return Sum(operation, None, operation.given[0]) if _is_sum_of_rows(operation) else None


def _is_sum_of_rows(operation: Operation) -> bool:
    axes = operation.attrs.get("axis")
    if (
        operation.record.name != "Sum"
        or operation.attrs.get("keep_dims")
        or operation.given != operation.inputs
    ):
        return False
    return axes is not None and np.array_equal(np.ravel(axes), [0])


def _is_small_matrix(x: SymbolicTensor) -> bool:
    dims = x.dims or ()
    if len(dims) != 2 or x.dtype not in dtypes.WIDE:
        return False
    return None in dims or (dims[0] or 0) * (dims[1] or 0) <= _MOST_ELEMENTS


def joined(iterations: list[Any]) -> torch.Tensor | None:
    """The values of all iterations below each other."""
    return torch.cat(iterations) if iterations else None


def with_products(total: Any, lefts: torch.Tensor | None, rights: torch.Tensor | None) -> Any:
    """A sum and the products of all iterations."""
    if lefts is None or rights is None:
        return total
    return torch.addmm(total, lefts.mT, rights)


def with_rows(total: Any, rows: torch.Tensor | None) -> Any:
    """A sum and the rows of all iterations."""
    return total if rows is None else total + rows.sum(0)
