"""Matrix products: matmul, matvec; and the transposes of matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import get_num_threads, mm  # looked up once: in small products that is felt

from ...base import dtypes
from ...base.dtypes import as_dtype, runtime_name
from ...base.errors import NotFoundError, invalid_argument
from ...base.shapes import Dims, num_elements
from ...base.typing import DTypeLike, TensorLike
from ...core.composite import CompositeTensor
from ...core.context import LOCAL
from ...core.tensor import EagerTensor, Tensor
from .. import infer
from ..array.joining import concat
from ..array.making import range_
from ..array.shaping import expand_dims, rank as rank_of, squeeze, transpose
from ..convert import pair, pair_apart, to_tensor
from ..infer import shape_only
from ..limits import NO_LIMITS, RELU
from ..math.elementwise import cast, conj
from ..op import apply, op
from . import machine_products
from .matrix_routines import (
    LEAST_SHARED,
    LEAST_TO_CHOOSE,
    LEAST_WORK_TO_CHOOSE,
    larger_product,
    product,
)

# From so many multiplications on, many matrices times the same one are one product.
LEAST_AS_ONE = 1 << 22


def matmul_kernel(
    a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False
) -> torch.Tensor:
    """The product of two matrices."""
    if transpose_a:
        a = a.mT
    if transpose_b:
        b = b.mT
    count = a.numel()
    if count * b.numel() < LEAST_SHARED:  # `product` does the same; its call costs 5 %
        return mm(a, b)
    is_small = count < LEAST_TO_CHOOSE and count * b.shape[-1] < LEAST_WORK_TO_CHOOSE
    if is_small and get_num_threads() == 1:
        return mm(a, b)
    return larger_product(a, b)


def batch_matmul_kernel(
    x: torch.Tensor, y: torch.Tensor, *, adj_x: bool = False, adj_y: bool = False
) -> torch.Tensor:
    """The products of many matrices; leading axes broadcast."""
    if x.ndim < 2 or y.ndim < 2:  # torch would take a vector for a row or a column
        _batch_matmul_spec(shape_only(x), shape_only(y))
    x = x.mH if adj_x else x
    y = y.mH if adj_y else y
    # One matrix for all: torch does the same, by `mm`.
    if y.ndim == 2 and x.ndim > 2 and x.numel() * y.shape[1] >= LEAST_AS_ONE:
        return product(x.reshape(-1, x.shape[-1]), y).view(*x.shape[:-1], y.shape[1])
    if x.numel() * y.shape[-1] >= machine_products.LEAST_OF_MANY:
        made = _by_machine_code(x, y)
        if made is not None:
            return made
    if x.ndim > 3 or y.ndim > 3:
        x, y = _copied_in_order(x), _copied_in_order(y)
    return torch.matmul(x, y)


def _by_machine_code(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor | None:
    """The products of as many matrices in x as in y, on one axis or two; None if others must
    compute them.
    """
    if x.ndim == y.ndim == 3:
        made = machine_products.of_many(x[None], y[None])
        return None if made is None else made[0]
    return machine_products.of_many(x, y)


def _copied_in_order(x: torch.Tensor) -> torch.Tensor:
    """Matrices of which torch makes a copy, where several axes count them: transposed ones are
    copied as they lie, row by row, which takes an eighth of the time.
    """
    if x.ndim > 3 and x.stride(-2) == 1 and x.stride(-1) != 1:
        return x.mT.contiguous().mT
    return x


def _batch_matmul_spec(
    x: infer.Spec, y: infer.Spec, *, adj_x: bool = False, adj_y: bool = False
) -> infer.Spec:
    return infer.matmul(x, y, transpose_a=adj_x, transpose_b=adj_y)


def _kernel_of_small(a: Dims, b: Dims) -> Callable[..., torch.Tensor] | None:
    """What `matmul_kernel` calls for small matrices."""
    if None in (*a, *b) or num_elements(a) * num_elements(b) >= LEAST_SHARED:
        return None
    return mm


# TensorFlow's order, which its error messages show.
_TYPES = (
    dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64,
    dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64, dtypes.complex64, dtypes.complex128,
)  # fmt: skip
_BATCH_TYPES = (*_TYPES[:4], dtypes.int16, *_TYPES[4:])

# Integer products have no kernel on GPUs.
MATMUL = op(
    "MatMul", "a: T, b: T -> product: T", matmul_kernel, infer.matmul,
    gpu_types=dtypes.INEXACT, kernel_for_dims=_kernel_of_small, T=_TYPES,
)  # fmt: skip


def fused_matmul_kernel(
    a: torch.Tensor, b: torch.Tensor, added: torch.Tensor, transpose_a: bool = False,
    transpose_b: bool = False, relu: bool = False,
) -> torch.Tensor:  # fmt: skip
    """The product of two matrices with something added to it, a row for example."""
    a, b = a.mT if transpose_a else a, b.mT if transpose_b else b
    if added.shape == (a.shape[0], b.shape[1]):
        made = torch.addmm(added, a, b)
    elif added.shape == (b.shape[1],):
        return product(a, b, added, RELU if relu else NO_LIMITS)
    else:
        made = product(a, b).add_(added)
    return torch.relu_(made) if relu else made


def _fused_matmul_spec(a: infer.Spec, b: infer.Spec, added: infer.Spec, **attrs: Any) -> infer.Spec:
    attrs.pop("relu", None)
    return infer.matmul(a, b, **attrs)


# What plans make of a product, a sum and Relu.
FUSED_MATMUL = op(
    "_FusedMatMul", "a: T, b: T, added: T -> product: T", fused_matmul_kernel, _fused_matmul_spec,
    is_listed=False, T=(dtypes.float32, dtypes.float64),
)  # fmt: skip
BATCH_MATMUL = op(
    "BatchMatMulV2", "x: T, y: T -> output: T", batch_matmul_kernel, _batch_matmul_spec,
    gpu_types=dtypes.INEXACT, T=_BATCH_TYPES,
)  # fmt: skip


def mixed_matmul_kernel(
    x: torch.Tensor,
    y: torch.Tensor,
    *,
    Tout: dtypes.DType,  # noqa: N803
    adj_x: bool,
    adj_y: bool,
) -> torch.Tensor:
    """The products of many matrices, computed and returned in a wider type."""
    _check_mixture(dtypes.as_dtype(x.dtype), dtypes.as_dtype(y.dtype), Tout)
    return batch_matmul_kernel(x.to(Tout.torch), y.to(Tout.torch), adj_x=adj_x, adj_y=adj_y)


def _mixed_matmul_spec(
    x: infer.Spec,
    y: infer.Spec,
    *,
    Tout: dtypes.DType,  # noqa: N803
    adj_x: bool,
    adj_y: bool,
) -> infer.Spec:
    return infer.Spec(_batch_matmul_spec(x, y, adj_x=adj_x, adj_y=adj_y).dims, Tout)


_BYTES = (dtypes.int8, dtypes.uint8)
_SPARSE_TYPES = frozenset((dtypes.bfloat16, dtypes.float32))


def _check_mixture(x: dtypes.DType, y: dtypes.DType, wanted: dtypes.DType) -> None:
    """Raises TensorFlow's error for types that no kernel of BatchMatMulV3 multiplies."""
    if x is y is wanted:
        return
    of_bytes = wanted is dtypes.int32 and x in _BYTES and y in _BYTES
    weights = wanted is dtypes.bfloat16 and {x, y} in [{each, wanted} for each in _BYTES]
    if of_bytes or weights:
        return
    given = f"Ta={x.name}, Tb={y.name}, Tout={wanted.name}"
    known = "int8 and uint8 into int32, one of them and bfloat16 into bfloat16, or one type for all"
    if LOCAL.state.target.is_eager:
        raise NotFoundError(
            None, None, f"Could not find device for node: {{{{node BatchMatMulV3}}}} = "
            f"BatchMatMulV3[{given}]\nThere are kernels for {known}; cast the factors first.",
        )  # fmt: skip
    raise invalid_argument(
        f"No OpKernel was registered to support Op 'BatchMatMulV3' with these attrs: [{given}]\n"
        f"There are kernels for {known}; cast the factors first."
    )


MIXED_MATMUL = op(
    "BatchMatMulV3", "x: Ta, y: Tb -> output: Tout", mixed_matmul_kernel, _mixed_matmul_spec,
    gpu_types=dtypes.INEXACT, Ta=dtypes.NUMBERS, Tb=dtypes.NUMBERS,
)  # fmt: skip


def matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: DTypeLike | None = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the matrix product a @ b; leading axes broadcast (`tf.matmul`).

    Args:
        a: a tensor of shape (..., m, k).
        b: a tensor of shape (..., k, n) and the same dtype; one matrix may be bfloat16 and the
            other float32, of which the product is.
        transpose_a: swap the last two axes of a first.
        transpose_b: swap the last two axes of b first.
        adjoint_a: swap and conjugate a first.
        adjoint_b: swap and conjugate b first.
        a_is_sparse: a hint, not used.
        b_is_sparse: a hint, not used.
        output_type: the dtype of the result, None for that of a and b; with it a and b may have
            different dtypes (int8 and uint8 into int32).
        grad_a: a hint, not used.
        grad_b: a hint, not used.
        name: a name in graphs.

    Returns:
        A tensor of shape (..., m, n).

    Raises:
        InvalidArgumentError: inner sizes, leading axes or dtypes do not fit.
        NotFoundError: these dtypes are not multiplied into `output_type` (InvalidArgumentError in
            graphs).

    >>> matmul([[1, 2]], [[3], [4]]).numpy().tolist()
    [[11]]
    """
    if (
        type(a) is EagerTensor and type(b) is EagerTensor and a._kind is b._kind
        and a._value.ndim == 2 == b._value.ndim
        and not (transpose_a or transpose_b or adjoint_a or adjoint_b)
        and output_type is None
    ):  # fmt: skip
        # Most calls need no more.
        state = LOCAL.state
        return state.target.apply_few(state, MATMUL, a, b)
    if output_type is not None:
        return _matmul_into(
            as_dtype(output_type), a, b, transpose_a, transpose_b, adjoint_a, adjoint_b
        )
    if type(a) is EagerTensor and type(b) is EagerTensor:
        are_matrices = a._value.ndim == 2 == b._value.ndim  # 7 % faster than a.ndim
        differ = a._kind is not b._kind
    else:
        has_parts = isinstance(a, CompositeTensor) or isinstance(b, CompositeTensor)
        a, b = pair_apart(a, b) if has_parts else pair(a, b)
        are_matrices = a.ndim == 2 and b.ndim == 2
        differ = a.dtype is not b.dtype
    if (
        differ
        and {a.dtype, b.dtype} == _SPARSE_TYPES
        and (are_matrices or a_is_sparse or b_is_sparse)
    ):
        turned_a, turned_b = bool(transpose_a or adjoint_a), bool(transpose_b or adjoint_b)
        return _float32_product(a, b, turned_a, turned_b)
    if are_matrices and not (adjoint_a or adjoint_b):
        attrs = None
        if transpose_a or transpose_b:
            attrs = {"transpose_a": bool(transpose_a), "transpose_b": bool(transpose_b)}
        return apply(MATMUL, (a, b), attrs)
    a = _for_batch(a, transpose_a, adjoint_a, "a")
    b = _for_batch(b, transpose_b, adjoint_b, "b")
    flags = {"adj_x": bool(transpose_a or adjoint_a), "adj_y": bool(transpose_b or adjoint_b)}
    return apply(BATCH_MATMUL, (a, b), flags)


def sparse_matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the product of two matrices of float32 or bfloat16, always in float32
    (`tf.compat.v1.sparse_matmul`).

    Args:
        a: a matrix.
        b: a matrix.
        transpose_a: swap the axes of a first.
        transpose_b: swap the axes of b first.
        a_is_sparse: a hint, not used.
        b_is_sparse: a hint, not used.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: sizes or dtypes do not fit (TypeError for dtypes in graphs).

    >>> sparse_matmul([[1.0, 2.0]], [[3.0], [4.0]]).numpy().tolist()
    [[11.0]]
    """
    a, b = to_tensor(a, hint=dtypes.float32), to_tensor(b, hint=dtypes.float32)
    for label, x in (("Ta", a), ("Tb", b)):
        if x.dtype not in _SPARSE_TYPES:
            raise invalid_argument(
                f"Value for attr '{label}' of {runtime_name(x.dtype)} is not in the list of "
                "allowed values: float, bfloat16\n\t; NodeDef: {{node SparseMatMul}}"
            )
    return _float32_product(a, b, bool(transpose_a), bool(transpose_b))


def pair_of_own(a: TensorLike, b: TensorLike) -> tuple[Tensor, Tensor]:
    """Both as tensors, arrays with their own dtype."""
    return pair(*[to_tensor(x) if isinstance(x, np.ndarray) else x for x in (a, b)])


def _float32_product(a: Tensor, b: Tensor, transpose_a: bool, transpose_b: bool) -> Tensor:
    """TF: an op SparseMatMul, which computes in float32."""
    attrs = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    return apply(MATMUL, (cast(a, dtypes.float32), cast(b, dtypes.float32)), attrs)


def _matmul_into(
    wanted: dtypes.DType, a: TensorLike, b: TensorLike, transpose_a: bool, transpose_b: bool,
    adjoint_a: bool, adjoint_b: bool,
) -> Tensor:  # fmt: skip
    a = to_tensor(a)
    b = to_tensor(b, hint=a.dtype)
    a = _for_batch(a, transpose_a, adjoint_a, "a")
    b = _for_batch(b, transpose_b, adjoint_b, "b")
    if a.dtype is wanted and b.dtype is wanted:
        flags = {"adj_x": bool(transpose_a or adjoint_a), "adj_y": bool(transpose_b or adjoint_b)}
        return apply(BATCH_MATMUL, (a, b), flags)
    _check_mixture(a.dtype, b.dtype, wanted)
    attrs = {
        "Tout": wanted,
        "adj_x": bool(transpose_a or adjoint_a),
        "adj_y": bool(transpose_b or adjoint_b),
    }
    return apply(MIXED_MATMUL, (a, b), attrs)


def _for_batch(x: Tensor, transpose: bool, adjoint: bool, name: str) -> Tensor:
    """`x`, conjugated if it is only to be transposed: the op does both."""
    if transpose and adjoint:
        if isinstance(x, CompositeTensor):  # TF: other words
            raise ValueError(f"Only one of transpose_{name} and adjoint_{name} can be True.")
        raise ValueError(
            f"Only one of `transpose_{name}` and `adjoint_{name}` can be True. Received "
            f"`transpose_{name}`=True, `adjoint_{name}`=True."
        )
    return conj(x) if transpose and x.dtype.is_complex else x


def matvec(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the product of matrices and vectors (`tf.linalg.matvec`).

    Args:
        a: a tensor of shape (..., m, n).
        b: a tensor of shape (..., n) and the same dtype.
        transpose_a: swap the last two axes of a first.
        adjoint_a: swap and conjugate a first.
        a_is_sparse: a hint, not used.
        b_is_sparse: a hint, not used.
        name: a name in graphs.

    Returns:
        A tensor of shape (..., m).

    Raises:
        InvalidArgumentError: sizes, leading axes or dtypes do not fit.

    >>> matvec([[1, 2], [3, 4]], [1, 1]).numpy().tolist()
    [3, 7]
    """
    a, b = pair_of_own(a, b)
    product = matmul(a, expand_dims(b, -1), transpose_a=transpose_a, adjoint_a=adjoint_a)
    return squeeze(product, -1)


def matrix_transpose(
    a: TensorLike, name: str = "matrix_transpose", conjugate: bool = False
) -> Tensor:
    """The last two axes swapped (`tf.linalg.matrix_transpose`).

    Args:
        a: a tensor of shape (..., m, n).
        name: a name in graphs.
        conjugate: conjugate the elements too.

    Raises:
        ValueError: `a` has less than two axes.

    >>> matrix_transpose([[1, 2]]).numpy().tolist()
    [[1], [2]]
    """
    a = to_tensor(a)
    rank = a.shape.rank
    if rank is None:
        return _transpose_unranked(a, conjugate)
    if rank < 2:
        raise ValueError(
            "Argument `a` should be a (batch) matrix with rank >= 2.  Received `a` = "
            f"{a!r} with shape: {a.shape}"
        )
    turned = transpose(a, [*range(rank - 2), rank - 1, rank - 2])
    return conj(turned) if conjugate and turned.dtype.is_complex else turned


def _transpose_unranked(a: Tensor, conjugate: bool) -> Tensor:
    axes = range_(rank_of(a))
    order = concat([axes[:-2], axes[-1:], axes[-2:-1]], 0)
    return transpose(a, order, conjugate=conjugate)


def adjoint(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The conjugate of the last two axes swapped (`tf.linalg.adjoint`).

    Args:
        matrix: a tensor of shape (..., m, n).
        name: a name in graphs.

    Raises:
        ValueError: `matrix` has less than two axes.
    """
    return matrix_transpose(matrix, conjugate=True)
