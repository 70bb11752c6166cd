"""`tf.matmul` and functions of `tf.linalg` on operators: `tf.linalg.det(operator)` is
`operator.determinant()`.

They do not ask as long as a program has no operators: this file, which is loaded with these, puts
an asking function into the place of each.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ...ops.array.shaping import expand_dims, squeeze
from ...ops.linalg.decomposition import cholesky
from ...ops.linalg.diagonal import diag_part, trace
from ...ops.linalg.products import adjoint, matmul, matvec
from ...ops.linalg.solving import det, inv, logdet, solve
from ..type_dispatch import put_in_place
from .base import LinearOperator


def _adjoint(matrix: Any, name: str | None = None) -> Any:
    return matrix.adjoint()


def _cholesky(input: Any, name: str | None = None) -> Any:
    return input.cholesky()


def _diag_part(
    input: Any, name: str = "diag_part", k: Any = 0, padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Any:  # fmt: skip
    return input.diag_part()


def _det(input: Any, name: str | None = None) -> Any:
    return input.determinant()


def _inv(input: Any, adjoint: bool = False, name: str | None = None) -> Any:
    return input.inverse().adjoint() if adjoint else input.inverse()


def _logdet(matrix: Any, name: str | None = None) -> Any:
    if matrix.is_positive_definite and matrix.is_self_adjoint:
        return matrix.log_abs_determinant()
    raise ValueError("Expected matrix to be self-adjoint positive definite.")


def _matmul(
    a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, adjoint_a: bool = False,
    adjoint_b: bool = False, a_is_sparse: bool = False, b_is_sparse: bool = False,
    output_type: Any = None, grad_a: bool = False, grad_b: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    if transpose_a or transpose_b:
        raise ValueError("Transposing not supported at this time.")
    if a_is_sparse or b_is_sparse:
        raise ValueError("Sparse methods not supported at this time.")
    if isinstance(a, LinearOperator):
        return a.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b)
    return adjoint(b.matmul(a, adjoint=not adjoint_b, adjoint_arg=not adjoint_a))


def _matvec(
    a: Any, b: Any, transpose_a: bool = False, adjoint_a: bool = False, a_is_sparse: bool = False,
    b_is_sparse: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    column = expand_dims(b, -1)
    return squeeze(
        _matmul(a, column, transpose_a, False, adjoint_a, False, a_is_sparse, b_is_sparse), -1
    )


def _solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Any:
    if not isinstance(matrix, LinearOperator):
        raise ValueError(
            "Passing in `matrix` as a Tensor and `rhs` as a LinearOperator is not supported."
        )
    return matrix.solve(rhs, adjoint=adjoint)


def _trace(x: Any, name: str | None = None) -> Any:
    return x.trace()


def _ask(function: Callable[..., Any], of_operators: Callable[..., Any]) -> None:
    """Lets a function ask whether one of its arguments is an operator. Who has taken it before the
    program's first operator has what asks nothing, and refuses operators.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for each in args:
            if isinstance(each, LinearOperator):
                return of_operators(*args, **kwargs)
        if kwargs and any(isinstance(each, LinearOperator) for each in kwargs.values()):
            return of_operators(*args, **kwargs)
        return function(*args, **kwargs)

    put_in_place(function, call)


#: Functions of tensors, and what they are of operators.
ASKING = (
    (adjoint, _adjoint), (cholesky, _cholesky), (diag_part, _diag_part), (det, _det), (inv, _inv),
    (logdet, _logdet), (matmul, _matmul), (matvec, _matvec), (solve, _solve), (trace, _trace),
)  # fmt: skip
for _function, _of_operators in ASKING:
    _ask(_function, _of_operators)
