"""Products of ragged matrices: of dense ones that are filled up with zeros, cut to size again."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base import dtypes
from ...base.errors import invalid_argument
from ...core.ragged import RaggedTensor
from ...core.symbolic_value import SymbolicValueError
from ...core.tensor import Tensor
from ..composite import composite_rule
from ..deferred import EVEN_ROWS, asking_for
from ..op import Op, apply
from .making import from_tensor
from .methods import as_partitioned, check_same_rows

Sizes = np.ndarray[Any, Any]


class _Extent(NamedTuple):
    """One matrix per batch, and how many rows or columns each has."""

    sizes: Sizes
    is_ragged: bool
    uniform: int | None  #: where it is known to be the same of all


class _Matrices(NamedTuple):
    """One matrix per batch, filled up to the size of the largest."""

    dense: Tensor
    rows: _Extent
    columns: _Extent

    def turned(self) -> _Matrices:
        """The same with rows and columns swapped, but for the tensor."""
        return _Matrices(self.dense, self.columns, self.rows)


@composite_rule(RaggedTensor, ["MatMul", "BatchMatMulV2"])
def matmul_rule(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """`tf.matmul`."""
    a, b = inputs
    if a.dtype is not b.dtype:
        raise ValueError("`a` and `b` must have the same dtype.")
    ranks = {a.shape.rank, b.shape.rank}
    if ranks == {None}:
        raise ValueError(
            "matmul requires at least one input to have known rank if either input is ragged."
        )
    if None in ranks:
        raise SymbolicValueError("How many axes both matrices have is known when the graph runs.")
    if len(ranks) > 1:
        raise ValueError("`a` and `b` must have the same rank.")
    turns = [bool(attrs.get(name, attrs.get(other)))
             for name, other in (("transpose_a", "adj_x"), ("transpose_b", "adj_y"))]  # fmt: skip
    if a.shape.rank == 2:
        return apply(op, (_one_matrix(a), _one_matrix(b)), attrs)
    return _products(op, a, b, attrs, turns)


def _one_matrix(value: Any) -> Any:
    """Rows of one length as a matrix."""
    if not isinstance(value, RaggedTensor):
        return value
    _columns_of(np.array([0, len(value.host_splits()) - 1]), np.diff(value.host_splits()))
    return value.to_tensor()  # type: ignore[attr-defined]


def _products(op: Op, a: Any, b: Any, attrs: dict[str, Any], turns: list[bool]) -> Any:
    if not isinstance(a, RaggedTensor) and not isinstance(b, RaggedTensor):
        return apply(op, (a, b), attrs)
    if None not in (a.shape[0], b.shape[0]) and a.shape[0] != b.shape[0]:
        raise ValueError(
            f"Dimensions {a.shape[0]} and {b.shape[0]} are not compatible: `a` and `b` have other "
            "numbers of matrices."
        )
    dtype = next(x.row_splits.dtype for x in (a, b) if isinstance(x, RaggedTensor))
    if a.shape.rank > 3:
        a, b = as_partitioned(a, dtype), as_partitioned(b, dtype)
        check_same_rows(a, b, "Batch dimensions of `a` and `b` do not have the same size.")
        return a.rewrap(_products(op, a.values, b.values, attrs, turns))
    x, y = _matrices(a), _matrices(b)
    x, y = (x.turned() if turns[0] else x), (y.turned() if turns[1] else y)
    wrong = np.flatnonzero(x.columns.sizes != y.rows.sizes)
    if wrong.size:
        i = int(wrong[0])
        text = (
            f"Matrix size-incompatible: In[0]: [{x.rows.sizes[i]},{x.columns.sizes[i]}], In[1]: "
            f"[{y.rows.sizes[i]},{y.columns.sizes[i]}], of matrices {i} of the batch"
        )
        raise asking_for(invalid_argument(text), EVEN_ROWS)
    made = apply(op, (x.dense, y.dense), attrs)
    return _cut(made, x.rows, y.columns, dtype)


def _matrices(value: Any) -> _Matrices:
    if not isinstance(value, RaggedTensor):
        count, rows, columns = value.shape.as_list()
        sides = (_Extent(np.full(count, size), False, size) for size in (rows, columns))
        return _Matrices(value, *sides)
    splits = value.host_splits()
    rows = _Extent(np.diff(splits), True, value.uniform_length)
    inner = value.values
    if isinstance(inner, RaggedTensor):
        found = _columns_of(splits, np.diff(inner.host_splits()))
        columns = _Extent(found, True, inner.uniform_length)
    else:
        size = inner.shape[1]
        columns = _Extent(np.full(len(splits) - 1, size), False, size)
    return _Matrices(value.to_tensor(), rows, columns)  # type: ignore[attr-defined]


def _columns_of(splits: Sizes, lengths: Sizes) -> Sizes:
    """How many columns each matrix has, 0 where it has no rows.

    Raises:
        InvalidArgumentError: rows of one matrix have other lengths.
    """
    starts, ends = splits[:-1], splits[1:]
    found = np.where(ends > starts, np.append(lengths, 0)[starts], 0)
    if (np.repeat(found, ends - starts) != lengths).any():
        text = (
            "The matrices in `a` and `b` may not be ragged in their innermost dimension. Got rows "
            f"of {lengths.tolist()} values."
        )
        raise asking_for(invalid_argument(text), EVEN_ROWS)
    return found


def _cut(made: Tensor, rows: _Extent, columns: _Extent, dtype: dtypes.DType) -> RaggedTensor:
    """The products without what the matrices were filled up with."""
    cut = from_tensor(made, rows.sizes.tolist(), row_splits_dtype=dtype)
    cut.uniform_length = rows.uniform
    if columns.is_ragged:
        lengths = np.repeat(columns.sizes, rows.sizes)
        inner = from_tensor(cut.values, lengths.tolist(), row_splits_dtype=dtype)
        inner.uniform_length = columns.uniform
        cut = cut.rewrap(inner)
    return cut  # type: ignore[no-any-return]
