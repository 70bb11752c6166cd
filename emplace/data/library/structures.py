"""What elements are, as TF 1 called specs (`tf.compat.v1.data.experimental`)."""

from __future__ import annotations

from ...base.typing import DTypeLike, ShapeLike
from ...core.tensor_spec import TensorSpec
from ...ops.ragged.spec import RaggedTensorSpec
from ...ops.sparse.tensor import SparseTensorSpec


def tensor_structure(dtype: DTypeLike, shape: ShapeLike | None) -> TensorSpec:
    """The spec of a tensor (`tf.compat.v1.data.experimental.TensorStructure`)."""
    return TensorSpec(shape, dtype)


def sparse_tensor_structure(dtype: DTypeLike, shape: ShapeLike | None) -> SparseTensorSpec:
    """The spec of a sparse tensor (`tf.compat.v1.data.experimental.SparseTensorStructure`)."""
    return SparseTensorSpec(shape, dtype)


def ragged_tensor_structure(
    dtype: DTypeLike, shape: ShapeLike | None, ragged_rank: int
) -> RaggedTensorSpec:
    """Returns the spec of a ragged tensor (`tf.compat.v1.data.experimental.RaggedTensorStructure`).

    Args:
        dtype: the dtype.
        shape: the shape; None in it for sizes that differ.
        ragged_rank: how many axes are ragged.
    """
    return RaggedTensorSpec(shape, dtype, ragged_rank)
