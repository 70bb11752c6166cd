"""Means and variances, and what is normalized by them, made of simpler ops as in TensorFlow."""

from __future__ import annotations

import math
from typing import Any

from ...base import dtypes
from ...base.typing import Axis, TensorLike
from ...core.tensor import Tensor
from ..arguments import static_ints
from ..array.barrier import stop_gradient
from ..array.gathering import gather
from ..array.making import ones_like
from ..array.shaping import reshape, shape, sizes_of
from ..convert import to_tensor
from ..math.elementwise import (
    add,
    cast,
    conj,
    divide,
    maximum,
    multiply,
    negative,
    sqrt,
    square,
    subtract,
)
from ..math.guarded import divide_no_nan
from ..math.reduction import reduce_mean, reduce_prod, reduce_sum


def moments(
    x: TensorLike,
    axes: Axis,
    shift: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Returns the mean and variance over axes (`tf.nn.moments`).

    Args:
        x: a tensor of floats; halves are computed in float32.
        axes: an axis or several.
        shift: not used, as in TensorFlow.
        keepdims: keep the axes with size 1.
        name: a name in graphs.

    Returns:
        (mean, variance); the variance is the biased one.

    >>> [float(each) for each in moments([1.0, 3.0], 0)]
    [2.0, 1.0]
    """
    x = to_tensor(x)
    y = cast(x, dtypes.float32) if x.dtype in dtypes.HALVES else x
    around = reduce_mean(y, axes, keepdims=True)
    # What the variance says of the mean adds up to zero: no gradient needs it.
    apart = subtract(y, stop_gradient(around))
    squares = multiply(apart, conj(apart)) if y.dtype.is_complex else square(apart)
    variance = reduce_mean(squares, axes, keepdims=keepdims)
    mean = around if keepdims else reshape(around, sizes_of(variance))
    return (mean, variance) if y is x else (cast(mean, x.dtype), cast(variance, x.dtype))


def sufficient_statistics(
    x: TensorLike,
    axes: Axis,
    shift: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Any, Any, Any, Any]:
    """Returns what mean and variance can be computed of (`tf.nn.sufficient_statistics`).

    Args:
        x: a tensor of floats.
        axes: an axis or several.
        shift: subtracted from x first, for accuracy; None for nothing.
        keepdims: keep the axes with size 1.
        name: a name in graphs.

    Returns:
        (how many elements, their sum, the sum of their squares, the shift).
    """
    places = list(dict.fromkeys(static_ints(axes, "axes")))
    x = to_tensor(x)
    count = _elements_along(x, places)
    if shift is not None:
        shift = to_tensor(shift, hint=x.dtype)
        x = subtract(x, shift)
    total = reduce_sum(x, places, keepdims=keepdims)
    squares = reduce_sum(square(x), places, keepdims=keepdims)
    return count, total, squares, shift


def _elements_along(x: Tensor, axes: list[int]) -> Tensor:
    """How many elements each sum along the axes has, in the dtype of x."""
    dims = x.shape.sizes
    sizes = [None] if dims is None else [dims[axis] for axis in axes]
    if None not in sizes:
        return to_tensor(math.prod(sizes), x.dtype)  # type: ignore[arg-type]
    return reduce_prod(cast(gather(shape(x), axes), x.dtype))


def normalize_moments(
    counts: TensorLike,
    mean_ss: Any,
    variance_ss: Any,
    shift: TensorLike | None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Returns the mean and variance of sufficient statistics (`tf.nn.normalize_moments`).

    Args:
        counts: how many elements there were.
        mean_ss: their sum.
        variance_ss: the sum of their squares.
        shift: what had been subtracted; None for nothing.
        name: a name in graphs.
    """
    share = divide(ones_like(to_tensor(counts)), counts)
    shifted = multiply(mean_ss, share)
    mean = shifted if shift is None else add(shifted, shift)
    return mean, subtract(multiply(variance_ss, share), square(shifted))


def weighted_moments(
    x: Any,
    axes: Axis | None,
    frequency_weights: Any,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Returns the mean and variance of weighted elements (`tf.nn.weighted_moments`).

    Args:
        x: a tensor of floats.
        axes: an axis or several.
        frequency_weights: how much each element counts; broadcasts.
        keepdims: keep the axes with size 1.
        name: a name in graphs.
    """
    x, weights = to_tensor(x), to_tensor(frequency_weights)
    in_dtype = x.dtype
    if in_dtype in dtypes.HALVES:
        x = cast(x, dtypes.float32)
    weights = cast(weights, x.dtype)
    weighed = multiply(weights, x)
    total = reduce_sum(add(weights, multiply(x, 0)), axes, keepdims=True)
    mean = divide_no_nan(reduce_sum(weighed, axes, keepdims=True), total)
    spread = multiply(weights, square(subtract(x, mean)))
    variance = divide_no_nan(reduce_sum(spread, axes, keepdims=True), total)
    if not keepdims:
        left = reduce_sum(x, axes)
        sizes = left.shape if left.shape.is_fully_defined() else shape(left)
        mean, variance = reshape(mean, sizes), reshape(variance, sizes)
    return cast(mean, in_dtype), cast(variance, in_dtype)


def batch_normalization(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike | None,
    scale: TensorLike | None,
    variance_epsilon: Any,
    name: str | None = None,
) -> Tensor:
    """Returns scale (x - mean) / sqrt(variance + epsilon) + offset (`tf.nn.batch_normalization`).

    Args:
        x: a tensor of any shape.
        mean: a tensor that broadcasts with x; so are the next three.
        variance: the variance.
        offset: added at the end; None for nothing.
        scale: the factor; None for 1.
        variance_epsilon: added to the variance.
        name: a name in graphs.
    """
    x, variance = to_tensor(x), to_tensor(variance)
    root = sqrt(add(variance, variance_epsilon))
    factor = divide(ones_like(root), root)
    if scale is not None:
        factor = multiply(factor, scale)
    shift = negative(multiply(mean, factor))
    if offset is not None:
        shift = add(offset, shift)
    return add(multiply(x, cast(factor, x.dtype)), cast(shift, x.dtype))


def batch_norm_with_global_normalization(
    input: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    beta: TensorLike,
    gamma: TensorLike,
    variance_epsilon: Any,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Tensor:
    """Does `batch_normalization` under an older name
    (`tf.nn.batch_norm_with_global_normalization`).

    Args:
        input: shape (..., channels).
        mean: the mean of each channel.
        variance: the variance of each channel.
        beta: what is added to each channel.
        gamma: what each channel is multiplied with.
        variance_epsilon: what is added to the variance.
        scale_after_normalization: False leaves `gamma` out.
        name: a name in graphs.
    """
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon)


def l2_normalize(
    x: TensorLike,
    axis: Axis | None = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: Axis | None = None,
) -> Tensor:
    """Returns x over the root of its sum of squares along axes (`tf.math.l2_normalize`).

    Args:
        x: a tensor of floats or complex numbers.
        axis: an axis or several; None for all.
        epsilon: the least sum of squares.
        name: a name in graphs.
        dim: an old name of axis.

    >>> l2_normalize([3.0, 4.0]).numpy().round(3).tolist()
    [0.6000000238418579, 0.800000011920929]
    """
    if dim is not None:
        if axis is not None:
            raise ValueError("Cannot specify both 'axis' and 'dim'.")
        axis = dim
    x = to_tensor(x)
    squares = square(x)
    if x.dtype.is_complex:
        squares = cast(multiply(x, conj(x)), x.dtype.real_dtype)
    root = sqrt(maximum(reduce_sum(squares, axis, keepdims=True), epsilon))
    return divide(x, cast(root, x.dtype))
