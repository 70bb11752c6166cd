"""The operators that are known by a number of rows: identities, alone or times a number, zeros."""

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
from ...eager.variable import Variable
from ...graph.recording.grouping import no_op
from ...graph.recording.scopes import control_dependencies
from ...ops.array.making import ones, zeros, zeros_like
from ...ops.array.select import where
from ...ops.array.shaping import (
    broadcast_dynamic_shape,
    broadcast_to,
    expand_dims,
    get_static_value,
    identity,
    shape,
)
from ...ops.convert import to_tensor
from ...ops.debugging import assertions
from ...ops.debugging.shape_assertions import assert_rank
from ...ops.linalg.diagonal import diag_part, eye, set_diag
from ...ops.math.complex import imag, real
from ...ops.math.elementwise import abs as absolute, cast, conj, equal, log, minimum, sqrt
from .base import Flag, LinearOperator, arguments_of, joined_sizes, parameter
from .slicing import fitting


def _sizes(value: Any, name: str, rank: int, assert_proper_shapes: bool) -> Any:
    """A number, or a vector of numbers, that something is large, as a tensor.

    Raises:
        TypeError: it is a variable, or holds no integers.
        ValueError: it has another rank, or negative numbers.
    """
    if isinstance(value, Variable):
        raise TypeError(f"Argument {name} cannot be reference type. Found: {type(value)}.")
    is_empty = isinstance(value, (list, tuple)) and not value
    sizes = to_tensor(value, dtypes.int32 if is_empty else None)
    kind = f"a {rank}-D Tensor"
    if assert_proper_shapes:
        checks = [
            assert_rank(sizes, rank, message=f"Argument {name} must be {kind}."),
            assertions.assert_non_negative(sizes, message=f"Argument {name} must be non-negative."),
        ]
        sizes = _after(checks, sizes)
    if not sizes.dtype.is_integer:
        raise TypeError(f"Argument {name} must be integer type.  Found: {sizes!s}")
    known = get_static_value(sizes)
    if known is None:
        return cast(sizes, dtypes.int32)
    if known.ndim != rank:
        raise ValueError(f"Argument {name} must be {kind}.  Found: {known}")
    if (known < 0).any():
        between = " " if rank == 0 else ""
        raise ValueError(f"Argument {name} must be non-negative.  Found:{between}{known}")
    return cast(sizes, dtypes.int32)


def _after(checks: list[Any], value: Any) -> Any:
    """A tensor once assertions have held."""
    recorded = [check for check in checks if check is not None]
    if not recorded:
        return value
    with control_dependencies(recorded):
        return identity(value)


class _Sized(LinearOperator):
    """What has a number of rows and batch dimensions instead of a tensor."""

    def _set_sizes(self, num_rows: Any, assert_proper_shapes: bool) -> None:
        self._proper = assert_proper_shapes
        self._row_count = _sizes(num_rows, "num_rows", 0, assert_proper_shapes)
        self._rows = _known(self._row_count)

    def _set_batch(self, batch_shape: Any) -> None:
        sizes = [] if batch_shape is None else batch_shape
        self._batch_count = _sizes(sizes, "batch_shape", 1, self._proper)
        known = get_static_value(self._batch_count)
        if known is not None:
            self._batch = TensorShape([int(size) for size in known])
        else:
            self._batch = TensorShape(_unknown(self._batch_count.shape))

    def _shape(self) -> TensorShape:
        return self._batch.concatenate([self._rows, self._rows])

    def _shape_tensor(self) -> Any:
        return joined_sizes(self._batch_count, self._row_count, self._row_count)

    def _size(self) -> Any:
        """The number of rows: an int where it is known."""
        return self._row_count if self._rows is None else self._rows

    def _fitting(self, x: Any, axis: int = -2) -> Any:
        """A matrix, which is looked at as the graph runs where the program has asked for that."""
        if not self._proper:
            return x
        text = "Dimensions are not compatible."
        columns = self.shape_tensor()[-1]
        return _after([assertions.assert_equal(columns, shape(x)[axis], message=text)], x)

    def _stretched(self, x: Any) -> Any:
        """A matrix for each of the batch."""
        if self._batch.rank == 0:
            return x
        return x + zeros(joined_sizes(self._batch_sizes(), 1, 1), self.dtype)

    def _sliced(self, places: Any, batch: Any) -> Any:
        if self._inner:
            return super()._sliced(places, batch)
        if not self._batch.is_fully_defined():
            raise NotImplementedError(
                f"{self!r} is sliced where its batch dimensions are known. Make it with those of "
                "the slice."
            )
        own = self._batch.as_list()
        if not own:  # the same for all of the batch
            return self
        own = [1] * (len(batch) - len(own)) + own
        picks = tuple(
            int(each) if isinstance(each, Tensor) else each for each in fitting(places, batch, own)
        )
        left = np.broadcast_to(np.zeros(()), own)[picks].shape
        return type(self)(**{**self.parameters, "batch_shape": left})


def _known(count: Any) -> int | None:
    known = get_static_value(count)
    return None if known is None else int(known)


def _unknown(sizes: TensorShape) -> list[None] | None:
    """The dimensions of a shape of which at most their number is known."""
    count = sizes[0] if sizes.rank == 1 else None
    return None if count is None else [None] * int(count)


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
        assert_proper_shapes: look at sizes when a graph runs, too.
        name: its name.
    """

    def __init__(
        self, num_rows: TensorLike, batch_shape: ShapeLike | None = None,
        dtype: DTypeLike | None = None, is_non_singular: Flag = True,
        is_self_adjoint: Flag = True, is_positive_definite: Flag = True, is_square: Flag = True,
        assert_proper_shapes: bool = False, name: str = "LinearOperatorIdentity",
    ) -> None:  # fmt: skip
        arguments = dict(locals())
        said = {
            "self adjoint": is_self_adjoint, "square": is_square, "non-singular": is_non_singular,
            "positive-definite": is_positive_definite,
        }  # fmt: skip
        for what, flag in said.items():
            if not flag:
                raise ValueError(f"An identity operator is always {what}.")
        self._set_sizes(num_rows, assert_proper_shapes)
        self._set_batch(batch_shape)
        super().__init__(
            as_dtype(dtype or dtypes.float32), None, True, True, True, True, name,
            arguments_of(arguments),
        )  # fmt: skip

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return self._stretched(self._fitting(x))

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return self._stretched(self._fitting(rhs))

    def _to_dense(self) -> Any:
        return eye(self._size(), batch_shape=self._batch_sizes(), dtype=self.dtype)

    def _diag_part(self) -> Any:
        return ones(joined_sizes(self._batch_sizes(), self._size()), self.dtype)

    def _trace(self) -> Any:
        return ones(self._batch_sizes(), self.dtype) * cast(self._row_count, self.dtype)

    def _determinant(self) -> Any:
        return ones(self._batch_sizes(), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return zeros(self._batch_sizes(), self.dtype)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _cond(self) -> Any:
        return ones(self._batch_sizes(), self.dtype)

    def _assert_non_singular(self) -> Any:
        return no_op("assert_non_singular")

    def _assert_positive_definite(self) -> Any:
        return no_op("assert_positive_definite")

    def _assert_self_adjoint(self) -> Any:
        return no_op("assert_self_adjoint")

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
        assert_proper_shapes: look at sizes when a graph runs, too.
        name: its name.
    """

    _inner: ClassVar[dict[str, Any]] = {"multiplier": 0}

    def __init__(
        self, num_rows: TensorLike, multiplier: TensorLike, is_non_singular: Flag = None,
        is_self_adjoint: Flag = None, is_positive_definite: Flag = None, is_square: Flag = True,
        assert_proper_shapes: bool = False, name: str = "LinearOperatorScaledIdentity",
    ) -> None:  # fmt: skip
        arguments = dict(locals())
        self._multiplier = parameter(multiplier, "multiplier")
        if not self._multiplier.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            is_self_adjoint = True
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        self._set_sizes(num_rows, assert_proper_shapes)
        super().__init__(
            self._multiplier.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite,
            True, name, arguments_of(arguments),
        )  # fmt: skip

    @property
    def multiplier(self) -> Any:
        """The numbers."""
        return self._multiplier

    def _shape(self) -> TensorShape:
        batch: TensorShape = self._multiplier.shape
        return batch.concatenate([self._rows, self._rows])

    def _shape_tensor(self) -> Any:
        return joined_sizes(shape(self._multiplier), self._row_count, self._row_count)

    def _factor(self, adjoint: bool) -> Any:
        value = to_tensor(self._multiplier)
        return expand_dims(expand_dims(conj(value) if adjoint else value, -1), -1)

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return self._fitting(x) * self._factor(adjoint)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return self._fitting(rhs) / self._factor(adjoint)

    def _diag_part(self) -> Any:
        value = to_tensor(self._multiplier)
        sizes = joined_sizes(self._batch_sizes(), self._size())
        return broadcast_to(expand_dims(value, -1), sizes)

    def _trace(self) -> Any:
        return to_tensor(self._multiplier) * cast(self._row_count, self.dtype)

    def _determinant(self) -> Any:
        return to_tensor(self._multiplier) ** cast(self._row_count, self.dtype)

    def _log_abs_determinant(self) -> Any:
        sizes = log(absolute(to_tensor(self._multiplier)))
        return sizes * cast(self._row_count, sizes.dtype)

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

    def _assert_self_adjoint(self) -> Any:
        part = imag(to_tensor(self._multiplier))
        text = "LinearOperator was not self-adjoint"
        return assertions.assert_equal(zeros_like(part), part, message=text)

    def _with(self, multiplier: Any, **hints: Any) -> LinearOperator:
        return LinearOperatorScaledIdentity(self._size(), multiplier, **hints)

    def _adjoint(self) -> LinearOperator:
        return self._with(conj(to_tensor(self._multiplier)), **self._said())

    def _inverse(self) -> LinearOperator:
        return self._with(1.0 / to_tensor(self._multiplier), **self._said())

    def _cholesky(self) -> LinearOperator:
        hints = {"is_non_singular": True, "is_self_adjoint": True, "is_positive_definite": True}
        return self._with(sqrt(to_tensor(self._multiplier)), **hints)

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
        assert_proper_shapes: look at sizes when a graph runs, too.
        name: its name.
    """

    def __init__(
        self, num_rows: TensorLike, num_columns: TensorLike | None = None,
        batch_shape: ShapeLike | None = None, dtype: DTypeLike | None = None,
        is_non_singular: Flag = False, is_self_adjoint: Flag = True,
        is_positive_definite: Flag = False, is_square: Flag = True,
        assert_proper_shapes: bool = False, name: str = "LinearOperatorZeros",
    ) -> None:  # fmt: skip
        arguments = dict(locals())
        if is_square and not is_self_adjoint:
            raise ValueError("A zero operator is always self adjoint.")
        if is_non_singular:
            raise ValueError("A zero operator is always singular.")
        if is_positive_definite:
            raise ValueError("A zero operator is always not positive-definite.")
        self._set_sizes(num_rows, assert_proper_shapes)
        self._set_batch(batch_shape)
        self._column_count = self._row_count
        if num_columns is not None:
            self._column_count = _sizes(num_columns, "num_columns", 0, assert_proper_shapes)
        self._columns = _known(self._column_count)
        if is_square and None not in (self._rows, self._columns) and self._rows != self._columns:
            raise ValueError(
                f"LinearOperatorZeros initialized as is_square=True, but got "
                f"num_rows({self._rows}) != num_columns({self._columns})"
            )
        super().__init__(
            as_dtype(dtype or dtypes.float32), None, is_non_singular, is_self_adjoint,
            is_positive_definite, is_square, name, arguments_of(arguments),
        )  # fmt: skip

    def _shape(self) -> TensorShape:
        return self._batch.concatenate([self._rows, self._columns])

    def _shape_tensor(self) -> Any:
        return joined_sizes(self._batch_count, self._row_count, self._column_count)

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        x = self._fitting(x) if not adjoint or self.is_square else x
        rows = self.shape_tensor()[-1 if adjoint else -2]
        batch = broadcast_dynamic_shape(self.batch_shape_tensor(), shape(x)[:-2])
        return zeros(joined_sizes(batch, rows, shape(x)[-1]), self.dtype)

    def _to_dense(self) -> Any:
        return zeros(self.shape_tensor(), self.dtype)

    def _diag_part(self) -> Any:
        sizes = self.shape_tensor()
        return zeros(joined_sizes(sizes[:-2], minimum(sizes[-2], sizes[-1])), self.dtype)

    def _trace(self) -> Any:
        return zeros(self._batch_sizes(), self.dtype)

    def _determinant(self) -> Any:
        return zeros(self._batch_sizes(), self.dtype)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _assert_non_singular(self) -> Any:
        raise invalid_argument("Zero operators are always non-invertible.")

    def _assert_positive_definite(self) -> Any:
        raise invalid_argument("Zero operators are always non-positive definite.")

    def _assert_self_adjoint(self) -> Any:
        return no_op("assert_self_adjoint")
