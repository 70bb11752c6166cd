"""Operators made of operators: products, blocks, updates, adjoints, inverses."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, ClassVar

from ...base.shapes import TensorShape
from ...base.typing import TensorLike
from ...ops.array.joining import concat, split
from ...ops.array.making import ones_like, zeros
from ...ops.array.shaping import broadcast_dynamic_shape, expand_dims, reshape
from ...ops.convert import to_tensor
from ...ops.linalg.decomposition import cholesky
from ...ops.linalg.diagonal import diag
from ...ops.linalg.products import adjoint as adjoint_of, matmul
from ...ops.linalg.solving import det, slogdet, solve
from ...ops.math.elementwise import conj
from .base import (
    ADJOINT,
    INVERSE,
    PRODUCT,
    DenseOperator,
    Flag,
    LinearOperator,
    parameter,
    with_batches,
)
from .hints import all_of, or_all, or_those_of
from .simple import (
    LinearOperatorDiag,
    LinearOperatorIdentity,
    LinearOperatorLowerTriangular,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
)

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


def joined_batches(operators: Operators) -> TensorShape:
    """The batch dimensions of several operators together."""
    sizes: list[Any] = []
    if any(each.batch_shape.rank is None for each in operators):
        return TensorShape(None)
    for each in operators:
        theirs = each.batch_shape.as_list()
        longest = max(len(sizes), len(theirs))
        a = [1] * (longest - len(sizes)) + sizes
        b = [1] * (longest - len(theirs)) + theirs
        sizes = [y if x == 1 else x for x, y in zip(a, b, strict=True)]
    return TensorShape(sizes)


def blocks_of(x: Any, count: int) -> bool:
    """Whether a list is one of blocks, not a matrix: its parts are matrices themselves."""
    is_list = isinstance(x, (list, tuple)) and len(x) == count
    return is_list and all(len(to_tensor(part).shape) >= 2 for part in x)


class _Several(LinearOperator):
    """What is made of several operators of one dtype."""

    def _take(
        self, operators: Operators, hints: tuple[Flag, Flag, Flag, Flag], name: str | None,
        mark: str,
    ) -> None:  # fmt: skip
        made_of = list(operators)
        if not made_of:
            raise ValueError(
                f"Argument `operators` must be a list of >=1 operators. Received: {operators}."
            )
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
        is_non_singular = or_all(operators, "is_non_singular", is_non_singular, "composition")
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        self._take(operators, hints, name, "_o_")

    def _shape(self) -> TensorShape:
        rows, columns = self._operators[0].shape[-2:-1], self._operators[-1].shape[-1:]
        return joined_batches(self._operators).concatenate(rows).concatenate(columns)

    def _shape_tensor(self) -> Any:
        batch = functools.reduce(
            broadcast_dynamic_shape, [each.batch_shape_tensor() for each in self._operators]
        )
        rows, columns = self._operators[0].shape_tensor(), self._operators[-1].shape_tensor()
        return concat([batch, rows[-2:-1], columns[-1:]], 0)

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


class LinearOperatorBlockDiag(_Several):
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
        given = list(operators)
        if is_square is False:
            raise ValueError("A block diagonal operator of square blocks is always square.")
        hints = _or_all(given, is_non_singular, is_self_adjoint, is_positive_definite, "direct sum")
        is_square = all_of([each.is_square for each in given])
        self._take(given, (*hints, is_square), name, "_ds_")

    def _sizes(self, axis: int) -> list[Any]:
        return [each.shape.as_list()[axis] for each in self._operators]

    def _shape(self) -> TensorShape:
        return joined_batches(self._operators).concatenate(
            [sum(self._sizes(-2)), sum(self._sizes(-1))]
        )

    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """Returns the product with a matrix; with a list of blocks, a list of products.

        Args:
            x: a batch of matrices, a list of such with the rows of each block, or an operator.
            adjoint: take the adjoint of this operator.
            adjoint_arg: take the adjoint of `x`.
            name: not used.
        """
        if not blocks_of(x, len(self._operators)):
            return super().matmul(x, adjoint, adjoint_arg)
        return [
            each.matmul(part, adjoint, adjoint_arg)
            for each, part in zip(self._operators, x, strict=True)
        ]

    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        """Returns the matrix whose product with this is `rhs`; of a list of blocks, a list.

        Args:
            rhs: as `x` of `matmul`.
            adjoint: take the adjoint of this operator.
            adjoint_arg: take the adjoint of `rhs`.
            name: not used.
        """
        if not blocks_of(rhs, len(self._operators)):
            return super().solve(rhs, adjoint, adjoint_arg)
        return [
            each.solve(part, adjoint, adjoint_arg)
            for each, part in zip(self._operators, rhs, strict=True)
        ]

    def _each(self, x: Any, way: str, adjoint: bool) -> Any:
        axis = -2 if adjoint or way == "solve" else -1
        parts = split(x, self._sizes(axis), axis=-2)
        made = [
            getattr(each, way)(part, adjoint=adjoint)
            for each, part in zip(self._operators, parts, strict=True)
        ]
        return concat(_alike(made), -2)

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return self._each(x, "matmul", adjoint)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return self._each(rhs, "solve", adjoint)

    def _diag_part(self) -> Any:
        return concat(_alike([each.diag_part() for each in self._operators], 1), -1)

    def _determinant(self) -> Any:
        return functools.reduce(lambda a, b: a * b, [x.determinant() for x in self._operators])

    def _log_abs_determinant(self) -> Any:
        return sum(each.log_abs_determinant() for each in self._operators)

    def _eigvals(self) -> Any:
        return concat(_alike([each.eigvals() for each in self._operators], 1), -1)

    def _inverse(self) -> LinearOperator:
        return LinearOperatorBlockDiag([each.inverse() for each in self._operators])

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorBlockDiag([each.adjoint() for each in self._operators])

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorBlockDiag([each.cholesky() for each in self._operators])


def _alike(parts: list[Any], inner: int = 2) -> list[Any]:
    """Tensors with the same batch dimensions before their `inner` last ones."""
    total = functools.reduce(
        lambda a, b: a + b,
        [zeros([*x.shape.as_list()[: x.shape.rank - inner], *[1] * inner], x.dtype) for x in parts],
    )
    return [x + total for x in parts] if total.shape.rank > inner else parts


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
        rows = functools.reduce(
            lambda a, b: a * b, [x.shape.as_list()[-2] for x in self._operators]
        )
        columns = functools.reduce(
            lambda a, b: a * b, [x.shape.as_list()[-1] for x in self._operators]
        )
        return joined_batches(self._operators).concatenate([rows, columns])

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
        n = self.shape.as_list()[-1]
        found = [x.determinant() ** (n // x.shape.as_list()[-1]) for x in self._operators]
        return functools.reduce(lambda a, b: a * b, found)

    def _log_abs_determinant(self) -> Any:
        n = self.shape.as_list()[-1]
        return sum(
            x.log_abs_determinant() * float(n // x.shape.as_list()[-1]) for x in self._operators
        )

    def _inverse(self) -> LinearOperator:
        return LinearOperatorKronecker([each.inverse() for each in self._operators])

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorKronecker([each.adjoint() for each in self._operators])

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorKronecker([each.cholesky() for each in self._operators])


def _kronecker(a: Any, b: Any) -> Any:
    made = a[..., :, None, :, None] * b[..., None, :, None, :]
    sizes = made.shape.as_list()
    return reshape(made, [*sizes[:-4], sizes[-4] * sizes[-3], sizes[-2] * sizes[-1]])


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
        self._take(operator, _completed(given, operator), name or f"{operator.name}_adjoint")

    def _shape(self) -> TensorShape:
        sizes = self._operator.shape
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


def _completed(given: tuple[Flag, ...], operator: LinearOperator) -> tuple[Flag, ...]:
    names = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")
    return tuple(or_those_of(operator, name, flag) for name, flag in zip(names, given, strict=True))


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
        self._take(operator, _completed(given, operator), name or f"{operator.name}_inv")

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
        positive = True if diag_update is None else is_diag_update_positive
        self._is_diag_update_positive = positive
        if v is None and positive:
            is_positive_definite = or_all(
                [base_operator], "is_positive_definite", is_positive_definite, "update"
            )
        if v is None and (not self._u.dtype.is_complex or (positive and is_positive_definite)):
            is_self_adjoint = or_all([base_operator], "is_self_adjoint", is_self_adjoint, "update")
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
        return ones_like(self._u[..., 0, :]) if self._update is None else to_tensor(self._update)

    def _shape(self) -> TensorShape:
        sizes = self._base.shape
        batch = joined_batches([self._base, LinearOperatorDiag(self._diagonal())])
        return batch.concatenate(sizes[-2:])

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
    if isinstance(left, LinearOperatorZeros) and left.is_square:
        return left
    if isinstance(right, LinearOperatorZeros) and right.is_square:
        return right
    scaled = [x for x in (left, right) if isinstance(x, LinearOperatorScaledIdentity)]
    diagonal = [x for x in (left, right) if isinstance(x, LinearOperatorDiag)]
    if len(scaled) == 2:
        return LinearOperatorScaledIdentity(
            left.shape.as_list()[-1], scaled[0].multiplier * scaled[1].multiplier
        )
    if len(diagonal) == 2:
        return LinearOperatorDiag(diagonal[0].diag * diagonal[1].diag)
    if scaled and diagonal:
        return LinearOperatorDiag(
            diagonal[0].diag * expand_dims(to_tensor(scaled[0].multiplier), -1)
        )
    if isinstance(left, LinearOperatorDiag) and isinstance(right, LinearOperatorLowerTriangular):
        return LinearOperatorLowerTriangular(left.matmul(right.to_dense()))
    if isinstance(left, LinearOperatorLowerTriangular) and isinstance(right, LinearOperatorDiag):
        return LinearOperatorLowerTriangular(
            left.to_dense() * expand_dims(to_tensor(right.diag), -2)
        )
    square = left.is_square and right.is_square
    return LinearOperatorComposition(
        [left, right],
        is_non_singular=all_of([left.is_non_singular, right.is_non_singular]),
        is_square=True if square else None,
    )


PRODUCT.bind(_product)
ADJOINT.bind(LinearOperatorAdjoint)
INVERSE.bind(LinearOperatorInversion)
