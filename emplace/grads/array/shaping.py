"""Gradients of `ops/array/shaping.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.tensor import Tensor
from ...ops.array import shaping as s
from ...ops.array.shaping import reshape, sizes_of, transpose
from ..rules import Recorded, completed, gradient, not_differentiable


@gradient(s.IDENTITY, s.ENSURE_SHAPE, s.GUARANTEE_CONST)
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
    return transpose(dy, [int(i) for i in np.argsort(call.attrs["perm"])])


@gradient(s.CONJUGATE_TRANSPOSE)
def conjugate_transpose_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The axes back where they were, and the conjugate again."""
    return transpose(dy, [int(i) for i in np.argsort(call.attrs["perm"])], conjugate=True)


@gradient(s.IDENTITY_N)
def identity_n_grad(call: Recorded, *dys: Tensor | None) -> Any:
    """The values themselves."""
    return completed(call, dys)


not_differentiable(s.BITCAST)
