"""Numbers that sum up many: variance, standard deviation, norms, log-sum-exp, counts of zeros."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import as_dtype
from ...base.typing import Axis, DTypeLike, TensorLike
from ...core.composite import CompositeTensor
from ...core.tensor import Tensor
from .. import infer
from ..array.shaping import size
from ..convert import to_tensor
from ..infer import Spec, reduced_axes
from ..op import op
from . import unsigned
from .elementwise import (
    add,
    cast,
    conj,
    divide,
    exp,
    log,
    maximum,
    multiply,
    sqrt,
    square,
    subtract,
)
from .reduction import Axes, declare_reduction, reduce_max, reduce_mean, reduce_sum, reduced


def euclidean_norm_kernel(
    input: torch.Tensor, *, axis: Axes = None, keep_dims: bool = False
) -> torch.Tensor:
    """The square root of the sum of squares over axes, in the input's own type."""
    axes = reduced_axes(axis, input.ndim)
    if input.is_floating_point() or input.is_complex():
        if not axes:
            return input.abs().to(input.dtype)
        norm: torch.Tensor = torch.linalg.vector_norm(input, dim=axes, keepdim=keep_dims)
        return norm.to(input.dtype)
    bits = unsigned.signed_bits(input)
    squares = bits * bits
    if axes:
        squares = torch.sum(squares, axes, keep_dims, dtype=bits.dtype)
    return torch.sqrt(squares.view(input.dtype).double()).to(input.dtype)


def logsumexp_kernel(
    input: torch.Tensor, *, axis: Axes = None, keep_dims: bool = False
) -> torch.Tensor:
    """log(sum(exp(x))) over axes, without overflow on the way."""
    axes = reduced_axes(axis, input.ndim)
    return torch.logsumexp(input, axes, keep_dims) if axes else input


EUCLIDEAN_NORM = declare_reduction("EuclideanNorm", euclidean_norm_kernel, dtypes.NUMBERS)
# TensorFlow makes it of nine ops.
LOG_SUM_EXP = declare_reduction("_LogSumExp", logsumexp_kernel, dtypes.FLOATS)


def count_nonzero_kernel(
    input: np.ndarray[Any, Any] | torch.Tensor, *, axis: Axes = None, keep_dims: bool = False
) -> torch.Tensor:
    """How many elements are not 0, or not empty, over axes."""
    if isinstance(input, np.ndarray):
        input = torch.from_numpy(np.asarray(input != b"", bool))
    axes = reduced_axes(axis, input.ndim)
    if not axes:
        return (input != 0).long()
    counts = torch.count_nonzero(input, axes if len(axes) < input.ndim else None)
    if not keep_dims:
        return counts
    return counts.reshape([1 if i in axes else size for i, size in enumerate(input.shape)])


def _count_spec(input: Spec, *, axis: Axes = None, keep_dims: bool = False) -> Spec:
    return Spec(infer.reduce(input, axis=axis, keep_dims=keep_dims).dims, dtypes.int64)


# TensorFlow makes it of NotEqual, Cast and Sum.
COUNT_NONZERO = op(
    "_CountNonzero", "input: T, reduction_indices: host -> output: int64", count_nonzero_kernel,
    _count_spec, T=dtypes.ANY,
)  # fmt: skip


def reduce_euclidean_norm(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the Euclidean norm over axes (`tf.math.reduce_euclidean_norm`).

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
    return reduced(EUCLIDEAN_NORM, input_tensor, axis, keepdims)


def reduce_logsumexp(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns log(sum(exp(x))) over axes, without overflow on the way (`tf.math.reduce_logsumexp`).

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
    if isinstance(input_tensor, CompositeTensor):
        most = reduce_max(input_tensor, axis if keepdims else None, keepdims)
        apart = exp(subtract(input_tensor, most))
        return add(log(reduce_sum(apart, axis, keepdims)), most)
    return reduced(LOG_SUM_EXP, input_tensor, axis, keepdims)


def reduce_variance(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the mean squared distance from the mean over axes (`tf.math.reduce_variance`).

    Args:
        input_tensor: a tensor of floats or complex numbers.
        axis: an axis or several; None for all.
        keepdims: keep reduced axes with size 1.
        name: a name in graphs.

    Returns:
        A tensor of floats, also for complex numbers.

    Raises:
        TypeError: the numbers are integers, and not ragged.
        InvalidArgumentError: an axis is out of range or named twice.

    >>> reduce_variance([1.0, 3.0]).numpy().item()
    1.0
    """
    x = to_tensor(input_tensor)
    if isinstance(x, CompositeTensor) and x.dtype.is_integer:  # TF: rows of unlike length may be
        x = cast(x, dtypes.float64)
    if x.dtype.is_integer:
        raise TypeError(f"Input must be either real or complex. Received integer type {x.dtype}.")
    if isinstance(x, CompositeTensor):  # rows of unlike length cannot be stretched to a mean
        mean = reduce_mean(x, axis, keepdims)
        spread = subtract(reduce_mean(_squared(x), axis, keepdims), _squared(mean))
        return maximum(spread, cast(0, spread.dtype))
    apart = subtract(x, reduce_mean(x, axis, keepdims=True))
    return reduce_mean(_squared(apart), axis, keepdims)


def _squared(x: Tensor) -> Tensor:
    """|x| squared, as real numbers."""
    real = _REAL_PARTS.get(x.dtype)
    return square(x) if real is None else cast(multiply(x, conj(x)), real)


_REAL_PARTS = {dtypes.complex64: dtypes.float32, dtypes.complex128: dtypes.float64}


def reduce_std(
    input_tensor: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the standard deviation over axes, the root of `reduce_variance`
    (`tf.math.reduce_std`).

    Args:
        input_tensor: the tensor.
        axis: the axis or axes that go; all of them for None.
        keepdims: True keeps the axes that go, with size 1.
        name: a name in graphs.

    >>> reduce_std([1.0, 3.0]).numpy().item()
    1.0
    """
    return sqrt(reduce_variance(input_tensor, axis, keepdims))


def count_nonzero(
    input: TensorLike,
    axis: Axis | None = None,
    keepdims: bool | None = None,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Returns how many elements are not 0, over axes (`tf.math.count_nonzero`).

    Args:
        input: a tensor of numbers or bools.
        axis: an axis or several; None for all.
        keepdims: keep reduced axes with size 1.
        dtype: the dtype of the counts.
        name: a name in graphs.

    >>> count_nonzero([0, 5, 7]).numpy().item()
    2
    """
    counts = reduced(COUNT_NONZERO, input, axis, bool(keepdims))
    wanted = as_dtype(dtype)
    return counts if wanted is dtypes.int64 else cast(counts, wanted)


def zero_fraction(value: TensorLike, name: str | None = None) -> Tensor:
    """The share of elements that are 0, as float32 (`tf.math.zero_fraction`).

    >>> zero_fraction([0.0, 1.0, 0.0, 2.0]).numpy().item()
    0.5
    """
    x = to_tensor(value)
    count = size(x, dtypes.int64)
    zeros = subtract(count, count_nonzero(x))
    return divide(cast(zeros, dtypes.float32), cast(count, dtypes.float32))
