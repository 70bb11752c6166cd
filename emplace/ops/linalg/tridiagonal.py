"""Matrices with few diagonals, given by these: products and systems of equations.

Systems are solved as dense ones: exact and fast for up to some thousand unknowns, while memory
grows with their square.
"""

from __future__ import annotations

from typing import Any, NoReturn

import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.context import LOCAL
from ...core.tensor import Tensor
from ...devices.late import is_late, note
from .. import infer
from ..array.gathering import boolean_mask
from ..array.joining import stack
from ..array.making import range_
from ..array.shaping import expand_dims, size, squeeze
from ..convert import pair, tensors, to_tensor
from ..debugging import assertions
from ..deferred import deferrable, needs_rank
from ..infer import Spec, shape_only
from ..math.complex import real
from ..math.elementwise import abs as absolute, cast, conj, less_equal, logical_and
from ..math.reduction import reduce_max
from ..op import apply, op
from .decomposition import eigh
from .diagonal import diag, diag_part
from .products import matrix_transpose

_TYPES = (dtypes.float64, dtypes.float32, dtypes.complex64, dtypes.complex128)


def tridiagonal_matmul_kernel(
    superdiag: torch.Tensor, maindiag: torch.Tensor, subdiag: torch.Tensor, rhs: torch.Tensor
) -> torch.Tensor:
    """The product of tridiagonal matrices with others."""
    needed = (*rhs.shape[:-2], 1, *rhs.shape[-2:-1])
    if not needed == superdiag.shape == maindiag.shape == subdiag.shape:
        _tridiagonal_matmul_spec(*map(shape_only, (superdiag, maindiag, subdiag, rhs)))
    upper, main, lower = (x.mT for x in (superdiag, maindiag, subdiag))
    pad = torch.nn.functional.pad
    product: torch.Tensor = main * rhs
    product = product + pad(upper[..., :-1, :] * rhs[..., 1:, :], (0, 0, 0, 1))
    return product + pad(lower[..., 1:, :] * rhs[..., :-1, :], (0, 0, 1, 0))


def _tridiagonal_matmul_spec(superdiag: Spec, maindiag: Spec, subdiag: Spec, rhs: Spec) -> Spec:
    dims = infer.known_dims(rhs)
    ranks = [len(infer.known_dims(each)) for each in (superdiag, maindiag, subdiag, rhs)]
    if ranks[0] < 2:
        raise invalid_argument(f"Input tensor 0 must have rank >= 2, got {ranks[0]}")
    if len(set(ranks)) > 1:
        raise invalid_argument("All input tensors must have the same rank.")
    for each in (maindiag, subdiag, rhs):
        if infer.known_dims(each)[:-2] != infer.known_dims(superdiag)[:-2]:
            raise invalid_argument("All input tensors must have the same outer dimensions.")
    for name, each in (("super", superdiag), ("main", maindiag), ("sub", subdiag)):
        if infer.known_dims(each) != (*dims[:-2], 1, dims[-2]):
            raise invalid_argument(f"Invalid {name}diagonal shape.")
    return rhs


TRIDIAGONAL_MATMUL = op(
    "TridiagonalMatMul", "superdiag: T, maindiag: T, subdiag: T, rhs: T -> output: T",
    tridiagonal_matmul_kernel, _tridiagonal_matmul_spec, T=_TYPES,
)  # fmt: skip


def tridiagonal_solve_kernel(
    diagonals: torch.Tensor,
    rhs: torch.Tensor,
    *,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> torch.Tensor:
    """X with matrix X = rhs; NaN where the matrix is singular."""
    upper, main, lower = diagonals.unbind(-2)
    matrix = torch.diag_embed(main)
    if main.shape[-1] > 1:
        matrix = (
            matrix + torch.diag_embed(upper[..., :-1], 1) + torch.diag_embed(lower[..., 1:], -1)
        )
    if perturb_singular:
        size = matrix.abs().amax((-2, -1), keepdim=True) * torch.finfo(matrix.dtype).eps
        unit = torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
        matrix = torch.where(_is_singular(matrix), matrix + size * unit, matrix)
    singular = _is_singular(matrix)
    unit = torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
    found = torch.linalg.solve_ex(torch.where(singular, unit, matrix), rhs)[0]
    # NaN made of what was given, as its gradients are to be NaN, too.
    nan = torch.where(singular, float("nan"), 0.0).to(found.dtype)
    return torch.where(singular, (diagonals.sum((-2, -1), keepdim=True) + rhs) * nan, found)


def _is_singular(matrix: torch.Tensor) -> Any:
    return (torch.linalg.inv_ex(matrix.detach())[1] != 0)[..., None, None]


def _tridiagonal_solve_spec(
    diagonals: Spec, rhs: Spec, *, partial_pivoting: bool = True, perturb_singular: bool = False
) -> Spec:
    return rhs


TRIDIAGONAL_SOLVE = op(
    "TridiagonalSolve", "diagonals: T, rhs: T -> output: T",
    tridiagonal_solve_kernel, _tridiagonal_solve_spec, T=_TYPES,
)  # fmt: skip


def banded_triangular_kernel(
    matrix: torch.Tensor, rhs: torch.Tensor, *, lower: bool = True, adjoint: bool = False
) -> Any:
    """X with matrix X = rhs, the matrix given by its main and further diagonals."""
    is_one_batch = matrix.shape[:-2] == rhs.shape[:-2]
    if not is_one_batch or matrix.ndim < 2 or rhs.ndim < 2 or matrix.shape[-1] != rhs.shape[-2]:
        _banded_spec(shape_only(matrix), shape_only(rhs))
    main = matrix[..., 0 if lower else -1, :]
    if is_late(main):
        note(~(main.abs() > 0).all(), _refuse_singular, ())
    elif not (main.abs() > 0).all():  # nor is what is no number
        _refuse_singular()
    dense = _dense(matrix, lower)
    dense = dense.mH if adjoint else dense
    return torch.linalg.solve_triangular(dense, rhs, upper=lower == adjoint)


def _refuse_singular() -> NoReturn:
    raise invalid_argument("Input matrix is not invertible.")


def _dense(bands: torch.Tensor, lower: bool) -> torch.Tensor:
    size = bands.shape[-1]
    rows = list(bands.unbind(-2))
    dense = torch.zeros((*bands.shape[:-2], size, size), dtype=bands.dtype, device=bands.device)
    for i, row in enumerate(rows if lower else rows[::-1]):
        if i < size:
            kept = row[..., i:] if lower else row[..., : size - i]
            dense = dense + torch.diag_embed(kept, -i if lower else i)
    return dense


def _banded_spec(matrix: Spec, rhs: Spec, *, lower: bool = True, adjoint: bool = False) -> Spec:
    left, right = infer.known_dims(matrix), infer.known_dims(rhs)
    for i, dims in enumerate((left, right)):
        if len(dims) < 2:
            raise invalid_argument(f"In[{i}] ndims must be >= 2: {len(dims)}")
    batch = infer.batch_dims(left, right)
    if left[-1] != right[-2]:
        raise invalid_argument(
            f"In[0] mismatch In[1] shape: {left[-1]} vs. {right[-2]}: {runtime_text(left)} "
            f"{runtime_text(right)}"
        )
    if not LOCAL.state.target.is_eager:  # TF: its kernel takes what its shape rule refuses
        if left[-2] == 0:
            raise ValueError("Number of bands must be positive, but is 0")
        if left[-2] > left[-1]:
            raise ValueError(
                f"Number of bands {left[-2]} cannot exceed the size of the matrix {left[-1]}"
            )
    return Spec((*batch, *right[-2:]), rhs.dtype)


BANDED_TRIANGULAR_SOLVE = op(
    "BandedTriangularSolve", "matrix: T, rhs: T -> output: T",
    banded_triangular_kernel, _banded_spec, checks=True, T=_TYPES,
)  # fmt: skip


@needs_rank
def tridiagonal_matmul(
    diagonals: TensorLike,
    rhs: TensorLike,
    diagonals_format: str = "compact",
    name: str | None = None,
) -> Tensor:
    """Returns the product of tridiagonal matrices with others (`tf.linalg.tridiagonal_matmul`).

    Args:
        diagonals: "compact": a tensor (..., 3, m) of the upper, main and lower diagonal, padded at
            the ends; "sequence": the three; "matrix": the matrices.
        rhs: a tensor of shape (..., m, n).
        diagonals_format: which of these.
        name: a name in graphs.

    Raises:
        ValueError: an unknown format.
        InvalidArgumentError: shapes do not fit.
    """
    parts = _diagonals(diagonals, diagonals_format, rhs)
    rows = [expand_dims(each, -2) for each in parts[:3]]
    return apply(TRIDIAGONAL_MATMUL, (*rows, parts[3]))


def _diagonals(diagonals: Any, form: str, rhs: Any) -> list[Any]:
    """The upper, main and lower diagonal, and the right-hand side, as tensors."""
    if form == "compact":
        diagonals, rhs = pair(diagonals, rhs)
        return [diagonals[..., 0, :], diagonals[..., 1, :], diagonals[..., 2, :], rhs]
    if form == "sequence":
        return tensors([*diagonals, rhs])
    if form == "matrix":
        diagonals, rhs = pair(diagonals, rhs)
        sizes = diagonals.shape.as_list()[-2:]
        if sizes[0] != sizes[1]:
            raise ValueError(
                "Expected last two dimensions of diagonals to be same, got "
                f"{sizes[1]} and {sizes[0]}"
            )
        packed = diag_part(diagonals, k=(-1, 1), align="LEFT_RIGHT")
        return [packed[..., 0, :], packed[..., 1, :], packed[..., 2, :], rhs]
    raise ValueError(f"Unrecognized diagonals_format: {form}")


@deferrable
def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Any:
    """Returns X with matrix X = rhs for tridiagonal matrices (`tf.linalg.tridiagonal_solve`).

    Args:
        diagonals: as in `tridiagonal_matmul`; in "sequence" the outer ones may be shorter.
        rhs: a tensor of shape (..., m) or (..., m, k).
        diagonals_format: as in `tridiagonal_matmul`.
        transpose_rhs: swap the last two axes of `rhs` first.
        conjugate_rhs: conjugate `rhs` first.
        name: a name in graphs.
        partial_pivoting: a hint; rows are always exchanged.
        perturb_singular: move singular matrices a little instead of returning NaN.

    Raises:
        ValueError: shapes do not fit, or an unknown format.
    """
    if perturb_singular and not partial_pivoting:
        raise ValueError("partial_pivoting must be True if perturb_singular is.")
    packed, rhs = _packed(diagonals, diagonals_format, rhs)
    batch = packed.shape.as_list()[:-2]
    is_vector = rhs.ndim == len(batch) + 1
    rhs_batch = rhs.shape.as_list()[: -1 if is_vector else -2]
    if rhs_batch != batch:
        raise ValueError(f"Batch shapes {tuple(batch)} and {tuple(rhs_batch)} are incompatible")
    if is_vector:
        rhs = expand_dims(rhs, -1)
    elif transpose_rhs:
        rhs = matrix_transpose(rhs, conjugate=conjugate_rhs)
    if conjugate_rhs and rhs.dtype.is_complex and (is_vector or not transpose_rhs):
        rhs = conj(rhs)
    if packed.shape.as_list()[-1] != rhs.shape.as_list()[-2]:
        raise ValueError(
            "Expected number of left-hand sided and right-hand sides to be equal, got "
            f"{packed.shape.as_list()[-1]} and {rhs.shape.as_list()[-2]}"
        )
    attrs = {
        "partial_pivoting": bool(partial_pivoting), "perturb_singular": bool(perturb_singular)
    }  # fmt: skip
    solution = apply(TRIDIAGONAL_SOLVE, (packed, rhs), attrs)
    return squeeze(solution, -1) if is_vector else solution


def _packed(diagonals: TensorLike, form: str, rhs: TensorLike) -> tuple[Any, Any]:
    """The three diagonals in one tensor, and the right-hand side."""
    if form == "compact":
        diagonals, rhs = pair(diagonals, rhs)
        if (diagonals.shape.rank or 2) < 2:
            raise ValueError(
                f"Expected diagonals to have rank at least 2, got {diagonals.shape.rank}"
            )
        count = diagonals.shape.as_list()[-2]
        if count not in (3, None):
            raise ValueError(f"Expected 3 diagonals got {count}")
        return diagonals, rhs
    if form == "sequence" and (not isinstance(diagonals, (list, tuple)) or len(diagonals) != 3):
        raise ValueError("Expected diagonals to be a sequence of length 3.")
    upper, main, lower, rhs = _diagonals(diagonals, form, rhs)
    batches = [each.shape[:-1].as_list() for each in (upper, main, lower)]
    if batches.count(batches[0]) < 3:  # TF's sentence
        shapes = ", ".join(str(each.shape) for each in (upper, main, lower))
        raise ValueError(
            "Tensors representing the three diagonals must have the same shape,"
            f"except for the last dimension, got {shapes}"
        )
    size = main.shape.as_list()[-1]
    return stack([_to_length(upper, size, True), main, _to_length(lower, size, False)], -2), rhs


def _to_length(diagonal: Tensor, size: int, behind: bool) -> Tensor:
    """An outer diagonal, padded at its end or its front if it is one shorter."""
    length = diagonal.shape.as_list()[-1]
    if length == size:
        return diagonal
    if length != size - 1:
        raise ValueError(f"Expected {size} or {size - 1} elements in a diagonal, got {length}")
    return apply(PAD_ONE, (diagonal,), {"behind": behind})


def _pad_one_kernel(input: torch.Tensor, *, behind: bool) -> torch.Tensor:
    return torch.nn.functional.pad(input, (0, 1) if behind else (1, 0))


def _pad_one_spec(input: Spec, *, behind: bool) -> Spec:
    dims = infer.known_dims(input)
    return Spec((*dims[:-1], dims[-1] + 1), input.dtype)


PAD_ONE = op("_PadOne", "input: T -> output: T", _pad_one_kernel, _pad_one_spec, T=_TYPES)


def banded_triangular_solve(
    bands: TensorLike,
    rhs: TensorLike,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns X with matrix X = rhs for banded triangular matrices
    (`tf.linalg.banded_triangular_solve`).

    Args:
        bands: a tensor (..., k, m) of the diagonals: the main one first and then those below it,
            padded at their fronts; for upper ones the main one last, padded at their ends.
        rhs: a tensor of shape (..., m, n).
        lower: which of these.
        adjoint: solve with the adjoint.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: shapes do not fit.
    """
    bands, rhs = pair(to_tensor(bands), rhs)
    attrs = {"lower": bool(lower), "adjoint": bool(adjoint)}
    return apply(BANDED_TRIANGULAR_SOLVE, (bands, rhs), attrs)


def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the eigenvalues, the smallest first, of a self-adjoint matrix of three diagonals
    (`tf.linalg.eigh_tridiagonal`).

    Args:
        alpha: its diagonal, (n,); imaginary parts do not count.
        beta: what stands above, (n - 1,).
        eigvals_only: whether no eigenvectors are wanted.
        select: "a": all; "i": those with these places, both included; "v": those in an interval.
        select_range: the places or the ends.
        tol: not used: all are exact.
        name: a name in graphs.

    Returns:
        The eigenvalues, or them and the eigenvectors as columns.

    Raises:
        ValueError: the two are of different types, or `select` is none of the three.
        InvalidArgumentError: `select_range` holds nothing.

    >>> eigh_tridiagonal([2.0, 2.0], [1.0]).numpy().round(4).tolist()
    [1.0, 3.0]
    """
    alpha = to_tensor(alpha)
    if alpha.shape[0] is not None and alpha.shape[0] <= 1:
        return real(alpha)
    beta = to_tensor(beta)
    if alpha.dtype != beta.dtype:
        raise ValueError("'alpha' and 'beta' must have the same type.")
    main = cast(real(alpha), alpha.dtype)
    values, vectors = eigh(diag(main) + diag(conj(beta), k=-1))
    values = real(values)
    if select != "a":
        chosen = _chosen(values, select, select_range)
        values, vectors = boolean_mask(values, chosen), boolean_mask(vectors, chosen, axis=1)
    return values if eigvals_only else (values, vectors)


def _chosen(values: Any, select: str, ends: Any) -> Any:
    """Which eigenvalues are wanted."""
    if select == "i":
        first, last = (to_tensor(each) for each in (ends[0], ends[1]))
        text = "Got empty index range in select_range."
        assertions.assert_less_equal(first, last, message=text)
        places = range_(size(values))
        return logical_and(less_equal(cast(first, places.dtype), places),
                           less_equal(places, cast(last, places.dtype)))  # fmt: skip
    if select != "v":
        raise ValueError("'select must have a value in {'a', 'i', 'v'}.")
    low, high = (to_tensor(each, values.dtype) for each in (ends[0], ends[1]))
    assertions.assert_less(low, high, message="Got empty interval in select_range.")
    slack = _slack(values)
    return logical_and(less_equal(low - slack, values), less_equal(values, high + slack))


def _slack(values: Any) -> Any:
    """TF: an interval is a little wider than it says, by the rounding of the largest number."""
    least = float(torch.finfo(values.dtype.torch).eps)
    count = cast(size(values), values.dtype)
    return 2.1 * least * count * reduce_max(absolute(values))
