"""Gradients of `ops/linalg`."""

from __future__ import annotations

import math
from typing import Any

from ..core.tensor import Tensor
from ..ops.array.making import zeros_like
from ..ops.array.shaping import expand_dims, reshape
from ..ops.linalg import decomposition, diagonal, products, solving
from ..ops.linalg.einsum import EINSUM, Equation, parse
from ..ops.linalg.products import matmul, matrix_transpose
from ..ops.math.complex import complex as complex_, imag
from ..ops.math.elementwise import cast, conj, multiply, negative
from ..ops.op import apply
from .rules import Recorded, generic_gradient, gradient, unbroadcast


@gradient(products.MATMUL)
def matmul_grad(call: Recorded, dy: Tensor) -> Any:
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


def _product(a: Tensor, b: Tensor, transpose_a: bool, transpose_b: bool) -> Tensor:
    """The product of what are known to be two matrices."""
    return apply(products.MATMUL, (a, b), {"transpose_a": transpose_a, "transpose_b": transpose_b})


@gradient(products.BATCH_MATMUL)
def batch_matmul_grad(call: Recorded, dy: Tensor) -> Any:
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
        if (
            y.shape.rank == 2
            and not adj_x
            and x.shape.is_fully_defined()
            and y.shape.is_fully_defined()
        ):
            return dx, _of_shared(x, y, dy, adj_y)
        if adj_y:
            dyy = matmul(dy, x, adjoint_a=True, adjoint_b=adj_x)
        else:
            dyy = matmul(x, dy, adjoint_a=not adj_x)
        dyy = unbroadcast(dyy, y)
    return dx, dyy


def _of_shared(x: Tensor, y: Tensor, dy: Tensor, adj_y: bool) -> Tensor:
    """The gradient of one matrix that many are multiplied by: all their rows in one product, which
    sums as it goes.
    """
    *leading, inner = x.shape.as_list()
    count = math.prod(leading)
    rows, back = reshape(x, [count, inner]), reshape(dy, [count, y.shape[0 if adj_y else 1]])
    if adj_y:
        return _product(conj(back) if x.dtype.is_complex else back, rows, True, False)
    return _product(conj(rows) if x.dtype.is_complex else rows, back, True, False)


@gradient(diagonal.DIAG)
def diag_grad(call: Recorded, dy: Tensor) -> Tensor:
    """What came onto the diagonals."""
    attrs = {"k": call.attrs["k"], "align": call.attrs.get("align", "RIGHT_LEFT")}
    return apply(diagonal.DIAG_PART, (dy,), attrs)


@gradient(diagonal.DIAG_PART)
def diag_part_grad(call: Recorded, dy: Tensor) -> Tensor:
    """Zeros with the gradient on the diagonals."""
    attrs = {"k": call.attrs["k"], "align": call.attrs.get("align", "RIGHT_LEFT")}
    return apply(diagonal.SET_DIAG, (zeros_like(call.inputs[0]), dy), attrs)


@gradient(diagonal.SET_DIAG)
def set_diag_grad(call: Recorded, dy: Tensor) -> Any:
    """Each gets what it is seen in."""
    replaced = call.inputs[1]
    below = part = None
    if call.needs(0):
        below = apply(diagonal.SET_DIAG, (dy, zeros_like(replaced)), call.attrs)
    if call.needs(1):
        part = apply(diagonal.DIAG_PART, (dy,), call.attrs)
    return below, part


@gradient(diagonal.BAND_PART)
def band_part_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The same band of the gradient."""
    return apply(diagonal.BAND_PART, (dy,), call.attrs)


@gradient(diagonal.TENSOR_DIAG)
def tensor_diag_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The diagonal of the gradient."""
    return diagonal.tensor_diag_part(dy)


@gradient(diagonal.TENSOR_DIAG_PART)
def tensor_diag_part_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The gradient on the diagonal."""
    return diagonal.tensor_diag(dy)


@gradient(EINSUM)
def einsum_grad(call: Recorded, dy: Tensor) -> Any:
    """Of two factors: the gradient times the other one, summed over the axes it adds."""
    parsed = parse(call.attrs["equation"])
    if not _is_plain(parsed):
        return generic_gradient(call, [dy])
    (a, b), out = parsed.inputs, parsed.output
    x, y = call.inputs
    if x.dtype.is_complex:
        x, y = conj(x), conj(y)
    dx = apply(EINSUM, (dy, y), {"equation": f"{out},{b}->{a}"}) if call.needs(0) else None
    dyy = apply(EINSUM, (x, dy), {"equation": f"{a},{out}->{b}"}) if call.needs(1) else None
    return dx, dyy


def _is_plain(parsed: Equation) -> bool:
    """Two inputs without axes that repeat, broadcast or vanish on their own."""
    if len(parsed.inputs) != 2 or "@" in "".join(parsed.inputs):
        return False
    a, b = parsed.inputs
    known_a, known_b = {*b, *parsed.output}, {*a, *parsed.output}
    unique = len(set(a)) == len(a) and len(set(b)) == len(b)
    return unique and known_a.issuperset(a) and known_b.issuperset(b)


@gradient(solving.INVERSE)
def inverse_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The inverse on both sides."""
    inverse = call.outputs[0]
    adjoint = call.attrs.get("adjoint", False)
    inner = matmul(dy, inverse, adjoint_a=adjoint, adjoint_b=not adjoint)
    return negative(matmul(inverse, inner, adjoint_a=not adjoint))


@gradient(solving.DETERMINANT)
def determinant_grad(call: Recorded, dy: Tensor) -> Tensor:
    """The cofactors, by the inverse: a singular matrix is refused, as in TensorFlow."""
    inverse = solving.inv(call.inputs[0], adjoint=True)
    return _per_matrix(multiply(dy, conj(call.outputs[0]))) * inverse


@gradient(solving.LOG_DETERMINANT)
def log_determinant_grad(call: Recorded, d_sign: Any, dy: Any) -> Tensor:
    """The inverse; the sign of real numbers stays as it is, and that of complex ones turns."""
    sign = call.outputs[0]
    share = zeros_like(sign) if dy is None else dy
    if d_sign is not None and sign.dtype.is_complex:
        turn = imag(multiply(d_sign, conj(sign)))
        share = share + complex_(zeros_like(turn), turn)
    return _per_matrix(share) * solving.inv(call.inputs[0], adjoint=True)


def _per_matrix(x: Tensor) -> Tensor:
    return expand_dims(expand_dims(x, -1), -1)


@gradient(decomposition.EIGH)
def eigh_grad(call: Recorded, d_values: Any, d_vectors: Any) -> Any:
    """That of the lower half, which alone is read. Equal values have vectors of any direction, so
    their turns do not count.
    """
    values, vectors = call.outputs
    if not call.attrs.get("compute_v", True):
        values, vectors = apply(decomposition.EIGH, call.inputs, {"compute_v": True})
    inner = diagonal.diag(zeros_like(values) if d_values is None else d_values)
    if d_vectors is not None and call.attrs.get("compute_v", True):
        turned = matmul(vectors, d_vectors, adjoint_a=True)
        inner = inner + cast(_share_of_gaps(values), turned.dtype) * turned
    whole = matmul(matmul(vectors, inner), vectors, adjoint_b=True)
    # The imaginary half of a gradient moves no values, which are real.
    both = whole + matrix_transpose(whole, conjugate=True)
    lower = diagonal.band_part(both, -1, 0)
    return diagonal.set_diag(lower, 0.5 * diagonal.diag_part(both))


@gradient(decomposition.CHOLESKY)
def cholesky_grad(call: Recorded, dy: Tensor) -> Any:
    """That of one half stands for both: it is Hermitian, as the matrix is."""
    whole = generic_gradient(call, [dy])[0]
    if not dy.dtype.is_complex:
        return whole
    return 0.5 * (whole + matrix_transpose(whole, conjugate=True))


def _share_of_gaps(values: Tensor) -> Tensor:
    """1 / (value j - value i) for each pair, and 0 where they are the same."""
    shares = _inverse_or_zero(expand_dims(values, -2) - expand_dims(values, -1))
    # A value and itself are no pair, also for the gradient of this, which is steep at 0.
    return diagonal.set_diag(shares, zeros_like(values))


def _inverse_or_zero(x: Tensor) -> Tensor:
    """1 / x, which falls to 0 where x does, as in TensorFlow."""
    return x / (x * x + 1e-20)


@gradient(decomposition.SVD)
def svd_grad(call: Recorded, d_values: Any, d_left: Any, d_right: Any) -> Any:
    """By the gaps between the squares of the values; what spans no value has no share."""
    values, left, right = call.outputs
    is_square = call.inputs[0].shape[-1] == call.inputs[0].shape[-2]
    is_whole = call.attrs.get("full_matrices", False) and not is_square
    if not call.attrs.get("compute_uv", True) or is_whole or values.dtype.is_complex:
        return generic_gradient(call, (d_values, d_left, d_right))[0]
    gaps = _share_of_gaps(values * values)
    inner = diagonal.diag(zeros_like(values) if d_values is None else d_values)
    across, down = expand_dims(values, -2), expand_dims(values, -1)
    outside: Any = 0.0
    if d_left is not None:
        turned = matmul(left, d_left, adjoint_a=True)
        inner = inner + _both_ways(gaps * turned) * across
        if left.shape[-2] != left.shape[-1]:
            rest = (d_left - matmul(left, turned)) * _inverse_or_zero(across)
            outside = outside + matmul(rest, right, adjoint_b=True)
    if d_right is not None:
        turned = matmul(right, d_right, adjoint_a=True)
        inner = inner + _both_ways(gaps * turned) * down
        if right.shape[-2] != right.shape[-1]:
            rest = (d_right - matmul(right, turned)) * _inverse_or_zero(across)
            outside = outside + matmul(left, rest, adjoint_b=True)
    return matmul(matmul(left, inner), right, adjoint_b=True) + outside


def _both_ways(x: Tensor) -> Tensor:
    return x + matrix_transpose(x)


@gradient(solving.SOLVE)
def solve_grad(call: Recorded, dy: Tensor) -> Any:
    """One more system, with the adjoint matrix."""
    matrix, _ = call.inputs
    adjoint = call.attrs.get("adjoint", False)
    d_rhs = apply(solving.SOLVE, (matrix, dy), {"adjoint": not adjoint})
    return _of_the_matrix(call, d_rhs, adjoint), d_rhs


def _of_the_matrix(call: Recorded, d_rhs: Tensor, adjoint: bool) -> Any:
    """The gradient of a matrix X = rhs for the matrix, from that for the right-hand side."""
    if not call.needs(0):
        return None
    solution = call.outputs[0]
    if adjoint:
        return negative(matmul(solution, d_rhs, adjoint_b=True))
    return negative(matmul(d_rhs, solution, adjoint_b=True))


@gradient(solving.TRIANGULAR_SOLVE)
def triangular_solve_grad(call: Recorded, dy: Tensor) -> Any:
    """The same, of which one half belongs to the matrix."""
    matrix, rhs = call.inputs
    lower, adjoint = call.attrs["lower"], call.attrs["adjoint"]
    attrs = {"lower": lower, "adjoint": not adjoint}
    d_rhs = apply(solving.TRIANGULAR_SOLVE, (matrix, dy), attrs)
    d_matrix = _of_the_matrix(call, d_rhs, adjoint)
    if d_matrix is not None:
        d_matrix = diagonal.band_part(d_matrix, -1, 0) if lower else diagonal.band_part(
            d_matrix, 0, -1)  # fmt: skip
        d_matrix = unbroadcast(d_matrix, matrix)
    return d_matrix, unbroadcast(d_rhs, rhs)


@gradient(decomposition.QR)
def qr_grad(call: Recorded, *dy: Any) -> Any:
    """Q R; the columns of a full Q that R does not meet may be any, so they have no gradient.

    Raises:
        NotImplementedError: there are such columns.
    """
    rows, columns = call.inputs[0].shape.as_list()[-2:]
    if call.attrs.get("full_matrices", False) and rows > columns:
        raise NotImplementedError(
            "QrGrad not implemented when nrows > ncols and full_matrices is true. Received "
            f"r.shape={call.outputs[1].shape} with nrows={rows} and ncols={columns}. Leave "
            "full_matrices out: the columns that it adds may be any."
        )
    return generic_gradient(call, dy)


@gradient(decomposition.MATRIX_SQRT)
def sqrtm_grad(call: Recorded, dy: Tensor) -> Tensor:
    """S with root^H S + S root^H = dy, as one system for all elements of S."""
    root = matrix_transpose(call.outputs[0], conjugate=True)
    dims = root.shape.as_list()
    *batch, n = dims[:-1]
    unit = diagonal.eye(n, dtype=root.dtype)
    left = reshape(root, [*batch, n, 1, n, 1]) * reshape(unit, [1, n, 1, n])
    turned = matrix_transpose(root)
    right = reshape(unit, [n, 1, n, 1]) * reshape(turned, [*batch, 1, n, 1, n])
    system = reshape(left + right, [*batch, n * n, n * n])
    return reshape(solving.solve(system, reshape(dy, [*batch, n * n, 1])), dims)
