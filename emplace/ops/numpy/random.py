"""`tf.experimental.numpy.random`: numbers of the global seed, as NumPy's functions are called."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.dtypes import as_dtype
from ...base.typing import ShapeLike, TensorLike
from ..array.shaping import broadcast_dynamic_shape, shape as shape_of
from ..convert import is_tensor_like
from ..random.stateful import normal, poisson as poisson_, set_seed, uniform as uniform_
from .types import as_array, result_type


def _size(size: object) -> Any:
    if size is None:
        return ()
    is_scalar = not size.shape.rank if is_tensor_like(size) else np.isscalar(size)
    return (size,) if is_scalar else size


def seed(s: Any) -> None:
    """Sets the global seed (`tf.experimental.numpy.random.seed`).

    Args:
        s: a whole number.

    Raises:
        ValueError: it is something else.
    """
    try:
        number = int(s)
    except TypeError:
        raise ValueError(
            f"Argument `s` got an invalid value {s}. Only integers are supported."
        ) from None
    set_seed(number)


def randn(*args: Any) -> Any:
    """Numbers of the standard normal distribution (`tf.experimental.numpy.random.randn`)."""
    return standard_normal(args)


def standard_normal(size: ShapeLike | None = None) -> Any:
    """Numbers of the standard normal distribution (`...random.standard_normal`).

    Args:
        size: the shape, or one number for a vector; None for a scalar.
    """
    return normal(_size(size), dtype=result_type(float))


def uniform(low: TensorLike = 0.0, high: TensorLike = 1.0, size: ShapeLike | None = None) -> Any:
    """Evenly distributed numbers (`tf.experimental.numpy.random.uniform`).

    Args:
        low: the lower bound.
        high: the upper bound, which is left out.
        size: the shape; None takes that to which both bounds broadcast.
    """
    dtype = result_type(float)
    least, most = as_array(low, dtype), as_array(high, dtype)
    if size is None:
        size = broadcast_dynamic_shape(shape_of(least), shape_of(most))
    return uniform_(_size(size), least, most, dtype)


def poisson(lam: TensorLike = 1.0, size: ShapeLike | None = None) -> Any:
    """Counts of the Poisson distribution, int64 (`tf.experimental.numpy.random.poisson`).

    Args:
        lam: the mean.
        size: the shape; None for one number.
    """
    return poisson_(_size(size), lam, as_dtype("int64"))


def random(size: ShapeLike | None = None) -> Any:
    """Numbers from 0 up to 1 (`tf.experimental.numpy.random.random`)."""
    return uniform(0.0, 1.0, size)


def rand(*size: Any) -> Any:
    """Numbers from 0 up to 1, in a shape (`tf.experimental.numpy.random.rand`)."""
    return uniform(0.0, 1.0, size)


def randint(
    low: Any, high: Any = None, size: ShapeLike | None = None, dtype: Any = np.int64
) -> Any:
    """Whole numbers (`tf.experimental.numpy.random.randint`).

    Args:
        low: the least number, or the bound where `high` is None.
        high: the bound, which is left out.
        size: the shape, or one number for a vector; None for a scalar.
        dtype: int32 or int64.

    Raises:
        ValueError: another dtype.
    """
    least, bound = (0, int(low)) if high is None else (int(low), int(high))
    wanted = result_type(dtype)
    if wanted.name not in ("int32", "int64"):
        raise ValueError(
            f"Argument `dtype` got an invalid value {dtype}. Only those convertible to int32 or "
            "int64 are supported."
        )
    return uniform_(_size(size), least, bound, wanted)
