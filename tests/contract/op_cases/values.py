"""Values for cases: small NumPy arrays, the same in every run and every process.

Numbers depend on the expression and on the order of the makers in it, and on nothing else.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np


class Makers:
    """The names an expression may use besides `tf`; one object per expression."""

    def __init__(self, expression: str) -> None:
        self._random = np.random.default_rng(zlib.crc32(expression.encode()))

    def _uniform(self, shape: tuple[int, ...], low: float, high: float) -> Any:
        return self._random.uniform(low, high, shape)

    def floats(self, dtype: Any) -> Callable[..., Any]:
        """A maker of floats between -2 and 2, or `low` and `high`."""

        def make(*shape: int, low: float = -2.0, high: float = 2.0) -> Any:
            return self._uniform(shape, low, high).astype(dtype)

        return make

    def ints(self, dtype: Any, low: int, high: int) -> Callable[..., Any]:
        """A maker of integers from `low` up to, not including, `high`."""

        def make(*shape: int, low: int = low, high: int = high) -> Any:
            return np.asarray(self._random.integers(low, high, shape)).astype(dtype)

        return make

    def complexes(self, dtype: Any) -> Callable[..., Any]:
        """A maker of complex numbers with both parts between -2 and 2."""

        def make(*shape: int) -> Any:
            parts = self._uniform(shape, -2, 2) + 1j * self._uniform(shape, -2, 2)
            return np.asarray(parts).astype(dtype)

        return make

    def bools(self, *shape: int) -> Any:
        """Trues and Falses."""
        return np.asarray(self._random.integers(0, 2, shape)).astype(bool)

    def names(self) -> dict[str, Any]:
        """All makers by the names expressions use."""
        return {
            "np": np,
            "f16": self.floats(np.float16),
            "bf16": self.floats(ml_dtypes.bfloat16),
            "f32": self.floats(np.float32),
            "f64": self.floats(np.float64),
            "i8": self.ints(np.int8, -5, 6),
            "i16": self.ints(np.int16, -5, 6),
            "i32": self.ints(np.int32, -5, 6),
            "i64": self.ints(np.int64, -5, 6),
            "u8": self.ints(np.uint8, 0, 9),
            "u16": self.ints(np.uint16, 0, 9),
            "u32": self.ints(np.uint32, 0, 9),
            "u64": self.ints(np.uint64, 0, 9),
            "c64": self.complexes(np.complex64),
            "c128": self.complexes(np.complex128),
            "b": self.bools,
            "nan": float("nan"),
            "inf": float("inf"),
        }


def gradients(tf: Any) -> Callable[..., Any]:
    """`gradient(f, *at)`: what `f` answers at some values, and its gradients for each of them."""

    def gradient(f: Callable[..., Any], *at: Any) -> Any:
        inputs = [tf.convert_to_tensor(value) for value in at]
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            answer = f(*inputs)
        return [answer, tape.gradient(answer, inputs)]

    return gradient


def evaluate(expression: str, tf: Any) -> Any:
    """The value of an expression with `tf` as TensorFlow or Emplace."""
    names = {
        "tf": tf,
        "grad": _gradient_with(tf),
        "gradient": gradients(tf),
        "run": run,
        "T": tensors_with(tf),
        **Makers(expression).names(),
    }
    return eval(expression, names)


def _gradient_with(tf: Any) -> Callable[..., Any]:
    """`grad(f, x, y)`: the gradients of f(x, y) for x and y, arrays or variables."""

    def grad(f: Callable[..., Any], *given: Any) -> Any:
        inputs = [x if isinstance(x, tf.Variable) else tf.constant(x) for x in given]
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            result = f(*inputs)
        return tape.gradient(result, inputs)

    return grad


def tensors_with(tf: Any) -> Callable[..., Any]:
    """`T(f32)(2, 3)`: what the maker makes, as a tensor."""
    return lambda make: lambda *shape, **how: tf.constant(make(*shape, **how))


def run(*values: Any) -> Any:
    """The last of the values: for expressions of several steps."""
    return values[-1]


def sparse_text(indices: Any, values: str, dims: Any) -> str:
    """The expression of a sparse tensor."""
    return f"tf.SparseTensor({indices}, {values}, {dims})"
