"""Sizes of vectors and matrices: norm, normalize, rank, pseudo-inverse; and the cross product."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType
from ...base.errors import FailedPreconditionError, InvalidArgumentError, invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import Axis, TensorLike
from ...core.tensor import Tensor
from .. import infer
from ..arguments import static_ints
from ..array.select import where
from ..array.shaping import expand_dims, squeeze
from ..convert import pair, to_tensor
from ..deferred import deferrable, needs_rank
from ..infer import Spec, shape_only
from ..math.elementwise import abs as abs_, cast, conj, divide, greater, multiply, pow, sqrt, square
from ..math.reduction import reduce_max, reduce_sum
from ..op import apply, op
from .decomposition import svd
from .products import matmul

_MATRIX_ORDS = ("euclidean", "fro", 1, 2, math.inf)


def norm(
    tensor: TensorLike,
    ord: Any = "euclidean",
    axis: Axis | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the size of vectors or matrices (`tf.norm`).

    Args:
        tensor: numbers of a floating or complex dtype.
        ord: "euclidean", a positive number or infinity; for matrices "euclidean", "fro", 1, 2 or
            infinity.
        axis: the axis of vectors, or both axes of matrices; None takes all elements as one vector.
        keepdims: keep reduced axes with size 1.
        name: a name in graphs.

    Raises:
        ValueError: `axis` or `ord` is something else.

    >>> norm([3.0, 4.0]).numpy().tolist()
    5.0
    """
    axes = _norm_axes(axis)
    if axes is not None and len(axes) == 2:
        if ord not in _MATRIX_ORDS:
            raise ValueError(
                "'ord' must be a supported matrix norm in ['euclidean', 'fro', 1, 2, inf], got "
                f"{ord}"
            )
    elif ord != "euclidean" and (isinstance(ord, str) or not ord > 0):
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    tensor = to_tensor(tensor)
    if ord in ("euclidean", "fro") or (ord == 2 and (axes is None or len(axes) == 1)):
        squares = multiply(tensor, conj(tensor)) if tensor.dtype.is_complex else square(tensor)
        return sqrt(reduce_sum(squares, axes, bool(keepdims)))
    if axes is not None and len(axes) == 2:
        return _matrix_norm(tensor, ord, axes, bool(keepdims))
    return _vector_norm(tensor, ord, axes, bool(keepdims))


def _norm_axes(axis: Axis | None) -> tuple[int, ...] | None:
    if axis is None:
        return None
    try:
        axes = static_ints(axis, "axis")
    except (TypeError, ValueError, InvalidArgumentError):
        axes = ()
    if len(axes) not in (1, 2) or (len(axes) == 2 and axes[0] == axes[1]):
        shown = tuple(axis) if isinstance(axis, (list, tuple)) and len(axis) == 2 else axis
        raise ValueError(
            f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {shown}"
        )
    return axes


def _vector_norm(
    tensor: Tensor, ord: float, axes: tuple[int, ...] | None, keepdims: bool
) -> Tensor:
    sizes = abs_(tensor)
    if ord == math.inf:
        return reduce_max(sizes, axes, keepdims)
    if ord == 1:
        return reduce_sum(sizes, axes, keepdims)
    return pow(reduce_sum(pow(sizes, ord), axes, keepdims), 1.0 / ord)


def _matrix_norm(tensor: Tensor, ord: float, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    if ord == 2:
        return _largest_singular_value(tensor, axes, keepdims)
    summed, largest = axes if ord == 1 else axes[::-1]
    sums = reduce_sum(abs_(tensor), summed, keepdims=True)
    size = reduce_max(sums, largest, keepdims=True)
    return size if keepdims else squeeze(size, axes)


@needs_rank
def _largest_singular_value(tensor: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    values = apply(_SINGULAR, (tensor,), {"axis": axes})
    size = reduce_max(cast(values, values.dtype.real_dtype), -1)
    for axis in sorted(each % tensor.ndim for each in axes) if keepdims else ():
        size = expand_dims(size, axis)
    return size


def _singular_kernel(input: torch.Tensor, *, axis: tuple[int, int]) -> Any:
    return torch.linalg.svdvals(torch.movedim(input, axis, (-2, -1))).to(input.dtype)


def _singular_spec(input: Spec, *, axis: tuple[int, int]) -> Spec:
    dims = infer.known_dims(input)
    if not all(-len(dims) <= each < len(dims) for each in axis):
        raise invalid_argument(f"axes {axis} are out of range for shape {runtime_text(dims)}")
    places = [each % len(dims) for each in axis]
    kept = [size for i, size in enumerate(dims) if i not in places]
    return Spec((*kept, min(dims[i] for i in places)), input.dtype)


_SINGULAR = op(
    "_SingularValues", "input: T -> values: T", _singular_kernel, _singular_spec,
    T=(dtypes.float64, dtypes.float32, dtypes.float16, *dtypes.COMPLEX),
)  # fmt: skip


def normalize(
    tensor: TensorLike, ord: Any = "euclidean", axis: Axis | None = None, name: str | None = None
) -> tuple[Any, Any]:
    """Returns a tensor divided by its norm, and the norm (`tf.linalg.normalize`).

    Args:
        tensor: numbers of a floating or complex dtype.
        ord: as in `norm`.
        axis: as in `norm`.
        name: a name in graphs.
    """
    tensor = to_tensor(tensor)
    size = cast(norm(tensor, ord, axis, keepdims=True), tensor.dtype)
    return divide(tensor, size), size


def cross_kernel(a: torch.Tensor, b: torch.Tensor) -> Any:
    """Cross products of vectors along the last axis."""
    if a.shape != b.shape or not a.ndim or a.shape[-1] != 3:
        _cross_spec(shape_only(a), shape_only(b))
    return torch.linalg.cross(a, b, dim=-1)


def _cross_spec(a: Spec, b: Spec) -> Spec:
    left, right = infer.known_dims(a), infer.known_dims(b)
    if left != right:
        raise invalid_argument(
            f"Both inputs must be of same shape: {runtime_text(left)} vs. {runtime_text(right)}"
        )
    if not left:
        raise invalid_argument(f"Input must be at least 1D{runtime_text(left)}")
    if left[-1] != 3:
        raise FailedPreconditionError(
            None, None, "Cross-products are only defined for 3-element vectors."
        )
    return a


CROSS = op("Cross", "a: T, b: T -> product: T", cross_kernel, _cross_spec, T=dtypes.REALS)


def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """The cross products of vectors with three elements (`tf.linalg.cross`).

    >>> cross([1, 0, 0], [0, 1, 0]).numpy().tolist()
    [0, 0, 1]
    """
    return apply(CROSS, pair(a, b))


@deferrable
def matrix_rank(
    a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Any:
    """Returns how many singular values are larger than `tol` (`tf.linalg.matrix_rank`).

    Args:
        a: a tensor of shape (..., m, n).
        tol: the smallest value that counts; None for what rounding leaves of zero.
        validate_args: not used.
        name: a name in graphs.

    Returns:
        An int32 tensor of shape (...).
    """
    a = _matrices(a, check_type=False)
    values = svd(a, compute_uv=False)
    if tol is None:
        # A Python scalar times the largest value, which is what rounding can leave of zero.
        rounding = _epsilon(a.dtype) * max(a.shape.as_list()[-2:])
        tol = multiply(reduce_max(values, -1, keepdims=True), rounding)
    else:
        tol = to_tensor(tol, hint=values.dtype)
    return reduce_sum(cast(greater(values, tol), dtypes.int32), -1)


def _matrices(a: Any, check_type: bool = True) -> Any:
    a = to_tensor(a)
    if not a.dtype.is_floating:
        if check_type:
            raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {a.dtype.name}).")
        a = cast(a, dtypes.float32)
    if a.ndim < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {a.ndim}).")
    return a


def _epsilon(dtype: DType) -> float:
    return float(np.finfo(dtype.as_numpy_dtype).eps)


@deferrable
def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Returns the pseudo-inverses of matrices (`tf.linalg.pinv`).

    Args:
        a: a floating tensor of shape (..., m, n).
        rcond: singular values below this share of the largest count as zero; None for what
            rounding leaves of zero.
        validate_args: not used.
        name: a name in graphs.

    Returns:
        A tensor of shape (..., n, m).

    Raises:
        TypeError: `a` is not floating.
        ValueError: `a` has less than two axes.
    """
    a = _matrices(a)
    if rcond is None:
        rcond = 10.0 * max(a.shape.as_list()[-2:]) * _epsilon(a.dtype)
    rcond = to_tensor(rcond, hint=a.dtype)
    values, left, right = svd(a)
    smallest = multiply(expand_dims(rcond, -1) if rcond.ndim else rcond, reduce_max(values, -1,
        keepdims=True))  # fmt: skip
    values = where(greater(values, smallest), values, to_tensor(math.inf, hint=a.dtype))
    return matmul(divide(right, expand_dims(values, -2)), left, adjoint_b=True)
