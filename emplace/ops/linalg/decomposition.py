"""Matrices taken apart: cholesky, qr, svd, eig, eigh, lu; and their logarithms and roots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

import torch
from torch._C import _LinAlgError as LinAlgError  # type: ignore[attr-defined]

from ...base import dtypes
from ...base.dtypes import DType, runtime_name
from ...base.errors import invalid_argument
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ...devices.late import is_late, note
from .. import infer
from ..arguments import one_of
from ..convert import to_tensor
from ..infer import Spec, shape_only
from ..math.elementwise import cast
from ..op import CPU_ONLY, Op, apply, op

# TensorFlow's order, which its error messages show.
TYPES = (dtypes.float64, dtypes.float32, dtypes.float16, dtypes.complex64, dtypes.complex128)
_NOT_FOUND = "decomposition was not successful. The input might not be valid."


def matrix_dims(input: Spec) -> tuple[int, ...]:
    """The shape of matrices.

    Raises:
        InvalidArgumentError: less than two axes.
    """
    dims = infer.known_dims(input)
    if len(dims) < 2:
        raise invalid_argument(f"Input tensor 0 must have rank >= 2, got {len(dims)}")
    return dims


def square_dims(input: Spec) -> tuple[int, ...]:
    """The shape of square matrices.

    Raises:
        InvalidArgumentError: less than two axes, or the last two differ.
    """
    dims = matrix_dims(input)
    if dims[-1] != dims[-2]:
        raise invalid_argument("Input matrix must be square.")
    return dims


def square_spec(input: Spec, **attrs: Any) -> Spec:
    """The rule of ops that make square matrices of square matrices."""
    return Spec(square_dims(input), input.dtype)


def cholesky_kernel(input: torch.Tensor) -> torch.Tensor:
    """The lower factor; NaN for matrices that have none, as in TensorFlow."""
    factor: torch.Tensor
    factor, info = torch.linalg.cholesky_ex(input)
    if info.is_cpu and not info.any():
        return factor
    failed = (info != 0)[..., None, None]
    below = torch.ones(input.shape[-2:], dtype=torch.bool, device=input.device).tril()
    # A product, not a choice, as its gradient is to be NaN, too.
    return factor * torch.where(failed & below, float("nan"), 1.0).to(factor.dtype)


CHOLESKY = op("Cholesky", "input: T -> output: T", cholesky_kernel, square_spec, T=TYPES)


def qr_kernel(input: torch.Tensor, *, full_matrices: bool = False) -> tuple[torch.Tensor, ...]:
    """Orthogonal and upper triangular factors."""
    return tuple(torch.linalg.qr(input, "complete" if full_matrices else "reduced"))


def _qr_spec(input: Spec, *, full_matrices: bool = False) -> tuple[Spec, ...]:
    *batch, m, n = matrix_dims(input)
    k = m if full_matrices else min(m, n)
    return Spec((*batch, m, k), input.dtype), Spec((*batch, k, n), input.dtype)


QR = op("Qr", "input: T -> q: T, r: T", qr_kernel, _qr_spec, T=TYPES)


def svd_kernel(
    input: torch.Tensor, *, compute_uv: bool = True, full_matrices: bool = False
) -> tuple[torch.Tensor, ...]:
    """Singular values and vectors; NaN for matrices with elements that are not finite."""
    finite = torch.isfinite(input).all(-1, keepdim=True).all(-2, keepdim=True)
    clean = torch.where(finite, input, 0.0)
    valid = finite.squeeze(-1)
    if not compute_uv:
        s = torch.where(valid, torch.linalg.svdvals(clean), float("nan")).to(input.dtype)
        return s, input.new_empty(0), input.new_empty(0)
    u, s, vh = torch.linalg.svd(clean, full_matrices=full_matrices)
    nan = float("nan")
    s = torch.where(valid, s, nan).to(input.dtype)
    return s, torch.where(finite, u, nan), torch.where(finite, vh.mH, nan)


def _svd_spec(input: Spec, *, compute_uv: bool = True, full_matrices: bool = False) -> Any:
    *batch, m, n = matrix_dims(input)
    k = min(m, n)
    values = Spec((*batch, k), input.dtype)
    if not compute_uv:
        return values, Spec((0,), input.dtype), Spec((0,), input.dtype)
    left = Spec((*batch, m, m if full_matrices else k), input.dtype)
    return values, left, Spec((*batch, n, n if full_matrices else k), input.dtype)


SVD = op("Svd", "input: T -> s: T, u: T, v: T", svd_kernel, _svd_spec, T=TYPES)


def _refuse_eigen() -> NoReturn:
    raise invalid_argument(f"Self-adjoint eigen {_NOT_FOUND}") from None


def eigh_kernel(input: torch.Tensor, *, compute_v: bool = True) -> tuple[torch.Tensor, ...]:
    """Eigenvalues and vectors of self-adjoint matrices, of which the lower half is read."""
    finite = torch.isfinite(input.tril()).all()  # LAPACK may return numbers all the same
    if is_late(input):
        note(~finite, _refuse_eigen, ())
        input = torch.where(finite, input, 0)
    elif not finite:
        _refuse_eigen()
    try:
        if not compute_v:
            values = torch.linalg.eigvalsh(input)
            return values.to(input.dtype), input.new_empty(0)
        e, v = torch.linalg.eigh(input)
    except LinAlgError:
        _refuse_eigen()
    return e.to(input.dtype), v


def _eigh_spec(input: Spec, *, compute_v: bool = True) -> tuple[Spec, ...]:
    dims = square_dims(input)
    vectors = Spec(dims if compute_v else (0,), input.dtype)
    return Spec(dims[:-1], input.dtype), vectors


EIGH = op(
    "SelfAdjointEigV2", "input: T -> e: T, v: T", eigh_kernel, _eigh_spec, checks=True, T=TYPES
)


def eig_kernel(
    input: torch.Tensor,
    *,
    Tout: DType,  # noqa: N803
    compute_v: bool = True,
) -> tuple[torch.Tensor, ...]:
    """Eigenvalues and vectors of any square matrices, always complex."""
    _check_out(Tout, input.dtype in (torch.float64, torch.complex128))
    try:
        if not compute_v:
            if not torch.isfinite(input).all():  # LAPACK would end the process
                raise invalid_argument(f"Eigen {_NOT_FOUND}")
            values = torch.linalg.eigvals(input)
            return values.to(Tout.torch), values.new_empty(0, dtype=Tout.torch)
        e, v = torch.linalg.eig(input)
    except (LinAlgError, RuntimeError) as error:
        if "not implemented" in str(error) or input.ndim < 2 or input.shape[-1] != input.shape[-2]:
            raise
        raise invalid_argument(f"Eigen {_NOT_FOUND}") from None
    return e.to(Tout.torch), v.to(Tout.torch)


def _eig_spec(input: Spec, *, Tout: DType, compute_v: bool = True) -> Any:  # noqa: N803
    dims = square_dims(input)
    _check_out(Tout, input.dtype in (dtypes.float64, dtypes.complex128))
    return Spec(dims[:-1], Tout), Spec(dims if compute_v else (0,), Tout)


def _check_out(out: DType, is_wide: bool) -> None:
    wanted = dtypes.complex128 if is_wide else dtypes.complex64
    if out not in (dtypes.complex64, dtypes.complex128):
        raise invalid_argument(
            f"Value for attr 'Tout' of {runtime_name(out)} is not in the list of allowed values: "
            "complex64, complex128"
        )
    if out is not wanted:
        raise invalid_argument(
            f"Invalid output dtype {out.as_datatype_enum} vs {wanted.as_datatype_enum}"
        )


EIG = op(
    "Eig", "input: T -> e: Tout, v: Tout", eig_kernel, _eig_spec, device_types=CPU_ONLY,
    T=(dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128),
)  # fmt: skip


def begins_with_nan(matrices: torch.Tensor) -> Any:
    """Whether the first element of a matrix is NaN: a bool, or a tensor of one on a device that
    nobody waits for. TF: then the least pivot is, and the matrix counts as singular.
    """
    if is_late(matrices):
        return matrices[..., :1, :1].isnan().any()
    if not matrices.numel() or matrices.is_meta:
        return False
    if matrices.ndim > 2:
        return bool(matrices[..., 0, 0].isnan().any())
    number = matrices.numpy(force=True)[0, 0]  # torch takes four times as long to look at one
    return number != number


def _refuse_singular() -> None:
    raise invalid_argument("Input is not invertible.")


def lu_kernel(input: torch.Tensor, *, output_idx_type: DType) -> tuple[torch.Tensor, ...]:
    """Both triangular factors in one matrix, and the order of the rows."""
    square_dims(shape_only(input))  # torch takes others too
    lu, pivots, info = torch.linalg.lu_factor_ex(input)
    if is_late(info):
        note((info > 0).any(), _refuse_singular, ())
        note(begins_with_nan(input), _refuse_singular, ())
    elif (info > 0).any() or begins_with_nan(input):
        _refuse_singular()
    swaps = torch.lu_unpack(lu, pivots, unpack_data=False)[0]
    if swaps.numel() == 0:
        return lu, input.new_empty(input.shape[:-1], dtype=output_idx_type.torch)
    return lu, swaps.real.argmax(-2).to(output_idx_type.torch)


def _lu_spec(input: Spec, *, output_idx_type: DType) -> tuple[Spec, ...]:
    dims = square_dims(input)
    return Spec(dims, input.dtype), Spec(dims[:-1], output_idx_type)


LU = op("Lu", "input: T -> lu: T, p: output_idx_type", lu_kernel, _lu_spec, checks=True, T=TYPES)


def expm_kernel(input: torch.Tensor) -> Any:
    """The exponential. Torch's sums of powers are infinite in float16."""
    if input.dtype is torch.float16:
        return torch.linalg.matrix_exp(input.float()).half()
    return torch.linalg.matrix_exp(input)


MATRIX_EXP = op("MatrixExponential", "input: T -> output: T", expm_kernel, square_spec, T=TYPES)


def _by_eigenvalues(
    function: Callable[[torch.Tensor], torch.Tensor],
) -> Callable[[torch.Tensor], torch.Tensor]:
    """A function of matrices with enough eigenvectors, as complex128."""

    def apply_to(matrix: torch.Tensor) -> Any:
        values, vectors = torch.linalg.eig(matrix.to(torch.complex128))
        return torch.linalg.solve_ex(vectors, vectors * function(values)[..., None, :], left=False)[
            0
        ]

    return apply_to


_root_by_eigenvalues = _by_eigenvalues(torch.sqrt)
_log_by_eigenvalues = _by_eigenvalues(torch.log)
_ENOUGH = 1e-10
_MOST_STEPS = 60


def _far(made: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """Which matrices differ from what they should be; True for NaN."""
    distance = torch.linalg.matrix_norm(made - wanted)
    near: torch.Tensor = distance <= _ENOUGH * torch.linalg.matrix_norm(wanted)
    return ~near


def _root(matrix: torch.Tensor) -> torch.Tensor:
    """The principal square root of complex128 matrices; NaN where none was found."""
    root = _root_by_eigenvalues(matrix)
    if not bool(_far(root @ root, matrix).any()):
        return root
    root = torch.where(_far(root @ root, matrix)[..., None, None], _root_by_steps(matrix), root)
    return torch.where(_far(root @ root, matrix)[..., None, None], float("nan"), root)


def _root_by_steps(matrix: torch.Tensor) -> Any:
    """Denman and Beavers' iteration, which needs no eigenvectors."""
    unit = torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
    y, z = matrix, unit.expand(matrix.shape)
    for _ in range(_MOST_STEPS):
        after = 0.5 * (y + torch.linalg.inv_ex(z)[0])
        z = 0.5 * (z + torch.linalg.inv_ex(y)[0])
        if not bool(_far(after, y).any()):
            return after
        y = after
    return y


def sqrtm_kernel(input: torch.Tensor) -> torch.Tensor:
    """The principal square root; NaN where there is none of the input's own type."""
    square_dims(shape_only(input))
    if input.numel() == 0:
        return torch.empty_like(input)
    finite = torch.isfinite(input).all(-1, keepdim=True).all(-2, keepdim=True)
    invertible = torch.linalg.inv_ex(torch.where(finite, input, 0.0))[1] == 0
    possible = finite & invertible[..., None, None]
    unit = torch.eye(input.shape[-1], dtype=input.dtype, device=input.device)
    root = _root(torch.where(possible, input, unit).to(torch.complex128))
    if not input.is_complex():
        imaginary = torch.linalg.matrix_norm(root.imag) > 1e-7 * torch.linalg.matrix_norm(root)
        possible = possible & ~imaginary[..., None, None]
        root = root.real
    return torch.where(possible, root, float("nan")).to(input.dtype)


MATRIX_SQRT = op(
    "MatrixSquareRoot",
    "input: T -> output: T",
    sqrtm_kernel,
    square_spec,
    device_types=CPU_ONLY,
    T=TYPES,
)


def logm_kernel(input: torch.Tensor) -> torch.Tensor:
    """The principal logarithm; NaN for singular matrices."""
    square_dims(shape_only(input))
    if input.numel() == 0:
        return torch.empty_like(input)
    singular = (torch.linalg.inv_ex(input)[1] != 0)[..., None, None]
    unit = torch.eye(input.shape[-1], dtype=torch.complex128, device=input.device)
    matrix = torch.where(singular, unit, input.to(torch.complex128))
    log = _log_by_eigenvalues(matrix)
    wrong = _far(torch.linalg.matrix_exp(log), matrix)
    if bool(wrong.any()):
        log = torch.where(wrong[..., None, None], _log_by_roots(matrix), log)
    return torch.where(singular, float("nan"), log).to(input.dtype)


def _log_by_roots(matrix: torch.Tensor) -> Any:
    """Square roots until it is near the unit matrix, then a series, then doubled as often."""
    unit = torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
    halvings = 0
    while bool((torch.linalg.matrix_norm(matrix - unit) > 0.05).any()) and halvings < _MOST_STEPS:
        matrix, halvings = _root(matrix), halvings + 1
    # log(A) = 2 artanh((A - I) (A + I)^-1), whose series has the odd powers only.
    ratio = torch.linalg.solve_ex(matrix + unit, matrix - unit, left=False)[0]
    squared, power, total = ratio @ ratio, ratio, ratio
    for k in range(3, 16, 2):
        power = power @ squared
        total = total + power / k
    return total * 2.0 ** (halvings + 1)


MATRIX_LOG = op(
    "MatrixLogarithm",
    "input: T -> output: T",
    logm_kernel,
    square_spec,
    device_types=CPU_ONLY,
    T=dtypes.COMPLEX,
)


def _of_matrix(record: Op, input: TensorLike) -> Tensor:
    return apply(record, (to_tensor(input),))


def cholesky(input: TensorLike, name: str | None = None) -> Tensor:
    """The lower triangular L with L L^H = input (`tf.linalg.cholesky`).

    Args:
        input: positive definite matrices, shape (..., n, n); only the lower half is read.
        name: a name in graphs.

    Returns:
        A tensor like `input`, NaN where a matrix is not positive definite.

    Raises:
        InvalidArgumentError: the matrices are not square.

    >>> cholesky([[4.0, 2.0], [2.0, 5.0]]).numpy().tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    return _of_matrix(CHOLESKY, input)


class Qr(NamedTuple):
    """Orthogonal and upper triangular matrices."""

    q: Any
    r: Any


def qr(input: TensorLike, full_matrices: bool = False, name: str | None = None) -> Qr:
    """Matrices as orthogonal times upper triangular ones (`tf.linalg.qr`).

    Args:
        input: a tensor of shape (..., m, n).
        full_matrices: make the orthogonal factors m by m.
        name: a name in graphs.

    Returns:
        q and r.
    """
    return Qr(*apply(QR, (to_tensor(input),), {"full_matrices": bool(full_matrices)}))


def svd(
    tensor: TensorLike,
    full_matrices: bool = False,
    compute_uv: bool = True,
    name: str | None = None,
) -> Any:
    """Returns singular values and vectors (`tf.linalg.svd`): tensor = u diag(s) v^H.

    Args:
        tensor: a tensor of shape (..., m, n).
        full_matrices: make u and v square.
        compute_uv: return u and v too.
        name: a name in graphs.

    Returns:
        s, real and the largest first; or (s, u, v).
    """
    attrs = {"compute_uv": bool(compute_uv), "full_matrices": bool(full_matrices)}
    s, u, v = apply(SVD, (to_tensor(tensor),), attrs)
    s = cast(s, s.dtype.real_dtype) if s.dtype.is_complex else s
    return (s, u, v) if compute_uv else s


def eigh(tensor: TensorLike, name: str | None = None) -> Any:
    """Eigenvalues, the smallest first, and eigenvectors of self-adjoint matrices
    (`tf.linalg.eigh`); only their lower halves are read.

    Raises:
        InvalidArgumentError: the matrices are not square, or have none.
    """
    return tuple(apply(EIGH, (to_tensor(tensor),), {"compute_v": True}))


def eigvalsh(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Eigenvalues of self-adjoint matrices, the smallest first (`tf.linalg.eigvalsh`)."""
    return apply(EIGH, (to_tensor(tensor),), {"compute_v": False})[0]


_COMPLEX_OF = {
    dtypes.float32: dtypes.complex64, dtypes.float64: dtypes.complex128,
    dtypes.float16: dtypes.complex64,
}  # fmt: skip


def eig(tensor: TensorLike, name: str | None = None) -> Any:
    """Eigenvalues and eigenvectors of square matrices, complex, in any order (`tf.linalg.eig`).

    Raises:
        InvalidArgumentError: the matrices are not square, or have none.
    """
    tensor = to_tensor(tensor)
    attrs = {"Tout": _COMPLEX_OF.get(tensor.dtype, tensor.dtype), "compute_v": True}
    return tuple(apply(EIG, (tensor,), attrs))


def eigvals(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Eigenvalues of square matrices, complex, in any order (`tf.linalg.eigvals`)."""
    tensor = to_tensor(tensor)
    attrs = {"Tout": _COMPLEX_OF.get(tensor.dtype, tensor.dtype), "compute_v": False}
    return apply(EIG, (tensor,), attrs)[0]


class Lu(NamedTuple):
    """Both factors in one matrix, and the order of the rows."""

    lu: Any
    p: Any


def lu(input: TensorLike, output_idx_type: DType = dtypes.int32, name: str | None = None) -> Lu:
    """Matrices as products of triangular ones, their rows in another order (`tf.linalg.lu`).

    Args:
        input: invertible matrices, shape (..., n, n).
        output_idx_type: the dtype of the order, int32 or int64.
        name: a name in graphs.

    Returns:
        Both factors in one matrix, and the order of the rows.

    Raises:
        InvalidArgumentError: a matrix is not square or not invertible.
    """
    places = one_of("output_idx_type", output_idx_type, dtypes.INDICES)
    return Lu(*apply(LU, (to_tensor(input),), {"output_idx_type": places}))


def expm(input: TensorLike, name: str | None = None) -> Tensor:
    """The exponential of square matrices (`tf.linalg.expm`).

    Raises:
        ValueError: `input` has neither a floating nor a complex dtype.

    >>> expm([[0.0, 0.0], [0.0, 0.0]]).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    input = to_tensor(input)
    if input.dtype not in TYPES:
        raise ValueError(f"tf.linalg.expm does not support matrices of type {input.dtype}")
    return apply(MATRIX_EXP, (input,))


def logm(input: TensorLike, name: str | None = None) -> Tensor:
    """The principal logarithm of complex square matrices (`tf.linalg.logm`)."""
    return _of_matrix(MATRIX_LOG, input)


def sqrtm(input: TensorLike, name: str | None = None) -> Tensor:
    """The principal square root of square matrices (`tf.linalg.sqrtm`); NaN where there is none.

    >>> sqrtm([[4.0, 0.0], [0.0, 9.0]]).numpy().tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    return _of_matrix(MATRIX_SQRT, input)
