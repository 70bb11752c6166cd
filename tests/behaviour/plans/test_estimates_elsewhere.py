"""Estimates for GPUs that are not here, and of what recomputing saves."""

from __future__ import annotations

from typing import Any

import pytest

import emplace
import emplace.tensorflow as tf
from emplace.devices.inventory import INVENTORY


def far(x: Any) -> Any:
    with tf.device("GPU:3"):
        weights = tf.Variable(tf.zeros([256, 256]), name="far")
        return tf.matmul(x, weights)


@pytest.mark.gpus(0)
def test_gpus_that_are_not_here_are_supposed() -> None:
    before = INVENTORY.devices()
    spec = tf.TensorSpec([1024, 256])
    found = emplace.estimate(far, spec, devices="4x24GB", links={"GPU-GPU": 2**20})
    assert found.variables == {"far": "GPU:3"}
    told = found.to_dict()
    assert told["copies"] == [{"from": "GPU:0", "to": "GPU:3", "bytes": 1 << 20, "seconds": 1.0}]
    assert told["devices"]["GPU:3"]["peak_bytes"] == (256 << 10) + (2 << 20)
    assert told["devices"]["GPU:3"]["limit_bytes"] == 24 << 30
    assert INVENTORY.devices() is before
    assert not emplace.estimate(far, spec, devices="4x2MB").fits


@pytest.mark.gpus(1, memory="64MB")
def test_recomputing_saves_what_the_estimate_says() -> None:
    v = tf.Variable(tf.ones([64, 64]))

    def block(x: Any) -> Any:
        for _ in range(6):
            x = tf.tanh(x @ v)
        return x

    def step_of(function: Any) -> Any:
        @tf.function
        def step(x: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(function(function(x)))
            return tape.gradient(loss, v)

        return step

    spec = tf.TensorSpec([4096, 64])
    plain, recomputed = (
        emplace.estimate(step_of(each), spec).devices["GPU:0"].peak_bytes
        for each in (block, emplace.recompute(block))
    )
    assert recomputed < 0.75 * plain
