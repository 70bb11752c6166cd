"""Operators made of blocks: what they have in common, and how blocks stand below each other."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

from ...base.shapes import TensorShape, broadcast_static_shape
from ...ops.array.joining import concat, split
from ...ops.array.shaping import (
    broadcast_dynamic_shape,
    broadcast_to,
    expand_dims,
    shape,
    squeeze,
)
from ...ops.convert import to_tensor
from .base import LinearOperator, joined_sizes, size_of

Sizes = Sequence[int | None]


def total(sizes: Sizes) -> int | None:
    """The sum, None if one is not known."""
    return None if None in sizes else sum(sizes)  # type: ignore[arg-type]


def product(sizes: Sizes) -> int | None:
    """The product, None if one is not known."""
    return None if None in sizes else math.prod(sizes)  # type: ignore[arg-type]


def joined_batches(operators: Sequence[LinearOperator]) -> TensorShape:
    """The batch dimensions of several operators together.

    Raises:
        ValueError: they do not fit together.
    """
    return functools.reduce(broadcast_static_shape, [each.batch_shape for each in operators])


def joined_batch_sizes(operators: Sequence[LinearOperator]) -> Any:
    """The same as a tensor."""
    return functools.reduce(
        broadcast_dynamic_shape, [each.batch_shape_tensor() for each in operators]
    )


def alike(parts: list[Any], inner: int = 2) -> list[Any]:
    """Tensors with the same batch dimensions before their `inner` last ones."""
    batches = [None if x.shape.rank is None else x.shape[:-inner] for x in parts]
    first = batches[0]
    if first is not None and first.is_fully_defined() and all(each == first for each in batches):
        return parts
    batch = functools.reduce(broadcast_dynamic_shape, [shape(x)[:-inner] for x in parts])
    return [broadcast_to(x, joined_sizes(batch, shape(x)[-inner:])) for x in parts]


def is_in_blocks(x: Any, sizes: Sizes, axis: int) -> bool:
    """Whether a list is one of blocks, and not one matrix or vector: one of tensors is, and of
    lists what their sizes say.

    Args:
        x: what an operator is to be multiplied with.
        sizes: of the operator's blocks, as far as they are known.
        axis: which dimension of each block must be as large.

    Raises:
        ValueError: it may be both, or neither.
    """
    if not isinstance(x, (list, tuple)) or len(x) != len(sizes):
        return False
    shapes = [to_tensor(part).shape for part in x]
    if any(part.rank is not None and part.rank < -axis for part in shapes):
        return False
    if not any(isinstance(part, (list, tuple)) for part in x):
        return True
    theirs = [size_of(part, axis) for part in shapes]
    is_even = all(size == theirs[0] for size in theirs)
    if all(size is None for size in sizes):
        if len(theirs) == 1 or not is_even:
            return len(theirs) > 1
        raise ValueError(
            "Parsing of the input structure is ambiguous. Please input a blockwise iterable of "
            "`Tensor`s or a single `Tensor`."
        )
    if all(a is None or b is None or a == b for a, b in zip(sizes, theirs, strict=True)):
        return True
    if is_even and theirs[0] is not None and theirs[0] >= sum(size or 0 for size in sizes):
        return False
    raise ValueError("Input dimension does not match operator dimension.")


class Blocked(LinearOperator):
    """What takes lists of blocks, one for each of its own, beside whole matrices and vectors."""

    def _rows_and_columns(self) -> tuple[list[LinearOperator], list[LinearOperator]]:
        """The blocks that tell how many rows there are from block to block, and columns."""
        raise NotImplementedError

    def _matmul_blocks(self, parts: list[Any], adjoint: bool, adjoint_arg: bool) -> list[Any]:
        raise NotImplementedError

    def _solve_blocks(self, parts: list[Any], adjoint: bool, adjoint_arg: bool) -> list[Any]:
        raise NotImplementedError

    def has_blocks_of(self, other: LinearOperator) -> bool:
        """Whether another operator of this class has as many rows, block by block, as this one has
        columns, as far as that is known.
        """
        if type(other) is not type(self):
            return False
        columns, rows = self._rows_and_columns()[1], other._rows_and_columns()[0]
        return len(columns) == len(rows) and all(
            a.domain_dimension.is_compatible_with(b.range_dimension)
            for a, b in zip(columns, rows, strict=True)
        )

    def _known_sizes(self, of_rows: bool) -> list[int | None]:
        rows, columns = self._rows_and_columns()
        if of_rows:
            return [each.range_dimension.value for each in rows]
        return [each.domain_dimension.value for each in columns]

    def _parts(self, x: Any, of_rows: bool) -> list[Any]:
        """A matrix, split as the rows or the columns of the blocks are."""
        known = self._known_sizes(of_rows)
        if None not in known:
            return split(x, known, axis=-2)  # type: ignore[no-any-return]
        rows, columns = self._rows_and_columns()
        sizes = (
            [each.range_dimension_tensor() for each in rows]
            if of_rows
            else [each.domain_dimension_tensor() for each in columns]
        )
        return split(x, joined_sizes(*sizes), axis=-2, num=len(sizes))  # type: ignore[no-any-return]

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
        if is_in_blocks(x, self._known_sizes(adjoint), -1 if adjoint_arg else -2):
            parts = [self._argument(part, "x") for part in x]
            return self._matmul_blocks(parts, adjoint, adjoint_arg)
        return super().matmul(x, adjoint, adjoint_arg)

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
        self._refuse_no_inverse("solve")
        if is_in_blocks(rhs, self._known_sizes(not adjoint), -1 if adjoint_arg else -2):
            parts = [self._argument(part, "rhs") for part in rhs]
            return self._solve_blocks(parts, adjoint, adjoint_arg)
        return super().solve(rhs, adjoint, adjoint_arg)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """Returns the product with a vector; with a list of blocks, a list of products.

        Args:
            x: a batch of vectors, or a list of such with the rows of each block.
            adjoint: take the adjoint of this operator.
            name: not used.
        """
        if not is_in_blocks(x, self._known_sizes(adjoint), -1):
            return super().matvec(x, adjoint)
        columns = [expand_dims(self._argument(part, "x"), -1) for part in x]
        return [squeeze(each, -1) for each in self._matmul_blocks(columns, adjoint, False)]

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """Returns the vector whose product with this is `rhs`; of a list of blocks, a list.

        Args:
            rhs: as `x` of `matvec`.
            adjoint: take the adjoint of this operator.
            name: not used.
        """
        self._refuse_no_inverse("solve")
        if not is_in_blocks(rhs, self._known_sizes(not adjoint), -1):
            return super().solvevec(rhs, adjoint)
        columns = [expand_dims(self._argument(part, "rhs"), -1) for part in rhs]
        return [squeeze(each, -1) for each in self._solve_blocks(columns, adjoint, False)]

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        return concat(alike(self._matmul_blocks(self._parts(x, adjoint), adjoint, False)), -2)

    def _solve(self, rhs: Any, adjoint: bool) -> Any:
        return concat(alike(self._solve_blocks(self._parts(rhs, not adjoint), adjoint, False)), -2)
