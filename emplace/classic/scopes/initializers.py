"""First values of variables, as TF 1 programs ask for them: `tf.zeros_initializer` and the like.

An initializer is called with a shape and a dtype, and returns a tensor.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...base import dtypes
from ...base.dtypes import as_dtype
from ...base.shapes import TensorShape
from ...base.typing import DTypeLike, IntLike, ShapeLike, TensorLike
from ...ops.array.making import constant, ones, zeros
from ...ops.array.shaping import reshape, transpose
from ...ops.linalg.decomposition import qr
from ...ops.linalg.diagonal import diag_part
from ...ops.math.elementwise import multiply, sign
from ...ops.random.stateful import normal, truncated_normal, uniform


def _sizes(shape: object) -> list[int]:
    return [int(each or 0) for each in TensorShape(shape).as_list()]


def _floating(dtype: Any) -> Any:
    found = as_dtype(dtype)
    if not found.is_floating:
        raise ValueError(f"Argument `dtype` expected to be floating point. Received: {found}.")
    return found


class Initializer:
    """What all have: a configuration, and being called with a shape."""

    _fields: tuple[str, ...] = ()

    def __call__(
        self, shape: ShapeLike | None, dtype: DTypeLike | None = None, partition_info: Any = None
    ) -> Any:
        """A first value of this shape and dtype."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Its arguments."""
        fields = {name: getattr(self, name) for name in self._fields}
        return {k: v.name if k == "dtype" else v for k, v in fields.items()}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """An initializer with these arguments."""
        return cls(**config)


class Zeros(Initializer):
    """Zeros (`tf.compat.v1.zeros_initializer`)."""

    _fields: tuple[str, ...] = ("dtype",)

    def __init__(self, dtype: DTypeLike = dtypes.float32) -> None:
        self.dtype = as_dtype(dtype)

    def __call__(
        self, shape: ShapeLike | None, dtype: DTypeLike | None = None, partition_info: Any = None
    ) -> Any:
        """Zeros of this shape and dtype."""
        return zeros(_sizes(shape), as_dtype(dtype or self.dtype))


class Ones(Initializer):
    """Ones (`tf.compat.v1.ones_initializer`)."""

    _fields = ("dtype",)

    def __init__(self, dtype: DTypeLike = dtypes.float32) -> None:
        self.dtype = as_dtype(dtype)

    def __call__(
        self, shape: ShapeLike | None, dtype: DTypeLike | None = None, partition_info: Any = None
    ) -> Any:
        """Ones of this shape and dtype."""
        return ones(_sizes(shape), as_dtype(dtype or self.dtype))


class Constant(Initializer):
    """A number everywhere, or a list of numbers (`tf.compat.v1.constant_initializer`).

    Args:
        value: a number, a list or an array.
        dtype: the dtype where the variable has none.
        verify_shape: True refuses a value of another shape than the variable's.

    Raises:
        TypeError: `value` is something else.
    """

    _fields = ("value", "dtype")

    def __init__(
        self,
        value: object = 0,
        dtype: DTypeLike | None = dtypes.float32,
        verify_shape: bool = False,
    ) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value={value} of type: {type(value).__name__}. Expected "
                "Python scalar, list or tuple of values, or numpy.ndarray."
            )
        self.value, self.dtype, self._verify_shape = value, as_dtype(dtype), verify_shape

    def __call__(
        self,
        shape: ShapeLike | None,
        dtype: DTypeLike | None = None,
        partition_info: Any = None,
        verify_shape: bool | None = None,
    ) -> Any:
        """The value in this shape; too few numbers are followed by copies of the last one."""
        wanted, sizes = as_dtype(dtype or self.dtype), _sizes(shape)
        if np.isscalar(self.value):
            return constant(self.value, wanted, shape=sizes)
        values = np.asarray(self.value)
        count = math.prod(sizes)
        verify = self._verify_shape if verify_shape is None else verify_shape
        if verify and list(values.shape) != sizes:
            raise TypeError(f"Expected Tensor's shape: {tuple(sizes)}, but got {values.shape}.")
        if values.size > count:
            raise ValueError(
                f"Too many elements provided. Takes at most {count}, but got {values.size}."
            )
        flat = values.reshape(-1)
        if values.size < count:
            flat = np.concatenate([flat, np.repeat(flat[-1:], count - values.size)])
        return constant(flat.reshape(sizes), wanted)


class _Random(Initializer):
    """Numbers drawn from a distribution."""

    _draw: Any = None

    def __init__(
        self,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        seed: IntLike | None = None,
        dtype: DTypeLike = dtypes.float32,
    ) -> None:
        self.mean, self.stddev, self.seed, self.dtype = mean, stddev, seed, _floating(dtype)

    _fields = ("mean", "stddev", "seed", "dtype")

    def __call__(
        self, shape: ShapeLike | None, dtype: DTypeLike | None = None, partition_info: Any = None
    ) -> Any:
        """Numbers of this shape and dtype."""
        wanted = as_dtype(dtype or self.dtype)
        return type(self)._draw(_sizes(shape), self.mean, self.stddev, wanted, self.seed)


class RandomNormal(_Random):
    """Numbers of the normal distribution (`tf.compat.v1.random_normal_initializer`)."""

    _draw = staticmethod(normal)


class TruncatedNormal(_Random):
    """The same without what is farther than two deviations from the mean
    (`tf.compat.v1.truncated_normal_initializer`).
    """

    _draw = staticmethod(truncated_normal)


class RandomUniform(Initializer):
    """Numbers spread evenly (`tf.compat.v1.random_uniform_initializer`)."""

    _fields = ("minval", "maxval", "seed", "dtype")

    def __init__(
        self,
        minval: Any = 0.0,
        maxval: Any = None,
        seed: int | None = None,
        dtype: DTypeLike = dtypes.float32,
    ) -> None:
        self.minval, self.maxval, self.seed, self.dtype = minval, maxval, seed, as_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: DTypeLike | None = None, partition_info: Any = None
    ) -> Any:
        """Numbers of this shape and dtype."""
        wanted = as_dtype(dtype or self.dtype)
        return uniform(_sizes(shape), self.minval, self.maxval, wanted, self.seed)


class UniformUnitScaling(Initializer):
    """Uniform numbers that keep the scale of what a layer takes
    (`tf.compat.v1.uniform_unit_scaling_initializer`).
    """

    _fields = ("factor", "seed", "dtype")

    def __init__(
        self, factor: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32
    ) -> None:
        self.factor, self.seed, self.dtype = factor, seed, _floating(dtype)

    def __call__(
        self, shape: Any, dtype: DTypeLike | None = None, partition_info: Any = None
    ) -> Any:
        """Numbers of this shape and dtype."""
        sizes = _sizes(shape)
        scaled = sizes if partition_info is None else partition_info.full_shape
        limit = math.sqrt(3 / max(1.0, math.prod(scaled[:-1]))) * self.factor
        return uniform(sizes, -limit, limit, as_dtype(dtype or self.dtype), self.seed)


def fans(shape: Sequence[int]) -> tuple[int, int]:
    """How many numbers go into one output of a weight, and how many outputs one goes into."""
    if len(shape) < 2:
        size = shape[0] if shape else 1
        return size, size
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


class VarianceScaling(Initializer):
    """Random numbers whose variance suits the size of the weight
    (`tf.compat.v1.variance_scaling_initializer`).

    Args:
        scale: a factor, greater than 0.
        mode: "fan_in", "fan_out" or "fan_avg".
        distribution: "truncated_normal", "untruncated_normal", "normal" or "uniform".
        seed: an integer that makes it repeatable.
        dtype: a floating dtype.

    Raises:
        ValueError: an argument is none of these.
    """

    _fields: tuple[str, ...] = ("scale", "mode", "distribution", "seed", "dtype")

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: Any = None,
        dtype: DTypeLike = dtypes.float32,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(
                "Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). Received: "
                f"{mode}"
            )
        distribution = distribution.lower()
        known = ("normal", "uniform", "truncated_normal", "untruncated_normal")
        if distribution not in known:
            raise ValueError(
                "Argument `distribution` should be one of ('normal', uniform', 'truncated_normal', "
                f"'untruncated_normal'). Received: {distribution}"
            )
        self.scale, self.mode, self.distribution = scale, mode, distribution
        self.seed, self.dtype = seed, _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Numbers of this shape and dtype."""
        wanted, sizes = as_dtype(dtype or self.dtype), _sizes(shape)
        fan_in, fan_out = fans(sizes if partition_info is None else partition_info.full_shape)
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        scale = self.scale / max(1.0, fan)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * scale)
            return uniform(sizes, -limit, limit, wanted, self.seed)
        if self.distribution == "untruncated_normal":
            return normal(sizes, 0.0, math.sqrt(scale), wanted, self.seed)
        # The deviation of what is left of a normal distribution that is cut off at 2.
        return truncated_normal(
            sizes, 0.0, math.sqrt(scale) / 0.87962566103423978, wanted, self.seed
        )


class _Fixed(VarianceScaling):
    """Variance scaling with arguments of its own."""

    _arguments: tuple[float, str, str] = (1.0, "fan_in", "truncated_normal")
    _fields = ("seed", "dtype")

    def __init__(self, seed: IntLike | None = None, dtype: DTypeLike = dtypes.float32) -> None:
        super().__init__(*self._arguments, seed, dtype)


class GlorotUniform(_Fixed):
    """Glorot's uniform numbers, also named after Xavier
    (`tf.compat.v1.glorot_uniform_initializer`).
    """

    _arguments = (1.0, "fan_avg", "uniform")


class GlorotNormal(_Fixed):
    """Glorot's normal numbers (`tf.compat.v1.glorot_normal_initializer`)."""

    _arguments = (1.0, "fan_avg", "truncated_normal")


class LecunNormal(_Fixed):
    """LeCun's normal numbers (`tf.compat.v1.initializers.lecun_normal`)."""


class LecunUniform(_Fixed):
    """LeCun's uniform numbers (`tf.compat.v1.initializers.lecun_uniform`)."""

    _arguments = (1.0, "fan_in", "uniform")


class HeNormal(_Fixed):
    """He's normal numbers (`tf.compat.v1.initializers.he_normal`)."""

    _arguments = (2.0, "fan_in", "truncated_normal")


class HeUniform(_Fixed):
    """He's uniform numbers (`tf.compat.v1.initializers.he_uniform`)."""

    _arguments = (2.0, "fan_in", "uniform")


class Orthogonal(Initializer):
    """A random matrix whose rows or columns are orthogonal
    (`tf.compat.v1.orthogonal_initializer`).

    Raises:
        ValueError: it is called with fewer than two dimensions.
    """

    _fields = ("gain", "seed", "dtype")

    def __init__(
        self, gain: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32
    ) -> None:
        self.gain, self.seed, self.dtype = gain, seed, _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """A matrix; further dimensions are laid together with the rows."""
        wanted, sizes = as_dtype(dtype or self.dtype), _sizes(shape)
        if len(sizes) < 2:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at least "
                f"two-dimensional. Received shape={shape}"
            )
        rows, columns = math.prod(sizes[:-1]), sizes[-1]
        tall = [max(rows, columns), min(rows, columns)]
        q, r = qr(normal(tall, dtype=wanted, seed=self.seed), full_matrices=False)
        q = multiply(q, sign(diag_part(r)))
        if rows < columns:
            q = transpose(q)
        return multiply(reshape(q, sizes), self.gain)


class Identity(Initializer):
    """The identity matrix (`tf.compat.v1.initializers.identity`).

    Raises:
        ValueError: it is called with other than two dimensions.
    """

    _fields = ("gain", "dtype")

    def __init__(self, gain: float = 1.0, dtype: DTypeLike = dtypes.float32) -> None:
        self.gain, self.dtype = gain, _floating(dtype)

    def __call__(
        self, shape: ShapeLike | None, dtype: DTypeLike | None = None, partition_info: Any = None
    ) -> Any:
        """The matrix, of this shape and dtype."""
        sizes = _sizes(shape)
        full = sizes if partition_info is None else partition_info.full_shape
        if len(full) != 2:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be two-dimensional. "
                f"Received shape={full}"
            )
        row, column = (0, 0) if partition_info is None else partition_info.var_offset
        made = np.eye(sizes[0], sizes[1], row - column) * self.gain
        return constant(made, as_dtype(dtype or self.dtype))
