"""`tf.linalg.LinearOperator`: what all of the family have.

A subclass tells its shape, and its product with a matrix; everything else has a way by the dense
matrix that the subclass may know better.
"""

from __future__ import annotations

import contextlib
from typing import Any, ClassVar

import numpy as np

from ...base import nest
from ...base.dimensions import Dimension
from ...base.dtypes import DType, as_dtype
from ...base.late_binding import LateBinding
from ...base.shapes import TensorShape
from ...base.typing import DTypeLike, TensorLike
from ...core.tensor import Tensor
from ...eager.variable import Variable
from ...graph.recording.module import Module
from ...graph.recording.scopes import name_scope
from ...ops.array.joining import concat
from ...ops.array.shaping import (
    broadcast_dynamic_shape,
    broadcast_to,
    expand_dims,
    reshape,
    shape,
    squeeze,
)
from ...ops.convert import to_tensor
from ...ops.debugging import assertions
from ...ops.linalg.decomposition import cholesky, eigvalsh, svd
from ...ops.linalg.diagonal import diag_part, eye
from ...ops.linalg.products import adjoint as adjoint_of, matmul
from ...ops.linalg.solving import cholesky_solve, det, slogdet, solve
from ...ops.math.complex import real
from ...ops.math.elementwise import abs as absolute, cast, exp, log, maximum
from ...ops.math.reduction import reduce_max, reduce_min, reduce_sum
from .slicing import sliced, sliced_parameter, with_parameters

_BOTH = "Exact {what} not implemented for an operator that is expected to {why}."
_NO_INVERSE = "Cannot take the Inverse: This operator represents a"
Flag = bool | None


def parameter(value: Any, name: str, dtype: DTypeLike | None = None) -> Any:
    """A tensor; a variable stays itself, so that its later values count."""
    if isinstance(value, Variable):
        return value
    return to_tensor(value, None if dtype is None else as_dtype(dtype))


def check_inexact(value: Any, name: str) -> None:
    """Raises TypeError unless a tensor holds floating or complex numbers."""
    if not (value.dtype.is_floating or value.dtype.is_complex):
        raise TypeError(
            f"Argument `{name}` must have dtype in [tf.float16, tf.float32, tf.float64, "
            f"tf.complex64, tf.complex128]. Received: {value.dtype!s}."
        )


def check_rank(value: Any, name: str, least: int) -> None:
    """Raises ValueError where a tensor has too few dimensions."""
    rank = value.shape.rank
    if rank is not None and rank < least:
        plural = "" if least == 1 else "s"
        raise ValueError(
            f"Argument {name} must have at least {least} dimension{plural}.  Found: {value!s}"
        )


def with_batches(a: Any, b: Any) -> tuple[Any, Any]:
    """Two batches of matrices, with the same batch dimensions."""
    a, b = to_tensor(a), to_tensor(b)
    if a.shape[:-2] == b.shape[:-2] and a.shape[:-2].is_fully_defined():
        return a, b
    both = broadcast_dynamic_shape(shape(a)[:-2], shape(b)[:-2])
    return tuple(broadcast_to(x, joined_sizes(both, shape(x)[-2:])) for x in (a, b))  # type: ignore[return-value]


def joined_sizes(*parts: Any) -> Any:
    """The sizes of a shape one after the other: a list if all are known, else a tensor.

    Args:
        *parts: numbers, lists of them, and tensors of one or several.
    """
    if all(isinstance(part, (int, list)) for part in parts):
        return [size for part in parts for size in (part if isinstance(part, list) else [part])]
    tensors = [cast(to_tensor(part, hint=as_dtype("int32")), "int32") for part in parts]
    return concat([part if part.shape.rank == 1 else reshape(part, [-1]) for part in tensors], 0)


#: What the family makes of its members, which stand below this.
PRODUCT: LateBinding[[Any, Any], Any] = LateBinding(
    "multiply operators", "interop/operators/combined.py"
)
ADJOINT: LateBinding[[Any], Any] = LateBinding(
    "take an adjoint operator", "interop/operators/combined.py"
)
INVERSE: LateBinding[[Any], Any] = LateBinding(
    "invert an operator", "interop/operators/combined.py"
)
TRIANGULAR: LateBinding[[Any], Any] = LateBinding(
    "make an operator of a triangle", "interop/operators/simple.py"
)


def size_of(shape: TensorShape, axis: int) -> int | None:
    """One dimension, None if it is not known."""
    return None if shape.rank is None else shape[axis]


class LinearOperator(Module):
    """A batch of matrices, known by products with them (`tf.linalg.LinearOperator`).

    Args:
        dtype: of the elements.
        graph_parents: not used.
        is_non_singular: True if the program knows that it can be inverted.
        is_self_adjoint: True if it knows that it equals its adjoint.
        is_positive_definite: True if x^H A x has a positive real part for all x but 0.
        is_square: True if rows and columns are as many.
        name: its name.
        parameters: what it was made with.

    Raises:
        ValueError: the hints contradict each other.
    """

    #: Dimensions of the parameters of a class that are no batch.
    _inner: ClassVar[dict[str, Any]] = {}

    def __init__(
        self,
        dtype: DTypeLike | None,
        graph_parents: object = None,
        is_non_singular: Flag = None,
        is_self_adjoint: Flag = None,
        is_positive_definite: Flag = None,
        is_square: Flag = None,
        name: str | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        if is_positive_definite:
            if is_non_singular is False:
                raise ValueError("A positive definite matrix is always non-singular.")
            is_non_singular = True
        if is_non_singular:
            if is_square is False:
                raise ValueError("A non-singular matrix is always square.")
            is_square = True
        if is_self_adjoint:
            if is_square is False:
                raise ValueError("A self-adjoint matrix is always square.")
            is_square = True
        self._square_hint = is_square
        self._dtype = None if dtype is None else as_dtype(dtype)
        self._is_non_singular, self._is_self_adjoint = is_non_singular, is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._parameters = dict(parameters or {})
        self._name, self._scope_name = name or type(self).__name__, ""

    # -- what it is -------------------------------------------------------------------------------

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        assert self._dtype is not None
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        """What it was made with."""
        return dict(self._parameters)

    @property
    def graph_parents(self) -> list[Any]:
        """Nothing: it is there for old programs."""
        return []

    @property
    def is_non_singular(self) -> Flag:
        """What the program has said."""
        return self._is_non_singular

    @property
    def is_self_adjoint(self) -> Flag:
        """What the program has said."""
        return self._is_self_adjoint

    @property
    def is_positive_definite(self) -> Flag:
        """What the program has said."""
        return self._is_positive_definite

    @property
    def is_square(self) -> Flag:
        """Whether rows and columns are as many; None if that is not known."""
        known = self.shape.rank is not None and all(
            size is not None for size in self.shape.as_list()[-2:]
        )
        found = self.shape[-2] == self.shape[-1] if known else None
        if found is None:
            return self._square_hint
        if self._square_hint is not None and bool(found) is not self._square_hint:
            if found:
                raise ValueError("User set is_square hint to False, but the operator was square.")
            raise ValueError(f"Static is_square={bool(found)} but hint was {self._square_hint}.")
        return bool(found)

    def _shape(self) -> TensorShape:
        raise NotImplementedError("_shape is not implemented.")

    def _shape_tensor(self) -> Any:
        raise NotImplementedError("_shape_tensor is not implemented.")

    @property
    def shape(self) -> TensorShape:
        """Batch dimensions, rows and columns."""
        return self._shape()

    def shape_tensor(self, name: str = "shape_tensor") -> Any:
        """The shape as a tensor of int32."""
        if self.shape.is_fully_defined():
            return to_tensor(self.shape.as_list(), as_dtype("int32"))
        return self._shape_tensor()

    @property
    def batch_shape(self) -> TensorShape:
        """The batch dimensions."""
        found: TensorShape = self.shape[:-2]
        return found

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """The batch dimensions as a tensor."""
        if self.batch_shape.is_fully_defined():
            return to_tensor(self.batch_shape.as_list(), as_dtype("int32"))
        return self.shape_tensor()[:-2]

    def _batch_sizes(self) -> Any:
        """The batch dimensions: a list where they are known, else a tensor."""
        known = self.batch_shape.is_fully_defined()
        return self.batch_shape.as_list() if known else self.batch_shape_tensor()

    def _said(self) -> dict[str, Any]:
        """What is said of it, as an operator of the same kind takes it."""
        return {
            "is_non_singular": self.is_non_singular,
            "is_self_adjoint": self.is_self_adjoint,
            "is_positive_definite": self.is_positive_definite,
        }

    @property
    def tensor_rank(self) -> int | None:
        """The number of dimensions."""
        return self.shape.rank

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Any:
        """The number of dimensions as a tensor."""
        rank = self.shape.rank
        return shape(self.shape_tensor())[0] if rank is None else to_tensor(rank)

    @property
    def domain_dimension(self) -> Dimension:
        """The number of columns."""
        return Dimension(size_of(self.shape, -1))

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Any:
        """The number of columns as a tensor."""
        known = size_of(self.shape, -1)
        return self.shape_tensor()[-1] if known is None else to_tensor(known)

    @property
    def range_dimension(self) -> Dimension:
        """The number of rows."""
        return Dimension(size_of(self.shape, -2))

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Any:
        """The number of rows as a tensor."""
        known = size_of(self.shape, -2)
        return self.shape_tensor()[-2] if known is None else to_tensor(known)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        """From a parameter to how many of its dimensions are no batch: classes of libraries tell
        it, too."""
        return self._inner

    def gradient_parts(self) -> list[Any]:
        """The tensors and variables that it is made of: together they are what a tape
        differentiates where the operator is its target.
        """
        inner = self._experimental_parameter_ndims_to_matrix_ndims
        parts: list[Any] = []
        for each in nest.flatten([getattr(self, name) for name in inner]):
            if each is not None:
                parts += each.gradient_parts() if isinstance(each, LinearOperator) else [each]
        return parts

    def __getitem__(self, places: Any) -> LinearOperator:
        return sliced(self, places)  # type: ignore[no-any-return]

    def _sliced(self, places: Any, batch: Any) -> Any:
        return with_parameters(
            self, lambda value, inner: sliced_parameter(value, inner, places, batch)
        )

    @contextlib.contextmanager
    def _name_scope(self, name: str) -> Any:
        with name_scope(f"{self.name}/{name}/"):
            yield

    # -- products and solutions -------------------------------------------------------------------

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        raise NotImplementedError("_matmul is not implemented.")

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        if self._can_use_cholesky():
            return cholesky_solve(*with_batches(cholesky(self.to_dense()), rhs))
        return solve(*with_batches(self.to_dense(), rhs), adjoint=adjoint)

    def _can_use_cholesky(self) -> bool:
        return bool(self.is_self_adjoint and self.is_positive_definite)

    def _argument(self, x: Any, name: str) -> Any:
        value = to_tensor(x, self._dtype) if not hasattr(x, "dtype") else to_tensor(x)
        if value.dtype is not self.dtype:
            raise TypeError(
                f"Input argument {name} has dtype {value.dtype!s}, which does not match the "
                f"operator's dtype {self.dtype!s}."
            )
        return value

    def _check_sizes(self, mine: Any, theirs: Any) -> None:
        if not Dimension(mine).is_compatible_with(theirs):
            raise ValueError(f"Dimensions {mine} and {theirs} are not compatible")

    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """Returns the product with a matrix, or with another operator as an operator.

        Args:
            x: a batch of matrices, or an operator.
            adjoint: take the adjoint of this operator.
            adjoint_arg: take the adjoint of `x`.
            name: not used.
        """
        if isinstance(x, LinearOperator):
            left = self.adjoint() if adjoint else self
            right = x.adjoint() if adjoint_arg else x
            if None not in (right.range_dimension.value, left.domain_dimension.value) and (
                right.range_dimension.value != left.domain_dimension.value
            ):
                raise ValueError(
                    "Operators are incompatible. Expected `x` to have dimension "
                    f"{left.domain_dimension} but got {right.range_dimension}."
                )
            return left._times(right)
        x = self._argument(x, "x")
        sizes = x.shape.as_list() if x.shape.rank is not None else [None, None]
        mine = self.range_dimension if adjoint else self.domain_dimension
        self._check_sizes(mine.value, sizes[-1 if adjoint_arg else -2])
        return self._matmul(adjoint_of(x) if adjoint_arg else x, adjoint)

    def __matmul__(self, other: Any) -> Any:
        return self.matmul(other)

    def _times(self, right: LinearOperator) -> LinearOperator:
        return PRODUCT.call(self, right)  # type: ignore[no-any-return]

    def matvec(self, x: TensorLike, adjoint: bool = False, name: str = "matvec") -> Any:
        """Returns the product with a vector, or a batch of them.

        Args:
            x: a batch of vectors.
            adjoint: take the adjoint of this operator.
            name: not used.
        """
        value = self._argument(x, "x")
        mine = self.range_dimension if adjoint else self.domain_dimension
        self._check_sizes(mine.value, size_of(value.shape, -1))
        return squeeze(self._matmul(expand_dims(value, -1), adjoint), -1)

    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        """Returns the matrix whose product with this is `rhs`.

        Args:
            rhs: a batch of matrices, or an operator.
            adjoint: take the adjoint of this operator.
            adjoint_arg: take the adjoint of `rhs`.
            name: not used.

        Raises:
            NotImplementedError: it is said to be singular, or is not square.
        """
        self._refuse_no_inverse("solve")
        if isinstance(rhs, LinearOperator):
            left = self.adjoint() if adjoint else self
            return left.inverse().matmul(rhs.adjoint() if adjoint_arg else rhs)
        rhs = self._argument(rhs, "rhs")
        self._check_sizes(
            self.domain_dimension.value, size_of(rhs.shape, -1 if adjoint_arg else -2)
        )
        return self._solve(adjoint_of(rhs) if adjoint_arg else rhs, adjoint)

    def solvevec(self, rhs: TensorLike, adjoint: bool = False, name: str = "solve") -> Any:
        """Returns the vector whose product with this is `rhs`.

        Args:
            rhs: a batch of vectors.
            adjoint: take the adjoint of this operator.
            name: not used.
        """
        self._refuse_no_inverse("solve")
        value = self._argument(rhs, "rhs")
        mine = self.range_dimension if adjoint else self.domain_dimension
        self._check_sizes(mine.value, size_of(value.shape, -1))
        return squeeze(self._solve(expand_dims(value, -1), adjoint), -1)

    def _refuse_no_inverse(self, what: str) -> None:
        if self.is_non_singular is False:
            raise NotImplementedError(_BOTH.format(what=what, why="be singular"))
        if self.is_square is False:
            raise NotImplementedError(_BOTH.format(what=what, why="not be square"))

    # -- numbers -------------------------------------------------------------------------------

    def to_dense(self, name: str = "to_dense") -> Any:
        """Returns the matrix."""
        return self._to_dense()

    def _to_dense(self) -> Any:
        if self.shape.is_fully_defined():
            columns, batch = int(self.shape.as_list()[-1] or 0), self.batch_shape.as_list()
        else:
            columns, batch = self.domain_dimension_tensor(), self.batch_shape_tensor()
        return self._matmul(eye(columns, batch_shape=batch, dtype=self.dtype), False)

    def add_to_tensor(self, x: TensorLike, name: str = "add_to_tensor") -> Any:
        """Returns the sum with a matrix."""
        return self.to_dense() + self._argument(x, "x")

    def diag_part(self, name: str = "diag_part") -> Any:
        """Returns the diagonal."""
        return self._diag_part()

    def _diag_part(self) -> Any:
        return diag_part(self.to_dense())

    def trace(self, name: str = "trace") -> Any:
        """Returns the sum of the diagonal."""
        return self._trace()

    def _trace(self) -> Any:
        return reduce_sum(self.diag_part(), -1)

    def _square_only(self, what: str) -> None:
        if self.is_square is False:
            raise NotImplementedError(f"{what} not implemented for an operator that is expected to "
                                      "not be square.")  # fmt: skip

    def determinant(self, name: str = "det") -> Any:
        """Returns the determinant."""
        self._square_only("Determinant")
        return self._determinant()

    def _determinant(self) -> Any:
        if self._can_use_cholesky():
            return exp(self.log_abs_determinant())
        return det(self.to_dense())

    def log_abs_determinant(self, name: str = "log_abs_det") -> Any:
        """Returns the logarithm of the absolute value of the determinant."""
        self._square_only("Determinant")
        return self._log_abs_determinant()

    def _log_abs_determinant(self) -> Any:
        if self._can_use_cholesky():
            return 2.0 * reduce_sum(log(diag_part(cholesky(self.to_dense()))), -1)
        return slogdet(self.to_dense())[1]

    def eigvals(self, name: str = "eigvals") -> Any:
        """Returns the eigenvalues.

        Raises:
            NotImplementedError: it is not said to be self-adjoint.
        """
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        return self._eigvals()

    def _eigvals(self) -> Any:
        return eigvalsh(self.to_dense())

    def cond(self, name: str = "cond") -> Any:
        """Returns the condition number: the largest singular value over the smallest one."""
        return self._cond()

    def _cond(self) -> Any:
        if self.is_self_adjoint:
            values = absolute(self.eigvals())
        else:
            values = cast(svd(self.to_dense(), compute_uv=False), self.dtype)
        return reduce_max(real(values), -1) / reduce_min(real(values), -1)

    # -- other operators -----------------------------------------------------------------------

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """Returns the adjoint: the transposed operator with conjugate elements."""
        return self if self.is_self_adjoint else self._adjoint()

    H = property(adjoint)

    def _is_adjoint_of(self, other: LinearOperator) -> bool:
        """Whether it is made of another operator as its adjoint."""
        return False

    def _adjoint(self) -> LinearOperator:
        return ADJOINT.call(self)  # type: ignore[no-any-return]

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """Returns the inverse operator.

        Raises:
            ValueError: it is said to be singular, or is not square.
        """
        if self.is_square is False:
            raise ValueError(
                "Cannot take the Inverse: This operator represents a non square matrix."
            )
        if self.is_non_singular is False:
            raise ValueError(f"{_NO_INVERSE} singular matrix.")
        return self._inverse()

    def _inverse(self) -> LinearOperator:
        return INVERSE.call(self)  # type: ignore[no-any-return]

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """Returns the lower triangular operator L for which L L^H is this one.

        Raises:
            ValueError: it is not said to be positive definite and self-adjoint.
        """
        if not self._can_use_cholesky():
            raise ValueError(
                "Cannot take the Cholesky decomposition: Not a positive definite self adjoint "
                "matrix."
            )
        return self._cholesky()

    def _cholesky(self) -> LinearOperator:
        return TRIANGULAR.call(cholesky(self.to_dense()))  # type: ignore[no-any-return]

    # -- checks --------------------------------------------------------------------------------

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """Raises InvalidArgumentError if it can hardly be inverted."""
        return self._assert_non_singular()

    def _assert_non_singular(self) -> Any:
        if self._can_use_cholesky():
            return self.assert_positive_definite()
        cond = self.cond()
        text = "Singular matrix up to precision epsilon."
        return assertions.assert_less(cond, cast(self._largest_cond(), cond.dtype), message=text)

    def _largest_cond(self) -> Any:
        """Above this a matrix counts as singular."""
        sizes = self.shape_tensor()[-2:]
        size = cast(maximum(reduce_max(sizes), 100), self.dtype.real_dtype)
        eps = np.finfo(self.dtype.real_dtype.as_numpy_dtype).eps
        return 1.0 / (size * float(eps))

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """Raises InvalidArgumentError if it is not positive definite."""
        return self._assert_positive_definite()

    def _assert_positive_definite(self) -> Any:
        if not self.is_self_adjoint:  # a decomposition would read half of the matrix
            raise NotImplementedError("assert_positive_definite is not implemented.")
        text = "Matrix was not positive definite."
        return assertions.assert_positive(real(diag_part(cholesky(self.to_dense()))), message=text)

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        """Raises InvalidArgumentError if it does not equal its adjoint."""
        return self._assert_self_adjoint()

    def _assert_self_adjoint(self) -> Any:
        dense = self.to_dense()
        text = "Matrix was not equal to its adjoint."
        return assertions.assert_equal(dense, adjoint_of(dense), message=text)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r} shape={self.shape} dtype={self.dtype.name}>"


class DenseOperator(LinearOperator):
    """What has its matrix: the base of those whose ways all go by it."""

    def _dense(self) -> Tensor:
        raise NotImplementedError("_dense is not implemented.")

    def _shape(self) -> TensorShape:
        return self._dense().shape

    def _shape_tensor(self) -> Any:
        return shape(self._dense())

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return matmul(self._dense(), x, adjoint_a=adjoint)

    def _to_dense(self) -> Any:
        return self._dense()


def arguments_of(given: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a constructor, as `parameters` tells them."""
    return {name: value for name, value in given.items() if name not in ("self", "__class__")}
