"""Gradients of `ops/array/shaping.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.symbolic_value import SymbolicValue
from ...core.tensor import Tensor
from ...ops.arguments import CHECK_THAT
from ...ops.array import shaping as s
from ...ops.array.shaping import reshape, size, sizes_of, transpose
from ...ops.array.sorting import invert_permutation
from ...ops.debugging.print_through import PRINT_THROUGH
from ...ops.math.elementwise import floormod
from ..rules import Recorded, completed, gradient, not_differentiable


@gradient(s.IDENTITY, s.ENSURE_SHAPE, s.GUARANTEE_CONST, CHECK_THAT, takes_slices=True)
def identity_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The value itself."""
    return dy


@gradient(s.RESHAPE, s.SQUEEZE, s.EXPAND_DIMS)
def reshape_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The same elements in another shape."""
    return reshape(dy, sizes_of(call.inputs[0]))


@gradient(s.TRANSPOSE)
def transpose_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The axes back where they were."""
    return transpose(dy, _back(call.attrs["perm"]))


@gradient(s.CONJUGATE_TRANSPOSE)
def conjugate_transpose_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The axes back where they were, and the conjugate again."""
    return transpose(dy, _back(call.attrs["perm"]), conjugate=True)


def _back(perm: Any) -> Any:
    """What puts axes back: None for the other way round, where nobody knows how many there are."""
    if isinstance(perm, SymbolicValue):
        return invert_permutation(floormod(perm.tensor, size(perm.tensor, perm.tensor.dtype)))
    return None if perm is None else np.argsort([axis % len(perm) for axis in perm]).tolist()


@gradient(s.IDENTITY_N, takes_slices=True)
def identity_n_grad(call: Recorded, *dys: Tensor | None) -> Any:
    """The values themselves."""
    return completed(call, dys)


@gradient(PRINT_THROUGH, takes_slices=True)
def print_through_grad(call: Recorded, dy: Tensor) -> Any:
    """The value itself; none for what is written."""
    return [dy, *[None] * (len(call.inputs) - 1)]


not_differentiable(s.BROADCAST_ARGS, s.BITCAST)
