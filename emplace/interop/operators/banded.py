"""Linear operators of three diagonals, and of blocks below a diagonal of blocks."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ...base.errors import invalid_argument
from ...base.shapes import TensorShape, broadcast_static_shape
from ...base.typing import TensorLike
from ...ops.array.joining import concat
from ...ops.array.making import zeros
from ...ops.convert import to_tensor
from ...ops.linalg.diagonal import diag, diag_part
from ...ops.linalg.products import adjoint as adjoint_of
from .base import (
    DenseOperator,
    Flag,
    LinearOperator,
    arguments_of,
    joined_sizes,
    parameter,
    size_of,
)
from .blocks import Blocked, alike, joined_batch_sizes, joined_batches, total
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

    def _main(self) -> TensorShape:
        """The shape of the main diagonal."""
        if self._format == "sequence":
            return self._diagonals[1].shape  # type: ignore[no-any-return]
        sizes: TensorShape = self._diagonals.shape
        return sizes if sizes.rank is None else sizes[:-2].concatenate(sizes[-1:])

    def _shape(self) -> TensorShape:
        if self._format == "sequence":
            three = [each.shape for each in self._diagonals]
            if any(each.rank is None for each in three):
                return TensorShape(None)
            batches: list[TensorShape] = [each[:-1] for each in three]
            batch = functools.reduce(broadcast_static_shape, batches)
        else:
            if self._main().rank is None:
                return TensorShape(None)
            batch = self._main()[:-1]
        return batch.concatenate([self._main()[-1]] * 2)

    def _three(self) -> tuple[Any, Any, Any]:
        """The diagonals above, on and below: n numbers, n - 1 of which count outside."""
        if self._format == "compact":
            packed = to_tensor(self._diagonals)
            if size_of(packed.shape, -2) not in (None, 3):
                raise invalid_argument(
                    "The number of diagonals provided in the input does not match the "
                    "lower_diag_index and upper_diag_index range."
                )
            return packed[..., 0, :-1], packed[..., 1, :], packed[..., 2, 1:]
        if self._format == "sequence":
            above, main, below = (to_tensor(each) for each in self._diagonals)
            size = size_of(main.shape, -1)
            above = above[..., :-1] if size_of(above.shape, -1) == size else above
            return above, main, below[..., 1:] if size_of(below.shape, -1) == size else below
        matrix = to_tensor(self._diagonals)
        return tuple(diag_part(matrix, k=k) for k in (1, 0, -1))  # type: ignore[return-value]

    def _dense(self) -> Any:
        above, main, below = self._three()
        return diag(above, k=1) + diag(main) + diag(below, k=-1)

    def _diag_part(self) -> Any:
        return self._three()[1]


class LinearOperatorBlockLowerTriangular(Blocked):
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
            word = "non-singular" if said else "singular"
            raise ValueError(
                f"A block lower-triangular operator of {word} blocks on the diagonal is always "
                f"{word}."
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

    def _rows_and_columns(self) -> tuple[list[LinearOperator], list[LinearOperator]]:
        return self._ends(), self._ends()

    def _all(self) -> list[LinearOperator]:
        return [each for row in self._operators for each in row]

    def _shape(self) -> TensorShape:
        size = total([each.domain_dimension.value for each in self._ends()])
        return joined_batches(self._all()).concatenate([size, size])

    def _shape_tensor(self) -> Any:
        size = sum(each.domain_dimension_tensor() for each in self._ends())
        return joined_sizes(joined_batch_sizes(self._all()), size, size)

    def _to_dense(self) -> Any:
        batch, ends = self._batch_sizes(), self._ends()
        rows = []
        for end, row in zip(ends, self._operators, strict=True):
            height = end.range_dimension_tensor()
            widths = [each.domain_dimension_tensor() for each in ends[len(row) :]]
            rest = [zeros(joined_sizes(batch, height, width), self.dtype) for width in widths]
            rows.append(concat(alike([*(each.to_dense() for each in row), *rest]), -1))
        return concat(alike(rows), -2)

    def _matmul_blocks(self, parts: list[Any], adjoint: bool, adjoint_arg: bool) -> list[Any]:
        made: list[Any] = [None] * len(parts)
        for i, row in enumerate(self._operators):
            for j, block in enumerate(row):
                source, place = (i, j) if adjoint else (j, i)
                found = block.matmul(parts[source], adjoint=adjoint, adjoint_arg=adjoint_arg)
                made[place] = found if made[place] is None else made[place] + found
        return made

    def _solve_blocks(self, parts: list[Any], adjoint: bool, adjoint_arg: bool) -> list[Any]:
        """Block by block, downwards; upwards for the adjoint."""
        parts = [adjoint_of(part) for part in parts] if adjoint_arg else parts
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
        return found

    def _diag_part(self) -> Any:
        return concat(alike([each.diag_part() for each in self._ends()], 1), -1)

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
        return concat(alike([each.eigvals() for each in self._ends()], 1), -1)


def _non_singular(ends: Sequence[LinearOperator]) -> Flag:
    if all(each.is_non_singular for each in ends):
        return True
    return False if any(each.is_non_singular is False for each in ends) else None


def _check_rows(rows: list[list[LinearOperator]]) -> None:
    if not rows:
        raise ValueError("Argument `operators` must be a list of >=1 operators. Received: [].")
    for i, row in enumerate(rows):
        if len(row) != i + 1:
            raise ValueError(
                f"Argument `operators[{i}]` must contain `{i + 1}` blocks. Received: {len(row)} "
                "blocks."
            )
    if any(row[-1].is_square is False for row in rows):
        raise ValueError("Matrices on the diagonal of `operators` must be square.")
    if len({each.dtype for row in rows for each in row}) > 1:
        raise TypeError("Expected all operators to have the same dtype.")
    for i, row in enumerate(rows):
        for j, block in enumerate(row):
            _check_same(block, rows[j][j], (i, j), (j, j), "domain_dimension")
            _check_same(block, row[-1], (i, j), (i, i), "range_dimension")


def _check_same(
    a: LinearOperator, b: LinearOperator, place: tuple[int, int], other: tuple[int, int], name: str
) -> None:
    """Raises ValueError unless two blocks are as large, as far as that is known."""
    sizes = getattr(a, name), getattr(b, name)
    if not sizes[0].is_compatible_with(sizes[1]):
        told = [
            f"`operators[{i}][{j}].{name}` ({size})"
            for (i, j), size in zip((place, other), sizes, strict=True)
        ]
        raise ValueError(f"Argument {told[0]} must be the same as {told[1]}.")
