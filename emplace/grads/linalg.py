"""Gradients of `ops/linalg.py`."""

from __future__ import annotations

from typing import Any

from ..ops import linalg
from ..ops.elementwise import conj
from ..ops.linalg import matmul
from ..ops.op import apply
from .rules import Recorded, gradient, unbroadcast


@gradient(linalg.MATMUL)
def matmul_grad(call: Recorded, dy: Any) -> Any:
    """a @ b, with either factor transposed or not."""
    a, b = call.inputs
    if a.dtype.is_complex:
        a, b = conj(a), conj(b)
    turned_a = call.attrs.get("transpose_a", False)
    turned_b = call.attrs.get("transpose_b", False)
    da = db = None
    if call.needs(0):
        da = _product(b, dy, turned_b, True) if turned_a else _product(dy, b, False, not turned_b)
    if call.needs(1):
        db = _product(dy, a, True, turned_a) if turned_b else _product(a, dy, not turned_a, False)
    return da, db


def _product(a: Any, b: Any, transpose_a: bool, transpose_b: bool) -> Any:
    """The product of what are known to be two matrices."""
    return apply(linalg.MATMUL, (a, b), {"transpose_a": transpose_a, "transpose_b": transpose_b})


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
