"""`tf.nn.lrn` of many values, which is computed in parts, equals the parts computed alone."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.ops.nn import normalization


def _halves(call):
    """A function of all images, and of two halves of them joined."""
    x = np.random.default_rng(0).normal(size=(10, 33, 33, 8)).astype("float32")
    assert x.size > normalization._AT_ONCE, "or nothing is computed in parts"
    return call(tf.constant(x)).numpy(), np.concatenate(
        [call(tf.constant(part)).numpy() for part in np.split(x, 10)]
    )


def _lrn(x):
    return tf.nn.lrn(x, 2, 1.0, 0.5, 0.75)


def _gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(_lrn(x) ** 2)
    return tape.gradient(y, x)


def _second(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(_gradient(x) ** 2)
    return tape.gradient(y, x)


@pytest.mark.parametrize("call", [_lrn, _gradient, _second])
def test_parts_of_a_large_normalization_fit_together(call):
    whole, parts = _halves(call)
    np.testing.assert_allclose(whole, parts, rtol=1e-5, atol=1e-6)
