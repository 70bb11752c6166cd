"""The operators that are known by one tensor: diagonals, triangles, whole matrices, identities."""

from __future__ import annotations

from typing import Any, ClassVar

from ...base.shapes import TensorShape
from ...base.typing import TensorLike
from ...ops.array.joining import concat
from ...ops.array.making import zeros_like
from ...ops.array.shaping import expand_dims, shape
from ...ops.convert import to_tensor
from ...ops.debugging import assertions
from ...ops.linalg.diagonal import band_part, diag, diag_part, set_diag
from ...ops.linalg.solving import triangular_solve
from ...ops.math.complex import imag, real
from ...ops.math.elementwise import abs as absolute, cast, conj, log, sqrt
from ...ops.math.reduction import reduce_max, reduce_min, reduce_prod, reduce_sum
from .base import (
    TRIANGULAR,
    DenseOperator,
    Flag,
    LinearOperator,
    arguments_of,
    check_inexact,
    check_rank,
    parameter,
    with_batches,
)


class LinearOperatorFullMatrix(DenseOperator):
    """A batch of matrices as they are (`tf.linalg.LinearOperatorFullMatrix`).

    Args:
        matrix: (..., rows, columns), floating or complex.
        is_non_singular: see `LinearOperator`.
        is_self_adjoint: see `LinearOperator`.
        is_positive_definite: see `LinearOperator`.
        is_square: see `LinearOperator`.
        name: its name.
    """

    _inner: ClassVar[dict[str, Any]] = {"matrix": 2}

    def __init__(
        self, matrix: TensorLike, is_non_singular: Flag = None, is_self_adjoint: Flag = None,
        is_positive_definite: Flag = None, is_square: Flag = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:  # fmt: skip
        given = dict(locals())
        self._matrix = parameter(matrix, "matrix")
        check_inexact(self._matrix, "matrix")
        if self._matrix.shape.rank is not None and self._matrix.shape.rank < 2:
            raise ValueError(
                f"Argument `matrix` must have at least 2 dimensions. Received: {matrix!r}."
            )
        super().__init__(
            self._matrix.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite,
            is_square, name, arguments_of(given),
        )  # fmt: skip

    @property
    def matrix(self) -> Any:
        """The matrices."""
        return self._matrix

    def _shape(self) -> TensorShape:
        return self._matrix.shape  # type: ignore[no-any-return]

    def _dense(self) -> Any:
        return to_tensor(self._matrix)


class LinearOperatorLowerTriangular(DenseOperator):
    """A batch of lower triangular matrices (`tf.linalg.LinearOperatorLowerTriangular`).

    Args:
        tril: (..., n, n); what stands above the diagonal does not count.
        is_non_singular: see `LinearOperator`.
        is_self_adjoint: see `LinearOperator`.
        is_positive_definite: see `LinearOperator`.
        is_square: see `LinearOperator`.
        name: its name.
    """

    _inner: ClassVar[dict[str, Any]] = {"tril": 2}

    def __init__(
        self, tril: TensorLike, is_non_singular: Flag = None, is_self_adjoint: Flag = None,
        is_positive_definite: Flag = None, is_square: Flag = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:  # fmt: skip
        given = dict(locals())
        if is_square is False:
            raise ValueError("Only square lower triangular operators supported at this time.")
        self._tril = parameter(tril, "tril")
        check_rank(self._tril, "tril", 2)
        super().__init__(
            self._tril.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True,
            name, arguments_of(given),
        )  # fmt: skip

    @property
    def tril(self) -> Any:
        """The matrices."""
        return self._tril

    def _get_diag(self) -> Any:
        """The elements of the diagonals: classes of libraries ask."""
        return self._diag_part()

    def _dense(self) -> Any:
        return band_part(to_tensor(self._tril), -1, 0)

    def _shape(self) -> TensorShape:
        return self._tril.shape  # type: ignore[no-any-return]

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return triangular_solve(*with_batches(self._dense(), rhs), lower=True, adjoint=adjoint)

    def _diag_part(self) -> Any:
        return diag_part(to_tensor(self._tril))

    def _determinant(self) -> Any:
        return reduce_prod(self._diag_part(), -1)

    def _log_abs_determinant(self) -> Any:
        return reduce_sum(log(absolute(self._diag_part())), -1)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _assert_non_singular(self) -> Any:
        text = "Singular operator:  Diagonal contained zero values."
        zero = cast(0, self.dtype.real_dtype)
        return assertions.assert_less(zero, absolute(self._diag_part()), message=text)


class LinearOperatorDiag(LinearOperator):
    """A batch of diagonal matrices (`tf.linalg.LinearOperatorDiag`).

    Args:
        diag: (..., n), floating or complex.
        is_non_singular: see `LinearOperator`.
        is_self_adjoint: see `LinearOperator`; True if the elements are real.
        is_positive_definite: see `LinearOperator`.
        is_square: see `LinearOperator`.
        name: its name.
    """

    _inner: ClassVar[dict[str, Any]] = {"diag": 1}

    def __init__(
        self, diag: TensorLike, is_non_singular: Flag = None, is_self_adjoint: Flag = None,
        is_positive_definite: Flag = None, is_square: Flag = None,
        name: str = "LinearOperatorDiag",
    ) -> None:  # fmt: skip
        given = dict(locals())
        self._diag = parameter(diag, "diag")
        check_rank(self._diag, "diag", 1)
        if not self._diag.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            is_self_adjoint = True
        if is_square is False:
            raise ValueError("Only square diagonal operators currently supported.")
        super().__init__(
            self._diag.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True,
            name, arguments_of(given),
        )  # fmt: skip

    @property
    def diag(self) -> Any:
        """The diagonals."""
        return self._diag

    def _shape(self) -> TensorShape:
        sizes = self._diag.shape
        return sizes.concatenate(sizes[-1:])  # type: ignore[no-any-return]

    def _shape_tensor(self) -> Any:
        sizes = shape(self._diag)
        return concat([sizes, sizes[-1:]], 0)

    def _column(self, adjoint: bool) -> Any:
        values = to_tensor(self._diag)
        return expand_dims(conj(values) if adjoint else values, -1)

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return self._column(adjoint) * x

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return rhs / self._column(adjoint)

    def _to_dense(self) -> Any:
        return diag(to_tensor(self._diag))

    def _diag_part(self) -> Any:
        return to_tensor(self._diag)

    def add_to_tensor(self, x: TensorLike, name: str = "add_to_tensor") -> Any:
        """Returns the sum with a matrix."""
        value = self._argument(x, "x")
        return set_diag(value, diag_part(value) + self._diag)

    def _determinant(self) -> Any:
        return reduce_prod(to_tensor(self._diag), -1)

    def _log_abs_determinant(self) -> Any:
        found = reduce_sum(log(absolute(to_tensor(self._diag))), -1)
        return cast(found, self.dtype) if self.dtype.is_complex else found

    def _eigvals(self) -> Any:
        return to_tensor(self._diag)

    def _cond(self) -> Any:
        values = absolute(to_tensor(self._diag))
        return reduce_max(values, -1) / reduce_min(values, -1)

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorDiag(conj(to_tensor(self._diag)), **self._said())

    def _inverse(self) -> LinearOperator:
        return LinearOperatorDiag(1.0 / to_tensor(self._diag), **self._said())

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorDiag(sqrt(to_tensor(self._diag)), is_non_singular=True,
                                  is_self_adjoint=True, is_positive_definite=True)  # fmt: skip

    def _assert_self_adjoint(self) -> Any:
        part = imag(to_tensor(self._diag))
        text = (
            "This diagonal operator contained non-zero imaginary values.   Thus it was not "
            "self-adjoint."
        )
        return assertions.assert_equal(zeros_like(part), part, message=text)

    def _assert_non_singular(self) -> Any:
        text = "Singular operator:  Diagonal contained zero values."
        zero = cast(0, self.dtype.real_dtype)
        return assertions.assert_less(zero, absolute(to_tensor(self._diag)), message=text)

    def _assert_positive_definite(self) -> Any:
        entries = (
            "Diagonal operator had diagonal entries with non-positive real part"
            if self.dtype.is_complex
            else "Real diagonal operator had non-positive diagonal entries"
        )
        text = f"{entries}, thus was not positive definite."
        return assertions.assert_positive(real(to_tensor(self._diag)), message=text)


def _triangle(matrix: Any) -> LinearOperator:
    """The operator of a Cholesky decomposition."""
    return LinearOperatorLowerTriangular(
        matrix, is_non_singular=True, is_self_adjoint=False, is_square=True
    )


TRIANGULAR.bind(_triangle)
