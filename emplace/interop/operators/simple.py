"""The operators that are known by one tensor: diagonals, triangles, whole matrices, identities."""

from __future__ import annotations

from math import nan
from typing import Any, ClassVar

import numpy as np

from ...base import dtypes
from ...base.dtypes import as_dtype
from ...base.errors import invalid_argument
from ...base.shapes import TensorShape
from ...base.typing import DTypeLike, ShapeLike, TensorLike
from ...core.tensor import Tensor
from ...ops.array.joining import concat
from ...ops.array.making import ones, zeros
from ...ops.array.select import where
from ...ops.array.shaping import broadcast_to, expand_dims, shape
from ...ops.convert import to_tensor
from ...ops.debugging import assertions
from ...ops.linalg.diagonal import band_part, diag, diag_part, eye, set_diag
from ...ops.linalg.products import matmul
from ...ops.linalg.solving import triangular_solve
from ...ops.math.complex import real
from ...ops.math.elementwise import abs as absolute, cast, conj, equal, log, sqrt
from ...ops.math.reduction import reduce_max, reduce_min, reduce_prod, reduce_sum
from .base import (
    TRIANGULAR,
    DenseOperator,
    Flag,
    LinearOperator,
    arguments_of,
    check_inexact,
    parameter,
    with_batches,
)
from .slicing import fitting


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
        check_inexact(self._tril, "tril")
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
        check_inexact(self._diag, "diag")
        if self._diag.shape.rank == 0:
            raise ValueError(f"Argument `diag` must have at least 1 dimension. Received: {diag!r}.")
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
        return LinearOperatorDiag(conj(to_tensor(self._diag)), **self._hints())

    def _inverse(self) -> LinearOperator:
        return LinearOperatorDiag(1.0 / to_tensor(self._diag), **self._hints(True))

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorDiag(sqrt(to_tensor(self._diag)), is_non_singular=True,
                                  is_self_adjoint=True, is_positive_definite=True)  # fmt: skip

    def _hints(self, is_non_singular: Flag = None) -> dict[str, Any]:
        return {
            "is_non_singular": is_non_singular or self.is_non_singular,
            "is_self_adjoint": self.is_self_adjoint,
            "is_positive_definite": self.is_positive_definite,
        }

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


class _Sized(LinearOperator):
    """What has a number of rows and batch dimensions instead of a tensor."""

    def _set_sizes(self, num_rows: Any, batch_shape: Any) -> None:
        self._rows = int(num_rows)
        self._batch = TensorShape(batch_shape or [])

    def _shape(self) -> TensorShape:
        return self._batch.concatenate([self._rows, self._rows])

    def _sliced(self, places: Any, batch: Any) -> Any:
        if self._inner:
            return super()._sliced(places, batch)
        own = self._batch.as_list()
        if not own:  # the same for all of the batch
            return self
        own = [1] * (len(batch) - len(own)) + own
        picks = tuple(
            int(each) if isinstance(each, Tensor) else each for each in fitting(places, batch, own)
        )
        left = np.broadcast_to(np.zeros(()), own)[picks].shape
        return type(self)(**{**self.parameters, "batch_shape": left})


class LinearOperatorIdentity(_Sized):
    """A batch of identity matrices (`tf.linalg.LinearOperatorIdentity`).

    Args:
        num_rows: how many rows and columns.
        batch_shape: the batch dimensions; None for none.
        dtype: float32 if None.
        is_non_singular: True.
        is_self_adjoint: True.
        is_positive_definite: True.
        is_square: True.
        assert_proper_shapes: not used.
        name: its name.
    """

    def __init__(
        self, num_rows: TensorLike, batch_shape: ShapeLike | None = None,
        dtype: DTypeLike | None = None, is_non_singular: Flag = True,
        is_self_adjoint: Flag = True, is_positive_definite: Flag = True, is_square: Flag = True,
        assert_proper_shapes: bool = False, name: str = "LinearOperatorIdentity",
    ) -> None:  # fmt: skip
        given = dict(locals())
        if not all((is_non_singular, is_self_adjoint, is_positive_definite, is_square)):
            raise ValueError("An identity operator is always self-adjoint, non-singular, positive "
                             "definite and square.")  # fmt: skip
        self._set_sizes(num_rows, batch_shape)
        super().__init__(
            as_dtype(dtype or dtypes.float32), None, True, True, True, True, name,
            arguments_of(given),
        )  # fmt: skip

    def _broadcast(self, x: Any) -> Any:
        if not self._batch.rank:
            return x
        batch = TensorShape([*self._batch, 1, 1])
        return x + zeros(batch.as_list(), self.dtype)

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return self._broadcast(x)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return self._broadcast(rhs)

    def _to_dense(self) -> Any:
        return eye(self._rows, batch_shape=self._batch.as_list(), dtype=self.dtype)

    def _diag_part(self) -> Any:
        return ones([*self._batch.as_list(), self._rows], self.dtype)

    def _determinant(self) -> Any:
        return ones(self._batch.as_list(), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return zeros(self._batch.as_list(), self.dtype)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _cond(self) -> Any:
        return ones(self._batch.as_list(), self.dtype)

    def _assert_non_singular(self) -> Any:
        return None

    def _assert_positive_definite(self) -> Any:
        return None

    def _inverse(self) -> LinearOperator:
        return self

    def _cholesky(self) -> LinearOperator:
        return self

    def add_to_tensor(self, mat: TensorLike, name: str = "add_to_tensor") -> Any:
        """Returns the sum with a matrix."""
        value = self._argument(mat, "mat")
        return set_diag(value, diag_part(value) + 1)


class LinearOperatorScaledIdentity(_Sized):
    """A batch of identity matrices, each times a number (`tf.linalg.LinearOperatorScaledIdentity`).

    Args:
        num_rows: how many rows and columns.
        multiplier: the numbers, of the batch's shape.
        is_non_singular: see `LinearOperator`.
        is_self_adjoint: see `LinearOperator`; True if the numbers are real.
        is_positive_definite: see `LinearOperator`.
        is_square: True.
        assert_proper_shapes: not used.
        name: its name.
    """

    _inner: ClassVar[dict[str, Any]] = {"multiplier": 0}

    def __init__(
        self, num_rows: TensorLike, multiplier: TensorLike, is_non_singular: Flag = None,
        is_self_adjoint: Flag = None, is_positive_definite: Flag = None, is_square: Flag = True,
        assert_proper_shapes: bool = False, name: str = "LinearOperatorScaledIdentity",
    ) -> None:  # fmt: skip
        given = dict(locals())
        self._multiplier = parameter(multiplier, "multiplier")
        check_inexact(self._multiplier, "multiplier")
        if not self._multiplier.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real multiplier always makes a self adjoint operator.")
            is_self_adjoint = True
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        self._set_sizes(num_rows, self._multiplier.shape)
        super().__init__(
            self._multiplier.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite,
            True, name, arguments_of(given),
        )  # fmt: skip

    @property
    def multiplier(self) -> Any:
        """The numbers."""
        return self._multiplier

    def _factor(self, adjoint: bool) -> Any:
        value = to_tensor(self._multiplier)
        return expand_dims(expand_dims(conj(value) if adjoint else value, -1), -1)

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return x * self._factor(adjoint)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return rhs / self._factor(adjoint)

    def _diag_part(self) -> Any:
        value = to_tensor(self._multiplier)
        return broadcast_to(expand_dims(value, -1), [*value.shape.as_list(), self._rows])

    def _determinant(self) -> Any:
        return to_tensor(self._multiplier) ** self._rows

    def _log_abs_determinant(self) -> Any:
        return log(absolute(to_tensor(self._multiplier))) * self._rows

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _cond(self) -> Any:
        value = to_tensor(self._multiplier)
        return where(equal(value, 0), cast(nan, self.dtype), cast(1, self.dtype))

    def _assert_non_singular(self) -> Any:
        value = absolute(to_tensor(self._multiplier))
        return assertions.assert_positive(value, message="LinearOperator was singular")

    def _assert_positive_definite(self) -> Any:
        value = real(to_tensor(self._multiplier))
        text = "LinearOperator was not positive definite."
        return assertions.assert_positive(value, message=text)

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorScaledIdentity(self._rows, conj(to_tensor(self._multiplier)))

    def _inverse(self) -> LinearOperator:
        return LinearOperatorScaledIdentity(
            self._rows, 1.0 / to_tensor(self._multiplier), True, self.is_self_adjoint,
            self.is_positive_definite,
        )  # fmt: skip

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorScaledIdentity(
            self._rows, sqrt(to_tensor(self._multiplier)), True, True, True
        )

    def add_to_tensor(self, mat: TensorLike, name: str = "add_to_tensor") -> Any:
        """Returns the sum with a matrix."""
        value = self._argument(mat, "mat")
        return set_diag(value, diag_part(value) + expand_dims(to_tensor(self._multiplier), -1))


class LinearOperatorZeros(_Sized):
    """A batch of matrices of zeros (`tf.linalg.LinearOperatorZeros`).

    Args:
        num_rows: how many rows.
        num_columns: how many columns; as many if None.
        batch_shape: the batch dimensions; None for none.
        dtype: float32 if None.
        is_non_singular: False.
        is_self_adjoint: see `LinearOperator`.
        is_positive_definite: False.
        is_square: see `LinearOperator`.
        assert_proper_shapes: not used.
        name: its name.
    """

    def __init__(
        self, num_rows: TensorLike, num_columns: TensorLike | None = None,
        batch_shape: ShapeLike | None = None, dtype: DTypeLike | None = None,
        is_non_singular: Flag = False, is_self_adjoint: Flag = True,
        is_positive_definite: Flag = False, is_square: Flag = True,
        assert_proper_shapes: bool = False, name: str = "LinearOperatorZeros",
    ) -> None:  # fmt: skip
        given = dict(locals())
        if is_non_singular or is_positive_definite:
            raise ValueError("A Zeros operator is always singular and never positive definite.")
        if is_square and is_self_adjoint is False:
            raise ValueError("A square Zeros operator is always self adjoint.")
        self._set_sizes(num_rows, batch_shape)
        self._columns = self._rows if num_columns is None else int(num_columns)  # type: ignore[arg-type]
        if self._columns != self._rows and is_square:
            raise ValueError(
                f"LinearOperatorZeros initialized as is_square=True, but got "
                f"num_rows({self._rows}) != num_columns({self._columns})"
            )
        super().__init__(
            as_dtype(dtype or dtypes.float32), None, False, is_self_adjoint, False, is_square,
            name, arguments_of(given),
        )  # fmt: skip

    def _shape(self) -> TensorShape:
        return self._batch.concatenate([self._rows, self._columns])

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        left = zeros(self.shape.as_list(), self.dtype)
        return matmul(left, x, adjoint_a=adjoint)

    def _to_dense(self) -> Any:
        return zeros(self.shape.as_list(), self.dtype)

    def _determinant(self) -> Any:
        return zeros(self._batch.as_list(), self.dtype)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _assert_non_singular(self) -> Any:
        raise invalid_argument("Zero operators are always non-invertible.")

    def _assert_positive_definite(self) -> Any:
        raise invalid_argument("Zero operators are always non-positive definite.")


TRIANGULAR.bind(LinearOperatorLowerTriangular)
