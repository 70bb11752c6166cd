"""What goes with `tf.IndexedSlices`: their spec, rows left out, and functions that let them be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base import dtypes
from ..base.dtypes import DType, as_dtype
from ..base.shapes import TensorShape
from ..base.typing import DTypeLike, ShapeLike, TensorLike
from ..core.tensor_spec import TensorSpec
from ..core.type_spec import TypeSpec
from ..ops.array.gathering import gather
from ..ops.array.unique import setdiff1d
from ..ops.convert import convert_to_tensor
from ..ops.sparse.tensor import SparseTensor, SparseTensorValue
from ..ops.variables.indexed_slices import IndexedSlices


class IndexedSlicesSpec(TypeSpec):
    """The type of IndexedSlices (`tf.IndexedSlicesSpec`).

    Args:
        shape: of the larger tensor.
        dtype: of the slices.
        indices_dtype: int32 or int64.
        dense_shape_dtype: of the shape; None if it is not known.
        indices_shape: a vector's: how many slices there are.

    >>> IndexedSlicesSpec([2, 3], "float32")
    IndexedSlicesSpec(TensorShape([2, 3]), tf.float32, tf.int64, None, TensorShape([None]))
    """

    __slots__ = ("_dense", "_dtype", "_indices", "_places", "_shape")

    value_type = IndexedSlices

    def __init__(
        self,
        shape: ShapeLike | None = None,
        dtype: DTypeLike = dtypes.float32,
        indices_dtype: DTypeLike = dtypes.int64,
        dense_shape_dtype: DTypeLike | None = None,
        indices_shape: ShapeLike | None = None,
    ) -> None:
        self._shape, self._dtype = TensorShape(shape), as_dtype(dtype)
        self._indices: DType = as_dtype(indices_dtype)
        self._dense = None if dense_shape_dtype is None else as_dtype(dense_shape_dtype)
        self._places = TensorShape([None]) if indices_shape is None else TensorShape(indices_shape)

    @property
    def shape(self) -> TensorShape:
        """The shape of the larger tensor."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype of the slices."""
        return self._dtype

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._indices, self._dense, self._places

    @property
    def _component_specs(self) -> tuple[TensorSpec, ...]:
        rows = self._places.sizes
        rest = self._shape.sizes
        values = None if rest is None or rows is None else [*rows, *rest[1:]]
        specs = (TensorSpec(values, self._dtype), TensorSpec(rows, self._indices))
        if self._dense is None:
            return specs
        return (*specs, TensorSpec([self._shape.rank], self._dense))

    def _to_components(self, value: IndexedSlices) -> tuple[Any, ...]:
        return value.components()

    def _from_components(self, components: Sequence[Any]) -> IndexedSlices:
        return IndexedSlices(*components)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IndexedSlicesSpec) and self._serialize() == other._serialize()

    def __hash__(self) -> int:
        return hash(tuple(map(str, self._serialize())))

    def __repr__(self) -> str:
        return f"IndexedSlicesSpec{self._serialize()!r}"


def _spec_of(slices: IndexedSlices) -> IndexedSlicesSpec:
    dense = slices.dense_shape
    rest = slices.values.shape.sizes
    shape = slices.shape
    if dense is None and rest is not None:
        shape = TensorShape([None, *rest[1:]])
    return IndexedSlicesSpec(
        shape, slices.dtype, slices.indices.dtype, None if dense is None else dense.dtype,
        slices.indices.shape,
    )  # fmt: skip


def mask(a: IndexedSlices, mask_indices: TensorLike, name: str | None = None) -> IndexedSlices:
    """Removes the slices of some places (`tf.sparse.mask`).

    Args:
        a: IndexedSlices.
        mask_indices: the places whose slices go, a vector.
        name: not used.
    """
    kept, which = setdiff1d(a.indices, mask_indices)
    return IndexedSlices(gather(a.values, which), kept, a.dense_shape)


def convert_to_tensor_or_indexed_slices(
    value: TensorLike, dtype: DTypeLike | None = None, name: str | None = None
) -> Any:
    """Returns a value as a tensor, IndexedSlices as they are
    (`tf.compat.v1.convert_to_tensor_or_indexed_slices`).
    """
    return value if isinstance(value, IndexedSlices) else convert_to_tensor(value, dtype)


def convert_to_tensor_or_sparse_tensor(
    value: TensorLike, dtype: DTypeLike | None = None, name: str | None = None
) -> Any:
    """Returns a value as a tensor, a sparse tensor as it is
    (`tf.compat.v1.convert_to_tensor_or_sparse_tensor`).

    Raises:
        RuntimeError: a sparse tensor has another dtype.
    """
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        return convert_to_tensor(value, dtype)
    if dtype is not None and as_dtype(dtype) is not value.dtype:
        raise RuntimeError(
            f"Sparse dtype mismatch. Requested: {as_dtype(dtype).name},  Actual: {value.dtype.name}"
        )
    return value


IndexedSlices._type_spec = property(_spec_of)  # type: ignore[assignment, method-assign]
