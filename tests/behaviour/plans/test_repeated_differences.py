"""Differences from means are computed where they are taken: graph/passes/differences.py."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.graph.passes import maps

pytestmark = pytest.mark.not_strict("plans on strict GPUs keep their instrumented form")


@pytest.mark.parametrize("axes", [[0, 1, 2], [-1]], ids=["batch norm", "layer norm"])
def test_a_step_through_a_norm_keeps_no_differences(axes, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(maps, "LEAST_NUMBERS", 1)
    random = np.random.default_rng(0)
    x = tf.constant(random.normal(size=(4, 6, 5, 16)).astype("float32"))
    w = tf.Variable(random.normal(size=(16, 16)).astype("float32"))
    v = tf.Variable(random.normal(size=(16, 16)).astype("float32"))
    wanted: list[tuple[int, ...]] = []
    init = maps.FusedMap.__init__

    def noting(self, shape, inputs, steps, outputs, dying=()):
        init(self, shape, inputs, steps, outputs, dying)
        names = [step.name for step in steps]
        wanted.extend(i for i in outputs if i >= len(inputs) and names[i - len(inputs)] == "Sub")

    monkeypatch.setattr(maps.FusedMap, "__init__", noting)

    def step():
        with tf.GradientTape() as tape:
            y = tf.tensordot(x, w, 1)
            mean = tf.reduce_mean(y, axes, keepdims=True)
            variance = tf.reduce_mean(tf.square(y - tf.stop_gradient(mean)), axes, keepdims=True)
            y = (y - mean) * tf.math.rsqrt(variance + 1e-3)
            loss = tf.reduce_mean(tf.square(tf.tensordot(tf.nn.relu(y), v, 1)))
        return loss, *tape.gradient(loss, [w, v])

    for one, other in zip(step(), tf.function(step)(), strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=2e-5, atol=2e-6)
    assert not wanted
