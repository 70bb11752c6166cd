"""Linear operators with a pattern: permutations, reflections, constant diagonals."""

from __future__ import annotations

from typing import Any, ClassVar

from ...base import dtypes
from ...base.dtypes import as_dtype
from ...base.errors import invalid_argument
from ...base.shapes import TensorShape
from ...base.typing import DTypeLike, TensorLike
from ...ops.array.gathering import gather
from ...ops.array.joining import concat
from ...ops.array.making import ones, range_, zeros
from ...ops.array.shaping import broadcast_dynamic_shape, broadcast_to, expand_dims, shape
from ...ops.convert import to_tensor
from ...ops.linalg.diagonal import eye
from ...ops.linalg.products import adjoint as adjoint_of, matmul
from ...ops.math.elementwise import cast, conj, equal, sqrt
from ...ops.math.reduction import reduce_sum
from .base import (
    DenseOperator,
    Flag,
    LinearOperator,
    arguments_of,
    check_inexact,
    parameter,
)


class LinearOperatorPermutation(DenseOperator):
    """A batch of matrices that permute (`tf.linalg.LinearOperatorPermutation`).

    Args:
        perm: (..., n), integers: row i of a product is row perm[i] of what it is with.
        dtype: of the elements.
        is_non_singular: True.
        is_self_adjoint: see `LinearOperator`.
        is_positive_definite: see `LinearOperator`.
        is_square: True.
        name: its name.
    """

    _inner: ClassVar[dict[str, Any]] = {"perm": 1}

    def __init__(
        self, perm: TensorLike, dtype: DTypeLike = dtypes.float32, is_non_singular: Flag = None,
        is_self_adjoint: Flag = None, is_positive_definite: Flag = None, is_square: Flag = None,
        name: str = "LinearOperatorPermutation",
    ) -> None:  # fmt: skip
        given = dict(locals())
        self._perm = parameter(perm, "perm")
        if is_non_singular is False or is_square is False:
            raise ValueError("A Permutation operator is always non-singular and square.")
        super().__init__(
            as_dtype(dtype), None, is_non_singular, is_self_adjoint, is_positive_definite, True,
            name, arguments_of(given),
        )  # fmt: skip

    @property
    def perm(self) -> Any:
        """The permutations."""
        return self._perm

    def _shape(self) -> TensorShape:
        sizes = self._perm.shape
        return sizes.concatenate(sizes[-1:])  # type: ignore[no-any-return]

    def _dense(self) -> Any:
        perm = to_tensor(self._perm)
        columns = cast(range_(perm.shape[-1]), perm.dtype)
        return cast(equal(columns, expand_dims(perm, -1)), self.dtype)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return matmul(self._dense(), rhs, adjoint_a=not adjoint)

    def _log_abs_determinant(self) -> Any:
        return zeros(self.batch_shape.as_list(), self.dtype)

    def _cond(self) -> Any:
        return ones(self.batch_shape.as_list(), self.dtype)

    def _assert_non_singular(self) -> Any:
        return None


class LinearOperatorHouseholder(DenseOperator):
    """A batch of reflections (`tf.linalg.LinearOperatorHouseholder`).

    Args:
        reflection_axis: (..., n): the vector that turns around.
        is_non_singular: True.
        is_self_adjoint: True.
        is_positive_definite: False.
        is_square: True.
        name: its name.
    """

    _inner: ClassVar[dict[str, Any]] = {"reflection_axis": 1}

    def __init__(
        self, reflection_axis: TensorLike, is_non_singular: Flag = None,
        is_self_adjoint: Flag = None, is_positive_definite: Flag = None, is_square: Flag = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:  # fmt: skip
        given = dict(locals())
        self._axis = parameter(reflection_axis, "reflection_axis")
        check_inexact(self._axis, "reflection_axis")
        if is_positive_definite:
            raise ValueError("Householder operator is non-positive definite.")
        if is_self_adjoint is False or is_square is False:
            raise ValueError("A Householder operator is always self adjoint and square.")
        super().__init__(
            self._axis.dtype, None, is_non_singular, True, False, True, name, arguments_of(given)
        )

    @property
    def reflection_axis(self) -> Any:
        """The vectors."""
        return self._axis

    def _shape(self) -> TensorShape:
        sizes = self._axis.shape
        return sizes.concatenate(sizes[-1:])  # type: ignore[no-any-return]

    def _dense(self) -> Any:
        axis = to_tensor(self._axis)
        column = expand_dims(axis / sqrt(reduce_sum(axis * conj(axis), -1, keepdims=True)), -1)
        return eye(axis.shape[-1], dtype=self.dtype) - 2.0 * matmul(column, adjoint_of(column))

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return self._matmul(rhs, adjoint)

    def _determinant(self) -> Any:
        return -ones(self.batch_shape.as_list(), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return zeros(self.batch_shape.as_list(), self.dtype)

    def _cond(self) -> Any:
        return ones(self.batch_shape.as_list(), self.dtype)

    def _assert_non_singular(self) -> Any:
        return None

    def _assert_positive_definite(self) -> Any:
        raise invalid_argument("Householder operators are always non-positive definite.")

    def _inverse(self) -> LinearOperator:
        return self


class LinearOperatorToeplitz(DenseOperator):
    """A batch of matrices that are constant along diagonals (`tf.linalg.LinearOperatorToeplitz`).

    Args:
        col: (..., n): the first column.
        row: (..., n): the first row.
        is_non_singular: see `LinearOperator`.
        is_self_adjoint: see `LinearOperator`.
        is_positive_definite: see `LinearOperator`.
        is_square: True.
        name: its name.
    """

    _inner: ClassVar[dict[str, Any]] = {"col": 1, "row": 1}

    def __init__(
        self, col: TensorLike, row: TensorLike, is_non_singular: Flag = None,
        is_self_adjoint: Flag = None, is_positive_definite: Flag = None, is_square: Flag = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:  # fmt: skip
        given = dict(locals())
        self._row, self._col = parameter(row, "row"), parameter(col, "col")
        if is_square is False:
            raise ValueError("Only square Toeplitz operators currently supported.")
        super().__init__(
            self._row.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True,
            name, arguments_of(given),
        )  # fmt: skip

    @property
    def col(self) -> Any:
        """The first columns."""
        return self._col

    @property
    def row(self) -> Any:
        """The first rows."""
        return self._row

    def _dense(self) -> Any:
        col, row = to_tensor(self._col), to_tensor(self._row)
        if col.shape[:-1] != row.shape[:-1]:
            both = broadcast_dynamic_shape(shape(col), shape(row))
            col, row = broadcast_to(col, both), broadcast_to(row, both)
        n = int(row.shape[-1])
        values = concat([col[..., ::-1], row[..., 1:]], -1)
        places = range_(n)[None, :] - range_(n)[:, None] + (n - 1)
        return gather(values, places, axis=-1)
