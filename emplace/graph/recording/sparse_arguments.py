"""Sparse tensors among the arguments of functions: what a trace knows of them.

How many elements they have differs from call to call, so no trace is made for their number. What
a trace knows instead is the shape with the zeros. It stands in a key before the parts of the
sparse tensor, as a pair of dtype and sizes like those of tensors.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...base import dtypes, nest
from ...base.dtypes import DType
from ...base.shapes import Dims, TensorShape
from ...base.typing import TensorLike
from ...core.tensor_spec import TensorSpec
from ...ops.sparse.tensor import SparseTensor, SparseTensorSpec

Part = tuple[DType, Dims | None]


def prepared(leaf: object) -> Any:
    """An argument as traces take it: the spec of a sparse tensor as one that is made of specs."""
    if isinstance(leaf, SparseTensorSpec):
        parts = sparse_parts(leaf.dtype, leaf.shape)[1:]
        places, elements, sizes = [TensorSpec(dims, kind) for kind, dims in parts]
        return SparseTensor.of(places, elements, sizes, leaf.shape)
    return leaf


def sparse_parts(dtype: DType, shape: TensorShape) -> list[Part]:
    """What is known of a sparse tensor: itself, its places, its values, its shape."""
    rank = shape.rank
    return [
        (dtype, shape.sizes), (dtypes.int64, (None, rank)), (dtype, (None,)),
        (dtypes.int64, (rank,)),
    ]  # fmt: skip


def sparse_among(values: TensorLike) -> dict[int, list[Part]]:
    """What is known of each sparse tensor, by the place of its first part among all leaves."""
    found, place = {}, 0
    for each in nest.flatten(values):
        if isinstance(each, SparseTensor):
            found[place] = sparse_parts(each.dtype, each.shape)
        place += len(nest.flatten(each, expand_composites=True))
    return found


def keep_shapes(values: TensorLike, shapes: Iterable[Dims | None]) -> None:
    """Tells sparse tensors that have been put together again their shapes."""
    made = [each for each in nest.flatten(values) if isinstance(each, SparseTensor)]
    for each, dims in zip(made, shapes, strict=True):
        each.set_shape(dims)


def shapes_of(values: Any) -> list[Dims | None]:
    """The shapes of the sparse tensors in a structure."""
    return [x.shape.sizes for x in nest.flatten(values) if isinstance(x, SparseTensor)]
