"""First values of variables, as TF 2 names them: `tf.zeros_initializer` and the like."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import dtypes
from ..base.dtypes import as_dtype
from ..base.typing import DTypeLike, ShapeLike, TensorLike
from ..ops.array.making import constant, ones, zeros
from ..ops.random.stateful import normal, uniform
from ..ops.random.stateless import stateless_normal, stateless_uniform

_PARTITION = ("partition_shape", "partition_offset")


class InitializerV2:
    """What all have: a configuration, and being called with a shape."""

    _fields: tuple[str, ...] = ()

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Any:
        """A first value of this shape and dtype."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Its arguments."""
        return {name: getattr(self, name) for name in self._fields}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """An initializer with these arguments; a dtype among them says nothing."""
        return cls(**{key: value for key, value in config.items() if key != "dtype"})


def _part(shape: ShapeLike, kwargs: dict[str, Any]) -> Any:
    """The shape of the part of a variable that is asked for."""
    for name in kwargs:
        if name not in _PARTITION:
            raise TypeError(
                f"Keyword argument should be one of {list(_PARTITION)}. Received: {name}"
            )
    part = kwargs.get("partition_shape")
    return shape if part is None else part


def _numeric(dtype: DTypeLike | None) -> Any:
    found = as_dtype(dtype or dtypes.float32)
    if found is dtypes.string or not (found.is_bool or found.is_integer or _is_inexact(found)):
        raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {found!s}.")
    return found


def _is_inexact(dtype: Any) -> bool:
    return bool(dtype.is_floating or dtype.is_complex)


class ZerosV2(InitializerV2):
    """Zeros (`tf.zeros_initializer`).

    >>> ZerosV2()([2]).numpy().tolist()
    [0.0, 0.0]
    """

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike | None = dtypes.float32, **kwargs: Any
    ) -> Any:
        """Zeros of this shape and dtype."""
        return zeros(_part(shape, kwargs), _numeric(dtype))


class OnesV2(InitializerV2):
    """Ones (`tf.ones_initializer`).

    >>> OnesV2()([2]).numpy().tolist()
    [1.0, 1.0]
    """

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike | None = dtypes.float32, **kwargs: Any
    ) -> Any:
        """Ones of this shape and dtype."""
        return ones(_part(shape, kwargs), _numeric(dtype))


class ConstantV2(InitializerV2):
    """A number everywhere, or as many numbers as there are elements (`tf.constant_initializer`).

    Args:
        value: a number, a list or an array.
        support_partition: True allows to ask for a part.

    Raises:
        TypeError: `value` is something else.
        ValueError: when it is called for a part, and `support_partition` is False.
    """

    _fields = ("value",)

    def __init__(self, value: TensorLike = 0, support_partition: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value: {type(value).__name__}. Expected Python scalar, "
                "list or tuple of values, or numpy.ndarray."
            )
        self.value, self.support_partition = value, support_partition

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Any:
        """The value in this shape; in its own dtype where none is given."""
        shape = _part(shape, kwargs)
        if kwargs and not self.support_partition:
            raise ValueError(
                "Constant initializer doesn't support partition-related arguments. Make it with "
                "support_partition=True to ask for parts."
            )
        return constant(self.value, None if dtype is None else as_dtype(dtype), shape)


class RandomUniformV2(InitializerV2):
    """Numbers that are equally likely between two (`tf.random_uniform_initializer`).

    Args:
        minval: the least one.
        maxval: the end of the range; not among them.
        seed: a number that makes them the same in each call.
    """

    _fields = ("minval", "maxval", "seed")

    def __init__(
        self, minval: TensorLike = -0.05, maxval: TensorLike = 0.05, seed: int | None = None
    ) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike | None = dtypes.float32, **kwargs: Any
    ) -> Any:
        """Numbers of this shape and dtype."""
        found, part = _numeric(dtype), _part(shape, kwargs)
        if self.seed is None:
            return uniform(part, self.minval, self.maxval, found)
        return stateless_uniform(part, [self.seed, 0], self.minval, self.maxval, found)


class RandomNormalV2(InitializerV2):
    """Numbers of a normal distribution (`tf.random_normal_initializer`).

    Args:
        mean: their mean.
        stddev: their standard deviation.
        seed: a number that makes them the same in each call.
    """

    _fields = ("mean", "stddev", "seed")

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike | None = dtypes.float32, **kwargs: Any
    ) -> Any:
        """Numbers of this shape and dtype, which must be a floating one."""
        found = as_dtype(dtype or dtypes.float32)
        if not found.is_floating:
            raise ValueError(
                f"Argument `dtype` is expected to be floating point. Received: {found!s}."
            )
        part = _part(shape, kwargs)
        if self.seed is None:
            return normal(part, self.mean, self.stddev, found)
        return stateless_normal(part, [self.seed, 0], self.mean, self.stddev, found)
