"""Numbers that sum up many: variance, standard deviation, norms, log-sum-exp, counts of zeros."""

from __future__ import annotations

from typing import Any

import torch

from ..base import dtypes
from ..base.dtypes import DType, as_dtype
from .convert import static_axes, to_tensor
from .elementwise import cast, conj, divide, multiply, not_equal, sqrt, square, subtract
from .infer import reduced_axes
from .op import Op, apply
from .reduction import Axis, declare_reduction, reduce_mean, reduce_sum


def euclidean_norm_kernel(
    input: torch.Tensor, *, axis: Axis = None, keep_dims: bool = False
) -> torch.Tensor:
    """The square root of the sum of squares over axes, in the input's own type."""
    axes = reduced_axes(axis, input.ndim)
    if input.is_floating_point() or input.is_complex():
        if not axes:
            return input.abs().to(input.dtype)
        norm: torch.Tensor = torch.linalg.vector_norm(input, dim=axes, keepdim=keep_dims)
        return norm.to(input.dtype)
    squares = input * input
    if axes:
        squares = torch.sum(squares, axes, keep_dims, dtype=input.dtype)
    return torch.sqrt(squares.double()).to(input.dtype)


def logsumexp_kernel(
    input: torch.Tensor, *, axis: Axis = None, keep_dims: bool = False
) -> torch.Tensor:
    """log(sum(exp(x))) over axes, without overflow on the way."""
    axes = reduced_axes(axis, input.ndim)
    return torch.logsumexp(input, axes, keep_dims) if axes else input


EUCLIDEAN_NORM = declare_reduction("EuclideanNorm", euclidean_norm_kernel, dtypes.NUMBERS)
# TensorFlow makes it of nine ops.
LOG_SUM_EXP = declare_reduction("_LogSumExp", logsumexp_kernel, dtypes.FLOATS)


def _reduced(record: Op, x: Any, axis: Any, keepdims: bool) -> Any:
    attrs = {"axis": static_axes(axis), "keep_dims": bool(keepdims)}
    return apply(record, (to_tensor(x),), attrs)


def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The Euclidean norm over axes (`tf.math.reduce_euclidean_norm`).

    Args:
        input_tensor: a tensor of numbers.
        axis: an axis or several; None for all.
        keepdims: keep reduced axes with size 1.
        name: a name in graphs.

    Returns:
        A tensor of the same dtype; for integers the root without what comes after the point.

    Raises:
        InvalidArgumentError: an axis is out of range or named twice.

    >>> reduce_euclidean_norm([3.0, 4.0]).numpy().item()
    5.0
    """
    return _reduced(EUCLIDEAN_NORM, input_tensor, axis, keepdims)


def reduce_logsumexp(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """log(sum(exp(x))) over axes, without overflow on the way (`tf.math.reduce_logsumexp`).

    Args:
        input_tensor: a tensor of floats.
        axis: an axis or several; None for all.
        keepdims: keep reduced axes with size 1.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: an axis is out of range or named twice.

    >>> reduce_logsumexp([1000.0, -1000.0]).numpy().item()
    1000.0
    """
    return _reduced(LOG_SUM_EXP, input_tensor, axis, keepdims)


def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The mean squared distance from the mean over axes (`tf.math.reduce_variance`).

    Args:
        input_tensor: a tensor of floats or complex numbers.
        axis: an axis or several; None for all.
        keepdims: keep reduced axes with size 1.
        name: a name in graphs.

    Returns:
        A tensor of floats, also for complex numbers.

    Raises:
        TypeError: the numbers are integers.
        InvalidArgumentError: an axis is out of range or named twice.

    >>> reduce_variance([1.0, 3.0]).numpy().item()
    1.0
    """
    x = to_tensor(input_tensor)
    if x.dtype.is_integer:
        raise TypeError(f"Input must be either real or complex. Received integer type {x.dtype}.")
    apart = subtract(x, reduce_mean(x, axis, keepdims=True))
    return reduce_mean(_squared(apart), axis, keepdims)


def _squared(x: Any) -> Any:
    """|x| squared, as real numbers."""
    real = _REAL_PARTS.get(x.dtype)
    return square(x) if real is None else cast(multiply(x, conj(x)), real)


_REAL_PARTS = {dtypes.complex64: dtypes.float32, dtypes.complex128: dtypes.float64}


def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The standard deviation over axes, the root of `reduce_variance` (`tf.math.reduce_std`).

    >>> reduce_std([1.0, 3.0]).numpy().item()
    1.0
    """
    return sqrt(reduce_variance(input_tensor, axis, keepdims))


def count_nonzero(
    input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: Any = dtypes.int64,
    name: str | None = None,
) -> Any:
    """How many elements are not 0, over axes (`tf.math.count_nonzero`).

    Args:
        input: a tensor of numbers or bools.
        axis: an axis or several; None for all.
        keepdims: keep reduced axes with size 1.
        dtype: the dtype of the counts.
        name: a name in graphs.

    >>> count_nonzero([0, 5, 7]).numpy().item()
    2
    """
    x = to_tensor(input)
    found = x if x.dtype is dtypes.bool_ else not_equal(x, to_tensor(_nothing(x.dtype), x.dtype))
    counts = reduce_sum(cast(found, dtypes.int64), axis, bool(keepdims))
    wanted = as_dtype(dtype)
    return counts if wanted is dtypes.int64 else cast(counts, wanted)


def _nothing(dtype: DType) -> Any:
    return "" if dtype is dtypes.string else 0


def zero_fraction(value: Any, name: str | None = None) -> Any:
    """The share of elements that are 0, as float32 (`tf.math.zero_fraction`).

    >>> zero_fraction([0.0, 1.0, 0.0, 2.0]).numpy().item()
    0.5
    """
    x = to_tensor(value)
    size = x.shape.num_elements()
    zeros = subtract(to_tensor(size, dtypes.int64), count_nonzero(x))
    return divide(cast(zeros, dtypes.float32), float(size))
