"""Means and variances of concatenations from those of their parts:
graph/passes/moments_of_columns.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.codegen.code import lanes
from emplace.graph.passes import moments_of_columns
from emplace.graph.representation.graph import Operation

pytestmark = pytest.mark.skipif(not lanes(), reason="this processor has none of these kernels")
_SHAPE = (4, 16, 16, 64)


def _numbers(*shape: int, seed: int = 0, mean: float = 0.0) -> np.ndarray:
    made = np.random.default_rng(seed).standard_normal(shape) + mean
    return made.astype(np.float32)


def _normalized(x: tf.Tensor, keepdims: bool = True) -> tuple[tf.Tensor, ...]:
    mean, variance = tf.nn.moments(x, [0, 1, 2], keepdims=keepdims)
    return (x - mean) * tf.math.rsqrt(variance + 1e-3), mean, variance


def _block(x: tf.Tensor, filters: Sequence[tf.Tensor]) -> tuple[tf.Tensor, list[tf.Tensor]]:
    """A dense block, and all its means and variances."""
    found: list[tf.Tensor] = []
    for filter in filters:
        normal, *moments = _normalized(x)
        found += moments
        new = tf.nn.conv2d(tf.nn.relu(normal), filter, 1, "SAME")
        x = tf.concat([x, new], -1)
    normal, *moments = _normalized(x)
    return normal, found + moments


def _widths(operations: Sequence[Operation]) -> list[int]:
    """How many columns the means over all rows are of."""
    means = [x for x in operations if x.record.name == "Mean" and len(x.given[0].dims) == 4]
    return [x.given[0].dims[-1] for x in means]


def _filters(count: int = 3, mean: float = 0.0) -> list[np.ndarray]:
    return [_numbers(1, 1, _SHAPE[-1] + 32 * i, 32, seed=i, mean=mean) / 8.0 for i in range(count)]


@pytest.mark.parametrize("mean", [0.0, 1000.0])
def test_a_dense_block_and_its_gradients(mean: float, monkeypatch: pytest.MonkeyPatch) -> None:
    x, filters = _numbers(*_SHAPE, mean=mean), _filters(mean=mean / 100)
    weights = _numbers(*_SHAPE[:-1], _SHAPE[-1] + 96, seed=9)

    def step(x, *filters):
        with tf.GradientTape() as tape:
            tape.watch([x, *filters])
            y, moments = _block(x, filters)
            total = tf.reduce_sum(y * tf.cast(weights, y.dtype))
        return [y, *moments, *tape.gradient(total, [x, *filters])]

    seen: list[tuple[list[int], list[int]]] = []
    real = moments_of_columns.with_moments_of_columns

    def noting(operations, *rest):
        replaced = real(operations, *rest)
        seen.append((_widths(operations), _widths(replaced)))
        return replaced

    monkeypatch.setattr(moments_of_columns, "LEAST_NUMBERS", 1)
    monkeypatch.setattr(moments_of_columns, "with_moments_of_columns", noting)
    ours = tf.function(step)
    for _ in range(3):  # machine code comes after some
        fused = [y.numpy() for y in ours(tf.constant(x), *map(tf.constant, filters))]
    # Each mean and each variance goes through what is new alone.
    before, after = max(seen, key=lambda widths: len(widths[0]))
    assert before == [64, 64, 96, 96, 128, 128, 160, 160]
    assert after == [64, 64, 32, 32, 32, 32, 32, 32]
    exact = [
        y.numpy()
        for y in step(
            tf.constant(x.astype(np.float64)),
            *[tf.constant(f.astype(np.float64)) for f in filters],
        )
    ]
    monkeypatch.setenv("EMPLACE_FUSE", "0")
    plain = [y.numpy() for y in tf.function(step)(tf.constant(x), *map(tf.constant, filters))]
    for one, other, best in zip(fused, plain, exact, strict=True):
        scale = np.abs(best).max()
        error, allowed = np.abs(one - best).max(), np.abs(other - best).max()
        assert error <= 2 * allowed + 1e-5 * scale
