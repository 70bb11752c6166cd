"""Matrices of float16, for which torch has few kernels, or ones that overflow on the way."""

import numpy as np
import pytest

import emplace.tensorflow as tf

MATRIX = np.array([[4.0, 1.0], [1.0, 3.0]], np.float32)


@pytest.mark.parametrize(
    "name", ["inv", "det", "slogdet", "expm", "sqrtm", "cholesky", "pinv", "qr"]
)
def test_halves_are_computed_in_float32(name):
    run = getattr(tf.linalg, name)
    for made, wanted in zip(
        tf.nest.flatten(run(tf.constant(MATRIX, tf.float16))),
        tf.nest.flatten(run(tf.constant(MATRIX))),
        strict=True,
    ):
        assert made.dtype == tf.float16
        np.testing.assert_allclose(made.numpy(), wanted.numpy(), rtol=2e-3, atol=2e-3)


def test_the_gradient_of_an_exponential_of_halves_is_finite():
    x = tf.constant(MATRIX / 4, tf.float16)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.linalg.expm(x))
    wide = tf.constant(MATRIX / 4)
    with tf.GradientTape() as other:
        other.watch(wide)
        z = tf.reduce_sum(tf.linalg.expm(wide))
    np.testing.assert_allclose(
        tape.gradient(y, x).numpy(), other.gradient(z, wide).numpy(), rtol=5e-3
    )
