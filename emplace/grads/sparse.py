"""Gradients of the sparse ops; those without a rule here are differentiated by torch."""

from __future__ import annotations

from typing import Any

from ..ops.array.gathering import gather
from ..ops.array.shaping import transpose
from ..ops.math.elementwise import conj, multiply
from ..ops.math.reduction import reduce_sum
from ..ops.op import apply
from ..ops.sparse import basic as sparse
from ..ops.sparse import distance, sets
from ..ops.sparse import matmul as sparse_matmul
from ..ops.sparse import rows as sparse_rows
from .rules import Recorded, gradient, not_differentiable

not_differentiable(
    sparse.SPARSE_RESHAPE, sparse_rows.SPARSE_COUNT, distance.EDIT_DISTANCE,
    sets.DENSE_DENSE, sets.DENSE_SPARSE, sets.SPARSE_SPARSE, sets.SET_SIZE,
)  # fmt: skip


@gradient(sparse_matmul.SPARSE_MATMUL)
def sparse_matmul_grad(call: Recorded, dy: Any) -> Any:
    """For each element of A the product of a row of dy and a row of B; for B, A's adjoint by dy."""
    indices, values, b = call.inputs
    flipped, attrs = call.attrs.get("adjoint_a", False), dict(call.attrs)
    b_flipped = attrs.get("adjoint_b", False)
    grads: list[Any] = [None, None, None]
    if call.needs(1):
        rows = gather(dy, indices[:, 1 if flipped else 0])
        columns = gather(_adjoint(b) if b_flipped else b, indices[:, 0 if flipped else 1])
        product = reduce_sum(multiply(rows, _conj(columns)), 1)
        grads[1] = _conj(product) if flipped else product
    if call.needs(2):
        attrs |= {"adjoint_a": not flipped, "adjoint_b": False}
        product = apply(sparse_matmul.SPARSE_MATMUL, (indices, values, dy), attrs)
        grads[2] = _adjoint(product) if b_flipped else product
    return grads


def _conj(x: Any) -> Any:
    return conj(x) if x.dtype.is_complex else x


def _adjoint(x: Any) -> Any:
    return transpose(x, conjugate=x.dtype.is_complex)
