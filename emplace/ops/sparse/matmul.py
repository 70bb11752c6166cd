"""A sparse matrix times a dense one."""

from __future__ import annotations

import math

import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ...devices.late import is_late, note
from ..array.shaping import transpose
from ..convert import to_tensor
from ..infer import Spec
from ..op import apply, op
from .places import Dims, as_sparse, ascending, dims_of, made
from .tensor import SparseTensor

# Types that torch multiplies itself; sums of the others are made element by element.
_TORCHS = (torch.float32, torch.float64, torch.complex64, torch.complex128)
# With fewer elements the quick ways do not pay for their preparation.
_FEW = 64


def matmul_kernel(
    a_indices: torch.Tensor,
    a_values: torch.Tensor,
    b: torch.Tensor,
    *,
    a_shape: Dims,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> torch.Tensor:
    """A @ B of matrices, either of them conjugated and transposed first."""
    if b.ndim != 2:
        raise invalid_argument("Tensor 'b' is not a matrix")
    a_indices = _inside(a_indices, a_shape, "km" if adjoint_a else "mk")
    rows, columns = a_indices[:, 0].long(), a_indices[:, 1].long()
    shape = a_shape
    if adjoint_a:
        rows, columns, shape, a_values = columns, rows, a_shape[::-1], a_values.conj()
    if adjoint_b:
        b = b.mH
    a_values = a_values.resolve_conj()
    if a_values.dtype in _TORCHS and not is_late(b):  # on GPUs torch waits to count the elements
        return _product(rows, columns, a_values, shape, b.resolve_conj())
    products = b.index_select(0, columns) * a_values.unsqueeze(1)
    return b.new_zeros((shape[0], b.shape[1])).index_add(0, rows, products)


def _product(
    rows: torch.Tensor, columns: torch.Tensor, values: torch.Tensor, shape: Dims, b: torch.Tensor
) -> torch.Tensor:
    """The product by torch, ten times as fast where many elements stand in order of rows."""
    product: torch.Tensor
    if len(rows) < _FEW or values.is_complex() or not ascending(rows):
        places = torch.stack([rows, columns])
        a = torch.sparse_coo_tensor(places, values, tuple(shape), check_invariants=False)
        product = torch.sparse.mm(a, b)
        return product
    starts = torch.searchsorted(rows.contiguous(), torch.arange(shape[0], device=rows.device))
    product = torch.nn.functional.embedding_bag(
        columns, b, starts, mode="sum", per_sample_weights=values
    )
    return product


def _inside(indices: torch.Tensor, shape: Dims, letters: str) -> torch.Tensor:
    """Places in a matrix, after a check; where it is late, they are inside all the same."""
    if not is_late(indices) or 0 in shape:
        _check_places(indices, shape, letters)
        return indices
    columns = [indices[:, axis].clamp(0, size - 1) for axis, size in enumerate(shape)]
    safe = torch.stack(columns, 1)
    note((safe != indices).any(), _check_places, (indices,), tuple(shape), letters)
    return safe


def _check_places(indices: torch.Tensor, shape: Dims, letters: str) -> None:
    if not len(indices):
        return
    low, high = indices.amin(0).tolist(), indices.amax(0).tolist()
    for axis, letter in enumerate(letters):
        if low[axis] < 0 or high[axis] >= shape[axis]:
            column = indices[:, axis]
            row = int(((column < 0) | (column >= shape[axis])).nonzero()[0])
            raise invalid_argument(
                f"{letter} ({int(column[row])}) from index[{row},{axis}] out of bounds "
                f"(>={shape[axis]})"
            )


def _matmul_spec(
    a_indices: Spec,
    a_values: Spec,
    b: Spec,
    *,
    a_shape: Dims,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> Spec:
    if len(a_shape) != 2:
        raise invalid_argument("Tensor 'a_shape' must have 2 elements")
    if b.dims is None:
        return Spec(None, a_values.dtype)
    if len(b.dims) != 2:
        raise invalid_argument("Tensor 'b' is not a matrix")
    outer, inner = reversed(a_shape) if adjoint_a else a_shape
    given, columns = reversed(b.dims) if adjoint_b else b.dims
    if inner != given:
        raise invalid_argument(
            f"Cannot multiply A and B because inner dimension does not match: {inner} vs. {given}."
            f"  Did you forget a transpose?  Dimensions of A: {runtime_text(a_shape)}).  "
            f"Dimensions of B: {runtime_text(b.dims)}"
        )
    return Spec((outer, columns), a_values.dtype)


SPARSE_MATMUL = op(
    "SparseTensorDenseMatMul",
    "a_indices: Tindices, a_values: T, a_shape: host, b: T -> product: T",
    matmul_kernel, _matmul_spec, checks=True,
    T=(*dtypes.INEXACT, dtypes.int32), Tindices=dtypes.INDICES,
)  # fmt: skip


def sparse_dense_matmul(
    sp_a: TensorLike,
    b: TensorLike,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns a sparse matrix times a dense one, or the other way round
    (`tf.sparse.sparse_dense_matmul`).

    Args:
        sp_a: a matrix.
        b: another one; one of the two is sparse.
        adjoint_a: conjugate and transpose the first.
        adjoint_b: conjugate and transpose the second.
        name: a name in graphs.

    Returns:
        A dense matrix.

    Raises:
        TypeError: none of them is sparse.
        InvalidArgumentError: sizes do not fit, or a place is outside of the shape.

    >>> a = SparseTensor([[0, 1]], [2.0], [1, 2])
    >>> sparse_dense_matmul(a, [[1.0], [3.0]]).numpy().tolist()
    [[6.0]]
    """
    if isinstance(b, SparseTensor) and not isinstance(sp_a, SparseTensor):
        # TF: A B = adjoint(adjoint(B) adjoint(A))
        product = sparse_dense_matmul(b, sp_a, adjoint_a=not adjoint_b, adjoint_b=not adjoint_a)
        return transpose(product, conjugate=product.dtype.is_complex)
    a = as_sparse(sp_a)
    b = to_tensor(b)
    attrs = {"a_shape": dims_of(a), "adjoint_a": bool(adjoint_a), "adjoint_b": bool(adjoint_b)}
    return apply(SPARSE_MATMUL, (a.indices, a.values, b), attrs)


def _stacked(indices: torch.Tensor, shape: Dims, width: int) -> torch.Tensor:
    """Row and column, (2, N), of elements of a batch of matrices put below each other; each
    matrix stands `width` to the right of the one before."""
    number = indices.new_zeros(len(indices))
    for axis, size in enumerate(shape[:-2]):
        number = number * size + indices[:, axis]
    return torch.stack([number * shape[-2] + indices[:, -2], number * width + indices[:, -1]])


def sparse_product_kernel(
    a_indices: torch.Tensor,
    a_values: torch.Tensor,
    b_indices: torch.Tensor,
    b_values: torch.Tensor,
    *,
    a_shape: Dims,
    b_shape: Dims,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Places, in ascending order, and values of the product of matrices, or of batches of them.

    Of a batch one long matrix is made: its number moves the rows, and the axis that is summed.
    """
    (rows, inner), (others, columns) = a_shape[-2:], b_shape[-2:]
    left, right = _stacked(a_indices, a_shape, inner), _stacked(b_indices, b_shape, 0)
    count = max(1, math.prod(a_shape[:-2]))
    a = torch.sparse_coo_tensor(left, a_values, (count * rows, count * inner))
    b = torch.sparse_coo_tensor(right, b_values, (count * others, columns))
    product = torch.sparse.mm(a, b).coalesce()
    places = product.indices().T
    if len(a_shape) == 2:
        return places.contiguous(), product.values()
    batches = torch.unravel_index(places[:, 0] // rows, a_shape[:-2])
    return torch.stack([*batches, places[:, 0] % rows, places[:, 1]], 1), product.values()


SPARSE_PRODUCT = op(
    "SparseTensorSparseMatMul_",
    "a_indices: int64, a_values: T, a_shape: host, b_indices: int64, b_values: T, b_shape: host"
    " -> indices: int64, values: T",
    sparse_product_kernel, None, T=(dtypes.float32, dtypes.float64), is_listed=False,
)  # fmt: skip


def sparse_sparse_matmul(a: SparseTensor, b: SparseTensor) -> SparseTensor:
    """The sparse product of two sparse matrices, or of two batches of them.

    Raises:
        InvalidArgumentError: the shapes do not fit.
    """
    batches_fit = a.shape[:-2].is_compatible_with(b.shape[:-2])
    if not batches_fit or not a.shape[-1:].is_compatible_with(b.shape[-2:-1]):
        raise invalid_argument(
            f"Sparse matrices of shapes {a.shape} and {b.shape} cannot be multiplied."
        )
    shape, other = dims_of(a), dims_of(b)
    inputs = (a.indices, a.values, b.indices, b.values)
    indices, values = apply(SPARSE_PRODUCT, inputs, {"a_shape": shape, "b_shape": other})
    return made(indices, values, (*shape[:-1], other[-1]))
