"""`tf.linalg.experimental.conjugate_gradient`: systems of equations by products alone."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...base import dtypes
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ...graph.control_flow.loops.while_loops import while_loop
from ...ops.array.joining import concat
from ...ops.array.making import constant, zeros
from ...ops.array.shaping import broadcast_dynamic_shape, broadcast_to, expand_dims, shape
from ...ops.convert import to_tensor
from ...ops.linalg.norms import norm
from ...ops.math.elementwise import conj, greater, less, logical_and
from ...ops.math.reduction import reduce_any, reduce_sum
from .base import LinearOperator


class CGState(NamedTuple):
    """How far the iteration is: steps, solution, residual, direction, r^H M r."""

    i: Any
    x: Any
    r: Any
    p: Any
    gamma: Any


def conjugate_gradient(
    operator: LinearOperator,
    rhs: TensorLike,
    preconditioner: LinearOperator | None = None,
    x: TensorLike | None = None,
    tol: float = 1e-5,
    max_iter: int = 20,
    name: str = "conjugate_gradient",
) -> CGState:
    """Solves a system whose matrix is self-adjoint and positive definite, step by step
    (`tf.linalg.experimental.conjugate_gradient`).

    Args:
        operator: the matrix.
        rhs: the right-hand sides, (..., n).
        preconditioner: near the inverse of the matrix.
        x: where to begin; 0 if None.
        tol: it ends when the residual is that much smaller than `rhs`.
        max_iter: or after so many steps.
        name: not used.

    Raises:
        ValueError: the operator is not said to be self-adjoint and positive definite.
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError("Expected a self-adjoint, positive definite operator.")
    rhs = to_tensor(rhs, None if hasattr(rhs, "dtype") else operator.dtype)
    residual = broadcast_to(rhs, _sizes(operator, preconditioner, rhs))
    limit = tol * norm(residual, axis=-1)
    if x is None:
        x = zeros(shape(residual), rhs.dtype)
    else:
        residual = rhs - operator.matvec(x)

    def near(r: Any) -> Any:
        return r if preconditioner is None else preconditioner.matvec(r)

    def goes_on(state: CGState) -> Any:
        return logical_and(less(state.i, max_iter), reduce_any(greater(_length(state.r), limit)))

    def step(state: CGState) -> Any:
        z = operator.matvec(state.p)
        alpha = expand_dims(state.gamma / _dot(state.p, z), -1)
        r = state.r - alpha * z
        q = near(r)
        gamma = _dot(r, q)
        p = q + expand_dims(gamma / state.gamma, -1) * state.p
        return (CGState(state.i + 1, state.x + alpha * state.p, r, p, gamma),)

    direction = near(residual)
    begin = CGState(
        constant(0, dtypes.int32), to_tensor(x), residual, direction, _dot(residual, direction)
    )
    return while_loop(goes_on, step, (begin,))[0]  # type: ignore[no-any-return]


def _sizes(operator: LinearOperator, preconditioner: LinearOperator | None, rhs: Tensor) -> Any:
    batch = broadcast_dynamic_shape(shape(rhs)[:-1], operator.batch_shape_tensor())
    if preconditioner is not None:
        batch = broadcast_dynamic_shape(batch, preconditioner.batch_shape_tensor())
    return concat([batch, shape(rhs)[-1:]], 0)


def _length(r: Tensor) -> Any:
    return norm(r, axis=-1)


def _dot(x: Tensor, y: Tensor) -> Any:
    return reduce_sum(conj(x) * y, -1)
