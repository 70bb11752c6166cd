"""Operators made of operators: products, blocks, updates, adjoints, inverses."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any, ClassVar

from ...base.dimensions import Dimension
from ...base.shapes import TensorShape, broadcast_static_shape
from ...base.typing import TensorLike
from ...ops.array.joining import concat
from ...ops.array.making import ones
from ...ops.array.shaping import broadcast_dynamic_shape, expand_dims, reshape, shape
from ...ops.convert import to_tensor
from ...ops.linalg.decomposition import cholesky
from ...ops.linalg.diagonal import diag
from ...ops.linalg.products import adjoint as adjoint_of, matmul
from ...ops.linalg.solving import det, slogdet, solve
from ...ops.math.elementwise import abs as absolute, cast, conj
from .base import (
    ADJOINT,
    INVERSE,
    PRODUCT,
    DenseOperator,
    Flag,
    LinearOperator,
    joined_sizes,
    parameter,
    size_of,
    with_batches,
)
from .blocks import Blocked, alike, joined_batch_sizes, joined_batches, product, total
from .hints import all_of, is_with_adjoint, of_commuting, of_product, or_all, or_those_of
from .identities import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
)
from .simple import LinearOperatorDiag, LinearOperatorLowerTriangular

Operators = Sequence[LinearOperator]


def _or_all(
    operators: Operators, is_non_singular: Flag, is_self_adjoint: Flag, is_positive_definite: Flag,
    kind: str,
) -> tuple[Flag, Flag, Flag]:  # fmt: skip
    """What is said of an operator, or else what all that it is made of are."""
    return (
        or_all(operators, "is_non_singular", is_non_singular, kind),
        or_all(operators, "is_self_adjoint", is_self_adjoint, kind),
        or_all(operators, "is_positive_definite", is_positive_definite, kind),
    )


class _Several(LinearOperator):
    """What is made of several operators of one dtype."""

    _none: ClassVar[str] = "Expected a non-empty list of operators. Found: {}"

    def _take(
        self, operators: Operators, hints: tuple[Flag, Flag, Flag, Flag], name: str | None,
        mark: str,
    ) -> None:  # fmt: skip
        made_of = list(operators)
        if not made_of:
            raise ValueError(self._none.format(operators))
        dtype = made_of[0].dtype
        if any(each.dtype is not dtype for each in made_of):
            told = ", ".join(f"({each.name}, {each.dtype!s})" for each in made_of)
            raise TypeError(
                f"Expected all operators to have the same dtype. Found operators with: {told}."
            )
        self._operators = made_of
        non_singular, self_adjoint, positive, square = hints
        LinearOperator.__init__(
            self, dtype, None, non_singular, self_adjoint, positive, square,
            name or mark.join(each.name for each in made_of),
            {
                "operators": made_of, "is_non_singular": non_singular,
                "is_self_adjoint": self_adjoint, "is_positive_definite": positive,
                "is_square": square, "name": name,
            },
        )  # fmt: skip

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"operators": [0] * len(self._operators)}

    @property
    def operators(self) -> list[LinearOperator]:
        """The operators."""
        return self._operators


def _sure(hint: str, flag: Flag) -> Flag:
    """True of a product A A^H.

    Raises:
        ValueError: the program says otherwise.
    """
    if flag is False:
        word = hint.removeprefix("is_").replace("_", "-")
        raise ValueError(f"A composition A A^H is always {word}. Received: {hint}=False.")
    return True


class LinearOperatorComposition(_Several):
    """The product of several operators (`tf.linalg.LinearOperatorComposition`).

    Args:
        operators: the factors, from left to right.
        is_non_singular: see `LinearOperator`; True if all are.
        is_self_adjoint: see `LinearOperator`.
        is_positive_definite: see `LinearOperator`.
        is_square: see `LinearOperator`.
        name: its name; "A_o_B" if None.
    """

    def __init__(
        self, operators: Operators, is_non_singular: Flag = None, is_self_adjoint: Flag = None,
        is_positive_definite: Flag = None, is_square: Flag = None, name: str | None = None,
    ) -> None:  # fmt: skip
        operators = list(operators)
        is_non_singular = or_all(operators, "is_non_singular", is_non_singular, "composition")
        if operators and is_with_adjoint(operators):
            is_square = _sure("is_square", is_square)
            is_self_adjoint = _sure("is_self_adjoint", is_self_adjoint)
            if is_non_singular:
                is_positive_definite = _sure("is_positive_definite", is_positive_definite)
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        self._take(operators, hints, name, "_o_")

    def _shape(self) -> TensorShape:
        for left, right in itertools.pairwise(self._operators):
            left.domain_dimension.assert_is_compatible_with(right.range_dimension)
        ends = (self._operators[0].range_dimension, self._operators[-1].domain_dimension)
        return joined_batches(self._operators).concatenate([each.value for each in ends])

    def _shape_tensor(self) -> Any:
        rows = self._operators[0].range_dimension_tensor()
        columns = self._operators[-1].domain_dimension_tensor()
        return joined_sizes(joined_batch_sizes(self._operators), rows, columns)

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        order = self._operators if adjoint else self._operators[::-1]
        return functools.reduce(lambda y, each: each.matmul(y, adjoint=adjoint), order, x)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        order = self._operators[::-1] if adjoint else self._operators
        return functools.reduce(lambda y, each: each.solve(y, adjoint=adjoint), order, rhs)

    def _determinant(self) -> Any:
        return functools.reduce(lambda a, b: a * b, [x.determinant() for x in self._operators])

    def _log_abs_determinant(self) -> Any:
        return sum(x.log_abs_determinant() for x in self._operators)

    def _cholesky(self) -> LinearOperator:
        lower = self._operators[0]
        if len(self._operators) != 2 or not isinstance(lower, LinearOperatorLowerTriangular):
            return super()._cholesky()
        if lower.is_positive_definite and not self.dtype.is_complex:
            return lower
        # L L^H, whose decomposition L is once its diagonal is positive.
        diagonal = lower.diag_part()
        turns = conj(diagonal / cast(absolute(diagonal), diagonal.dtype))
        return LinearOperatorLowerTriangular(
            lower.to_dense() * expand_dims(turns, -2), is_non_singular=True, is_square=True
        )


class LinearOperatorBlockDiag(Blocked, _Several):
    """Operators as blocks along a diagonal (`tf.linalg.LinearOperatorBlockDiag`).

    Args:
        operators: the blocks.
        is_non_singular: see `LinearOperator`; True if all are.
        is_self_adjoint: see `LinearOperator`; True if all are.
        is_positive_definite: see `LinearOperator`; True if all are.
        is_square: see `LinearOperator`.
        name: its name; "A_ds_B" if None.
    """

    def __init__(
        self, operators: Operators, is_non_singular: Flag = None, is_self_adjoint: Flag = None,
        is_positive_definite: Flag = None, is_square: Flag = True, name: str | None = None,
    ) -> None:  # fmt: skip
        blocks = list(operators)
        hints = _or_all(
            blocks, is_non_singular, is_self_adjoint, is_positive_definite, "direct sum"
        )
        if is_square is not False:
            is_square = all_of([each.is_square for each in blocks])
        self._take(blocks, (*hints, is_square), name, "_ds_")

    def _rows_and_columns(self) -> tuple[list[LinearOperator], list[LinearOperator]]:
        return self._operators, self._operators

    def _shape(self) -> TensorShape:
        rows = total([each.range_dimension.value for each in self._operators])
        columns = total([each.domain_dimension.value for each in self._operators])
        return joined_batches(self._operators).concatenate([rows, columns])

    def _shape_tensor(self) -> Any:
        rows = sum(each.range_dimension_tensor() for each in self._operators)
        columns = sum(each.domain_dimension_tensor() for each in self._operators)
        return joined_sizes(joined_batch_sizes(self._operators), rows, columns)

    def _matmul_blocks(self, parts: list[Any], adjoint: bool, adjoint_arg: bool) -> list[Any]:
        return [
            each.matmul(part, adjoint, adjoint_arg)
            for each, part in zip(self._operators, parts, strict=True)
        ]

    def _solve_blocks(self, parts: list[Any], adjoint: bool, adjoint_arg: bool) -> list[Any]:
        return [
            each.solve(part, adjoint, adjoint_arg)
            for each, part in zip(self._operators, parts, strict=True)
        ]

    def _diag_part(self) -> Any:
        return concat(alike([each.diag_part() for each in self._operators], 1), -1)

    def _determinant(self) -> Any:
        return functools.reduce(lambda a, b: a * b, [x.determinant() for x in self._operators])

    def _log_abs_determinant(self) -> Any:
        return sum(each.log_abs_determinant() for each in self._operators)

    def _eigvals(self) -> Any:
        return concat(alike([each.eigvals() for each in self._operators], 1), -1)

    def _inverse(self) -> LinearOperator:
        return LinearOperatorBlockDiag([each.inverse() for each in self._operators])

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorBlockDiag([each.adjoint() for each in self._operators])

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorBlockDiag([each.cholesky() for each in self._operators])


class LinearOperatorKronecker(_Several):
    """The Kronecker product of operators (`tf.linalg.LinearOperatorKronecker`).

    Args:
        operators: the factors.
        is_non_singular: see `LinearOperator`; True if all are.
        is_self_adjoint: see `LinearOperator`; True if all are.
        is_positive_definite: see `LinearOperator`; True if all are.
        is_square: see `LinearOperator`.
        name: its name; "A_x_B" if None.
    """

    _none = "Argument `operators` must be a list of >=1 operators. Received: {}."

    def __init__(
        self, operators: Operators, is_non_singular: Flag = None, is_self_adjoint: Flag = None,
        is_positive_definite: Flag = None, is_square: Flag = None, name: str | None = None,
    ) -> None:  # fmt: skip
        given = list(operators)
        hints = _or_all(
            given, is_non_singular, is_self_adjoint, is_positive_definite, "Kronecker product"
        )
        self._take(given, (*hints, is_square), name, "_x_")

    def _shape(self) -> TensorShape:
        rows = product([each.range_dimension.value for each in self._operators])
        columns = product([each.domain_dimension.value for each in self._operators])
        return joined_batches(self._operators).concatenate([rows, columns])

    def _shape_tensor(self) -> Any:
        rows = [each.range_dimension_tensor() for each in self._operators]
        columns = [each.domain_dimension_tensor() for each in self._operators]
        sizes = (functools.reduce(lambda a, b: a * b, each) for each in (rows, columns))
        return joined_sizes(joined_batch_sizes(self._operators), *sizes)

    def _to_dense(self) -> Any:
        return functools.reduce(_kronecker, [each.to_dense() for each in self._operators])

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return matmul(self._to_dense(), x, adjoint_a=adjoint)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        if any(each.is_square is False for each in self._operators):
            return super()._solve(rhs, adjoint)
        dense = functools.reduce(
            _kronecker, [each.inverse().to_dense() for each in self._operators]
        )
        return matmul(dense, rhs, adjoint_a=adjoint)

    def _determinant(self) -> Any:
        powers = [x.determinant() ** self._times_of(x) for x in self._operators]
        return functools.reduce(lambda a, b: a * b, powers)

    def _log_abs_determinant(self) -> Any:
        logs = [(x, x.log_abs_determinant()) for x in self._operators]
        return sum(value * cast(self._times_of(x), value.dtype) for x, value in logs)

    def _times_of(self, operator: LinearOperator) -> Any:
        """How often the determinant of one of its operators counts."""
        sizes = (self.domain_dimension.value, operator.domain_dimension.value)
        if None not in sizes:
            return sizes[0] // sizes[1]  # type: ignore[operator]
        times = self.domain_dimension_tensor() // operator.domain_dimension_tensor()
        return cast(times, self.dtype)

    def _inverse(self) -> LinearOperator:
        return LinearOperatorKronecker([each.inverse() for each in self._operators])

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorKronecker([each.adjoint() for each in self._operators])

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorKronecker([each.cholesky() for each in self._operators])


def _kronecker(a: Any, b: Any) -> Any:
    made = a[..., :, None, :, None] * b[..., None, :, None, :]
    if made.shape.is_fully_defined():
        sizes = made.shape.as_list()
        return reshape(made, [*sizes[:-4], sizes[-4] * sizes[-3], sizes[-2] * sizes[-1]])
    tensor = shape(made)
    rows, columns = tensor[-4] * tensor[-3], tensor[-2] * tensor[-1]
    return reshape(made, joined_sizes(tensor[:-4], rows, columns))


class _OfAnother(LinearOperator):
    """What is made of one other operator."""

    _inner: ClassVar[dict[str, Any]] = {"operator": 0}

    def _take(self, operator: LinearOperator, hints: tuple[Flag, ...], name: str) -> None:
        self._operator = operator
        is_non_singular, is_self_adjoint, is_positive_definite, is_square = hints
        LinearOperator.__init__(
            self, operator.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite,
            is_square, name,
            {
                "operator": operator, "is_non_singular": is_non_singular,
                "is_self_adjoint": is_self_adjoint, "is_positive_definite": is_positive_definite,
                "is_square": is_square, "name": name,
            },
        )  # fmt: skip

    @property
    def operator(self) -> LinearOperator:
        """The other operator."""
        return self._operator


class LinearOperatorAdjoint(_OfAnother):
    """The adjoint of an operator (`tf.linalg.LinearOperatorAdjoint`).

    Args:
        operator: the operator.
        is_non_singular: see `LinearOperator`; the operator's if None.
        is_self_adjoint: see `LinearOperator`; the operator's if None.
        is_positive_definite: see `LinearOperator`; the operator's if None.
        is_square: see `LinearOperator`; the operator's if None.
        name: its name.
    """

    def __init__(
        self, operator: LinearOperator, is_non_singular: Flag = None, is_self_adjoint: Flag = None,
        is_positive_definite: Flag = None, is_square: Flag = None, name: str | None = None,
    ) -> None:  # fmt: skip
        given = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        hints = _completed(given, operator, "adjoint")
        self._take(operator, hints, name or f"{operator.name}_adjoint")

    def _is_adjoint_of(self, other: LinearOperator) -> bool:
        return other is self._operator

    def _shape(self) -> TensorShape:
        sizes = self._operator.shape
        if sizes.rank is None:
            return TensorShape(None)
        found: TensorShape = sizes[:-2].concatenate(sizes[-1:]).concatenate(sizes[-2:-1])
        return found

    def _shape_tensor(self) -> Any:
        sizes = self._operator.shape_tensor()
        return concat([sizes[:-2], sizes[-1:], sizes[-2:-1]], 0)

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return self._operator.matmul(x, adjoint=not adjoint)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return self._operator.solve(rhs, adjoint=not adjoint)

    def _to_dense(self) -> Any:
        return adjoint_of(self._operator.to_dense())

    def _determinant(self) -> Any:
        found = self._operator.determinant()
        return conj(found) if self.dtype.is_complex else found

    def _log_abs_determinant(self) -> Any:
        return self._operator.log_abs_determinant()

    def _adjoint(self) -> LinearOperator:
        return self._operator


def _completed(given: tuple[Flag, ...], operator: LinearOperator, kind: str) -> tuple[Flag, ...]:
    names = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")
    return tuple(
        or_those_of(operator, name, flag, kind) for name, flag in zip(names, given, strict=True)
    )


class LinearOperatorInversion(_OfAnother):
    """The inverse of an operator (`tf.linalg.LinearOperatorInversion`).

    Args:
        operator: the operator.
        is_non_singular: True.
        is_self_adjoint: see `LinearOperator`; the operator's if None.
        is_positive_definite: see `LinearOperator`; the operator's if None.
        is_square: see `LinearOperator`; the operator's if None.
        name: its name.
    """

    def __init__(
        self, operator: LinearOperator, is_non_singular: Flag = None, is_self_adjoint: Flag = None,
        is_positive_definite: Flag = None, is_square: Flag = None, name: str | None = None,
    ) -> None:  # fmt: skip
        if operator.is_non_singular is False or is_non_singular is False:
            raise ValueError(
                "Operator and supplied hints must have `is_non_singular=True` or `None`. Received: "
                f"{operator.is_non_singular}"
            )
        given = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        hints = _completed(given, operator, "inverse")
        self._take(operator, hints, name or f"{operator.name}_inv")

    def _shape(self) -> TensorShape:
        return self._operator.shape

    def _shape_tensor(self) -> Any:
        return self._operator.shape_tensor()

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return self._operator.solve(x, adjoint=adjoint)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return self._operator.matmul(rhs, adjoint=adjoint)

    def _determinant(self) -> Any:
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self) -> Any:
        return -1.0 * self._operator.log_abs_determinant()

    def _inverse(self) -> LinearOperator:
        return self._operator


class LinearOperatorLowRankUpdate(DenseOperator):
    """L + U D V^H, of low rank but for L (`tf.linalg.LinearOperatorLowRankUpdate`).

    Args:
        base_operator: L.
        u: (..., n, k).
        diag_update: (..., k): the diagonal of D; ones if None.
        v: (..., n, k); U if None.
        is_diag_update_positive: True if the program knows that.
        is_non_singular: see `LinearOperator`.
        is_self_adjoint: see `LinearOperator`.
        is_positive_definite: see `LinearOperator`.
        is_square: see `LinearOperator`.
        name: its name.
    """

    _inner: ClassVar[dict[str, Any]] = {"base_operator": 0, "u": 2, "diag_update": 1, "v": 2}

    def __init__(
        self, base_operator: LinearOperator, u: TensorLike, diag_update: TensorLike | None = None,
        v: TensorLike | None = None, is_diag_update_positive: Flag = None,
        is_non_singular: Flag = None, is_self_adjoint: Flag = None,
        is_positive_definite: Flag = None, is_square: Flag = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:  # fmt: skip
        self._base, self._u = base_operator, parameter(u, "u")
        self._v = self._u if v is None else parameter(v, "v")
        self._update = None if diag_update is None else parameter(diag_update, "diag_update")
        if diag_update is None and is_diag_update_positive is False:
            raise ValueError(
                "Default diagonal is the identity, which is positive.  However, user set "
                "'is_diag_update_positive' to False."
            )
        positive = True if diag_update is None else is_diag_update_positive
        self._is_diag_update_positive = positive
        if v is None and positive:
            is_positive_definite = or_all(
                [base_operator], "is_positive_definite", is_positive_definite, "update"
            )
        if v is None and (not self._u.dtype.is_complex or (positive and is_positive_definite)):
            if base_operator.is_self_adjoint and is_self_adjoint is False:
                raise ValueError(
                    "A = L + UDU^H, with L self-adjoint and D real diagonal.  Since UDU^H is "
                    "self-adjoint, this must be a self-adjoint operator."
                )
            is_self_adjoint = True if base_operator.is_self_adjoint else is_self_adjoint
        parameters = {
            "base_operator": base_operator, "u": u, "diag_update": diag_update, "v": v,
            "is_diag_update_positive": is_diag_update_positive, "is_non_singular": is_non_singular,
            "is_self_adjoint": is_self_adjoint, "is_positive_definite": is_positive_definite,
            "is_square": is_square, "name": name,
        }  # fmt: skip
        super().__init__(
            base_operator.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite,
            is_square, name, parameters,
        )  # fmt: skip
        self._check_shapes()

    def _check_shapes(self) -> None:
        """Raises ValueError where its parts do not fit together, as far as that is known."""
        u, v = self._u.shape, self._v.shape
        if u.rank is not None and u.rank < 2:
            raise ValueError(f"Argument u must have at least 2 dimensions.  Found: {self._u!s}")
        base = self._base.domain_dimension
        base.assert_is_compatible_with(Dimension(size_of(u, -2)))
        if self._update is not None:
            ranks = Dimension(size_of(self._update.shape, -1))
            ranks.assert_is_compatible_with(Dimension(size_of(u, -1)))
        if None not in (u.rank, v.rank):
            broadcast_static_shape(u, v)
        self._batch_shape()

    def _batch_shape(self) -> TensorShape:
        batches = [self._base.batch_shape]
        for sizes, inner in ((self._u.shape, 2), (self._v.shape, 2), (self._diagonal_shape(), 1)):
            batches.append(sizes if sizes.rank is None else sizes[:-inner])
        return functools.reduce(broadcast_static_shape, batches)

    def _diagonal_shape(self) -> TensorShape:
        if self._update is not None:
            return self._update.shape  # type: ignore[no-any-return]
        sizes: TensorShape = self._u.shape
        return sizes if sizes.rank is None else sizes[:-2].concatenate(sizes[-1:])

    @property
    def base_operator(self) -> LinearOperator:
        """L."""
        return self._base

    @property
    def u(self) -> Any:
        """U."""
        return self._u

    @property
    def v(self) -> Any:
        """V."""
        return self._v

    @property
    def diag_update(self) -> Any:
        """The diagonal of D; None for ones."""
        return self._update

    @property
    def is_diag_update_positive(self) -> Flag:
        """What the program has said."""
        return self._is_diag_update_positive

    @property
    def diag_operator(self) -> LinearOperator:
        """D."""
        return LinearOperatorDiag(self._diagonal())

    def _diagonal(self) -> Any:
        if self._update is not None:
            return to_tensor(self._update)
        sizes = shape(self._u)
        return ones(joined_sizes(sizes[:-2], sizes[-1:]), self._u.dtype)

    def _shape(self) -> TensorShape:
        sizes = self._base.shape
        return self._batch_shape().concatenate([size_of(sizes, -2), size_of(sizes, -1)])

    def _shape_tensor(self) -> Any:
        sizes = self._base.shape_tensor()
        batches = [sizes[:-2], shape(self._u)[:-2], shape(self._v)[:-2]]
        batches += [] if self._update is None else [shape(self._update)[:-1]]
        return joined_sizes(functools.reduce(broadcast_dynamic_shape, batches), sizes[-2:])

    def _dense(self) -> Any:
        return self._base.to_dense() + matmul(self._scaled(), to_tensor(self._v), adjoint_b=True)

    def _scaled(self) -> Any:
        return to_tensor(self._u) * expand_dims(self._diagonal(), -2)

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        u, v, d = to_tensor(self._u), to_tensor(self._v), expand_dims(self._diagonal(), -1)
        if adjoint:
            u, v, d = v, u, conj(d)
        return self._base.matmul(x, adjoint=adjoint) + matmul(u, d * matmul(v, x, adjoint_a=True))

    def _capacitance(self) -> Any:
        """D^-1 + V^H L^-1 U, whose inverse the solution needs."""
        inner = matmul(to_tensor(self._v), self._base.solve(to_tensor(self._u)), adjoint_a=True)
        return inner + diag(1.0 / self._diagonal())

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        u, v, middle = to_tensor(self._u), to_tensor(self._v), self._capacitance()
        if adjoint:
            u, v, middle = v, u, adjoint_of(middle)
        first = self._base.solve(rhs, adjoint=adjoint)
        inner = solve(*with_batches(middle, matmul(v, first, adjoint_a=True)))
        return first - self._base.solve(matmul(u, inner), adjoint=adjoint)

    def _determinant(self) -> Any:
        of_update = LinearOperatorDiag(self._diagonal()).determinant()
        return det(self._capacitance()) * of_update * self._base.determinant()

    def _log_abs_determinant(self) -> Any:
        of_update = LinearOperatorDiag(self._diagonal()).log_abs_determinant()
        return slogdet(self._capacitance())[1] + of_update + self._base.log_abs_determinant()

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorLowerTriangular(cholesky(self._dense()), is_non_singular=True)


def _product(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    """The simplest operator of a product."""
    if isinstance(left, LinearOperatorIdentity):
        return right
    if isinstance(right, LinearOperatorIdentity):
        return left
    zero = _zero_product(left, right)
    if zero is not None:
        return zero
    scaled = [x for x in (left, right) if isinstance(x, LinearOperatorScaledIdentity)]
    diagonal = [x for x in (left, right) if isinstance(x, LinearOperatorDiag)]
    if len(scaled) == 2:
        multiplier = scaled[0].multiplier * scaled[1].multiplier
        return LinearOperatorScaledIdentity(
            left.domain_dimension_tensor(), multiplier, **of_commuting(left, right)
        )
    if len(diagonal) == 2:
        return LinearOperatorDiag(diagonal[0].diag * diagonal[1].diag, **of_commuting(left, right))
    if scaled and diagonal:
        values = diagonal[0].diag * expand_dims(to_tensor(scaled[0].multiplier), -1)
        return LinearOperatorDiag(values, **of_commuting(left, right))
    triangle = _triangular_product(left, right)
    if triangle is not None:
        return triangle
    if isinstance(left, LinearOperatorBlockDiag) and left.has_blocks_of(right):
        pairs = zip(left.operators, right.operators, strict=True)  # type: ignore[attr-defined]
        return LinearOperatorBlockDiag([a.matmul(b) for a, b in pairs])
    return LinearOperatorComposition([left, right], **of_product(left, right))


def _zero_product(left: LinearOperator, right: LinearOperator) -> LinearOperator | None:
    """A product with a square operator of zeros."""
    is_left = isinstance(left, LinearOperatorZeros) and left.is_square
    if not is_left and not (isinstance(right, LinearOperatorZeros) and right.is_square):
        return None
    zero, other = (left, right) if is_left else (right, left)
    if other.is_square is not False:
        return zero
    return LinearOperatorZeros(
        left.range_dimension_tensor(), right.domain_dimension_tensor(),
        batch_shape=zero.batch_shape_tensor(), dtype=zero.dtype, is_self_adjoint=False,
        is_square=False,
    )  # fmt: skip


def _triangular_product(left: LinearOperator, right: LinearOperator) -> LinearOperator | None:
    """A product of a diagonal with a triangle: a triangle."""
    pair = (LinearOperatorDiag, LinearOperatorLowerTriangular)
    values: Any
    if isinstance(left, pair[0]) and isinstance(right, pair[1]):
        values = left.matmul(right.to_dense())
    elif isinstance(left, pair[1]) and isinstance(right, pair[0]):
        values = left.to_dense() * expand_dims(to_tensor(right.diag), -2)
    else:
        return None
    hints = of_commuting(left, right) | {"is_positive_definite": None}
    return LinearOperatorLowerTriangular(values, **hints)


PRODUCT.bind(_product)
ADJOINT.bind(LinearOperatorAdjoint)
INVERSE.bind(LinearOperatorInversion)
