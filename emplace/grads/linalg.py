"""Gradients of `ops/linalg.py`."""

from __future__ import annotations

from typing import Any

from ..ops import linalg
from ..ops.elementwise import conj
from ..ops.linalg import matmul
from .rules import Recorded, gradient, unbroadcast


@gradient(linalg.MATMUL)
def matmul_grad(call: Recorded, dy: Any) -> Any:
    """a @ b, with either factor transposed or not."""
    a, b = (conj(value) for value in call.inputs)
    turned_a = call.attrs.get("transpose_a", False)
    turned_b = call.attrs.get("transpose_b", False)
    da = db = None
    if call.needs(0):
        if turned_a:
            da = matmul(b, dy, transpose_a=turned_b, transpose_b=True)
        else:
            da = matmul(dy, b, transpose_b=not turned_b)
    if call.needs(1):
        if turned_b:
            db = matmul(dy, a, transpose_a=True, transpose_b=turned_a)
        else:
            db = matmul(a, dy, transpose_a=not turned_a)
    return da, db


@gradient(linalg.BATCH_MATMUL)
def batch_matmul_grad(call: Recorded, dy: Any) -> Any:
    """The same for many matrices, where leading axes may have been stretched."""
    x, y = call.inputs
    adj_x, adj_y = call.attrs["adj_x"], call.attrs["adj_y"]
    dx = dyy = None
    if call.needs(0):
        if adj_x:
            dx = matmul(y, dy, adjoint_a=adj_y, adjoint_b=True)
        else:
            dx = matmul(dy, y, adjoint_b=not adj_y)
        dx = unbroadcast(dx, x)
    if call.needs(1):
        if adj_y:
            dyy = matmul(dy, x, adjoint_a=True, adjoint_b=adj_x)
        else:
            dyy = matmul(x, dy, adjoint_a=not adj_x)
        dyy = unbroadcast(dyy, y)
    return dx, dyy
