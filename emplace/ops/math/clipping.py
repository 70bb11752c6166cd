"""Tensors made smaller: by value they are clipped in `elementwise.py`, here by norm; casts that
stop at the limits of the dtype.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.typing import Axis, DTypeLike, TensorLike
from ...core.composite import CompositeTensor
from ...core.tensor import Tensor
from ..array.joining import stack
from ..array.making import ones_like, zeros_like
from ..array.select import where
from ..array.shaping import identity, size
from ..convert import tensors, to_tensor
from .complex import complex as complex_of, imag, real
from .elementwise import (
    cast,
    clip_by_value,
    divide,
    greater,
    is_finite,
    maximum,
    minimum,
    multiply,
    rsqrt,
    sqrt,
    square,
)
from .reduction import reduce_sum


def _values(t: Any) -> Any:
    """The values of slices, or the tensor itself."""
    return to_tensor(t.values if isinstance(t, CompositeTensor) else t)  # type: ignore[attr-defined]


def _like(t: object, values: TensorLike) -> Any:
    """New values in the place of those of `t`."""
    if not isinstance(t, CompositeTensor):
        return values
    old = t.values  # type: ignore[attr-defined]
    return t.with_components([values if part is old else part for part in t.components()])


def clip_by_norm(
    t: TensorLike, clip_norm: TensorLike, axes: Axis | None = None, name: str | None = None
) -> Any:
    """Returns t, scaled down where its L2 norm is larger than a bound (`tf.clip_by_norm`).

    Args:
        t: a tensor of floats, or IndexedSlices.
        clip_norm: the largest norm, a scalar of t's dtype; a negative one counts as 0.
        axes: the axes over which norms are taken; None for all.
        name: a name in graphs.

    Returns:
        A tensor of t's shape.

    Raises:
        InvalidArgumentError: `clip_norm` does not broadcast to t's shape.

    >>> print(clip_by_norm([3.0, 4.0], 1.0).numpy())
    [0.6 0.8]
    """
    values = _values(t)
    total = reduce_sum(multiply(values, values), axes, keepdims=True)
    positive = greater(total, to_tensor(0, hint=total.dtype))
    # The root of 0 has no gradient, so it is taken of something else there.
    norm = where(positive, sqrt(where(positive, total, ones_like(total))), total)
    bound = to_tensor(clip_norm, hint=values.dtype)
    bound = maximum(bound, zeros_like(bound))
    scaled = multiply(values, bound)
    _check_same_shape(values, scaled)
    return _like(t, identity(divide(scaled, maximum(norm, bound))))


def _check_same_shape(values: Tensor, changed: Tensor) -> None:
    if values.shape != changed.shape:
        raise ValueError(f"Shapes {values.shape} and {changed.shape} are incompatible")


def global_norm(t_list: Any, name: str | None = None) -> Any:
    """The L2 norm of all elements of several tensors (`tf.linalg.global_norm`).

    Args:
        t_list: tensors of floats of one dtype; None among them is left out.
        name: a name in graphs.

    Raises:
        TypeError: it is no sequence.

    >>> global_norm([[3.0], [4.0]]).numpy()
    np.float32(5.0)
    """
    _check_list(t_list)
    parts = [_values(t) for t in t_list if t is not None]
    if not parts:
        return to_tensor(0.0)
    halves = [multiply(reduce_sum(square(part)), to_tensor(0.5, hint=part.dtype)) for part in parts]
    total = reduce_sum(stack(halves))
    return sqrt(multiply(total, to_tensor(2.0, hint=total.dtype)))


def _check_list(t_list: object) -> None:
    if not isinstance(t_list, Sequence) or isinstance(t_list, str):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")


def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> Any:
    """Returns tensors, all scaled down by what brings their norm to a bound
    (`tf.clip_by_global_norm`).

    Args:
        t_list: tensors of floats of one dtype; None among them stays None.
        clip_norm: the largest norm of all together.
        use_norm: their norm, if it is known; see `global_norm`.
        name: a name in graphs.

    Returns:
        The list of scaled tensors, and their norm as it was. All are NaN if it is infinite.

    Raises:
        TypeError: `t_list` is no sequence.

    >>> clip_by_global_norm([[3.0], [4.0]], 2.5)[1].numpy()
    np.float32(5.0)
    """
    _check_list(t_list)
    norm = global_norm(t_list) if use_norm is None else to_tensor(use_norm)
    one = to_tensor(1.0, hint=norm.dtype)
    bound = to_tensor(clip_norm, hint=norm.dtype)
    scale = multiply(bound, minimum(divide(one, norm), divide(one, bound)))
    scale = where(is_finite(norm), scale, to_tensor(float("nan"), hint=norm.dtype))
    values = [None if t is None else _values(t) for t in t_list]
    clipped = [
        t if x is None else _like(t, multiply(x, cast(scale, x.dtype)))
        for t, x in zip(t_list, values, strict=True)
    ]
    return clipped, norm


def clip_by_average_norm(t: TensorLike, clip_norm: TensorLike, name: str | None = None) -> Tensor:
    """t, scaled down where its L2 norm divided by its size is larger than a bound
    (`tf.compat.v1.clip_by_average_norm`).
    """
    t = to_tensor(t)
    count = cast(size(t), t.dtype)
    inverse = rsqrt(reduce_sum(multiply(t, t)))
    bound = to_tensor(clip_norm, hint=t.dtype)
    least = minimum(multiply(inverse, count), divide(to_tensor(1.0, hint=t.dtype), bound))
    return identity(multiply(multiply(t, bound), least))


def saturate_cast(value: Any, dtype: DTypeLike, name: str | None = None) -> Any:
    """A cast that stops at the limits of the dtype instead of wrapping (`tf.saturate_cast`);
    infinities become the largest numbers of both dtypes.

    Args:
        value: a tensor of numbers.
        dtype: the dtype wanted.
        name: a name in graphs.

    >>> saturate_cast([-1.0, 300.0], "uint8").numpy().tolist()
    [0, 255]
    """
    wanted, value = as_dtype(dtype), to_tensor(value)
    if value.dtype is wanted and not wanted.is_floating:
        return identity(value)
    if value.dtype.is_complex:
        if not wanted.is_complex:
            return saturate_cast(real(value), wanted)
        parts = [_bounded(part(value), wanted.real_dtype) for part in (real, imag)]
        return cast(complex_of(*parts), wanted)
    return cast(_bounded(value, wanted.real_dtype), wanted)


def _bounded(value: Tensor, wanted: DType) -> Any:
    given = value.dtype
    if dtypes.bool_ in (given, wanted):
        raise TypeError(
            f"Cannot find minimum value of {dtypes.bool_!r} with type {dtypes.bool_!r}."
        )
    least = _limit(given, wanted, lowest=True)
    most = _limit(given, wanted, lowest=False)
    if least is None and most is None and not given.is_floating:
        return value  # of floats an infinity may be too large
    low = given.min if least is None else least
    high = given.max if most is None else most
    least, most = tensors([np.array(low), np.array(high)], given)
    return clip_by_value(value, least, most)


def _limit(given: DType, wanted: DType, lowest: bool) -> Any:
    """The last number of the given dtype that the wanted one holds; None if it holds all."""
    own, limit = (_whole(d.min if lowest else d.max) for d in (given, wanted))
    if own >= limit if lowest else own <= limit:
        return None
    kind = given.as_numpy_dtype
    found = kind(float(limit) if given.is_floating else limit)  # bfloat16 takes no large ints
    if given.is_floating and (_whole(found) < limit if lowest else _whole(found) > limit):
        found = np.nextafter(found, kind(0))
    return found


def _whole(number: Any) -> int:
    """A limit of a dtype as an int; bfloat16 knows the way to float only."""
    return int(number) if isinstance(number, (int, np.integer)) else int(float(number))
