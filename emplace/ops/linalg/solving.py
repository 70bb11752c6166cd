"""Systems of linear equations: inverses, determinants, solve, least squares, triangular ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import broadcast, runtime_text
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ...devices.late import is_late, note
from .. import infer
from ..arguments import flag
from ..array.shaping import broadcast_to
from ..convert import pair, tensors, to_tensor
from ..deferred import deferrable
from ..infer import Spec, shape_only
from ..math.elementwise import add, cast, log, multiply
from ..math.reduction import reduce_sum
from ..op import CPU_ONLY, apply, op
from .decomposition import TYPES, begins_with_nan, cholesky, square_dims, square_spec
from .diagonal import band_part, diag_part, eye, set_diag
from .products import matmul

# Up to so many numbers of these types NumPy's solvers win.
_MOST_SMALL = 1 << 10
_SMALL_TYPES = (torch.float32, torch.float64)


def inverse_kernel(input: torch.Tensor, *, adjoint: bool = False) -> Any:
    """The inverses of matrices, or of their adjoints."""
    if _is_small(input):
        return _of_numpy(np.linalg.inv, "Input", adjoint, input)
    inverse, info = torch.linalg.inv_ex(input.mH if adjoint else input)
    _check_regular(input, info, "Input")
    return inverse


def _is_small(matrix: torch.Tensor) -> bool:
    """Whether NumPy does better: one matrix of so few numbers that most of the time goes into what
    torch does around LAPACK.
    """
    return (
        0 < matrix.numel() <= _MOST_SMALL
        and matrix.ndim == 2
        and matrix.is_cpu
        and matrix.dtype in _SMALL_TYPES
        and matrix.shape[0] == matrix.shape[1]
        and not (matrix.requires_grad or torch.compiler.is_compiling())
    )


def _of_numpy(
    solve: Callable[..., Any], what: str, adjoint: bool, *tensors: torch.Tensor
) -> torch.Tensor:
    """What a function of `numpy.linalg` makes of a regular matrix, or its adjoint, and others."""
    matrix, *others = [x.numpy(force=True) for x in tensors]
    first = matrix[0, 0]
    if first != first:  # see `begins_with_nan`
        _refuse_singular(what)
    try:
        return torch.from_numpy(solve(matrix.T if adjoint else matrix, *others))
    except np.linalg.LinAlgError:
        _refuse_singular(what)


def _check_regular(matrices: torch.Tensor, info: torch.Tensor, what: str) -> None:
    """Raises InvalidArgumentError if one of the matrices is singular, by what LAPACK says."""
    if is_late(matrices):
        note((info != 0).any(), _refuse_singular, (), what)
        note(begins_with_nan(matrices), _refuse_singular, (), what)
    elif (info.any() if info.ndim else info) or begins_with_nan(matrices):
        _refuse_singular(what)


def _refuse_singular(what: str) -> NoReturn:
    raise invalid_argument(f"{what} is not invertible.") from None


def _determinant_spec(input: Spec) -> Spec:
    return Spec(square_dims(input)[:-2], input.dtype)


def _slogdet_spec(input: Spec) -> tuple[Spec, ...]:
    return _determinant_spec(input), _determinant_spec(input)


def slogdet_kernel(input: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """The sign of the determinant and the logarithm of its magnitude."""
    sign, value = torch.linalg.slogdet(input)
    value = value.to(input.dtype)
    return torch.where(value.isnan(), value, sign), value  # torch's sign of NaN is 0


INVERSE = op(
    "MatrixInverse", "input: T -> output: T", inverse_kernel, square_spec, checks=True, T=TYPES
)
DETERMINANT = op(
    "MatrixDeterminant", "input: T -> output: T", torch.linalg.det, _determinant_spec, T=TYPES
)
LOG_DETERMINANT = op(
    "LogMatrixDeterminant", "input: T -> sign: T, log_abs_determinant: T",
    slogdet_kernel, _slogdet_spec, T=TYPES,
)  # fmt: skip


def solve_kernel(matrix: torch.Tensor, rhs: torch.Tensor, *, adjoint: bool = False) -> Any:
    """X with matrix X = rhs."""
    if matrix.shape[:-1] != rhs.shape[:-1] or matrix.ndim < 2:  # torch would stretch or guess
        _solve_spec(shape_only(matrix), shape_only(rhs))
    if not rhs.numel():  # there is nothing to solve for, whatever the matrix
        return torch.empty_like(rhs)
    if _is_small(matrix) and rhs.numel() <= _MOST_SMALL and not rhs.requires_grad:
        return _of_numpy(np.linalg.solve, "Input matrix", adjoint, matrix, rhs)
    solution, info = torch.linalg.solve_ex(matrix.mH if adjoint else matrix, rhs)
    _check_regular(matrix, info, "Input matrix")
    return solution


def _solve_spec(matrix: Spec, rhs: Spec, *, adjoint: bool = False) -> Spec:
    left, right = infer.known_dims(matrix), infer.known_dims(rhs)
    if len(left) != len(right) or left[:-2] != right[:-2]:
        raise invalid_argument("All input tensors must have the same rank.")
    if len(left) < 2:
        raise invalid_argument(f"Input tensor 0 must have rank >= 2, got {len(left)}")
    if left[-1] != left[-2]:
        raise invalid_argument("First input (lhs) must be a square matrix.")
    if left[-1] != right[-2]:
        raise invalid_argument("Input matrix and rhs are incompatible.")
    return rhs


SOLVE = op(
    "MatrixSolve", "matrix: T, rhs: T -> output: T", solve_kernel, _solve_spec, checks=True, T=TYPES
)


def triangular_kernel(
    matrix: torch.Tensor, rhs: torch.Tensor, *, lower: bool = True, adjoint: bool = False
) -> Any:
    """X with matrix X = rhs, of which one half is read."""
    if matrix.ndim < 2 or rhs.ndim < 2 or matrix.shape[-1] != rhs.shape[-2]:
        _triangular_spec(shape_only(matrix), shape_only(rhs))
    matrix = matrix.mH if adjoint else matrix
    return torch.linalg.solve_triangular(matrix, rhs, upper=lower == adjoint)


def _triangular_spec(matrix: Spec, rhs: Spec, *, lower: bool = True, adjoint: bool = False) -> Spec:
    left, right = infer.known_dims(matrix), infer.known_dims(rhs)
    for i, dims in enumerate((left, right)):
        if len(dims) < 2:
            raise invalid_argument(f"In[{i}] ndims must be >= 2: {len(dims)}")
    batch = infer.batch_dims(left, right)
    if left[-1] != left[-2]:
        raise invalid_argument(
            f"In[0] matrices in the last dimensions must be square ({left[-1]} =/= {left[-2]})"
        )
    if left[-1] != right[-2]:
        raise invalid_argument(
            f"In[0] mismatch In[1] shape: {left[-1]} vs. {right[-2]}: {runtime_text(left)} "
            f"{runtime_text(right)}"
        )
    return Spec((*batch, *right[-2:]), rhs.dtype)


TRIANGULAR_SOLVE = op(
    "MatrixTriangularSolve", "matrix: T, rhs: T -> output: T", triangular_kernel, _triangular_spec,
    T=(dtypes.bfloat16, *TYPES),
)  # fmt: skip


def least_squares_kernel(matrix: torch.Tensor, rhs: torch.Tensor, *, fast: bool = True) -> Any:
    """The shortest X that minimizes |matrix X - rhs|."""
    # Columns count as dependent below TensorFlow's threshold. Torch's own grows with the number of
    # rows, and then forgets columns that are merely small beside others.
    threshold = torch.finfo(matrix.dtype).eps * max(min(matrix.shape[-2:]), 1)
    return torch.linalg.lstsq(matrix, rhs, rcond=threshold, driver="gelsy").solution


def _least_squares_spec(matrix: Spec, rhs: Spec, *, fast: bool = True) -> Spec:
    left, right = infer.known_dims(matrix), infer.known_dims(rhs)
    if len(left) != len(right) or left[:-2] != right[:-2]:
        raise invalid_argument("All input tensors must have the same rank.")
    if left[-2] != right[-2]:
        raise invalid_argument("Input matrix and rhs are incompatible.")
    return Spec((*left[:-2], left[-1], right[-1]), rhs.dtype)


LEAST_SQUARES = op(
    "MatrixSolveLs", "matrix: T, rhs: T -> output: T", least_squares_kernel, _least_squares_spec,
    device_types=CPU_ONLY, T=TYPES,
)  # fmt: skip


def inv(input: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverses of square matrices (`tf.linalg.inv`).

    Args:
        input: a tensor of shape (..., n, n).
        adjoint: take the inverses of the adjoints.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: a matrix is not square or has no inverse.

    >>> inv([[2.0, 0.0], [0.0, 4.0]]).numpy().tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    return apply(INVERSE, (to_tensor(input),), {"adjoint": bool(adjoint)})


def det(input: TensorLike, name: str | None = None) -> Tensor:
    """The determinants of square matrices (`tf.linalg.det`).

    >>> det([[2.0, 0.0], [0.0, 4.0]]).numpy().tolist()
    8.0
    """
    return apply(DETERMINANT, (to_tensor(input),))


class LogMatrixDeterminant(NamedTuple):
    """The signs of determinants, and the logarithms of their magnitudes."""

    sign: Any
    log_abs_determinant: Any


def slogdet(input: TensorLike, name: str | None = None) -> LogMatrixDeterminant:
    """The signs of determinants and the logarithms of their magnitudes (`tf.linalg.slogdet`)."""
    return LogMatrixDeterminant(*apply(LOG_DETERMINANT, (to_tensor(input),)))


def logdet(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The logarithms of determinants of positive definite matrices (`tf.linalg.logdet`)."""
    diagonal = diag_part(cholesky(matrix))
    real = diagonal.dtype.real_dtype
    logs = log(cast(diagonal, real) if diagonal.dtype.is_complex else diagonal)
    return multiply(2.0, reduce_sum(logs, -1))


def solve(
    matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Returns X with matrix X = rhs (`tf.linalg.solve`).

    Args:
        matrix: square matrices, shape (..., n, n).
        rhs: a tensor of shape (..., n, k) and the same dtype.
        adjoint: solve with the adjoint of `matrix`.
        name: a name in graphs.

    Returns:
        A tensor like `rhs`.

    Raises:
        InvalidArgumentError: shapes do not fit, or a matrix is not invertible.

    >>> solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [2.0]]).numpy().tolist()
    [[1.0], [0.5]]
    """
    return apply(SOLVE, pair(matrix, rhs), {"adjoint": bool(adjoint)})


def triangular_solve(
    matrix: TensorLike,
    rhs: TensorLike,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns X with matrix X = rhs for triangular matrices (`tf.linalg.triangular_solve`).

    Args:
        matrix: matrices of shape (..., n, n), of which one half is read.
        rhs: a tensor of shape (..., n, k) and the same dtype; leading axes broadcast.
        lower: which half.
        adjoint: solve with the adjoint of that half.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: shapes do not fit.
    """
    attrs = {"lower": flag(lower), "adjoint": bool(adjoint)}
    return apply(TRIANGULAR_SOLVE, pair(matrix, rhs), attrs)


def cholesky_solve(chol: TensorLike, rhs: TensorLike, name: str | None = None) -> Tensor:
    """X with chol chol^H X = rhs (`tf.linalg.cholesky_solve`).

    Args:
        chol: what `cholesky` returns.
        rhs: a tensor of shape (..., n, k) and the same dtype.
        name: a name in graphs.
    """
    chol, rhs = pair(chol, rhs)
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True)


@deferrable
def lstsq(
    matrix: TensorLike,
    rhs: TensorLike,
    l2_regularizer: Any = 0.0,
    fast: bool = True,
    name: str | None = None,
) -> Tensor:
    """Returns X that minimizes |matrix X - rhs|^2 + l2_regularizer |X|^2 (`tf.linalg.lstsq`).

    Args:
        matrix: a tensor of shape (..., m, n).
        rhs: a tensor of shape (..., m, k) and the same dtype.
        l2_regularizer: how strongly to keep X small; only where `fast`.
        fast: solve the normal equations, which need a matrix of full rank; otherwise find the
            shortest X for any matrix, on the CPU.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: shapes do not fit.
    """
    matrix, rhs = pair(matrix, rhs)
    if not fast:
        return apply(LEAST_SQUARES, (matrix, rhs), {"fast": False})
    rows, columns = matrix.shape.as_list()[-2:]
    if rows >= columns:
        gram = _regularized(matmul(matrix, matrix, adjoint_a=True), l2_regularizer)
        return cholesky_solve(cholesky(gram), matmul(matrix, rhs, adjoint_a=True))
    gram = _regularized(matmul(matrix, matrix, adjoint_b=True), l2_regularizer)
    return matmul(matrix, cholesky_solve(cholesky(gram), rhs), adjoint_a=True)


def _regularized(gram: Tensor, weight: float) -> Tensor:
    if isinstance(weight, (int, float)) and weight == 0:
        return gram
    unit = eye(gram.shape.as_list()[-1], dtype=gram.dtype)
    return add(gram, multiply(unit, cast(weight, gram.dtype)))


@deferrable
def lu_reconstruct(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Returns the matrices of which `lu` made these factors (`tf.linalg.lu_reconstruct`).

    Args:
        lower_upper: shape (..., n, n): both factors in one matrix, as `lu` returns them.
        perm: shape (..., n): the permutations that `lu` returns.
        validate_args: not used.
        name: a name in graphs.
    """
    lower, upper, perm = _triangles(lower_upper, perm)
    return _in_rows(matmul(lower, upper), perm, invert=True)


def _triangles(lower_upper: Tensor, perm: TensorLike) -> tuple[Any, Any, Any]:
    lower_upper, perm = to_tensor(lower_upper), to_tensor(perm)
    if lower_upper.ndim < 2:
        raise ValueError(
            f"Input `lower_upper` must have at least 2 dimensions, saw: {lower_upper.ndim}."
        )
    diagonal = lower_upper.shape.as_list()[:-1]
    lower = set_diag(band_part(lower_upper, -1, 0), broadcast_to(to_tensor(
        1, hint=lower_upper.dtype), diagonal))  # fmt: skip
    return lower, band_part(lower_upper, 0, -1), perm


def reorder_kernel(matrix: torch.Tensor, order: torch.Tensor, *, invert: bool) -> torch.Tensor:
    """The rows of matrices in the orders given for each, or back from there."""
    places = (torch.argsort(order, -1) if invert else order).to(torch.int64)[..., None]
    return torch.take_along_dim(matrix, places.expand(*order.shape, matrix.shape[-1]), -2)


def _reorder_spec(matrix: Spec, order: Spec, *, invert: bool) -> Spec:
    return matrix


REORDER = op(
    "_ReorderRows", "matrix: T, order: Tindices -> rows: T", reorder_kernel, _reorder_spec,
    T=TYPES, Tindices=dtypes.INDICES,
)  # fmt: skip


def _in_rows(matrix: Tensor, order: Tensor, invert: bool = False) -> Tensor:
    return apply(REORDER, (matrix, order), {"invert": invert})


@deferrable
def lu_solve(
    lower_upper: Any,
    perm: TensorLike,
    rhs: TensorLike,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns X with A X = rhs, A being what `lu` made these factors of (`tf.linalg.lu_solve`).

    Args:
        lower_upper: shape (..., n, n): both factors in one matrix, as `lu` returns them.
        perm: shape (..., n): the permutations that `lu` returns.
        rhs: shape (..., n, k).
        validate_args: not used.
        name: a name in graphs.

    Raises:
        ValueError: a factor or `rhs` has less than two axes, or the sizes differ.
    """
    lower_upper, rhs = tensors([lower_upper, rhs])
    perm = to_tensor(perm)
    if rhs.ndim < 2:
        raise ValueError("Input `rhs` must have at least 2 dimensions.")
    if lower_upper.shape.as_list()[-1] != rhs.shape.as_list()[-2]:
        raise ValueError("`lower_upper.shape[-1]` must equal `rhs.shape[-1]`.")
    lower, _, _ = _triangles(lower_upper, perm)
    batch = perm.shape.as_list()[:-1]
    if rhs.shape.as_list()[:-2] != batch:
        dims = list(broadcast(tuple(batch), tuple(rhs.shape.as_list()[:-2])) or ())
        rhs = broadcast_to(rhs, [*dims, *rhs.shape.as_list()[-2:]])
        perm = broadcast_to(perm, [*dims, perm.shape.as_list()[-1]])
    half = triangular_solve(lower, _in_rows(rhs, perm))
    return triangular_solve(lower_upper, half, lower=False)


@deferrable
def lu_matrix_inverse(
    lower_upper: Any, perm: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Returns the inverses of matrices of which `lu` made these factors
    (`tf.linalg.lu_matrix_inverse`).

    Args:
        lower_upper: shape (..., n, n): both factors in one matrix, as `lu` returns them.
        perm: shape (..., n): the permutations that `lu` returns.
        validate_args: not used.
        name: a name in graphs.
    """
    lower_upper = to_tensor(lower_upper)
    dims = lower_upper.shape.as_list()
    unit = eye(dims[-1], batch_shape=dims[:-2], dtype=lower_upper.dtype)
    return lu_solve(lower_upper, perm, unit)
