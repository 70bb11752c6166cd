"""Linear operators with a pattern: permutations, reflections, constant diagonals."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ...base import dtypes
from ...base.dtypes import as_dtype
from ...base.errors import invalid_argument
from ...base.shapes import TensorShape, broadcast_static_shape
from ...base.typing import DTypeLike, TensorLike
from ...eager.variable import Variable
from ...graph.recording.grouping import no_op
from ...ops.array.gathering import gather
from ...ops.array.joining import concat
from ...ops.array.making import ones, range_, zeros
from ...ops.array.moving import reverse
from ...ops.array.shaping import (
    broadcast_dynamic_shape,
    broadcast_to,
    expand_dims,
    get_static_value,
    shape,
)
from ...ops.convert import to_tensor
from ...ops.linalg.diagonal import eye
from ...ops.linalg.products import adjoint as adjoint_of, matmul
from ...ops.math.complex import real
from ...ops.math.elementwise import cast, conj, equal, maximum, rsqrt
from ...ops.math.reduction import reduce_sum
from .base import (
    DenseOperator,
    Flag,
    LinearOperator,
    arguments_of,
    check_rank,
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
        arguments = dict(locals())
        self._perm = parameter(perm, "perm")
        _check_permutation(self._perm)
        for what, flag in {"non-singular": is_non_singular, "square": is_square}.items():
            if flag is False:
                raise ValueError(
                    f"A Permutation operator is always {what}. Expected argument "
                    f"`is_{what.replace('-', '_')}` to be True. Received: False."
                )
        super().__init__(
            as_dtype(dtype), None, is_non_singular, is_self_adjoint, is_positive_definite, True,
            name, arguments_of(arguments),
        )  # fmt: skip

    @property
    def perm(self) -> Any:
        """The permutations."""
        return self._perm

    def _shape(self) -> TensorShape:
        return square_of(self._perm)

    def _shape_tensor(self) -> Any:
        return square_sizes(self._perm)

    def _dense(self) -> Any:
        perm = to_tensor(self._perm)
        columns = cast(range_(self.domain_dimension_tensor()), perm.dtype)
        return cast(equal(columns, expand_dims(perm, -1)), self.dtype)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return matmul(self._dense(), rhs, adjoint_a=not adjoint)

    def _log_abs_determinant(self) -> Any:
        return zeros(self._batch_sizes(), self.dtype)

    def _cond(self) -> Any:
        return ones(self._batch_sizes(), self.dtype)

    def _assert_non_singular(self) -> Any:
        return no_op("assert_non_singular")


def _check_permutation(perm: Any) -> None:
    if perm.shape.rank is not None and perm.shape.rank < 1:
        raise ValueError(
            f"Argument `perm` must have at least 1 dimension. Received: {_shown(perm)}."
        )
    if not perm.dtype.is_integer:
        raise TypeError(f"Argument `perm` must be integer dtype. Received: {_shown(perm)}.")
    known = None if isinstance(perm, Variable) else get_static_value(perm)
    if known is None:
        return
    size = known.shape[-1]
    if (np.sort(known, axis=-1) != np.arange(size)).any():
        raise ValueError(
            f"Argument `perm` must be a vector of unique integers from 0 to {size - 1}."
        )


def _shown(value: Any) -> Any:
    """A tensor in an error: its numbers, where they are known."""
    known = None if isinstance(value, Variable) else get_static_value(value)
    return value if known is None else known


def square_of(vectors: Any) -> TensorShape:
    """The shape of square matrices that are as large as some vectors."""
    sizes: TensorShape = vectors.shape
    return TensorShape(None) if sizes.rank is None else sizes.concatenate(sizes[-1:])


def square_sizes(vectors: Any) -> Any:
    """The same as a tensor."""
    sizes = shape(vectors)
    return concat([sizes, sizes[-1:]], 0)


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
        arguments = dict(locals())
        self._axis = parameter(reflection_axis, "reflection_axis")
        check_rank(self._axis, "reflection_axis", 1)
        if is_positive_definite:
            raise ValueError("A Householder operator is always non-positive definite.")
        for what, flag in {"self adjoint": is_self_adjoint, "square": is_square}.items():
            if flag is False:
                raise ValueError(f"A Householder operator is always {what}.")
        super().__init__(
            self._axis.dtype, None, is_non_singular, True, False, True, name,
            arguments_of(arguments),
        )  # fmt: skip

    @property
    def reflection_axis(self) -> Any:
        """The vectors."""
        return self._axis

    def _shape(self) -> TensorShape:
        return square_of(self._axis)

    def _shape_tensor(self) -> Any:
        return square_sizes(self._axis)

    def _unit(self) -> Any:
        """The vectors at length 1; one of zeros stays so, and turns nothing around."""
        axis = to_tensor(self._axis)
        square = reduce_sum(real(axis * conj(axis)), -1, keepdims=True)
        return axis * cast(rsqrt(maximum(square, 1e-12)), axis.dtype)

    def _dense(self) -> Any:
        column = expand_dims(self._unit(), -1)
        identity = eye(self.domain_dimension_tensor(), dtype=self.dtype)
        return identity - 2.0 * matmul(column, adjoint_of(column))

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return self._matmul(rhs, adjoint)

    def _trace(self) -> Any:
        return cast(self.domain_dimension_tensor(), self.dtype) - 2.0 * ones(
            self._batch_sizes(), self.dtype
        )

    def _determinant(self) -> Any:
        return -ones(self._batch_sizes(), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return zeros(self._batch_sizes(), self.dtype)

    def _cond(self) -> Any:
        return ones(self._batch_sizes(), self.dtype)

    def _assert_non_singular(self) -> Any:
        return no_op("assert_non_singular")

    def _assert_self_adjoint(self) -> Any:
        return no_op("assert_self_adjoint")

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
        arguments = dict(locals())
        self._row, self._col = parameter(row, "row"), parameter(col, "col")
        _check_toeplitz(self._row, self._col)
        if is_square is False:
            raise ValueError("Only square Toeplitz operators currently supported.")
        super().__init__(
            self._row.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True,
            name, arguments_of(arguments),
        )  # fmt: skip

    @property
    def col(self) -> Any:
        """The first columns."""
        return self._col

    @property
    def row(self) -> Any:
        """The first rows."""
        return self._row

    def _shape(self) -> TensorShape:
        col, row = self._col.shape, self._row.shape
        if col.rank is None or row.rank is None:
            return TensorShape(None)
        sizes = broadcast_static_shape(col, row)
        return sizes.concatenate(sizes[-1:])

    def _shape_tensor(self) -> Any:
        sizes = broadcast_dynamic_shape(shape(self._col), shape(self._row))
        return concat([sizes, sizes[-1:]], 0)

    def _dense(self) -> Any:
        col, row = to_tensor(self._col), to_tensor(self._row)
        if col.shape != row.shape or not col.shape.is_fully_defined():
            both = broadcast_dynamic_shape(shape(col), shape(row))
            col, row = broadcast_to(col, both), broadcast_to(row, both)
        n = self.domain_dimension_tensor()
        values = concat([reverse(col, [-1]), row[..., 1:]], -1)
        places = range_(n)[None, :] - range_(n)[:, None] + (n - 1)
        return gather(values, places, axis=-1)

    def _diag_part(self) -> Any:
        """The first numbers of the columns: of row and column, whose first ones may differ, the
        column's counts.
        """
        first = expand_dims(to_tensor(self._col)[..., 0], -1)
        return broadcast_to(first, self.shape_tensor()[:-1])

    def _trace(self) -> Any:
        n = cast(self.domain_dimension_tensor(), self.dtype)
        return broadcast_to(n * to_tensor(self._col)[..., 0], self.batch_shape_tensor())


def _check_toeplitz(row: Any, col: Any) -> None:
    for name, vector in (("row", row), ("col", col)):
        if vector.shape.rank == 0:
            raise ValueError(
                f"Argument {name} must have at least 1 dimension.  Found: {_shown(vector)}"
            )
    if None in (row.shape.rank, col.shape.rank):
        return
    sizes = (row.shape[-1], col.shape[-1])
    if None not in sizes and sizes[0] != sizes[1]:
        raise ValueError("Expected square matrix, got row and col with mismatched dimensions.")
