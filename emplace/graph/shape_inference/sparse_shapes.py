"""What graphs know of sparse tensors that ops make: how many axes their places have.

How many elements there are depends on values, so these ops have no rule for known shapes; the rank
of the result still follows from what they are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base import dtypes
from ...base.dtypes import DType
from ...base.shapes import Dims, difference
from ...base.typing import ShapeLike
from ...core.symbolic_value import SymbolicValue
from ...ops.infer import Spec


def _rank(shape: Any) -> int | None:
    """The rank of a shape that is an attribute."""
    if not isinstance(shape, SymbolicValue):
        return len(shape)
    known = shape.tensor.partial_value()
    return None if known is None else len(known)


def _size(shape: Sequence[Any], axis: int) -> int | None:
    """A size of a shape that is an attribute."""
    if isinstance(shape, SymbolicValue):
        known = shape.tensor.partial_value()
        return None if known is None else known[axis]
    return shape[axis] if isinstance(shape[axis], int) else None


def _some(rank: int | None, dtype: DType, count: int | None = None) -> tuple[Spec, Spec, Spec]:
    """Places, values and the shape of a sparse tensor."""
    return Spec((count, rank), dtypes.int64), Spec((count,), dtype), Spec((rank,), dtypes.int64)


def _reduced(
    indices: Spec,
    values: Spec,
    *,
    input_shape: ShapeLike,
    reduction_axes: Sequence[int],
    keep_dims: bool,
    **_: Any,
) -> Any:
    rank = _rank(input_shape)
    if rank is None or keep_dims or reduction_axes is None:
        return _some(rank if keep_dims else None if rank is None else 0, values.dtype)
    axes = {axis % rank for axis in reduction_axes}
    return _some(rank - len(axes), values.dtype)


def _reshaped(indices: Spec, *, input_shape: object, new_shape: ShapeLike) -> Any:
    rank, count = _rank(new_shape), None if indices.dims is None else indices.dims[0]
    return Spec((count, rank), dtypes.int64), Spec((rank,), dtypes.int64)


def _check_sets(one: Dims, other: Dims) -> None:
    """Raises unless two tensors of sets may have the same number of them."""
    if len(one) != len(other):
        raise ValueError(f"Shape must be rank {len(one)} but is rank {len(other)}")
    if len(one) < 2:
        raise ValueError(f"Shape must be at least rank 2 but is rank {len(one)}")
    wrong = difference(one[:-1], other[:-1])
    if wrong is not None:
        raise ValueError(wrong)


def _set(*given: Spec, **attrs: Any) -> Any:
    sets = [attrs[name] for name in ("set1_shape", "set2_shape") if name in attrs]
    dims = [spec.dims for spec in given]
    rank = _rank(sets[0]) if sets else None if dims[0] is None else len(dims[0])
    if not sets and dims[0] is not None and dims[1] is not None:
        _check_sets(dims[0], dims[1])
    return _some(rank, given[-1].dtype)


def _picked_segments(data: Spec, *rest: Spec, **attrs: Any) -> Spec:
    return Spec(None if data.dims is None else (None, *data.dims[1:]), data.dtype)


def _cross(*parts: Spec, out_type: DType, **attrs: Any) -> Any:
    return _some(2, out_type)


def _sum(a: Spec, a_values: Spec, *rest: Spec, a_shape: Any, **attrs: Any) -> Any:
    return _some(_rank(a_shape), a_values.dtype)


def _choice(a: Spec, a_values: Spec, *rest: Spec, a_shape: Any, **attrs: Any) -> Any:
    return _some(_rank(a_shape), a_values.dtype)[:2]


def _box(indices: Spec, values: Spec, *, shape: ShapeLike, **attrs: Any) -> Any:
    return _some(_rank(shape), values.dtype)


def _parts(
    indices: Spec, values: Spec, *, shape: Sequence[int], num_split: int, **attrs: Any
) -> Any:
    places, elements, sizes = _some(_rank(shape), values.dtype)
    return (places,) * num_split + (elements,) * num_split + (sizes,) * num_split


def _filled_rows(indices: Spec, values: Spec, default: Spec, *, dense_shape: Sequence[int]) -> Any:
    places, elements, _ = _some(_rank(dense_shape), values.dtype)
    given = None if indices.dims is None else indices.dims[0]
    rows = Spec((_size(dense_shape, 0),), dtypes.bool_)
    return places, elements, rows, Spec((given,), dtypes.int64)


def _counts(rows: Spec, values: Spec, weights: Spec, **attrs: Any) -> Any:
    places, elements, _ = _some(2, weights.dtype)
    return places, elements, Spec((), dtypes.int64)


def _product(
    a_indices: Spec, a_values: Spec, b: Spec, *, a_shape: Any, adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> Spec:  # fmt: skip
    if b.dims is not None and len(b.dims) != 2:
        raise ValueError(f"Shape must be rank 2 but is rank {len(b.dims)}")
    rank = _rank(a_shape)
    if rank not in (None, 2):
        raise ValueError(f"Shape must be rank 2 but is rank {rank}")
    rows = None if rank is None else _size(a_shape, 1 if adjoint_a else 0)
    columns = None if b.dims is None else b.dims[0 if adjoint_b else 1]
    return Spec((rows, columns), a_values.dtype)


#: The rules, by the names of ops.
RULES: dict[str, Any] = {
    "SparseCross_": _cross, "SparseAdd": _sum, "SparseSparseMaximum": _choice,
    "SparseSparseMinimum": _choice, "SparseTensorSparseMatMul_": _choice, "SparseSlice": _box,
    "SparseSplit": _parts, "SparseFillEmptyRows": _filled_rows, "_SparseCount": _counts,
    "SparseReduceSumSparse": _reduced, "SparseReduceMaxSparse": _reduced,
    "SparseReshape": _reshaped, "SparseTensorDenseMatMul": _product,
    "DenseToDenseSetOperation": _set, "DenseToSparseSetOperation": _set,
    "SparseToSparseSetOperation": _set, "SparseSegmentSum": _picked_segments,
    "SparseSegmentMean": _picked_segments, "SparseSegmentSqrtN": _picked_segments,
}  # fmt: skip
