"""Some elements of a product of matrices: `tf.sparse.sampled_addmm`."""

from __future__ import annotations

from typing import Any

from ...base import dtypes
from ...base.dtypes import as_dtype
from ...base.typing import DTypeLike, TensorLike
from ...core.tensor import Tensor
from ..arguments import check_that
from ..array.gathering import gather_nd
from ..convert import to_tensor
from ..deferred import deferrable
from ..linalg.products import matrix_transpose
from ..math.elementwise import equal, multiply
from ..math.reduction import reduce_all, reduce_sum


@deferrable
def sampled_addmm(
    indices: TensorLike,
    values: TensorLike,
    dense_shape: TensorLike,
    mat1: TensorLike,
    mat2: TensorLike,
    beta: TensorLike = 1.0,
    alpha: TensorLike = 1.0,
    output_type: DTypeLike = dtypes.float32,
) -> tuple[Tensor, Tensor, Tensor]:
    """Returns `alpha * (mat1 @ mat2) + beta * values` at some places (`tf.sparse.sampled_addmm`).

    Args:
        indices: the places, (..., n, 2): rows and columns.
        values: what is added there, (..., n).
        dense_shape: the rows and columns of the product.
        mat1: matrices, (..., rows, inner).
        mat2: matrices, (..., inner, columns).
        beta: a factor of the values.
        alpha: a factor of the product.
        output_type: the dtype of the result, in which everything is computed.

    Returns:
        The indices, the elements and the shape.

    Raises:
        ValueError: the shape is not that of the product.
        InvalidArgumentError: the same, where only running a graph tells it; a place is outside.

    >>> places, found, _ = sampled_addmm(
    ...     [[0, 0]], [0.5], [2, 1], [[1.0, 2.0], [3.0, 4.0]], [[5.0], [6.0]]
    ... )
    >>> found.numpy().tolist()
    [17.5]
    """
    dtype = as_dtype(output_type)
    places = to_tensor(indices)
    shape = to_tensor(dense_shape, hint=dtypes.int32)
    first, second, added = (to_tensor(value, dtype) for value in (mat1, mat2, values))
    first = _checked(first, shape, (first.shape[-2], second.shape[-1]))
    batch = first.shape.rank - 2
    rows = gather_nd(first, places[..., :1], batch_dims=batch)
    columns = gather_nd(matrix_transpose(second), places[..., 1:], batch_dims=batch)
    products = multiply(reduce_sum(multiply(rows, columns), -1), to_tensor(alpha, dtype))
    return places, products + multiply(added, to_tensor(beta, dtype)), shape


def _checked(value: Tensor, shape: Tensor, sizes: Any) -> Tensor:
    """A value that is there only if a shape has these sizes."""
    listed = " ".join(map(str, sizes))
    known = shape.static_value()
    if known is None:
        holds = reduce_all(equal(shape, to_tensor(list(sizes), shape.dtype)))
        return check_that(value, holds, f"Dense shape: it does not match output shape: [{listed}]")
    if known.reshape(-1).tolist() != list(sizes):
        raise ValueError(f"Dense shape: {known} does not match output shape: [{listed}]")
    return value
