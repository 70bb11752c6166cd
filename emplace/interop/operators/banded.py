"""Linear operators of three diagonals, and of blocks below a diagonal of blocks."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ...base.shapes import TensorShape
from ...base.typing import TensorLike
from ...ops.array.joining import concat, split
from ...ops.array.making import zeros
from ...ops.convert import to_tensor
from ...ops.linalg.diagonal import diag, diag_part
from .base import DenseOperator, Flag, LinearOperator, arguments_of, parameter
from .combined import blocks_of, joined_batches
from .simple import LinearOperatorFullMatrix

_FORMATS = ("matrix", "sequence", "compact")
Rows = Sequence[Sequence[LinearOperator]]


class LinearOperatorTridiag(DenseOperator):
    """A batch of matrices of three diagonals (`tf.linalg.LinearOperatorTridiag`).

    Args:
        diagonals: for "compact" (..., 3, n), above, on and below the main diagonal; for "sequence"
            a list of these three; for "matrix" matrices of which the rest is not looked at.
        diagonals_format: "compact", "sequence" or "matrix".
        is_non_singular: see `LinearOperator`.
        is_self_adjoint: see `LinearOperator`.
        is_positive_definite: see `LinearOperator`.
        is_square: True.
        name: its name.
    """

    def __init__(
        self, diagonals: TensorLike, diagonals_format: str = "compact",
        is_non_singular: Flag = None, is_self_adjoint: Flag = None,
        is_positive_definite: Flag = None, is_square: Flag = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:  # fmt: skip
        given = dict(locals())
        if diagonals_format not in _FORMATS:
            raise ValueError(
                "Argument `diagonals_format` must be one of compact, matrix, or sequence. "
                f"Received : {diagonals_format}."
            )
        if is_square is False:
            raise ValueError("A tridiagonal operator is always square.")
        self._format = diagonals_format
        self._diagonals: Any
        if diagonals_format == "sequence":
            self._diagonals = [parameter(each, "diagonals") for each in diagonals]  # type: ignore[union-attr]
            dtype = self._diagonals[0].dtype
        else:
            self._diagonals = parameter(diagonals, "diagonals")
            dtype = self._diagonals.dtype
        super().__init__(
            dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name,
            arguments_of(given),
        )  # fmt: skip

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"diagonals": [1, 1, 1] if self._format == "sequence" else 2}

    @property
    def diagonals(self) -> Any:
        """What it was made of."""
        return self._diagonals

    @property
    def diagonals_format(self) -> str:
        """How that is written."""
        return self._format

    def _three(self) -> tuple[Any, Any, Any]:
        """The diagonals above, on and below: n numbers, n - 1 of which count outside."""
        if self._format == "compact":
            packed = to_tensor(self._diagonals)
            return packed[..., 0, :-1], packed[..., 1, :], packed[..., 2, 1:]
        if self._format == "sequence":
            above, main, below = (to_tensor(each) for each in self._diagonals)
            size = int(main.shape[-1])
            above = above[..., :-1] if above.shape[-1] == size else above
            return above, main, below[..., 1:] if below.shape[-1] == size else below
        matrix = to_tensor(self._diagonals)
        return tuple(diag_part(matrix, k=k) for k in (1, 0, -1))  # type: ignore[return-value]

    def _dense(self) -> Any:
        above, main, below = self._three()
        return diag(above, k=1) + diag(main) + diag(below, k=-1)

    def _diag_part(self) -> Any:
        return self._three()[1]


class LinearOperatorBlockLowerTriangular(LinearOperator):
    """Operators as blocks on and below a diagonal (`tf.linalg.LinearOperatorBlockLowerTriangular`).

    Args:
        operators: row after row, one block more in each; those at the ends are square.
        is_non_singular: see `LinearOperator`; whether all blocks on the diagonal are.
        is_self_adjoint: see `LinearOperator`.
        is_positive_definite: see `LinearOperator`.
        is_square: True.
        name: its name.
    """

    def __init__(
        self, operators: Rows, is_non_singular: Flag = None, is_self_adjoint: Flag = None,
        is_positive_definite: Flag = None, is_square: Flag = None,
        name: str = "LinearOperatorBlockLowerTriangular",
    ) -> None:  # fmt: skip
        rows = [list(row) for row in operators]
        _check_rows(rows)
        if is_square is False:
            raise ValueError("A block lower-triangular operator is always square.")
        said = _non_singular([row[-1] for row in rows])
        if said is not None and is_non_singular not in (None, said):
            raise ValueError(
                "A `LinearOperatorBlockLowerTriangular` is non-singular if and only if all its "
                f"blocks on the diagonal are; got is_non_singular={is_non_singular}."
            )
        super().__init__(
            rows[0][0].dtype, None, said, is_self_adjoint, is_positive_definite, True, name,
            {
                "operators": operators, "is_non_singular": is_non_singular,
                "is_self_adjoint": is_self_adjoint, "is_positive_definite": is_positive_definite,
                "is_square": is_square, "name": name,
            },
        )  # fmt: skip
        self._operators = rows

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"operators": [[0] * len(row) for row in self._operators]}

    @property
    def operators(self) -> list[list[LinearOperator]]:
        """The blocks, row after row."""
        return self._operators

    def _ends(self) -> list[LinearOperator]:
        return [row[-1] for row in self._operators]

    def _sizes(self) -> list[Any]:
        return [each.shape.as_list()[-1] for each in self._ends()]

    def _shape(self) -> TensorShape:
        batch = joined_batches([each for row in self._operators for each in row])
        return batch.concatenate([sum(self._sizes())] * 2)

    def _to_dense(self) -> Any:
        batch = self.batch_shape.as_list()
        sizes = self._sizes()
        made = []
        for height, row in zip(sizes, self._operators, strict=True):
            rest = [zeros([*batch, height, width], self.dtype) for width in sizes[len(row) :]]
            parts = [each.to_dense() for each in row]
            filled = [part + zeros([*batch, 1, 1], self.dtype) for part in parts]
            made.append(concat([*filled, *rest], -1))
        return concat(made, -2)

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
        whole = concat([to_tensor(part) for part in x], -1 if adjoint_arg else -2)
        return split(super().matmul(whole, adjoint, adjoint_arg), self._sizes(), axis=-2)

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
        whole = concat([to_tensor(part) for part in rhs], -1 if adjoint_arg else -2)
        return split(super().solve(whole, adjoint, adjoint_arg), self._sizes(), axis=-2)

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        parts = split(x, self._sizes(), axis=-2)
        made: list[Any] = [None] * len(parts)
        for i, row in enumerate(self._operators):
            for j, block in enumerate(row):
                source, place = (i, j) if adjoint else (j, i)
                product = block.matmul(parts[source], adjoint=adjoint)
                made[place] = product if made[place] is None else made[place] + product
        return _together(made)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        """Block by block, downwards; upwards for the adjoint."""
        parts = split(rhs, self._sizes(), axis=-2)
        count = len(parts)
        found: list[Any] = [None] * count
        for i in reversed(range(count)) if adjoint else range(count):
            known = range(i + 1, count) if adjoint else range(i)
            blocks = self._operators
            rest = [
                (blocks[j][i] if adjoint else blocks[i][j]).matmul(found[j], adjoint=adjoint)
                for j in known
            ]
            left = functools.reduce(lambda a, b: a - b, rest, parts[i])
            found[i] = blocks[i][-1].solve(left, adjoint=adjoint)
        return _together(found)

    def _diag_part(self) -> Any:
        return concat([each.diag_part() for each in self._ends()], -1)

    def _determinant(self) -> Any:
        return functools.reduce(lambda a, b: a * b, [x.determinant() for x in self._ends()])

    def _log_abs_determinant(self) -> Any:
        return sum(each.log_abs_determinant() for each in self._ends())

    def _inverse(self) -> LinearOperator:
        ends = [each.inverse() for each in self._ends()]
        made: list[list[LinearOperator]] = []
        for i, row in enumerate(self._operators):
            blocks: list[LinearOperator] = []
            for j in range(i):
                parts = [row[k].matmul(made[k][j].to_dense()) for k in range(j, i)]
                total = functools.reduce(lambda a, b: a + b, parts)
                blocks.append(LinearOperatorFullMatrix(-row[i].solve(total)))
            made.append([*blocks, ends[i]])
        return LinearOperatorBlockLowerTriangular(made, is_non_singular=True)

    def _eigvals(self) -> Any:
        return concat([each.eigvals() for each in self._ends()], -1)


def _together(parts: list[Any]) -> Any:
    """Blocks below each other, whose batch dimensions may differ."""
    wide = functools.reduce(lambda a, b: a + b, [part[..., :1, :1] for part in parts])
    return concat([part + (wide - wide) for part in parts], -2)


def _non_singular(ends: Sequence[LinearOperator]) -> Flag:
    if all(each.is_non_singular for each in ends):
        return True
    return False if any(each.is_non_singular is False for each in ends) else None


def _check_rows(rows: list[list[LinearOperator]]) -> None:
    if not rows:
        raise ValueError("Argument `operators` must be a list of >=1 operators. Received: [].")
    if [len(row) for row in rows] != list(range(1, len(rows) + 1)):
        raise ValueError(
            "Argument `operators` must contain rows of blocks of lower-triangular form: one in the "
            f"first row, two in the second. Got rows of {[len(row) for row in rows]}."
        )
    if any(row[-1].is_square is False for row in rows):
        raise ValueError("Matrices on the diagonal of `operators` must be square.")
    if len({each.dtype for row in rows for each in row}) > 1:
        raise TypeError("Expected all operators to have the same dtype.")
    columns = [row[-1].shape.as_list()[-1] for row in rows]
    for row in rows:
        found = [each.shape.as_list()[-1] for each in row]
        if found != columns[: len(row)]:
            raise ValueError(
                f"The blocks of a row have {found} columns, not {columns[: len(row)]}."
            )
