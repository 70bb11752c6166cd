"""`tensorflow.python.ops.linalg.sparse.sparse_csr_matrix_ops`: products of sparse matrices.

Our sparse tensors multiply as they are: a "CSR matrix" here is the sparse tensor itself.
"""

from __future__ import annotations

from typing import Any

from ..base.typing import TensorLike
from ..ops.sparse.matmul import sparse_sparse_matmul
from ..ops.sparse.tensor import SparseTensor


def sparse_tensor_to_csr_sparse_matrix(
    indices: TensorLike, values: TensorLike, dense_shape: TensorLike, name: str | None = None
) -> SparseTensor:
    """A matrix, or a batch of them, out of the parts of a sparse tensor."""
    return SparseTensor(indices, values, dense_shape)


def sparse_matrix_sparse_mat_mul(a: Any, b: Any, type: Any, name: str | None = None) -> Any:
    """The product of two sparse matrices, or of two batches of them."""
    return sparse_sparse_matmul(a, b)


def csr_sparse_matrix_to_sparse_tensor(
    sparse_matrix: Any, type: object, name: str | None = None
) -> Any:
    """The sparse tensor of a matrix."""
    return sparse_matrix
